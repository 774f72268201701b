/* restore.h - a stream from records that were made, in either byte order, with new seals. */
#ifndef PERFPIPE_RESTORE_H
#define PERFPIPE_RESTORE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/restore.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For each seal, a new one is written that matches the bytes before it; END comes last, whatever
 * followed it.  A stream is sealed if its first record is a seal, or by YES; by NO seals become
 * plain rounds.
 */
struct pp_restore;
/* `w` must not seal itself (PP_SEAL_NO), must have written nothing, and stays the caller's. NULL:
 * out of memory */
PP_API PP_MUST_CHECK struct pp_restore *pp_restore_open(struct pp_writer *w, enum pp_sealing);
PP_API void pp_restore_close(struct pp_restore *);     /* NULL is fine */
/* These return 0, or -1 and *error, as the writer does.  The header comes first, once. */
PP_API PP_MUST_CHECK int pp_restore_header(struct pp_restore *, bool version_1, bool foreign,
					   struct pp_error *);
PP_API PP_MUST_CHECK int pp_restore_record(struct pp_restore *, const struct pp_record *,
					   struct pp_error *);
PP_API PP_MUST_CHECK int pp_restore_tail(struct pp_restore *, const void *, size_t,
					 struct pp_error *);
/* Writes the END if the stream is sealed and had one, or by YES, or if a flag is DAMAGED, with the
 * flags of the former END and these.  Then flushes. */
PP_API PP_MUST_CHECK int pp_restore_end(struct pp_restore *, uint32_t flags, struct pp_error *);
/* The flags of all seals so far. */
PP_API uint32_t pp_restore_flags(const struct pp_restore *);
/* Whether the first record was a seal; and whether there was no END although it was. */
PP_API bool pp_restore_was_sealed(const struct pp_restore *);
PP_API bool pp_restore_lacks_end(const struct pp_restore *);

#ifdef __cplusplus
}
#endif

#endif
