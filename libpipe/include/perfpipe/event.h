/* event.h - names of events: generic ones, and those of this machine; and what to sample. */
#ifndef PERFPIPE_EVENT_H
#define PERFPIPE_EVENT_H

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names of events: (type, config) as perf calls them ("cpu-clock", "cycles"), written to
 * buf; tracepoints as "tracepoint:123", unknown ones as "type 9 config 0x1".  Returns buf. */
PP_API const char *pp_event_name(uint32_t type, uint64_t config, char *buf, size_t size);
/* The reverse: 0, or -1 if there is no such generic event (software, hardware, cache). */
PP_API int pp_event_named(const char *name, uint32_t *type, uint64_t *config);
/* The i-th generic event's name, type and config; false past the last. */
PP_API bool pp_event_at(size_t i, const char **name, uint32_t *type, uint64_t *config);
/*
 * An event that this machine has, under a name that can be recorded as it stands.  All is lent.  What
 * is not known is NULL.
 */
enum pp_known_kind {
	PP_KNOWN_HARDWARE, PP_KNOWN_SOFTWARE, PP_KNOWN_CACHE, PP_KNOWN_PMU, PP_KNOWN_TRACEPOINT,
};
struct pp_known_event {
	const char *name;             /* "cycles", "cpu/mem-loads/", "sched:sched_switch" */
	enum pp_known_kind kind;
	const char *pmu, *terms;      /* of one that sysfs defines: "event=0xcd,umask=0x1" */
	const char *scale, *unit;     /* of its counts */
};
typedef void pp_known_event_fn(void *arg, const struct pp_known_event *);
/* Calls `fn` with each; of tracepoints only with those that the caller may read. */
PP_API void pp_known_events(pp_known_event_fn *, void *arg);
/* Whether this is an event, or a list of events, that can be recorded here: 0, or -1 and *error,
 * whose `at` is the byte of the text where the mistake is. */
PP_API PP_MUST_CHECK int pp_event_check(const char *text, struct pp_error *);
/* The same of names that are libpfm4's and no others: "skl::INST_RETIRED:ANY_P,{a,b}". */
PP_API PP_MUST_CHECK int pp_event_check_pfm(const char *text, struct pp_error *);

/* A filter of the events that the text of this ordinal asks for: of tracepoints in the kernel's words; of
 * what traces a processor, ranges of addresses as perf record has them, with names of functions. */
struct pp_event_filter {
	size_t event;
	const char *text;             /* "prev_pid == 3"; of one event, several hold together.  NULL: hits
				       * of the process that opens them are left out, of tracepoints */
};

/* What samples contain, and what is recorded besides them. */
enum pp_ask {
	PP_ASK_CALLCHAIN  = 1 << 0,   /* of the kernel and, by frame pointers, of the program */
	PP_ASK_BUILD_ID   = 1 << 1,   /* the kernel puts build-ids in MMAP2 records */
	PP_ASK_NO_INHERIT = 1 << 2,   /* tasks that the recorded ones start are left out */
	PP_ASK_CLOCK      = 1 << 3,   /* times are of the clock `clockid`, not of the kernel's own */
	PP_ASK_NO_KERNEL_CHAIN = 1 << 4, /* call chains begin in user space */
	PP_ASK_NO_USER_CHAIN   = 1 << 5, /* call chains end where the kernel was entered */
	PP_ASK_DEFERRED   = 1 << 6,   /* the program's part of a chain comes in a record of its own, when
				       * it runs again (Linux 6.19); with PP_ASK_CALLCHAIN */
	PP_ASK_LBR_CHAIN  = 1 << 7,   /* call chains from the processor's last branch records; with
				       * PP_ASK_CALLCHAIN */
	PP_ASK_ADDRESS    = 1 << 8,   /* addresses of data, and where it came from; maps of data */
	PP_ASK_PHYSICAL   = 1 << 9,   /* physical addresses of data */
	PP_ASK_DATA_PAGE  = 1 << 10,  /* sizes of the pages of data */
	PP_ASK_CODE_PAGE  = 1 << 11,  /* sizes of the pages of code */
	PP_ASK_WEIGHT     = 1 << 12,  /* costs, such as the latency of a load */
	PP_ASK_TRANSACTION = 1 << 13, /* flags of memory transactions */
	PP_ASK_RAW        = 1 << 14,  /* raw data, of all events and not of tracepoints alone */
	PP_ASK_STAT       = 1 << 15,  /* a READ record with its counts for each task that ends */
	PP_ASK_SWITCHES   = 1 << 16,  /* a record for each context switch */
	PP_ASK_CGROUPS    = 1 << 17,  /* the control group of each sample */
	PP_ASK_NAMESPACES = 1 << 18,  /* a record for each task that enters a namespace */
	PP_ASK_TEXT_POKE  = 1 << 19,  /* a record for each change that the kernel makes to its code */
	PP_ASK_OFF_CPU    = 1 << 20,  /* besides the events, a sample with a call chain where a task leaves
				       * its CPU, and a record when it comes back */
	PP_ASK_VARYING    = 1 << 21,  /* periods will be changed by pp_counters_period(): where the
				       * kernel ignores them in samples that carry theirs, samples do not */
	PP_ASK_NO_BUILD_ID = 1 << 22, /* maps have none: else who records puts them there where it can */
	PP_ASK_NO_BPF     = 1 << 23,  /* no records of BPF programs */
	PP_ASK_WAKERS     = 1 << 24,  /* with PP_ASK_OFF_CPU: a sample with a call chain where a task wakes
				       * another.  Of both only what the user may see is recorded */
};
struct pp_sampling {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t frequency;           /* samples a second; 0: 4000, UINT64_MAX: as many as permitted */
	uint64_t period;              /* or: events between samples */
	uint64_t asks;                /* PP_ASK_* */
	uint32_t user_stack;          /* bytes of it in each sample, and the registers, for unwinding;
				       * a multiple of 8, 65528 at most; 0: none */
	int32_t clockid;              /* CLOCK_MONOTONIC ..., with PP_ASK_CLOCK */
	uint64_t branches;            /* PP_BRANCH_* of the branch stack in each sample; 0: none */
	uint64_t user_regs;           /* registers of user space in each sample (pp_registers_named()); 0:
				       * none, but those that go with user_stack; UINT64_MAX: all */
	uint64_t intr_regs;           /* likewise, as they were at the interrupt; UINT64_MAX: all that the
				       * event's PMU has */
	uint32_t wakeup_events;       /* who waits for the buffers is woken after so many samples of an event;
				       * 0: once a quarter of a buffer has been filled */
};

/*
 * What words separated by commas ask for, "any_call,u", as PP_BRANCH_*: all branches where they only
 * say in whose code.  0, or -1 and *error, which names the first word that there is not.
 */
PP_API PP_MUST_CHECK int pp_branches_named(const char *words, uint64_t *bits, struct pp_error *);
/* The i-th of these words; NULL past the last. */
PP_API const char *pp_branches_at(size_t i);
/* The same for this architecture's registers, "ip,sp", as bits of sample_regs_user and _intr. */
PP_API PP_MUST_CHECK int pp_registers_named(const char *names, uint64_t *bits, struct pp_error *);
/* The i-th of them, of those that samples may hold of user space with `user`; NULL past the last. */
PP_API const char *pp_registers_at(size_t i, bool user);

/*
 * The number of a clock, "monotonic", "mono", "CLOCK_MONOTONIC" or "1".  0, or -1: there is no such clock.
 */
PP_API PP_MUST_CHECK int pp_clock_named(const char *name, int32_t *id);
/* Its name as perf has it, "monotonic"; NULL: none is known. */
PP_API const char *pp_clock_name(uint64_t id);

#ifdef __cplusplus
}
#endif

#endif
