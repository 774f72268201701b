/* annotation_text.c - a function by line and by instruction, as text. */
#include "annotate/annotation.h"

#include "cli/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	AROUND = 3,                   /* lines that are shown before and after those that have code */
	TAB = 8,
};

double annotation_share(const struct annotation_shares *shares, const struct pp_annotated *f, uint64_t period,
			uint64_t samples)
{
	const uint64_t all = shares->hits ? (shares->global ? f->all_samples : f->samples) :
					    (shares->global ? f->all_period : f->period);
	const uint64_t part = shares->hits ? samples : period;

	return all ? 100.0 * (double)part / (double)all : 0.0;
}

const char *annotation_shares_name(const struct annotation_shares *shares)
{
	static const char *const names[2][2] = { { "local period", "local hits" },
						 { "global period", "global hits" } };

	return names[shares->global][shares->hits];
}

static void write_words(struct pp_out *out, const char *text)
{
	pp_out_printable(out, text, strlen(text));
}

/* A share in 7 columns; blank where nothing was sampled. */
static void write_share(struct pp_out *out, const struct annotation_shares *shares,
			const struct pp_annotated *f, uint64_t period, uint64_t samples)
{
	char text[PP_FIXED_MOST];
	size_t n = 0;

	if (samples)
		n = pp_fixed(text, annotation_share(shares, f, period, samples), 2);
	pp_out_blanks(out, n < 7 ? 7 - n : 0);
	pp_out_bytes(out, text, n);
}

static void write_right(struct pp_out *out, const char *text, size_t width)
{
	const size_t n = strlen(text);

	pp_out_blanks(out, n < width ? width - n : 0);
	pp_out_text(out, text);
}

static void write_number(struct pp_out *out, uint64_t number, size_t width)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	write_right(out, text, width);
}

static void write_address(struct pp_out *out, uint64_t address, size_t width)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIx64, address);
	write_right(out, text, width);
}

/* Tabs become blanks, since what precedes the text is no multiple of them. */
static void write_source(struct pp_out *out, const char *text, size_t length)
{
	size_t column = 0;

	for (size_t at = 0; at < length;) {
		const char *const tab = memchr(text + at, '\t', length - at);
		const size_t n = tab ? (size_t)(tab - text) - at : length - at;

		pp_out_printable(out, text + at, n);
		column += n;
		at += n;
		if (tab) {
			pp_out_blanks(out, TAB - column % TAB);
			column += TAB - column % TAB;
			at++;
		}
	}
}

static void write_head(struct pp_out *out, const struct pp_annotated *f,
		       const struct annotation_shares *shares)
{
	char text[PP_FIXED_MOST];

	pp_out_text(out, "# ");
	write_words(out, f->name);
	pp_out_text(out, " in ");
	write_words(out, f->dso);
	pp_out_text(out, "\n# ");
	pp_out_dec(out, f->samples);
	pp_out_text(out, " of ");
	pp_out_dec(out, f->all_samples);
	pp_out_text(out, " samples of ");
	write_words(out, f->event);
	pp_out_text(out, ", ");
	pp_out_bytes(out, text, pp_fixed(text, f->all_period ? 100.0 * (double)f->period /
					 (double)f->all_period : 0.0, 2));
	pp_out_text(out, " % of all; percent: ");
	pp_out_text(out, annotation_shares_name(shares));
	pp_out_text(out, "\n");
}

/* ---- Lines ---- */

static void write_part_head(struct pp_out *out, const struct pp_annotated_part *p)
{
	pp_out_char(out, '\n');
	write_words(out, p->file);
	if (p->inlined) {
		pp_out_text(out, ": ");
		write_words(out, *p->function ? p->function : "a function without a name");
		pp_out_text(out, ", inlined from ");
		write_words(out, *p->call_file ? p->call_file : "??");
		pp_out_char(out, ':');
		pp_out_dec(out, p->call_line);
		if (p->calls > 1) {
			pp_out_text(out, " and ");
			pp_out_dec(out, p->calls - 1);
			pp_out_text(out, p->calls > 2 ? " other lines" : " other line");
		}
	}
	pp_out_char(out, '\n');
}

/* One line of source: false, it is not here. */
static bool write_line(struct pp_annotate *sums, const struct pp_annotated *f,
		       const struct annotation_shares *shares, const char *file, uint32_t number,
		       const struct pp_annotated_line *line, struct pp_out *out)
{
	size_t length;
	const char *const text = pp_annotate_source(sums, file, number, &length);

	if (!text)
		return false;
	write_share(out, shares, f, line ? line->period : 0, line ? line->samples : 0);
	write_number(out, number, 7);
	if (length)
		pp_out_text(out, "  ");
	write_source(out, text, length);
	pp_out_char(out, '\n');
	return true;
}

/* What was sampled of a part whose source is not here, by number alone. */
static void write_numbers(const struct pp_annotated *f, const struct pp_annotated_part *p,
			  const struct annotation_shares *shares, struct pp_out *out)
{
	const char *const slash = strrchr(p->file, '/');

	for (size_t i = p->first; i < p->first + p->n; i++) {
		const struct pp_annotated_line *const line = &f->lines[i];

		if (!line->samples)
			continue;
		write_share(out, shares, f, line->period, line->samples);
		pp_out_text(out, "  ");
		write_words(out, slash ? slash + 1 : p->file);
		pp_out_char(out, ':');
		pp_out_dec(out, line->line);
		pp_out_char(out, '\n');
	}
}

/* The lines of a part, and those around them; where more are between two, these are left out. */
static void write_part(struct pp_annotate *sums, const struct pp_annotated *f,
		       const struct pp_annotated_part *p, const struct annotation_shares *shares,
		       struct pp_out *out)
{
	const struct pp_annotated_line *const end = f->lines + p->first + p->n, *line = f->lines + p->first;
	uint32_t next = 1;
	size_t length;

	write_part_head(out, p);
	while (line < end && !line->line)
		line++;
	if (line == end || !pp_annotate_source(sums, p->file, line->line, &length)) {
		write_numbers(f, p, shares, out);
		return;
	}
	for (; line < end; line++) {
		const uint32_t before = line->line > AROUND ? line->line - AROUND : 1;
		const uint64_t after = line->line + (uint64_t)AROUND;

		if (before > next) {
			if (next > 1)
				pp_out_text(out, "           ...\n");
			next = before;
		}
		while (next < line->line && write_line(sums, f, shares, p->file, next, NULL, out))
			next++;
		if (!write_line(sums, f, shares, p->file, line->line, line, out))
			break;
		for (next = line->line + 1; next <= after && (line + 1 == end || next < line[1].line); next++)
			if (!write_line(sums, f, shares, p->file, next, NULL, out))
				break;
	}
}

void annotation_write_lines(struct pp_annotate *sums, const struct pp_annotated *f,
			    const struct annotation_shares *shares, struct pp_out *out)
{
	write_head(out, f, shares);
	for (size_t i = 0; i < f->n_parts; i++)
		if (f->parts[i].samples || !f->parts[i].inlined)
			write_part(sums, f, &f->parts[i], shares, out);
}

/* ---- Instructions ---- */

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Where jumps lead, which the caller frees. */
static uint64_t *find_targets(const struct pp_annotated *f, size_t *n)
{
	uint64_t *const targets = calloc(f->n_places + 1, sizeof(*targets));

	*n = 0;
	if (!targets)
		cli_no_memory();
	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].jumps && f->places[i].aimed)
			targets[(*n)++] = f->places[i].target;
	if (*n)
		qsort(targets, *n, sizeof(*targets), by_address);
	return targets;
}

/* Where an instruction jumps, or which data it reads or writes. */
static void write_target(struct pp_out *out, const struct pp_annotated_place *p)
{
	if (!p->aimed)
		return;
	pp_out_text(out, p->jumps || p->calls ? "  -> " : "  # ");
	if (p->target_name) {
		write_words(out, p->target_name);
	} else {
		write_address(out, p->target, 0);
	}
}

/* Its line, where that is another than that of the one before. */
static void write_place_line(struct pp_out *out, const struct pp_annotated *f,
			     const struct pp_annotated_place *p, uint32_t *last)
{
	const struct pp_annotated_line *const line = p->line ? &f->lines[p->line - 1] : NULL;
	const char *const file = line ? f->parts[line->part].file : "", *const slash = strrchr(file, '/');

	if (line && p->line != *last) {
		pp_out_text(out, "  ; ");
		write_words(out, slash ? slash + 1 : file);
		pp_out_char(out, ':');
		pp_out_dec(out, line->line);
	}
	*last = p->line;
}

void annotation_write_code(const struct pp_annotated *f, const struct annotation_shares *shares,
			   struct pp_out *out)
{
	size_t n;
	uint64_t *const targets = find_targets(f, &n);
	uint32_t last = 0;

	write_head(out, f, shares);
	pp_out_char(out, '\n');
	for (size_t i = 0; i < f->n_places; i++) {
		const struct pp_annotated_place *const p = &f->places[i];
		const bool begins = n && bsearch(&p->address, targets, n, sizeof(*targets), by_address);

		if (begins && i)
			pp_out_char(out, '\n');
		write_share(out, shares, f, p->period, p->samples);
		pp_out_text(out, begins ? " >" : "  ");
		write_address(out, p->address, 8);
		pp_out_char(out, p->text ? ':' : '\n');
		if (!p->text)
			continue;
		pp_out_text(out, "  ");
		write_words(out, p->text);
		write_target(out, p);
		write_place_line(out, f, p, &last);
		pp_out_char(out, '\n');
	}
	free(targets);
}

/* ---- As perf ---- */

void annotation_write_stdio(const struct pp_annotated *f, const struct annotation_shares *shares,
			    struct pp_out *out)
{
	const char *const slash = strrchr(f->dso, '/');
	char head[256], number[PP_FIXED_MOST];
	const int n = snprintf(head, sizeof(head), " for %.128s (%" PRIu64 " samples, percent: %s)", f->event,
			       f->samples, annotation_shares_name(shares));

	pp_out_text(out, " Percent |\tSource code & Disassembly of ");
	write_words(out, slash ? slash + 1 : f->dso);
	write_words(out, head);
	pp_out_char(out, '\n');
	for (int i = 0; i < n + 40; i++)
		pp_out_char(out, '-');
	pp_out_char(out, '\n');
	for (size_t i = 0; i < f->n_places; i++) {
		const struct pp_annotated_place *const p = &f->places[i];
		const size_t length = pp_fixed(number, annotation_share(shares, f, p->period, p->samples), 2);

		pp_out_blanks(out, length < 8 ? 8 - length : 0);
		pp_out_bytes(out, number, length);
		pp_out_text(out, " :   ");
		write_address(out, p->address, 0);
		pp_out_text(out, ":   ");
		write_words(out, p->text ? p->text : "");
		if (p->text)
			write_target(out, p);
		pp_out_char(out, '\n');
	}
}
