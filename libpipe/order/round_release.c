/*
 * round_release.c - lets go of the records that rounds.c holds: merges their runs, shows each to the judge,
 * and writes what stays.
 *
 * The smallest time of all runs goes first, and what follows it in its run as long as no other is due.
 * Samples of a segment that follow each other are written at once.
 */
#include "base/array.h"
#include "base/heap.h"
#include "order/rounds_state.h"
#include "read/reader_internal.h"

enum {
	BORROW     = 2048,		/* what is longer is written without being copied */
};

/* The record as the reader showed it. */
static inline struct pp_record record_of(const struct pp_rounds *r, struct held *h)
{
	uint8_t *const data = bytes_of(h);
	const uint64_t behind = (r->index - h->index) & ((1U << 28) - 1);

	return (struct pp_record){
		.data = data, .type = pp_load32(data), .misc = pp_load16(data + 4),
		.size = pp_load16(data + 6), .offset = h->offset, .index = r->index - behind,
		.tail = h->tail ? tail_of(h)->size : 0,
		.attr = h->attr ? pp_attrs_at(r->attrs, h->attr - 1) : NULL, .attrs = r->attrs,
	};
}

/* ---- writing ---- */

static int write_held_tail(struct pp_rounds *r, const struct tail *tail, struct pp_error *error)
{
	uint64_t done = 0;
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_hold_piece(&r->hold, tail, done, &piece, &size, error)) > 0) {
		if (pp_writer_copy(r->writer, piece, size, error))
			return -1;
		done += size;
	}
	return got;
}

RARE static int write_round(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	const struct pp_record rec = record_of(r, h);

	if (pp_paced(&r->pace) && pp_pace_replaces(&rec))
		return 0;
	if (r->options.round) {
		const int verdict = r->options.round(r->options.arg, &rec, error);

		if (verdict != PP_KEEP)
			return verdict < 0 ? -1 : 0;
	}
	r->hold.borrowed = true;
	return pp_writer_pass(r->writer, r->reader, &rec, error);
}

/* What is short is copied: that is cheaper than a vector for each. */
static int write_bytes(struct pp_rounds *r, const uint8_t *data, size_t size, struct pp_error *error)
{
	if (size < BORROW)
		return pp_writer_copy(r->writer, data, size, error);
	r->hold.borrowed = true;
	return pp_writer_put(r->writer, data, size, error);
}

static int write_held(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	uint8_t *const data = bytes_of(h);
	const size_t size = pp_load16(data + 6);

	if (h->round)
		return write_round(r, h, error);
	if (h->key && pp_paced(&r->pace) && pp_pace(&r->pace, r->writer, h->key, size, error))
		return -1;
	if (!h->tail)
		return write_bytes(r, data, size, error);
	return pp_writer_copy(r->writer, data, size, error) ? -1 : write_held_tail(r, tail_of(h), error);
}

/* Samples of a segment, from number `from` on and before `to`. */
static int write_samples(struct pp_rounds *r, struct segment *s, uint32_t from, uint32_t to,
			 struct pp_error *error)
{
	const uint32_t *const at = segment_places(s);

	return write_bytes(r, segment_bytes(s) + at[from], at[to] - at[from], error);
}

/* The same, where new rounds may be due before any of them. */
static int write_paced_samples(struct pp_rounds *r, struct segment *s, uint32_t from, uint32_t to,
			       struct pp_error *error)
{
	if (!pp_paced(&r->pace))
		return write_samples(r, s, from, to, error);
	for (uint32_t i = from; i < to; i++)
		if (pp_pace(&r->pace, r->writer, segment_times(s)[i], segment_size(s, i), error) ||
		    write_samples(r, s, i, i + 1, error))
			return -1;
	return 0;
}

static void forget_samples(struct pp_rounds *r, struct held *h, uint32_t from, uint32_t to)
{
	struct segment *const s = segment_of(h);

	r->hold.bytes -= samples_room(s, from, to);
	if (to == s->count)
		release_room(&r->hold, h);
}

/* Writes it if it is kept, and forgets it. */
static int finish(struct pp_rounds *r, struct held *h, bool kept, struct pp_error *error)
{
	const int result = kept ? write_held(r, h, error) : 0;

	if (h->tail && tail_of(h)->at != NEVER)
		pp_hold_unspill(&r->hold, tail_of(h));
	release(&r->hold, h);
	return result;
}

/* Order STREAM: the samples of a segment that were judged.  Whether these are all, or -1. */
static int write_front_samples(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	struct segment *const s = segment_of(h);
	const uint8_t *const states = segment_states(s);
	uint32_t i = s->written, from;

	while (i < s->count && (states[i] != WAITING || r->stopped)) {
		for (from = i; i < s->count && states[i] == KEPT;)
			i++;
		if (i > from && write_samples(r, s, from, i, error))
			return -1;
		while (i < s->count && (states[i] == DROPPED || (r->stopped && states[i] == WAITING)))
			i++;
	}
	from = s->written;
	s->written = i;
	forget_samples(r, h, from, i);
	return i == s->count;
}

/* Order STREAM: writes from the front on what was judged. */
static int write_front(struct pp_rounds *r, struct pp_error *error)
{
	while (r->hold.bytes) {
		struct chunk *const chunk = r->hold.front;
		struct held *const h = (struct held *)(void *)((uint8_t *)chunk + r->hold.front_at);
		int all;

		if (r->hold.front_at == chunk->used) {
			r->hold.front = chunk->next;
			r->hold.front_at = CHUNK_START;
			pp_hold_free_chunk(&r->hold, chunk);
			continue;
		}
		if (!h->size) {
			struct segment *const s = segment_of(h);

			all = write_front_samples(r, h, error);
			if (all <= 0)
				return all;
			r->hold.front_at += segment_room(s->count, segment_places(s)[s->count]);
			continue;
		}
		if (h->state == WAITING && !r->stopped)
			break;
		if (r->options.round && h->round && !r->stopped && r->rounds_gone == r->rounds_due)
			break;
		r->rounds_gone += h->round;
		r->hold.front_at += room_of(h);
		if (finish(r, h, h->state == KEPT, error) < 0)
			return -1;
	}
	return 0;
}

/* ---- letting go: runs are merged ---- */

static inline uint64_t least_time(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t key_of(const struct pp_rounds *r, const struct held_run *run)
{
	return run == &r->untimed ? r->groups[r->group].key : run->first->key;
}

/* Steps over the first record of a run. */
static void step(struct pp_rounds *r, struct held_run *run)
{
	run->first = run->first->next;
	if (run == &r->untimed && r->group + 1 < r->n_groups &&
	    run->first == r->groups[r->group + 1].first)
		r->group++;
	if (run == &r->untimed && !run->first)
		r->group = r->n_groups = 0;
}

static inline bool before_head(const void *of, const struct head *a, const struct head *b)
{
	(void)of;
	return a->key != b->key ? a->key < b->key : earlier(a->first, b->first);
}

PP_HEAP(sift_down, struct head, const void *, before_head)

static void add_head(struct pp_rounds *r, size_t *count, struct held_run *run, uint64_t bound)
{
	if (run->first && key_of(r, run) <= bound)
		r->heap[(*count)++] = (struct head){ key_of(r, run), run->first, run };
}

/* Makes the heap of the runs that have something to release: 0, or -1 and *error. */
static int make_heap(struct pp_rounds *r, uint64_t bound, size_t *count, struct pp_error *error)
{
	*count = 0;
	if (PP_GROW(&r->heap, &r->room_heap, r->n_runs + 2, error))
		return -1;
	for (size_t i = 0; i < r->n_runs; i++)
		add_head(r, count, &r->runs[i], bound);
	add_head(r, count, &r->untimed, bound);
	add_head(r, count, &r->ends, bound);
	for (size_t i = *count / 2; i--;)
		sift_down(r->heap, *count, i, NULL);
	return 0;
}

/* Shows a record to the judge, and writes it or marks it: 0, 1 (stop), -1. */
static inline int let_one_go(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	int verdict = PP_KEEP;

	if (r->options.judge) {
		struct pp_record rec = record_of(r, h);

		r->shown = h->tail ? tail_of(h) : NULL;
		r->told = 0;
		verdict = r->options.judge(r->options.arg, &rec, error);
	}
	if (verdict == PP_STOP)
		r->stopped = true;
	r->rounds_judged += h->round;
	if (r->options.order == PP_ROUNDS_STREAM)
		h->state = verdict == PP_KEEP ? KEPT : DROPPED;
	else if (verdict == PP_DROP && !h->tail)
		release(&r->hold, h);
	else if (finish(r, h, verdict == PP_KEEP, error) < 0)
		return -1;
	return verdict < 0 ? -1 : verdict == PP_STOP;
}

/* The sample of a segment as the reader showed it. */
static inline struct pp_record record_of_sample(const struct pp_rounds *r, struct held *h, uint32_t i)
{
	struct segment *const s = segment_of(h);
	const uint32_t at = segment_places(s)[i];
	uint8_t *const data = segment_bytes(s) + at;
	const uint64_t behind = (r->index - h->index - (s->carried ? 0 : i)) & ((1U << 28) - 1);

	return (struct pp_record){
		.data = data, .type = PP_REC_SAMPLE, .misc = pp_load16(data + 4),
		.size = (uint16_t)segment_size(s, i),
		.offset = h->offset + (s->carried ? 0 : at), .index = r->index - behind,
		.attr = segment_attrs(s)[i], .attrs = r->attrs,
	};
}

/* Shows a sample to the judge, and writes it or marks it, as let_one_go(). */
static int let_sample_go(struct pp_rounds *r, struct held *h, uint32_t i, struct pp_error *error)
{
	struct segment *const s = segment_of(h);
	struct pp_record rec = record_of_sample(r, h, i);
	int verdict, failed;

	r->shown = NULL;
	verdict = r->options.judge(r->options.arg, &rec, error);
	if (verdict == PP_STOP)
		r->stopped = true;
	if (r->options.order == PP_ROUNDS_STREAM) {
		segment_states(s)[i] = verdict == PP_KEEP ? KEPT : DROPPED;
		return verdict < 0 ? -1 : verdict == PP_STOP;
	}
	failed = verdict == PP_KEEP && write_paced_samples(r, s, i, i + 1, error) < 0;
	forget_samples(r, h, i, i + 1);
	return failed || verdict < 0 ? -1 : verdict == PP_STOP;
}

/* Where no judge wants to see them: those before `to`. */
static int let_samples_go(struct pp_rounds *r, struct held *h, uint32_t from, uint32_t to,
			  struct pp_error *error)
{
	struct segment *const s = segment_of(h);
	int failed;

	if (r->options.order == PP_ROUNDS_STREAM) {
		memset(segment_states(s) + from, KEPT, to - from);
		return 0;
	}
	failed = write_paced_samples(r, s, from, to, error);
	forget_samples(r, h, from, to);
	return failed;
}

/* Samples of a segment as the reader would have handed them out. */
static struct pp_batch batch_of_samples(const struct pp_rounds *r, struct held *h, uint32_t from, uint32_t to)
{
	struct segment *const s = segment_of(h);
	const struct pp_record first = record_of_sample(r, h, from);

	return (struct pp_batch){
		.data = segment_bytes(s), .count = to - from,
		.offset = h->offset, .index = first.index, .carried = s->carried, .attrs = first.attrs,
		.at = segment_places(s) + from, .attr = segment_attrs(s) + from,
		.time = segment_times(s) + from,
	};
}

/* What becomes of samples, in order STREAM: keep[0] is that of number `from`. */
static void mark_samples(struct segment *s, uint32_t from, uint32_t to, const bool *keep)
{
	uint8_t *const states = segment_states(s);

	if (!memchr(keep, false, to - from)) {
		memset(states + from, KEPT, to - from);
		return;
	}
	for (uint32_t i = from; i < to; i++)
		states[i] = keep[i - from] ? KEPT : DROPPED;
}

/* Writes those samples that are kept, keep[0] being that of number `from`, or marks them all. */
static int settle_samples(struct pp_rounds *r, struct held *h, uint32_t from, uint32_t to, const bool *keep,
			  struct pp_error *error)
{
	struct segment *const s = segment_of(h);
	uint32_t i = from, first;
	int failed = 0;

	if (r->options.order == PP_ROUNDS_STREAM) {
		mark_samples(s, from, to, keep);
		return 0;
	}
	while (i < to && !failed) {
		while (i < to && !keep[i - from])
			i++;
		first = i;
		while (i < to && keep[i - from])
			i++;
		if (i > first)
			failed = write_paced_samples(r, s, first, i, error);
	}
	forget_samples(r, h, from, to);
	return failed;
}

/*
 * Shows samples to the judge of many; those that it leaves to the other one to that, but none that is later
 * than `alone`.  *to: how far that went.
 */
static int let_judged_samples_go(struct pp_rounds *r, struct held *h, uint32_t from, uint32_t *to,
				 uint64_t alone, struct pp_error *error)
{
	const uint32_t count = *to - from;
	const struct pp_batch batch = batch_of_samples(r, h, from, *to);
	uint32_t done = 0;
	bool keep[PP_BATCH_MOST];
	int result = 0;

	while (!result && done < count) {
		const uint32_t judged = r->options.judge_samples(r->options.arg, &batch, done, keep);

		if (judged > done)
			result = settle_samples(r, h, from + done, from + judged, keep + done, error);
		done = judged;
		if (result || done == count)
			break;
		if (batch.time[done] > alone) {
			*to = from + done;
			break;
		}
		result = let_sample_go(r, h, from + done, error);
		done++;
	}
	return result;
}

/* Samples up to this time may go before what else is in the heap, of which the rival is first. */
static uint64_t last_before(struct held *first, const struct head *rival, uint64_t bound)
{
	if (!rival || rival->key > bound)
		return bound;
	return earlier(first, rival->first) ? rival->key : rival->key - 1;
}

/* The same, where a sample may overtake other samples, but no other record: that may follow each segment. */
static uint64_t last_before_others(const struct pp_rounds *r, size_t count, uint64_t bound)
{
	uint64_t last = bound;

	for (size_t i = 1; i < count; i++) {
		struct held *const other = r->heap[i].first;
		struct segment *const s = segment_of(other);
		uint64_t most;

		if (other->size)
			most = last_before(r->heap->first, &r->heap[i], bound);
		else
			most = segment_times(s)[s->count - 1] - 1;
		if (most < last)
			last = most;
	}
	return last;
}

/* How many samples of the segment at the top of the heap go: those before this number. */
static uint32_t samples_due(struct segment *s, uint64_t last, uint64_t *enough)
{
	const uint64_t *const times = segment_times(s);
	uint32_t i = s->next;

	if (*enough == NEVER) {
		if (times[s->count - 1] <= last)
			return s->count;
		while (++i < s->count && times[i] <= last)
			;
		return i;
	}
	do {
		const uint64_t room = sample_room(segment_size(s, i));

		*enough -= room < *enough ? room : *enough;
		i++;
	} while (i < s->count && *enough && times[i] <= last);
	return i;
}

/* The samples of the first segment of a run before number `to` go. */
static void step_samples(struct pp_rounds *r, struct held_run *run, uint32_t to)
{
	struct held *const h = run->first;
	struct segment *const s = segment_of(h);
	const uint64_t *const times = segment_times(s);

	r->timed -= to - s->next;
	if (times[to - 1] > r->gone)
		r->gone = times[to - 1];
	s->next = to;
	if (to < s->count)
		h->key = times[to];
	else
		run->first = h->next;
}

/*
 * The same of samples that are judged by many, order STREAM, as long as no other record is due: samples of
 * other segments may be older.  Where the judge of one has to see them in the order of their times, one that
 * is its is the last if others are older.
 */
static int let_many_go(struct pp_rounds *r, size_t count, const struct head *rival, uint64_t bound,
		       struct pp_error *error)
{
	uint64_t enough = NEVER;
	struct held_run *const run = r->heap->run;
	struct held *const h = run->first;
	struct segment *const s = segment_of(h);
	const uint32_t from = s->next;
	uint32_t to = samples_due(s, last_before_others(r, count, bound), &enough);
	const int result = let_judged_samples_go(r, h, from, &to, r->options.in_order ?
						 last_before(h, rival, bound) : NEVER, error);

	if (to > from)
		step_samples(r, run, to);
	return result;
}

/* As let_top_go() does a record. */
static int let_segment_go(struct pp_rounds *r, size_t count, const struct head *rival, uint64_t bound,
			  uint64_t *enough, struct pp_error *error)
{
	struct held_run *const run = r->heap->run;
	struct held *const h = run->first;
	struct segment *const s = segment_of(h);
	const bool many = r->options.judge_samples;
	const bool in_order = r->options.order == PP_ROUNDS_TIME || r->options.in_order;
	const uint32_t from = s->next;
	uint32_t to;

	if (many && r->options.order == PP_ROUNDS_STREAM && *enough == NEVER)
		return let_many_go(r, count, rival, bound, error);
	to = samples_due(s, r->options.judge && !(many && in_order) ? 0 : last_before(h, rival, bound),
			 enough);
	step_samples(r, run, to);
	if (many && in_order)
		return let_judged_samples_go(r, h, from, &to, NEVER, error);
	/* a judge is shown one after the other */
	return r->options.judge ? let_sample_go(r, h, from, error) :
				  let_samples_go(r, h, from, to, error);
}

/* The first of a run that is no segment. */
static int let_record_go(struct pp_rounds *r, struct held_run *run, bool timed, uint64_t *enough,
			 struct pp_error *error)
{
	struct held *const h = run->first;
	const uint64_t room = room_of(h);
	int result;

	step(r, run);
	r->timed -= timed;
	if (timed && r->heap->key > r->gone)
		r->gone = r->heap->key;
	result = let_one_go(r, h, error);
	if (!result && *enough != NEVER)
		*enough -= room < *enough ? room : *enough;
	return result;
}

/* The number of the first sample from `i` on that is later than this, or of the segment's last one. */
static inline uint32_t pass_samples(struct segment *s, uint32_t i, uint64_t last)
{
	const uint64_t *const times = segment_times(s);

	while (i + 1 < s->count && times[i] <= last)
		i++;
	return i;
}

/* The samples before number `to` went. */
static void note_gone(struct pp_rounds *r, struct head *head, uint32_t to)
{
	struct segment *const s = segment_of(head->first);
	const uint64_t *const times = segment_times(s);

	if (to == s->next)
		return;
	r->timed -= to - s->next;
	if (times[to - 1] > r->gone)
		r->gone = times[to - 1];
	forget_samples(r, head->first, s->next, to);
	s->next = to;
	head->first->key = head->key = times[to];
}

/*
 * Lets samples of two segments go in turns, those up to this time, and of neither the last one: CPUs that
 * worked at the same time have few samples between two of another, which are too few for a heap.
 */
static int merge_segments(struct pp_rounds *r, struct head *a, struct head *b, uint64_t most,
			  struct pp_error *error)
{
	struct segment *const s = segment_of(a->first), *const t = segment_of(b->first);
	const bool first = earlier(a->first, b->first);
	uint32_t i = s->next, j = t->next, more;
	bool failed = false;

	do {
		const uint32_t from = i, other = j;

		i = pass_samples(s, i, least_time(most, segment_times(t)[j] - !first));
		failed = i > from && write_samples(r, s, from, i, error);
		if (failed)
			break;
		j = pass_samples(t, j, least_time(most, segment_times(s)[i] - first));
		failed = j > other && write_samples(r, t, other, j, error);
		more = i - from + (j - other);
	} while (more && !failed);
	note_gone(r, a, i);
	note_gone(r, b, j);
	return failed ? -1 : 0;
}

static bool has_samples(const struct head *head)
{
	const struct segment *const s = segment_of(head->first);

	return !head->first->size && s->next + 1 < s->count;
}

/* The samples of the first two segments, as far as nothing else comes between: whether there were any. */
static bool let_two_go(struct pp_rounds *r, size_t count, uint64_t bound, int *result, struct pp_error *error)
{
	struct head *const heap = r->heap;
	const size_t rival = count > 2 && before_head(NULL, &heap[2], &heap[1]) ? 2 : 1;
	const size_t others[] = { 3 - rival, 2 * rival + 1, 2 * rival + 2 };
	uint64_t most = bound;

	if (r->options.judge || pp_paced(&r->pace) || r->options.order != PP_ROUNDS_TIME || count < 2)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] < count && heap[others[i]].key <= most)
			most = heap[others[i]].key - 1;
	if (heap[rival].key > most || !has_samples(heap) || !has_samples(&heap[rival]))
		return false;
	*result = merge_segments(r, heap, &heap[rival], most, error);
	sift_down(heap, count, rival, NULL);
	return true;
}

/* Lets the top of the heap go, and what follows it in its run, as long as no other is due. */
static int let_top_go(struct pp_rounds *r, size_t count, uint64_t bound, uint64_t *enough,
		      struct pp_error *error)
{
	struct head *const top = r->heap;
	struct held_run *const run = top->run;
	const bool timed = run != &r->untimed && run != &r->ends;
	const struct head *rival = count > 1 ? &r->heap[1] : NULL;
	int result;

	if (*enough == NEVER && let_two_go(r, count, bound, &result, error))
		return result;
	if (count > 2 && before_head(NULL, &r->heap[2], rival))
		rival = &r->heap[2];
	do {
		if (run->first->size)
			result = let_record_go(r, run, timed, enough, error);
		else
			result = let_segment_go(r, count, rival, bound, enough, error);
		if (result)
			return result;
		if (!run->first)
			return 0;
		top->key = key_of(r, run);
		top->first = run->first;
	} while (*enough && top->key <= bound && (!rival || before_head(NULL, top, rival)));
	return 0;
}

static void forget_empty_runs(struct pp_rounds *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_runs; i++) {
		if (r->runs[i].first)
			r->runs[kept++] = r->runs[i];
	}
	r->n_runs = kept;
	r->hint = 0;
}

int pp_rounds_let_some_go(struct pp_rounds *r, uint64_t bound, uint64_t *enough, struct pp_error *error)
{
	size_t count;
	int result = make_heap(r, bound, &count, error);

	while (!result && count && *enough && r->heap->key <= bound) {
		const struct head *const top = r->heap;

		result = let_top_go(r, count, bound, enough, error);
		if (!top->run->first || top->key > bound)
			r->heap[0] = r->heap[--count];
		if (count)
			sift_down(r->heap, count, 0, NULL);
	}
	forget_empty_runs(r);
	if (result >= 0 && r->options.judged && r->options.judged(r->options.arg, error) < 0)
		return -1;
	if (r->options.order == PP_ROUNDS_STREAM && write_front(r, error) < 0)
		return -1;
	if (r->rounds_due != NEVER)
		r->rounds_due = r->rounds_judged;
	return result;
}
