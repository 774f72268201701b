/*
 * rounds.c - holds records for two rounds and releases them in the order of their times.
 *
 *	arrives     5 7 9 | 4 6 8 | R1 | 12 14 | 10 11 | R2 | 15 ...      R: FINISHED_ROUND
 *	runs        5 7 9   4 6 8        12 14   10 11                    each ascends
 *	released                                          4 5 6 7 8 9     at R2
 *
 * R2 says that all buffers were read twice: nothing that comes after it is older than 9, the newest
 * before R1.  So at each round what is not newer than the round before goes.
 *
 * Records are copied to where round_buffer.c keeps them.  Those with a time are linked into ascending
 * runs as they arrive; the release merges the runs.  Streams are long ascending runs (a buffer of one
 * CPU after another), in which a few records come microseconds late: so a record joins the run that
 * ends at the largest time that is not larger than its own, which is nearly always the run of the
 * record before.
 */
#include <perfpipe/batch.h>

#include "base/sized_options.h"
#include "base/array.h"
#include "base/heap.h"
#include "order/round_buffer.h"
#include "read/reader_internal.h"
#include "write/round_interval.h"

#include <stdlib.h>

enum { BORROW = 2048 };			/* a longer record is written without being copied */

/* What few records need stays out of the way of the others. */
#define RARE __attribute__((noinline, cold))

static const uint64_t LIMIT = UINT64_C(256) << 20;

struct held_run {
	uint64_t end;			/* key of `last` */
	struct held *first, *last;	/* NULL: empty */
};

/*
 * Records without a time go before the smallest time that comes after them while they are
 * held.  That can only grow from one to the next, so that neighbours share it: a group.
 */
struct round_group {
	uint64_t key;
	struct held *first;
};

struct head {
	uint64_t key;
	struct held *first;
	struct held_run *run;
};

struct pp_rounds {
	struct pp_rounds_options options;
	struct pp_reader *reader;
	struct pp_writer *writer;
	struct pp_rounds_stats stats;
	const struct pp_attrs *attrs;
	uint64_t index;			/* of the record put last */

	uint64_t timed;			/* records with a time that are to be released */
	uint64_t seen;			/* largest time so far */
	uint64_t newest;		/* time at the end of all that wait, as perf counts it */
	uint64_t bound;			/* `newest` at the last round: what the next one releases; 0: none */
	uint64_t gone;			/* largest time that was released */
	struct due {			/* lazy: what may go */
		bool there;
		uint64_t bound, bytes;	/* up to this time, and so much of it */
	} due;
	bool stopped;			/* the judge said so */
	bool ending;			/* lazy: the last new round is due after what is released */
	/* With options.round a round waits until what follows it was judged: so many were judged, may
	 * go, and went. */
	uint64_t rounds_judged, rounds_due, rounds_gone;
	struct pp_round_interval pace;		/* of new rounds */

	struct held_run *runs;		/* of timed records, by descending end */
	size_t n_runs, room_runs, hint;
	struct held_run untimed, ends;	/* records without a time; rounds */
	struct round_group *groups;		/* of `untimed`: from `group` to before `n_groups` */
	size_t group, n_groups, room_groups;
	struct head *heap;
	size_t room_heap;

	struct pp_hold hold;		/* all records */
	const struct tail *shown;	/* of the record that the judge is shown, or NULL ... */
	uint64_t told;			/* ... and how many bytes of it were handed out */
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

/* Short records are copied: that is cheaper than a vector for each. */
static int write_held(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	uint8_t *const data = bytes_of(h);
	const size_t size = pp_load16(data + 6);

	if (h->round)
		return write_round(r, h, error);
	if (h->key && pp_paced(&r->pace) && pp_pace(&r->pace, r->writer, h->key, size, error))
		return -1;
	if (size < BORROW || h->tail) {
		if (pp_writer_copy(r->writer, data, size, error))
			return -1;
		return h->tail ? write_held_tail(r, tail_of(h), error) : 0;
	}
	r->hold.borrowed = true;
	return pp_writer_put(r->writer, data, size, error);
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

/* Order STREAM: writes from the front on what was judged. */
static int write_front(struct pp_rounds *r, struct pp_error *error)
{
	while (r->hold.bytes) {
		struct chunk *const chunk = r->hold.front;
		struct held *const h = (struct held *)(void *)((uint8_t *)chunk + r->hold.front_at);

		if (r->hold.front_at == chunk->used) {
			r->hold.front = chunk->next;
			r->hold.front_at = CHUNK_START;
			pp_hold_free_chunk(&r->hold, chunk);
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

/* ---- records into runs ---- */

static void append(struct held_run *run, struct held *h)
{
	if (run->first)
		run->last->next = h;
	else
		run->first = h;
	run->last = h;
	run->end = h->key;
}

/* The first run that ends no later than `time`; their number if there is none. */
static size_t find_run(const struct pp_rounds *r, uint64_t time)
{
	size_t low = 0, high = r->n_runs;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (r->runs[middle].end <= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Runs stay in their order: those before it end later than this record, those after it earlier. */
static int add_timed(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	size_t i = r->hint;

	if (i >= r->n_runs || r->runs[i].end > h->key || (i && r->runs[i - 1].end <= h->key))
		i = find_run(r, h->key);
	if (i == r->n_runs) {
		if (PP_GROW(&r->runs, &r->room_runs, i + 1, error))
			return -1;
		r->runs[r->n_runs++] = (struct held_run){ .first = NULL };
	}
	append(&r->runs[i], h);
	r->hint = i;
	r->timed++;
	return 0;
}

/* A time came: records without one that wait for a larger time now wait for this one. */
static void lower_round_groups(struct pp_rounds *r, uint64_t time)
{
	struct round_group *top;

	if (r->group == r->n_groups)
		return;
	top = &r->groups[r->n_groups - 1];
	if (top->key <= time)
		return;
	while (top > &r->groups[r->group] && top[-1].key >= time) {
		top--;
		r->n_groups--;
	}
	top->key = time;
}

RARE static int add_untimed(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	if (r->group != r->n_groups && r->groups[r->n_groups - 1].key == NEVER) {
		append(&r->untimed, h);
		return 0;
	}
	if (r->group > r->n_groups / 2) {
		memmove(r->groups, r->groups + r->group,
			(r->n_groups - r->group) * sizeof(*r->groups));
		r->n_groups -= r->group;
		r->group = 0;
	}
	if (PP_GROW(&r->groups, &r->room_groups, r->n_groups + 1, error))
		return -1;
	r->groups[r->n_groups++] = (struct round_group){ .key = NEVER, .first = h };
	append(&r->untimed, h);
	return 0;
}

/* ---- letting go: runs are merged ---- */

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

/* Lets the top of the heap go, and what follows it in its run, as long as no other is due. */
static int let_top_go(struct pp_rounds *r, size_t count, uint64_t bound, uint64_t *enough,
		      struct pp_error *error)
{
	struct head *const top = r->heap;
	struct held_run *const run = top->run;
	const bool timed = run != &r->untimed && run != &r->ends;
	const struct head *rival = count > 1 ? &r->heap[1] : NULL;

	if (count > 2 && before_head(NULL, &r->heap[2], rival))
		rival = &r->heap[2];
	do {
		struct held *const h = run->first;
		const uint64_t room = room_of(h);
		int result;

		step(r, run);
		r->timed -= timed;
		if (timed && top->key > r->gone)
			r->gone = top->key;
		result = let_one_go(r, h, error);
		if (result)
			return result;
		*enough -= room < *enough ? room : *enough;
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

/*
 * Lets all go whose time is not larger than `bound`, in their order, or the first of them,
 * *enough bytes, of which it says how many did not go.  0, 1 (the judge said stop), -1.
 */
static int let_some_go(struct pp_rounds *r, uint64_t bound, uint64_t *enough, struct pp_error *error)
{
	size_t count;
	int result = make_heap(r, bound, &count, error);

	while (!result && count && *enough) {
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

static int let_go(struct pp_rounds *r, uint64_t bound, uint64_t enough, struct pp_error *error)
{
	return let_some_go(r, bound, &enough, error);
}

/* Where no times wait, nothing has a reason to: all that is left goes. */
static int let_rest_go(struct pp_rounds *r, int result, struct pp_error *error)
{
	return result || r->timed ? result : let_go(r, NEVER, NEVER, error);
}

/* What others hold is not ours to hold; but a quarter is. */
static bool too_much(const struct pp_rounds *r)
{
	const uint64_t limit = r->options.limit, least = limit / 4;
	const uint64_t others = r->options.budget ? r->options.budget->held : 0;

	return r->hold.bytes > (others < limit - least ? limit - others : least);
}

/* More is held than may be: the older half goes before its round is over. */
RARE static int overflow(struct pp_rounds *r, struct pp_error *error)
{
	int result;

	r->stats.overflows++;
	if (r->options.lazy) {
		r->due = (struct due){ true, NEVER, r->hold.bytes / 2 };
		return 0;
	}
	result = let_go(r, NEVER, r->hold.bytes / 2, error);
	if (!result && too_much(r))
		result = let_go(r, NEVER, NEVER, error);
	return let_rest_go(r, result, error);
}

/* ---- taking records ---- */

/* A round is written after the largest time that it has seen. */
RARE static int end_round(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	const uint64_t bound = r->bound;
	int result = 0;

	if (r->group != r->n_groups && r->groups[r->n_groups - 1].key == NEVER)
		r->groups[r->n_groups - 1].key = r->newest;
	h->key = r->newest;
	append(&r->ends, h);
	r->bound = r->newest;
	if (r->options.lazy && bound) {
		r->due = (struct due){ true, bound, NEVER };
		return 0;
	}
	if (bound)
		result = let_go(r, bound, NEVER, error);
	return let_rest_go(r, result, error);
}

static void note_time(struct pp_rounds *r, uint64_t time)
{
	if (time < r->seen)
		r->stats.disorder++;
	else
		r->seen = time;
	if (time < r->gone) {
		r->stats.late++;
		if (r->gone - time > r->stats.worst)
			r->stats.worst = r->gone - time;
	}
	/* As perf has it: where nothing waits, a late record makes it smaller. */
	if (!r->timed || time >= r->newest)
		r->newest = time;
}

/* Nothing is held, and this one need not be. */
RARE static int pass(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_record copy = *rec;
	int verdict = PP_KEEP;

	if (r->options.judge)
		verdict = r->options.judge(r->options.arg, &copy, error);
	if (verdict == PP_STOP)
		r->stopped = true;
	if (verdict != PP_KEEP)
		return verdict < 0 ? -1 : verdict == PP_STOP;
	if (pp_paced(&r->pace) && pp_pace_replaces(&copy))
		return 0;
	return pp_writer_pass(r->writer, r->reader, &copy, error);
}

/* Holds a record that has a time, and so no tail. */
static inline int take_timed(struct pp_rounds *r, const struct pp_record *rec, uint64_t time,
			     struct pp_error *error)
{
	struct held *h;

	note_time(r, time);
	h = hold_record(&r->hold, rec, error);
	if (!h)
		return -1;
	if (r->hold.bytes > r->stats.largest)
		r->stats.largest = r->hold.bytes;
	h->key = time;
	lower_round_groups(r, time);
	if (add_timed(r, h, error) < 0) {
		unhold(&r->hold, h);
		return -1;
	}
	return r->due.there || !too_much(r) ? 0 : overflow(r, error);
}

static int add(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	struct held *const h = hold_record(&r->hold, rec, error);

	if (!h)
		return -1;
	if (r->hold.bytes > r->stats.largest)
		r->stats.largest = r->hold.bytes;
	if (rec->tail && pp_hold_tail(&r->hold, h, r->reader, error) < 0) {
		unhold(&r->hold, h);
		return -1;
	}
	h->round = rec->type == PP_REC_FINISHED_ROUND;
	if (h->round && pp_is_round(rec))
		return end_round(r, h, error);
	if (add_untimed(r, h, error) < 0) {
		unhold(&r->hold, h);
		return -1;
	}
	return 0;
}

RARE static int take_untimed(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	/* without a writer the tail is the judge's: it is held until all of it is there */
	/* A map or a name without a time, read when the recording was over, holds for all of it.  Where
	 * nothing is written it comes before what is held, as in perf: a kernel's map may be the last of
	 * all records. */
	const bool early = !r->writer && rec->type < PP_USER_TYPES;
	const bool passes = (early || !r->timed) && (r->writer || !rec->tail) &&
			    !(r->options.round && r->hold.bytes);
	int result;

	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec))
		r->stats.rounds++;
	if (passes)
		return pass(r, rec, error);
	result = add(r, rec, error);
	if (!r->timed && !r->due.there)
		result = let_rest_go(r, result, error);
	if (result || r->due.there || !too_much(r))
		return result;
	return overflow(r, error);
}

int pp_rounds_put(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time;

	if (r->stopped)
		return 1;
	r->index = rec->index;
	r->attrs = rec->attrs;
	return rec->type < PP_USER_TYPES && pp_time(rec, &time) ? take_timed(r, rec, time, error) :
								   take_untimed(r, rec, error);
}

int pp_rounds_put_batch(struct pp_rounds *r, const struct pp_batch *batch, uint32_t *from,
			struct pp_error *error)
{
	int result = 0;

	while (!result && *from < batch->count) {
		struct pp_record rec, untimed;   /* the first need not be in memory */
		const uint32_t i = (*from)++;
		uint64_t time;

		if (r->stopped)
			return 1;
		pp_batch_record(batch, i, &rec);
		r->index = rec.index;
		r->attrs = rec.attrs;
		if (pp_time(&rec, &time)) {
			result = take_timed(r, &rec, time, error);
		} else {
			pp_batch_record(batch, i, &untimed);
			result = take_untimed(r, &untimed, error);
		}
	}
	return result;
}

enum pp_status pp_rounds_tail(struct pp_rounds *r, const void **piece, size_t *size, struct pp_error *error)
{
	const int got = r->shown ? pp_hold_piece(&r->hold, r->shown, r->told, piece, size, error) : 0;

	r->told += got > 0 ? *size : 0;
	return got;
}

int pp_rounds_end(struct pp_rounds *r, struct pp_error *error)
{
	int result;

	if (r->writer)
		pp_reader_warn(r->reader, r->writer);
	if (r->stopped)
		return 0;
	if (r->options.lazy) {
		r->due = (struct due){ true, NEVER, NEVER };
		r->ending = true;
		return 0;
	}
	r->rounds_due = NEVER;
	result = let_go(r, NEVER, NEVER, error);
	if (result >= 0)
		result = pp_pace_end(&r->pace, r->writer, error);
	/* what adds records up needs memory now */
	if (!result && !r->writer)
		pp_hold_empty(&r->hold);
	return result < 0 ? -1 : 0;
}

enum pp_status pp_rounds_more(struct pp_rounds *r, uint64_t enough, struct pp_error *error)
{
	struct due *const due = &r->due;
	uint64_t left;
	int result;

	if (!due->there || r->stopped)
		return 0;
	enough = left = enough < due->bytes ? enough : due->bytes;
	result = let_some_go(r, due->bound, &left, error);
	if (due->bytes != NEVER)
		due->bytes -= enough - left;
	due->there = !left && due->bytes && !r->stopped;
	if (!due->there)
		result = let_rest_go(r, result, error);
	if (result >= 0 && !due->there && r->ending)
		result = pp_pace_end(&r->pace, r->writer, error);
	return result < 0 ? -1 : due->there;
}

const struct pp_rounds_stats *pp_rounds_stats(const struct pp_rounds *r)
{
	return &r->stats;
}

struct pp_rounds *pp_rounds_open(const struct pp_rounds_options *options, struct pp_reader *reader,
				 struct pp_writer *writer, struct pp_error *error)
{
	struct pp_rounds *const r = calloc(1, sizeof(*r));

	if (!r) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (pp_options_take(&r->options, sizeof(r->options), options, error)) {
		free(r);
		return NULL;
	}
	if (!r->options.limit)
		r->options.limit = LIMIT;
	if (r->options.order == PP_ROUNDS_TIME)
		r->pace.every = r->options.every;
	r->reader = reader;
	r->writer = writer;
	pp_hold_open(&r->hold, r->options.order == PP_ROUNDS_TIME, r->options.thrifty, writer);
	return r;
}

void pp_rounds_prepare(struct pp_rounds *r)
{
	pp_hold_prepare(&r->hold);
}

void pp_rounds_close(struct pp_rounds *r)
{
	if (!r)
		return;
	pp_hold_close(&r->hold);
	free(r->runs);
	free(r->groups);
	free(r->heap);
	free(r);
}
