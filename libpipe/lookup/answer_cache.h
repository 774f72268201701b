/* answer_cache.h - what files said of offsets in them, kept from one run to the next while nothing of what
 * was found for them has changed. */
#ifndef PP_ANSWER_CACHE_H
#define PP_ANSWER_CACHE_H

#include "lookup/image_cache.h"

struct pp_answer_cache;
/* In options->cache, which with the other options and the finder outlives it.  NULL: memory. */
struct pp_answer_cache *pp_answer_cache_new(const struct pp_symbols_options *, struct pp_finder *);
/* Keeps what is new.  NULL is fine. */
void pp_answer_cache_free(struct pp_answer_cache *);

/* Hands out what is known from another run, and leaves in *rest what is not, whose offsets stay there until
 * the next call; what comes of them is noted.  The file's path outlives all.  0, or -1 and *error: memory, or
 * what `put` says. */
int pp_answer_cache_names(struct pp_answer_cache *, const struct pp_asked *, const struct pp_answered *,
			  struct pp_asked *rest, struct pp_error *);
/* Whether a build-id is asked for to see if what is kept holds: then files are not read for that. */
bool pp_answer_cache_at_work(const struct pp_answer_cache *);
/* As pp_elf_read_build_id() said when it was kept: -1 and EPIPE, where that was of another file. */
int pp_answer_cache_identify(struct pp_answer_cache *, int fd, struct pp_id *);

/* What came of the last ones: the build-id of a file that was looked at, as pp_elf_read_build_id(); an
 * answer. */
void pp_answer_cache_identified(struct pp_answer_cache *, int fd, int result, const struct pp_id *);
void pp_answer_cache_note(struct pp_answer_cache *, const struct pp_named *, const struct pp_named_frame *,
			  uint32_t flags, const struct pp_address_range *);
/* More than answers, as what was said, or not all of them: nothing of this file is kept. */
void pp_answer_cache_spoil(struct pp_answer_cache *);

#endif
