/* callchain.c - where a record has its call chain, what the marks in it say, and whether it is to be
 * believed. */
#include <perfpipe/callchain.h>

bool pp_chain_open_raw(struct pp_chain *chain, const struct pp_record *rec)
{
	size_t size;

	chain->mode = PP_MISC_USER;
	if (pp_callchain(rec, &chain->at, &chain->left))
		return true;
	if (rec->type != PP_REC_CALLCHAIN_DEFERRED &&
	    (rec->type != PP_REC_SAMPLE || !rec->attr ||
	     !(rec->attr->sample_type & PP_SAMPLE_CALLCHAIN)))
		return false;
	chain->at = pp_find_bytes(rec, PP_IS_CHAIN, &size);
	chain->left = chain->at ? size / sizeof(uint64_t) : 0;
	return chain->at != NULL;
}

/* How many words of the chain are frames and their marks, up to the last of `most` addresses.  As perf's
 * add_callchain_ip() has it, a mark that it does not know discards what came before it, too.  The cookie
 * of a deferred chain is an address to perf 7.3: not here. */
static uint64_t words_of(const struct pp_chain *chain, uint64_t most)
{
	uint64_t i;

	for (i = 0; i < chain->left && most; i++) {
		const uint64_t word = pp_load64(chain->at + i * sizeof(word));

		if (word < PP_CHAIN_MARKS)
			most--;
		else if (word == PP_CHAIN_USER_DEFERRED)
			return i;
		else if (!pp_chain_mode(word))
			return 0;
	}
	return i;
}

bool pp_chain_open_first(struct pp_chain *chain, const struct pp_record *rec, uint64_t most)
{
	if (!pp_chain_open_raw(chain, rec))
		return false;
	chain->left = words_of(chain, most);
	return true;
}

bool pp_chain_open(struct pp_chain *chain, const struct pp_record *rec)
{
	return pp_chain_open_first(chain, rec, UINT64_MAX);
}

/* enum perf_callchain_context of include/uapi/linux/perf_event.h.  No kernel writes the marks of guests,
 * -2048 and below, and perf takes them for damage. */
unsigned pp_chain_mode(uint64_t mark)
{
	enum { HYPERVISOR = 3 };

	switch ((int64_t)mark) {
	case -32:  return HYPERVISOR;
	case -128: return PP_MISC_KERNEL;
	case -512: return PP_MISC_USER;
	default:   return 0;
	}
}
