/* event.h - names of events: generic ones, and those that this machine has. */
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
/* The other way: 0, or -1 where there is no such generic event (software, hardware, cache). */
PP_API int pp_event_named(const char *name, uint32_t *type, uint64_t *config);
/* The i-th generic event's name, type and config; false past the last. */
PP_API bool pp_event_at(size_t i, const char **name, uint32_t *type, uint64_t *config);
/* Calls `fn` with the name of each event that this machine has: generic ones and tracepoints,
 * "SYSTEM:NAME"; of those only the ones that the caller may read of.  The name is lent. */
typedef void pp_known_event_fn(void *arg, const char *name);
PP_API void pp_known_events(pp_known_event_fn *, void *arg);

#ifdef __cplusplus
}
#endif

#endif
