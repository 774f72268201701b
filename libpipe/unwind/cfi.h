/* cfi.h - the rules of one section of call frame information, compiled into rows: where a frame's
 * caller has its registers, for each range of code. */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <elfutils/libdw.h>

#include "base/hash.h"
#include "unwind/arch.h"

/* Where a register of the caller is. */
enum rule_kind {
	RULE_UNDEFINED, RULE_SAME,
	RULE_AT,                      /* in memory, `value` bytes from the CFA */
	RULE_IS,                      /* the CFA and `value` */
	RULE_IN,                      /* in the register of slot `value` */
	RULE_AT_EXPRESSION, RULE_IS_EXPRESSION,         /* at byte `value` of the section, of `length` */
};
struct rule {
	uint8_t slot, kind;
	uint16_t length;
	int32_t value;
};

enum { CFA_NONE, CFA_REGISTER, CFA_EXPRESSION };
enum { ROW_SIGNAL = 1, ROW_DEBUG = 2 };         /* after a signal; of .debug_frame */

/* What holds from `at` bytes after the start of an entry. */
struct row {
	uint32_t at, rules;           /* index of the first */
	uint8_t n_rules, flags;
	uint8_t ra;                   /* slot of the return address; machine->slots: one of its own */
	uint8_t cfa_kind, cfa_slot;
	uint16_t cfa_length;
	int32_t cfa;                  /* offset; or byte of the expression */
};

/* One entry (FDE): its code, and its rows. */
struct cfi_entry {
	uint64_t start, end;
	uint32_t first, count;
};
struct cfi_range { uint64_t start, end, offset; };

struct cfi {
	const struct machine *machine;
	uint8_t ident[EI_NIDENT];
	bool foreign;                 /* byte order */
	bool eh;
	uint8_t *bytes, *header;      /* the section; .eh_frame_hdr or NULL.  Owned */
	size_t size, header_size;
	uint64_t address, header_address;
	/* The table of .eh_frame_hdr: pairs of i32, from there; else `ranges`. */
	const uint8_t *pairs;
	size_t n_pairs;
	bool indexed;
	struct cfi_range *ranges;     /* by ascending start */
	size_t n_ranges, room_ranges;

	struct row *rows;
	struct rule *rules;
	struct cfi_entry *entries;
	size_t n_rows, n_rules, n_entries, room_rows, room_rules, room_entries;
	struct pp_idmap compiled;     /* entries by their offset; the number */
	uint64_t work;                /* bytes of instructions that were executed */
	bool damaged;                 /* something in it cannot be, or is too much */
};

/* Looks at the header; a section without one is indexed when it is first asked. */
void pp_unwind_cfi_open(struct cfi *);
void pp_unwind_cfi_close(struct cfi *);
/* The row of an address of the file: *row, 1; 0: none covers it; -1: memory. */
int pp_unwind_cfi_find(struct cfi *, uint64_t address, uint32_t *row);
/* Bytes that it holds. */
uint64_t pp_unwind_cfi_held(const struct cfi *);

/* A piece of a section that is read from the front; what is beyond its end sticks as `over`. */
struct cfi_bytes {
	const uint8_t *at, *end;
	bool foreign, over;
};
uint64_t pp_unwind_cfi_number(struct cfi_bytes *, unsigned width);        /* unsigned, 1 to 8 bytes */
int64_t pp_unwind_cfi_signed(struct cfi_bytes *, unsigned width);
uint64_t pp_unwind_cfi_uleb(struct cfi_bytes *);
int64_t pp_unwind_cfi_sleb(struct cfi_bytes *);
void pp_unwind_cfi_skip(struct cfi_bytes *, uint64_t n);

#endif
