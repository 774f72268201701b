/* passing.h - names that a stream has, to be written again as they are, and the files they are of. */
#ifndef SYMBOL_PASSING_H
#define SYMBOL_PASSING_H

#include <perfpipe/symbol.h>

#include "image/file_finder.h"
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
/*
 * Where the function begins and ends that an offset in a file is in, as this machine's file has it: 1; 0: it
 * has none, or is not here; -1 and *error.  Only before pp_symbols_want_lines(), since parts of a function
 * have lines.
 */
int pp_symbols_extent(struct pp_symbols *, uint32_t file, uint64_t offset, uint64_t *start, uint64_t *end,
		      struct pp_error *);
/* Inlined functions and lines, with whole paths, are asked for from now on, whatever the options said; what
 * files said is forgotten.  0, or -1 and *error: memory. */
int pp_symbols_want_lines(struct pp_symbols *, struct pp_error *);
/* As pp_symbols_want(), of an offset in a file: 0, or -1: memory. */
int pp_symbols_want_place(struct pp_symbols *, uint32_t file, uint64_t offset);
/* As pp_symbols_later(), but what is not known is asked for: 1, 0, or -1 and *error. */
int pp_symbols_name(struct pp_symbols *, uint32_t file, uint64_t offset, struct pp_location *,
		    struct pp_error *);
/* The file of such a number, to be found by who has a finder. */
void pp_symbols_wanted(const struct pp_symbols *, uint32_t file, struct pp_wanted_file *);
/* How many bytes the names of a place take in a record at most, without what is said of its file; 0: the
 * stream has none. */
size_t pp_symbols_bytes(struct pp_symbols *, uint32_t file, uint64_t offset);
/* What is said of a file, at most. */
size_t pp_symbols_file_bytes(const struct pp_symbols *, uint32_t file);
/* Adds what the stream says of a place, if anything, to what is packed.  0, or -1 and *error. */
int pp_symbols_pass(struct pp_symbols *, uint32_t file, uint64_t offset, struct pp_packing *,
		    struct pp_error *);

#endif
