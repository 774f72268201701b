/* index_maker.h - what the making of an index consists of. */
#ifndef PP_INDEX_MAKER_H
#define PP_INDEX_MAKER_H

#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "base/spool.h"

#include <zstd.h>

enum { PP_INDEX_ROW = 64, PP_STATE_ROW = 32 };
/* A block's flags: which names its samples have is not known; it has records that are neither the kernel's
 * nor seals and rounds. */
enum { PP_BLOCK_NO_COMMS = 4, PP_BLOCK_OTHERS = 16 };
enum { PP_INDEX_BLOCK = 1 << 20, PP_INDEX_STATE = 4 << 20, PP_INDEX_SHARE = 64 };

/* A block that has begun. */
struct pp_index_block {
	uint64_t offset, min, max;      /* times of samples; min > max: there are none */
	uint64_t xxh3;                  /* of the seal that ends at its offset, and its number */
	uint64_t seal;
	uint32_t samples, others, lost;
	uint64_t events;
	uint32_t flags;
	bool begun;
};

/* Numbers, each once in the end. */
struct pp_number_set { uint32_t *items; size_t count, room; };

/* Side-band that waits until a round promises that nothing older comes. */
struct pp_index_states {
	struct pp_sideband *sideband;   /* as of the last promise */
	struct pp_waiting {
		uint64_t time, at;      /* at: in `bytes`; what came later is at a larger place */
		struct pp_record record;
	} *items;
	size_t count, room;
	struct pp_buffer bytes;
	ZSTD_CCtx *zstd;
	struct pp_spool packed;         /* the states, one zstd frame each */
	struct pp_buffer rows;          /* of the table STATES */
	uint32_t states;
	uint64_t plain, least;          /* bytes of the state being written; up to the next, at least */
	uint64_t last_at;               /* offset of the block of the last state */
	uint64_t due_block, before;     /* of the state that is due, and its time; none: UINT64_MAX */
};

/* What tells whether the root and the tables are as they were made; `root` up to its own field for it. */
uint64_t pp_index_sum(const uint8_t *root, const uint8_t *tables, size_t size);

struct pp_index_maker {
	struct pp_index_root root;
	struct pp_index_block block;
	struct pp_number_set pids, parents;
	struct pp_buffer blocks, sets, names;   /* rows of tables */
	struct pp_index_states states;
	uint64_t newest;                /* the largest time so far, */
	uint64_t last_round, promised;  /* before the last round, and before the one before that */
	uint64_t seal;                  /* number of the seal that was seen last */
	bool after_round;               /* the record before ends a round */
	const char *why;                /* there can be no index; or NULL */
};

int pp_index_states_open(struct pp_index_states *, struct pp_budget *);         /* 0, or -1: out of memory */
void pp_index_states_close(struct pp_index_states *);
/* Takes side-band, which has no tail.  0, or -1 and *error, as of the others. */
int pp_index_states_note(struct pp_index_states *, const struct pp_record *, struct pp_error *);
/* A round has ended before which nothing more of this time or an earlier one can come: lets go of what waited
 * for it, and writes the state that is due. */
int pp_index_states_round(struct pp_index_states *, uint64_t promised, struct pp_error *);
/* A block begins here: has the next round write a state as of this time, if one is due. */
void pp_index_states_begin(struct pp_index_states *, uint64_t block, uint64_t offset, uint64_t newest);
/* Writes all records. */
int pp_index_write(struct pp_index_maker *, struct pp_writer *, struct pp_error *);

#endif
