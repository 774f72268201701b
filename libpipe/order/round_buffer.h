/* round_buffer.h - records that are held in memory until they may go, and their tails, for rounds.c, which
 * knows when that is. */
#ifndef PP_ROUND_BUFFER_H
#define PP_ROUND_BUFFER_H

#include <perfpipe/perfpipe.h>

#include "base/spool.h"

enum {
	CHUNK       = 256 << 10,	/* also its alignment: the chunk of a record is its address, masked */
	INLINE_TAIL = 64 << 10,		/* a longer tail goes to a file */
};

static const uint64_t NEVER = UINT64_MAX;	/* as a time: later than all; as a place: nowhere */

/* Its records begin after it. */
struct chunk {
	struct chunk *next;		/* order STREAM: filled after this one.  Or the next spare one */
	uint64_t number;		/* chunks are numbered as they are filled */
	uint32_t used, live;		/* bytes, records */
	size_t block;			/* of those that were got alone: which of `blocks` it is */
};

enum state { WAITING, KEPT, DROPPED };

/* The head of a record that is held; its bytes follow, then, in a multiple of 8, a tail.  Or that of a
 * segment. */
struct held {
	uint64_t key;			/* time; what it counts as, of a round; 0 of others */
	struct held *next;		/* in its run */
	uint64_t offset : 48;
	uint64_t size   : 16;		/* of the original record; 0: a segment follows */
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

/*
 * Samples that came one after the other and whose times ascend, held together: the head counts as the first
 * that has not gone yet.  Columns follow, as a batch has them: when each was, of which event, where its bytes
 * begin, the last ones ending at one more place, and what becomes of it; then the bytes of all.
 */
struct segment {
	uint32_t count, next;		/* of these have gone */
	uint32_t written;		/* order STREAM: of these it is known whether they stay, and done */
	bool carried;			/* all have the place of the first */
	bool even;			/* all sizes are multiples of 8 */
};

static const uint32_t CHUNK_START = (sizeof(struct chunk) + 7) & ~7U;

/*
 * All that is held.  Chunks are filled one after the other; one of which nothing is left is used
 * again, at once where records go in the order of their times, and else when rounds.c has written
 * what it had.
 */
struct pp_hold {
	bool in_time_order, thrifty;
	struct pp_writer *writer;
	bool borrowed;			/* the writer may hold on to bytes of chunks */
	uint64_t bytes;			/* held */
	struct chunk *fill, *spare;
	struct chunk *front;		/* the oldest chunk, and how much of it was written */
	uint32_t front_at;
	void **blocks;			/* chunks, one by one or many together */
	size_t n_blocks, room_blocks;
	uint64_t filled;

	struct pp_spool spill;		/* large tails */
	uint64_t spilled;		/* how many are there */
	uint8_t *piece;
};

/* `writer` is flushed before what it may borrow is used again; NULL: there is none. */
void pp_hold_open(struct pp_hold *, bool in_time_order, bool thrifty, struct pp_writer *writer);
void pp_hold_close(struct pp_hold *);
/* Gives its memory back, once nothing is held any more and nothing is borrowed. */
void pp_hold_empty(struct pp_hold *);
/* Another chunk to fill; NULL and *error. */
struct chunk *pp_hold_next_chunk(struct pp_hold *, struct pp_error *);
void pp_hold_free_chunk(struct pp_hold *, struct chunk *);
/* Reads the tail of the record that was held last.  0, or -1 and *error. */
int pp_hold_tail(struct pp_hold *, struct held *, struct pp_reader *, struct pp_error *);
/* The next bytes of a tail of which `done` are through: 1, 0 (no more), -1 and *error. */
int pp_hold_piece(struct pp_hold *, const struct tail *, uint64_t done, const void **piece,
		  size_t *size, struct pp_error *);
/* Gives the disk back what a tail took. */
void pp_hold_unspill(struct pp_hold *, const struct tail *);

static inline struct chunk *chunk_of(struct held *h)
{
	return (struct chunk *)((uintptr_t)h & ~(uintptr_t)(CHUNK - 1));
}

static inline uint8_t *bytes_of(struct held *h)
{
	return (uint8_t *)(h + 1);
}

static inline struct tail *tail_of(struct held *h)
{
	return (struct tail *)(void *)(bytes_of(h) + pp_align8(h->size));
}

static inline uint64_t tail_room(uint64_t size)
{
	return sizeof(struct tail) + (size <= INLINE_TAIL ? pp_align8(size) : 0);
}

static inline size_t room_of(struct held *h)
{
	return sizeof(*h) + pp_align8(h->size) + (h->tail ? tail_room(tail_of(h)->size) : 0);
}

static inline struct segment *segment_of(struct held *h)
{
	return (struct segment *)(void *)(h + 1);
}

static inline uint64_t *segment_times(struct segment *s)
{
	return (uint64_t *)(void *)(s + 1);
}

static inline const struct pp_attr **segment_attrs(struct segment *s)
{
	return (const struct pp_attr **)(void *)(segment_times(s) + s->count);
}

static inline uint32_t *segment_places(struct segment *s)
{
	return (uint32_t *)(void *)(segment_attrs(s) + s->count);
}

/* Of an enum state each. */
static inline uint8_t *segment_states(struct segment *s)
{
	return (uint8_t *)(segment_places(s) + s->count + 1);
}

/* All columns of so many samples. */
static inline uint64_t columns_room(uint32_t count)
{
	const size_t each = sizeof(uint64_t) + sizeof(void *) + sizeof(uint32_t) + sizeof(uint8_t);

	return pp_align8(count * each + sizeof(uint32_t));
}

static inline uint8_t *segment_bytes(struct segment *s)
{
	return (uint8_t *)(s + 1) + columns_room(s->count);
}

static inline size_t segment_size(struct segment *s, uint32_t i)
{
	return segment_places(s)[i + 1] - segment_places(s)[i];
}

/* What a segment takes. */
static inline uint64_t segment_room(uint32_t count, uint64_t bytes)
{
	return sizeof(struct held) + sizeof(struct segment) + columns_room(count) + pp_align8(bytes);
}

/* What a sample of a segment counts as, in hold->bytes: as much as one that is held alone, so that it does
 * not matter which are held together. */
static inline uint64_t sample_room(size_t size)
{
	return sizeof(struct held) + pp_align8(size);
}

/* The same of all from number `from` on and before `to`. */
static inline uint64_t samples_room(struct segment *s, uint32_t from, uint32_t to)
{
	const uint32_t *const at = segment_places(s);
	uint64_t room = 0;

	if (s->even)
		return (to - from) * sizeof(struct held) + at[to] - at[from];
	for (uint32_t i = from; i < to; i++)
		room += sample_room(segment_size(s, i));
	return room;
}

/* Whether `a` came before `b`. */
static inline bool earlier(struct held *a, struct held *b)
{
	const uint64_t first = chunk_of(a)->number, second = chunk_of(b)->number;

	return first != second ? first < second : a < b;
}

/* Room for a head and what follows it, so many bytes; NULL and *error. */
static inline struct held *hold_room(struct pp_hold *hold, uint64_t room, struct pp_error *error)
{
	struct chunk *chunk = hold->fill;
	struct held *h;

	if (!chunk || room > CHUNK - chunk->used)
		chunk = pp_hold_next_chunk(hold, error);
	if (!chunk)
		return NULL;
	h = (struct held *)(void *)((uint8_t *)chunk + chunk->used);
	chunk->used += room;
	chunk->live++;
	return h;
}

/* Copies a record without its tail, for which there is room after it. */
static inline struct held *hold_record(struct pp_hold *hold, const struct pp_record *rec,
				       struct pp_error *error)
{
	const uint64_t room = sizeof(struct held) + pp_align8(rec->size) +
			      (rec->tail ? tail_room(rec->tail) : 0);
	struct held *const h = hold_room(hold, room, error);

	if (!h)
		return NULL;
	*h = (struct held){
		.offset = rec->offset & ((UINT64_C(1) << 48) - 1), .size = rec->size,
		.attr = rec->attr ? rec->attr->index + 1 : 0,
		.index = rec->index & ((1U << 28) - 1), .tail = rec->tail != 0,
	};
	memcpy(bytes_of(h), rec->data, rec->size);
	if (rec->tail)
		*tail_of(h) = (struct tail){ .size = rec->tail, .at = NEVER };
	hold->bytes += room;
	return h;
}

/* Makes room for a segment, of which the caller fills in all but the count. */
static inline struct held *hold_segment(struct pp_hold *hold, uint32_t count, uint64_t bytes,
					struct pp_error *error)
{
	struct held *const h = hold_room(hold, segment_room(count, bytes), error);

	if (!h)
		return NULL;
	*h = (struct held){ .key = 0 };
	*segment_of(h) = (struct segment){ .count = count };
	return h;
}

/* Takes back what hold_record() did last. */
static inline void unhold(struct pp_hold *hold, struct held *h)
{
	const size_t room = room_of(h);

	hold->fill->used -= room;
	hold->fill->live--;
	hold->bytes -= room;
}

/* Nothing is left where this head is. */
static inline void release_room(struct pp_hold *hold, struct held *h)
{
	struct chunk *const chunk = chunk_of(h);

	chunk->live--;
	if (!chunk->live && chunk != hold->fill && hold->in_time_order)
		pp_hold_free_chunk(hold, chunk);
}

/* What was held is not needed any more. */
static inline void release(struct pp_hold *hold, struct held *h)
{
	hold->bytes -= room_of(h);
	release_room(hold, h);
}

#endif
