/* branches.h - the branches that samples have, for formats that are about them. */
#ifndef EXCHANGE_BRANCHES_H
#define EXCHANGE_BRANCHES_H

#include <perfpipe/export.h>

/* From one place to another. */
struct pp_code_branch {
	uint32_t from, to;            /* their numbers */
	uint64_t times, mispredicted;
};

/* All that were met, each once, in the order in which they were. */
size_t pp_branches_count(const struct pp_branches *);
const struct pp_code_branch *pp_branches_item(const struct pp_branches *, size_t i);

#endif
