/*
 * sideband_head.c - writes the head of a stream out of what sideband.c kept: what heirs have from
 * others become records of their own, with the time of the FORK.
 */
#include "model/sideband.h"

#include <stdlib.h>

enum { PIECE = 16 << 10 };

/* A record that is due, and whose it is now; at the same moment those of a FORK stand behind it. */
struct due {
	uint64_t time, seq;
	unsigned stage;
	bool owned;
	uint32_t pid, tid;
	const struct pp_kept *kept;
};

static int compare(const void *a, const void *b)
{
	const struct due *const x = a, *const y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	return x->kept->seq < y->kept->seq ? -1 : x->kept->seq > y->kept->seq;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_due(struct due *dues, size_t *n, const struct due *due)
{
	if (!due->kept)
		return;
	if (dues) {
		dues[*n] = *due;
		dues[*n].time = later(due->time, due->kept->time);
		dues[*n].seq = later(due->seq, due->kept->seq);
	}
	++*n;
}

static void add_thread_dues(const struct pp_thread *t, struct due *dues, size_t *n)
{
	const struct pp_kept *const parts[] = { t->fork, t->names, t->comm };
	struct due due = { .time = t->fork ? t->fork->time : 0, .seq = t->fork ? t->fork->seq : 0,
			   .owned = true, .pid = (uint32_t)t->process->link.key,
			   .tid = (uint32_t)t->link.key };

	for (; due.stage < 3; due.stage++) {
		due.kept = parts[due.stage];
		add_due(dues, n, &due);
	}
}

static void add_map_dues(const struct pp_maps *maps, const struct pp_space *space, struct due *dues,
			 size_t *n)
{
	const struct due due = { .time = maps->time, .seq = maps->seq, .stage = 3, .owned = true,
				 .pid = maps->pid, .tid = maps->pid,
				 .kept = space ? space->kept : NULL };

	if (!space)
		return;
	add_map_dues(maps, space->left, dues, n);
	add_due(dues, n, &due);
	add_map_dues(maps, space->right, dues, n);
}

/* All that is due, or only its number where `dues` is NULL. */
static size_t all_dues(const struct pp_sideband *s, const uint32_t *pid, struct due *dues)
{
	size_t n = 0;

	for (const struct thing *t = s->first[LIVE]; t; t = t->after)
		add_due(dues, &n, &(struct due){ .kept = t->kept });
	for (size_t i = 0; i < s->crowd.threads.room; i++) {
		for (const struct pp_link *l = s->crowd.threads.buckets[i]; l; l = l->next) {
			const struct pp_thread *const t = (const struct pp_thread *)l;

			if (!pid || t->process->link.key == *pid)
				add_thread_dues(t, dues, &n);
		}
	}
	for (size_t i = 0; i < s->crowd.processes.room; i++) {
		for (const struct pp_link *l = s->crowd.processes.buckets[i]; l; l = l->next) {
			const struct pp_process *const p = (const struct pp_process *)l;

			if (!pid || l->key == *pid)
				add_map_dues(&p->maps, p->maps.space, dues, &n);
		}
	}
	return n;
}

/* Who writes a head, from where, and what it makes of the records. */
struct outlet {
	const struct pp_keep *keep;
	struct pp_writer *writer;
	pp_sideband_shape *shape;
	void *arg;
	struct pp_error *error;
};

static int write_tail(const struct outlet *to, struct pp_spool *tail)
{
	const uint64_t size = pp_spool_end(tail);
	uint8_t piece[PIECE];

	for (uint64_t at = 0; at < size; at += PIECE) {
		const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		if (pp_spool_read(tail, at, piece, n, to->error) ||
		    pp_writer_copy(to->writer, piece, n, to->error))
			return -1;
	}
	return 0;
}

/* A record that the shape may change: there is room for the longest. */
static int write_shaped(const struct outlet *to, struct pp_record *rec, const struct thing *thing)
{
	if (to->shape && to->shape(to->arg, rec) != PP_KEEP)
		return 0;
	if (pp_writer_copy(to->writer, rec->data, rec->size, to->error))
		return -1;
	return thing && thing->tail ? write_tail(to, thing->tail) : 0;
}

static int write_due(const struct due *due, uint8_t *buf, const struct outlet *to)
{
	uint64_t pid = due->pid, tid = due->tid;
	struct pp_record rec;

	if (pp_kept_read(to->keep, due->kept, buf, &rec, to->error))
		return -1;
	if (due->owned) {
		pp_find_u64(&rec, PP_IS_PID, &pid);
		pp_find_u64(&rec, PP_IS_TID, &tid);
	}
	/* another thread of the same process may have made a map: that stays as it was */
	if ((uint32_t)pid != due->pid || (due->stage < 3 && (uint32_t)tid != due->tid))
		pp_record_give(&rec, due->pid, due->tid);
	if (due->time != due->kept->time)
		pp_record_date(&rec, due->time);
	return write_shaped(to, &rec, NULL);
}

static int write_list(const struct pp_sideband *s, enum list list, const struct outlet *to)
{
	uint8_t buf[PP_RECORD_MAX + 1];

	for (const struct thing *t = s->first[list]; t; t = t->after) {
		struct pp_record rec;

		if (pp_kept_read(to->keep, t->kept, buf, &rec, to->error) ||
		    write_shaped(to, &rec, t))
			return -1;
	}
	return 0;
}

static int write_dues(const struct due *dues, size_t n, const struct outlet *to)
{
	uint8_t buf[PP_RECORD_MAX + 1];

	for (size_t i = 0; i < n; i++) {
		/* a map of which several pieces are left is told once */
		if (i && dues[i].kept == dues[i - 1].kept && dues[i].pid == dues[i - 1].pid)
			continue;
		if (write_due(&dues[i], buf, to))
			return -1;
	}
	return 0;
}

int pp_sideband_write(struct pp_sideband *s, const uint32_t *pid, pp_sideband_shape *shape, void *arg,
		      struct pp_writer *w, struct pp_error *error)
{
	const struct outlet to = { .keep = &s->keep, .writer = w, .shape = shape,
				   .arg = arg, .error = error };
	size_t n, room;
	struct due *dues;
	int status = 0;

	if (pp_sideband_forget(s))
		return pp_budget_fail(s->keep.budget, error);
	n = all_dues(s, pid, NULL);
	room = (n + 1) * sizeof(*dues);
	dues = pp_take(s->keep.budget, room);
	if (!dues)
		return pp_budget_fail(s->keep.budget, error);
	all_dues(s, pid, dues);
	qsort(dues, n, sizeof(*dues), compare);
	if (write_list(s, NOTES, &to) || write_list(s, WHOLE, &to) || write_list(s, FILES, &to) ||
	    write_dues(dues, n, &to) || write_list(s, LAST, &to))
		status = -1;
	pp_give_back(s->keep.budget, dues, room);
	return status;
}
