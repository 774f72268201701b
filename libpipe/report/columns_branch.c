/* columns_branch.c - what a branch of a sample says: values of columns. */
#include "report/hist.h"

static const struct pp_code_frame *spot(const struct pp_sampled *s, uint32_t place)
{
	return pp_frame_table_kind(&s->report->places, place);
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

	return pp_frame_table_value(&s->report->places, word, 0, value, error);
}

int pp_sample_in_tx(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_frame_table_value(&s->report->places, s->flags & 4 ? "T" : ".", 0, value, error);
}

int pp_sample_abort(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_frame_table_value(&s->report->places, s->flags & 8 ? "A" : ".", 0, value, error);
}

/* An address is the same in the same file, whichever process has it there: the lower half is its place, which
 * has the name that the first one has. */
static int end_at(const struct pp_sampled *s, uint64_t address, uint64_t *value, struct pp_error *error)
{
	struct pp_code_frame same = {
		.address = address, .exact = true, .function = UINT32_MAX, .symbol = UINT32_MAX,
	};
	uint32_t at, class;

	if (pp_hist_end(s->report, s->pid, address, PP_END_EXACT, &at, error))
		return -1;
	same.dso = spot(s, at)->dso;
	if (pp_frame_table_add(&s->report->places, &same, &class, error))
		return -1;
	*value = (uint64_t)class << 32 | at;
	return 0;
}

int pp_sample_addr_from(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return end_at(s, s->from_address, value, error);
}

int pp_sample_addr_to(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return end_at(s, s->to_address, value, error);
}
