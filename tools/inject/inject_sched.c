/*
 * inject_sched.c - merges what the scheduler's tracepoints say into samples of where tasks slept, and for how
 * long: at each sched_stat_* the task's last sched_switch is written, with the time and the period of
 * the former.  Neither is written otherwise, nor is sched_process_exit: so does perf inject -s.  Where the
 * stream has not both kinds of events, nothing can be merged, and all is written as it is.
 */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

#include "inject/inject.h"

/* The last switch of a thread. */
struct last {
	uint32_t tid;
	uint16_t size, room;
	const struct pp_attr *attr;
	uint8_t *data;
};

enum kind { OTHER, SWITCH, EXIT, STAT };

static struct {
	struct pp_budget *budget;
	int (*next)(struct run *, struct pp_record *);
	struct pp_tracepoints *points;
	void *lasts;                    /* tree, by tid */
	size_t attrs;                   /* that were looked at */
	bool has_switches, has_stats;   /* among their events */
	uint64_t held, merged, alone, kept, left_out;
} state;

static int compare_last(const void *a, const void *b)
{
	const uint32_t x = ((const struct last *)a)->tid, y = ((const struct last *)b)->tid;

	return x < y ? -1 : x > y;
}

static void free_last(void *last)
{
	free(((struct last *)last)->data);
	free(last);
}

void sched_open(struct pp_budget *budget, int (*next)(struct run *, struct pp_record *))
{
	state.budget = budget;
	state.next = next;
	state.points = pp_tracepoints_new();
	if (!state.points)
		cli_no_memory();
}

int sched_start(struct run *run)
{
	pp_tracepoints_watch(state.points, run->in);
	return 0;
}

static struct last *find(uint32_t tid)
{
	const struct last key = { .tid = tid };
	struct last **const at = tfind(&key, &state.lasts, compare_last);

	return at ? *at : NULL;
}

static void forget(uint32_t tid)
{
	struct last *const last = find(tid);

	if (!last)
		return;
	tdelete(last, &state.lasts, compare_last);
	state.held -= sizeof(*last) + last->room;
	state.budget->held -= sizeof(*last) + last->room;
	free_last(last);
}

static int hold(struct run *run, size_t size)
{
	state.held += size;
	state.budget->held += size;
	if (state.held <= state.budget->limit)
		return 0;
	(void)pp_fail(&run->error, PP_E_LIMIT, "switches of threads");
	return pp_error_hint(&run->error, PP_HINT_MEMORY);
}

/* Keeps a copy of the switch.  PP_DROP, or -1 and run->error. */
static int keep(struct run *run, const struct pp_record *rec, uint32_t tid)
{
	struct last *last = find(tid);

	if (!last) {
		last = calloc(1, sizeof(*last));
		if (!last)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		last->tid = tid;
		if (!tsearch(last, &state.lasts, compare_last)) {
			free(last);
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		}
		if (hold(run, sizeof(*last)))
			return -1;
	}
	if (rec->size > last->room) {
		uint8_t *const data = realloc(last->data, rec->size);

		if (!data)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		last->data = data;
		if (hold(run, (size_t)(rec->size - last->room)))
			return -1;
		last->room = rec->size;
	}
	memcpy(last->data, rec->data, rec->size);
	last->size = rec->size;
	last->attr = rec->attr;
	return PP_DROP;
}

/* Writes the last switch of the thread that the statistics are about.  PP_DROP; PP_KEEP: they do not
 * say which thread that is; or -1. */
static int merge(struct run *run, const struct pp_record *rec, const struct pp_tracepoint *point)
{
	const struct pp_tracepoint_field *const field = pp_tracepoint_field(point, "pid");
	uint64_t tid, time, period;
	struct pp_record merged;
	const void *raw;
	struct last *last;
	size_t size;

	if (!field || !pp_tracepoint_raw(rec, &raw, &size) || !pp_tracepoint_u64(field, raw, size, 0, &tid))
		return PP_KEEP;
	last = find((uint32_t)tid);
	if (!last) {
		state.alone++;
		return PP_DROP;
	}
	if (pp_record_at(&merged, last->data, last->size, &run->error))
		return -1;
	merged.attr = last->attr;
	merged.attrs = rec->attrs;
	if (pp_time_raw(rec, &time) && last->attr->plan.time)
		pp_store64(last->data + last->attr->plan.time, time);
	if (pp_period(rec, &period) && last->attr->plan.period)
		pp_store64(last->data + last->attr->plan.period, period);
	state.merged++;
	if (state.next && state.next(run, &merged) < 0)
		return -1;
	return pp_writer_copy(run->out, last->data, last->size, &run->error) ? -1 : PP_DROP;
}

static enum kind kind_of(const struct pp_tracepoint *point)
{
	if (!point || strcmp(point->system, "sched"))
		return OTHER;
	if (!strcmp(point->name, "sched_switch"))
		return SWITCH;
	if (!strcmp(point->name, "sched_process_exit"))
		return EXIT;
	return strncmp(point->name, "sched_stat_", 11) ? OTHER : STAT;
}

/* Whether there are events of both kinds, as far as the stream has described them. */
static bool can_merge(const struct pp_attrs *attrs)
{
	for (; state.attrs < pp_attrs_count(attrs); state.attrs++) {
		const enum kind kind = kind_of(pp_tracepoints_of(state.points,
								 pp_attrs_at(attrs, state.attrs)));

		state.has_switches |= kind == SWITCH;
		state.has_stats |= kind == STAT;
	}
	return state.has_switches && state.has_stats;
}

int sched_judge(struct run *run, struct pp_record *rec)
{
	const struct pp_tracepoint *const point =
		rec->type == PP_REC_SAMPLE && rec->attr ? pp_tracepoints_of(state.points, rec->attr) : NULL;
	const enum kind kind = kind_of(point);
	uint32_t pid, tid;

	if (kind == OTHER || !pp_task(rec, &pid, &tid))
		return PP_KEEP;
	if (!can_merge(rec->attrs)) {
		state.kept++;
		return PP_KEEP;
	}
	state.left_out += kind == SWITCH;
	switch (kind) {
	case SWITCH:
		return keep(run, rec, tid);
	case EXIT:
		forget(tid);
		return PP_DROP;
	case STAT:
		return merge(run, rec, point);
	case OTHER:
		break;
	}
	return PP_KEEP;
}

void sched_end(void)
{
	if (state.kept)
		cli_warn("%s is not recorded: nothing is merged, and all is kept: use pp-record -a -e "
			 "sched:sched_switch,sched:sched_stat_sleep,sched:sched_stat_iowait,"
			 "sched:sched_stat_blocked with sysctl kernel.sched_schedstats=1",
			 state.has_stats ? "sched_switch" : "sched_stat_*");
	else if (!state.merged && state.left_out)
		cli_warn("no statistic came: all %" PRIu64 " switches are left out: record with sysctl "
			 "kernel.sched_schedstats=1", state.left_out);
	cli_note("%" PRIu64 " switches merged; %" PRIu64 " statistics of threads that were not seen to "
		 "switch left out", state.merged, state.alone);
}

void sched_close(void)
{
	tdestroy(state.lasts, free_last);
	pp_tracepoints_free(state.points);
}
