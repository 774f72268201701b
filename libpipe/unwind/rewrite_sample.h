/* rewrite_sample.h - the places in a sample that unwinding reads and rewrites, and attributes that change. */
#ifndef PP_REWRITE_SAMPLE_H
#define PP_REWRITE_SAMPLE_H

#include <perfpipe/perfpipe.h>

/* Offsets from the record's start; where a field is absent, where it would be. */
struct sample {
	bool has_chain;
	size_t chain, chain_end;      /* its count first */
	uint64_t n_chain;
	size_t regs, regs_end;
	uint64_t abi;
	size_t stack, stack_end;      /* size, bytes, valid size */
	const uint8_t *words, *bytes; /* the registers; the copy of the stack */
	uint64_t n_words, n_bytes, n_valid;
	size_t end;
};

/* Whether an event has both registers and a stack. */
static inline bool has_stacks(uint64_t sample_type)
{
	const uint64_t both = PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER;

	return (sample_type & both) == both;
}
/* False: the record is damaged. */
bool pp_unwind_sample_open(struct sample *, const struct pp_record *);
/* Which of the registers a sample has, by their numbers in the kernel; false: it has it not. */
bool pp_unwind_sample_register(const struct sample *, uint64_t mask, uint8_t number, uint64_t *value);
/* Rewrites a HEADER_ATTR, or the attributes in an EVENT_DESC, for samples with chains; true: it had
 * such. */
bool pp_unwind_attrs_rewrite(struct pp_record *, bool keep);

#endif
