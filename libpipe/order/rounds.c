/*
 * rounds.c - holds records for two rounds and lets them go in time order; when a round is
 * due is left to who wrote the stream, what becomes of a record to the judge.
 *
 * Records are copied into chunks, one behind the other, each with a small head before it.
 * Those with a time are linked into ascending runs as they arrive; letting go merges the
 * runs.  Streams are long ascending runs (a buffer of one CPU after another), in which a
 * few records come microseconds late: so a record joins the run that ends at the largest
 * time that is not larger than its own, which is nearly always the run of the record before.
 */
#include "base/options.h"
#include "base/grow.h"
#include "base/spool.h"
#include "write/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CHUNK       = 256 << 10,	/* also its alignment: the chunk of a record is its address, masked */
	BLOCK       = 2 << 20,		/* of chunks, where many are held: a page, if the kernel has such */
	SINGLE      = 16,		/* chunks that are got one by one, before any block */
	INLINE_TAIL = 64 << 10,		/* a longer tail goes to a file */
	PIECE       = 64 << 10,
	BORROW      = 2048,		/* a longer record is written from where it lies */
};

/* What few records need stays out of the way of the others. */
#define RARE __attribute__((noinline, cold))

static const uint64_t LIMIT = UINT64_C(256) << 20;
static const uint64_t NEVER = UINT64_MAX;	/* as a time: later than all */

/* Its records begin behind it. */
struct chunk {
	struct chunk *next;		/* order STREAM: filled after this one.  Or the next spare one */
	uint64_t number;		/* chunks are numbered as they are filled */
	uint32_t used, live;		/* bytes, records */
	size_t block;			/* of those that were got alone: which of `blocks` it is */
};

enum state { WAITING, KEPT, DROPPED };

/* The head of a record that is held; its bytes follow, then, in a multiple of 8, a tail. */
struct held {
	uint64_t key;			/* time; what it counts as, of a round; 0 of others */
	struct held *next;		/* in its run */
	uint64_t offset : 48;
	uint64_t size   : 16;		/* of the record as it came */
	uint32_t attr;			/* ordinal + 1; 0: none */
	uint32_t index  : 28;		/* the low bits */
	uint32_t state  : 2;
	uint32_t round  : 1;		/* a FINISHED_ROUND of any kind: for pp_writer_pass() */
	uint32_t tail   : 1;		/* a struct tail follows */
};

/* The bytes follow it, unless they were spilled. */
struct tail {
	uint64_t size, at;		/* place in the file, or NEVER */
};

struct run {
	uint64_t end;			/* key of `last` */
	struct held *first, *last;	/* NULL: empty */
};

/*
 * Records without a time stand before the smallest time that comes after them while they are
 * held.  That can only grow from one to the next, so that neighbours share it: a group.
 */
struct group {
	uint64_t key;
	struct held *first;
};

struct head {
	uint64_t key;
	struct held *first;
	struct run *run;
};

struct pp_rounds {
	struct pp_rounds_options options;
	struct pp_reader *reader;
	struct pp_writer *writer;
	struct pp_rounds_stats stats;
	const struct pp_attrs *attrs;
	uint64_t index;			/* of the record put last */

	uint64_t bytes;			/* held */
	uint64_t timed;			/* records with a time that are to be let go */
	uint64_t seen;			/* largest time so far */
	uint64_t newest;		/* time at the end of all that wait, as perf counts it */
	uint64_t bound;			/* `newest` at the last round: what the next one lets go; 0: none */
	uint64_t gone;			/* time that was let go last */
	struct due {			/* lazy: what may go */
		bool there;
		uint64_t bound, bytes;	/* up to this time, and so much of it */
	} due;
	bool stopped;			/* the judge said so */
	struct pp_pace pace;		/* of new rounds */

	struct run *runs;		/* of timed records, by descending end */
	size_t n_runs, room_runs, hint;
	struct run untimed, ends;	/* records without a time; rounds */
	struct group *groups;		/* of `untimed`: from `group` to before `n_groups` */
	size_t group, n_groups, room_groups;
	struct head *heap;
	size_t room_heap;

	struct chunk *fill, *spare;
	struct chunk *front;		/* order STREAM: the next to be written is there ... */
	uint32_t front_at;
	void **blocks;			/* chunks, one by one or many together */
	size_t n_blocks, room_blocks;
	uint64_t filled;
	bool borrowed;			/* the writer may hold on to bytes of chunks */

	int spill;			/* file for large tails, or -1 */
	uint64_t spill_end, spilled;	/* bytes; tails that are there */
	uint8_t *piece;
	const struct tail *shown;	/* of the record that the judge is shown, or NULL ... */
	uint64_t told;			/* ... and how many bytes of it were told */
};

/* ---- chunks and what is in them ---- */

static const uint32_t CHUNK_START = (sizeof(struct chunk) + 7) & ~7U;

static struct chunk *chunk_of(struct held *h)
{
	return (struct chunk *)((uintptr_t)h & ~(uintptr_t)(CHUNK - 1));
}

static uint8_t *bytes_of(struct held *h)
{
	return (uint8_t *)(h + 1);
}

static struct tail *tail_of(struct held *h)
{
	return (struct tail *)(void *)(bytes_of(h) + pp_align8(h->size));
}

static uint64_t tail_room(uint64_t size)
{
	return sizeof(struct tail) + (size <= INLINE_TAIL ? pp_align8(size) : 0);
}

static size_t room_of(struct held *h)
{
	return sizeof(*h) + pp_align8(h->size) + (h->tail ? tail_room(tail_of(h)->size) : 0);
}

/* Whether `a` came before `b`. */
static bool earlier(struct held *a, struct held *b)
{
	const uint64_t first = chunk_of(a)->number, second = chunk_of(b)->number;

	return first != second ? first < second : a < b;
}

/* So much, aligned to it, and no address more: malloc() would take twice as many. */
static void *map_block(size_t size)
{
	uint8_t *const map = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const size_t lead = -(uintptr_t)map & (size - 1);

	if (map == MAP_FAILED)
		return NULL;
	if (lead)
		munmap(map, lead);
	munmap(map + lead + size, size - lead);
	return map + lead;
}

static size_t block_size(const struct pp_rounds *r, size_t block)
{
	return block < SINGLE || r->options.thrifty ? CHUNK : BLOCK;
}

static void free_chunk(struct pp_rounds *r, struct chunk *chunk)
{
	struct chunk *last;

	if (!r->options.thrifty || r->n_blocks <= SINGLE) {
		chunk->next = r->spare;
		r->spare = chunk;
		return;
	}
	if (r->borrowed)
		(void)pp_writer_flush(r->writer, NULL);
	r->borrowed = false;
	last = r->blocks[--r->n_blocks];
	last->block = chunk->block;
	r->blocks[last->block] = last;
	munmap(chunk, CHUNK);
}

/*
 * Streams whose rounds are small are held in little memory.  Where they are large, most of the
 * time would go by in faults of small pages.  NULL: out of memory.
 */
static struct chunk *new_chunk(struct pp_rounds *r)
{
	const size_t size = block_size(r, r->n_blocks);
	uint8_t *block;

	if (PP_GROW(&r->blocks, &r->room_blocks, r->n_blocks + 1, NULL))
		return NULL;
	block = map_block(size);
	if (!block)
		return NULL;
	/* before it is touched; where it is refused the pages are small */
	if (size == BLOCK)
		(void)madvise(block, size, MADV_HUGEPAGE);
	((struct chunk *)(void *)block)->block = r->n_blocks;
	r->blocks[r->n_blocks++] = block;
	for (size_t at = size - CHUNK; at; at -= CHUNK)
		free_chunk(r, (struct chunk *)(void *)(block + at));
	return (struct chunk *)(void *)block;
}

/* Another chunk to fill; NULL and *error. */
RARE static struct chunk *next_chunk(struct pp_rounds *r, struct pp_error *error)
{
	struct chunk *chunk = r->spare;

	if (chunk && r->borrowed) {
		/* A failure shows at the next write. */
		(void)pp_writer_flush(r->writer, NULL);
		r->borrowed = false;
	}
	if (chunk)
		r->spare = chunk->next;
	else
		chunk = new_chunk(r);
	if (!chunk) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	*chunk = (struct chunk){ .number = r->filled++, .used = CHUNK_START, .block = chunk->block };
	if (!r->front) {
		r->front = chunk;
		r->front_at = CHUNK_START;
	}
	if (r->fill)
		r->fill->next = chunk;
	if (r->fill && !r->fill->live && r->options.order == PP_ROUNDS_TIME)
		free_chunk(r, r->fill);
	return r->fill = chunk;
}

/* Copies a record, without its tail, for which there is room behind it. */
static struct held *hold(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	const uint64_t room = sizeof(struct held) + pp_align8(rec->size) +
			      (rec->tail ? tail_room(rec->tail) : 0);
	struct chunk *chunk = r->fill;
	struct held *h;

	if (!chunk || room > CHUNK - chunk->used)
		chunk = next_chunk(r, error);
	if (!chunk)
		return NULL;
	h = (struct held *)(void *)((uint8_t *)chunk + chunk->used);
	*h = (struct held){
		.offset = rec->offset & ((UINT64_C(1) << 48) - 1), .size = rec->size,
		.attr = rec->attr ? rec->attr->index + 1 : 0,
		.index = rec->index & ((1U << 28) - 1), .tail = rec->tail != 0,
	};
	memcpy(bytes_of(h), rec->data, rec->size);
	if (rec->tail)
		*tail_of(h) = (struct tail){ .size = rec->tail, .at = NEVER };
	chunk->used += room;
	chunk->live++;
	r->bytes += room;
	if (r->bytes > r->stats.largest)
		r->stats.largest = r->bytes;
	return h;
}

/* Takes back what hold() did last. */
static void unhold(struct pp_rounds *r, struct held *h)
{
	const size_t room = room_of(h);

	r->fill->used -= room;
	r->fill->live--;
	r->bytes -= room;
}

static inline void release(struct pp_rounds *r, struct held *h)
{
	struct chunk *const chunk = chunk_of(h);

	r->bytes -= room_of(h);
	chunk->live--;
	if (!chunk->live && chunk != r->fill && r->options.order == PP_ROUNDS_TIME)
		free_chunk(r, chunk);
}

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

/* ---- tails that are too large for memory ---- */

static int open_spill(struct pp_rounds *r, struct pp_error *error)
{
	r->piece = r->piece ? r->piece : malloc(PIECE);
	if (!r->piece)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->spill = pp_temporary();
	if (r->spill < 0)
		return pp_fail_os(error, "cannot hold a tail in a file in %s",
				  pp_temporary_folder());
	return 0;
}

static int spill_piece(struct pp_rounds *r, const void *piece, size_t size, struct pp_error *error)
{
	const uint8_t *at = piece;

	while (size) {
		const ssize_t n = pwrite(r->spill, at, size, (off_t)r->spill_end);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pp_fail_os(error, "cannot hold a tail in a file");
		at += n;
		size -= (size_t)n;
		r->spill_end += (uint64_t)n;
	}
	return 0;
}

/* Gives the disk back what a tail took. */
static void unspill(struct pp_rounds *r, const struct tail *tail)
{
	if (--r->spilled) {
		fallocate(r->spill, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)tail->at,
			  (off_t)tail->size);
	} else if (!ftruncate(r->spill, 0)) {
		r->spill_end = 0;
	}
}

/* Reads the tail of the record that was held last. */
RARE static int hold_tail(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	struct tail *const tail = tail_of(h);
	uint8_t *to = (uint8_t *)(tail + 1);
	uint64_t left = tail->size;
	const void *piece;
	size_t size;
	int got;

	if (tail->size > INLINE_TAIL) {
		if (r->spill < 0 && open_spill(r, error) < 0)
			return -1;
		tail->at = r->spill_end;
		to = NULL;
	}
	while ((got = pp_reader_tail(r->reader, &piece, &size, error)) > 0) {
		if (!pp_fits(size, left))
			return pp_fail(error, PP_E_VALUE, "more tail than there is");
		left -= size;
		if (!to && spill_piece(r, piece, size, error) < 0)
			return -1;
		if (to) {
			memcpy(to, piece, size);
			to += size;
		}
	}
	r->spilled += !to;
	return got;
}

/* ---- writing ---- */

/* The next bytes of a tail of which `done` are through: 1, 0 (no more), -1. */
static int next_piece(struct pp_rounds *r, const struct tail *tail, uint64_t done,
		      const void **piece, size_t *size, struct pp_error *error)
{
	const uint64_t left = tail->size - done;
	ssize_t n;

	if (!left)
		return 0;
	*piece = (const uint8_t *)(tail + 1) + done;
	*size = (size_t)left;
	if (tail->at == NEVER)
		return 1;
	do {
		n = pread(r->spill, r->piece, left < PIECE ? left : PIECE, (off_t)(tail->at + done));
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return pp_fail_os(error, "cannot read a tail back");
	*piece = r->piece;
	*size = (size_t)n;
	return 1;
}

static int write_tail(struct pp_rounds *r, const struct tail *tail, struct pp_error *error)
{
	uint64_t done = 0;
	const void *piece;
	size_t size;
	int got;

	while ((got = next_piece(r, tail, done, &piece, &size, error)) > 0) {
		if (pp_writer_copy(r->writer, piece, size, error))
			return -1;
		done += size;
	}
	return got;
}

/* Short records are copied: that is cheaper than a vector for each. */
static int write_held(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	uint8_t *const data = bytes_of(h);
	const size_t size = pp_load16(data + 6);

	if (h->round) {
		const struct pp_record rec = record_of(r, h);

		if (pp_paced(&r->pace) && pp_pace_replaces(&rec))
			return 0;
		r->borrowed = true;
		return pp_writer_pass(r->writer, r->reader, &rec, error);
	}
	if (h->key && pp_paced(&r->pace) && pp_pace(&r->pace, r->writer, h->key, size, error))
		return -1;
	if (size < BORROW || h->tail) {
		if (pp_writer_copy(r->writer, data, size, error))
			return -1;
		return h->tail ? write_tail(r, tail_of(h), error) : 0;
	}
	r->borrowed = true;
	return pp_writer_put(r->writer, data, size, error);
}

/* Writes it if it is kept, and forgets it. */
static int finish(struct pp_rounds *r, struct held *h, bool kept, struct pp_error *error)
{
	const int result = kept ? write_held(r, h, error) : 0;

	if (h->tail && tail_of(h)->at != NEVER)
		unspill(r, tail_of(h));
	release(r, h);
	return result;
}

/* Order STREAM: writes from the front on what was judged. */
static int write_front(struct pp_rounds *r, struct pp_error *error)
{
	while (r->bytes) {
		struct chunk *const chunk = r->front;
		struct held *const h = (struct held *)(void *)((uint8_t *)chunk + r->front_at);

		if (r->front_at == chunk->used) {
			r->front = chunk->next;
			r->front_at = CHUNK_START;
			free_chunk(r, chunk);
			continue;
		}
		if (h->state == WAITING && !r->stopped)
			break;
		r->front_at += room_of(h);
		if (finish(r, h, h->state == KEPT, error) < 0)
			return -1;
	}
	return 0;
}

/* ---- records into runs ---- */

static void append(struct run *run, struct held *h)
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

/* Runs stay in their order: those before end later than this record, those behind earlier. */
static int add_timed(struct pp_rounds *r, struct held *h, struct pp_error *error)
{
	size_t i = r->hint;

	if (i >= r->n_runs || r->runs[i].end > h->key || (i && r->runs[i - 1].end <= h->key))
		i = find_run(r, h->key);
	if (i == r->n_runs) {
		if (PP_GROW(&r->runs, &r->room_runs, i + 1, error))
			return -1;
		r->runs[r->n_runs++] = (struct run){ .first = NULL };
	}
	append(&r->runs[i], h);
	r->hint = i;
	r->timed++;
	return 0;
}

/* A time came: records without one that wait for a larger time now wait for this one. */
static void lower_groups(struct pp_rounds *r, uint64_t time)
{
	struct group *top;

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
	r->groups[r->n_groups++] = (struct group){ .key = NEVER, .first = h };
	append(&r->untimed, h);
	return 0;
}

/* ---- letting go: runs are merged ---- */

static uint64_t key_of(const struct pp_rounds *r, const struct run *run)
{
	return run == &r->untimed ? r->groups[r->group].key : run->first->key;
}

/* Steps over the first record of a run. */
static void step(struct pp_rounds *r, struct run *run)
{
	run->first = run->first->next;
	if (run == &r->untimed && r->group + 1 < r->n_groups &&
	    run->first == r->groups[r->group + 1].first)
		r->group++;
	if (run == &r->untimed && !run->first)
		r->group = r->n_groups = 0;
}

static bool before(const struct head *a, const struct head *b)
{
	return a->key != b->key ? a->key < b->key : earlier(a->first, b->first);
}

static void sift_down(struct head *heap, size_t count, size_t at)
{
	const struct head moving = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &moving))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

static void add_head(struct pp_rounds *r, size_t *count, struct run *run, uint64_t bound)
{
	if (run->first && key_of(r, run) <= bound)
		r->heap[(*count)++] = (struct head){ key_of(r, run), run->first, run };
}

/* Makes the heap of the runs that have something to let go: 0, or -1 and *error. */
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
		sift_down(r->heap, *count, i);
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
	if (r->options.order == PP_ROUNDS_STREAM)
		h->state = verdict == PP_KEEP ? KEPT : DROPPED;
	else if (verdict == PP_DROP && !h->tail)
		release(r, h);
	else if (finish(r, h, verdict == PP_KEEP, error) < 0)
		return -1;
	return verdict < 0 ? -1 : verdict == PP_STOP;
}

/* Lets the top of the heap go, and what follows it in its run, as long as no other is due. */
static int let_top_go(struct pp_rounds *r, size_t count, uint64_t bound, uint64_t *enough,
		      struct pp_error *error)
{
	struct head *const top = r->heap;
	struct run *const run = top->run;
	const bool timed = run != &r->untimed && run != &r->ends;
	const struct head *rival = count > 1 ? &r->heap[1] : NULL;

	if (count > 2 && before(&r->heap[2], rival))
		rival = &r->heap[2];
	do {
		struct held *const h = run->first;
		const uint64_t room = room_of(h);
		int result;

		step(r, run);
		r->timed -= timed;
		if (timed)
			r->gone = top->key;
		result = let_one_go(r, h, error);
		if (result)
			return result;
		*enough -= room < *enough ? room : *enough;
		if (!run->first)
			return 0;
		top->key = key_of(r, run);
		top->first = run->first;
	} while (*enough && top->key <= bound && (!rival || before(top, rival)));
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
			sift_down(r->heap, count, 0);
	}
	forget_empty_runs(r);
	if (r->options.order == PP_ROUNDS_STREAM && write_front(r, error) < 0)
		return -1;
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

	return r->bytes > (others < limit - least ? limit - others : least);
}

/* More is held than may be: the older half goes before its round is over. */
RARE static int overflow(struct pp_rounds *r, struct pp_error *error)
{
	int result;

	r->stats.overflows++;
	if (r->options.lazy) {
		r->due = (struct due){ true, NEVER, r->bytes / 2 };
		return 0;
	}
	result = let_go(r, NEVER, r->bytes / 2, error);
	if (!result && too_much(r))
		result = let_go(r, NEVER, NEVER, error);
	return let_rest_go(r, result, error);
}

/* ---- taking records ---- */

/* A round is let go behind the largest time that it has seen. */
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

static int add(struct pp_rounds *r, const struct pp_record *rec, bool timed, uint64_t time,
	       struct pp_error *error)
{
	struct held *const h = hold(r, rec, error);

	if (!h)
		return -1;
	if (rec->tail && hold_tail(r, h, error) < 0) {
		unhold(r, h);
		return -1;
	}
	h->round = !timed && rec->type == PP_REC_FINISHED_ROUND;
	if (h->round && pp_is_round(rec))
		return end_round(r, h, error);
	if (timed) {
		h->key = time;
		lower_groups(r, time);
	}
	if ((timed ? add_timed(r, h, error) : add_untimed(r, h, error)) < 0) {
		unhold(r, h);
		return -1;
	}
	return 0;
}

int pp_rounds_put(struct pp_rounds *r, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time = 0;
	const bool timed = rec->type < PP_USER_TYPES && pp_time(rec, &time);
	/* without a writer the tail is the judge's: it is held until all of it is there */
	const bool passes = !timed && !r->timed && (r->writer || !rec->tail);
	int result;

	if (r->stopped)
		return 1;
	r->index = rec->index;
	r->attrs = rec->attrs;
	if (timed)
		note_time(r, time);
	else if (rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec))
		r->stats.rounds++;
	if (passes)
		return pass(r, rec, error);
	result = add(r, rec, timed, time, error);
	if (!r->timed && !r->due.there)
		result = let_rest_go(r, result, error);
	if (result || r->due.there || !too_much(r))
		return result;
	return overflow(r, error);
}

enum pp_status pp_rounds_tail(struct pp_rounds *r, const void **piece, size_t *size, struct pp_error *error)
{
	const int got = r->shown ? next_piece(r, r->shown, r->told, piece, size, error) : 0;

	r->told += got > 0 ? *size : 0;
	return got;
}

int pp_rounds_end(struct pp_rounds *r, struct pp_error *error)
{
	int result;

	if (r->stopped)
		return 0;
	if (r->options.lazy) {
		r->due = (struct due){ true, NEVER, NEVER };
		return 0;
	}
	result = let_go(r, NEVER, NEVER, error);
	if (result >= 0)
		result = pp_pace_end(&r->pace, r->writer, error);
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
	due->there = !left && due->bytes;
	if (!due->there)
		result = let_rest_go(r, result, error);
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
	r->spill = -1;
	return r;
}

void pp_rounds_close(struct pp_rounds *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_blocks; i++)
		munmap(r->blocks[i], block_size(r, i));
	free(r->blocks);
	free(r->runs);
	free(r->groups);
	free(r->heap);
	free(r->piece);
	if (r->spill >= 0)
		close(r->spill);
	free(r);
}
