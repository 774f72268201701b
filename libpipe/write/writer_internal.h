/* writer_internal.h - what the writer tells this library alone. */
#ifndef PP_WRITER_INTERNAL_H
#define PP_WRITER_INTERNAL_H

#include <perfpipe/compress.h>
#include <perfpipe/writer.h>

struct iovec;

enum { PP_COMPRESSOR_FEATURE = 64 };  /* room for the feature COMPRESSED */

/* Whether it fills a regular file: no one waits for what comes next. */
bool pp_writer_fills_file(const struct pp_writer *);
/* Takes bytes in place of the descriptor, all of them, to keep or to write: 0, or an errno.  Without any, at
 * the end of the stream: what it has kept is to be written now. */
typedef int pp_writer_send_fn(void *arg, const struct iovec *, int n);
void pp_writer_send_by(struct pp_writer *, pp_writer_send_fn *, void *arg);
/* The number and the hash of the last seal, of one that seals and has its header. */
void pp_writer_last_seal(const struct pp_writer *, uint64_t *number, uint64_t *xxh3);
/* Has its END say so (PP_SEAL_*), whatever else its caller says; the seals before it do not. */
void pp_writer_add_end_flags(struct pp_writer *, uint32_t flags);
/* The feature COMPRESSED as a record in host order, and its size; `ratio`: how much smaller the records
 * became, or 0. */
size_t pp_compressor_announce(const struct pp_compressor *, uint32_t ratio,
			      uint8_t buf[PP_COMPRESSOR_FEATURE]);

#endif
