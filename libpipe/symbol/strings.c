/* strings.c - texts by number. */
#include "symbol/strings.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t hash_of_text(const void *things, uint64_t place)
{
	const struct pp_text *const t = &((const struct pp_text *)things)[place - 1];

	return XXH3_64bits_withSeed(t->text, t->length, t->kind);
}

static int add(struct pp_strings *t, const char *text, size_t length, unsigned kind, struct pp_error *error)
{
	char *copy = NULL;

	if (t->n >= UINT32_MAX || length >= UINT32_MAX || PP_GROW(&t->items, &t->room, t->n + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (length) {
		copy = malloc(length + 1);
		if (!copy)
			return pp_fail(error, PP_E_NOMEM, NULL);
		memcpy(copy, text, length);
		copy[length] = '\0';
		t->bytes += length + 1;
	}
	t->items[t->n++] = (struct pp_text){ copy ? copy : "", (uint32_t)length, kind };
	return 0;
}

int pp_strings_number(struct pp_strings *t, const char *text, size_t length, unsigned kind, uint32_t *number,
		      struct pp_error *error)
{
	size_t at;

	if (pp_numbers_reserve(&t->by_text, t->n + 1, hash_of_text, t->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&t->by_text, XXH3_64bits_withSeed(text, length, kind));
	for (; t->by_text.places[at]; at = pp_numbers_next(&t->by_text, at)) {
		const struct pp_text *const is = &t->items[t->by_text.places[at] - 1];

		if (is->kind == kind && is->length == length && !memcmp(is->text, text, length))
			break;
	}
	if (!t->by_text.places[at]) {
		if (add(t, text, length, kind, error))
			return -1;
		t->by_text.places[at] = (uint32_t)t->n;
	}
	*number = t->by_text.places[at] - 1;
	return 0;
}

uint64_t pp_strings_size(const struct pp_strings *t)
{
	return t->n * sizeof(*t->items) + t->bytes + pp_numbers_size(&t->by_text);
}

void pp_strings_close(struct pp_strings *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->items[i].length)
			free((char *)(uintptr_t)t->items[i].text);
	free(t->items);
	pp_numbers_close(&t->by_text);
	*t = (struct pp_strings){ 0 };
}
