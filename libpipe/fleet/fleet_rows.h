/* fleet_rows.h - samples of a fleet that wait for the end of the recording, in blocks of columns. */
#ifndef FLEET_ROWS_H
#define FLEET_ROWS_H

#include "base/spool.h"

#include <stddef.h>

enum { FLEET_ROWS = 1024 };           /* of a block */

/* A sample: numbers are those of its event, its fold, and the fleet. */
struct fleet_row {
	uint64_t time, weight;
	uint32_t event, thread, node, cpu;
	uint32_t group;               /* 1 + which of the control groups that were met; 0: none */
};

/* Some samples, column by column. */
struct fleet_block {
	size_t n;
	uint64_t times[FLEET_ROWS], weights[FLEET_ROWS];
	uint32_t events[FLEET_ROWS], threads[FLEET_ROWS], nodes[FLEET_ROWS], cpus[FLEET_ROWS],
		 groups[FLEET_ROWS];
};

/* A column that is the same in all rows of a block is stored as one value. */
struct fleet_rows {
	struct pp_spool spool;
	uint64_t *ends;               /* of the blocks there */
	size_t n, room;
	struct fleet_block block;     /* the one that is filled */
};

int pp_fleet_rows_open(struct fleet_rows *);            /* 0, or -1: out of memory */
void pp_fleet_rows_close(struct fleet_rows *);
/* Adds a row to a block, which has room. */
static inline void pp_fleet_block_add(struct fleet_block *b, const struct fleet_row *row)
{
	const size_t n = b->n++;

	b->times[n] = row->time;
	b->weights[n] = row->weight;
	b->events[n] = row->event;
	b->threads[n] = row->thread;
	b->nodes[n] = row->node;
	b->cpus[n] = row->cpu;
	b->groups[n] = row->group;
}
/* Its i-th row. */
static inline struct fleet_row pp_fleet_block_row(const struct fleet_block *b, size_t i)
{
	return (struct fleet_row){
		.time = b->times[i], .weight = b->weights[i], .event = b->events[i], .thread = b->threads[i],
		.node = b->nodes[i], .cpu = b->cpus[i], .group = b->groups[i],
	};
}
/* Puts the block aside, if there is any row in it.  0, or -1 and *error. */
int pp_fleet_rows_end_block(struct fleet_rows *, struct pp_error *);
/* Reads the i-th block back.  0, or -1 and *error. */
int pp_fleet_rows_read(struct fleet_rows *, size_t i, struct fleet_block *, struct pp_error *);

#endif
