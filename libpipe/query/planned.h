/* planned.h - the numbers of a record that are one load at a planned place, and whether they are in a set. */
#ifndef PP_QUERY_PLANNED_H
#define PP_QUERY_PLANNED_H

#include "query/query.h"

static inline bool pp_query_load_task(const struct pp_record *r, unsigned which, uint64_t *value)
{
	uint32_t task[2];

	if (!pp_task(r, &task[0], &task[1]))
		return false;
	*value = (uint64_t)(int32_t)task[which] + PP_QUERY_BIAS;
	return true;
}

static inline bool pp_query_load_cpu(const struct pp_record *r, uint64_t *value)
{
	uint32_t cpu;

	if (!pp_cpu(r, &cpu))
		return false;
	*value = (uint64_t)(int32_t)cpu + PP_QUERY_BIAS;
	return true;
}

/* Whether a sample's field is one that pp_query_load_planned() knows. */
static inline bool pp_query_loads_planned(uint8_t field)
{
	switch (field) {
	case PP_QUERY_PID: case PP_QUERY_TID: case PP_QUERY_CPU: case PP_QUERY_TIME: case PP_QUERY_IP:
	case PP_QUERY_ADDR: case PP_QUERY_PERIOD: case PP_QUERY_ID:
		return true;
	default:
		return false;
	}
}

/* Its value, biased where literals are; false: there is none. */
static inline bool pp_query_load_planned(const struct pp_record *r, uint8_t field, uint64_t *value)
{
	switch (field) {
	case PP_QUERY_PID:    return pp_query_load_task(r, 0, value);
	case PP_QUERY_TID:    return pp_query_load_task(r, 1, value);
	case PP_QUERY_CPU:    return pp_query_load_cpu(r, value);
	case PP_QUERY_TIME:   return pp_time(r, value);
	case PP_QUERY_IP:     return pp_ip(r, value);
	case PP_QUERY_ADDR:   return pp_addr(r, value);
	case PP_QUERY_PERIOD: return pp_sample_period(r, value);
	case PP_QUERY_ID:     return pp_id(r, value);
	default:              return false;
	}
}

static inline bool pp_query_within(struct pp_query_range range, uint64_t value)
{
	return value - range.low <= range.high - range.low;
}

static inline bool pp_query_in_set(const struct pp_query_test *test, uint64_t value)
{
	uint32_t low = 0, high = test->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (test->ranges[middle].high < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < test->count && pp_query_within(test->ranges[low], value);
}

#endif
