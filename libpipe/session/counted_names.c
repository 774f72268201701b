/* counted_names.c - how much was counted under each name. */
#include "session/session_internal.h"

#include <stdlib.h>

void pp_session_count(struct pp_session *s, const char *name, uint64_t more)
{
	struct pp_counted_names *const counted = s ? &s->counted : NULL;
	struct pp_error error;
	uint32_t number;

	if (!counted)
		return;
	if (pp_strings_number(&counted->names, name, strlen(name), 0, &number, &error) ||
	    PP_GROW_ZEROED(&counted->counts, &counted->room, number + (size_t)1, &error)) {
		(void)pp_session_fail(s, &error, NULL);
		return;
	}
	counted->counts[number] += more;
	free(counted->order);
	counted->order = NULL;
}

static int by_count(const void *a, const void *b, void *of)
{
	const struct pp_counted_names *const counted = of;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (counted->counts[x] != counted->counts[y])
		return counted->counts[x] > counted->counts[y] ? -1 : 1;
	return strcmp(counted->names.items[x].text, counted->names.items[y].text);
}

static void put_in_order(struct pp_session *s, struct pp_counted_names *counted)
{
	const size_t n = counted->names.n;
	struct pp_error error;

	counted->order = calloc(n, sizeof(*counted->order));
	if (!counted->order) {
		(void)pp_fail(&error, PP_E_NOMEM, NULL);
		(void)pp_session_fail(s, &error, NULL);
		return;
	}
	for (size_t i = 0; i < n; i++)
		counted->order[i] = (uint32_t)i;
	qsort_r(counted->order, n, sizeof(*counted->order), by_count, counted);
}

const char *pp_session_counted(struct pp_session *s, size_t i, uint64_t *count)
{
	struct pp_counted_names *const counted = s ? &s->counted : NULL;

	if (!counted || i >= counted->names.n)
		return NULL;
	if (!counted->order)
		put_in_order(s, counted);
	if (!counted->order)
		return NULL;
	*count = counted->counts[counted->order[i]];
	return counted->names.items[counted->order[i]].text;
}

void pp_session_free_counts(struct pp_counted_names *counted)
{
	pp_strings_close(&counted->names);
	free(counted->counts);
	free(counted->order);
}
