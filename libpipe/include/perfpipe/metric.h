/*
 * metric.h - metrics: what counts mean together, such as instructions per cycle.
 *
 * A metric is an expression of counts, in perf's language; pp-stat(1) has it.  There is a small table
 * for what every processor has, and perf's own JSON files are read at run time.  A set is some of
 * these metrics; it names the events that they need, is bound to the events that were counted, and
 * is asked for values.  The value of one expression, given the counts of two events:
 *
 *	#include <perfpipe/metric.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		struct pp_metric_event events[] = { { "instructions" }, { "cycles" } };
 *		struct pp_metric_count counts[] = { { 300, 9, 9, true }, { 200, 9, 9, true } };
 *		struct pp_metric_facts facts = { sizeof(facts), counts };
 *		struct pp_metric_value value;
 *		struct pp_error error;
 *		struct pp_metrics *all = pp_metrics_new(&error);
 *		struct pp_metric_set *set = all ? pp_metric_set_new(all, "insn_per_cycle", &error) : NULL;
 *
 *		if (!set || pp_metric_set_bind(set, events, 2))
 *			return fprintf(stderr, "%s\n", error.detail), 2;
 *		if (pp_metric_set_value(set, 0, &facts, &value) == PP_METRIC_KNOWN)
 *			printf("%g %s\n", value.value, value.unit);
 *		pp_metric_set_free(set);
 *		pp_metrics_free(all);
 *		return 0;
 *	}
 */
#ifndef PERFPIPE_METRIC_H
#define PERFPIPE_METRIC_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Machines -------------------------------------------------------------------------------- */

/*
 * What expressions ask of the machine whose events are counted: #smt_on, #num_cpus and so on, each NAN
 * where it is not known; and the identity of its processor, as perf writes it: "GenuineIntel-6-55-7".
 */
struct pp_metric_machine {
	size_t size;                  /* of this struct */
	double smt_on, num_cpus, num_cpus_online, num_cores, num_dies, num_packages;
	double system_tsc_freq;       /* Hz */
	double slots;                 /* of a cycle, where sysfs has it */
	double has_pmem;
	double core_wide;             /* whole cores are counted: on all CPUs, or without SMT */
	double target_cpu;            /* CPUs are counted, not tasks */
	char cpuid[128];
	uint32_t chips, chip_cores;   /* as POWER's hypervisor counts them: runs of a metric with "?"; or 0 */
};
/* Nothing is known. */
PP_API void pp_metric_machine_clear(struct pp_metric_machine *);
/* What this machine is; `core_wide` and `target_cpu` are left as counting on all CPUs makes them with
 * `everywhere`, and as counting tasks does without. */
PP_API void pp_metric_machine_here(struct pp_metric_machine *, bool everywhere);

/* Takes what a record of a stream says of the machine, if it is a feature that does; other records
 * change nothing. */
PP_API void pp_metric_machine_note(struct pp_metric_machine *, const struct pp_record *);

/* ---- Metrics --------------------------------------------------------------------------------- */

/*
 * In an error, `at` is the byte of an expression, a list of names or a file, and `detail` says all;
 * PP_E_USE is what is wrong with the text; PP_E_NOMEM, and PP_E_IO or PP_E_DENIED for a file that is there
 * and cannot be read, are not about it.
 */
struct pp_metrics;
/* As perf's JSON has it; what is absent there is NULL.  All is lent. */
struct pp_metric {
	const char *name, *expression;
	const char *groups;           /* separated by ; */
	const char *unit;             /* "100%": what the value is multiplied by, and its unit */
	const char *threshold;        /* true where the value asks for attention */
	const char *constraint;       /* "NO_GROUP_EVENTS": what may not be grouped */
	const char *ungrouped;        /* groups of metrics in which its events are not grouped */
	const char *pmu;              /* of what kind of cores */
	const char *brief;
	const char *aggregation;      /* what a run of one with "?" is: "PerChip", or of a core */
};
/* The small table of our own.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_metrics *pp_metrics_new(struct pp_error *);
PP_API void pp_metrics_free(struct pp_metrics *);
/*
 * Adds what perf's JSON defines, metrics and events: of a file, of all files of a folder, or, where a
 * folder has a mapfile.csv, of the folder that this names for the processor.  What an entry refers to by
 * ArchStdEvent is in the files beside the mapfile.csv, there or in a folder above.  Metrics that are there
 * under the same name are replaced, and ours are no longer found under it.  Metrics with "?" are for as
 * many chips, or cores of a chip, as the last machine has.  A file of a folder that has no such list is
 * passed over, unless all are.  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_metrics_read(struct pp_metrics *, const char *path,
					 const struct pp_metric_machine *, struct pp_error *);
/* The folder where pp_metrics_read() of this path looks for what entries refer to by ArchStdEvent, to be
 * freed; NULL: there is none, or no memory. */
PP_API char *pp_metrics_beside(const char *path);
/* What was wrong with the i-th file that was passed over, whole or in part, and where; NULL past the last. */
PP_API const char *pp_metrics_refused(const struct pp_metrics *, size_t i);
/* The i-th metric, NULL past the last. */
PP_API const struct pp_metric *pp_metrics_at(const struct pp_metrics *, size_t i);
/* The event that such a file defines under this name, as the grammar of events has it, or NULL. */
PP_API const char *pp_metrics_event(const struct pp_metrics *, const char *name);

/* ---- Sets ------------------------------------------------------------------------------------ */

struct pp_metric_set;
/*
 * The metrics that `names` asks for, "insn_per_cycle,TopdownL1": metrics, groups, or all; with those
 * that they refer to.  NULL and *error: one is not known, wrong, or refers to itself.  The metrics
 * have to stay as they are while there is a set.
 */
PP_API PP_MUST_CHECK struct pp_metric_set *pp_metric_set_new(const struct pp_metrics *,
							     const char *names,
							     struct pp_error *);
/* The same of one expression that has no name. */
PP_API PP_MUST_CHECK struct pp_metric_set *pp_metric_set_of(const struct pp_metrics *,
							    const char *expression,
							    struct pp_error *);
PP_API void pp_metric_set_free(struct pp_metric_set *);
/* The i-th metric that was asked for, NULL past the last.  One with "?" is there once for each chip, or core
 * of a chip: NAME_0 and so on. */
PP_API const struct pp_metric *pp_metric_set_at(const struct pp_metric_set *, size_t i);

/* Events for -e. */
struct pp_metric_ask {
	size_t size;                  /* of this struct */
	bool no_group;                /* each event by itself */
	bool no_merge;                /* each metric has its own group, though another's would do */
	bool no_threshold;            /* nothing that thresholds alone need */
	const struct pp_metric_machine *machine;      /* whose events these are; NULL: this one */
	/* Whether there is such an event; NULL: asks this machine. */
	bool (*has_event)(void *arg, const char *name);
	void *arg;
};
/*
 * The events that the set needs, each metric's in a weak group: "{instructions,cycles}:W,page-faults".
 * Times are no events, but always known; where no event is needed it is "duration_time", as in perf.  Its
 * owner frees it.  NULL and *error.
 */
PP_API PP_MUST_CHECK char *pp_metric_set_events(struct pp_metric_set *, const struct pp_metric_ask *,
						struct pp_error *);
/* The i-th event that the metric needs, as it writes it; NULL past the last. */
PP_API const char *pp_metric_set_need(const struct pp_metric_set *, size_t metric, size_t i);

/* An event that was counted.  Borrowed. */
struct pp_metric_event {
	const char *name;             /* NULL: no metric is to use it */
	const char *alias;            /* what it was asked for as, if several have come of that */
	size_t group;                 /* the ordinal of its group's leader, if `grouped` */
	bool grouped;
};
/* Settles which events the metrics mean: to be called before values are asked for, and again when
 * other events are meant.  0, or -1: out of memory. */
PP_API PP_MUST_CHECK int pp_metric_set_bind(struct pp_metric_set *, const struct pp_metric_event *,
					    size_t n);
/* Whether events were bound of which the i-th metric, or one that it refers to, asks for one at least. */
PP_API bool pp_metric_set_bound(struct pp_metric_set *, size_t i);

/* What was counted of an event: not scaled to its unit. */
struct pp_metric_count {
	double value;
	uint64_t enabled, running;    /* ns, for which it was to be counted, and was */
	bool known;                   /* was counted at all */
	uint32_t parts;               /* how many counts, of CPUs or tasks, were added up; 0: 1 */
	uint32_t sources;             /* of how many events, on a PMU each, it is the sum; 0: 1 */
};
struct pp_metric_facts {
	size_t size;                  /* of this struct */
	const struct pp_metric_count *counts;         /* of each event that was bound */
	double duration, user, system;                /* seconds; below 0: not known */
	const struct pp_metric_machine *machine;      /* NULL: nothing of it is known */
	bool mixed;                   /* also from events that were never counted at one time */
};
enum pp_metric_state {
	PP_METRIC_KNOWN,
	PP_METRIC_MISSING,            /* `event` was not counted */
	PP_METRIC_APART,              /* `event` and `other` were never counted at one time */
	PP_METRIC_UNDEFINED,          /* it divides by zero, or asks for what is not known here */
	PP_METRIC_NO_MEMORY,          /* to find out what it is */
};
struct pp_metric_value {
	double value;                 /* scaled; NAN, if it is not known */
	const char *unit;             /* of that; "" without one */
	const char *event, *other;    /* why it is not known; NULL */
	int over;                     /* its threshold: 1 over, 0 not, -1 not known */
};
/* The value of the i-th metric of the set. */
PP_API enum pp_metric_state pp_metric_set_value(struct pp_metric_set *, size_t i,
						const struct pp_metric_facts *,
						struct pp_metric_value *);

#ifdef __cplusplus
}
#endif

#endif
