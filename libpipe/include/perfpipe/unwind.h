/*
 * unwind.h - user registers and a copy of the user stack become a plain call chain.
 *
 * Records are shown in the order of their times, so that each stack meets the files that were mapped
 * then; samples and attributes are rewritten in place.  A chain of user addresses is what perf makes
 * of the same stack: the instruction itself, then of each caller the return address less 1.
 */
#ifndef PERFPIPE_UNWIND_H
#define PERFPIPE_UNWIND_H

#ifndef PP_UNSTABLE
#error "<perfpipe/unwind.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/record.h>
#include <perfpipe/say.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a stack ended. */
enum pp_unwound {
	PP_UNWOUND_PROPERLY,          /* at the outermost frame */
	PP_UNWOUND_CUT,               /* the copy of the stack ended: more was not asked for */
	PP_UNWOUND_PAGED,             /* it ended at a page that was never touched, or is swapped out */
	PP_UNWOUND_NO_RULE,           /* in a file that has no rule for the address */
	PP_UNWOUND_LOST,              /* a rule led outside of the stack, or to what is not known */
	PP_UNWOUND_MISSING,           /* in a file that is not here */
	PP_UNWOUND_DIFFERS,           /* in a file of which there is another version here */
	PP_UNWOUND_NO_FILE,           /* in code that is in no file, such as that of a JIT compiler */
	PP_UNWOUND_NO_MAP,            /* where nothing is mapped */
	PP_UNWOUND_LONG,              /* after as many frames as were asked for */
	PP_UNWOUND_UNKNOWN,           /* of a processor that is not known here */
	PP_UNWOUND_WAYS,
};

struct pp_unwind_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *root;             /* files are below this folder; NULL: of this machine */
	bool debuginfod;              /* ask its servers for what is nowhere else */
	bool keep;                    /* leave registers and stacks in the samples */
	uint32_t max_stack;           /* user frames at most; 0: 127, as in perf */
	struct pp_budget *budget;     /* required: of names and maps */
	struct pp_say say;            /* what is worth knowing of files */
	bool foreign;                 /* the stream was written in the other byte order */
	/* Files are found by a child process, which hands them over, so that pp_sandbox_enter() can be
	 * called (<perfpipe/opener.h>): what is in them, which is not to be trusted, is read here.  Its end
	 * is waited for by pp_unwind_free(). */
	bool isolate;
	/* With `isolate`: a socket to such a process that runs already (pp_namer_finder()); pp_unwind_free()
	 * closes the socket.  0: none.  Then nothing here opens a file but the loader of libraries, for which
	 * pp_unwind_load() comes first. */
	int finder;
};
/* Loads the libraries that read files, so that pp_sandbox_enter() can be called: 0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_unwind_load(struct pp_error *);
struct pp_unwind;
/* NULL and *error. */
PP_API PP_MUST_CHECK struct pp_unwind *pp_unwind_new(const struct pp_unwind_options *,
						     struct pp_error *);
PP_API void pp_unwind_free(struct pp_unwind *);         /* NULL is fine */
/*
 * Shown each record as it comes from the reader, before it waits for its time: a record that has to
 * grow becomes one with room, in memory that is good until the next call.  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_unwind_admit(struct pp_unwind *, struct pp_record *, struct pp_error *);
/*
 * Shown each record in the order of its time: a pp_verdict, or -1 and *error.  What it rewrites may
 * become shorter; a note is written before the first attribute that it changes.
 */
PP_API PP_MUST_CHECK int pp_unwind_judge(struct pp_unwind *, struct pp_record *, struct pp_writer *,
					 struct pp_error *);

struct pp_unwind_stats {
	uint64_t events;              /* attributes that have registers and stacks */
	uint64_t samples, stacks;     /* of those events; with a stack */
	uint64_t frames;              /* user frames that were found */
	uint64_t ends[PP_UNWOUND_WAYS];
	uint64_t joined, waiting;     /* chains that came later; that did not come in time */
	uint64_t left_out;            /* stacks that --keep had no room for */
};
PP_API const struct pp_unwind_stats *pp_unwind_stats(const struct pp_unwind *);
/* The words for a way: "complete"; and as a key: "properly". */
PP_API const char *pp_unwound_text(enum pp_unwound);
PP_API const char *pp_unwound_key(enum pp_unwound);
/* Calls `fn` for each file in which stacks ended otherwise than properly, most first; `path` is
 * borrowed, and "" where nothing is mapped.  0, -1 and *error: memory. */
typedef void pp_unwind_file_fn(void *arg, const char *path, const uint64_t ends[PP_UNWOUND_WAYS]);
PP_API int pp_unwind_files(struct pp_unwind *, pp_unwind_file_fn *, void *arg, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
