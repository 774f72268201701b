/* hits.c - the addresses of a record that have names: its instruction's, those of its data and branches, and
 * its callers'. */
#include <perfpipe/symbol.h>

#include <string.h>

#include <perfpipe/callchain.h>
#include <perfpipe/walk.h>

#include "model/sample_details.h"

struct hitting {
	uint32_t pid;
	pp_symbols_hit_fn *fn;
	void *arg;
	struct pp_error *error;
};

static int hit(const struct hitting *h, unsigned mode, uint64_t address)
{
	return h->fn(h->arg, h->pid, mode, &address, 1, h->error);
}

static int hit_chain(const struct hitting *h, const struct pp_record *rec)
{
	struct pp_chain chain;
	const void *addresses;
	size_t n;

	/* a damaged record is for those who read it to report */
	if (!pp_chain_open(&chain, rec))
		return 0;
	while ((n = pp_chain_run(&chain, &addresses)))
		if (h->fn(h->arg, h->pid, chain.mode, addresses, n, h->error))
			return -1;
	return 0;
}

/* Branches have no mode: addresses of the kernel are in the upper half. */
static int hit_either(const struct hitting *h, uint64_t address)
{
	return hit(h, pp_mode_of_address(address), address);
}

static int hit_fields(const struct hitting *h, const struct pp_record *rec)
{
	struct pp_cursor c;

	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE || (strcmp(c.field->name, "from") && strcmp(c.field->name, "to") &&
					  strcmp(c.field->name, "addr")))
			continue;
		if (c.value && hit_either(h, c.value))
			return -1;
	}
	return 0;
}

int pp_symbols_hits(const struct pp_record *rec, pp_symbols_hit_fn *fn, void *arg, struct pp_error *error)
{
	struct hitting h = { .fn = fn, .arg = arg, .error = error };
	const bool sample = rec->type == PP_REC_SAMPLE;
	uint32_t tid;
	uint64_t ip;

	if ((!sample && rec->type != PP_REC_CALLCHAIN_DEFERRED) || !pp_task(rec, &h.pid, &tid))
		return 0;
	if (sample && pp_ip(rec, &ip) && hit(&h, rec->misc & PP_MISC_CPUMODE, ip))
		return -1;
	if (sample && rec->attr && rec->attr->sample_type & (PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_ADDR) &&
	    hit_fields(&h, rec))
		return -1;
	return hit_chain(&h, rec);
}
