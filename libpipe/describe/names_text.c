/* names_text.c - the names in a stream as text and as JSON. */
#include "describe/describe.h"

#include <inttypes.h>
#include <stdio.h>

static bool open_names(const struct pp_head_copy *copy, struct pp_named_file *names)
{
	struct pp_record rec;

	pp_head_record(&rec, copy, NULL);
	return !pp_names_open(names, &rec, NULL);
}

static bool same_file(const struct pp_named_file *a, const struct pp_named_file *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->id_size == b->id_size &&
	       !memcmp(a->id, b->id, sizeof(a->id)) && !strcmp(a->path, b->path);
}

/* A line for the records about one file, which mostly follow each other. */
static void text_file(const struct pp_named_file *names, uint64_t addresses, struct pp_out *out)
{
	char text[64];

	pp_out_text(out, "# names : ");
	if (names->kind == PP_NAMES_PROCESS) {
		(void)snprintf(text, sizeof(text), "process %" PRIu32, names->pid);
		pp_out_text(out, text);
	} else {
		pp_out_printable(out, names->path, strlen(names->path));
	}
	(void)snprintf(text, sizeof(text), " = %" PRIu64 " address%s", addresses,
		       addresses == 1 ? "" : "es");
	pp_out_text(out, text);
	if (names->flags & PP_NAMES_INLINED)
		pp_out_text(out, ", inlined callers");
	if (names->flags & PP_NAMES_LINES)
		pp_out_text(out, ", lines");
	pp_out_char(out, '\n');
}

void pp_head_names_text(const struct pp_features *f, struct pp_out *out)
{
	struct pp_named_file names, last;
	uint64_t addresses = 0;
	bool any = false;

	for (size_t i = 0; i < f->names.count; i++) {
		if (!open_names(&f->names.items[i], &names))
			continue;
		do {
			if (any && (!same_file(&names, &last) || names.flags != last.flags)) {
				text_file(&last, addresses, out);
				addresses = 0;
			}
			addresses += names.count;
			last = names;
			any = true;
		} while (pp_names_next(&names, NULL) > 0);
	}
	if (any)
		text_file(&last, addresses, out);
}

static void json_address(const struct pp_named_file *names, uint32_t number, struct pp_json *j)
{
	struct pp_named named;
	struct pp_named_frame frame;

	pp_names_at(names, number, &named);
	pp_json_open(j, NULL, '{');
	pp_json_hex(j, "offset", named.offset);
	pp_json_hex(j, "start", named.start);
	pp_json_open(j, "frames", '[');
	for (uint32_t i = 0; i < named.count; i++) {
		pp_names_frame(names, named.frame + i, &frame);
		pp_json_open(j, NULL, '{');
		if (*frame.symbol)
			pp_head_json_text(j, "symbol", frame.symbol, strlen(frame.symbol));
		if (*frame.file)
			pp_head_json_text(j, "file", frame.file, strlen(frame.file));
		if (frame.line)
			pp_json_number(j, "line", frame.line);
		if (frame.inlined)
			pp_json_number(j, "inlined", 1);
		pp_json_close(j, '}');
	}
	pp_json_close(j, ']');
	pp_json_close(j, '}');
}

static void json_file(const struct pp_named_file *names, struct pp_json *j)
{
	static const char *const kinds[] = { "file", "kernel", "process" };

	pp_json_open(j, NULL, '{');
	(void)pp_json_text(j, "kind", kinds[names->kind], strlen(kinds[names->kind]));
	if (*names->path)
		pp_head_json_text(j, "path", names->path, strlen(names->path));
	if (names->id_size)
		pp_json_bytes(j, "build_id", names->id, names->id_size);
	if (names->kind == PP_NAMES_PROCESS)
		pp_json_number(j, "pid", names->pid);
	pp_json_open(j, "addresses", '[');
	for (uint32_t n = 0; n < names->count; n++)
		json_address(names, n, j);
	pp_json_close(j, ']');
	pp_json_close(j, '}');
}

void pp_head_names_json(const struct pp_features *f, struct pp_json *j)
{
	struct pp_named_file names;

	if (!f->names.count)
		return;
	pp_json_open(j, "names", '[');
	for (size_t i = 0; i < f->names.count; i++) {
		if (!open_names(&f->names.items[i], &names))
			continue;
		do
			json_file(&names, j);
		while (pp_names_next(&names, NULL) > 0);
	}
	pp_json_close(j, ']');
}
