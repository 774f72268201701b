/*
 * groups.c - samples that carry the values of a group of counters: perf shows one for each event of which
 * something was counted since the one before.  How each is printed is script.c's.
 */
#include "script/script.h"

#include "format/counted.h"

void pp_script_groups_free(struct pp_script *s)
{
	pp_idmap_close(&s->groups.numbers);
	pp_idmap_close(&s->groups.values);
}

bool pp_script_has_group(const struct pp_attr *attr)
{
	return attr->sample_type & PP_SAMPLE_READ && attr->read_format & PP_READ_ID;
}

/* What was counted since the value before, of an id; perf 7.3 keeps them by thread, too, where threads have
 * counters of their own.  0, or -1: memory. */
static int since(struct line *l, uint64_t id, uint64_t value, uint64_t *period)
{
	const struct pp_attr *const attr = l->rec->attr;
	const bool threads = l->script->how.like != PP_SCRIPT_6_1 && attr->sample_type & PP_SAMPLE_TID &&
			     pp_attr_flag(attr, PP_FLAG_inherit);
	struct groups *const g = &l->script->groups;
	const uint64_t *number = pp_idmap_find(&g->numbers, id);
	uint64_t key, *before;

	if (!number) {
		if (pp_idmap_set(&g->numbers, id, g->count))
			return -1;
		g->count++;
		number = pp_idmap_find(&g->numbers, id);
	}
	key = *number << 32 | (threads ? l->tid : 0);
	before = pp_idmap_find(&g->values, key);
	*period = value - (before ? *before : 0);
	if (before)
		*before = value;
	else if (pp_idmap_set(&g->values, key, value))
		return -1;
	return 0;
}

static int deliver(struct line *l, uint64_t id, uint64_t value, pp_script_print *print)
{
	/* it changes nothing but what is looked up faster */
	struct pp_attrs *const attrs = (struct pp_attrs *)(uintptr_t)l->rec->attrs;
	const struct pp_attr *const attr = pp_attrs_by_id(attrs, id);

	if (!attr)
		return 0;
	if (since(l, id, value, &l->period))
		return pp_fail(l->error, PP_E_NOMEM, NULL);
	return l->period ? print(l, attr) : 0;
}

int pp_script_group(struct line *l, pp_script_print *print)
{
	struct pp_counted_walk values;

	pp_counted_open(&values, l->rec);
	while (pp_counted_next(&values) > 0)
		if (values.next.has_id && deliver(l, values.next.id, values.next.value, print))
			return -1;
	return 0;
}
