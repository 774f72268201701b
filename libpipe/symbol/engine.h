/* engine.h - from files to names: what this machine knows of offsets in a file, a kernel or a process's
 * code.  Which file and offset an address has is symbols.c's. */
#ifndef SYMBOL_ENGINE_H
#define SYMBOL_ENGINE_H

#include <perfpipe/symbol.h>

#include "symbol/files.h"

struct pp_engine;
/* Options and their strings outlive it.  NULL: memory. */
struct pp_engine *pp_engine_new(const struct pp_symbols_options *);
void pp_engine_free(struct pp_engine *);        /* NULL is fine */
/* Called for each offset that has a name; all is gone after the call.  0, or -1 and *error. */
typedef int pp_engine_put(void *arg, const struct pp_named *, const struct pp_named_frame *,
			  uint32_t flags, struct pp_error *);
/*
 * Looks up offsets of one file.  `number` is the caller's for it, from 0: what is read is kept under
 * it; `pid` is a process that has it mapped.  0, or -1 and *error: memory, or what `put` says.
 */
int pp_engine_names(struct pp_engine *, size_t number, const struct pp_named_file *of, uint32_t pid,
		    const uint64_t *offsets, size_t n, pp_engine_put *put, void *arg, struct pp_error *);
/* Whether the running kernel counts as the recorded one where that has no build-id. */
void pp_engine_same_host(struct pp_engine *, bool);
uint64_t pp_engine_files(const struct pp_engine *);

#endif
