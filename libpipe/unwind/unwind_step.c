/* unwind_step.c - from a frame to its caller, by a row of rules or by the frame pointer. */
#include "unwind/unwind_step.h"

static uint64_t word_mask(const struct machine *m)
{
	return m->word == 4 ? UINT32_MAX : UINT64_MAX;
}

static bool has(const struct frame *f, uint8_t slot)
{
	return slot < SLOTS && f->known >> slot & 1;
}

static void put_register(struct frame *f, uint8_t slot, uint64_t value)
{
	f->slots[slot] = value;
	f->known |= UINT64_C(1) << slot;
}

/* ---- By rules ---- */

static bool expression(const struct frame *f, struct dump *d, const struct cfi *cfi, int32_t at,
		       uint16_t length, uint64_t shift, const uint64_t *pushed, uint64_t *value)
{
	const struct cfi_bytes bytes = {
		.at = cfi->bytes + at, .end = cfi->bytes + at + length, .foreign = cfi->foreign,
	};

	return pp_unwind_expression_value(f, d, bytes, shift, pushed != NULL, pushed ? *pushed : 0, value);
}

static bool find_cfa(const struct frame *f, struct dump *d, const struct row *row,
		     const struct cfi *cfi, uint64_t shift, uint64_t *cfa)
{
	if (row->cfa_kind == CFA_EXPRESSION)
		return expression(f, d, cfi, row->cfa, row->cfa_length, shift, NULL, cfa);
	if (row->cfa_kind != CFA_REGISTER || !has(f, row->cfa_slot))
		return false;
	*cfa = (f->slots[row->cfa_slot] + (uint64_t)(int64_t)row->cfa) & word_mask(f->machine);
	return true;
}

/* What a rule says of a register of the caller; false: nothing. */
static bool follow(const struct frame *f, struct dump *d, const struct rule *rule,
		   const struct cfi *cfi, uint64_t shift, uint64_t cfa, uint64_t *value)
{
	const unsigned word = f->machine->word;
	const uint64_t place = (cfa + (uint64_t)(int64_t)rule->value) & word_mask(f->machine);
	uint64_t at;

	switch (rule->kind) {
	case RULE_SAME:
		*value = has(f, rule->slot) ? f->slots[rule->slot] : 0;
		return has(f, rule->slot);
	case RULE_AT:
		return pp_unwind_dump_read(d, place, word, value);
	case RULE_IS:
		*value = place;
		return true;
	case RULE_IN:
		*value = has(f, (uint8_t)rule->value) ? f->slots[rule->value] : 0;
		return has(f, (uint8_t)rule->value);
	case RULE_AT_EXPRESSION:
		return expression(f, d, cfi, rule->value, rule->length, shift, &cfa, &at) &&
		       pp_unwind_dump_read(d, at, word, value);
	case RULE_IS_EXPRESSION:
		return expression(f, d, cfi, rule->value, rule->length, shift, &cfa, value);
	default:
		return false;
	}
}

enum step pp_unwind_step_by_row(struct frame *f, struct dump *d, const struct row *row, const struct cfi *cfi,
				uint64_t shift)
{
	const struct machine *const m = f->machine;
	const struct rule *const rules = cfi->rules + row->rules;
	struct frame next = { .machine = m, .exact = row->flags & ROW_SIGNAL };
	bool ra_told = false, ra_known = false, ra_none = false;
	uint64_t cfa, value, ra = 0;

	if (!find_cfa(f, d, row, cfi, shift, &cfa))
		return STEP_LOST;
	/* what no rule names is as it was, if a call leaves it so */
	next.known = f->known & m->kept;
	memcpy(next.slots, f->slots, sizeof(next.slots));
	put_register(&next, m->sp, cfa);
	for (uint8_t i = 0; i < row->n_rules; i++) {
		const struct rule *const rule = &rules[i];
		const bool known = follow(f, d, rule, cfi, shift, cfa, &value);

		if (rule->slot == row->ra) {
			ra_told = true;
			ra_known = known;
			ra_none = rule->kind == RULE_UNDEFINED;
			ra = value;
		}
		if (rule->slot >= m->slots)
			continue;
		next.known &= ~(UINT64_C(1) << rule->slot);
		if (known)
			put_register(&next, rule->slot, value);
	}
	if (ra_none)
		return STEP_END;
	if (!ra_told && row->ra < m->slots && has(f, row->ra)) {
		ra = f->slots[row->ra];
		ra_known = true;
	}
	if (!ra_known)
		return STEP_LOST;
	next.pc = ra & (next.exact ? m->code | 1 : m->code);
	*f = next;
	return next.pc ? STEP_CALLER : STEP_END;
}

/* ---- By pointers ---- */

/* PowerPC: each stack frame begins with the address of the caller's. */
static enum step step_by_chain(struct frame *f, struct dump *d)
{
	const struct machine *const m = f->machine;
	uint64_t up, ra;

	if (!has(f, m->sp) || !pp_unwind_dump_read(d, f->slots[m->sp], m->word, &up))
		return STEP_LOST;
	if (!up)
		return STEP_END;
	if (up <= f->slots[m->sp] || !pp_unwind_dump_read(d, up + (uint64_t)m->saved_ra, m->word, &ra))
		return STEP_LOST;
	put_register(f, m->sp, up);
	f->pc = ra & m->code;
	f->exact = f->first = false;
	return f->pc ? STEP_CALLER : STEP_END;
}

enum step pp_unwind_step_by_pointer(struct frame *f, struct dump *d)
{
	const struct machine *const m = f->machine;
	uint64_t fp, up, ra;

	/* A leaf has not saved it, for all we know. */
	if (f->first && m->link != NO_SLOT && has(f, m->link)) {
		f->pc = f->slots[m->link] & m->code;
		f->first = f->exact = false;
		return f->pc ? STEP_CALLER : STEP_END;
	}
	if (m->chained)
		return step_by_chain(f, d);
	if (!m->framed || !has(f, m->fp) || !has(f, m->sp))
		return STEP_LOST;
	fp = f->slots[m->fp];
	if (!fp)
		return STEP_END;
	if (!pp_unwind_dump_read(d, (fp + (uint64_t)(int64_t)m->saved_fp) & word_mask(m), m->word, &up) ||
	    !pp_unwind_dump_read(d, (fp + (uint64_t)(int64_t)m->saved_ra) & word_mask(m), m->word, &ra))
		return STEP_LOST;
	if (fp + (uint64_t)(int64_t)m->above <= f->slots[m->sp])
		return STEP_LOST;
	put_register(f, m->fp, up);
	put_register(f, m->sp, fp + (uint64_t)(int64_t)m->above);
	f->pc = ra & m->code;
	f->exact = f->first = false;
	return f->pc ? STEP_CALLER : STEP_END;
}
