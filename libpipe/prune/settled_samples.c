/*
 * settled_samples.c - which samples of a batch need nothing that was not written: most of them, by far.
 *
 * They stay as they are, and change nothing of what is known but the time.  Any other is prune.c's, and so
 * is one where it takes long to say.
 */
#include <perfpipe/batch.h>
#include <perfpipe/prune.h>

#include "prune/prune_state.h"

/* The thread of the last sample, of which nothing is due. */
struct settled_task {
	bool there;
	uint64_t pid_tid;             /* as samples have them */
	const struct pp_maps *space;  /* of its process; NULL: no thread */
};

/* An event of which nothing is due, and of whose samples can be said what they need; or NULL. */
static struct pruned_event *find_plain(struct pp_prune *p, const struct pp_attr *a)
{
	const bool raw = a->type == PP_TYPE_TRACEPOINT && a->sample_type & PP_SAMPLE_RAW;
	struct pruned_event *event;

	if (!pp_head_told(p->head, a) || pp_prune_walks(a) || a->plan.fixed == UINT8_MAX)
		return NULL;
	event = pp_prune_event(p, a);
	if (event)
		event->plain = !raw || !p->tracepoints || event->named;
	return event;
}

static inline const struct pruned_event *plain_event(struct pp_prune *p, const struct pp_attr *a)
{
	return a->index < p->n_events && p->events[a->index].plain ? &p->events[a->index] : find_plain(p, a);
}

static bool find_task(const struct pp_prune *p, uint64_t pid_tid, struct settled_task *task)
{
	const struct pp_thread *t;
	uint32_t is[2];

	memcpy(is, &pid_tid, sizeof(is));
	t = is[1] == UINT32_MAX ? NULL : pp_task_table_thread(&p->table, is[1]);
	task->there = is[1] == UINT32_MAX || (t && t->pid == is[0] && t->sampled && t->fresh);
	task->pid_tid = pid_tid;
	task->space = t ? &t->process->maps : NULL;
	return task->there;
}

static inline bool is_address_settled(struct pp_prune *p, const struct pp_maps *space, uint64_t address)
{
	struct known_address now;

	return address >= PP_CHAIN_MARKS || pp_prune_is_known(pp_prune_known(p, space, address, &now), &now);
}

static bool are_addresses_settled(struct pp_prune *p, const struct pp_maps *space, const uint8_t *at,
				  uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (!is_address_settled(p, space, pp_load64(at + i * sizeof(uint64_t))))
			return false;
	return true;
}

/* Pointers into the kernel among a tracepoint's data. */
static inline bool are_pointers_settled(struct pp_prune *p, const uint8_t *raw, size_t size)
{
	const uint8_t *const end = raw + size / sizeof(uint64_t) * sizeof(uint64_t);
	uint64_t any = 0;

	for (const uint8_t *at = raw; at < end; at += sizeof(uint64_t))
		any |= pp_load64(at);
	/* most have none */
	for (const uint8_t *at = raw; at < end && any >> 63; at += sizeof(uint64_t))
		if (pp_load64(at) >= PP_PRUNE_HIGH && !is_address_settled(p, NULL, pp_load64(at)))
			return false;
	return true;
}

/* Threads that a tracepoint's data name. */
static bool are_named_settled(const struct pp_prune *p, const struct pruned_event *event, const void *raw,
			      size_t size)
{
	for (size_t i = 0; i < event->n_pids; i++) {
		const struct pp_thread *t;
		uint64_t tid;

		if (!pp_tracepoint_u64(event->pids[i], raw, size, 0, &tid))
			continue;
		t = pp_task_table_thread(&p->table, (uint32_t)tid);
		if (t && (!t->named || !t->fresh))
			return false;
	}
	return true;
}

/* Of sample `i` of a batch, which has so many bytes. */
static inline bool is_raw_settled(struct pp_prune *p, const struct pruned_event *event,
				  const struct pp_batch *b, uint32_t i, size_t bytes)
{
	const size_t at = b->attr[i]->plan.raw, end = at + sizeof(uint32_t);
	const void *raw = b->data + b->at[i] + end;
	struct pp_record rec;
	size_t size;

	if (at) {
		size = pp_load32(b->data + b->at[i] + at);
		if (!pp_fits(size, bytes - end))
			return true;
	} else {
		pp_batch_record(b, i, &rec);
		if (!pp_tracepoint_raw(&rec, &raw, &size))
			return true;
	}
	return are_pointers_settled(p, raw, size) && are_named_settled(p, event, raw, size);
}

static bool is_chain_settled(struct pp_prune *p, const struct pp_maps *space, const struct pp_batch *b,
			     uint32_t i)
{
	struct pp_record rec;
	const uint8_t *ips;
	uint64_t n;

	pp_batch_record(b, i, &rec);
	return !pp_callchain(&rec, &ips, &n) || are_addresses_settled(p, space, ips, n);
}

static bool is_guest(unsigned mode)
{
	return mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER;
}

static inline bool is_settled(struct pp_prune *p, const struct pp_batch *b, uint32_t i,
			      struct settled_task *task)
{
	const struct pp_attr *const a = b->attr[i];
	const uint8_t *const data = b->data + b->at[i];
	const size_t size = pp_batch_size(b, i);
	const struct pruned_event *const event = a ? plain_event(p, a) : NULL;
	const struct pp_maps *space = NULL;

	if (!event || pp_attr_is_off_cpu(a) || !pp_fits(a->plan.fixed, size) ||
	    (p->n_guests && is_guest(pp_load16(data + 4) & PP_MISC_CPUMODE)))
		return false;
	if (a->plan.tid) {
		const uint64_t pid_tid = pp_load64(data + a->plan.tid);

		if (!(task->there && task->pid_tid == pid_tid) && !find_task(p, pid_tid, task))
			return false;
		space = task->space;
	}
	if (a->sample_type & PP_SAMPLE_STACK_USER && space && !space->whole)
		return false;
	if (a->type == PP_TYPE_TRACEPOINT && a->sample_type & PP_SAMPLE_RAW &&
	    !is_raw_settled(p, event, b, i, size))
		return false;
	if ((a->plan.ip && !is_address_settled(p, space, pp_load64(data + a->plan.ip))) ||
	    (a->plan.addr && !is_address_settled(p, space, pp_load64(data + a->plan.addr))))
		return false;
	return !a->plan.callchain || is_chain_settled(p, space, b, i);
}

/* What comes after the batch was read, as far as the last of these samples says it. */
static void note_samples(struct pp_prune *p, const struct pp_batch *b, uint32_t from, uint32_t to,
			 const bool *keep)
{
	while (to > from && !keep[to - 1])
		to--;
	if (to == from)
		return;
	p->attrs = b->attrs;
	if (b->time[to - 1] > p->latest)
		p->latest = b->time[to - 1];
}

uint32_t pp_prune_batch(struct pp_prune *p, const struct pp_batch *b, uint32_t from, const bool *keep)
{
	struct settled_task task = { .there = false };
	uint32_t to = from;

	if (p->failed || p->core_due || pp_head_closed(p->head))
		return from;
	for (; to < b->count && (!keep[to] || is_settled(p, b, to, &task)); to++)
		pp_batch_ahead(b, to);
	note_samples(p, b, from, to, keep);
	return to;
}
