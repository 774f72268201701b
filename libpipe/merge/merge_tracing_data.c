/*
 * merge_tracing_data.c - the tracing data of several recordings as one blob, since perf takes one
 * only: the same formats once, those that only one has beside them, numbers that clash changed; what
 * contradicts is refused.
 */
#include "base/byte_order.h"
#include "base/array.h"
#include "merge/merge.h"
#include "model/tracing_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ID_MAX = UINT16_MAX };   /* samples have it in 16 bits */

/* ---- Joining ---- */

static int contradicts(const struct pp_format *f, const char *what, struct pp_error *error)
{
	return pp_fail(error, PP_E_USE, "its tracepoint %.*s%s%.*s %s",
		       f->system.size > 60 ? 60 : (int)f->system.size, (const char *)f->system.data,
		       f->system.size ? ":" : "", f->name.size > 60 ? 60 : (int)f->name.size,
		       (const char *)f->name.data, what);
}

/* The text up to the number, and what follows it. */
static void around_id(const struct pp_format *f, struct pp_span *head, struct pp_span *rest)
{
	const uint8_t *const end = f->text.data + f->text.size;

	*head = (struct pp_span){ f->text.data, (size_t)(f->digits.data - f->text.data) };
	*rest = (struct pp_span){ f->digits.data + f->digits.size, 0 };
	rest->size = (size_t)(end - rest->data);
}

static bool same_but_id(const struct pp_format *a, const struct pp_format *b)
{
	struct pp_span x, y, behind_x, behind_y;

	around_id(a, &x, &behind_x);
	around_id(b, &y, &behind_y);
	return pp_span_same(x, y) && pp_span_same(behind_x, behind_y);
}

/* The format of the same name; *taken: another one has its number. */
static const struct pp_format *find(const struct pp_tracing *t, const struct pp_format *f, bool *taken)
{
	*taken = false;
	for (size_t i = 0; i < t->n_formats; i++) {
		const struct pp_format *g = &t->formats[i];

		if (pp_span_same(f->system, g->system) && pp_span_same(f->name, g->name))
			return g;
		*taken |= f->id == g->id;
	}
	return NULL;
}

/* A number larger than all there are. */
static uint64_t free_id(const struct pp_tracing *a, const struct pp_tracing *b)
{
	uint64_t most = 0;

	for (size_t i = 0; i < a->n_formats; i++)
		most = a->formats[i].id > most ? a->formats[i].id : most;
	for (size_t i = 0; i < b->n_formats; i++)
		most = b->formats[i].id > most ? b->formats[i].id : most;
	return most + 1;
}

/* The format with another number: 0, or -1: out of memory. */
static int renumber(struct pp_format *f, uint64_t id)
{
	struct pp_span head, rest;
	char *made;
	int length;

	around_id(f, &head, &rest);
	length = asprintf(&made, "%.*s%" PRIu64 "%.*s", (int)head.size, (const char *)head.data, id,
			  (int)rest.size, (const char *)rest.data);
	if (length < 0)
		return -1;
	f->made = (uint8_t *)made;
	f->text = (struct pp_span){ f->made, (size_t)length };
	pp_format_read(f);
	return 0;
}

/* One format more, which `to` lacks. */
static int add_lacking(struct pp_tracing *to, const struct pp_tracing *from, struct pp_format f, bool taken,
		       struct pp_idmap *moved, struct pp_error *error)
{
	const uint64_t was = f.id;

	if (taken && (!f.digits.size || f.text.size > INT32_MAX ||
		      memchr(f.text.data, 0, f.text.size) || free_id(to, from) > ID_MAX))
		return contradicts(&f, "has the number of another one", error);
	if (PP_GROW(&to->formats, &to->room, to->n_formats + 1, error))
		return -1;
	if (taken && (renumber(&f, free_id(to, from)) || pp_idmap_set(moved, was, f.id))) {
		free(f.made);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	to->formats[to->n_formats++] = f;
	return 0;
}

/* Adds what `from` has and `to` lacks; *moved: its numbers that are other ones there. */
static int join(struct pp_tracing *to, const struct pp_tracing *from, struct pp_idmap *moved,
		struct pp_error *error)
{
	if (!pp_span_same(to->head, from->head) || !pp_span_same(to->header_page, from->header_page) ||
	    !pp_span_same(to->header_event, from->header_event))
		return pp_fail(error, PP_E_USE, "its kernel uses another layout of tracing data");
	for (size_t i = 0; i < from->n_formats; i++) {
		const struct pp_format *f = &from->formats[i];
		bool taken;
		const struct pp_format *found = find(to, f, &taken);

		if (found && !same_but_id(found, f))
			return contradicts(f, "has another format", error);
		if (found && found->id != f->id && pp_idmap_set(moved, f->id, found->id))
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (!found && add_lacking(to, from, *f, taken, moved, error))
			return -1;
	}
	/* of the same kernel: longer means later */
	if (from->printk.size > to->printk.size)
		to->printk = from->printk;
	if (from->cmdlines.size > to->cmdlines.size)
		to->cmdlines = from->cmdlines;
	return 0;
}

/* ---- Putting together ---- */

static void put_span(FILE *out, struct pp_span part)
{
	if (part.size)
		fwrite(part.data, part.size, 1, out);
}

static void put32(FILE *out, uint32_t n, bool foreign)
{
	n = pp_order32(n, foreign);
	fwrite(&n, sizeof(n), 1, out);
}

static void put64(FILE *out, uint64_t n, bool foreign)
{
	n = pp_order64(n, foreign);
	fwrite(&n, sizeof(n), 1, out);
}

/* All formats of the system of `first`, which is the first of it. */
static void put_system(FILE *out, const struct pp_tracing *t, const struct pp_format *first)
{
	uint32_t n = 0;

	for (size_t i = 0; i < t->n_formats; i++)
		n += pp_span_same(t->formats[i].system, first->system);
	if (first->system.size) {
		put_span(out, first->system);
		fputc(0, out);
	}
	put32(out, n, t->foreign);
	for (size_t i = 0; i < t->n_formats; i++) {
		if (!pp_span_same(t->formats[i].system, first->system))
			continue;
		put64(out, t->formats[i].text.size, t->foreign);
		put_span(out, t->formats[i].text);
	}
}

/* Whether no format before it is of the same system; ftrace's own are of none. */
static bool begins_system(const struct pp_tracing *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (pp_span_same(t->formats[k].system, t->formats[i].system))
			return false;
	return t->formats[i].system.size != 0;
}

static void put_formats(FILE *out, const struct pp_tracing *t)
{
	const struct pp_format none = { .system = { (const uint8_t *)"", 0 } };
	uint32_t systems = 0;

	put_system(out, t, &none);
	for (size_t i = 0; i < t->n_formats; i++)
		systems += begins_system(t, i);
	put32(out, systems, t->foreign);
	for (size_t i = 0; i < t->n_formats; i++)
		if (begins_system(t, i))
			put_system(out, t, &t->formats[i]);
}

static int put_together(const struct pp_tracing *t, uint8_t **data, size_t *size)
{
	char *memory = NULL;
	FILE *out = open_memstream(&memory, size);
	long length;
	bool failed;

	if (!out)
		return -1;
	put_span(out, t->head);
	fwrite("header_page", 12, 1, out);
	put64(out, t->header_page.size, t->foreign);
	put_span(out, t->header_page);
	fwrite("header_event", 13, 1, out);
	put64(out, t->header_event.size, t->foreign);
	put_span(out, t->header_event);
	put_formats(out, t);
	put32(out, (uint32_t)t->kallsyms.size, t->foreign);
	put_span(out, t->kallsyms);
	put32(out, (uint32_t)t->printk.size, t->foreign);
	put_span(out, t->printk);
	if (t->has_cmdlines) {
		put64(out, t->cmdlines.size, t->foreign);
		put_span(out, t->cmdlines);
	}
	for (length = ftell(out); length % 8; length++)
		fputc(0, out);
	/* where memory lacks, fclose() may say nothing of it */
	failed = ferror(out);
	if (fclose(out) || failed || !memory) {
		free(memory);
		return -1;
	}
	*data = (uint8_t *)memory;
	return 0;
}

static int join_all(struct pp_tracing *all, struct pp_blob *blobs, size_t count, size_t *culprit,
		    struct pp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct pp_tracing one = { .foreign = false };
		int status = pp_tracing_take(i ? &one : all, blobs[i].data,
						     blobs[i].size);

		*culprit = i;
		if (status > 0)
			status = pp_fail(error, PP_E_USE, "its tracing data cannot be joined with others: "
					 "they are damaged");
		else if (status < 0)
			pp_fail(error, PP_E_NOMEM, NULL);
		else if (i)
			status = join(all, &one, &blobs[i].moved, error);
		pp_tracing_free(&one);
		if (status)
			return -1;
	}
	return 0;
}

int pp_tracing_join(struct pp_blob *blobs, size_t count, uint8_t **out, size_t *size, size_t *culprit,
		    struct pp_error *error)
{
	struct pp_tracing all = { .foreign = false };
	int status = join_all(&all, blobs, count, culprit, error);

	if (!status && put_together(&all, out, size))
		status = pp_fail(error, PP_E_NOMEM, NULL);
	pp_tracing_free(&all);
	return status;
}
