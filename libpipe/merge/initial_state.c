/*
 * initial_state.c - what the inputs of a merge say without a time, about the state when each began: it
 * holds from the first time of its own input on, unless others know better.
 *
 * perf applies records without a time before all that have one.  That is right for the input that
 * begins first.  Such records of a later one get that input's first time, unless an input that is
 * still running has said the same.  If no running input knows a process, what ended inputs said of
 * it ends there, by a FORK, which makes readers forget a process of that number. If one does,
 * records are only added: names and maps that were recorded with a time stay, since a later input
 * may have looked before that.
 */
#include "merge/merge.h"

#include <stdlib.h>

#include <xxhash.h>

enum {
	STATE_ROOM = 1 << 18,         /* of what an input says at its begin: the rest waits in a file */
	CHUNK      = 2 * (PP_RECORD_MAX + 1),
	SEEN_MOST  = 1 << 18,         /* records without a time that are remembered */
	HEARD_MOST = 1 << 17,         /* maps that came with a time: the latest */
};

/* What an input says of a process is a number: a sum of hashes of it, or that there was more. */
static const uint64_t CHANGED = 1;

/* ---- Records of which one is enough ---- */

static uint64_t hash_seen(const void *seen, uint64_t place)
{
	return ((const struct pp_seen_record *)seen)[place - 1].hash.low64;
}

static bool runs(const struct pp_merge *m, size_t input)
{
	return m->inputs[input]->pace != PP_OVER;
}

int pp_merge_repeated(struct pp_merge *m, size_t input, const uint8_t *data, size_t size, bool running)
{
	const XXH128_hash_t hash = XXH3_128bits(data, size);
	struct pp_seen_record *seen = m->seen;
	size_t at;

	if (m->n_seen < SEEN_MOST &&
	    (PP_GROW(&m->seen, &m->seen_room, m->n_seen + 1, NULL) ||
	     pp_index_reserve(&m->seen_places, m->n_seen + 1, hash_seen, m->seen)))
		return -1;
	at = pp_index_first(&m->seen_places, hash.low64);
	while (m->seen_places.places[at]) {
		seen = &m->seen[m->seen_places.places[at] - 1];
		if (XXH128_isEqual(seen->hash, hash))
			break;
		at = pp_index_next(&m->seen_places, at);
	}
	if (!m->seen_places.places[at]) {
		if (m->n_seen == SEEN_MOST)
			return 0;
		seen = &m->seen[m->n_seen++];
		m->seen_places.places[at] = m->n_seen;
	} else if (seen->input != input && (!running || runs(m, seen->input))) {
		return 1;
	}
	*seen = (struct pp_seen_record){ hash, input };
	return 0;
}

/* ---- What is known of processes, until all inputs have begun ---- */

/* For a record about a process. */
struct state_of {
	uint32_t pid, tid;
	uint64_t start, end;          /* of a map, else 0 */
};

/* False: it is not of a process: those that are begin with it. */
static bool read_of(const struct pp_record *rec, struct state_of *of)
{
	const struct pp_type *const type = pp_type(rec->type);
	uint64_t pid, tid, length;

	*of = (struct state_of){ .pid = 0 };
	if (!type || type->fields->is != PP_IS_PID ||
	    !pp_find_u64(rec, PP_IS_PID, &pid) || !pp_find_u64(rec, PP_IS_TID, &tid))
		return false;
	of->pid = (uint32_t)pid;
	of->tid = (uint32_t)tid;
	if (type->words & PP_MAPS && pp_find_u64(rec, PP_IS_START, &of->start) &&
	    pp_find_u64(rec, PP_IS_LENGTH, &length))
		of->end = length <= UINT64_MAX - of->start ? of->start + length : UINT64_MAX;
	return true;
}

static uint64_t told_key(uint32_t pid, size_t input)
{
	return (uint64_t)input << 32 | pid;
}

/* A thread: its process, and who heard of its name as it came: an input + 1, or 0. */
static uint64_t thread_value(uint32_t pid, size_t heard)
{
	return (uint64_t)heard << 32 | pid;
}

static int note_heard(struct pp_merge *m, size_t input, const struct state_of *of)
{
	struct pp_begins *b = &m->begins;

	if (!b->heard && !(b->heard = malloc(HEARD_MOST * sizeof(*b->heard))))
		return -1;
	if (b->n_heard == HEARD_MOST) {
		b->n_heard /= 2;
		memmove(b->heard, b->heard + b->n_heard, b->n_heard * sizeof(*b->heard));
	}
	b->heard[b->n_heard++] = (struct pp_heard){ of->pid, (uint32_t)input, of->start, of->end };
	return 0;
}

static void forget_process(struct pp_merge *m, uint32_t pid)
{
	for (size_t i = 0; i < m->count; i++)
		pp_idmap_drop(&m->begins.told, told_key(pid, i));
}

int pp_merge_hear(struct pp_merge *m, const struct pp_merge_input *in, const struct pp_record *rec)
{
	struct pp_begins *b = &m->begins;
	struct state_of of;

	if (b->done == m->count || rec->type == PP_REC_SAMPLE || rec->type >= PP_USER_TYPES)
		return 0;
	if (rec->type != PP_REC_EXIT && (!pp_type_is(rec->type, PP_SIDE_BAND) ||
					 rec->type == PP_REC_NAMESPACES))
		return 0;
	if (!read_of(rec, &of) || (int32_t)of.pid <= 0)
		return 0;
	if (rec->type == PP_REC_EXIT) {
		pp_idmap_drop(&b->threads, of.tid);
		if (of.pid == of.tid)
			forget_process(m, of.pid);
		return 0;
	}
	if (pp_idmap_set(&b->told, told_key(of.pid, in->index), CHANGED))
		return -1;
	if (pp_type_is(rec->type, PP_MAPS))
		return note_heard(m, in->index, &of);
	return pp_idmap_set(&b->threads, of.tid, thread_value(of.pid, in->index + 1));
}

/* ---- What an input says at its begin ---- */

int pp_merge_input_keep_state(struct pp_merge_input *in, const uint8_t *data, size_t size,
			      struct pp_error *error)
{
	static const uint8_t zeros[8];

	if (!in->state.room && pp_spool_open(&in->state, STATE_ROOM))
		return pp_merge_no_memory(error);
	return pp_spool_write(&in->state, data, size, error) ||
	       pp_spool_write(&in->state, zeros, pp_align8(size) - size, error) ? -1 : 0;
}

/* Goes through what was kept, by large pieces. */
struct going {
	struct pp_spool *spool;
	uint8_t *data;                /* CHUNK bytes */
	uint64_t next, end;           /* of the spool: what is not in `data` */
	size_t at, have;
};

/* 1 and *rec, 0, -1 and *error. */
static int go_on(struct going *g, struct pp_record *rec, struct pp_error *error)
{
	if (g->have - g->at <= PP_RECORD_MAX && g->next < g->end) {
		size_t more;

		memmove(g->data, g->data + g->at, g->have - g->at);
		g->have -= g->at;
		g->at = 0;
		more = CHUNK - g->have < g->end - g->next ? CHUNK - g->have : (size_t)(g->end - g->next);
		if (pp_spool_read(g->spool, g->next, g->data + g->have, more, error))
			return -1;
		g->next += more;
		g->have += more;
	}
	if (g->at == g->have)
		return 0;
	if (pp_record_at(rec, g->data + g->at, g->have - g->at, error))
		return -1;
	g->at += pp_align8(rec->size);
	return 1;
}

static void go(struct going *g, struct pp_merge_input *in, uint8_t *data)
{
	*g = (struct going){ .spool = &in->state, .data = data, .end = pp_spool_end(&in->state) };
}

/* Has each record know how it ends. */
static void describe(const struct pp_merge *m, struct pp_record *rec)
{
	rec->attrs = m->events.attrs;
	rec->attr = pp_attrs_at(m->events.attrs, 0);
}

/* One more of an input's own: what it says of each process, as one number. */
static int sum_up(struct pp_merge *m, const struct pp_merge_input *in, struct pp_idmap *forks,
		  const struct pp_record *rec)
{
	struct pp_idmap *told = &m->begins.told;
	const uint64_t *sum;
	uint64_t hash = 0;
	struct state_of of;

	if (!read_of(rec, &of))
		return 0;
	/* a process that was adopted is the same one */
	if (rec->type == PP_REC_FORK && pp_idmap_set(forks, of.tid, of.pid))
		return -1;
	if (rec->type != PP_REC_FORK)
		hash = XXH3_64bits(rec->data, rec->size);
	sum = pp_idmap_find(told, told_key(of.pid, in->index));
	hash += sum ? *sum : 0;
	return pp_idmap_set(told, told_key(of.pid, in->index), hash <= CHANGED ? CHANGED + 1 : hash);
}

/* ---- What becomes of it ---- */

enum begin_verdict {
	NEWS,                         /* the process is unknown: all is written */
	KNOWN,                        /* the others say the same */
	ADDS,                         /* to what one that runs says */
	REPLACES,                     /* what inputs said that have ended */
};

static enum begin_verdict judge(const struct pp_merge *m, const struct pp_merge_input *in, uint32_t pid)
{
	const struct pp_idmap *told = &m->begins.told;
	const uint64_t *mine = pp_idmap_find(told, told_key(pid, in->index)), *other;
	enum begin_verdict verdict = NEWS;
	bool same = true, run = false;

	if ((int32_t)pid <= 0)
		return ADDS;
	for (size_t i = 0; i < m->count; i++) {
		other = i == in->index ? NULL : pp_idmap_find(told, told_key(pid, i));
		if (!other)
			continue;
		verdict = REPLACES;
		same = same && mine && *other == *mine;
		run = run || runs(m, i);
	}
	if (verdict == REPLACES && same)
		return KNOWN;
	return verdict == REPLACES && run ? ADDS : verdict;
}

static int by_place(const void *a, const void *b)
{
	const struct pp_heard *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start != y->start ? (x->start < y->start ? -1 : 1) : 0;
}

/* Maps that inputs heard of which still run, by process and address; `end` becomes the largest one
 * of those of its process up to it. */
static struct pp_heard *sort_heard(const struct pp_merge *m, size_t *n)
{
	struct pp_heard *sorted = malloc((m->begins.n_heard + 1) * sizeof(*sorted));

	*n = 0;
	for (size_t i = 0; sorted && i < m->begins.n_heard; i++)
		if (runs(m, m->begins.heard[i].input))
			sorted[(*n)++] = m->begins.heard[i];
	if (!sorted)
		return NULL;
	qsort(sorted, *n, sizeof(*sorted), by_place);
	for (size_t i = 1; i < *n; i++)
		if (sorted[i - 1].pid == sorted[i].pid && sorted[i - 1].end > sorted[i].end)
			sorted[i].end = sorted[i - 1].end;
	return sorted;
}

/* Whether one of them lies where this one does. */
static bool heard_of(const struct pp_heard *sorted, size_t n, const struct state_of *of)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct pp_heard *h = &sorted[middle];

		if (h->pid < of->pid || (h->pid == of->pid && h->start < of->end))
			low = middle + 1;
		else
			high = middle;
	}
	return low && sorted[low - 1].pid == of->pid && sorted[low - 1].end > of->start;
}

struct begin {
	struct pp_merge *m;
	struct pp_merge_input *in;
	uint64_t time;                /* of all that is written; 0: none */
	struct pp_idmap forks;        /* threads that it has a FORK of */
	struct pp_heard *heard;
	size_t n_heard;
};

/* Whether it is to be written, where others that run know its process too. */
static bool adds(const struct begin *b, const struct pp_record *rec, const struct state_of *of)
{
	const struct pp_merge *m = b->m;
	const uint64_t *thread = pp_idmap_find(&m->begins.threads, of->tid);
	const size_t heard = thread ? (size_t)(*thread >> 32) : 0;

	if ((int32_t)of->pid <= 0)
		return true;
	if (rec->type == PP_REC_FORK)
		return !thread || (uint32_t)*thread != of->pid;
	if (rec->type == PP_REC_COMM)
		return !heard || heard == b->in->index + 1 || !runs(m, heard - 1);
	return !pp_type_is(rec->type, PP_MAPS) || !heard_of(b->heard, b->n_heard, of);
}

static int write_stamped(const struct begin *b, uint8_t *data, size_t size, struct pp_error *error)
{
	const struct pp_attr *first = pp_attrs_at(b->m->events.attrs, 0);

	if (b->time && first && first->plan.t_time && pp_fits(first->plan.trailer + PP_HEADER_SIZE, size))
		pp_store64(data + size - first->plan.t_time, b->time);
	b->m->in_round += size;
	b->m->looked += size;
	return pp_merge_write(b->m, data, size, error);
}

/* Has readers forget what they knew of such a thread, and of its maps if it is a process. */
static int write_fork(const struct begin *b, const struct state_of *of, struct pp_error *error)
{
	const bool leads = of->pid == of->tid;
	struct pp_build build;
	uint8_t record[128];
	size_t size;

	pp_build(&build, record, sizeof(record), PP_REC_FORK, PP_MISC_FORK_EXEC,
		 pp_attrs_at(b->m->events.attrs, 0));
	pp_build_u64(&build, "pid", of->pid);
	pp_build_u64(&build, "ppid", leads ? UINT32_MAX : of->pid);
	pp_build_u64(&build, "tid", of->tid);
	pp_build_u64(&build, "ptid", leads ? UINT32_MAX : of->pid);
	pp_build_u64(&build, "time", b->time);
	pp_build_trailer(&build, 0, 0, 0, 0, b->in->member.cpu);
	size = pp_build_end(&build);
	return size ? write_stamped(b, record, size, error) : 0;
}

/* Before the first record of a thread whose number others had: 0, or -1. */
static int part_from(struct begin *b, const struct state_of *of, struct pp_error *error)
{
	const struct state_of leader = { .pid = of->pid, .tid = of->pid };

	if (of->tid != of->pid && !pp_idmap_find(&b->forks, of->pid) && part_from(b, &leader, error))
		return -1;
	if (pp_idmap_find(&b->forks, of->tid))
		return 0;
	if (pp_idmap_set(&b->forks, of->tid, of->pid))
		return pp_merge_no_memory(error);
	return write_fork(b, of, error);
}

static int write_one(struct begin *b, struct pp_record *rec, struct pp_error *error)
{
	struct pp_merge *m = b->m;
	enum begin_verdict verdict = ADDS;
	struct state_of of = { .pid = 0 };
	const bool known = read_of(rec, &of);
	int repeated;

	if (known)
		verdict = judge(m, b->in, of.pid);
	if (verdict == KNOWN)
		return 0;
	/* what belongs to no process, or to the kernel, does not end with one */
	repeated = pp_merge_repeated(m, b->in->index, rec->data, rec->size, (int32_t)of.pid > 0);
	if (repeated < 0)
		return pp_merge_no_memory(error);
	if (verdict == ADDS && (repeated || (known && !adds(b, rec, &of))))
		return 0;
	if (verdict == REPLACES && part_from(b, &of, error))
		return -1;
	return write_stamped(b, rec->data, rec->size, error);
}

/* What others said that have ended is over, and its threads are known: 0, -1: out of memory. */
static int learn(struct begin *b, const struct pp_record *rec)
{
	struct pp_begins *begins = &b->m->begins;
	struct pp_idmap *threads = &begins->threads;
	struct state_of of;

	if (!read_of(rec, &of) || (int32_t)of.pid <= 0)
		return 0;
	if (judge(b->m, b->in, of.pid) == REPLACES)
		for (size_t i = 0; i < b->m->count; i++)
			if (i != b->in->index)
				pp_idmap_drop(&begins->told, told_key(of.pid, i));
	if (rec->type != PP_REC_COMM && rec->type != PP_REC_FORK)
		return 0;
	return pp_idmap_find(threads, of.tid) ? 0 :
	       pp_idmap_set(threads, of.tid, thread_value(of.pid, 0));
}

static int write_all(struct begin *b, uint8_t *data, struct pp_error *error)
{
	struct pp_record rec;
	struct going g;
	int got;

	go(&g, b->in, data);
	while ((got = go_on(&g, &rec, error)) > 0) {
		describe(b->m, &rec);
		if (sum_up(b->m, b->in, &b->forks, &rec))
			return pp_merge_no_memory(error);
	}
	go(&g, b->in, data);
	while (!got && (got = go_on(&g, &rec, error)) > 0) {
		describe(b->m, &rec);
		got = write_one(b, &rec, error);
	}
	go(&g, b->in, data);
	while (!got && (got = go_on(&g, &rec, error)) > 0) {
		describe(b->m, &rec);
		got = learn(b, &rec) ? pp_merge_no_memory(error) : 0;
	}
	return got;
}

/* If records other than samples have no time, readers have to be done with what comes before. */
static int settle(struct pp_merge *m, uint64_t time, struct pp_error *error)
{
	const struct pp_attr *first = pp_attrs_at(m->events.attrs, 0);

	if (!time || (first && first->plan.t_time))
		return 0;
	return pp_merge_round(m, error) || pp_merge_round(m, error) ? -1 : 0;
}

static void forget_all(struct pp_merge *m)
{
	pp_idmap_close(&m->begins.told);
	pp_idmap_close(&m->begins.threads);
	free(m->begins.heard);
	m->begins = (struct pp_begins){ .done = m->begins.done };
}

int pp_merge_begin(struct pp_merge *m, struct pp_merge_input *in, uint64_t time, struct pp_error *error)
{
	/* before all times nothing needs one */
	struct begin b = { .m = m, .in = in, .time = m->newest ? time : 0 };
	uint8_t *data = NULL;
	int status = 0;

	in->said = true;
	m->begins.done++;
	if (pp_spool_end(&in->state)) {
		data = malloc(CHUNK);
		b.heard = sort_heard(m, &b.n_heard);
		status = data && b.heard ? settle(m, b.time, error) : pp_merge_no_memory(error);
	}
	if (!status && data)
		status = write_all(&b, data, error);
	pp_idmap_close(&b.forks);
	free(b.heard);
	free(data);
	pp_spool_close(&in->state);
	if (m->begins.done == m->count)
		forget_all(m);
	return status;
}

void pp_begins_close(struct pp_merge *m)
{
	forget_all(m);
	pp_index_close(&m->seen_places);
	free(m->seen);
}
