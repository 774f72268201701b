/*
 * merge_tracing.c - the tracing data of several recordings as one blob, since perf takes one only:
 * the same formats once, those that only one has beside them, numbers that clash changed; what
 * contradicts is refused.  Who has changed numbers in records is left to merge_events.c.
 */
#include "merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MAGIC = 10,                   /* 3 bytes, and "tracing" */
	ENDIAN_LONG_PAGE = 6,
	FORMATS_MAX = 1 << 14,
	ID_MAX = UINT16_MAX,          /* samples have it in 16 bits */
};

/* A piece of a blob. */
struct part { const uint8_t *data; size_t size; };

/* The format of an event of a system; of ftrace itself where `system` is empty. */
struct format {
	struct part system, text;
	struct part name, digits;     /* in the text; of the id */
	uint64_t id;
	uint8_t *made;                /* the text, if it is none of a blob's */
};

/* One blob, taken apart. */
struct tracing {
	struct part head;             /* magic to page size */
	struct part header_page, header_event, kallsyms, printk, cmdlines;
	bool foreign;                 /* the blob's numbers are not of the host's order */
	bool has_cmdlines;
	struct format *formats;
	size_t n_formats;
};

/* ---- Taking apart ---- */

struct at { const uint8_t *p; size_t left; bool foreign, failed; };

static const uint8_t *take(struct at *at, uint64_t n)
{
	const uint8_t *p = at->p;

	if (at->failed || !pp_fits(n, at->left)) {
		at->failed = true;
		return NULL;
	}
	at->p += n;
	at->left -= (size_t)n;
	return p;
}

static uint32_t number32(struct at *at)
{
	const uint8_t *p = take(at, 4);

	return !p ? 0 : at->foreign ? __builtin_bswap32(pp_load32(p)) : pp_load32(p);
}

static uint64_t number64(struct at *at)
{
	const uint8_t *p = take(at, 8);

	return !p ? 0 : at->foreign ? __builtin_bswap64(pp_load64(p)) : pp_load64(p);
}

static struct part bytes(struct at *at, uint64_t n)
{
	struct part part = { take(at, n), 0 };

	part.size = part.data ? (size_t)n : 0;
	return part;
}

/* Text up to a NUL, without it. */
static struct part string(struct at *at)
{
	const uint8_t *nul = at->left ? memchr(at->p, 0, at->left) : NULL;
	struct part part;

	if (!nul)
		at->failed = true;
	part = bytes(at, nul ? (uint64_t)(nul - at->p) : 0);
	(void)take(at, 1);
	return part;
}

static bool same(struct part a, struct part b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* What stands behind `key` up to the end of its line. */
static struct part line_of(struct part text, const char *key)
{
	const uint8_t *p = memmem(text.data, text.size, key, strlen(key)), *end;
	size_t left;

	if (!p)
		return (struct part){ text.data, 0 };
	p += strlen(key);
	left = text.size - (size_t)(p - text.data);
	end = memchr(p, '\n', left);
	return (struct part){ p, end ? (size_t)(end - p) : left };
}

static void find_id(struct format *f)
{
	struct part *const d = &f->digits;
	size_t n = 0;

	*d = line_of(f->text, "ID: ");
	for (f->id = 0; n < d->size && d->data[n] >= '0' && d->data[n] <= '9'; n++)
		f->id = f->id * 10 + (uint64_t)(d->data[n] - '0');
	d->size = n;
}

static int add_format(struct tracing *t, struct part system, struct at *at)
{
	const uint64_t size = number64(at);
	struct format f = { .system = system, .text = bytes(at, size) };
	struct format *formats;

	if (at->failed || t->n_formats == FORMATS_MAX) {
		at->failed = true;
		return 0;
	}
	f.name = line_of(f.text, "name: ");
	find_id(&f);
	formats = reallocarray(t->formats, t->n_formats + 1, sizeof(*formats));
	if (!formats)
		return -1;
	t->formats = formats;
	formats[t->n_formats++] = f;
	return 0;
}

static int take_formats(struct tracing *t, struct at *at)
{
	uint32_t n = number32(at);

	for (; n && !at->failed; n--)
		if (add_format(t, (struct part){ at->p, 0 }, at))
			return -1;
	for (n = number32(at); n && !at->failed; n--) {
		const struct part system = string(at);

		for (uint32_t k = number32(at); k && !at->failed; k--)
			if (add_format(t, system, at))
				return -1;
	}
	return 0;
}

/* 0, 1: it is none that we know, -1: out of memory. */
static int take_apart(struct tracing *t, struct pp_blob blob)
{
	struct at at = { blob.data, blob.size, false, false };
	const uint8_t *p = take(&at, MAGIC);
	struct part version;
	bool big;

	if (!p || memcmp(p, "\027\010\104tracing", MAGIC))
		return 1;
	version = string(&at);
	p = take(&at, ENDIAN_LONG_PAGE);
	if (!p)
		return 1;
	big = *p == 1;
	at.foreign = t->foreign = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->head = (struct part){ blob.data, (size_t)(at.p - blob.data) };
	(void)string(&at);
	t->header_page = bytes(&at, number64(&at));
	(void)string(&at);
	t->header_event = bytes(&at, number64(&at));
	if (take_formats(t, &at))
		return -1;
	t->kallsyms = bytes(&at, number32(&at));
	t->printk = bytes(&at, number32(&at));
	t->has_cmdlines = version.size >= 3 && memcmp(version.data, "0.5", 3) > 0;
	if (t->has_cmdlines)
		t->cmdlines = bytes(&at, number64(&at));
	return at.failed;
}

/* ---- Joining ---- */

static int contradicts(const struct format *f, const char *what, struct pp_error *error)
{
	return pp_fail(error, PP_E_USE, "its tracepoint %.*s%s%.*s %s",
		       f->system.size > 60 ? 60 : (int)f->system.size, (const char *)f->system.data,
		       f->system.size ? ":" : "", f->name.size > 60 ? 60 : (int)f->name.size,
		       (const char *)f->name.data, what);
}

/* The text up to the number, and what follows it. */
static void around_id(const struct format *f, struct part *head, struct part *rest)
{
	const uint8_t *const end = f->text.data + f->text.size;

	*head = (struct part){ f->text.data, (size_t)(f->digits.data - f->text.data) };
	*rest = (struct part){ f->digits.data + f->digits.size, 0 };
	rest->size = (size_t)(end - rest->data);
}

static bool same_but_id(const struct format *a, const struct format *b)
{
	struct part x, y, behind_x, behind_y;

	around_id(a, &x, &behind_x);
	around_id(b, &y, &behind_y);
	return same(x, y) && same(behind_x, behind_y);
}

/* The format of the same name; *taken: another one has its number. */
static const struct format *find(const struct tracing *t, const struct format *f, bool *taken)
{
	*taken = false;
	for (size_t i = 0; i < t->n_formats; i++) {
		const struct format *g = &t->formats[i];

		if (same(f->system, g->system) && same(f->name, g->name))
			return g;
		*taken |= f->id == g->id;
	}
	return NULL;
}

/* A number larger than all there are. */
static uint64_t free_id(const struct tracing *a, const struct tracing *b)
{
	uint64_t most = 0;

	for (size_t i = 0; i < a->n_formats; i++)
		most = a->formats[i].id > most ? a->formats[i].id : most;
	for (size_t i = 0; i < b->n_formats; i++)
		most = b->formats[i].id > most ? b->formats[i].id : most;
	return most + 1;
}

/* The format with another number: 0, or -1: out of memory. */
static int renumber(struct format *f, uint64_t id)
{
	struct part head, rest;
	char *made;
	int length;

	around_id(f, &head, &rest);
	length = asprintf(&made, "%.*s%" PRIu64 "%.*s", (int)head.size, (const char *)head.data, id,
			  (int)rest.size, (const char *)rest.data);
	if (length < 0)
		return -1;
	f->made = (uint8_t *)made;
	f->text = (struct part){ f->made, (size_t)length };
	f->name = line_of(f->text, "name: ");
	find_id(f);
	return 0;
}

/* One format more, which `to` lacks. */
static int add_lacking(struct tracing *to, const struct tracing *from, struct format f, bool taken,
		       struct pp_idmap *moved, struct pp_error *error)
{
	const uint64_t was = f.id;
	struct format *formats;

	if (taken && (!f.digits.size || f.text.size > INT32_MAX ||
		      memchr(f.text.data, 0, f.text.size) || free_id(to, from) > ID_MAX))
		return contradicts(&f, "has the number of another one", error);
	formats = reallocarray(to->formats, to->n_formats + 1, sizeof(*formats));
	if (!formats)
		return pp_fail(error, PP_E_NOMEM, NULL);
	to->formats = formats;
	if (taken && (renumber(&f, free_id(to, from)) || pp_idmap_set(moved, was, f.id))) {
		free(f.made);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	formats[to->n_formats++] = f;
	return 0;
}

/* Adds what `from` has and `to` lacks; *moved: its numbers that are other ones there. */
static int join(struct tracing *to, const struct tracing *from, struct pp_idmap *moved,
		struct pp_error *error)
{
	if (!same(to->head, from->head) || !same(to->header_page, from->header_page) ||
	    !same(to->header_event, from->header_event))
		return pp_fail(error, PP_E_USE, "its kernel lays tracing data out in another way");
	for (size_t i = 0; i < from->n_formats; i++) {
		const struct format *f = &from->formats[i];
		bool taken;
		const struct format *found = find(to, f, &taken);

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

static void put(FILE *out, struct part part)
{
	if (part.size)
		fwrite(part.data, part.size, 1, out);
}

static void put32(FILE *out, uint32_t n, bool foreign)
{
	n = foreign ? __builtin_bswap32(n) : n;
	fwrite(&n, sizeof(n), 1, out);
}

static void put64(FILE *out, uint64_t n, bool foreign)
{
	n = foreign ? __builtin_bswap64(n) : n;
	fwrite(&n, sizeof(n), 1, out);
}

/* All formats of the system of `first`, which is the first of it. */
static void put_system(FILE *out, const struct tracing *t, const struct format *first)
{
	uint32_t n = 0;

	for (size_t i = 0; i < t->n_formats; i++)
		n += same(t->formats[i].system, first->system);
	if (first->system.size) {
		put(out, first->system);
		fputc(0, out);
	}
	put32(out, n, t->foreign);
	for (size_t i = 0; i < t->n_formats; i++) {
		if (!same(t->formats[i].system, first->system))
			continue;
		put64(out, t->formats[i].text.size, t->foreign);
		put(out, t->formats[i].text);
	}
}

/* Whether no format before it is of the same system; ftrace's own are of none. */
static bool begins_system(const struct tracing *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same(t->formats[k].system, t->formats[i].system))
			return false;
	return t->formats[i].system.size != 0;
}

static void put_formats(FILE *out, const struct tracing *t)
{
	const struct format none = { .system = { (const uint8_t *)"", 0 } };
	uint32_t systems = 0;

	put_system(out, t, &none);
	for (size_t i = 0; i < t->n_formats; i++)
		systems += begins_system(t, i);
	put32(out, systems, t->foreign);
	for (size_t i = 0; i < t->n_formats; i++)
		if (begins_system(t, i))
			put_system(out, t, &t->formats[i]);
}

static int put_together(const struct tracing *t, uint8_t **data, size_t *size)
{
	char *memory = NULL;
	FILE *out = open_memstream(&memory, size);
	long length;

	if (!out)
		return -1;
	put(out, t->head);
	fwrite("header_page", 12, 1, out);
	put64(out, t->header_page.size, t->foreign);
	put(out, t->header_page);
	fwrite("header_event", 13, 1, out);
	put64(out, t->header_event.size, t->foreign);
	put(out, t->header_event);
	put_formats(out, t);
	put32(out, (uint32_t)t->kallsyms.size, t->foreign);
	put(out, t->kallsyms);
	put32(out, (uint32_t)t->printk.size, t->foreign);
	put(out, t->printk);
	if (t->has_cmdlines) {
		put64(out, t->cmdlines.size, t->foreign);
		put(out, t->cmdlines);
	}
	for (length = ftell(out); length % 8; length++)
		fputc(0, out);
	if (fclose(out)) {
		free(memory);
		return -1;
	}
	*data = (uint8_t *)memory;
	return 0;
}

static int join_all(struct tracing *all, struct pp_blob *blobs, size_t count, size_t *culprit,
		    struct pp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct tracing one = { .foreign = false };
		int status = take_apart(i ? &one : all, blobs[i]);

		*culprit = i;
		if (status > 0)
			status = pp_fail(error, PP_E_USE, "its tracing data cannot be joined with others: "
					 "they are damaged");
		else if (status < 0)
			pp_fail(error, PP_E_NOMEM, NULL);
		else if (i)
			status = join(all, &one, &blobs[i].moved, error);
		free(one.formats);
		if (status)
			return -1;
	}
	return 0;
}

int pp_tracing_join(struct pp_blob *blobs, size_t count, uint8_t **out, size_t *size, size_t *culprit,
		    struct pp_error *error)
{
	struct tracing all = { .foreign = false };
	int status = join_all(&all, blobs, count, culprit, error);

	if (!status && put_together(&all, out, size))
		status = pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < all.n_formats; i++)
		free(all.formats[i].made);
	free(all.formats);
	return status;
}
