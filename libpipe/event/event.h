/* event.h - what this room gives: events by their names, as attributes that the kernel takes. */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include "attr/event_list.h"

/* ---- evlist_text.c ---- */

/* Calls `to` with a line for each event, as perf evlist prints it with `how`: "", "-v", "-g", "-F". */
void pp_events_list(const struct pp_events *, const char *how, const struct pp_say *to);

/* ---- grammar.c: the words after -e ---- */

/* Appends what `text` asks for: "cycles:u,{a,b}:k,sched:*"; the error's `at` is where a mistake is. */
int pp_events_add(struct pp_events *, const char *text, struct pp_error *);

/* What was asked for: texts as pp_events_add() takes them, but those that `pfm` numbers, with filters of the
 * events that a text asks for. */
struct pp_event_texts {
	const char *const *texts;
	size_t n;
	const size_t *pfm;
	size_t n_pfm;
	const struct pp_event_filter *filters;
	size_t n_filters;
};
int pp_events_add_texts(struct pp_events *, const struct pp_event_texts *, struct pp_error *);

/* ---- tracepoint_events.c ---- */

#define PP_TRACEPOINTS "%s/events"    /* of pp_tracefs() */

/* Adds a filter to all events that came with the last text.  NULL: hits of the caller are left out. */
int pp_events_filter(struct pp_events *, const char *filter, struct pp_error *);
/* Explains why the kernel refused an event's filter. */
int pp_filter_refused(const struct pp_event *, int os, struct pp_error *);

/* ---- pmu.c ---- */

#define PP_PMUS "/sys/bus/event_source/devices"
/* The bits of `config` that a term of a PMU stands for; 0: it has none of this name. */
uint64_t pp_pmu_bits(const char *pmu, const char *term);

/* ---- sampling.c: what is sampled of events, and how often ---- */

/* Settles the rate: the usual one where none was asked for, and no more than is permitted. */
void pp_sampling_limit(struct pp_sampling *, const struct pp_say *);
/* Whether the samples can be had on this architecture: 0, or -1 and *error. */
int pp_sampling_check(const struct pp_sampling *, struct pp_error *);
/* Adds to all attributes what is asked of samples, and of tasks to the one that reports them.  `of_cpus`:
 * counters belong to CPUs, not to threads. */
void pp_events_sample(struct pp_events *, const struct pp_sampling *, bool of_cpus);
/* The event that reports tasks: one for nothing else if there is one, otherwise the first. */
struct pp_event *pp_events_tracking(const struct pp_events *);
/* Takes an event out of its group: it is started, sampled and read by itself. */
void pp_event_stand_alone(struct pp_events *, size_t i);
/* Makes all attributes those of events that are only counted; with `inherit`, of the tasks too that
 * the counted ones start. */
void pp_events_count(struct pp_events *, bool inherit);

/* ---- tracefs.c ---- */

/* The folder of tracefs, or NULL: not mounted, or not to be read (errno). */
const char *pp_tracefs(void);
/* Reads the formats of all tracepoints among the events into one blob, to be freed; without any
 * both stay as they are.  0, or -1 and *error. */
int pp_tracing_read(const struct pp_events *, char **data, size_t *size, struct pp_error *);

#endif
