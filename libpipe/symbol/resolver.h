/* resolver.h - from files to names: what this machine knows of offsets in a file, a kernel or a process's
 * code.  Which file and offset an address has is symbols.c's. */
#ifndef PP_RESOLVER_H
#define PP_RESOLVER_H

#include <perfpipe/symbol.h>

#include "lookup/image_cache.h"

struct pp_resolver;
/* Options and their strings outlive it.  NULL: memory. */
struct pp_resolver *pp_resolver_new(const struct pp_symbols_options *);
void pp_resolver_free(struct pp_resolver *);        /* NULL is fine */
/* 0, or -1 and *error: memory, I/O, or what `put` says. */
int pp_resolver_names(struct pp_resolver *, const struct pp_asked *, const struct pp_answered *,
		      struct pp_error *);
/* Where the recorded kernel, which is of this one's release, had its symbol _text; 0: it is of another
 * release, or that is not known. */
void pp_resolver_recorded_kernel(struct pp_resolver *, uint64_t text);
/* Whether the kernel with this build-id runs here; without one, whether it had its _text where this boot
 * has it: then it is the running one, whether or not a stream has its build-id. */
bool pp_resolver_runs(struct pp_resolver *, const struct pp_id *);
uint64_t pp_resolver_files(const struct pp_resolver *);
/* PP_ISOLATED_ as in pp_symbols_stats. */
unsigned pp_resolver_isolated(const struct pp_resolver *);

#endif
