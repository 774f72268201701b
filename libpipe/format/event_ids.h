/* event_ids.h - the numbers of events.def, and what the kernel's headers call them. */
#ifndef PP_EVENT_IDS_H
#define PP_EVENT_IDS_H

#include <stdint.h>

/* What no counter has, but can be counted beside them: configs of perf's tool PMU. */
enum pp_time { PP_TIME_NONE, PP_TIME_DURATION, PP_TIME_USER, PP_TIME_SYSTEM };
/* The time that is called "duration_time", or the like. */
enum pp_time pp_event_time(const char *name);

/* perf_event_attr.type */
enum {
#define EVENT_TYPE(NAME, number) PP_TYPE_##NAME = number,
#include "format/events.def"
};

/* "HARDWARE": what follows PERF_TYPE_; NULL where the number is not in the table, here and below. */
const char *pp_event_type_word(uint64_t type);
/* "SW_CPU_CLOCK": what follows PERF_COUNT_; of a type whose configs are a list. */
const char *pp_event_word(uint64_t type, uint64_t config);
/* "L1D", "OP_READ", "RESULT_MISS": what follows PERF_COUNT_HW_CACHE_, by byte of a HW_CACHE's config. */
const char *pp_event_cache_word(unsigned byte, uint64_t number);

#endif
