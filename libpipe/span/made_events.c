/* made_events.c - events that a stage adds to a stream: their attributes, names and samples. */
#include "span/made_events.h"

#include <perfpipe/build.h>
#include <perfpipe/walk.h>

#include "format/event_ids.h"

#include <string.h>

/* Ids of events that are announced later are those that the kernel gave next. */
enum { ID_GAP = 1 << 16, BPF_OUTPUT = 10, NAME_OF_EVENT = 2 };

void pp_made_add(struct pp_made_events *made, const char *name)
{
	if (made->count < MADE_MOST)
		made->names[made->count++] = name;
}

void pp_made_free(struct pp_made_events *made)
{
	pp_buffer_free(&made->held);
	pp_buffer_free(&made->record);
}

/* ---- The events ---- */

static uint64_t largest_id(const struct pp_attrs *attrs)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const a = pp_attrs_at(attrs, i);

		for (size_t n = 0; n < a->n_ids; n++)
			largest = a->ids[n] > largest ? a->ids[n] : largest;
	}
	return largest;
}

/*
 * What samples have: the task, time, ids and CPU as those of the stream's first event, since readers
 * expect the id of an event at one place in all of them.  Without IDENTIFIER that place depends on what is
 * before it: nothing may be added there.
 */
static uint64_t sample_type_for(const struct pp_attr *first)
{
	const uint64_t same = PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID |
			      PP_SAMPLE_CPU | PP_SAMPLE_IDENTIFIER;
	const uint64_t before_id = PP_SAMPLE_IP | PP_SAMPLE_ADDR;
	const uint64_t added = PP_SAMPLE_PERIOD | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_WEIGHT;
	const uint64_t of_first = first->sample_type;

	return (of_first & same) | added | (of_first & PP_SAMPLE_CGROUP) |
	       (of_first & PP_SAMPLE_IDENTIFIER ? before_id : of_first & before_id);
}

/* Whether samples of these say when, of whom, and of which event. */
static int check_first(const struct pp_attr *first, struct pp_error *error)
{
	if (!(first->sample_type & PP_SAMPLE_TIME) || !(first->sample_type & PP_SAMPLE_TID))
		return pp_fail(error, PP_E_USE, "samples of this stream have no time, or no task");
	if (!(first->sample_type & (PP_SAMPLE_ID | PP_SAMPLE_IDENTIFIER)))
		return pp_fail(error, PP_E_USE, "samples of this stream do not say which event they are of: "
						"no other can be added to it");
	return 0;
}

static void build_attr(const struct pp_made_events *made, struct pp_build *b, const struct pp_attr *first)
{
	const uint64_t flags = UINT64_C(1) << PP_FLAG_sample_id_all | UINT64_C(1) << PP_FLAG_use_clockid;

	pp_build_u64(b, "type", PP_TYPE_SOFTWARE);
	pp_build_u64(b, "size", first->size);
	pp_build_u64(b, "config", BPF_OUTPUT);
	pp_build_u64(b, "sample_period", 1);
	pp_build_u64(b, "sample_type", made->sample_type);
	pp_build_u64(b, "flags", first->flags & flags);
	pp_build_u64(b, "config1", made->config1);
	if (pp_attr_flag(first, PP_FLAG_use_clockid))
		pp_build_u64(b, "clockid", (uint64_t)(int64_t)first->clockid);
}

static int write_record(struct pp_build *b, const uint8_t *buf, struct pp_writer *out, struct pp_error *error)
{
	const size_t size = pp_build_end(b);

	if (!size)
		return pp_fail(error, PP_E_FULL, "an event that is added");
	return pp_writer_copy(out, buf, size, error);
}

static int write_events(struct pp_made_events *made, const struct pp_attr *first, struct pp_writer *out,
			struct pp_error *error)
{
	uint8_t buf[512];
	struct pp_build b;

	for (unsigned i = 0; i < made->count; i++) {
		const uint64_t id = made->first_id + i;

		pp_build(&b, buf, sizeof(buf), PP_REC_HEADER_ATTR, 0, NULL);
		pp_build_open(&b, "attr");
		build_attr(made, &b, first);
		pp_build_close(&b);
		pp_build_bytes(&b, "id", &id, sizeof(id));
		if (write_record(&b, buf, out, error))
			return -1;
	}
	for (unsigned i = 0; i < made->count; i++) {
		pp_build(&b, buf, sizeof(buf), PP_REC_EVENT_UPDATE, 0, NULL);
		pp_build_u64(&b, "type", NAME_OF_EVENT);
		pp_build_u64(&b, "id", made->first_id + i);
		pp_build_text(&b, "name", made->names[i]);
		if (write_record(&b, buf, out, error))
			return -1;
	}
	return 0;
}

int pp_made_begin(struct pp_made_events *made, struct pp_writer *out, struct pp_error *error)
{
	const struct pp_attr *const first =
		made->attrs && pp_attrs_count(made->attrs) ? pp_attrs_at(made->attrs, 0) : NULL;
	int result;

	if (made->written || !first)
		return 0;
	made->written = true;
	made->holding = false;
	if (made->count && check_first(first, error))
		return -1;
	made->sample_type = sample_type_for(first);
	made->first_id = (largest_id(made->attrs) | (ID_GAP - 1)) + 1;
	result = write_events(made, first, out, error);
	if (!result && made->held.size)
		result = pp_writer_copy(out, made->held.data, made->held.size, error);
	pp_buffer_free(&made->held);
	return result;
}

/* Names of events come after their attributes, mostly in a feature. */
static bool names_events(const struct pp_record *rec)
{
	return rec->type == PP_REC_EVENT_UPDATE || rec->type == PP_REC_HEADER_FEATURE;
}

int pp_made_hold(struct pp_made_events *made, const struct pp_record *rec, struct pp_error *error)
{
	if (rec->attrs)
		made->attrs = rec->attrs;
	if (made->written || (rec->type != PP_REC_HEADER_ATTR && !(made->holding && names_events(rec))))
		return 0;
	made->holding = true;
	return pp_buffer_add(&made->held, rec->data, rec->size, error) ? -1 : 1;
}

/* ---- Their samples ---- */

/* What a sample of those may have, but for its chain. */
enum { FIXED_MOST = PP_HEADER_SIZE + 12 * 8 };

static uint8_t *put_word(uint8_t *at, uint64_t value)
{
	pp_store64(at, value);
	return at + sizeof(value);
}

static uint8_t *put_halves(uint8_t *at, uint32_t first, uint32_t second)
{
	pp_store32(at, first);
	pp_store32(at + sizeof(first), second);
	return at + sizeof(uint64_t);
}

/* All that comes before the chain. */
static uint8_t *put_head(uint8_t *at, uint64_t bits, uint64_t id, const struct pp_made_sample *s)
{
	if (bits & PP_SAMPLE_IDENTIFIER)
		at = put_word(at, id);
	if (bits & PP_SAMPLE_IP)
		at = put_word(at, s->ip);
	at = put_halves(at, s->pid, s->tid);
	at = put_word(at, s->time);
	if (bits & PP_SAMPLE_ADDR)
		at = put_word(at, s->address);
	if (bits & PP_SAMPLE_ID)
		at = put_word(at, id);
	if (bits & PP_SAMPLE_STREAM_ID)
		at = put_word(at, id);
	if (bits & PP_SAMPLE_CPU)
		at = put_halves(at, s->cpu, 0);
	return put_word(at, s->period);
}

int pp_made_write(struct pp_made_events *made, unsigned event, const struct pp_made_sample *s,
		  struct pp_writer *out, struct pp_error *error)
{
	const uint64_t most = (PP_RECORD_MAX - FIXED_MOST) / sizeof(uint64_t), bits = made->sample_type;
	const uint64_t frames = s->frames < most ? s->frames : most;
	const size_t bytes = (size_t)frames * sizeof(uint64_t);
	uint8_t *start, *at;

	made->record.size = 0;
	start = pp_buffer_room(&made->record, FIXED_MOST + bytes, error);
	if (!start || pp_made_begin(made, out, error))
		return -1;
	at = put_head(start + PP_HEADER_SIZE, bits, made->first_id + event, s);
	at = put_word(at, frames);
	if (bytes)
		memcpy(at, s->chain, bytes);
	at = put_word(at + bytes, s->weight);
	if (bits & PP_SAMPLE_CGROUP)
		at = put_word(at, s->cgroup);
	pp_store32(start, PP_REC_SAMPLE);
	pp_store16(start + 4, s->misc);
	pp_store16(start + 6, (uint16_t)(at - start));
	return pp_writer_copy(out, start, (size_t)(at - start), error);
}
