/* generate.h - generates valid streams of any shape, for tests. */
#ifndef PERFPIPE_GENERATE_H
#define PERFPIPE_GENERATE_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shape; no member has a default. */
struct pp_generate_options {
	uint64_t seed;                /* the same seed and shape give the same bytes */
	uint64_t samples;
	uint64_t duration;            /* ns from the first to the last; 0: 1000 samples a second and CPU */
	uint64_t disorder;            /* ns by which samples are late at most, in their CPU's run */
	uint64_t rounds;              /* FINISHED_ROUNDs; 0: none; UINT64_MAX: one for 1000 samples */
	uint64_t sample_type;         /* PP_SAMPLE_ bits of every event; tracepoints have RAW as well */
	uint32_t events, tracepoints; /* how many of each; together 1 or more */
	uint32_t cpus, processes, threads;   /* threads: of each process */
	uint32_t maps;                /* files that each process maps */
	uint32_t forks, exits;        /* processes that begin, that end, during the recording */
	uint32_t renames;             /* processes that change their names */
	uint32_t losses;              /* LOST records */
	uint32_t callchain;           /* longest call chain, where CALLCHAIN is asked for ... */
	uint32_t raw, stack, branches;/* ... bytes of RAW and of STACK_USER, entries of BRANCH_STACK */
	bool break_rounds;            /* from the third round on, one sample of each is too old */
	bool big_endian;              /* or little */
	bool no_seal;
	int level;                    /* of zstd: compressed; 0: not */
};
struct pp_generate_stats { uint64_t records, samples, bytes; };   /* written so far */
/*
 * Writes a whole stream to `fd`, which stays the caller's.  Every sample is in a process that was
 * named, at an address that it maps; times obey the promise of rounds.  `stats` may be read
 * meanwhile.  0, or -1 and *error: PP_E_USE if no stream has this shape.
 */
int pp_generate(const struct pp_generate_options *, int fd, struct pp_generate_stats *stats,
		struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
