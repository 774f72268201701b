/*
 * build_chain.c - from the innermost frame of a stack to the outermost.  unwind_modules.c knows what
 * lies at an address, unwind_step.c takes one step.
 *
 * The order of things is that of libdwfl, which perf uses: rules of .eh_frame, then of .debug_frame,
 * then the frame pointer; a rule that fails ends the chain.
 */
#include "unwind/build_chain.h"

#include "unwind/unwind_step.h"

/* The registers of the sample; false: the most needful are not there. */
static bool begin(struct frame *f, const struct machine *m, const struct sample *s, uint64_t mask)
{
	const uint64_t word = m->word == 4 ? UINT32_MAX : UINT64_MAX;

	*f = (struct frame){ .machine = m, .first = true, .exact = true };
	for (uint8_t slot = 0; slot < m->slots; slot++)
		if (pp_unwind_sample_register(s, mask, m->kernel[slot], &f->slots[slot])) {
			f->slots[slot] &= word;
			f->known |= UINT64_C(1) << slot;
		}
	if (!pp_unwind_sample_register(s, mask, m->pc, &f->pc))
		return false;
	f->pc &= word;
	return f->known >> m->sp & 1;
}

/* What the end is if a chain has no more frames after a step.  A frame pointer of 0 marks the
 * outermost frame, as the ABIs have it: where programs begin there are no rules. */
static void ends(struct chain *chain, const struct mapped *mapped, const struct dump *d, enum step step,
		 bool by_row)
{
	chain->at = mapped ? mapped->module : NULL;
	if (step == STEP_END)
		chain->end = PP_UNWOUND_PROPERLY;
	else if (step == STEP_LOST && d->missed)
		chain->end = d->full ? PP_UNWOUND_CUT : PP_UNWOUND_PAGED;
	else if (by_row)
		chain->end = PP_UNWOUND_LOST;
	else
		chain->end = mapped ? mapped->module->without : PP_UNWOUND_NO_MAP;
}

int pp_unwind_chain_make(struct chain *chain, struct modules *modules, const struct machine *m,
			 const struct sample *s, uint64_t mask, bool foreign, struct pp_error *error)
{
	struct dump dump = { .bytes = s->bytes, .size = s->n_valid,
			     .full = s->n_valid == s->n_bytes, .foreign = foreign };
	struct frame frame;
	enum step step;

	chain->count = 0;
	chain->at = NULL;
	chain->end = PP_UNWOUND_LOST;
	if (!begin(&frame, m, s, mask))
		return 0;
	dump.start = frame.slots[m->sp];
	do {
		const uint64_t address = frame.pc - !frame.exact;
		const struct mapped *mapped;
		const struct row *row = NULL;
		struct cfi *cfi = NULL;
		int got = 0;

		got = pp_unwind_modules_at(modules, m, address, &mapped, error);
		if (got < 0)
			return -1;
		/* what was found is no return address, and may not look like a mark */
		if (chain->count && (got || address >= PP_CHAIN_MARKS))
			return 0;
		got = 0;
		if (mapped)
			got = pp_unwind_modules_row(modules, m, mapped, address, &row, &cfi, error);
		if (got < 0)
			return -1;
		if (chain->count == chain->most) {
			chain->end = PP_UNWOUND_LONG;
			return 0;
		}
		/* the code that a signal returns to was not called */
		chain->frames[chain->count++] = got && row->flags & ROW_SIGNAL ? frame.pc : address;
		step = got ? pp_unwind_step_by_row(&frame, &dump, row, cfi, mapped->shift)
			   : pp_unwind_step_by_pointer(&frame, &dump);
		ends(chain, mapped, &dump, step, got);
	} while (step == STEP_CALLER);
	return 0;
}
