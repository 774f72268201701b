/*
 * count.h - reads the counts in a stream: what `pp-count` and `perf stat record` write.
 *
 * Counts in a stream are cumulative, an event on a CPU or in a thread each; a STAT_ROUND says that
 * those before it belong together.  Here they are kept as they are now, and as they were at the
 * last round that was shown; what lies between is added up by whatever is asked for: by CPU, core,
 * socket, thread.  Memory depends on how many counts there are, not on the length of the stream.
 *
 *	#include <perfpipe/count.h>
 *	#include <perfpipe/reader.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_counts *counts = in ? pp_counts_new(pp_reader_stream(in)->attrs, NULL) : NULL;
 *		struct pp_counts_options options = { .size = sizeof(options) };
 *		struct pp_count_table table;
 *		struct pp_record record;
 *		int status;
 *
 *		while (counts && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_counts_note(counts, &record, &error) == PP_FAILED)
 *				break;
 *		if (!counts || pp_counts_table(counts, &options, &table, &error))
 *			return 4;
 *		for (size_t i = 0; i < table.events; i++)
 *			if (table.rows[i].counted)
 *				printf("%.0f %s\n", table.rows[i].value, table.rows[i].event->name);
 *		status = pp_reader_status(in);
 *		pp_counts_free(counts);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_COUNT_H
#define PERFPIPE_COUNT_H

#include <perfpipe/api.h>
#include <perfpipe/attrs.h>
#include <perfpipe/budget.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What counts are added up by. */
enum pp_count_by {
	PP_COUNT_GLOBAL,
	PP_COUNT_CPU, PP_COUNT_CORE, PP_COUNT_CLUSTER, PP_COUNT_CACHE, PP_COUNT_DIE, PP_COUNT_SOCKET,
	PP_COUNT_NODE, PP_COUNT_THREAD,
};

/* One event of a stream of counts; borrowed, texts too, until the next record is noted. */
struct pp_count_event {
	const struct pp_attr *attr;
	const char *name;             /* never NULL */
	const char *unit;             /* "" where it has none */
	double scale;                 /* of its counts, to `unit`; 1 where none is said */
	bool supported;               /* it could be opened: a count of it was seen */
	bool percore;                 /* the counts of a core's CPUs belong together */
	const char *cgroup;           /* NULL: of no control group */
	const char *pmu;              /* NULL: not said */
	const char *alias;            /* events with the same were one specification; NULL: none */
	const char *metric;           /* of which it is a part; NULL: none */
	const char *why;              /* it cannot be counted; NULL: not said */
	uint32_t leader;              /* index of its group's leader: its own where it has none */
	uint32_t index;               /* among the events of the stream */
	uint32_t merged;              /* of how many events it shows the sum, itself included */
};

/* Where counts are from; -1: not known, or of several. */
struct pp_count_place {
	int32_t socket, die, cluster, core, node, cpu;
	int32_t level, cache;         /* level of a cache, and the first CPU that shares it */
	int32_t thread;               /* in the stream's list of threads */
};

/* A sum of counts of one event, over one place, in one stretch of time. */
struct pp_count_row {
	const struct pp_count_event *event;
	const struct pp_count_place *place;
	double value;                 /* scaled up to all the time enabled, but not by event->scale */
	uint64_t raw;                 /* as counted */
	uint64_t enabled, running;    /* ns, sums */
	uint32_t cpus;                /* whose counts these are */
	uint64_t samples;             /* that made it; 0: counters were read */
	bool counted;                 /* false: <not counted>, or <not supported> */
	bool shown;                   /* false: part of another row, or left out by the options */
};

/* rows[place * events + event], each with its event and place. */
struct pp_count_table {
	enum pp_count_by by;          /* which may be another than was asked for: see `tasks` */
	const struct pp_count_row *rows;
	const struct pp_count_place *place_list;
	size_t places, events;
	uint64_t from, to;            /* ns since the start of counting: the stretch of time */
	bool tasks;                   /* only tasks were counted, so no CPU is known */
	bool cgroups;                 /* an event is one of a control group */
	size_t clocks, clocks_end;    /* the events that are clocks are among these */
};

enum pp_count_since {
	PP_COUNT_SINCE_START, PP_COUNT_SINCE_SHOWN, PP_COUNT_SINCE_RUN, PP_COUNT_SINCE_ROUND,
};

struct pp_counts_options {
	size_t size;                  /* of this struct */
	enum pp_count_by by;
	int32_t level;                /* PP_COUNT_CACHE: 1 to 9; 0: the last there is */
	enum pp_count_since since;
	bool no_scale;                /* the counts as they are, even where an event ran part of the time */
	bool no_merge;                /* events of one specification each in a row of their own */
	bool hybrid_merge;            /* the same on other kinds of cores in one: "cycles" */
	const char *cpu_type;         /* only events of this kind of core: "core", "atom"; NULL: all */
	bool percore_threads;         /* PP_COUNT_CPU: the sum of a core beside each of its CPUs */
};

/* What the stream says of the recording. */
struct pp_counts_about {
	uint64_t interval;            /* ns; 0: none */
	enum pp_count_by by;          /* as was asked for then */
	bool scale;
	const char *title;            /* what was counted, as perf names it: "'make -j'", "'system wide'" */
	bool null;                    /* nothing was to be counted, only time taken */
	bool metric_only;             /* what counts mean together is to be shown, and not these */
	bool all_tasks;               /* all threads that there were, each by itself */
	const char *metrics;          /* for which events were counted, "IPC,TopdownL1"; NULL: none */
	uint32_t chips, chip_cores;   /* runs of metrics, as struct pp_metric_machine has; 0: not known */
	const char *note;             /* the note `count` (JSON), or NULL; `note_length` bytes */
	size_t note_length;
	size_t runs;                  /* notes `count.run` so far: see pp_counts_run() */
	uint64_t rounds;              /* STAT_ROUNDs so far */
	uint64_t counts;              /* STATs so far */
	uint64_t samples;             /* so far; they are counts only after pp_counts_from_samples() */
	uint64_t lost;                /* samples that were lost; likewise */
	bool sampled;                 /* counts are made of samples */
	uint64_t unknown;             /* of ids, CPUs or threads that the stream does not have */
	uint64_t backwards;           /* smaller than before, and taken as 0 more */
	bool topology;                /* the stream says how processors are joined */
	bool final;                   /* a final round was seen */
	bool pending;                 /* counts came after the last round */
	bool multiplexed;             /* an event ran only part of the time that it was enabled */
	uint64_t time;                /* of the last round, ns */
	bool cpu_type;                /* shown were events of the kind of cores that was asked for */
	uint64_t nameless;            /* without an id, where events have none: of which is not known */
};

struct pp_counts;
/*
 * `attrs` are those of the stream's reader, and outlive it; so does `budget`, which may be NULL: then
 * 256 MiB.  NULL: out of memory.
 */
PP_API PP_MUST_CHECK struct pp_counts *pp_counts_new(struct pp_attrs *attrs, struct pp_budget *budget);
PP_API void pp_counts_free(struct pp_counts *);        /* NULL is fine */
/*
 * To be called before the first record: counts are made of samples from now on, each as many as the period
 * that it stands for; where samples carry values of counters, those of a group too, by how much these
 * grew.  There are no rounds then: the table is complete when the stream has ended, and its time lasts
 * from the earliest sample to the latest.  0, or -1 and *error: out of memory.
 */
PP_API PP_MUST_CHECK int pp_counts_from_samples(struct pp_counts *, struct pp_error *);
/* Takes any record: PP_MORE: it ended a round; PP_END: it did not; PP_FAILED and *error. */
PP_API PP_MUST_CHECK enum pp_status pp_counts_note(struct pp_counts *, const struct pp_record *,
						   struct pp_error *);
PP_API void pp_counts_about(const struct pp_counts *, struct pp_counts_about *);
/* Adds up.  *table is valid until the next call of any of these.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counts_table(struct pp_counts *, const struct pp_counts_options *,
					 struct pp_count_table *table, struct pp_error *);
/* From now on PP_COUNT_SINCE_SHOWN, _RUN or _ROUND begins here. */
PP_API void pp_counts_shown(struct pp_counts *, enum pp_count_since);
/* A thread of the stream's list; false: there is none. */
PP_API bool pp_counts_thread(const struct pp_counts *, int32_t thread, int32_t *pid, const char **comm);
/* The end of one run of a command, as the note `count.run` says it. */
struct pp_count_run {
	uint64_t first, last;         /* STAT_ROUNDs, from 0 */
	uint64_t elapsed, user, sys;  /* ns */
	int32_t status, signal;       /* how it ended; signal 0: by itself */
	int32_t side;                 /* of a comparison, from 0 */
	bool has_usage;               /* user and sys are said */
	bool cut;                     /* it was ended early, by a signal or a limit */
};
/* The command of a side, where the stream compares two; NULL: it does not. */
PP_API const char *pp_counts_side(const struct pp_counts *, int32_t side);
/* Run `i`, from 0, or NULL; valid until the next record is noted. */
PP_API const struct pp_count_run *pp_counts_run(const struct pp_counts *, size_t i);
/* How processors are joined, of this machine, for a stream that does not say: 0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counts_join_here(struct pp_counts *, struct pp_error *);

/*
 * How far the estimates of a table may be from the truth, where events ran part of the time: the
 * tables of the intervals that make it up are added, and then row by row it is known.
 */
struct pp_count_bounds;
PP_API PP_MUST_CHECK struct pp_count_bounds *pp_count_bounds_new(void);      /* NULL: out of memory */
PP_API void pp_count_bounds_free(struct pp_count_bounds *);   /* NULL is fine */
PP_API void pp_count_bounds_clear(struct pp_count_bounds *);
/* The table of one interval; one that has other rows than those before begins anew.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_count_bounds_add(struct pp_count_bounds *, const struct pp_count_table *,
					     struct pp_error *);
/* Half the width of the interval around the row's value, as it is before its event's scale, that has the
 * true one with 95 %.  False: it ran all the time, or in less than two intervals. */
PP_API bool pp_count_bounds_of(struct pp_count_bounds *, size_t row, double *half);

/*
 * A rate as perf shows it beside a count: "insn per cycle", "CPUs utilized".  `format` is of one
 * double, for printf; NULL: what it needs was not counted.
 */
struct pp_count_rate {
	const char *name;             /* what it is a rate of; NULL: see `unit` */
	const char *format;
	double value;
	bool apart;                   /* what it is made of may never have been counted at one time */
	char unit[16];
};
enum { PP_COUNT_RATES = 2 };          /* a row has at most */
/* The rates of a row of the table: how many.  `wall`: ns of real time, 0: not known. */
PP_API size_t pp_count_rates(const struct pp_count_table *, const struct pp_count_row *, double wall,
			     struct pp_count_rate rates[PP_COUNT_RATES]);

#ifdef __cplusplus
}
#endif

#endif
