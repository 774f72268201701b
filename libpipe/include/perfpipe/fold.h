/*
 * fold.h - samples into a profile: each stack of a stream as the names of its frames.
 *
 * Names are those of the time of the sample, so records are noted in the order of their times, by
 * pp_tasks_note(), pp_symbols_note() and then here.  A stack that was there before costs no look at
 * any name.  What pp-fold(1) prints of a stream that pp-sort(1) wrote:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/perfpipe.h>
 *	#include <unistd.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
 *		struct pp_symbols *symbols = pp_symbols_new(NULL, tasks, &error);
 *		struct pp_profile *profile = pp_profile_new();
 *		struct pp_fold_options how = { sizeof(how) };
 *		struct pp_fold *fold = pp_fold_new(&how, tasks, symbols, profile);
 *		struct pp_record record;
 *		struct pp_folded folded;
 *		struct pp_out out;
 *
 *		while (in && fold && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_tasks_note(tasks, &record, &error) ||
 *			    pp_symbols_note(symbols, &record, &error) ||
 *			    pp_fold_note(fold, &record, &folded, &error) < 0)
 *				return pp_error_status(&error);
 *		if (!in || !fold || pp_out_open(&out, STDOUT_FILENO) ||
 *		    pp_profile_write_folded(profile, &out, &error))
 *			return 4;
 *		return pp_out_close(&out) ? 4 : pp_reader_status(in);
 *	}
 */
#ifndef PERFPIPE_FOLD_H
#define PERFPIPE_FOLD_H

#ifndef PP_UNSTABLE
#error "<perfpipe/fold.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/profile.h>
#include <perfpipe/record.h>
#include <perfpipe/symbol.h>
#include <perfpipe/tasks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a sample weighs: its period; one; or the ns from then until the next sample of its thread, which is
 * known only when that comes, so that the last one of a thread weighs nothing.  Where its thread leaves a
 * CPU (context-switches, cgroup-switches, sched:sched_switch), it is the ns until a SWITCH record says that
 * it runs again. */
enum pp_fold_weight { PP_FOLD_PERIOD, PP_FOLD_COUNT, PP_FOLD_TIME };

struct pp_fold_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *event;            /* only its samples, or those of all events of one unit whose names
				       * match this glob; NULL: the first event that has any */
	enum pp_fold_weight weight;
	enum pp_profile_side side;    /* of the profile: where weights go */
	bool reversed;                /* stacks begin at their innermost frames; not where order is kept */
	bool no_inline;               /* leave out inlined functions that the stream names, too */
	bool pid, tid;                /* stacks begin with "comm-pid", or "comm-pid/tid" */
	bool addresses;               /* frames without a name have their address */
	bool mark_kernel, mark_jit, mark_inlined;   /* such frames end in _[k], _[j], _[i] */
	bool kinds;                   /* frames have their enum pp_flame_kind, too */
	bool late_names;              /* names may come after the samples: pp_fold_settle() follows */
	bool objects;                 /* or a number that tells their file, too: see pp_fold_object() */
	bool threads;                 /* number threads: see pp_fold_thread() */
	bool lines;                   /* remember where functions are in sources, as far as symbols tell
				       * it: see pp_fold_source() */
	/* Frames are places in code, and stacks begin with the outermost function and end in their thread:
	 * none have names, but numbers as their kinds, see pp_fold_place().  The caller's; outlives the fold.
	 * Not where stacks are reversed or order is kept. */
	struct pp_places *places;
	bool cpus;                    /* with `places`: a stack on two CPUs is two */
	bool cgroups;                 /* tell the control group of each sample */
	bool frames_only;             /* with `places`, without `cpus`: stacks end in their innermost
				       * function, and are one for all threads */
	bool functions;               /* with `places`: one place of a function stands for all of it */
	bool unweighed;               /* the profile gets no weights: the caller keeps them.  Not where it is
				       * lightened */
	bool by_line;                 /* frames are called by their lines, "FILE:LINE", as far as symbols tell
				       * them; else by what stands for these in pp-report(1) */
	bool wakers;                  /* stacks go on to those of who woke the thread: pp_fold_note_waker().
				       * Not where frames are places, stacks are reversed or order is kept */
};

/* Whether an event of this name is one that pp_fold_options.event asks for: the name itself, or a glob. */
PP_API bool pp_fold_is_asked(const char *asked, const char *name);
/* Whether an event is a software clock; its periods are ns. */
PP_API bool pp_fold_of_clock(const struct pp_attr *);
/* Whether its samples are waits, whose periods are ns, and whose times are when they ended: those of pp-span
 * and of perf. */
PP_API bool pp_fold_of_waits(const struct pp_attr *);
/* Whether its samples are of who woke a thread, as pp-span writes them: each is followed by that of the wait,
 * which has the same time. */
PP_API bool pp_fold_of_wakers(const struct pp_attr *);

struct pp_fold;
/* All three outlive it.  NULL: out of memory, or one of them is NULL. */
PP_API PP_MUST_CHECK struct pp_fold *pp_fold_new(const struct pp_fold_options *, struct pp_tasks *,
						 struct pp_symbols *, struct pp_profile *);
PP_API void pp_fold_free(struct pp_fold *);                  /* NULL is fine */

/* What became of a sample. */
struct pp_folded {
	uint32_t node;                /* of the profile: where its stack ends */
	uint32_t cpu;                 /* with `frames_only`; UINT32_MAX: not known */
	uint64_t weight;
	uint64_t time;                /* ns; 0: it has none */
	uint32_t thread;              /* with `threads`: its number, for pp_fold_thread() */
	bool anew;                    /* what was folded before is taken back: it was of an event that
				       * the stream describes after this one */
	uint64_t cgroup;              /* with `cgroups`: the id of its control group; 0: not known */
};
/* Takes the next record.  1: it is a sample, *folded says what became of it, or of the sample of its thread
 * before it, where they weigh time, which a SWITCH record may end, too; 0: it is not one, or one of another
 * event; -1 and *error, which is PP_E_USE where time is asked for that was not recorded, or where
 * the periods of events that are asked for cannot be added up. */
PP_API PP_MUST_CHECK int pp_fold_note(struct pp_fold *, const struct pp_record *, struct pp_folded *,
				      struct pp_error *);

/*
 * With `wakers`: the stack of the next sample that is noted goes on to a frame "--", and from there to the
 * frames of this one, the innermost first, and to its task.  It has no weight of its own.  0, or -1 and
 * *error: memory.
 */
PP_API PP_MUST_CHECK int pp_fold_note_waker(struct pp_fold *, const struct pp_record *, struct pp_error *);

/*
 * With `late_names`, once all was noted: gives names to frames that had none when they were noted.  Numbers
 * of nodes are others then; places[i], for each node of pp_profile_nodes() before, is what i has become.
 * 0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_fold_settle(struct pp_fold *, uint32_t *places, struct pp_error *);

/* About how many bytes it takes, and its profile with it. */
PP_API uint64_t pp_fold_size(const struct pp_fold *);
/*
 * Leaves out half of what the profile has, the lightest stacks first.  Numbers of nodes are others then:
 * places[i], for each node of pp_profile_nodes() before, is what i has become, or PP_PROFILE_ROOT.
 * *left_out: what was left out weighed on the first side.  0, or -1 and *error: memory.
 */
PP_API PP_MUST_CHECK int pp_fold_lighten(struct pp_fold *, uint32_t *places, uint64_t *left_out,
					 struct pp_error *);

struct pp_fold_stats {
	uint64_t samples;             /* that were added */
	uint64_t others;              /* that belong to other events */
	uint64_t no_chain;            /* of those that were added: only their own address is known */
	uint64_t frames, unnamed;     /* looked up, and without a name */
	uint64_t endless;             /* time off the CPU whose end is missing: they weigh nothing */
	const char *event;            /* whose samples were added; NULL: none yet */
};
PP_API void pp_fold_stats(const struct pp_fold *, struct pp_fold_stats *);
/* How often stacks of any functions were weighed, and how often such that mostly have functions without a
 * name.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_fold_nameless(const struct pp_fold *, uint64_t *stacks, uint64_t *nameless,
					  struct pp_error *);
/* Forgets stacks, and the numbers of their nodes: names may be others now. */
PP_API void pp_fold_forget(struct pp_fold *);
/* With `objects`: the file that a frame of this kind is of, as long as the fold lives, and its enum
 * pp_flame_kind; NULL: it is a task's name. */
PP_API const char *pp_fold_object(const struct pp_fold *, unsigned kind, unsigned *flame_kind);
/* With `places`, the place of a frame of this kind, by its number; or 0: it is what a stack ends in, *thread,
 * by its number for pp_fold_thread() with `threads`, on *cpu, which is UINT32_MAX without `cpus`. */
PP_API uint32_t pp_fold_place(const struct pp_fold *, unsigned kind, uint32_t *thread, uint32_t *cpu);
/* With `lines`: the source file of a function, by the number of its frame in the profile, and the first of
 * the lines that samples and calls were in; as long as nothing is noted.  NULL: not known. */
PP_API const char *pp_fold_source(const struct pp_fold *, uint32_t frame, uint32_t *line);
/* With `threads`: the name of a thread, as long as the fold lives, its process and thread.  A thread whose
 * name changed is another.  NULL: there are no more. */
PP_API const char *pp_fold_thread(const struct pp_fold *, uint32_t number, uint32_t *pid, uint32_t *tid);

#ifdef __cplusplus
}
#endif

#endif
