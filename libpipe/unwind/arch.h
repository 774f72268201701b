/* arch.h - what unwinding has to know of a processor: its registers in the kernel's numbers and in
 * DWARF's, which of them are whose, and where a frame pointer leads. */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { SLOTS = 34, NO_SLOT = 255 };

/* A slot is a register's number in DWARF where that is smaller than `slots`; `link_number` has the
 * last slot. */
struct machine {
	const char *arch;             /* the feature ARCH begins with this */
	uint16_t elf;                 /* EM_ */
	uint8_t word;                 /* bytes */
	uint8_t abi;                  /* of a sample: 2, or 1 for 32 bits */
	uint8_t slots;
	uint8_t sp, fp;               /* slots */
	uint8_t link;                 /* the slot of the return address in a leaf; NO_SLOT: on the stack */
	uint8_t link_number;          /* DWARF's number of that slot, where it is larger than the slots */
	uint8_t pc;                   /* the kernel's number */
	uint8_t kernel[SLOTS];        /* the kernel's number of each slot */
	uint64_t kept;                /* slots that a call leaves as they are */
	/* The frame that a pointer leads to, where there is one. */
	bool framed, chained;         /* chained: by the stack pointer instead */
	int8_t saved_fp, saved_ra, above;     /* where they are; the caller's stack, from there */
	uint64_t code;                /* bits of a return address that count */
};

/* For streams of this architecture (NULL or "": that of this machine) and a sample of this abi; NULL:
 * none is known. */
const struct machine *pp_unwind_machine_of(const char *arch, uint64_t abi);
/* The slot of a register in DWARF's numbers, or NO_SLOT. */
static inline uint8_t machine_slot(const struct machine *m, uint64_t number)
{
	if (m->link_number && number == m->link_number)
		return m->link;
	return number < m->slots && !(m->link_number && number == m->link) ? (uint8_t)number : NO_SLOT;
}

#endif
