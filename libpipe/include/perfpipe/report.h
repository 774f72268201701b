/*
 * report.h - where the time went: samples added up by what they have in common, as perf report adds them.
 *
 * A report has a table for each event, of entries: one for each set of values of the keys that it is
 * sorted by.  Samples are added as they come; entries are made of them when asked for, again and again
 * if wanted.  What is kept grows with the distinct stacks and keys, not with the samples.
 *
 * Maps and names are those of a time, so that records are noted in the order of their times.  Here a
 * stream that pp-sort(1) wrote, and how much of it each function took:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/perfpipe.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		const struct pp_report_options how = { .size = sizeof(how), .sort = "symbol" };
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
 *		struct pp_symbols *symbols = pp_symbols_new(NULL, tasks, &error);
 *		struct pp_report *report = symbols ? pp_report_new(&how, tasks, symbols, &error) : NULL;
 *		struct pp_record record;
 *		struct pp_report_cell cell;
 *		int status;
 *
 *		while (in && report && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_tasks_note(tasks, &record, &error) ||
 *			    pp_symbols_note(symbols, &record, &error) ||
 *			    pp_report_note(report, &record, &error))
 *				return pp_error_status(&error);
 *		if (!in || !report || pp_report_update(report, &error))
 *			return 4;
 *		for (size_t i = 0; pp_report_events(report) && i < pp_report_entries(report, 0); i++) {
 *			pp_report_cell(report, 0, i, pp_report_columns(report) - 1, &cell);
 *			printf("%s\n", cell.text);
 *		}
 *		status = pp_reader_status(in);
 *		pp_report_free(report);
 *		pp_symbols_free(symbols);
 *		pp_tasks_free(tasks);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_REPORT_H
#define PERFPIPE_REPORT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/report.h> may still change: define PP_UNSTABLE to use it as it is"
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

/* What a report is of. */
enum pp_report_mode {
	PP_REPORT_AUTO,               /* of branches, if an event of the stream has them; else of samples */
	PP_REPORT_PLAIN,              /* samples */
	PP_REPORT_BRANCHES,           /* the branches of samples, each as heavy as the other */
	PP_REPORT_MEMORY,             /* memory accesses, as heavy as they cost */
};

/* All strings are copied. */
struct pp_report_options {
	size_t size;                  /* of this struct: what a caller sets first */
	/* keys, as perf report's -s; NULL: by `fields`, or comm,dso,symbol, or trace of tracepoints alone */
	const char *sort;
	const char *fields;           /* columns, as perf report's -F; NULL: weights, and what is sorted by */
	bool no_children;             /* what a function calls does not count as its own */
	bool sys_us;                  /* columns of the weight in the kernel and in programs */
	bool samples, period;         /* columns of how many samples and which period */
	bool caller;                  /* call trees begin at the outermost caller */
	bool no_inline;               /* leave out inlined functions that the stream names, too */
	uint32_t max_stack;           /* most addresses of a chain; 0: 127 */
	uint64_t time_quantum;        /* ns, for the key `time`; 0: 100 ms */
	const char *parent;           /* regular expression of the key `parent`; NULL: perf's */
	bool count;                   /* samples weigh alike, whatever their periods */
	bool no_trees;                /* no call trees are wanted: how deep they are orders nothing */
	/* "a,b,...": samples of other threads, files (by path, or its last part) or functions are in no
	 * entry; NULL: all are. */
	const char *comms, *pids, *tids, *dsos, *symbols;
	enum pp_report_mode mode;
	bool relative;                /* the event's weight is that of what is in entries */
	bool all_together;            /* where no group was recorded, all events are one */
	bool no_groups;               /* events of a group that was recorded have tables of their own */
	struct pp_trace_texts *traces;        /* what tracepoints say, for the key `trace`; NULL: nothing */
	uint32_t group_sort;          /* by which event of a group; 0: the first, then the others */
	/* Where context switches were recorded: */
	bool latency;                 /* columns of latency come first, and decide the order */
	bool no_latency;              /* there are none */
	const char *parallelism;      /* "1,3-4": samples while another number of threads ran are left out */
	bool buckets;                 /* pp_report_bucket() is asked for, besides columns */
};

struct pp_report;
/* Tasks (with PP_TASKS_MAPS, BUILD_IDS, CGROUPS and NAMESPACES) and symbols outlive it.  NULL and *error:
 * PP_E_USE says which key is not one, or why it is not here. */
PP_API PP_MUST_CHECK struct pp_report *pp_report_new(const struct pp_report_options *, struct pp_tasks *,
						     struct pp_symbols *, struct pp_error *);
PP_API void pp_report_free(struct pp_report *);              /* NULL is fine */
/* Takes the next record, after tasks and symbols took it.  0, or -1 and *error: memory; PP_E_USE: a key is of
 * what these samples do not have. */
PP_API PP_MUST_CHECK int pp_report_note(struct pp_report *, const struct pp_record *, struct pp_error *);
/* Makes the entries of what was noted so far: what follows is about them, until this is called again.
 * 0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_report_update(struct pp_report *, struct pp_error *);

/*
 * For those who look again and again: what was noted so far weighs times/over of what it did, and so many
 * of its samples are left, in whole numbers from the next update on; times is no more than over.  A sample
 * that has faded to nothing is in no entry, but is still kept.
 */
PP_API void pp_report_scale(struct pp_report *, uint32_t times, uint32_t over);
/* Bytes that are taken by what was noted, and will be by the entries of it. */
PP_API uint64_t pp_report_size(const struct pp_report *);
/*
 * Drops the lightest stacks, which have about half of all frames: their samples stay in the entries of
 * where they were, but not in those of their callers, nor in call trees.  *left_out: what they weigh
 * together.  Call pp_report_update() before anything is shown again.  0, or -1 and *error: memory; then
 * nothing is left, and both pp_report_note() and pp_report_update() fail.
 */
PP_API PP_MUST_CHECK int pp_report_lighten(struct pp_report *, uint64_t *left_out, struct pp_error *);

/* ---- What came of it ---- */

struct pp_report_event {
	const char *name;             /* lives as long as the report */
	uint64_t samples;             /* that were noted */
	uint64_t weight;              /* the sum of all, or of what is in entries: options.relative */
	bool has_chains;
	uint64_t all;                 /* the sum of all in any case */
	bool leads;                   /* it is the first event of a group */
	bool put_together;            /* which was not recorded: options.all_together */
	const char *group;            /* whose table it is: its name, or ""; NULL: no group */
};
/* What it is of, by now. */
PP_API enum pp_report_mode pp_report_mode(const struct pp_report *);
/* The keys that it is sorted by, as -s has them; NULL: fields alone were given. */
PP_API const char *pp_report_sort(const struct pp_report *);
/* Events that had samples, in the order of the stream's attributes. */
PP_API size_t pp_report_events(const struct pp_report *);
PP_API void pp_report_event(const struct pp_report *, size_t event, struct pp_report_event *);
/* How many events of a group share a table, its first one with them: 1, if it is of no group. */
PP_API size_t pp_report_members(const struct pp_report *, size_t event);
PP_API void pp_report_member(const struct pp_report *, size_t event, size_t member, struct pp_report_event *);
/* Whether callers have what they call in them: it was not refused, and there are call chains. */
PP_API bool pp_report_children(const struct pp_report *);

/* How many samples are in the tables, and the stacks of how many mostly have functions without a name, where
 * one without a call chain is its own function; 0 of branches.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_report_nameless(const struct pp_report *, uint64_t *stacks, uint64_t *nameless,
					    struct pp_error *);

/* What is in a column. */
enum pp_report_kind {
	PP_REPORT_PERCENT,            /* number: a part of the event's weight */
	PP_REPORT_NUMBER,
	PP_REPORT_AVERAGE,            /* of its samples, and number: their sum */
	PP_REPORT_TEXT,
	PP_REPORT_SYMBOL,             /* text: a function; or number: an address that has none */
	PP_REPORT_TASK,               /* number: a thread; text: its last name */
	PP_REPORT_CPU,                /* number, or -1 */
	PP_REPORT_TIME,               /* number: ns */
	PP_REPORT_COST,               /* number */
	PP_REPORT_TIMES,              /* number: a cost, as often as there were samples */
	PP_REPORT_ADDRESS,            /* number */
	PP_REPORT_INTO,               /* text: a function, and number: how far into it; or an address */
};
struct pp_report_column {
	const char *name;             /* as -s and -F have it */
	const char *header;           /* as perf report's tables have it */
	enum pp_report_kind kind;
	bool key;                     /* of what samples have in common, and no weight */
	uint32_t width;               /* least, in perf report's tables */
	const char *unknown;          /* text of what is not known; NULL: it always is */
};
/* The columns that are shown, in their order. */
PP_API size_t pp_report_columns(const struct pp_report *);
PP_API void pp_report_column(const struct pp_report *, size_t column, struct pp_report_column *);

/* Entries of an event, the heaviest first, or in the order that was asked for. */
PP_API size_t pp_report_entries(const struct pp_report *, size_t event);
struct pp_report_cell {
	enum pp_report_kind kind;
	const char *text;             /* not terminated by a 0 that counts: `length` bytes, then a 0 */
	size_t length;
	uint64_t number;
	uint64_t whole;               /* what a percentage is of */
	double average;
	char level;                   /* of a symbol: k for the kernel, '.' for programs, g, u, H */
	bool inlined;                 /* of a symbol */
	bool unnamed;                 /* of a file: no function is known there */
	bool known;                   /* false: text is that of what is not known */
};
/* Lives until the next pp_report_update(). */
PP_API void pp_report_cell(const struct pp_report *, size_t event, size_t entry, size_t column,
			   struct pp_report_cell *);
/* The same in a column of weights, of another event of the group. */
PP_API void pp_report_of_member(const struct pp_report *, size_t event, size_t entry, size_t column,
				size_t member, struct pp_report_cell *);
struct pp_report_weights {
	uint64_t weight, samples;     /* of samples in the entry itself */
	uint64_t children;            /* and in what is called from there; equal where it was not asked for */
	const char *comm;             /* last name of the thread of its first sample */
};
PP_API void pp_report_weights(const struct pp_report *, size_t event, size_t entry,
			      struct pp_report_weights *);
/*
 * How what samples weigh is spread that are in an entry themselves, in buckets, the least first: each weight
 * below 64 has one, and those from a power of two to the next have 32 of the same width.  There are some
 * where the option `buckets` or a column of quantiles asked for them.
 */
struct pp_report_bucket {
	uint64_t low, high;           /* both included */
	uint64_t count;               /* samples */
};
PP_API size_t pp_report_buckets(const struct pp_report *, size_t event, size_t entry);
PP_API void pp_report_bucket(const struct pp_report *, size_t event, size_t entry, size_t bucket,
			     struct pp_report_bucket *);
/*
 * The call tree of an entry: weights on the first side, samples on the second; a frame's kind is its
 * rank by address, so that of equal weights the later address is first, as in perf.  What weighs less than
 * `least` is there, but nothing that it calls: all that it weighs is its own.  The caller frees it.
 * NULL and *error: memory.
 */
PP_API PP_MUST_CHECK struct pp_profile *pp_report_tree(struct pp_report *, size_t event, size_t entry,
						       uint64_t least, struct pp_error *);

/* All columns that there are: the name of number i, or NULL. */
PP_API const char *pp_report_key(size_t i);
/* The PP_SAMPLE_ bits of which samples need one for that column to say anything; 0: all have it. */
PP_API uint64_t pp_report_key_needs(size_t i);

#ifdef __cplusplus
}
#endif

#endif
