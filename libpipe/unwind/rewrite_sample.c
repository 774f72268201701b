/* rewrite_sample.c - finds the fields of a sample, and rewrites attributes; what goes there is unwind.c's. */
#include "unwind/rewrite_sample.h"

/* The structures of a sample. */
enum within { AT_TOP, IN_READ, IN_REGS, IN_STACK, IN_OTHER };

static bool is(const struct pp_cursor *c, const char *name)
{
	return !strcmp(c->field->name, name);
}

/* A value that is in no structure: the chain, or what follows where it would be. */
static void take_top(struct sample *s, const struct pp_cursor *c, size_t at)
{
	if (is(c, "nr")) {
		s->has_chain = true;
		s->chain = at;
		s->n_chain = c->value;
		s->chain_end = at + sizeof(uint64_t);
	} else if (is(c, "callchain")) {
		s->chain_end = at + (size_t)c->count * sizeof(uint64_t);
	} else if (is(c, "size") && !s->chain) {
		s->chain = s->chain_end = at;
	}
}

static void take_regs(struct sample *s, const struct pp_cursor *c, size_t at)
{
	if (is(c, "abi")) {
		s->abi = c->value;
		s->regs = at;
		s->regs_end = at + sizeof(uint64_t);
	} else {
		s->words = c->data;
		s->n_words = c->count;
		s->regs_end = at + (size_t)c->count * sizeof(uint64_t);
	}
}

static void take_stack(struct sample *s, const struct pp_cursor *c, size_t at)
{
	if (is(c, "size")) {
		s->stack = at;
		s->stack_end = at + sizeof(uint64_t);
	} else if (is(c, "data")) {
		s->bytes = c->data;
		s->n_bytes = c->count;
		s->stack_end = at + c->count;
	} else {
		s->n_valid = c->value < s->n_bytes ? c->value : s->n_bytes;
		s->stack_end = at + sizeof(uint64_t);
	}
}

static enum within entered(const struct pp_cursor *c)
{
	if (is(c, "read"))
		return IN_READ;
	return is(c, "regs_user") ? IN_REGS : is(c, "stack_user") ? IN_STACK : IN_OTHER;
}

bool pp_unwind_sample_open(struct sample *s, const struct pp_record *rec)
{
	enum within within = AT_TOP;
	unsigned depth = 0;
	struct pp_cursor c;
	int token;

	*s = (struct sample){ .end = rec->size };
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		const size_t at = token == PP_VALUE ? (size_t)(c.data - rec->data) : 0;

		if (token == PP_OPEN && !depth++)
			within = entered(&c);
		else if (token == PP_CLOSE && !--depth && within == IN_STACK)
			return true;
		if (token == PP_CLOSE && !depth)
			within = AT_TOP;
		if (token != PP_VALUE)
			continue;
		if (within > IN_READ && !s->chain)
			s->chain = s->chain_end = at;
		if (within == AT_TOP)
			take_top(s, &c, at);
		else if (within == IN_REGS)
			take_regs(s, &c, at);
		else if (within == IN_STACK)
			take_stack(s, &c, at);
	}
	return false;
}

bool pp_unwind_sample_register(const struct sample *s, uint64_t mask, uint8_t number, uint64_t *value)
{
	const uint64_t bit = number < 64 ? UINT64_C(1) << number : 0;
	const unsigned at = (unsigned)__builtin_popcountll(mask & (bit - 1));

	if (!(mask & bit) || at >= s->n_words)
		return false;
	*value = pp_load64(s->words + at * sizeof(*value));
	return true;
}

/* ---- Attributes ---- */

static void put_value(const struct pp_cursor *c, uint64_t value)
{
	if (c->width == sizeof(uint64_t))
		pp_store64(c->data, value);
	else
		pp_store32(c->data, (uint32_t)value);
}

bool pp_unwind_attrs_rewrite(struct pp_record *rec, bool keep)
{
	bool found = false, this = false;
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (is(&c, "sample_type")) {
			this = has_stacks(c.value);
			found |= this;
			if (this)
				put_value(&c, (c.value | PP_SAMPLE_CALLCHAIN) &
					~(keep ? 0 : (uint64_t)(PP_SAMPLE_REGS_USER |
								PP_SAMPLE_STACK_USER)));
		} else if (this && is(&c, "flags")) {
			put_value(&c, c.value & ~(UINT64_C(1) << PP_FLAG_exclude_callchain_user));
		} else if (this && !keep && (is(&c, "sample_regs_user") || is(&c, "sample_stack_user"))) {
			put_value(&c, 0);
		}
	}
	return found;
}
