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
 * record before.  Samples that come in batches are copied as segments, which ascend: of these there are fewer
 * by far, and what follows each other and stays is written at once.
 */
#include "base/array.h"
#include "base/sized_options.h"
#include "order/rounds_state.h"
#include "read/reader_internal.h"

#include <stdlib.h>

enum {
	SEGMENT_LEAST = 8,		/* fewer samples are held one by one */
	SEGMENT_MOST  = 32 << 10,	/* bytes; what a chunk has no room for is lost to it */
};

static const uint64_t LIMIT = UINT64_C(256) << 20;

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

/* Runs stay in their order: those before it end later than this record, those after it earlier.  The last
 * time is that of the record, or of the last sample of a segment. */
static int add_timed(struct pp_rounds *r, struct held *h, uint64_t last, struct pp_error *error)
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
	r->runs[i].end = last;
	r->hint = i;
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

/* ---- letting go ---- */

static int let_go(struct pp_rounds *r, uint64_t bound, uint64_t enough, struct pp_error *error)
{
	return pp_rounds_let_some_go(r, bound, &enough, error);
}

/* Where no times wait, nothing has a reason to: all that is left goes. */
static int let_rest_go(struct pp_rounds *r, int result, struct pp_error *error)
{
	return result || r->timed ? result : let_go(r, NEVER, NEVER, error);
}

/* How much may be held: what others hold is not ours to hold; but a quarter is. */
static uint64_t most_held(const struct pp_rounds *r)
{
	const uint64_t limit = r->options.limit, least = limit / 4;
	const uint64_t others = r->options.budget ? r->options.budget->held : 0;

	return others < limit - least ? limit - others : least;
}

static bool too_much(const struct pp_rounds *r)
{
	return r->hold.bytes > most_held(r);
}

static uint64_t room_left(const struct pp_rounds *r)
{
	const uint64_t most = most_held(r);

	return r->hold.bytes < most ? most - r->hold.bytes : 0;
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

/* How many of these times, which ascend, are smaller than this one. */
static uint32_t count_smaller(const uint64_t *times, uint32_t count, uint64_t than)
{
	uint32_t i = 0;

	if (times[count - 1] < than)
		return count;
	while (times[i] < than)
		i++;
	return i;
}

/* note_time() of times that ascend. */
static void note_times(struct pp_rounds *r, const uint64_t *times, uint32_t count)
{
	const uint32_t i = count_smaller(times, count, r->gone);
	const uint64_t last = times[count - 1];

	r->stats.disorder += count_smaller(times, count, r->seen);
	r->stats.late += i;
	if (i && r->gone - times[0] > r->stats.worst)
		r->stats.worst = r->gone - times[0];
	if (last > r->seen)
		r->seen = last;
	if (!r->timed || last > r->newest)
		r->newest = last;
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
	if (add_timed(r, h, time, error) < 0) {
		unhold(&r->hold, h);
		return -1;
	}
	r->timed++;
	return r->due.there || !too_much(r) ? 0 : overflow(r, error);
}

/* Samples of a batch that are held together. */
struct held_samples {
	const struct pp_batch *batch;
	uint32_t from, count;
	bool even;                      /* their sizes are multiples of 8 */
	uint64_t room;                  /* what they count as */
};

/* The first of these samples for which there is room, and what they count as. */
static void fit_samples(struct held_samples *of, uint64_t left)
{
	const uint32_t *const at = of->batch->at + of->from;

	of->room = of->count * sizeof(struct held) + at[of->count] - at[0];
	if (of->even && of->room <= left)
		return;
	of->room = 0;
	for (uint32_t i = 0; i < of->count; i++) {
		const uint64_t more = sample_room(at[i + 1] - at[i]);

		if (of->room + more > left)
			of->count = i;
		else
			of->room += more;
	}
}

/*
 * How many samples of a batch, from one on, can be held together: their times ascend, none is long, and
 * there is room for all, so that none of them makes others go.
 */
static struct held_samples find_segment(const struct pp_rounds *r, const struct pp_batch *batch,
					uint32_t from)
{
	struct held_samples of = { .batch = batch, .from = from };
	const uint32_t start = batch->at[from];
	uint64_t before = 1;            /* 0 is no time */
	uint32_t i = from, odd = 0;

	for (; i < batch->count; i++) {
		const uint32_t end = batch->at[i + 1] - start;

		if (batch->time[i] < before || end > SEGMENT_MOST)
			break;
		before = batch->time[i];
		odd |= end;
	}
	of.count = i - from;
	of.even = !(odd % 8);
	fit_samples(&of, room_left(r));
	return of;
}

static void fill_segment(struct segment *s, const struct held_samples *of)
{
	const struct pp_batch *const batch = of->batch;
	const uint32_t from = of->from, count = of->count, start = batch->at[from];
	uint32_t *const at = segment_places(s);

	s->carried = batch->carried;
	s->even = of->even;
	memcpy(segment_times(s), batch->time + from, count * sizeof(*batch->time));
	memcpy(segment_attrs(s), batch->attr + from, count * sizeof(*batch->attr));
	for (uint32_t i = 0; i <= count; i++)
		at[i] = batch->at[from + i] - start;
	memset(segment_states(s), WAITING, count);
	memcpy(segment_bytes(s), batch->data + start, at[count]);
}

/* Holds samples of which find_segment() says that they can be. */
static int take_segment(struct pp_rounds *r, const struct held_samples *of, struct pp_error *error)
{
	const struct pp_batch *const batch = of->batch;
	const uint64_t *const times = batch->time + of->from;
	const uint32_t count = of->count, *const at = batch->at + of->from;
	struct held *const h = hold_segment(&r->hold, count, at[count] - at[0], error);
	struct pp_record first;

	if (!h)
		return -1;
	pp_batch_record(batch, of->from, &first);
	r->index = batch->carried ? first.index : first.index + count - 1;
	r->attrs = batch->attrs;
	h->key = times[0];
	h->offset = first.offset & ((UINT64_C(1) << 48) - 1);
	h->index = first.index & ((1U << 28) - 1);
	fill_segment(segment_of(h), of);
	note_times(r, times, count);
	lower_round_groups(r, times[0]);
	if (add_timed(r, h, times[count - 1], error) < 0)
		return -1;
	r->timed += count;
	r->hold.bytes += of->room;
	if (r->hold.bytes > r->stats.largest)
		r->stats.largest = r->hold.bytes;
	return 0;
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

/* The first of so many samples, one by one, until one is not taken. */
static int put_samples(struct pp_rounds *r, const struct pp_batch *batch, uint32_t *from, uint32_t count,
		       struct pp_error *error)
{
	int result = 0;

	while (!result && count--) {
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

int pp_rounds_put_batch(struct pp_rounds *r, const struct pp_batch *batch, uint32_t *from,
			struct pp_error *error)
{
	int result = 0;

	while (!result && *from < batch->count) {
		struct held_samples of = { .count = 0 };

		if (!r->stopped)
			of = find_segment(r, batch, *from);
		if (of.count < SEGMENT_LEAST) {
			result = put_samples(r, batch, from, of.count ? of.count : 1, error);
		} else {
			result = take_segment(r, &of, error);
			*from += of.count;
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
	result = pp_rounds_let_some_go(r, due->bound, &left, error);
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
