/*
 * check_batch.c - checks samples of a batch: those in which nothing can be found are only noted, which a few
 * loads at places that are known for their event show; all others are checked as records.
 */
#include "check/check.h"

#include "format/format.h"

/* What the samples of one event have in common; ->shape is NULL where each takes a closer look. */
struct event_samples {
	const struct pp_attr *attr;
	const struct shape *shape;
	bool listed;                  /* its ids have to be among the only event's */
};

/* Of an event that is `only` one. */
static struct event_samples kind_of(struct pp_checker *c, const struct pp_attr *a, bool only)
{
	/* the task of those off the CPU is elsewhere, which an event may say later by its name */
	const struct shape *const s = a && !pp_attr_is_off_cpu(a) ? pp_check_shape(c, a) : NULL;

	return (struct event_samples){
		.attr = a, .shape = s && s->plain ? s : NULL,
		.listed = only && a && !c->unlisted && a->n_ids && a->plan.id,
	};
}

/* Whether the spans of a sample are as long as it is. */
static bool is_filled(const struct shape *s, const uint8_t *data, size_t size)
{
	const uint8_t *at = data + s->at;
	size_t left = size - s->at;

	for (unsigned i = 0; i < s->n_spans; i++) {
		const struct counted_span *const span = &s->spans[i];
		const size_t fixed = span->before + span->count;
		uint64_t n;

		if (!pp_fits(fixed, left))
			return false;
		at += fixed;
		left -= fixed;
		if (!span->count)
			continue;
		n = span->count == sizeof(uint32_t) ? pp_load32(at - sizeof(uint32_t)) :
						      pp_load64(at - sizeof(uint64_t));
		if (!pp_fits(n, left) || !pp_fits(n * span->element, left))
			return false;         /* a division would take longer than all else here */
		at += n * span->element;
		left -= n * span->element;
	}
	return !left;
}

/* The latest time of the sample's CPU, or NULL: the CPU is new, or odd, or later than this. */
static uint64_t *cpu_before(const struct pp_checker *c, const uint8_t *at, uint64_t time)
{
	const uint64_t cpu = pp_load64(at);   /* with the field after it, which has to be 0 */
	const uint32_t there = pp_attrs_cpus(c->stream->attrs);

	return cpu < c->n_cpus && (!there || cpu < there) && time >= c->cpus[cpu] ? &c->cpus[cpu] : NULL;
}

/* Notes a sample in which nothing can be found.  False: that is not sure, and nothing was noted. */
static inline bool note_sound(struct pp_checker *c, const struct event_samples *kind, const uint8_t *data,
			      size_t size, uint64_t index)
{
	const struct shape *const s = kind->shape;
	const struct pp_plan *const plan = &kind->attr->plan;
	uint64_t time, *cpu = NULL;
	uint32_t tid;

	if (size % 8 || !pp_fits(s->at, size) || (pp_load16(data + 4) & PP_MISC_CPUMODE) > PP_MISC_GUEST_USER)
		return false;
	time = pp_load64(data + plan->time);
	tid = pp_load32(data + plan->tid + 4);
	if (!time || time == UINT64_MAX || time < c->times.released)
		return false;
	if (tid >= TIDS || !pp_check_bit(c->known, tid))
		return false;
	if (plan->cpu && !(cpu = cpu_before(c, data + plan->cpu, time)))
		return false;
	if (!is_filled(s, data, size) ||
	    (kind->listed && !pp_attrs_by_id(c->stream->attrs, pp_load64(data + plan->id))))
		return false;
	if (cpu)
		*cpu = time;
	if (time > c->times.newest) {
		c->times.newest = time;
		c->at.newest = index;
	}
	return true;
}

static int check_sample_as_record(struct pp_checker *c, const struct pp_batch *batch, uint32_t i)
{
	struct pp_record rec;

	pp_batch_record(batch, i, &rec);
	if (rec.size % 8)
		pp_check_alignment(c, &rec);
	return pp_check_kernel(c, &rec) || c->no_memory ? -1 : 0;
}

int pp_checker_batch(struct pp_checker *c, const struct pp_batch *batch, struct pp_error *error)
{
	const bool only = pp_attrs_count(c->stream->attrs) == 1;
	struct event_samples kind = { .attr = NULL };

	c->others = true;
	pp_check_late_note(c);
	c->stats.records += batch->count;
	for (uint32_t i = 0; i < batch->count; i++) {
		if (batch->attr[i] != kind.attr)
			kind = kind_of(c, batch->attr[i], only);
		if (kind.shape && note_sound(c, &kind, batch->data + batch->at[i], pp_batch_size(batch, i),
					     batch->carried ? batch->index : batch->index + i)) {
			c->stats.samples++;
			continue;
		}
		if (check_sample_as_record(c, batch, i))
			return pp_fail(error, PP_E_NOMEM, NULL);
		kind = (struct event_samples){ .attr = NULL };     /* the shapes may have moved */
	}
	return 0;
}
