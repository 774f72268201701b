/*
 * deferred.c - keeps user chains from when they are read until their turn comes, two rounds later, so
 * that samples before them find them.
 */
#include "unwind/deferred.h"

#include <stdlib.h>

enum { UNMET_MOST = 1 << 16 };
static const uint64_t HELD_MOST = UINT64_C(64) << 20;

static uint64_t key_of(uint32_t tid, uint64_t cookie)
{
	return (cookie * UINT64_C(0x9e3779b97f4a7c15) ^ tid) >> 1;      /* not all ones */
}

static bool whose(const struct pp_record *rec, uint32_t *tid, uint64_t *cookie)
{
	uint32_t pid;

	return pp_task(rec, &pid, tid) && pp_get_u64(rec, "cookie", cookie);
}

int pp_unwind_deferred_take(struct deferred *d, const struct pp_record *rec, struct pp_error *error)
{
	struct deferred_chain *chain;
	struct pp_chain ips;
	uint64_t cookie;
	uint32_t tid;

	if (!whose(rec, &tid, &cookie) || !pp_chain_open_raw(&ips, rec) || d->held > HELD_MOST ||
	    pp_idmap_find(&d->chains, key_of(tid, cookie)))
		return 0;
	chain = malloc(sizeof(*chain) + (size_t)ips.left * sizeof(*chain->ips));
	if (!chain || pp_idmap_set(&d->chains, key_of(tid, cookie), (uintptr_t)chain)) {
		free(chain);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	chain->cookie = cookie;
	chain->tid = tid;
	chain->n = ips.left;
	memcpy(chain->ips, ips.at, (size_t)ips.left * sizeof(*chain->ips));
	d->held += sizeof(*chain) + ips.left * sizeof(*chain->ips);
	return 0;
}

static struct deferred_chain *find(const struct deferred *d, uint32_t tid, uint64_t cookie)
{
	const uint64_t *const at = pp_idmap_find(&d->chains, key_of(tid, cookie));
	struct deferred_chain *const chain = at ? (struct deferred_chain *)(uintptr_t)*at : NULL;

	return chain && chain->tid == tid && chain->cookie == cookie ? chain : NULL;
}

bool pp_unwind_deferred_needed(struct deferred *d, const struct pp_record *rec)
{
	struct deferred_chain *chain;
	uint64_t cookie;
	uint32_t tid;
	bool needed;

	if (!whose(rec, &tid, &cookie))
		return true;
	chain = find(d, tid, cookie);
	needed = !chain || pp_idmap_find(&d->unmet, key_of(tid, cookie));
	pp_idmap_drop(&d->unmet, key_of(tid, cookie));
	if (chain) {
		d->held -= sizeof(*chain) + chain->n * sizeof(*chain->ips);
		pp_idmap_drop(&d->chains, key_of(tid, cookie));
		free(chain);
	}
	return needed;
}

bool pp_unwind_deferred_cookie(const struct pp_record *rec, uint64_t *cookie)
{
	struct pp_chain chain;

	if (!rec->attr || !pp_attr_flag(rec->attr, PP_FLAG_defer_callchain) ||
	    !pp_chain_open_raw(&chain, rec) || chain.left < 2 ||
	    pp_load64(chain.at + (chain.left - 2) * 8) != PP_CHAIN_USER_DEFERRED)
		return false;
	*cookie = pp_load64(chain.at + (chain.left - 1) * 8);
	return true;
}

const struct deferred_chain *pp_unwind_deferred_find(struct deferred *d, uint32_t tid, uint64_t cookie)
{
	const struct deferred_chain *const chain = find(d, tid, cookie);

	/* a chain whose samples are not all known stays in the stream: too much is better than too little */
	if (!chain && d->unmet.count < UNMET_MOST)
		(void)pp_idmap_set(&d->unmet, key_of(tid, cookie), 1);
	return chain;
}

void pp_unwind_deferred_close(struct deferred *d)
{
	for (size_t i = 0; i < d->chains.room; i++)
		if (d->chains.keys[i] != UINT64_MAX)
			free((void *)(uintptr_t)d->chains.values[i]);
	pp_idmap_close(&d->chains);
	pp_idmap_close(&d->unmet);
}
