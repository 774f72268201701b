/* kept_chain.c - the call chain of a sample, kept until the span that began there ends. */
#include "span/kept_chain.h"

#include <perfpipe/callchain.h>

#include <string.h>

enum { WORD = sizeof(uint64_t) };

void pp_chain_forget(struct pp_budget *budget, struct pp_kept_chain *chain)
{
	pp_give_back(budget, chain->words, (size_t)chain->room * WORD);
	*chain = (struct pp_kept_chain){ .words = NULL };
}

int pp_chain_keep(struct pp_budget *budget, struct pp_kept_chain *chain, const struct pp_record *rec)
{
	struct pp_chain words;

	chain->count = 0;
	if (!pp_chain_open_raw(&words, rec) || !words.left)
		return 0;
	if (words.left > chain->room) {
		uint8_t *const larger = pp_take(budget, (size_t)words.left * WORD);

		if (!larger)
			return -1;
		pp_chain_forget(budget, chain);
		chain->words = larger;
		chain->room = (uint32_t)words.left;
	}
	chain->count = (uint32_t)words.left;
	memcpy(chain->words, words.at, (size_t)words.left * WORD);
	return 0;
}
