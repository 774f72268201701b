/* unwind_step.h - a frame's registers, the stack that was copied, and the step to the caller. */
#ifndef PP_UNWIND_STEP_H
#define PP_UNWIND_STEP_H

#include "unwind/cfi.h"

/* What was copied of a stack, from its pointer up. */
struct dump {
	const uint8_t *bytes;
	uint64_t start, size;
	bool full;                    /* as much as was asked for: there may be more of it, as there may be
				       * if it ends with a page, and the next was not in memory */
	bool foreign;                 /* byte order */
	bool missed;                  /* something beyond its end was asked for */
};

struct frame {
	const struct machine *machine;
	uint64_t slots[SLOTS];
	uint64_t known;               /* bits of slots */
	uint64_t pc;
	bool exact;                   /* the pc is the instruction itself, no return address */
	bool first;
};

enum step {
	STEP_CALLER,                  /* *frame is the caller's now */
	STEP_END,                     /* it has none */
	STEP_LOST,                    /* it is unknown: dump->missed, or the rules lead nowhere */
};
/* `shift`: the address in memory of the file's address 0. */
enum step pp_unwind_step_by_row(struct frame *, struct dump *, const struct row *, const struct cfi *,
				uint64_t shift);
/* By the frame pointer, or the register of return addresses. */
enum step pp_unwind_step_by_pointer(struct frame *, struct dump *);

/* stack_copy.c: a word of the stack, or less. */
bool pp_unwind_dump_read(struct dump *, uint64_t address, unsigned width, uint64_t *value);
/* Evaluates the expression in `bytes`, with `initial` on its stack if `pushed`. */
bool pp_unwind_expression_value(const struct frame *, struct dump *, struct cfi_bytes bytes, uint64_t shift,
				bool pushed, uint64_t initial, uint64_t *value);

#endif
