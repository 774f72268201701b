/* branches.c - a sample as the branches that it has: each is one of its own. */
#include "profile/hist.h"

#include "base/byte_order.h"

/* ---- values of columns ---- */

static const struct pp_spot *spot(const struct pp_sampled *s, uint32_t place)
{
	return &s->report->places.places[place];
}

#define OF_BRANCH(name, what) \
int pp_sample_##name(const struct pp_sampled *s, uint64_t *value, struct pp_error *error) \
{ \
	(void)error; \
	*value = what; \
	return 0; \
}
OF_BRANCH(from, s->from)
OF_BRANCH(to, s->to)
OF_BRANCH(dso_from, spot(s, s->from)->dso)
OF_BRANCH(dso_to, spot(s, s->to)->dso)
OF_BRANCH(line_from, spot(s, s->from)->line)
OF_BRANCH(line_to, spot(s, s->to)->line)
OF_BRANCH(cycles, PP_BRANCH_CYCLES(s->flags))

int pp_sample_mispredict(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_column_text(s, s->flags & 2 ? "N" : s->flags & 1 ? "Y" : "N/A", 0, value, error);
}

int pp_sample_in_tx(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_column_text(s, s->flags & 4 ? "T" : ".", 0, value, error);
}

int pp_sample_abort(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_column_text(s, s->flags & 8 ? "A" : ".", 0, value, error);
}

/* ---- the branches of a sample ---- */

int pp_hist_branches(struct pp_report *r, struct pp_sampled *s, const struct pp_hist_group *sample,
		     struct pp_error *error)
{
	const unsigned mode = s->rec->misc & PP_MISC_CPUMODE;
	struct pp_hist_stack stack = { .first = (uint32_t)r->n_frames, .mode = mode };
	uint32_t number;

	if (pp_hist_place(r, s->rec, s->pid, &stack, error))
		return -1;
	if (!r->how.relative || (!sample->left_out && !stack.left_out))
		r->events[sample->event].noted++;
	for (uint32_t i = 0; i < s->details.n_branches; i++) {
		const uint8_t *const branch = s->details.branches + (size_t)i * PP_BRANCH_SIZE;
		struct pp_hist_group group = *sample;

		s->flags = pp_load64(branch + 16);
		s->cycles = i ? s->cycles : PP_BRANCH_CYCLES(s->flags);
		group.left_out |= stack.left_out;
		if (pp_hist_end(r, s->pid, pp_load64(branch), false, &s->from, error) ||
		    pp_hist_end(r, s->pid, pp_load64(branch + 8), false, &s->to, error) ||
		    pp_hist_end(r, s->pid, pp_load64(branch + 8), true, &stack.place, error) ||
		    pp_hist_number(r, &stack, &group.stack, error))
			return -1;
		group.from = s->from;
		group.to = s->to;
		if (pp_hist_add(r, s, &group, &number, error))
			return -1;
		r->groups[number].weight++;
		r->groups[number].samples++;
	}
	return 0;
}
