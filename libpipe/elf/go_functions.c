/*
 * go_functions.c - reads the functions of a Go program from .gopclntab, in the layouts of Go 1.2, 1.16, 1.18
 * and 1.20: debug/gosym/pclntab.go and runtime/symtab.go of Go describe them.
 */
#include "elf/go_functions.h"

#include <perfpipe/bytes.h>

#include "base/byte_order.h"

enum {
	GO_MAGIC = 0xffffff,          /* and then a byte of the version: */
	GO_1_2 = 0xfb, GO_1_16 = 0xfa, GO_1_18 = 0xf0, GO_1_20 = 0xf1,

	HEAD = 8,                     /* bytes: 4 of magic, 2 of zero, least instruction, address */
	ALIGNED = 8,
};

/* A number of the table; 0 where it is not in there. */
static uint64_t number_at(const struct pp_go_table *t, uint64_t at, unsigned width)
{
	if (at > t->size || !pp_fits(width, t->size - at))
		return 0;
	return width == 4 ? pp_in_order32(t->bytes + at, t->foreign) :
			    pp_in_order64(t->bytes + at, t->foreign);
}

static uint64_t head_number(const struct pp_go_table *t, unsigned i)
{
	return number_at(t, HEAD + (uint64_t)i * t->word, t->word);
}

/* What the numbers of the head say, which are others in each version. */
static bool take_head(struct pp_go_table *t, unsigned version)
{
	const bool relative = version == GO_1_18 || version == GO_1_20;
	uint64_t list, names;

	t->n = head_number(t, 0);
	t->entry = relative ? 4 : t->word;
	if (version == GO_1_2) {
		t->base = 0;
		list = HEAD + t->word;
		names = 0;
	} else {
		t->base = list = head_number(t, relative ? 7 : 6);
		names = head_number(t, relative ? 3 : 2);
	}
	if (relative) {
		t->text = head_number(t, 2);
		t->text_at = HEAD + (size_t)2 * t->word;
	}
	/* each function has two numbers, and the end of the last one more */
	if (!pp_fits(list, t->size) || !pp_fits(names, t->size) || !t->n ||
	    !pp_fits_n(t->n, (uint64_t)2 * t->entry, t->size - list) ||
	    !pp_fits(t->entry, t->size - list - t->n * 2 * t->entry))
		return false;
	t->list = (size_t)list;
	t->names = (size_t)names;
	return true;
}

/* A table that begins there; false: none does. */
static bool open_go_table(struct pp_go_table *t, const void *bytes, size_t size, bool foreign)
{
	const uint8_t *const head = bytes;
	uint32_t magic, version;

	*t = (struct pp_go_table){ .bytes = bytes, .size = size, .foreign = foreign };
	if (!pp_fits(HEAD, size))
		return false;
	magic = pp_in_order32(head, foreign);
	version = magic & 0xff;
	t->word = head[7];
	return magic >> 8 == GO_MAGIC &&
	       (version == GO_1_2 || version == GO_1_16 || version == GO_1_18 || version == GO_1_20) &&
	       !head[4] && !head[5] && (head[6] == 1 || head[6] == 2 || head[6] == 4) &&
	       (t->word == 4 || t->word == 8) && take_head(t, version);
}

bool pp_go_table_find(struct pp_go_table *t, const void *bytes, size_t size, bool foreign)
{
	for (size_t at = 0; at < size; at += ALIGNED)
		if (open_go_table(t, (const uint8_t *)bytes + at, size - at, foreign))
			return true;
	return false;
}

/* The name of a function whose description is there; false: it is not whole. */
static bool take_name(const struct pp_go_table *t, uint64_t described, struct pp_go_function *f)
{
	const uint64_t at = described + t->entry, first = t->names;
	const char *end;
	uint64_t name;

	if (described > t->size || !pp_fits((uint64_t)t->entry + 4, t->size - described))
		return false;
	name = number_at(t, at, 4);
	if (name >= t->size - first)
		return false;
	f->name = (const char *)t->bytes + first + name;
	end = memchr(f->name, 0, (size_t)(t->size - first - name));
	f->length = end ? (size_t)(end - f->name) : 0;
	return f->length != 0;
}

int pp_go_functions(const struct pp_go_table *t, pp_go_function_fn *each, void *arg)
{
	uint64_t left = t->size;      /* bytes of names: only a table that repeats itself has more */
	uint64_t start = number_at(t, t->list, t->entry);
	int got = 0;

	for (uint64_t i = 0; !got && i < t->n; i++) {
		const uint64_t at = t->list + i * 2 * t->entry;
		const uint64_t described = number_at(t, at + t->entry, t->entry);
		const uint64_t end = number_at(t, at + (uint64_t)2 * t->entry, t->entry);
		struct pp_go_function f = { .start = start + t->text, .size = end - start };

		if (end <= start || described > t->size || !take_name(t, t->base + described, &f) ||
		    !pp_fits(f.length, left))
			return 0;
		left -= f.length;
		start = end;
		got = each(arg, &f);
	}
	return got;
}
