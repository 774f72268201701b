/* annotation_json.c - a function, its lines and its instructions as JSON Lines: schema
 * perfpipe.annotate/1. */
#include "annotate/annotation.h"

#include <stdio.h>
#include <string.h>

/* A text that is not UTF-8 is absent, and its bytes are there as NAME_hex. */
static void write_json_words(struct pp_json *j, const char *name, const char *text, size_t length)
{
	char hex[64];

	if (pp_json_text(j, name, text, length))
		return;
	(void)snprintf(hex, sizeof(hex), "%s_hex", name);
	pp_json_bytes(j, hex, text, length);
}

static void write_json_string(struct pp_json *j, const char *name, const char *text)
{
	if (*text)
		write_json_words(j, name, text, strlen(text));
}

static void write_json_share(struct pp_json *j, const struct pp_annotated *f,
			     const struct annotation_shares *shares, uint64_t period, uint64_t samples)
{
	char text[PP_FIXED_MOST];

	pp_json_number(j, "period", period);
	pp_json_number(j, "samples", samples);
	pp_json_key(j, "percent");
	pp_out_bytes(j->out, text, pp_fixed(text, annotation_share(shares, f, period, samples), 4));
}

static void begin_line(struct pp_json *j, struct pp_out *out)
{
	*j = (struct pp_json){ .out = out };
	pp_json_open(j, NULL, '{');
}

static void end_line(struct pp_json *j)
{
	pp_json_close(j, '}');
	pp_out_char(j->out, '\n');
}

static void write_json_head(const struct pp_annotated *f, const struct annotation_shares *shares,
			    struct pp_out *out)
{
	struct pp_json j;

	begin_line(&j, out);
	write_json_string(&j, "function", f->name);
	write_json_string(&j, "dso", f->dso);
	write_json_string(&j, "event", f->event);
	pp_json_hex(&j, "address", f->address);
	if (f->length)
		pp_json_number(&j, "length", f->length);
	pp_json_number(&j, "period", f->period);
	pp_json_number(&j, "samples", f->samples);
	pp_json_number(&j, "all_period", f->all_period);
	pp_json_number(&j, "all_samples", f->all_samples);
	write_json_string(&j, "percent_type", annotation_shares_name(shares));
	write_json_string(&j, "lack", f->lack ? f->lack : "");
	end_line(&j);
}

static void write_json_line(struct pp_annotate *sums, const struct pp_annotated *f,
			    const struct pp_annotated_line *line, const struct annotation_shares *shares,
			    struct pp_out *out)
{
	const struct pp_annotated_part *const p = &f->parts[line->part];
	struct pp_json j;
	size_t length;
	const char *const text = pp_annotate_source(sums, p->file, line->line, &length);

	begin_line(&j, out);
	write_json_string(&j, "file", p->file);
	pp_json_number(&j, "line", line->line);
	if (p->inlined) {
		write_json_string(&j, "inlined", p->function);
		write_json_string(&j, "call_file", p->call_file);
		pp_json_number(&j, "call_line", p->call_line);
	}
	write_json_share(&j, f, shares, line->period, line->samples);
	if (text)
		write_json_words(&j, "text", text, length);
	end_line(&j);
}

static void write_json_place(const struct pp_annotated *f, const struct pp_annotated_place *p,
			     const struct annotation_shares *shares, struct pp_out *out)
{
	struct pp_json j;

	begin_line(&j, out);
	pp_json_hex(&j, "address", p->address);
	write_json_share(&j, f, shares, p->period, p->samples);
	write_json_string(&j, "instruction", p->text ? p->text : "");
	if (p->aimed) {
		pp_json_hex(&j, p->calls ? "call" : p->jumps ? "jump" : "operand", p->target);
		write_json_string(&j, "target", p->target_name ? p->target_name : "");
	}
	if (p->line) {
		const struct pp_annotated_line *const line = &f->lines[p->line - 1];

		write_json_string(&j, "file", f->parts[line->part].file);
		pp_json_number(&j, "line", line->line);
	}
	end_line(&j);
}

void annotation_write_json(struct pp_annotate *sums, const struct pp_annotated *f,
			   const struct annotation_shares *shares, struct pp_out *out)
{
	write_json_head(f, shares, out);
	for (size_t i = 0; i < f->n_lines; i++)
		write_json_line(sums, f, &f->lines[i], shares, out);
	for (size_t i = 0; i < f->n_places; i++)
		write_json_place(f, &f->places[i], shares, out);
}
