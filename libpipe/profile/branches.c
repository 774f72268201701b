/* branches.c - what a branch of a sample says: values of columns. */
#include "profile/hist.h"

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
	const char *const word = s->flags & 2 ? "N" : s->flags & 1 ? "Y" : "N/A";

	return pp_spots_value(&s->report->places, word, 0, value, error);
}

int pp_sample_in_tx(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_spots_value(&s->report->places, s->flags & 4 ? "T" : ".", 0, value, error);
}

int pp_sample_abort(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_spots_value(&s->report->places, s->flags & 8 ? "A" : ".", 0, value, error);
}
