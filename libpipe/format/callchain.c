/* callchain.c - where a record has its call chain, what the marks in it say, and whether it is to be
 * believed. */
#include <perfpipe/callchain.h>

enum { WORD = sizeof(uint64_t) };

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
	chain->left = chain->at ? size / WORD : 0;
	return chain->at != NULL;
}

static bool is_address(const uint8_t *word)
{
	return pp_load64(word) < PP_CHAIN_MARKS;
}

/* The first word in [at, end) that is a mark, or else the end. */
static const uint8_t *find_mark(const uint8_t *at, const uint8_t *end)
{
	while (at < end && is_address(at))
		at += WORD;
	return at;
}

/* How many words of the chain are frames and their marks, up to the last of `most` addresses.  As perf's
 * add_callchain_ip() has it, a mark that it does not know discards what came before it, too.  The cookie
 * of a deferred chain is an address to perf 7.3: not here. */
static uint64_t words_of(const struct pp_chain *chain, uint64_t most)
{
	const uint8_t *const all = chain->at + chain->left * WORD;
	const uint8_t *end = most < chain->left ? chain->at + most * WORD : all;

	for (const uint8_t *at = chain->at; (at = find_mark(at, end)) < end; at += WORD) {
		const uint64_t mark = pp_load64(at);

		if (mark == PP_CHAIN_USER_DEFERRED)
			end = at;
		else if (!pp_chain_mode(mark))
			return 0;
		else if (end < all)
			end += WORD;        /* a mark does not count */
	}
	return (size_t)(end - chain->at) / WORD;
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

size_t pp_chain_run(struct pp_chain *chain, const void **addresses)
{
	const uint8_t *const all = chain->at + chain->left * WORD;
	const uint8_t *at = chain->at, *end;

	for (; at < all && !is_address(at); at += WORD)
		chain->mode = pp_chain_mode(pp_load64(at));
	end = find_mark(at, all);
	chain->at = end;
	chain->left = (size_t)(all - end) / WORD;
	*addresses = at;
	return (size_t)(end - at) / WORD;
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
