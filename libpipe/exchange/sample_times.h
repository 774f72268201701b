/* sample_times.h - when each thread had which stacks, sample by sample, as formats need it that have whole
 * columns of them. */
#ifndef PP_SAMPLE_TIMES_H
#define PP_SAMPLE_TIMES_H

#include <perfpipe/export.h>

/* A sample of a thread: there are millions. */
struct pp_sample_time {
	uint64_t time;                /* ns; 0: it has none */
	uint64_t weight;
	uint64_t node;
};

/* What all samples of a thread have. */
struct pp_thread_times {
	uint64_t samples, weight;
	uint64_t first, last;         /* times; 0: they have none */
};

struct pp_thread_times pp_sample_times_of(const struct pp_sample_times *, size_t thread);

/* The samples of a thread, in the order in which they were added, which is mostly that of their times. */
struct pp_sample_reader {
	const struct pp_sample_times *of;
	const struct pp_sample_time *items;   /* those that are at hand */
	size_t n;
	uint64_t next;                /* where the next block is */
	size_t blocks;                /* that were read */
	uint64_t left;                /* samples from the first of those on */
	size_t thread;
	struct pp_sample_time *room;  /* of a block */
};

/* They live until something is added.  False: there are none. */
bool pp_sample_reader_open(struct pp_sample_reader *, const struct pp_sample_times *, size_t thread);
/* Takes n of those at hand out, and gets others once none is left.  1: some are at hand; 0: there are no
 * more; -1 and *error: memory, or the file. */
int pp_sample_reader_take(struct pp_sample_reader *, size_t n, struct pp_error *);
void pp_sample_reader_close(struct pp_sample_reader *);

#endif
