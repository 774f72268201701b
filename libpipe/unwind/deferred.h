/* deferred.h - user chains that the kernel records after the sample, when the task returns to user
 * mode, and the samples that wait for them. */
#ifndef UNWIND_DEFERRED_H
#define UNWIND_DEFERRED_H

#include <perfpipe/perfpipe.h>

#include "base/hash.h"

struct deferred_chain {
	uint64_t cookie, n;
	uint32_t tid;
	uint64_t ips[];
};
/* All zero is empty. */
struct deferred {
	struct pp_idmap chains;       /* by thread and cookie: those that came, and have not had their turn */
	struct pp_idmap unmet;        /* likewise: samples went without their chain */
	uint64_t held;                /* bytes */
};
/* Takes a CALLCHAIN_DEFERRED as it comes, before it is its turn.  0, -1 and *error: memory. */
int pp_unwind_deferred_take(struct deferred *, const struct pp_record *, struct pp_error *);
/* Its turn has come: whether samples went without it, so that it has to stay in the stream. */
bool pp_unwind_deferred_needed(struct deferred *, const struct pp_record *);
/* Whether a sample's chain comes later, and the cookie. */
bool pp_unwind_deferred_cookie(const struct pp_record *, uint64_t *cookie);
/* The chain for it, or NULL: it did not come in time, which is remembered. */
const struct deferred_chain *pp_unwind_deferred_find(struct deferred *, uint32_t tid, uint64_t cookie);
void pp_unwind_deferred_close(struct deferred *);

#endif
