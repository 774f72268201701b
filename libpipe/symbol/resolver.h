/* resolver.h - from files to names: what this machine knows of offsets in a file, a kernel or a process's
 * code.  Which file and offset an address has is symbols.c's. */
#ifndef PP_RESOLVER_H
#define PP_RESOLVER_H

#include <perfpipe/symbol.h>

#include "lookup/image_cache.h"

struct pp_engine;
/* Options and their strings outlive it.  NULL: memory. */
struct pp_engine *pp_engine_new(const struct pp_symbols_options *);
void pp_engine_free(struct pp_engine *);        /* NULL is fine */
/* 0, or -1 and *error: memory, I/O, or what `put` says. */
int pp_engine_names(struct pp_engine *, const struct pp_asked *, const struct pp_answered *,
		    struct pp_error *);
/* Where the recorded kernel, which is of this one's release, had its symbol _text; 0: it is of another
 * release, or that is not known. */
void pp_engine_recorded_kernel(struct pp_engine *, uint64_t text);
/* Whether it had that where this boot has it: then it is the running kernel, whether or not a stream has its
 * build-id. */
bool pp_engine_same_boot(struct pp_engine *);
uint64_t pp_engine_files(const struct pp_engine *);
/* PP_ISOLATED_ as in pp_symbols_stats. */
unsigned pp_engine_isolated(const struct pp_engine *);

#endif
