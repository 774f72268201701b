/*
 * check.h - what the files of this room share: a checker, and how each says what it found.
 */
#ifndef PP_CHECK_H
#define PP_CHECK_H

#include <perfpipe/perfpipe.h>

#include "order/promise.h"

enum {
	TIDS = 1 << 22,               /* the kernel's own limit of PIDs */
	SPANS_MOST = 4,
	BLOB_HEAD = 10,               /* bytes that identify tracing data */
	REPEATED_MAX = 256,           /* different remarks that are printed once, with their number */
};

/* Fixed bytes, then, where `count` is not 0, a number of so many bytes, and as many elements as it says. */
struct counted_span {
	uint32_t before;
	uint8_t count, element;
};

/* A sample's rows after those of a fixed width, for one event. */
struct shape {
	const struct pp_field *rows;  /* NULL: not looked at yet */
	size_t at;                    /* where they begin */
	uint64_t reg[PP_R_COUNT];
	bool plain;                   /* the spans are all rows, and what is planned is before them */
	uint8_t n_spans;
	struct counted_span spans[SPANS_MOST];
};

/* Records that come too late: how many, by how many ns at most, and which one that is. */
struct lateness {
	uint64_t count, worst;
	struct pp_record worst_at;
};

/* A thread that was sampled before it had a name. */
struct stranger {
	uint32_t pid, tid;
	uint64_t offset, index;
	uint32_t type;
};

struct pp_checker {
	const struct pp_stream *stream;
	pp_checker_found_fn *found;
	void *arg;
	struct pp_checker_stats stats;
	struct pp_finding *repeated;  /* remarks, printed at the end */
	size_t n_repeated;

	struct shape *shapes;         /* by the attribute's index */
	size_t n_shapes;
	uint64_t sample_bits, read_bits, flag_bits;   /* that are known */

	struct pp_promise times;
	struct pp_promise at;         /* the records that have these times */
	struct lateness late;         /* for what rounds promised, though not far off */
	bool backwards;               /* some buffers are written from their end */

	uint64_t *cpus;               /* the latest time of each CPU */
	size_t n_cpus;
	struct lateness disorder;     /* in CPUs */

	uint64_t *known, *named;      /* a bit for each tid: met, named or 0; named */
	bool no_memory;
	struct stranger *strangers;
	size_t n_strangers, more_strangers;
	bool names;                   /* the stream has names of tasks */

	struct { int64_t pid; uint64_t start, end; } map;

	uint64_t features;            /* a bit for each number below 64 */
	uint64_t last_feature;
	bool features_ended;
	bool early, unlisted, rewritten, tracing, others;
	struct pp_record late_note;   /* after other records: only the end may follow it */
	uint8_t blob[BLOB_HEAD];
	uint64_t blob_at;
};

static inline bool pp_check_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* ---- check.c ---- */

/* A record of the kernel: 0, or -1 where memory is short. */
int pp_check_kernel(struct pp_checker *, const struct pp_record *);
/* Its size is no multiple of 8. */
void pp_check_alignment(struct pp_checker *, const struct pp_record *);

/* ---- findings.c ---- */

/* What breaks a rule of the format; `field` may be NULL. */
__attribute__((format(printf, 5, 6)))
void pp_check_fault(struct pp_checker *, const struct pp_record *, const char *kind,
		    const char *field, const char *text, ...);
/* What is odd.  Remarks come with the end: the first of a kind, and how many more there were.  A
 * record of NULL: it is about the stream, and comes at once. */
__attribute__((format(printf, 5, 6)))
void pp_check_remark(struct pp_checker *, const struct pp_record *, const char *kind,
		     const char *field, const char *text, ...);
void pp_check_tell_remarks(struct pp_checker *);

/* ---- check_fields.c ---- */

/* Walks all of a record. */
void pp_check_look(struct pp_checker *, const struct pp_record *);
/* A sample: walked only if a walk might have something to say. */
void pp_check_fields(struct pp_checker *, const struct pp_record *);
/* The shape of an event's samples; NULL where memory is short. */
struct shape *pp_check_shape(struct pp_checker *, const struct pp_attr *);
bool pp_check_is_feature(uint64_t id);

/* ---- check_head.c ---- */

/* All bits of a word that have a name. */
uint64_t pp_check_bits_of(const struct pp_part *);
void pp_check_attr(struct pp_checker *, const struct pp_record *);
void pp_check_feature(struct pp_checker *, const struct pp_record *);
/* A FINISHED_ROUND, and what it carries. */
void pp_check_round(struct pp_checker *, const struct pp_record *);
/* At the end: ids that several events have. */
void pp_check_shared_ids(struct pp_checker *);
/* Notes after the first records belong directly before the end; `rec` is not there. */
void pp_check_late_note(struct pp_checker *);

#endif
