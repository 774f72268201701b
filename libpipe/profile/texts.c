/* texts.c - texts by number; what they are the names of is left to others. */
#include "profile/texts.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t hash_of(const void *things, uint64_t place)
{
	const struct pp_text *const t = &((const struct pp_text *)things)[place - 1];

	return XXH3_64bits_withSeed(t->text, t->length, t->kind);
}

static int add(struct pp_texts *t, const char *text, size_t length, unsigned kind, struct pp_error *error)
{
	char *copy;

	if (t->n >= UINT32_MAX || length >= UINT32_MAX || PP_GROW(&t->items, &t->room, t->n + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	copy = malloc(length + 1);
	if (!copy)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	t->bytes += length + 1;
	t->items[t->n++] = (struct pp_text){ copy, (uint32_t)length, kind };
	return 0;
}

int pp_texts_number(struct pp_texts *t, const char *text, size_t length, unsigned kind, uint32_t *number,
		    struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&t->by_text, t->n + 1, hash_of, t->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&t->by_text, XXH3_64bits_withSeed(text, length, kind));
	for (; t->by_text.places[at]; at = pp_index_next(&t->by_text, at)) {
		const struct pp_text *const is = &t->items[t->by_text.places[at] - 1];

		if (is->kind == kind && is->length == length && !memcmp(is->text, text, length))
			break;
	}
	if (!t->by_text.places[at]) {
		if (add(t, text, length, kind, error))
			return -1;
		t->by_text.places[at] = t->n;
	}
	*number = (uint32_t)t->by_text.places[at] - 1;
	return 0;
}

void pp_texts_close(struct pp_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].text);
	free(t->items);
	pp_index_close(&t->by_text);
	*t = (struct pp_texts){ 0 };
}
