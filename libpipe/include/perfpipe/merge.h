/*
 * merge.h - several streams as one.
 *
 * Each input is ordered by its own rounds, and all are merged by time; ids and numbers of tracepoints
 * that clash become other ones.  The rounds of the output are true of the whole.
 *
 *	#include <perfpipe/merge.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_merge_options how = { sizeof(how) };
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_AUTO);
 *		struct pp_merge *merge = pp_merge_new(&how, &error);
 *		int failed = !out || !merge, status;
 *
 *		for (int i = 1; !failed && i < argc; i++)
 *			failed = pp_merge_add(merge, argv[i], &error);
 *		failed = failed || pp_merge_run(merge, out, &error) ||
 *			 pp_writer_end(out, pp_merge_flags(merge), &error);
 *		status = failed ? pp_error_status(&error) : pp_merge_status(merge);
 *		pp_merge_free(merge);
 *		pp_writer_close(out);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_MERGE_H
#define PERFPIPE_MERGE_H

#include <perfpipe/api.h>
#include <perfpipe/rounds.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_merge_options {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t limit;               /* bytes held at most of each input to sort it; 0: 256 MiB */
	bool no_verify;               /* do not look at seals */
	bool hosts;                   /* keep processes and processors apart by host: struct pp_host */
	bool enlarge_pipes;           /* of the inputs: pp_enlarge_pipe() */
	/* ns: a silent input that has begun stalls the others at most for so long; UINT64_MAX:
	 * forever. */
	uint64_t patience;
	/* Called for damage in an input; the rest is still merged. */
	void (*damaged)(void *arg, size_t input, const struct pp_error *);
	/* Called with a clause about what is missing or different in the output, and what would help. */
	void (*say)(void *arg, size_t input, const char *text, enum pp_hint);
	void *arg;
};
struct pp_merge_stats {
	uint64_t records, bytes, samples;   /* written; bytes without tails */
	uint64_t first_time, last_time;     /* 0 before the first */
	uint64_t renamed;             /* ids that clashed and were renumbered */
	uint64_t tracepoints;         /* tracepoints that were renumbered */
	bool identified;              /* samples were rewritten to have their id at one place */
};
/* Records that came although the rounds of the output had promised that none so old would. */
struct pp_merge_late { uint64_t count, worst; };     /* worst: by how many ns */
/*
 * Reads the inputs cooked, orders each by its own rounds, merges them by time and writes rounds
 * that are correct for the whole.  A record is written only when all other inputs have reached its
 * time, except those that are silent for longer than `patience`.
 */
struct pp_merge;
/* NULL and *error. */
PP_API PP_MUST_CHECK struct pp_merge *pp_merge_new(const struct pp_merge_options *,
						   struct pp_error *);
PP_API void pp_merge_free(struct pp_merge *);          /* NULL is fine */
/* Opens one more input, as pp_reader_open() does: 0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_merge_add(struct pp_merge *, const char *path, struct pp_error *);
/* The same of a reader that has begun, which is the merge's then: 0, or -1 and *error, and it stays the
 * caller's. */
PP_API PP_MUST_CHECK int pp_merge_add_reader(struct pp_merge *, struct pp_reader *, struct pp_error *);
/* Adds `ns` to all times of an input (counted from 0). */
PP_API void pp_merge_shift(struct pp_merge *, size_t input, int64_t ns);
/* Writes the whole stream to `w`, except the END: 0, or -1 and *error, or -1 and pp_writer_os(w).
 * PP_E_USE: they cannot be merged, and nothing was written. */
PP_API PP_MUST_CHECK int pp_merge_run(struct pp_merge *, struct pp_writer *w, struct pp_error *);
/* The exit status of a program that merged them: of an input that was read, as pp_reader_status(), the
 * worst; 3 also where records could not be taken over. */
PP_API int pp_merge_status(const struct pp_merge *);
/* The flags for pp_writer_end(): UNSEALED from the seals of the inputs, DAMAGED where pp_merge_status()
 * is not 0.  The caller may add more. */
PP_API uint32_t pp_merge_flags(const struct pp_merge *);
PP_API const struct pp_merge_stats *pp_merge_stats(const struct pp_merge *);
/* Of an input; NULL past the last. */
PP_API const struct pp_stream *pp_merge_stream(const struct pp_merge *, size_t input);
PP_API const struct pp_rounds_stats *pp_merge_rounds(const struct pp_merge *, size_t input);
PP_API const struct pp_merge_late *pp_merge_late(const struct pp_merge *, size_t input);

#ifdef __cplusplus
}
#endif

#endif
