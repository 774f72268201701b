/*
 * sort.h - sorts a stream as a whole in bounded memory, with rounds or without.
 *
 * Records wait in memory and, where that is full, in a file without a name; they leave once all have
 * come.  Equal times leave in the order in which they came.
 *
 *	#include <perfpipe/sort.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_AUTO);
 *		struct pp_sorter_options how = { sizeof(how) };
 *		struct pp_sorter *sorter;
 *		struct pp_record record;
 *		int failed, status;
 *
 *		if (!in || !out)
 *			return 4;
 *		sorter = pp_sorter_open(&how, in, out, &error);
 *		failed = !sorter || pp_writer_header(out, pp_reader_stream(in)->sealed, &error);
 *		while (!failed && pp_reader_next(in, &record, &error) == PP_MORE)
 *			failed = pp_sorter_put(sorter, &record, &error);
 *		failed = failed || pp_sorter_end(sorter, &error) ||
 *			 pp_writer_end(out, pp_stream_end_flags(pp_reader_stream(in)), &error);
 *		status = failed ? pp_error_status(&error) : pp_reader_status(in);
 *		pp_sorter_close(sorter);
 *		pp_writer_close(out);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_SORT_H
#define PERFPIPE_SORT_H

#include <perfpipe/api.h>
#include <perfpipe/rounds.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_sort_by { PP_BY_TIME, PP_BY_CPU, PP_BY_PID, PP_BY_TID };

/*
 * Holds all of a stream, in memory and, when that is full, as sorted runs in a file without a name
 * in TMPDIR or /tmp; at the end they are merged, as often as it takes.  Records are written in the
 * order of their times, equal ones as they came; one without a time is written before the smallest
 * time that came after it, those before any time at once.  Old rounds are dropped, new ones are
 * written.
 *
 * By CPU, process or thread (in which they happened), all records of one follow those of another,
 * each in time order, by ascending numbers, those without a number first.  No round would be
 * correct then, so none is written; records without a time come before all others.
 */
struct pp_sorter_options {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t memory;              /* bytes, 512 KiB at least; 0 means 256 MiB */
	enum pp_sort_by by;
	struct pp_cadence every;      /* all 0: a round after each MiB of records */
};
struct pp_sorter;
/* NULL and *error. */
PP_API PP_MUST_CHECK struct pp_sorter *pp_sorter_open(const struct pp_sorter_options *,
						      struct pp_reader *, struct pp_writer *,
						      struct pp_error *);
PP_API void pp_sorter_close(struct pp_sorter *);                    /* NULL is fine */
/* Takes a record (its tail is read from the reader).  0, or -1 and *error; after one whose status
 * is 3 the next may follow. */
PP_API PP_MUST_CHECK int pp_sorter_put(struct pp_sorter *, const struct pp_record *,
				       struct pp_error *);
/* Writes all of them; nothing if they could not be held. */
PP_API PP_MUST_CHECK int pp_sorter_end(struct pp_sorter *, struct pp_error *);
struct pp_sorter_stats {
	uint64_t disorder;            /* records that follow a newer one in the input */
	uint64_t runs, passes;        /* written to the file; merges before the last one */
	uint64_t aside;               /* bytes written to the file, in each pass again */
};
PP_API const struct pp_sorter_stats *pp_sorter_stats(const struct pp_sorter *);

#ifdef __cplusplus
}
#endif

#endif
