/* event.h - what this room gives: events by their names, as attributes that the kernel takes. */
#ifndef PP_EVENT_H
#define PP_EVENT_H

#include "base/say.h"

#include <perfpipe/event.h>

#include <linux/perf_event.h>

/* Attributes are opened and written in this size: every perf since 5.13 knows all of it, and
 * older kernels take it while the rest is zero. */
enum { PP_ATTR_SIZE = PERF_ATTR_SIZE_VER7 };
_Static_assert(sizeof(struct perf_event_attr) >= PP_ATTR_SIZE, "kernel headers before 5.13");

/* ---- list.c: a list of events, and what they are called ---- */

struct pp_event {
	char *name;                   /* as it was asked for, in full */
	struct perf_event_attr attr;
	char *system, *point;         /* of a tracepoint, or NULL */
	size_t leader;                /* ordinal of its group's leader: its own if it leads */
	bool asked_modes;             /* u, k or h was asked for, and is never changed */
	bool any_precision;           /* as precise as the machine allows */
	bool any_registers;           /* PP_REGS_EXTENDED if its PMU has them */
	bool own_rate;                /* the event itself says how often it is sampled */
	bool leaves_cpu;              /* samples where tasks leave their CPU, with call chains */
	uint32_t *cpus;               /* where its PMU counts; NULL: on all */
	long n_cpus;
	char *cgroup;                 /* counted only in this control group; NULL or "": everywhere */
	bool everywhere;              /* on every CPU, whatever was selected: reports tasks */
};

struct pp_events {
	struct pp_event *items;
	size_t n, room;
};

/* Appends an event of which only the name is known, or NULL and *error. */
struct pp_event *pp_events_append(struct pp_events *, const char *name, struct pp_error *);
/* Appends the event that counts nothing and reports tasks, maps and symbols. */
int pp_events_add_dummy(struct pp_events *, bool everywhere, struct pp_error *);
/* Appends the event that is sampled where a task leaves its CPU. */
int pp_events_add_switches(struct pp_events *, struct pp_error *);
bool pp_event_is_dummy(const struct pp_event *);
/* Makes the i-th event the first; groups stay what they are. */
void pp_events_to_front(struct pp_events *, size_t i);
/* Gives the event another name: what it really is, with its modifiers. */
int pp_event_rename(struct pp_event *, const char *base, struct pp_error *);
void pp_events_free(struct pp_events *);

/* ---- show.c ---- */

/* Calls `to` with a line for each event, as perf evlist prints it with `how`: "", "-v", "-g", "-F". */
void pp_events_list(const struct pp_events *, const char *how, const struct pp_say *to);

/* ---- events.c: the words after -e ---- */

/* Appends what `text` asks for: "cycles:u,{a,b}:k,sched:*". */
int pp_events_add(struct pp_events *, const char *text, struct pp_error *);

/* ---- pmu.c ---- */

#define PP_PMUS "/sys/bus/event_source/devices"
/* Sets the event to what the terms between the slashes of "PMU/TERMS/" say, which it cuts up. */
/* The bits of `config` that a term of a PMU stands for; 0: it has none of this name. */
uint64_t pp_pmu_bits(const char *pmu, const char *term);
int pp_pmu_event(struct pp_event *, const char *pmu, char *terms, struct pp_error *);

/* ---- sampling.c: what is sampled of events, and how often ---- */

/* Settles the rate: the usual one where none was asked for, and no more than is permitted. */
void pp_sampling_limit(struct pp_sampling *, const struct pp_say *);
/* Whether the samples can be had on this architecture: 0, or -1 and *error. */
int pp_sampling_check(const struct pp_sampling *, struct pp_error *);
/* Adds to all attributes what is asked of samples, and of tasks to the one that reports them. */
void pp_events_sample(struct pp_events *, const struct pp_sampling *);
/* The event that reports tasks: one for nothing else if there is one, otherwise the first. */
struct pp_event *pp_events_teller(const struct pp_events *);
/* Makes all attributes those of events that are only counted; with `inherit`, of the tasks too that
 * the counted ones start. */
void pp_events_count(struct pp_events *, bool inherit);
/* Takes out of an attribute whatever is not zero in `what`. */
void pp_attr_drop(struct perf_event_attr *, const struct perf_event_attr *what);
/* Sets or clears the flag PP_FLAG_*, which the headers that this is built with may not know. */
void pp_attr_set_flag(struct perf_event_attr *, int flag, bool on);

/* ---- masks.c ---- */

/* Those registers that only some PMUs have, and only at interrupts. */
#if defined(__x86_64__)
#define PP_REGS_EXTENDED (UINT64_C(0xffffffff) << 32)
#else
#define PP_REGS_EXTENDED UINT64_C(0)
#endif
/* All registers of this architecture; with `user`, those that it has for user space. */
uint64_t pp_registers_all(bool user);
/* The least that the stack of user space can be unwound with. */
uint64_t pp_registers_unwound(void);

/* ---- tracing.c ---- */

/* The folder of tracefs, or NULL: not mounted, or not to be read (errno). */
const char *pp_tracefs(void);
/* Reads the formats of all tracepoints among the events into one blob, to be freed; without any
 * both stay as they are.  0, or -1 and *error. */
int pp_tracing_read(const struct pp_events *, char **data, size_t *size, struct pp_error *);

#endif
