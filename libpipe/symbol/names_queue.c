/* names_queue.c - names records that wait for their place in a stream, the first first. */
#include <perfpipe/symbol.h>

#include <stdlib.h>
#include <string.h>

#include "format/names_record.h"
#include "model/record_store.h"

struct one {
	struct one *next;
	struct pp_stored *kept;
};

struct pp_names_waiting {
	struct pp_record_store keep;
	struct one *first, **last;
	uint8_t shown[PP_RECORD_MAX], more[PP_RECORD_MAX];
};

struct pp_names_waiting *pp_names_waiting_new(struct pp_budget *budget)
{
	struct pp_names_waiting *const w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->keep.budget = budget;
	w->last = &w->first;
	return w;
}

static void drop_first(struct pp_names_waiting *w)
{
	struct one *const one = w->first;

	w->first = one->next;
	if (!w->first)
		w->last = &w->first;
	pp_stored_drop(&w->keep, one->kept);
	pp_give_back(w->keep.budget, one, sizeof(*one));
}

void pp_names_waiting_free(struct pp_names_waiting *w)
{
	if (!w)
		return;
	while (w->first)
		drop_first(w);
	pp_record_store_close(&w->keep);
	free(w);
}

int pp_names_waiting_put(void *waiting, const void *record, size_t size, struct pp_error *error)
{
	struct pp_names_waiting *const w = waiting;
	struct pp_record rec;
	struct one *one;

	if (pp_record_at(&rec, (uint8_t *)(uintptr_t)record, size, error))
		return -1;
	one = pp_take(w->keep.budget, sizeof(*one));
	if (!one)
		return pp_budget_fail(w->keep.budget, error);
	one->kept = pp_stored_new(&w->keep, &rec, error);
	if (!one->kept) {
		pp_give_back(w->keep.budget, one, sizeof(*one));
		return -1;
	}
	*w->last = one;
	w->last = &one->next;
	return 0;
}

bool pp_names_waiting_any(const struct pp_names_waiting *w)
{
	return w->first;
}

/* Adds those after it, while there is room. */
static int join(struct pp_names_waiting *w, size_t *size, struct pp_error *error)
{
	struct pp_record rec;
	size_t joined;

	while (w->first) {
		if (pp_stored_read(&w->keep, w->first->kept, w->more, &rec, error))
			return -1;
		joined = pp_names_join(w->shown, *size, &rec);
		if (!joined)
			break;
		*size = joined;
		drop_first(w);
	}
	return 0;
}

/* Whether it can be added to. */
static bool is_sound(const struct pp_record *rec)
{
	struct pp_named_file names;
	int got = pp_names_open(&names, rec, NULL) ? -1 : 1;

	while (got > 0)
		got = pp_names_next(&names, NULL);
	return !got;
}

int pp_names_waiting_join(struct pp_names_waiting *w, const struct pp_record *rec, const void **record,
			  size_t *size, struct pp_error *error)
{
	if (!is_sound(rec))
		return 0;
	memcpy(w->shown, rec->data, rec->size);
	*record = w->shown;
	*size = rec->size;
	return join(w, size, error) ? -1 : *size > rec->size;
}

int pp_names_waiting_next(struct pp_names_waiting *w, const void **record, size_t *size,
			  struct pp_error *error)
{
	struct pp_record rec;

	if (!w->first)
		return 0;
	if (pp_stored_read(&w->keep, w->first->kept, w->shown, &rec, error))
		return -1;
	*record = w->shown;
	*size = rec.size;
	drop_first(w);
	return join(w, size, error) ? -1 : 1;
}
