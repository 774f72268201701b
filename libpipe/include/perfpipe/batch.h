/*
 * batch.h - samples in batches: many that follow each other, where they lie in the reader's buffer.
 *
 * A batch has only whole samples that no step of reading has to see one by one.  All other records, damage
 * and the end come by pp_reader_next(), which may be called for any of them at any time, so that a program
 * asks for a batch first and for a record where there is none.  How many samples a stream has:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/batch.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		static struct pp_batch batch;
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_record record;
 *		unsigned long samples = 0;
 *		int status;
 *
 *		while (in && pp_reader_next(in, &record, &error) == PP_MORE) {
 *			samples += record.type == PP_REC_SAMPLE;
 *			while (pp_reader_batch(in, &batch))
 *				samples += batch.count;
 *		}
 *		printf("%lu\n", samples);
 *		status = in ? pp_reader_status(in) : pp_error_status(&error);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_BATCH_H
#define PERFPIPE_BATCH_H

#ifndef PP_UNSTABLE
#error "<perfpipe/batch.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/reader.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_BATCH_MOST = 256 };

/* Samples, borrowed as a record is: all are valid until the next call of the reader, and so are the columns,
 * which have an entry for each. */
struct pp_batch {
	uint8_t *data;                /* the first one begins at at[0], the others follow without a gap */
	uint32_t count;
	uint64_t offset;              /* place of `data` in the input, or that of the carrier of all */
	uint64_t index;               /* of the first, or that of the carrier */
	bool carried;                 /* it is that of the carrier */
	const struct pp_attrs *attrs; /* of the stream */
	uint64_t first_time, last_time, orphans;     /* private: of the stream before it */
	const uint32_t *at;           /* where in `data` each begins; the last one ends at at[count].  Of what
				       * a reader hands out the first is 0 */
	const struct pp_attr *const *attr;           /* the event of each, or NULL */
	const uint64_t *time;         /* ns; 0: it has none */
};

/* The samples that come next, and their number; 0: pp_reader_next() has what comes. */
PP_API uint32_t pp_reader_batch(struct pp_reader *, struct pp_batch *);
/* Gives back all but the first `kept` of the samples that the reader handed out last: they come again,
 * and the stream's times and counts no longer have them. */
PP_API void pp_reader_unbatch(struct pp_reader *, const struct pp_batch *, uint32_t kept);

static inline uint16_t pp_batch_size(const struct pp_batch *b, uint32_t i)
{
	return (uint16_t)(b->at[i + 1] - b->at[i]);
}

/* One of them as pp_reader_next() would have handed it out. */
static inline void pp_batch_record(const struct pp_batch *b, uint32_t i, struct pp_record *rec)
{
	uint8_t *const data = b->data + b->at[i];

	rec->data = data;
	rec->type = PP_REC_SAMPLE;
	rec->misc = pp_load16(data + 4);
	rec->size = pp_batch_size(b, i);
	rec->foreign = false;
	rec->offset = b->carried ? b->offset : b->offset + b->at[i];
	rec->index = b->carried ? b->index : b->index + i;
	rec->tail = 0;
	rec->attr = b->attr[i];
	rec->attrs = b->attrs;
	rec->beyond = 0;
}

/* Asks the memory for the samples that a loop over all comes to some dozens later: those that waited for
 * their time are in no cache. */
static inline void pp_batch_ahead(const struct pp_batch *b, uint32_t i)
{
	const size_t line = 64, ahead = 48 * line;
	const uintptr_t at = (uintptr_t)(b->data + b->at[i]) + ahead;  /* perhaps after the last one */

	__builtin_prefetch((const void *)at);
	__builtin_prefetch((const void *)(at + line));
}

struct pp_query;
struct pp_query_facts;
/* Sets keep[i] to whether sample i matches (pp_query_match()).  One without an event cannot be tested, and
 * counts as a match. */
PP_API void pp_query_match_batch(const struct pp_query *, const struct pp_batch *,
				 const struct pp_query_facts *, bool *keep);

struct pp_checker;
/* pp_checker_record() of each: 0, -1. */
PP_API PP_MUST_CHECK int pp_checker_batch(struct pp_checker *, const struct pp_batch *, struct pp_error *);

struct pp_prune;
/* Up to which number the samples of a batch, from number `from` on, need nothing that was not written: what
 * pp_prune_judge() says of those that stay, whose keep[i] is set, is PP_KEEP, and the others do not matter.
 * It has to be shown the sample of that number, if that stays, before those after it. */
PP_API PP_MUST_CHECK uint32_t pp_prune_batch(struct pp_prune *, const struct pp_batch *, uint32_t from,
					     const bool *keep);

struct pp_rounds;
/* pp_rounds_put() of the samples from number *from on, until all are put or one is not taken.  Its result;
 * *from: the number of the first that was not put. */
PP_API PP_MUST_CHECK int pp_rounds_put_batch(struct pp_rounds *, const struct pp_batch *, uint32_t *from,
					     struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
