/* metric.h - what this room gives: metrics as expressions of counts, and who needs which events. */
#ifndef PP_METRIC_H
#define PP_METRIC_H

#include <perfpipe/metric.h>

#include "base/hash.h"
#include "format/event_ids.h"

enum {
	PP_METRIC_TEXT = 1 << 16,     /* bytes of an expression, at most */
	PP_METRIC_NEST = 100,         /* brackets within each other */
	PP_METRIC_STACK = 1024,       /* values that wait for others */
	PP_METRIC_NAMES = 1024,       /* events and metrics in one expression */
	PP_METRIC_REFS = 64,          /* metrics that refer to metrics, in a row */
	PP_METRIC_RUNS = 1024,        /* of a metric with "?" */
};

/* ---- expression.c: a text to operations ---- */

enum pp_metric_op_kind {
	PP_MO_NUMBER, PP_MO_VALUE, PP_MO_SOURCES, PP_MO_PARTS, PP_MO_HAS, PP_MO_CPUID, PP_MO_LITERAL,
	PP_MO_MINUS, PP_MO_SELECT,
	/* of two values: */
	PP_MO_OR, PP_MO_XOR, PP_MO_AND, PP_MO_BELOW, PP_MO_ABOVE, PP_MO_EQUAL, PP_MO_ADD,
	PP_MO_SUBTRACT, PP_MO_MULTIPLY, PP_MO_DIVIDE, PP_MO_MODULO, PP_MO_MIN, PP_MO_MAX,
	PP_MO_RATIO,
};
/* One operation; values are taken from a stack and put there. */
struct pp_metric_op {
	uint8_t kind;
	uint32_t name;                /* of VALUE, SOURCES, PARTS, HAS, CPUID, LITERAL: which name */
	uint32_t at;                  /* the byte of the text that it comes from */
	double number;                /* of NUMBER */
};
struct pp_metric_expression {
	struct pp_metric_op *ops;
	size_t n_ops, op_room;
	char **names;                 /* each once: events and metrics as -e has them, literals with # */
	size_t n_names, name_room;
};
/* 0, or -1 and *error; `runtime` stands for each "?". */
int pp_metric_compile(struct pp_metric_expression *, const char *text, unsigned runtime,
		      struct pp_error *);
void pp_metric_expression_free(struct pp_metric_expression *);
/* "what is wrong" at a byte of the text: -1. */
int pp_metric_fail(struct pp_error *, size_t at, const char *format, ...) PP_PRINTF(3, 4);
int pp_metric_no_memory(struct pp_error *);

/* ---- catalog.c: metrics and events by their names ---- */

struct pp_metric_stored {
	struct pp_metric is;
	bool ours;                    /* of builtin.c: its texts are constants */
	bool hidden;                  /* ... and a file has another of this name, which it does not define */
	size_t same;                  /* 1 + the one before it of the same name, on other cores */
};
struct pp_metric_named {
	char *name, *terms;
	size_t same;                  /* 1 + the one before it of the same name, on another PMU */
};
struct pp_metrics {
	struct pp_metric_stored *items;
	size_t n, room;
	struct pp_metric_named *events;
	size_t n_events, event_room;
	struct pp_index by_name, event_by_name;
	char **refused;               /* what was wrong with files that were passed over */
	size_t n_refused, refused_room;
	uint32_t chips, chip_cores;   /* of the machine that files were read for; 0: not known */
};

/* The metric of this name, on the cores `pmu` where there are several; NULL: there is none. */
const struct pp_metric_stored *pp_metrics_find(const struct pp_metrics *, const char *name,
					       const char *pmu);
/* Adds a metric, or replaces that of the same name and cores; the texts are copied, unless `ours`.
 * 0, or -1: out of memory. */
int pp_metrics_add(struct pp_metrics *, const struct pp_metric *, bool ours);
int pp_metrics_add_event(struct pp_metrics *, const char *name, const char *terms);
/* The terms of an event on the PMU whose name has that many bytes; on any, if there is no such. */
const char *pp_metrics_event_on(const struct pp_metrics *, const char *name, const char *pmu, size_t length);
/* Our own metric of this name, if there is one, is not found any more. */
void pp_metrics_hide(struct pp_metrics *, const char *name);
/* Keeps what was wrong with a file that was passed over.  0, or -1: out of memory. */
int pp_metrics_refuse(struct pp_metrics *, const char *why);
/* The i-th of builtin.c, NULL past the last. */
const struct pp_metric *pp_metric_own(size_t i);
/* Whether a list such as "a;b" has this word. */
bool pp_metric_list_has(const char *list, const char *word, size_t length);

/* ---- file_events.c: entries of perf's files ---- */

struct json;
/* An object of a file, and the one of the architecture's common files that it refers to by ArchStdEvent, or
 * NULL. */
struct pp_metric_entry {
	const struct json *nodes, *object;
	const struct pp_metric_entry *standard;
};
/* A text of the entry, or NULL; the second one also looks into the standard entry. */
const char *pp_metric_entry_own(const struct pp_metric_entry *, const char *key);
const char *pp_metric_entry_text(const struct pp_metric_entry *, const char *key);
/* Adds the event that the entry defines under this name, if it does.  0, or -1: out of memory. */
int pp_metric_entry_event(struct pp_metrics *, const struct pp_metric_entry *, const char *name);

/* ---- metric_set.c: metrics that were asked for, linked ---- */

/* Names of one expression: each an event, or a metric that comes before this one in the set. */
struct pp_metric_linked {
	struct pp_metric_expression code;
	uint32_t *refs;               /* by name: 1 + a member's ordinal, 0: no metric */
	struct { uint32_t from, n; } *bound;  /* by name: which of set.events it means */
};
struct pp_metric_member {
	const struct pp_metric_stored *metric;        /* NULL: an expression without a name */
	unsigned run;                 /* what "?" stands for in it */
	struct pp_metric is;          /* as the metric, but for the name of a run, which is */
	char *run_name;
	struct pp_metric_linked value, threshold;     /* without operations: there is no threshold */
	bool ungrouped;               /* its events were asked for in a group that must not be one */
};
/* Events that a metric needs, sorted; borrowed from the texts of the set's members. */
struct pp_metric_need {
	const char **names;
	size_t n, room;
};
struct pp_metric_set {
	const struct pp_metrics *all;
	struct pp_metric_member *members;
	size_t n, room;
	uint32_t *asked;              /* members that were asked for */
	size_t n_asked, asked_room;
	uint32_t *events;             /* ordinals, as the bindings have them */
	size_t n_events, event_room;
	struct pp_metric_need *needs; /* by metric asked for; NULL before pp_metric_set_events() */
	double *values;               /* by member; and by name, of one at a time */
	bool *wanted;
	double *named, *sources, *parts;
	bool *has;
	struct { size_t group; bool grouped; char *name; } *bound;    /* all that were */
	bool *used;                   /* by event: the metric in question asks for it */
	uint32_t *uses;               /* and these are they */
	size_t n_bound;
	size_t names_most;            /* of one expression */
};
/* Frees what required_events.c, and what bind.c, keep in a set. */
void pp_metric_needs_free(struct pp_metric_set *);
void pp_metric_bound_free(struct pp_metric_set *);

/* ---- required_events.c ---- */

/* What files say of an event, "cpu/event=0xc2/k" of NAME:k, to be freed; NULL: nothing.  0, or -1: out of
 * memory. */
int pp_metric_terms(const struct pp_metrics *, const char *name, char **terms);

/* ---- normalize_name.c: events under several names ---- */

/* A name without what does not matter: "software/cpu-clock,name=x/" is cpu-clock, "branches"
 * branch-instructions; with what follows the event's colon, unless `plain`.  To be freed; NULL: no memory. */
char *pp_metric_plain(const char *name, bool plain);
/* "duration_time" and its kin, also as "tool/duration_time/", which are known without an event. */
enum pp_time pp_metric_time(const char *name);

/* ---- parse_double.c ---- */

/* The number that begins at `text`, as C writes it in decimal, in any locale; where it ends.  NULL: there
 * is none. */
const char *pp_metric_number(const char *text, double *number);

/* ---- evaluate.c ---- */

/* What the names of an expression stand for.  What is not known is NAN. */
struct pp_metric_values {
	const double *values, *sources, *parts;       /* by name */
	const bool *has;                      /* by name: whether there is such an event */
	const struct pp_metric_machine *machine;
};
double pp_metric_evaluate(const struct pp_metric_expression *, const struct pp_metric_values *);
/* Marks the names whose values are needed: those that no constant makes pointless.  `has` says
 * which events there are.  0, or -1: out of memory. */
int pp_metric_needs(const struct pp_metric_expression *, const bool *has,
		    const struct pp_metric_machine *, bool *needed);

/* ---- metric_value.c ---- */

/* Whether two events that ran for so long of the time that both were enabled surely did so at once. */
static inline bool pp_must_meet(uint64_t enabled, uint64_t one, uint64_t other)
{
	return !enabled || one >= enabled || other > enabled - one;
}

/* ---- host_facts.c ---- */

/* How many chips there are here, or cores of a chip, as POWER's hypervisor counts them; 0: not known. */
uint32_t pp_metric_runs_here(bool of_chips);
/* What #literal is on that machine, NAN: not known there; false: there is no such literal. */
bool pp_metric_literal(const struct pp_metric_machine *, const char *literal, double *value);
/* Whether a pattern of mapfile.csv, or of strcmp_cpuid_str(), is that of the machine. */
bool pp_metric_is_cpu(const struct pp_metric_machine *, const char *pattern);

#endif
