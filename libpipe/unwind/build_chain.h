/* build_chain.h - one stack, unwound. */
#ifndef PP_BUILD_CHAIN_H
#define PP_BUILD_CHAIN_H

#include "unwind/unwind_modules.h"
#include "unwind/rewrite_sample.h"

struct chain {
	uint64_t *frames;             /* room for `most` */
	uint32_t count, most;
	enum pp_unwound end;
	struct module *at;            /* where it ended; NULL: nowhere */
};
/* The chain of the process whose turn it is.  `mask`: the registers that were asked for; `foreign`:
 * the stack is in the other byte order.  0, -1 and *error. */
int pp_unwind_chain_make(struct chain *, struct modules *, const struct machine *, const struct sample *,
			 uint64_t mask, bool foreign, struct pp_error *);

#endif
