/* detect_format.h - what the first bytes of an input say, and what it is in turned into a stream. */
#ifndef PP_DETECT_FORMAT_H
#define PP_DETECT_FORMAT_H

#include "input/input.h"

enum pp_container { PP_CONTAINER_PIPE, PP_CONTAINER_FILE, PP_CONTAINER_ZSTD };

/* Which container begins with these 16 bytes, and a pipe's byte order; -1 and *error. */
int pp_container(const uint8_t *head, bool *foreign, struct pp_error *error);
/* Turns a perf.data file into pieces of its source, which must be seekable. */
int pp_container_file(struct pp_input *, struct pp_error *error);
/* Turns one of the bare files beside it into pieces of its source: a header, and all of it. */
int pp_container_bare(struct pp_input *, bool foreign, struct pp_error *error);
/* Says what `have` bytes are that no container knows.  Returns -1. */
int pp_container_unknown(const uint8_t *head, size_t have, struct pp_error *error);
/* Whether these 8 bytes are a stream's magic, of either byte order. */
bool pp_is_stream_magic(const uint8_t *head);
/* The 16 bytes that a stream begins with. */
void pp_stream_header(uint8_t header[PP_PIPE_HEADER], bool foreign);

/* Whose writer did some things in its own way. */
enum pp_dialect { PP_DIALECT_NONE, PP_DIALECT_GOOGLE, PP_DIALECT_SIMPLEPERF, PP_DIALECT_HIPERF };
/* The bits of a file's features show who wrote it: no others use those from 128 on. */
enum pp_dialect pp_dialect_of(const uint64_t features[4]);

/* A number, in the byte order of the producer: "PERFILE2", or "2ELIFREP". */
static const uint64_t PP_MAGIC = UINT64_C(0x32454c4946524550);
#define PP_MAGIC_V1 "PERFFILE"        /* version 1: the same in either order */

#endif
