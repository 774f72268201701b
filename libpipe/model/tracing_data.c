/* tracing_data.c - where the sections of tracing data are. */
#include "base/byte_order.h"
#include "base/array.h"
#include "model/tracing_data.h"

#include <stdlib.h>

enum {
	MAGIC = 10,                   /* 3 bytes, and "tracing" */
	ENDIAN_LONG_PAGE = 6,
	FORMATS_MAX = 1 << 14,
};

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

	return p ? pp_in_order32(p, at->foreign) : 0;
}

static uint64_t number64(struct at *at)
{
	const uint8_t *p = take(at, 8);

	return p ? pp_in_order64(p, at->foreign) : 0;
}

static struct pp_span bytes(struct at *at, uint64_t n)
{
	struct pp_span span = { take(at, n), 0 };

	span.size = span.data ? (size_t)n : 0;
	return span;
}

/* Text up to a NUL, without it. */
static struct pp_span string(struct at *at)
{
	const uint8_t *nul = at->left ? memchr(at->p, 0, at->left) : NULL;
	struct pp_span span;

	if (!nul)
		at->failed = true;
	span = bytes(at, nul ? (uint64_t)(nul - at->p) : 0);
	(void)take(at, 1);
	return span;
}

/* The text after `key` up to the end of its line. */
static struct pp_span line_of(struct pp_span text, const char *key)
{
	const uint8_t *p = text.size ? memmem(text.data, text.size, key, strlen(key)) : NULL;
	const uint8_t *end;
	size_t left;

	if (!p)
		return (struct pp_span){ text.data, 0 };
	p += strlen(key);
	left = text.size - (size_t)(p - text.data);
	end = memchr(p, '\n', left);
	return (struct pp_span){ p, end ? (size_t)(end - p) : left };
}

void pp_format_read(struct pp_format *f)
{
	struct pp_span *const d = &f->digits;
	size_t n = 0;

	f->name = line_of(f->text, "name: ");
	*d = line_of(f->text, "ID: ");
	for (f->id = 0; n < d->size && d->data[n] >= '0' && d->data[n] <= '9'; n++)
		f->id = f->id * 10 + (uint64_t)(d->data[n] - '0');
	d->size = n;
}

static int add_format(struct pp_tracing *t, struct pp_span system, struct at *at)
{
	const uint64_t size = number64(at);
	struct pp_format f = { .system = system, .text = bytes(at, size) };

	if (at->failed || t->n_formats == FORMATS_MAX) {
		at->failed = true;
		return 0;
	}
	pp_format_read(&f);
	if (PP_GROW(&t->formats, &t->room, t->n_formats + 1, NULL))
		return -1;
	t->formats[t->n_formats++] = f;
	return 0;
}

static int take_formats(struct pp_tracing *t, struct at *at)
{
	uint32_t n = number32(at);

	for (; n && !at->failed; n--)
		if (add_format(t, (struct pp_span){ at->p, 0 }, at))
			return -1;
	for (n = number32(at); n && !at->failed; n--) {
		const struct pp_span system = string(at);

		for (uint32_t k = number32(at); k && !at->failed; k--)
			if (add_format(t, system, at))
				return -1;
	}
	return 0;
}

/* The kernel's own page header knows the width of its longs; the head only that of perf's. */
static uint8_t kernel_long(const struct pp_tracing *t, uint8_t of_perf)
{
	const struct pp_span line = line_of(t->header_page, " commit;");
	const uint8_t *size = line.size ? memmem(line.data, line.size, "size:", 5) : NULL;

	if (!size || line.size - (size_t)(size - line.data) < 6)
		return of_perf == 4 ? 4 : 8;
	return size[5] == '4' ? 4 : 8;
}

int pp_tracing_take(struct pp_tracing *t, const void *data, size_t size)
{
	struct at at = { data, size, false, false };
	const uint8_t *p = take(&at, MAGIC);
	struct pp_span version;
	uint8_t of_perf;
	bool big;

	if (!p || memcmp(p, "\027\010\104tracing", MAGIC))
		return 1;
	version = string(&at);
	p = take(&at, ENDIAN_LONG_PAGE);
	if (!p)
		return 1;
	big = *p == 1;
	of_perf = p[1];
	at.foreign = t->foreign = big != PP_HOST_BIG;
	t->head = (struct pp_span){ data, size - at.left };
	(void)string(&at);
	t->header_page = bytes(&at, number64(&at));
	t->long_size = kernel_long(t, of_perf);
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

void pp_tracing_free(struct pp_tracing *t)
{
	for (size_t i = 0; i < t->n_formats; i++)
		free(t->formats[i].made);
	free(t->formats);
	t->formats = NULL;
	t->n_formats = 0;
}
