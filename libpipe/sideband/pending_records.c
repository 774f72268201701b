/*
 * pending_records.c - records that are due at some place of a stream: in which order they are written
 * there, and whose they are made.
 */
#include "sideband/pending_records.h"

#include <stdlib.h>

int pp_pending_list_add(struct pp_pending_list *dues, const struct pp_pending *due)
{
	struct pp_pending *added;

	if (!due->kept)
		return 0;
	if (PP_TAKE_GROW(dues->keep->budget, &dues->items, &dues->room, dues->count + 1))
		return -1;
	added = &dues->items[dues->count++];
	*added = *due;
	if (due->kept->time > due->time)
		added->time = due->kept->time;
	if (due->kept->seq > due->seq)
		added->seq = due->kept->seq;
	pp_stored_share(due->kept);
	return 0;
}

struct pp_pending pp_pending_of(const struct pp_thread *t)
{
	return (struct pp_pending){ .time = t->fork ? t->fork->time : 0,
				.seq = t->fork ? t->fork->seq : 0, .owned = true,
				.pid = t->pid, .tid = (uint32_t)t->link.key };
}

struct pp_pending pp_pending_map(const struct pp_maps *maps, const struct pp_space *piece)
{
	return (struct pp_pending){ .time = maps->time, .seq = maps->seq, .stage = PP_STAGE_MAP,
				.owned = maps->owned, .pid = maps->pid, .tid = maps->pid,
				.from = piece->from, .to = piece->to, .kept = piece->kept };
}

static int compare(const void *a, const void *b)
{
	const struct pp_pending *const x = a, *const y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	return x->kept->seq < y->kept->seq ? -1 : x->kept->seq > y->kept->seq;
}

void pp_pending_list_sort(struct pp_pending_list *dues)
{
	if (dues->count > 1)
		qsort(dues->items, dues->count, sizeof(*dues->items), compare);
}

bool pp_pending_list_repeat(const struct pp_pending_list *dues, size_t i)
{
	const struct pp_pending *const due = &dues->items[i];

	return i && due->kept == due[-1].kept && due->pid == due[-1].pid;
}

void pp_pending_own(const struct pp_pending *due, struct pp_record *rec)
{
	uint64_t pid = due->pid, tid = due->tid;

	if (!due->owned)
		return;
	pp_find_u64(rec, PP_IS_PID, &pid);
	pp_find_u64(rec, PP_IS_TID, &tid);
	/* another thread of the same process may have made a map: that stays as it was */
	if ((uint32_t)pid != due->pid || (due->stage < PP_STAGE_MAP && (uint32_t)tid != due->tid))
		pp_record_give(rec, due->pid, due->tid);
}

void pp_pending_list_clear(struct pp_pending_list *dues)
{
	while (dues->count)
		pp_stored_drop(dues->keep, dues->items[--dues->count].kept);
}

void pp_pending_list_close(struct pp_pending_list *dues)
{
	pp_pending_list_clear(dues);
	pp_give_back(dues->keep->budget, dues->items, dues->room * sizeof(*dues->items));
	dues->items = NULL;
	dues->room = 0;
}
