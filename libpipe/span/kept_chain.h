/* kept_chain.h - the call chain of a sample, kept until the span that began there ends. */
#ifndef KEPT_CHAIN_H
#define KEPT_CHAIN_H

#include <perfpipe/record.h>

#include "base/budget.h"

/* The words of a chain, as they came. */
struct pp_kept_chain {
	uint8_t *words;
	uint32_t count, room;
};

/* Keeps the chain of a sample in place of what is there.  0, -1: no memory. */
int pp_chain_keep(struct pp_budget *, struct pp_kept_chain *, const struct pp_record *);
/* Leaves it empty. */
void pp_chain_forget(struct pp_budget *, struct pp_kept_chain *);

#endif
