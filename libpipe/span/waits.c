/*
 * waits.c - how long threads are off their CPUs: from the switch out until they run again.
 *
 * Several records may tell of one switch: a sample of sched_switch, which has the stack and the state, one of
 * context-switches, which has the stack, and SWITCH out, in this order.  The wait begins at the first of
 * them.  It ends at SWITCH in; where the stream has no SWITCH records, at the sched_switch to the thread.
 *
 *	sched_switch   sched_waking   sched_switch (of another thread)   SWITCH in
 *	| state S, stack              | woken                            |
 *	|<------------------------- period ---------------------------->|
 *	                              |<---------- weight -------------->|
 *
 * Of wakeups only the part that is the weight above becomes a sample, as its period.
 *
 * What was lost, or was not recorded, makes a wait that is longer than it was, or has no end: it is one of
 * another event, whose period is a lower bound.
 */
#include "span/made_events.h"
#include "span/switch_states.h"
#include "span/waiters.h"
#include "span/waits.h"

#include <perfpipe/callchain.h>
#include <perfpipe/walk.h>

#include "base/array.h"
#include "format/event_ids.h"

#include <stdlib.h>
#include <string.h>

enum { EVENT_BLOCKED, EVENT_PREEMPTED, EVENT_CUT, WAITS_EVENTS };
enum { EVENT_WAKEUP, EVENT_WAKEUP_CUT, WAKEUPS_EVENTS };
enum { KTHREADD = 2, CONTEXT_SWITCHES = 3, OUTPUT_OF_BPF = 10 };

/* What samples of an event say. */
enum wait_source {
	NOT_ASKED, OF_OTHERS, OF_SWITCH_POINT, OF_SWITCH_COUNT, OF_WAKING, OF_WAKEUP, OF_NEW, OF_SUMS,
};

struct pp_waits {
	struct pp_span_options how;
	struct pp_tracepoints *points;
	struct pp_made_events made;
	struct pp_waiters waiters;
	struct pp_idmap numbers;      /* of threads, by those in tracepoints, where these are others */
	struct pp_switch_states states;
	uint8_t *sources;             /* enum wait_source, by the event's index */
	size_t sources_room;
	bool begun;                   /* the first record with a time came */
	bool has_records;             /* SWITCH records are in the stream */
	bool has_points, has_counts, has_waking, has_wakeups, has_sums;
	bool of_wakeups;              /* spans begin at the waking */
	bool kthreadd;                /* process 2 is the parent of the kernel's threads */
	uint64_t first, last;         /* times */
	uint32_t losses;              /* records that said so */
	struct pp_span_stats stats;
};

const char *const pp_waits_presets[] = { [WAITS_OFF_CPU] = "off-cpu", [WAITS_OF_WAKEUPS] = "wakeup" };

struct pp_waits *pp_waits_new(const struct pp_span_options *how, struct pp_reader *in, struct pp_error *error)
{
	struct pp_waits *const w = calloc(1, sizeof(*w));
	struct pp_tracepoints *const points = pp_tracepoints_new();

	if (!w || !points) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		pp_tracepoints_free(points);
		free(w);
		return NULL;
	}
	w->how = *how;
	w->of_wakeups = !strcmp(how->preset, pp_waits_presets[WAITS_OF_WAKEUPS]);
	w->points = points;
	w->waiters.budget = w->numbers.budget = w->how.budget;
	pp_tracepoints_watch(w->points, in);
	return w;
}

void pp_waits_free(struct pp_waits *w)
{
	if (!w)
		return;
	pp_waiters_free(&w->waiters);
	pp_idmap_close(&w->numbers);
	pp_tracepoints_free(w->points);
	pp_made_free(&w->made);
	free(w->sources);
	free(w);
}

const struct pp_span_stats *pp_waits_stats(const struct pp_waits *w)
{
	return &w->stats;
}

static int no_memory(const struct pp_waits *w, struct pp_error *error)
{
	return pp_budget_fail(w->how.budget, error);
}

/* ---- Which events tell of switches ---- */

static enum wait_source find_point(struct pp_waits *w, const struct pp_attr *attr)
{
	const struct pp_tracepoint *const point = pp_tracepoints_of(w->points, attr);

	if (!point || strcmp(point->system, "sched"))
		return OF_OTHERS;
	if (!strcmp(point->name, "sched_switch"))
		return pp_switch_states_of(&w->states, point) ? OF_SWITCH_POINT : OF_OTHERS;
	return !strcmp(point->name, "sched_waking") ? OF_WAKING :
	       !strcmp(point->name, "sched_wakeup") ? OF_WAKEUP :
	       !strcmp(point->name, "sched_wakeup_new") ? OF_NEW : OF_OTHERS;
}

/* perf's own waits: those of 6.16 and later have raw data, earlier ones a call chain. */
static bool are_sums(const struct pp_attr *attr)
{
	return pp_attr_is_off_cpu(attr) ||
	       (attr->type == PP_TYPE_SOFTWARE && attr->config == OUTPUT_OF_BPF &&
		!strcmp(attr->name, "offcpu-time") && !(attr->sample_type & PP_SAMPLE_WEIGHT));
}

static enum wait_source find_source(struct pp_waits *w, const struct pp_attr *attr)
{
	if (attr->type == PP_TYPE_SOFTWARE && attr->config == CONTEXT_SWITCHES)
		return OF_SWITCH_COUNT;
	if (are_sums(attr))
		return w->of_wakeups ? OF_OTHERS : OF_SUMS;
	return find_point(w, attr);
}

/* What an event's samples say; -1: no memory. */
static int source_of(struct pp_waits *w, const struct pp_attr *attr, struct pp_error *error)
{
	if (attr->index < w->sources_room && w->sources[attr->index] != NOT_ASKED)
		return w->sources[attr->index];
	if (PP_GROW_ZEROED(&w->sources, &w->sources_room, (size_t)attr->index + 1, error))
		return -1;
	return w->sources[attr->index] = (uint8_t)find_source(w, attr);
}

static int look_at_events(struct pp_waits *w, const struct pp_attrs *attrs, struct pp_error *error)
{
	for (size_t i = 0; attrs && i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(attrs, i);
		const int source = source_of(w, attr, error);

		if (source < 0)
			return -1;
		w->has_records |= pp_attr_flag(attr, PP_FLAG_context_switch);
		w->has_points |= source == OF_SWITCH_POINT;
		w->has_counts |= source == OF_SWITCH_COUNT;
		w->has_waking |= source == OF_WAKING;
		w->has_wakeups |= source == OF_WAKEUP;
		w->has_sums |= source == OF_SUMS;
	}
	return 0;
}

/* Whether events may tell of waits, as far as their attributes show. */
static bool may_tell(const struct pp_waits *w)
{
	const struct pp_attrs *const attrs = w->made.attrs;

	for (size_t i = 0; attrs && i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(attrs, i);

		if (attr->type == PP_TYPE_TRACEPOINT ||
		    (!w->of_wakeups && (pp_attr_flag(attr, PP_FLAG_context_switch) || are_sums(attr))))
			return true;
	}
	return false;
}

/* The last one. */
static unsigned waker_event(const struct pp_waits *w)
{
	return w->of_wakeups ? (unsigned)WAKEUPS_EVENTS : (unsigned)WAITS_EVENTS;
}

/* The events of waits are added to those of the stream, if there may be waits. */
static int add_events(struct pp_waits *w, struct pp_writer *out, struct pp_error *error)
{
	static const char *const of_waits[] = {
		[EVENT_BLOCKED] = "offcpu-time", [EVENT_PREEMPTED] = "offcpu-preempted",
		[EVENT_CUT] = "offcpu-cut", "offcpu-waker",
	};
	static const char *const of_wakeups[] = {
		[EVENT_WAKEUP] = "wakeup", [EVENT_WAKEUP_CUT] = "wakeup-cut", "wakeup-waker",
	};
	const char *const *const names = w->of_wakeups ? of_wakeups : of_waits;

	if (!w->made.written && may_tell(w))
		for (unsigned i = 0; i < waker_event(w) + w->how.wakers; i++)
			pp_made_add(&w->made, names[i]);
	return pp_made_begin(&w->made, out, error);
}

/* Before the first record with a time. */
static int begin_waits(struct pp_waits *w, const struct pp_attrs *attrs, struct pp_writer *out,
		       struct pp_error *error)
{
	w->begun = true;
	if (look_at_events(w, attrs, error) || add_events(w, out, error))
		return -1;
	w->stats.none = w->of_wakeups && !w->has_waking && !w->has_wakeups;
	if (w->has_records || w->has_points || w->has_sums || w->stats.none)
		return 0;
	if (!w->has_counts) {
		w->stats.none = true;
		return 0;
	}
	(void)pp_fail(error, PP_E_USE, "the stream says when threads leave their CPUs, but not when they "
				       "are back");
	return pp_error_hint(error, PP_HINT_SWITCHES);
}

/* ---- What is written ---- */

static bool of_kernel(const struct pp_waits *w, const struct pp_waiter *t)
{
	if (w->kthreadd && (t->of_kthreadd || t->link.key == KTHREADD))
		return true;
	return !t->user && t->kernel;
}

static int write_waker(struct pp_waits *w, const struct pp_waiter *t, uint64_t begin, uint64_t end,
		       struct pp_writer *out, struct pp_error *error)
{
	const struct pp_waker *const by = t->waker;
	const struct pp_made_sample sample = {
		.pid = by->pid, .tid = by->tid, .cpu = by->cpu, .misc = by->misc, .time = end,
		.period = end > begin ? end - begin : 0, .ip = by->ip, .address = t->link.key,
		.weight = t->woken && t->woken < end ? end - t->woken : 0,
		.chain = by->chain.words, .frames = by->chain.count,
	};

	return pp_made_write(&w->made, waker_event(w), &sample, out, error);
}

static unsigned event_of(const struct pp_waits *w, const struct pp_waiter *t, bool cut)
{
	if (w->of_wakeups)
		return cut ? EVENT_WAKEUP_CUT : EVENT_WAKEUP;
	return cut ? EVENT_CUT : t->state ? EVENT_BLOCKED : EVENT_PREEMPTED;
}

/* A wait of a thread that was in this state until this time. */
static int write_wait(struct pp_waits *w, const struct pp_waiter *t, uint64_t end, uint32_t cpu, bool cut,
		      struct pp_writer *out, struct pp_error *error)
{
	const uint64_t begin = w->of_wakeups ? t->woken : t->begin, period = end > begin ? end - begin : 0;
	const struct pp_made_sample sample = {
		.pid = t->pid, .tid = (uint32_t)t->link.key, .cpu = cpu, .misc = t->misc, .time = end,
		.period = period, .ip = t->ip, .address = t->state,
		.weight = t->woken && t->woken < end ? end - t->woken : 0, .cgroup = t->cgroup,
		.chain = t->chain.words, .frames = t->chain.count,
	};

	if (!begin && w->of_wakeups)
		return 0;
	if (!w->how.kernel_threads && of_kernel(w, t)) {
		pp_span_count(&w->stats.kernel, period);
		return 0;
	}
	if (period < w->how.least) {
		pp_span_count(&w->stats.brief, period);
		return 0;
	}
	pp_span_count(cut ? &w->stats.cut : &w->stats.written, period);
	if (cut && w->how.no_cut)
		return 0;
	if (w->how.wakers && t->waker && t->waker->known && write_waker(w, t, begin, end, out, error))
		return -1;
	return pp_made_write(&w->made, event_of(w, t, cut), &sample, out, error);
}

/* ---- Threads leave, are woken, and run again ---- */

static bool has_user_part(const struct pp_kept_chain *chain)
{
	for (uint32_t i = chain->count; i; i--) {
		const uint64_t word = pp_load64(chain->words + (size_t)(i - 1) * sizeof(uint64_t));

		if (word == PP_CHAIN_USER || word == PP_CHAIN_USER_DEFERRED)
			return true;
	}
	return false;
}

/* Which side of the kernel's border its stacks are, if the event may show both. */
static void learn_side(struct pp_waiter *t, const struct pp_attr *attr)
{
	if (t->user || !t->chain.count || pp_attr_flag(attr, PP_FLAG_exclude_callchain_user) ||
	    pp_attr_flag(attr, PP_FLAG_exclude_user))
		return;
	t->user = has_user_part(&t->chain);
	t->kernel = !t->user;
}

/* Takes the place and the stack of a sample where a thread leaves. */
static int take_place(struct pp_waits *w, struct pp_waiter *t, const struct pp_record *rec,
		      struct pp_error *error)
{
	if (rec->type != PP_REC_SAMPLE)
		return 0;
	t->misc = rec->misc & PP_MISC_CPUMODE;
	(void)pp_ip(rec, &t->ip);
	if (rec->attr->sample_type & PP_SAMPLE_CGROUP)
		(void)pp_find_u64(rec, PP_IS_CGROUP, &t->cgroup);
	if (pp_chain_keep(w->how.budget, &t->chain, rec))
		return no_memory(w, error);
	learn_side(t, rec->attr);
	return 0;
}

static void begin_wait(struct pp_waits *w, struct pp_waiter *t, uint64_t time)
{
	t->begin = time;
	t->woken = t->ip = t->cgroup = 0;
	t->state = STATE_UNKNOWN;
	t->misc = PP_MISC_KERNEL;
	t->losses = w->losses;
	t->chain.count = 0;
	t->seen = true;
	if (t->waker)
		t->waker->known = false;
}

/* It waited, and leaves again: it must have run, from when it was woken at the earliest. */
static int miss_return(struct pp_waits *w, struct pp_waiter *t, uint64_t time, struct pp_writer *out,
		       struct pp_error *error)
{
	const uint64_t end = t->woken ? t->woken : time;

	t->step = WAIT_NONE;
	return write_wait(w, t, end, t->cpu, true, out, error);
}

/* What a record says of a switch. */
struct departure {
	const struct pp_record *rec;
	uint64_t time;
	uint32_t pid, tid, state;
	enum pp_wait_step step;
};

static int leave(struct pp_waits *w, const struct departure *d, struct pp_writer *out, struct pp_error *error)
{
	struct pp_waiter *const t = pp_waiter_take(&w->waiters, d->tid);

	if (!t)
		return no_memory(w, error);
	if (t->ended) {
		if (d->step == WAIT_RECORD || !w->has_records)
			pp_waiter_drop(&w->waiters, t);
		return 0;
	}
	if (t->step >= d->step && miss_return(w, t, d->time, out, error))
		return -1;
	if (t->step == WAIT_BORN && miss_return(w, t, d->time, out, error))
		return -1;
	if (t->step == WAIT_NONE)
		begin_wait(w, t, d->time);
	t->step = (uint8_t)d->step;
	t->pid = d->pid;
	(void)pp_cpu(d->rec, &t->cpu);
	if (t->state == STATE_UNKNOWN)
		t->state = d->state;
	if (d->state & (STATE_DEAD | STATE_ZOMBIE)) {
		pp_waiter_end(&w->waiters, t);
		return 0;
	}
	return t->chain.count ? 0 : take_place(w, t, d->rec, error);
}

/* A thread runs again. */
static int arrive(struct pp_waits *w, uint32_t tid, uint32_t pid, uint64_t time, const struct pp_record *rec,
		  struct pp_writer *out, struct pp_error *error)
{
	struct pp_waiter *const t = pp_waiter_take(&w->waiters, tid);
	bool cut;

	if (!t)
		return no_memory(w, error);
	if (pid)
		t->pid = pid;
	cut = !t->seen && t->was_there;
	if (cut) {
		begin_wait(w, t, w->first);
		t->step = WAIT_BORN;
	}
	t->ended = false;
	t->seen = true;
	(void)pp_cpu(rec, &t->cpu);
	if (t->step == WAIT_NONE)
		return 0;
	t->step = WAIT_NONE;
	return write_wait(w, t, time, t->cpu, cut || t->losses != w->losses, out, error);
}

/* ---- Samples ---- */

/* The thread of a number as tracepoints have it: that of the kernel, not of the recorder's namespace. */
static uint32_t thread_of(const struct pp_waits *w, uint32_t number)
{
	const uint64_t *const known = pp_idmap_find(&w->numbers, number);

	return known ? (uint32_t)*known : number;
}

static int learn_number(struct pp_waits *w, uint32_t number, uint32_t tid, struct pp_error *error)
{
	const bool known = thread_of(w, number) == tid;

	return known || !pp_idmap_set(&w->numbers, number, tid) ? 0 : no_memory(w, error);
}

static int take_switch(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
		       struct pp_error *error)
{
	struct departure d = { .rec = rec, .time = time, .step = WAIT_POINT };
	struct pp_switch_facts facts;
	uint32_t next;

	if (!pp_switch_read(&w->states, rec, &facts) || !pp_task(rec, &d.pid, &d.tid))
		return 0;
	if (d.tid == UINT32_MAX || (!d.tid && facts.prev))
		d.tid = thread_of(w, facts.prev);
	else if (learn_number(w, facts.prev, d.tid, error))
		return -1;
	d.state = facts.state;
	if (d.tid && leave(w, &d, out, error))
		return -1;
	next = thread_of(w, facts.next);
	return w->has_records || !next ? 0 : arrive(w, next, 0, time, rec, out, error);
}

static int take_count(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
		      struct pp_error *error)
{
	struct departure d = { .rec = rec, .time = time, .step = WAIT_COUNTED, .state = STATE_UNKNOWN };

	if (!w->has_records || !pp_task(rec, &d.pid, &d.tid) || !d.tid || d.tid == UINT32_MAX)
		return 0;
	return leave(w, &d, out, error);
}

static int note_waker(struct pp_waits *w, struct pp_waiter *t, const struct pp_record *rec,
		      struct pp_error *error)
{
	if (!t->waker)
		t->waker = pp_take(w->how.budget, sizeof(*t->waker));
	if (!t->waker)
		return no_memory(w, error);
	t->waker->known = pp_task(rec, &t->waker->pid, &t->waker->tid);
	t->waker->misc = rec->misc & PP_MISC_CPUMODE;
	(void)pp_cpu(rec, &t->waker->cpu);
	(void)pp_ip(rec, &t->waker->ip);
	return pp_chain_keep(w->how.budget, &t->waker->chain, rec) ? no_memory(w, error) : 0;
}

static int take_waking(struct pp_waits *w, const struct pp_record *rec, uint64_t time,
		       enum wait_source source, struct pp_error *error)
{
	const struct pp_tracepoint *const point = pp_tracepoints_of(w->points, rec->attr);
	const struct pp_tracepoint_field *const field = pp_tracepoint_field(point, "pid");
	struct pp_waiter *t;
	uint64_t number;
	const void *raw;
	size_t size;

	if (!field || (source == OF_WAKEUP && w->has_waking) || !pp_tracepoint_raw(rec, &raw, &size) ||
	    !pp_tracepoint_u64(field, raw, size, 0, &number))
		return 0;
	t = pp_waiter_find(&w->waiters, thread_of(w, (uint32_t)number));
	if (!t || t->step == WAIT_NONE || t->woken)
		return 0;
	if (source != OF_NEW)
		t->woken = time;
	else if (t->step == WAIT_BORN)
		t->begin = time;
	return w->how.wakers && source != OF_NEW ? note_waker(w, t, rec, error) : 0;
}

/* perf's own: of one wait, or, of shorter ones, the sum of all that have the same stack. */
static int take_sum(struct pp_waits *w, const struct pp_record *rec, struct pp_writer *out,
		    struct pp_error *error)
{
	struct pp_made_sample sample = { .address = STATE_UNKNOWN, .misc = rec->misc & PP_MISC_CPUMODE };
	struct pp_chain chain;

	if (!pp_task(rec, &sample.pid, &sample.tid) || !pp_sample_period(rec, &sample.period) ||
	    !pp_time_raw(rec, &sample.time))
		return 0;
	if (sample.time >= PP_OFF_CPU_NUMBERS) {
		w->stats.sums++;
		sample.time = w->last;
	}
	(void)pp_cpu(rec, &sample.cpu);
	(void)pp_ip(rec, &sample.ip);
	if (pp_chain_open_raw(&chain, rec)) {
		sample.chain = chain.at;
		sample.frames = chain.left;
	}
	pp_span_count(&w->stats.written, sample.period);
	return pp_made_write(&w->made, EVENT_BLOCKED, &sample, out, error);
}

static int judge_sample(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
			struct pp_error *error)
{
	const int source = rec->attr && !w->stats.none ? source_of(w, rec->attr, error) : OF_OTHERS;
	int result = 0;

	switch (source) {
	case OF_SWITCH_POINT:
		result = take_switch(w, rec, time, out, error);
		break;
	case OF_SWITCH_COUNT:
		result = take_count(w, rec, time, out, error);
		break;
	case OF_WAKING:
	case OF_WAKEUP:
	case OF_NEW:
		result = take_waking(w, rec, time, (enum wait_source)source, error);
		break;
	case OF_SUMS:
		result = take_sum(w, rec, out, error);
		break;
	case OF_OTHERS:
		return PP_KEEP;
	default:
		return -1;
	}
	return result ? -1 : w->how.keep ? PP_KEEP : PP_DROP;
}

/* ---- Other records ---- */

static int take_record(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
		       struct pp_error *error)
{
	struct departure d = { .rec = rec, .time = time, .step = WAIT_RECORD };

	if (!pp_task(rec, &d.pid, &d.tid) || !d.tid || d.tid == UINT32_MAX)
		return 0;
	w->has_records = true;
	if (!(rec->misc & PP_MISC_SWITCH_OUT))
		return arrive(w, d.tid, d.pid, time, rec, out, error);
	d.state = rec->misc & PP_MISC_PREEMPT ? STATE_RUNNABLE : STATE_UNKNOWN;
	return leave(w, &d, out, error);
}

/* A thread begins: one whose number had another thread before is new. */
static int take_birth(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_error *error)
{
	uint64_t pid, tid, parent;
	struct pp_waiter *t;

	if (!pp_find_u64(rec, PP_IS_TID, &tid) || !pp_find_u64(rec, PP_IS_PID, &pid) ||
	    !pp_find_u64(rec, PP_IS_PPID, &parent))
		return 0;
	t = pp_waiter_find(&w->waiters, (uint32_t)tid);
	if (t && time)
		pp_waiter_drop(&w->waiters, t);
	t = pp_waiter_take(&w->waiters, (uint32_t)tid);
	if (!t)
		return no_memory(w, error);
	t->pid = (uint32_t)pid;
	t->of_kthreadd = parent == KTHREADD;
	t->was_there |= !time;
	if (time) {
		begin_wait(w, t, time);
		t->state = STATE_RUNNABLE;
		t->step = WAIT_BORN;
	}
	return 0;
}

static bool is_called(const struct pp_record *rec, const char *name)
{
	const char *comm;
	size_t length;

	return pp_find_text(rec, PP_IS_COMM, &comm, &length) && length == strlen(name) &&
	       !memcmp(comm, name, length);
}

/* What is said of threads that were there before the recording began. */
static int take_name(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_error *error)
{
	uint64_t pid, tid;
	struct pp_waiter *t;

	if (time || !pp_find_u64(rec, PP_IS_TID, &tid) || !pp_find_u64(rec, PP_IS_PID, &pid) || !tid)
		return 0;
	t = pp_waiter_take(&w->waiters, (uint32_t)tid);
	if (!t)
		return no_memory(w, error);
	t->pid = (uint32_t)pid;
	t->was_there = true;
	w->kthreadd |= pid == KTHREADD && is_called(rec, "kthreadd");
	return 0;
}

static int take_death(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_error *error)
{
	struct pp_waiter *t;
	uint64_t tid;

	(void)time;
	(void)error;
	if (!pp_find_u64(rec, PP_IS_TID, &tid))
		return 0;
	t = pp_waiter_find(&w->waiters, (uint32_t)tid);
	if (t && !t->ended)
		pp_waiter_end(&w->waiters, t);
	return 0;
}

static int judge_other(struct pp_waits *w, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
		       struct pp_error *error)
{
	static const struct {
		uint32_t type;
		int (*take)(struct pp_waits *, const struct pp_record *, uint64_t time, struct pp_error *);
	} takers[] = {
		{ PP_REC_FORK, take_birth }, { PP_REC_COMM, take_name }, { PP_REC_EXIT, take_death },
	};

	if (w->stats.none && w->of_wakeups)
		return PP_KEEP;
	if (pp_type_is(rec->type, PP_SWITCHES))
		return take_record(w, rec, time, out, error) ? -1 : w->how.keep ? PP_KEEP : PP_DROP;
	w->losses += time && pp_type_is(rec->type, PP_LOSES);
	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++)
		if (takers[i].type == rec->type && takers[i].take(w, rec, time, error))
			return -1;
	return PP_KEEP;
}

int pp_waits_admit(struct pp_waits *w, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	const int held = pp_made_hold(&w->made, rec, error);

	if (held)
		return held < 0 ? -1 : PP_DROP;
	return w->made.holding && add_events(w, out, error) ? -1 : PP_KEEP;
}

int pp_waits_judge(struct pp_waits *w, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	uint64_t time = 0;

	if (pp_time(rec, &time) && time < PP_OFF_CPU_NUMBERS) {
		if (!w->first)
			w->first = time;
		w->last = time > w->last ? time : w->last;
	}
	if (!w->begun && (time || rec->type == PP_REC_SAMPLE) && begin_waits(w, rec->attrs, out, error))
		return -1;
	return rec->type == PP_REC_SAMPLE ? judge_sample(w, rec, time, out, error) :
					    judge_other(w, rec, time, out, error);
}

int pp_waits_end(struct pp_waits *w, struct pp_writer *out, struct pp_error *error)
{
	struct pp_waiter **waiting;
	size_t n;
	int result = 0;

	if (add_events(w, out, error))
		return -1;
	waiting = pp_waiters_waiting(&w->waiters, &n);
	if (!waiting)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < n && !result; i++)
		result = write_wait(w, waiting[i], w->last, waiting[i]->cpu, true, out, error);
	free(waiting);
	return result;
}
