/* event.h - an event as a stream has it: a HEADER_ATTR record of a perf_event_attr. */
#ifndef EVENT_H
#define EVENT_H

#include <perfpipe/perfpipe.h>

#include "unit.h"

#include <linux/perf_event.h>
#include <string.h>

struct event_record {
	uint8_t data[PP_HEADER_SIZE + sizeof(struct perf_event_attr) + 8];      /* and an id: 0 */
};

static inline struct event_record event_record(struct perf_event_attr attr)
{
	struct event_record is = { { 0 } };

	attr.size = sizeof(attr);
	pp_store32(is.data, PP_REC_HEADER_ATTR);
	pp_store16(is.data + 6, sizeof(is.data));
	memcpy(is.data + PP_HEADER_SIZE, &attr, sizeof(attr));
	return is;
}

/* All events of a stream that has this one. */
static inline struct pp_attrs *event_alone(struct perf_event_attr attr)
{
	struct event_record is = event_record(attr);
	struct pp_attrs *const attrs = pp_attrs_new();
	struct pp_record rec;

	CHECK(attrs && !pp_record_at(&rec, is.data, sizeof(is.data), NULL));
	CHECK(!pp_attrs_note(attrs, &rec, NULL));
	return attrs;
}

#endif
