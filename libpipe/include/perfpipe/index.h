/*
 * index.h - an index at the end of a stream: where in it which times are, and what tasks there were then.
 *
 * It is in FINISHED_ROUND records between the last records and the END; perf-pipe(5) has its layout.  A
 * reader leaves these records out, unless pp_reader_show_index() asks for them.
 */
#ifndef PERFPIPE_INDEX_H
#define PERFPIPE_INDEX_H

#ifndef PP_UNSTABLE
#error "<perfpipe/index.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the root says, which is the last of these records. */
struct pp_index_root {
	uint64_t section;             /* offset of the first of these records */
	uint64_t seal, xxh3;          /* number and hash of the last seal before that */
	uint64_t head;                /* offset of the first record that is of the kernel */
	uint64_t first, last;         /* times of samples, ns */
	uint64_t samples, lost;       /* in all */
	uint32_t version, flags;
	uint32_t blocks, states, comms, names;       /* rows of the tables */
	uint64_t body, states_at;     /* bytes of the body, and of the tables before the states */
	uint64_t sum;                 /* of the root and the tables */
};

/* Whether this record is part of an index; what its root says, and which part of the body it is, and how many
 * bytes of it, as it says. */
PP_API bool pp_is_index(const struct pp_record *);
PP_API bool pp_index_root_of(const struct pp_record *, struct pp_index_root *);
PP_API bool pp_index_part_of(const struct pp_record *, uint32_t *number, uint32_t *bytes);

/* Has a reader that nothing was read of yet hand out the records of an index, too. */
PP_API void pp_reader_show_index(struct pp_reader *);

/* Makes the index of a stream while that is written. */
struct pp_index_maker;
/* NULL: out of memory.  What is kept of tasks counts in the budget. */
PP_API PP_MUST_CHECK struct pp_index_maker *pp_index_maker_new(struct pp_budget *);
PP_API void pp_index_maker_free(struct pp_index_maker *);     /* NULL is fine */
/* Takes the next record before it is passed to the writer, which seals.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_index_maker_note(struct pp_index_maker *, const struct pp_writer *,
					     const struct pp_record *, struct pp_error *);
/* Writes the index, before pp_writer_end().  1; 0: the stream cannot have one, and *why says the reason, a
 * constant text; -1 and *error. */
PP_API PP_MUST_CHECK int pp_index_maker_end(struct pp_index_maker *, struct pp_writer *, const char **why,
					    struct pp_error *);

/* ---- reading ---- */

/*
 * Which times of a stream are read.  A reader then hands out the samples of these times, and no other of the
 * kernel's records of another time but what is said of tasks, maps and symbols before; others as ever.
 */
struct pp_time_span;
/* Both ends included, ns.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_time_span *pp_time_span_new(uint64_t from, uint64_t to);
PP_API void pp_time_span_free(struct pp_time_span *);  /* after the reader; NULL is fine */
/* Has a reader read that, of which nothing but the header was read; `by_index` from a file with an index only
 * what is needed: *read of *all bytes, and what was said of tasks before is then the state at some time,
 * rather than how it came to be.  1, or 0: all is read; -1 and *error, by which reading ends. */
PP_API PP_MUST_CHECK int pp_time_span_read(struct pp_time_span *, struct pp_reader *, bool by_index,
					   uint64_t *read, uint64_t *all, struct pp_error *);
/* Why an index that is there was not used, a constant text; NULL: there is none. */
PP_API const char *pp_time_span_lack(const struct pp_time_span *);
/* How many samples were left out until now because they have no time. */
PP_API uint64_t pp_time_span_timeless(const struct pp_time_span *);

#ifdef __cplusplus
}
#endif

#endif
