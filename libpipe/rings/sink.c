/* sink.c - gives records of the kernel to a sink, as it takes them. */
#include "rings/rings.h"

/* One by one, with what is known of their events. */
static int give_each(const struct pp_capture_sink *sink, struct pp_attrs *attrs, const uint8_t *at,
		     uint64_t size, struct pp_error *error)
{
	struct pp_record record = { .attrs = attrs };

	for (; size >= PP_HEADER_SIZE; at += record.size, size -= record.size) {
		record.type = pp_load32(at);
		record.misc = pp_load16(at + 4);
		record.size = pp_load16(at + 6);
		if (record.size < PP_HEADER_SIZE || record.size > size)
			break;
		/* Nobody writes to it: the pointer is that of records in a reader's buffer. */
		record.data = (uint8_t *)(uintptr_t)at;
		record.attr = pp_attrs_find(attrs, at, record.type, record.size);
		if (sink->record(sink->arg, &record, error))
			return -1;
	}
	return 0;
}

int pp_sink_give(const struct pp_capture_sink *sink, struct pp_attrs *attrs, const void *records,
		 uint64_t size, bool stays, struct pp_error *error)
{
	if (!size)
		return 0;
	if (sink->kernel && sink->kernel(sink->arg, records, (size_t)size, stays, error))
		return -1;
	return sink->record ? give_each(sink, attrs, records, size, error) : 0;
}
