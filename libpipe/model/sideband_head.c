/*
 * sideband_head.c - writes the head of a stream out of what sideband.c kept: what heirs have from
 * others become records of their own, with the time of the FORK.
 */
#include "sideband.h"

#include <stdlib.h>

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

static void add_thread_dues(const struct thread *t, struct due *dues, size_t *n)
{
	const struct pp_kept *const parts[] = { t->fork, t->names, t->comm };
	struct due due = { .time = t->fork ? t->fork->time : 0, .seq = t->fork ? t->fork->seq : 0,
			   .owned = true, .pid = t->process->pid, .tid = t->tid };

	for (; due.stage < 3; due.stage++) {
		due.kept = parts[due.stage];
		add_due(dues, n, &due);
	}
}

static void add_process_dues(const struct process *p, struct due *dues, size_t *n)
{
	struct due due = { .time = p->time, .seq = p->seq, .stage = 3, .owned = true,
			   .pid = p->pid, .tid = p->pid };

	for (uint32_t i = 0; p->space && i < p->space->count; i++) {
		due.kept = p->space->maps[i].kept;
		add_due(dues, n, &due);
	}
}

/* All that is due, or only its number where `dues` is NULL. */
static size_t all_dues(const struct pp_sideband *s, const uint32_t *pid, struct due *dues)
{
	size_t n = 0;

	for (const struct thing *t = s->first[LIVE]; t; t = t->after)
		add_due(dues, &n, &(struct due){ .kept = t->kept });
	for (size_t i = 0; i < BUCKETS; i++) {
		for (const struct thread *t = s->threads[i]; t; t = t->chain)
			if (!pid || t->process->pid == *pid)
				add_thread_dues(t, dues, &n);
		for (const struct process *p = s->processes[i]; p; p = p->chain)
			if (!pid || p->pid == *pid)
				add_process_dues(p, dues, &n);
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

/* A record that the shape may change: there is room for the longest. */
static int write_shaped(const struct outlet *to, struct pp_record *rec, const struct thing *thing)
{
	if (to->shape && to->shape(to->arg, rec) != PP_KEEP)
		return 0;
	if (pp_writer_copy(to->writer, rec->data, rec->size))
		return -1;
	return thing && thing->tail ? pp_writer_copy(to->writer, thing->tail, thing->tail_size) : 0;
}

static int write_due(const struct due *due, uint8_t *buf, const struct outlet *to)
{
	uint64_t pid = due->pid, tid = due->tid;
	struct pp_record rec;

	if (pp_kept_read(to->keep, due->kept, buf, &rec, to->error))
		return -1;
	if (due->owned) {
		pp_get_u64(&rec, "pid", &pid);
		pp_get_u64(&rec, "tid", &tid);
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

	for (size_t i = 0; i < n; i++)
		if (write_due(&dues[i], buf, to))
			return -1;
	return 0;
}

int pp_sideband_write(struct pp_sideband *s, const uint32_t *pid, pp_sideband_shape *shape, void *arg,
		      struct pp_writer *w, struct pp_error *error)
{
	const struct outlet to = { .keep = &s->keep, .writer = w, .shape = shape,
				   .arg = arg, .error = error };
	struct due *dues;
	int status = 0;
	size_t n;

	if (pp_sideband_forget(s) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	n = all_dues(s, pid, NULL);
	dues = calloc(n + 1, sizeof(*dues));

	if (!dues)
		return pp_fail(error, PP_E_NOMEM, NULL);
	all_dues(s, pid, dues);
	qsort(dues, n, sizeof(*dues), compare);
	if (write_list(s, NOTES, &to) || write_list(s, WHOLE, &to) || write_list(s, FILES, &to) ||
	    write_dues(dues, n, &to) || write_list(s, LAST, &to))
		status = -1;
	free(dues);
	return status;
}
