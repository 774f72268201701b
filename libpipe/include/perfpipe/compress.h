/* compress.h - records to COMPRESSED or COMPRESSED2 carriers. */
#ifndef PERFPIPE_COMPRESS_H
#define PERFPIPE_COMPRESS_H

#include <perfpipe/api.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_compressor;
/* format 1: type 81; 2: type 83.  NULL: out of memory, or a level zstd does not know. */
PP_API PP_MUST_CHECK struct pp_compressor *pp_compressor_open(int format, int level,
							      struct pp_writer *);
PP_API void pp_compressor_close(struct pp_compressor *);
/* Before anything is taken: input and output are in the other byte order. */
PP_API void pp_compressor_foreign(struct pp_compressor *);
/* Takes bytes of whole kernel records, in stream order. */
PP_API PP_MUST_CHECK int pp_compressor_put(struct pp_compressor *, const void *, size_t,
					   struct pp_error *);
/* Writes everything taken so far as carriers; call it before any plain record. */
PP_API PP_MUST_CHECK int pp_compressor_flush(struct pp_compressor *, struct pp_error *);
/* The HEADER_FEATURE COMPRESSED record that must precede the first carrier: 0/-1. */
PP_API PP_MUST_CHECK int pp_compressor_feature(struct pp_compressor *, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
