/* recorded.c - knows the time of day at which a stream was recorded, as far as it was read; build_id.c
 * compares files with it. */
#include "model/recorded.h"

#include "format/format.h"

/* Whether the times of the records are this clock's. */
static bool is_of_clock(const struct pp_record *rec, uint64_t clock)
{
	const struct pp_attr *const a = rec->attrs ? pp_attrs_at(rec->attrs, 0) : NULL;

	return !a || (pp_attr_flag(a, PP_FLAG_use_clockid) && (uint32_t)a->clockid == (uint32_t)clock);
}

void pp_recorded_note(struct pp_recorded *r, const struct pp_record *rec)
{
	uint64_t ns, clock;
	int64_t shift;

	if (rec->attrs)
		r->input_changed = pp_attrs_input_changed(rec->attrs);
	if (rec->type < PP_USER_TYPES && pp_time(rec, &ns) && ns > r->now)
		r->now = ns;
	if (rec->type != PP_REC_HEADER_FEATURE || !pp_clock_data(rec, &clock, &shift) ||
	    !pp_get_u64(rec, "clockid_time_ns", &ns) || !is_of_clock(rec, clock))
		return;
	r->pair = ns;
	r->to_wall_clock = shift;
	r->has_clock = true;
}

uint64_t pp_recorded_by(const struct pp_recorded *r)
{
	const uint64_t now = r->now ? r->now : r->pair;
	const uint64_t apart = now > r->pair ? now - r->pair : r->pair - now;

	if (!r->has_clock)
		return r->input_changed;
	/* while adjtimex(2) slews one of them, the two clocks run apart by 500 ppm at most */
	return now + (uint64_t)r->to_wall_clock + apart / 1024;
}
