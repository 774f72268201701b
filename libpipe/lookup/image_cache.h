/* image_cache.h - files that were read, kept open while they fit in memory: names of offsets in them. */
#ifndef PP_IMAGE_CACHE_H
#define PP_IMAGE_CACHE_H

#include <perfpipe/symbol.h>

#include "image/elf_image.h"

struct pp_image_cache;
/* Options, their strings and the finder outlive it.  NULL: memory. */
struct pp_image_cache *pp_image_cache_new(const struct pp_symbols_options *, struct pp_finder *);
void pp_image_cache_free(struct pp_image_cache *);          /* NULL is fine */

/* What is asked of one file. */
struct pp_asked {
	size_t number;                /* the caller's for the file, from 0: what is read is kept under it */
	struct pp_named_file of;
	uint32_t pid;                 /* of a process that has it mapped */
	uint64_t recorded_by;         /* of a file, as in struct pp_wanted_file */
	bool named;                   /* they have names: only debug information can tell more */
	const uint64_t *offsets;      /* that ascend */
	size_t n;
};
/* Called with what is at an offset that was asked for, and at all others of an extent around it, for which
 * it is not called again; ->count 0: there is no name.  All is gone after the call.  0, or -1 and *error. */
typedef int pp_answer_fn(void *arg, const struct pp_named *, const struct pp_named_frame *, uint32_t flags,
			 const struct pp_address_range *, struct pp_error *);
struct pp_answered { pp_answer_fn *put; void *arg; };
/* Beside PP_NAMES_: after the functions there is one more frame, for the data that the instruction accesses:
 * its type, "" where that is not known, and as file and line the member and offset; with ->inlined, what
 * stands instead of a type.  It is for no stream. */
enum { PP_ANSWER_DATA = 1 << 30 };
/* Opens the file, if it was not, and looks up.  0, or -1 and *error: memory, I/O, or what `put` says. */
int pp_image_cache_names(struct pp_image_cache *, const struct pp_asked *, const struct pp_answered *,
			 struct pp_error *);
/* The same in a table of symbols, where addresses are offsets plus `base`. */
int pp_image_cache_symbols(struct pp_image_cache *, const struct pp_symtab *, uint64_t base,
			   const struct pp_asked *,
			   const struct pp_answered *, struct pp_error *);

#endif
