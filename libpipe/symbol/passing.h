/* passing.h - names that a stream has, to be written again as they are, and the files they are of. */
#ifndef SYMBOL_PASSING_H
#define SYMBOL_PASSING_H

#include <perfpipe/symbol.h>

#include "symbol/names_builder.h"

/* The number of a file, as pp_symbols_at() says it: 0, or -1: memory. */
int pp_symbols_file(struct pp_symbols *, const struct pp_named_file *, uint32_t *file);
/* The file of such a number, as long as nothing is noted or looked up. */
const struct pp_named_file *pp_symbols_named(const struct pp_symbols *, uint32_t file);
/* The number of the file that such a one was found to be meanwhile, once more was known of it; or its own. */
uint32_t pp_symbols_same(const struct pp_symbols *, uint32_t file);
/* Which file an address is in, as pp_symbols_at() says it, and where in it, without its names; of no file, 0,
 * that is the address.  1; 0: only pp_symbols_at() can say it; -1: memory. */
int pp_symbols_where(struct pp_symbols *, uint32_t pid, unsigned cpumode, uint64_t address, uint32_t *file,
		     uint64_t *offset);
/* How many bytes the names of a place take in a record at most, without what is said of its file; 0: the
 * stream has none. */
size_t pp_symbols_bytes(struct pp_symbols *, uint32_t file, uint64_t offset);
/* What is said of a file, at most. */
size_t pp_symbols_file_bytes(const struct pp_symbols *, uint32_t file);
/* Adds what the stream says of a place, if anything, to what is packed.  0, or -1 and *error. */
int pp_symbols_pass(struct pp_symbols *, uint32_t file, uint64_t offset, struct pp_packing *,
		    struct pp_error *);

#endif
