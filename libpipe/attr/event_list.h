/* event_list.h - what this room gives: a list of events, with their attributes as the kernel takes them. */
#ifndef PP_EVENT_LIST_H
#define PP_EVENT_LIST_H

#include "base/log.h"
#include "format/event_ids.h"

#include <perfpipe/event.h>

#include <linux/perf_event.h>

/* Where each field of an attribute begins, as attr.def has them: kernel headers may be older. */
#define U16(name, ...)  PP_AT_##name, PP_TO_##name = PP_AT_##name + 1
#define U32(name, ...)  PP_AT_##name, PP_TO_##name = PP_AT_##name + 3
#define S32(name, ...)  U32(name, )
#define U64(name, ...)  PP_AT_##name, PP_TO_##name = PP_AT_##name + 7
#define BITS(name, ...) U64(name, )
#define STRUCT(name, ...) enum { __VA_ARGS__, PP_ATTR_MOST };
#include "format/attr.def"
#undef U16
#undef U32
#undef S32
#undef U64
#undef BITS
#undef STRUCT

/* Attributes are opened and written in this size: every perf since 5.13 knows all of it, and
 * older kernels take it while the rest is zero.  What is beyond it has to be asked for: then an
 * attribute is as long as it has to be (pp_attr_set_word()). */
enum { PP_ATTR_SIZE = PERF_ATTR_SIZE_VER7 };
_Static_assert(sizeof(struct perf_event_attr) >= PP_ATTR_SIZE, "kernel headers before 5.13");
_Static_assert((int)PP_AT_config3 == (int)PP_ATTR_SIZE, "attr.def differs from the kernel's headers");
union pp_wide_attr {
	struct perf_event_attr attr;  /* what the headers know of it */
	uint64_t words[PP_ATTR_MOST / 8];
};

/* ---- event_list.c: a list of events, and what they are called ---- */

/* What an event's own terms say of its samples, other than options say of all. */
enum {
	PP_TERM_PERIOD = 1 << 0, PP_TERM_FREQUENCY = 1 << 1, PP_TERM_TIME = 1 << 2, PP_TERM_CHAIN = 1 << 3,
	PP_TERM_STACK = 1 << 4, PP_TERM_DEPTH = 1 << 5, PP_TERM_INHERIT = 1 << 6,
	PP_TERM_OVERWRITE = 1 << 7, PP_TERM_BRANCH = 1 << 8, PP_TERM_AUX_OUTPUT = 1 << 9,
	PP_TERM_AUX_SAMPLE = 1 << 10, PP_TERM_PERCORE = 1 << 11, PP_TERM_MOST = 1 << 12,
	PP_TERM_AUX_ACTION = 1 << 13,
};
/* What an event does to the AUX area that its group's leader traces to: bits of aux_action. */
enum { PP_AUX_START_PAUSED = 1 << 0, PP_AUX_PAUSE = 1 << 1, PP_AUX_RESUME = 1 << 2 };
enum pp_event_terms_chain { PP_CHAIN_NO, PP_CHAIN_FP, PP_CHAIN_DWARF, PP_CHAIN_LBR };
struct pp_event_terms {
	uint32_t given;               /* PP_TERM_* */
	bool time, inherit, overwrite, aux_output, percore;
	enum pp_event_terms_chain chain;
	uint32_t stack;               /* bytes of the user's stack */
	uint16_t depth;               /* frames of a chain */
	uint32_t aux_sample;          /* bytes */
	uint32_t aux_action;          /* PP_AUX_* */
	uint64_t branch;              /* PERF_SAMPLE_BRANCH_*; 0: none */
	uint64_t most;                /* samples, for who prints them */
};

struct pp_event {
	char *name;                   /* as it was asked for, in full */
	union {                       /* as in union pp_wide_attr */
		struct perf_event_attr attr;
		uint64_t words[PP_ATTR_MOST / 8];
	};
	char *system, *point;         /* of a tracepoint, or NULL */
	char *pmu;                    /* by whose terms it was found, or NULL */
	size_t leader;                /* ordinal of its group's leader: its own if it leads */
	bool core;                    /* that PMU is one of several kinds of cores */
	bool of_several;              /* such as on each PMU of a kind: all of them are shown as one */
	bool named;                   /* by its own term, which is not added to */
	bool asked_modes;             /* u, k or h was asked for, and is never changed */
	bool asked_guest;             /* G or H was */
	bool any_precision;           /* as precise as the machine allows */
	bool any_registers;           /* PP_REGS_EXTENDED if its PMU has them */
	bool own_rate;                /* the event itself says how often it is sampled */
	bool with_chain;              /* its samples have call chains, if waits are asked for */
	bool second_samples;          /* as a leader with S: it is not it that is sampled, but the next */
	bool reads_group;             /* S: its leader's samples carry the counts of all */
	bool weak;                    /* W: its group may be broken up */
	bool joined;                  /* to its leader for speed alone: no group was asked for */
	enum pp_time time;            /* its counter is a dummy, and this is what it counts */
	struct pp_event_terms own;
	struct {                      /* as it would be without its group */
		bool freq, backward;
		uint64_t rate;
		uint64_t foreign;     /* of sample_type: not these */
	} alone;
	char *filter;                 /* for PERF_EVENT_IOC_SET_FILTER, or NULL */
	char *metric_id;
	char *unit;                   /* of what is counted, or NULL */
	double scale;                 /* of its counts; 0: 1 */
	bool snapshot;                /* its counts are no sums */
	uint32_t *cpus;               /* where its PMU counts; NULL: on all */
	long n_cpus;
	uint32_t *own_cpus;           /* of these, those of its own term; NULL: all */
	long n_own_cpus;
	char *cgroup;                 /* counted only in this control group; NULL or "": everywhere */
	bool everywhere;              /* on every CPU, whatever was selected: reports tasks */
};

struct pp_events {
	struct pp_event *items;
	size_t n, room;
	size_t last;                  /* the first of those that came with the last text */
};

/* Appends an event of which only the name is known, or NULL and *error. */
struct pp_event *pp_events_append(struct pp_events *, const char *name, struct pp_error *);
/* Appends the event that counts nothing and reports tasks, maps and symbols. */
int pp_events_add_dummy(struct pp_events *, bool everywhere, struct pp_error *);
/* Appends the event that is sampled where a task leaves its CPU. */
int pp_events_add_switches(struct pp_events *, struct pp_error *);
bool pp_event_is_dummy(const struct pp_event *);
/* 0, or -1 and *error: one of them is such a time. */
int pp_events_have_counters(const struct pp_events *, struct pp_error *);
/* Moves the i-th event to the front.  Groups keep their members. */
void pp_events_to_front(struct pp_events *, size_t i);
/* Gives the event another name: what it really is, with its modifiers. */
int pp_event_rename(struct pp_event *, const char *base, struct pp_error *);
void pp_events_free(struct pp_events *);

/* ---- address_filters.c ---- */

/* What the kernel understands of a filter of addresses as perf has them: names of functions are looked
 * up, and there are no more than `most`.  To be freed; NULL and *error. */
char *pp_ranges_text(const char *filter, uint64_t most, struct pp_error *);

/* ---- attr_words.c: parts of attributes ---- */

/* Puts into an attribute whatever is not zero in `what`, or takes it out. */
void pp_attr_add(struct perf_event_attr *, const struct perf_event_attr *what);
void pp_attr_drop(struct perf_event_attr *, const struct perf_event_attr *what);
/* The n-th of the words "config", "config1" ... "config4" of an attribute. */
enum { PP_CONFIG_WORDS = 5 };
uint64_t pp_attr_word(const struct pp_event *, unsigned n);
void pp_attr_set_word(struct pp_event *, unsigned n, uint64_t value);
/* Sets or clears the flag PP_FLAG_*, which the headers that this is built with may not know. */
void pp_attr_set_flag(struct perf_event_attr *, int flag, bool on);
/* Likewise, what the event does to the AUX area of its leader: PP_AUX_*. */
void pp_attr_set_aux_action(struct pp_event *, uint32_t action);

/* ---- terms.c ---- */

/* What was asked of all samples, as this event's own terms change it. */
struct pp_sampling pp_event_terms_sampling(const struct pp_event *, const struct pp_sampling *);
/* Puts what else its terms say into the attribute, once the rest is there. */
void pp_event_terms_finish(struct pp_event *);

/* ---- branch_and_reg_masks.c ---- */

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

#endif
