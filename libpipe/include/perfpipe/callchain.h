/*
 * callchain.h - the frames of a call chain, one address after the other, and the mode of each.
 *
 * A chain consists of addresses, innermost first, and context marks, which give the mode of the
 * addresses after them.  The iterator borrows from the record and is good for as long as its bytes
 * are.
 *
 *	struct pp_chain chain;
 *	uint64_t address;
 *
 *	if (pp_chain_open(&chain, record))
 *		while (pp_chain_next(&chain, &address))
 *			printf("0x%" PRIx64 " of mode %u\n", address, chain.mode);
 */
#ifndef PERFPIPE_CALLCHAIN_H
#define PERFPIPE_CALLCHAIN_H

#include <perfpipe/walk.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number from here on is a mark (enum perf_callchain_context), not an address. */
#define PP_CHAIN_MARKS UINT64_C(0xfffffffffffff001)

struct pp_chain {
	const uint8_t *at;            /* what follows the last address: u64, unaligned */
	uint64_t left;
	unsigned mode;                /* PP_MISC_USER, PP_MISC_KERNEL ...; 0: unknown */
};

/* The chain of a SAMPLE or a CALLCHAIN_DEFERRED.  False: it has none, or is damaged before it. */
PP_API bool pp_chain_open(struct pp_chain *, const struct pp_record *);
/* The cpumode of the addresses after a mark, 0 for an unknown mark. */
PP_API unsigned pp_chain_mode(uint64_t mark);

/* The next address; false at the end. */
static inline bool pp_chain_next(struct pp_chain *chain, uint64_t *address)
{
	while (chain->left) {
		*address = pp_load64(chain->at);
		chain->at += sizeof(*address);
		chain->left--;
		if (*address < PP_CHAIN_MARKS)
			return true;
		chain->mode = pp_chain_mode(*address);
	}
	return false;
}

#ifdef __cplusplus
}
#endif

#endif
