/*
 * export.h - a recording in the formats of other tools.
 *
 * A recording is what <perfpipe/fold.h> made of its events, with `places` and `threads`, and what is known of
 * it besides.  What pp-export(1) writes of a stream that pp-sort(1) wrote, but for what is said of the whole:
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
 *		struct pp_export_event event = { .name = "samples", .profile = pp_profile_new() };
 *		struct pp_fold_options how = { .size = sizeof(how), .threads = true };
 *		struct pp_flame_facts facts = { 0 };
 *		struct pp_export all = {
 *			.size = sizeof(all), .facts = &facts, .events = &event, .n_events = 1,
 *		};
 *		struct pp_record record;
 *		struct pp_folded folded;
 *		struct pp_out out;
 *
 *		all.places = how.places = pp_places_new(false);
 *		event.fold = pp_fold_new(&how, tasks, symbols, event.profile);
 *		while (in && event.fold && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_tasks_note(tasks, &record, &error) ||
 *			    pp_symbols_note(symbols, &record, &error) ||
 *			    pp_fold_note(event.fold, &record, &folded, &error) < 0)
 *				return pp_error_status(&error);
 *		if (!in || !event.fold || !all.places || pp_out_open(&out, STDOUT_FILENO) ||
 *		    pp_export_pprof(&all, &out, &error))
 *			return 4;
 *		return pp_out_close(&out) ? 4 : pp_reader_status(in);
 *	}
 */
#ifndef PERFPIPE_EXPORT_H
#define PERFPIPE_EXPORT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/export.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/flame.h>
#include <perfpipe/fold.h>
#include <perfpipe/record.h>
#include <perfpipe/symbol.h>
#include <perfpipe/tasks.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When each thread had which stacks, each sample for itself; more than a few of a thread are in a file
 * without a name in TMPDIR. */
struct pp_sample_times;
/* NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_sample_times *pp_sample_times_new(void);
PP_API void pp_sample_times_free(struct pp_sample_times *);        /* NULL is fine */
/* Adds what became of a sample, of its members `time`, `thread`, `node` and `weight`.  0, or -1 and *error:
 * memory, or the file. */
PP_API PP_MUST_CHECK int pp_sample_times_add(struct pp_sample_times *, uint64_t time, uint32_t thread,
					     uint32_t node, uint64_t weight, struct pp_error *);
/* Takes back all that was added. */
PP_API void pp_sample_times_clear(struct pp_sample_times *);
/* Once nodes have become others: places[i] is what node i is now.  0, or -1 and *error: the file. */
PP_API PP_MUST_CHECK int pp_sample_times_renumber(struct pp_sample_times *, const uint32_t *places,
						  struct pp_error *);

/* An event of the recording. */
struct pp_export_event {
	const char *name;             /* "cycles:P" */
	struct pp_profile *profile;   /* weights are on its first side */
	struct pp_fold *fold;         /* that made it, after pp_fold_settle() */
	struct pp_sample_times *times_of; /* of its samples; NULL where the format has none */
	uint64_t samples;
	uint64_t period;              /* between two samples, in the unit of their weights; 0: not known */
	bool times;                   /* weights are ns */
	bool waits;                   /* of threads that were off their CPU */
	uint32_t number;              /* for <perfpipe/fleet.h> */
};

/* The branches that samples have, of the processor's record of the last ones: from which place to which, and
 * how often.  Memory grows with those that are distinct. */
struct pp_branches;
/* Their places are of `places`, which all outlive them.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_branches *pp_branches_new(struct pp_tasks *tasks, struct pp_symbols *symbols,
							 struct pp_places *places);
PP_API void pp_branches_free(struct pp_branches *);        /* NULL is fine */
/* Takes a sample, after `tasks` and `symbols` were shown what came before it; other records are ignored.  0,
 * or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_branches_note(struct pp_branches *, const struct pp_record *, struct pp_error *);

/* A label that all samples get. */
struct pp_export_label { const char *key, *value; };

/* What an event had counted when it was asked. */
struct pp_export_counter {
	const char *name, *unit;      /* "" where it has no unit */
	bool since_start;             /* times are since counting began, and not those of samples */
	const struct pp_export_count {
		uint64_t time;        /* ns */
		double count;         /* since the one before, or of another task, in `unit` */
	} *counts;                    /* in the order of their times */
	size_t n_counts;
};

/* All of it is the caller's. */
struct pp_export {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *program;          /* that writes the file, and its version; NULL: this library */
	const struct pp_flame_facts *facts;       /* of the recording; of no event */
	const struct pp_places *places;   /* that frames are, of all events */
	bool own;                     /* which are those of each process */
	const struct pp_export_event *events;     /* one at least, in the order of the stream */
	size_t n_events;
	uint64_t duration;            /* ns, from the first sample to the last; 0: they have no times */
	const struct pp_export_label *labels;
	size_t n_labels;
	const char *dso;              /* of a format about one file: which; NULL: the recorded program */
	bool plain;                   /* do not compress what may be read either way */
	size_t threads;               /* of more than so many the rest are one for each process; 0: 2,000 */
	uint64_t every;               /* of a fleet: ns, see <perfpipe/fleet.h>; 0: each sample for itself */
	uint64_t *joined;             /* NULL, or becomes how many of them are not threads of their own */
	const struct pp_branches *branches;       /* of the samples of `events`; NULL: they have none */
	const struct pp_export_counter *counters;
	size_t n_counters;
	bool monotonic;               /* times of samples are those of CLOCK_MONOTONIC */
};

/* Writes pprof's profile.proto, compressed by gzip.  0, or -1 and *error: memory; errors of the output stay
 * in it. */
PP_API PP_MUST_CHECK int pp_export_pprof(const struct pp_export *, struct pp_out *, struct pp_error *);

/* Writes what speedscope reads: JSON, a profile for each thread and event.  Events have ->times_of. */
PP_API PP_MUST_CHECK int pp_export_speedscope(const struct pp_export *, struct pp_out *, struct pp_error *);

/* Writes a processed profile of the Firefox Profiler, compressed by gzip unless it is to be plain.  Events
 * have ->times_of.  Its samples are those of the first event that is not of waits; waits of all are
 * markers. */
PP_API PP_MUST_CHECK int pp_export_firefox(const struct pp_export *, struct pp_out *, struct pp_error *);

/* Writes what llvm-bolt reads as fdata: the branches of one file, or where there are none samples of the
 * first event in it, by symbol and offset.  Names of symbols are to be those that linkers know.  PP_E_USE: no
 * sample is in ->dso. */
PP_API PP_MUST_CHECK int pp_export_bolt(const struct pp_export *, struct pp_out *, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
