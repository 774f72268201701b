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
	const uint8_t *branches;      /* the newest first: pp_branch_at() */
	uint32_t n_branches;
};

void pp_details(struct pp_details *, const struct pp_record *);

/* perf_branch_entry. */
struct pp_branch { uint64_t from, to, flags; };
enum { PP_BRANCH_MISPREDICTED = 1 };  /* of its flags */

static inline struct pp_branch pp_branch_at(const struct pp_details *details, uint32_t i)
{
	const uint8_t *const at = details->branches + (size_t)i * sizeof(struct pp_branch);

	return (struct pp_branch){ pp_load64(at), pp_load64(at + 8), pp_load64(at + 16) };
}

/* The cpumode of an address of which none is recorded: the kernel has the upper half. */
static inline unsigned pp_mode_of_address(uint64_t address)
{
	return address >> 63 ? PP_MISC_KERNEL : PP_MISC_USER;
}

#endif
