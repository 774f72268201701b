/* sample_details.h - what few samples have: costs, sources of data, pages, branches, registers. */
#ifndef PP_SAMPLE_DETAILS_H
#define PP_SAMPLE_DETAILS_H

#include <perfpipe/record.h>

#include <stdint.h>

/* All zero where a sample has it not.  What is pointed at is in the record. */
struct pp_details {
	uint64_t addr, weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint64_t ins_lat, retire_lat;
	struct pp_regs { uint64_t abi; const uint8_t *at; uint32_t count; } iregs, uregs;
	const uint8_t *branches;      /* from, to, flags: PP_BRANCH_SIZE bytes each, the newest first */
	uint32_t n_branches;
};
enum { PP_BRANCH_SIZE = 24 };

void pp_details(struct pp_details *, const struct pp_record *);

#endif
