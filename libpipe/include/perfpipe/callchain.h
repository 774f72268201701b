/*
 * callchain.h - the frames of a call chain, one address after the other, and the mode of each.
 *
 * A chain consists of addresses, innermost first, and context marks, which give the mode of the
 * addresses after them.  Where a user chain comes in a record of its own, a mark and a cookie stand
 * in its place.  A frame pointer that leads to garbage may add a word that only looks like a mark:
 * perf shows no frame of such a chain, and the iterator gives no address of it.  It borrows from the
 * record and is good for as long as its bytes are.
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
#define PP_CHAIN_MARKS         UINT64_C(0xfffffffffffff001)
#define PP_CHAIN_USER          UINT64_C(0xfffffffffffffe00)
#define PP_CHAIN_USER_DEFERRED UINT64_C(0xfffffffffffffd80)   /* and then the cookie, which ends the chain */

struct pp_chain {
	const uint8_t *at;            /* what follows the last address: u64, unaligned */
	uint64_t left;
	unsigned mode;                /* PP_MISC_USER, as before the first mark, PP_MISC_KERNEL ... */
};

/* The frames of a SAMPLE or a CALLCHAIN_DEFERRED.  False: it has no chain, or is damaged before it. */
PP_API bool pp_chain_open(struct pp_chain *, const struct pp_record *);
/* The same of its first `most` addresses, as if the chain ended there. */
PP_API bool pp_chain_open_first(struct pp_chain *, const struct pp_record *, uint64_t most);
/* The same words, with all marks and whatever they are worth: for what compares or copies chains. */
PP_API bool pp_chain_open_raw(struct pp_chain *, const struct pp_record *);
/* The cpumode of the addresses after a mark, 0 for one that no chain may have. */
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

/* The next addresses that have one mode, as they are in the record (u64, unaligned).  How many; 0: none. */
PP_API size_t pp_chain_run(struct pp_chain *, const void **addresses);
/* The i-th of them. */
static inline uint64_t pp_chain_address(const void *addresses, size_t i)
{
	return pp_load64((const uint8_t *)addresses + i * sizeof(uint64_t));
}

#ifdef __cplusplus
}
#endif

#endif
