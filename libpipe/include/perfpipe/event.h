/* event.h - names of events: generic ones, and those of this machine; and what to sample. */
#ifndef PERFPIPE_EVENT_H
#define PERFPIPE_EVENT_H

#include <perfpipe/api.h>

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
/* Calls `fn` with the name of each event that this machine has: generic ones and tracepoints,
 * "SYSTEM:NAME"; of these only those that the caller may read.  The name is lent. */
typedef void pp_known_event_fn(void *arg, const char *name);
PP_API void pp_known_events(pp_known_event_fn *, void *arg);

/* What samples contain, and what is recorded besides them. */
enum pp_ask {
	PP_ASK_CALLCHAIN  = 1 << 0,   /* of the kernel and, by frame pointers, of the program */
	PP_ASK_BUILD_ID   = 1 << 1,   /* the kernel puts build-ids in MMAP2 records */
	PP_ASK_NO_INHERIT = 1 << 2,   /* tasks that the recorded ones start are left out */
	PP_ASK_CLOCK      = 1 << 3,   /* times are of the clock `clockid`, not of the kernel's own */
};
struct pp_sampling {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t frequency;           /* samples a second; 0: 4000, UINT64_MAX: as many as permitted */
	uint64_t period;              /* or: events between samples */
	uint64_t asks;                /* PP_ASK_* */
	uint32_t user_stack;          /* bytes of it in each sample, and the registers, for unwinding;
				       * a multiple of 8, 65528 at most; 0: none */
	int32_t clockid;              /* CLOCK_MONOTONIC ..., with PP_ASK_CLOCK */
};

#ifdef __cplusplus
}
#endif

#endif
