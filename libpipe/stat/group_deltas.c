/* group_deltas.c - what each event of a group counted from one sample to the next. */
#include "stat/group_deltas.h"

bool pp_group_deltas_is_for(const struct pp_attr *attr)
{
	return attr->sample_type & PP_SAMPLE_READ && attr->read_format & PP_READ_ID;
}

void pp_group_deltas_open(struct pp_group_deltas_walk *w, struct pp_group_deltas *since,
			  const struct pp_record *rec)
{
	*w = (struct pp_group_deltas_walk){ .since = since, .rec = rec };
	pp_read_values_open(&w->values, rec);
}

/* perf 7.3 keeps values by thread, too, where threads have counters of their own. */
static uint64_t thread_of(const struct pp_group_deltas_walk *w)
{
	const struct pp_attr *const attr = w->rec->attr;
	uint32_t pid, tid = 0;

	if (w->since->together || !(attr->sample_type & PP_SAMPLE_TID) ||
	    !pp_attr_flag(attr, PP_FLAG_inherit))
		return 0;
	(void)pp_task(w->rec, &pid, &tid);
	return tid;
}

/* What was counted since the value before, of an id.  0, or -1: memory. */
static int count(struct pp_group_deltas_walk *w, uint64_t id, uint64_t value)
{
	struct pp_group_deltas *const s = w->since;
	const uint64_t *number = pp_idmap_find(&s->numbers, id);
	uint64_t key, *before;

	if (!number) {
		if (pp_idmap_set(&s->numbers, id, s->count))
			return -1;
		s->count++;
		number = pp_idmap_find(&s->numbers, id);
	}
	key = *number << 32 | thread_of(w);
	before = pp_idmap_find(&s->values, key);
	w->period = value - (before ? *before : 0);
	if (!before)
		return pp_idmap_set(&s->values, key, value);
	*before = value;
	return 0;
}

int pp_group_deltas_next(struct pp_group_deltas_walk *w, struct pp_error *error)
{
	/* it changes nothing but what is looked up faster */
	struct pp_attrs *const attrs = (struct pp_attrs *)(uintptr_t)w->rec->attrs;

	while (pp_read_values_next(&w->values) > 0) {
		const struct pp_read_values *const found = &w->values.next;

		w->attr = found->has_id ? pp_attrs_by_id(attrs, found->id) : NULL;
		if (!w->attr)
			continue;
		if (count(w, found->id, found->value))
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (w->period)
			return 1;
	}
	return 0;
}

void pp_group_deltas_close(struct pp_group_deltas *s)
{
	pp_idmap_close(&s->numbers);
	pp_idmap_close(&s->values);
}
