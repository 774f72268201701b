/*
 * attrs.h - what a stream has said about its events so far: attributes, ids, names, and the layout
 * of their records.
 */
#ifndef PERFPIPE_ATTRS_H
#define PERFPIPE_ATTRS_H

#include <perfpipe/api.h>
#include <perfpipe/error.h>
#include <perfpipe/format.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One event's attribute, and the plan made from it: the offsets of common fields.  Offsets count
 * from the record's start in a SAMPLE, from its end in a trailer (so 8 is the last u64); 0 means
 * that the field is absent.
 */
struct pp_attr {
	uint32_t index;               /* ordinal among the stream's attributes, from 0 */
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format, flags, branch_type;
	uint64_t regs_user, regs_intr;
	uint32_t stack_user, bp_type;
	uint64_t config1, config2;
	int32_t clockid;
	struct pp_plan {
		uint8_t id, ip, tid, time, addr, stream_id, cpu, period;   /* in a SAMPLE */
		uint8_t callchain, raw;       /* its count, its size; 0 also where it has no fixed place */
		uint8_t fixed;                /* bytes of header and fixed fields of a SAMPLE */
		uint8_t t_id, t_tid, t_time, t_cpu;                       /* in a trailer */
		uint8_t trailer;              /* bytes of a trailer */
	} plan;
	const struct pp_field *sample_fields;   /* rows of SAMPLE that this event has */
	const struct pp_field *trailer_fields;
	const uint64_t *ids;
	size_t n_ids;
	const char *name;             /* EVENT_UPDATE, EVENT_DESC, EVENT_TYPE or by config; never NULL */
};
static inline bool pp_attr_flag(const struct pp_attr *a, unsigned bit) { return a->flags >> bit & 1; }
/* Whether it is perf's own event of threads off the CPU, since 6.16: its samples have their task, period,
 * address and call chain in their raw data, where the plan finds them. */
static inline bool pp_attr_is_off_cpu(const struct pp_attr *a)
{
	return a->plan.callchain && !(a->sample_type & PP_SAMPLE_CALLCHAIN);
}
/* From here on times of such samples are numbers: each is the sum of a stack's shorter waits. */
#define PP_OFF_CPU_NUMBERS (UINT64_C(0xffffffff) << 32)
/* Whether its samples have call chains. */
static inline bool pp_attr_has_chain(const struct pp_attr *a)
{
	return a->sample_type & PP_SAMPLE_CALLCHAIN || pp_attr_is_off_cpu(a);
}

struct pp_attrs;
PP_API PP_MUST_CHECK struct pp_attrs *pp_attrs_new(void);            /* NULL: out of memory */
PP_API void pp_attrs_free(struct pp_attrs *);          /* NULL is fine */
struct pp_record;
/* Takes what a HEADER_ATTR, EVENT_UPDATE, HEADER_EVENT_TYPE or HEADER_FEATURE (NRCPUS,
 * EVENT_DESC) record in host order says; others are ignored.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_attrs_note(struct pp_attrs *, const struct pp_record *,
				       struct pp_error *);
PP_API size_t pp_attrs_count(const struct pp_attrs *);
PP_API const struct pp_attr *pp_attrs_at(const struct pp_attrs *, size_t i);
/* The attribute with this id, or NULL. */
PP_API const struct pp_attr *pp_attrs_by_id(struct pp_attrs *, uint64_t id);
/* The attribute of a kernel record, as perf finds it (evlist__event2evsel()), or NULL: its id
 * belongs to none, or there is no attribute yet.  `data` holds `size` bytes, header included. */
PP_API const struct pp_attr *pp_attrs_find(struct pp_attrs *, const uint8_t *data, uint32_t type,
					   uint16_t size);
PP_API uint32_t pp_attrs_cpus(const struct pp_attrs *);    /* available, by HEADER_NRCPUS, or 0 */
PP_API uint32_t pp_attrs_online(const struct pp_attrs *);

#ifdef __cplusplus
}
#endif

#endif
