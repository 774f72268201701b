/* callchain.c - where a record has its call chain, and what the marks in it say. */
#include <perfpipe/callchain.h>

bool pp_chain_open(struct pp_chain *chain, const struct pp_record *rec)
{
	size_t size;

	chain->mode = rec->misc & PP_MISC_CPUMODE;
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

/* enum perf_callchain_context of include/uapi/linux/perf_event.h */
unsigned pp_chain_mode(uint64_t mark)
{
	enum { HYPERVISOR = 3 };

	switch ((int64_t)mark) {
	case -32:   return HYPERVISOR;
	case -128:  return PP_MISC_KERNEL;
	case -512:  return PP_MISC_USER;
	case -2048: return PP_MISC_GUEST_KERNEL;    /* PERF_CONTEXT_GUEST */
	case -2176: return PP_MISC_GUEST_KERNEL;
	case -2560: return PP_MISC_GUEST_USER;
	default:    return 0;
	}
}
