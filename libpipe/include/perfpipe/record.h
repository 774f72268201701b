/*
 * record.h - one record, borrowed, and its values at planned places.
 *
 * A record belongs to what handed it out, and is valid until that is called again.  Times, ids, tasks
 * and CPUs lie at offsets that are known once the event's attribute is: asking for one is a load.
 *
 *	#include <perfpipe/reader.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_record record;
 *		uint64_t time, ip;
 *		uint32_t pid, tid;
 *		int status;
 *
 *		while (in && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (record.type == PP_REC_SAMPLE && pp_time(&record, &time) &&
 *			    pp_task(&record, &pid, &tid) && pp_ip(&record, &ip))
 *				printf("%" PRIu64 " %s %" PRIu32 " 0x%" PRIx64 "\n",
 *				       time, record.attr->name, tid, ip);
 *		status = in ? pp_reader_status(in) : pp_error_status(&error);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_RECORD_H
#define PERFPIPE_RECORD_H

#include <perfpipe/api.h>
#include <perfpipe/attrs.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A record, borrowed: `data` is valid until the next call of the function that handed it out.  All
 * in host byte order unless it came from a raw reader with ->foreign.
 */
struct pp_record {
	uint8_t *data;                /* header included; alignment not promised */
	uint32_t type;
	uint16_t misc, size;
	bool foreign;                 /* data are in the other byte order (raw readers only) */
	uint64_t offset, index;       /* place in the input; of the carrier, if compressed */
	uint64_t tail;                /* bytes that follow it (AUXTRACE, TRACING_DATA) */
	const struct pp_attr *attr;   /* its event; NULL for user records, or if unknown */
	const struct pp_attrs *attrs; /* of the stream; NULL if there are none */
	uint32_t beyond;              /* bytes after ->size, of a feature that no record can hold; else 0 */
};

/* Fills type, misc, size from the header at `data`, which has `have` bytes; checks that the
 * record is whole.  The rest of *rec becomes zero.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_record_at(struct pp_record *rec, uint8_t *data, uint64_t have,
				      struct pp_error *);

/* Values at planned places: one load each.  False: the record has none. */
#define PP_LOADER(fn, member, t_member, value_type, load) \
static inline bool fn(const struct pp_record *r, value_type *value) \
{ \
	const struct pp_attr *a = r->attr; \
	size_t at; \
	if (!a) \
		return false; \
	if (r->type == PP_REC_SAMPLE) { \
		at = a->plan.member; \
		if (!at || !pp_fits(at + sizeof(uint64_t), r->size)) \
			return false; \
	} else { \
		at = a->plan.t_member; \
		if (!at || r->type >= PP_USER_TYPES || \
		    !pp_fits((uint64_t)a->plan.trailer + PP_HEADER_SIZE, r->size)) \
			return false; \
		at = r->size - at; \
	} \
	*value = load(r->data + at); \
	return true; \
}
PP_LOADER(pp_time_raw, time, t_time, uint64_t, pp_load64)
PP_LOADER(pp_id, id, t_id, uint64_t, pp_load64)
PP_LOADER(pp_cpu, cpu, t_cpu, uint32_t, pp_load32)
PP_LOADER(pp_pid_tid, tid, t_tid, uint64_t, pp_load64)  /* two u32 in memory order; see below */

/* The time of a record; false if it has none, or 0 or all ones, which perf treats as none. */
static inline bool pp_time(const struct pp_record *r, uint64_t *ns)
{
	return pp_time_raw(r, ns) && *ns && *ns != UINT64_MAX;
}
/* Process and thread that the record happened in (of the sample, or of the trailer). */
static inline bool pp_task(const struct pp_record *r, uint32_t *pid, uint32_t *tid)
{
	uint64_t both;
	uint32_t two[2];

	if (!pp_pid_tid(r, &both))
		return false;
	memcpy(two, &both, sizeof(two));
	*pid = two[0];
	*tid = two[1];
	return true;
}
/* Values that only samples have. */
#define PP_SAMPLE_LOADER(fn, member) \
static inline bool fn(const struct pp_record *r, uint64_t *value) \
{ \
	if (r->type != PP_REC_SAMPLE || !r->attr || !r->attr->plan.member || \
	    !pp_fits(r->attr->plan.member + sizeof(uint64_t), r->size)) \
		return false; \
	*value = pp_load64(r->data + r->attr->plan.member); \
	return true; \
}
PP_SAMPLE_LOADER(pp_ip, ip)
PP_SAMPLE_LOADER(pp_addr, addr)
PP_SAMPLE_LOADER(pp_period, period)
PP_SAMPLE_LOADER(pp_stream_id, stream_id)
/* What a sample stands for: its period, or that of its event if it carries none.  False: its event has a
 * frequency instead, which perf takes for the period, and so has *period; or it is no sample of an event. */
static inline bool pp_sample_period(const struct pp_record *r, uint64_t *period)
{
	if (pp_period(r, period))
		return true;
	if (r->type != PP_REC_SAMPLE || !r->attr)
		return false;
	*period = r->attr->sample_period;
	return !pp_attr_flag(r->attr, PP_FLAG_freq);
}
/* The call chain, if it has a fixed place: `n` u64, unaligned, at *ips.  False: it has no fixed
 * place, or the record is damaged; a walk shows which. */
static inline bool pp_callchain(const struct pp_record *r, const uint8_t **ips, uint64_t *n)
{
	const size_t at = r->type == PP_REC_SAMPLE && r->attr ? r->attr->plan.callchain : 0;

	if (!at || !pp_fits(at + sizeof(uint64_t), r->size))
		return false;
	*n = pp_load64(r->data + at);
	*ips = r->data + at + sizeof(uint64_t);
	return pp_fits_n(*n, sizeof(uint64_t), r->size - at - sizeof(uint64_t));
}

#ifdef __cplusplus
}
#endif

#endif
