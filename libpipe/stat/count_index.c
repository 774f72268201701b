/* count_index.c - where each count is kept, and how it is found: by its id, CPU and thread. */
#include "stat/count.h"

/* An id alone does not find it: a hostile stream has one for all. */
static uint64_t hash(uint64_t id, int32_t cpu, uint32_t thread)
{
	const uint64_t place = (uint64_t)(uint32_t)cpu << 32 | thread;

	return pp_hash_number(id ^ (place + 1) * UINT64_C(0xff51afd7ed558ccd));
}

static uint64_t hash_slot(const void *slots, uint64_t place)
{
	const struct pp_count_slot *const slot = (const struct pp_count_slot *)slots + (place - 1);

	return hash(slot->id, slot->cpu, slot->thread);
}

/* Where a slot is in the index, or would be; there is room. */
static size_t find_at(const struct pp_counts *c, uint64_t id, int32_t cpu, uint32_t thread)
{
	size_t at = pp_index_first(&c->by_place, hash(id, cpu, thread));

	while (c->by_place.places[at] &&
	       !pp_count_slot_is(&c->slots[c->by_place.places[at] - 1], id, cpu, thread))
		at = pp_index_next(&c->by_place, at);
	return at;
}

struct pp_count_slot *pp_count_slot_find(const struct pp_counts *c, uint64_t id, int32_t cpu, uint32_t thread)
{
	const uint64_t place = c->n_slots ? c->by_place.places[find_at(c, id, cpu, thread)] : 0;

	return place ? &c->slots[place - 1] : NULL;
}

struct pp_count_slot *pp_count_slot_add(struct pp_counts *c, uint64_t id, int32_t cpu, uint32_t thread,
					uint32_t event, struct pp_error *error)
{
	struct pp_count_slot *slot;

	if (c->n_slots >= UINT32_MAX - 1 ||
	    PP_TAKE_GROW(c->budget, &c->slots, &c->slots_room, c->n_slots + 1) ||
	    pp_index_reserve(&c->by_place, c->n_slots + 1, hash_slot, c->slots)) {
		(void)pp_budget_fail(c->budget, error);
		return NULL;
	}
	slot = &c->slots[c->n_slots];
	*slot = (struct pp_count_slot){ .id = id, .cpu = cpu, .thread = thread, .event = event };
	c->by_place.places[find_at(c, id, cpu, thread)] = ++c->n_slots;
	c->plan.made = false;
	c->events[event].event.supported = true;
	return slot;
}
