/* decompress.h - what was packed as a whole by xz, zstd or gzip, such as modules of the kernel. */
#ifndef PP_DECOMPRESS_H
#define PP_DECOMPRESS_H

#include <stdbool.h>

#include "base/array.h"
#include "image/file_finder.h"

enum { PP_UNPACKED_MOST = 1 << 29 };    /* bytes of a file */
bool pp_is_packed(const void *, size_t size);
/* Adds what it unpacks to: 1; 0: it was not packed so, is damaged or has more bytes than `most`; -1 and
 * errno: memory. */
int pp_unpack(const void *packed, size_t size, size_t most, struct pp_buffer *to);
/* The build-id in an open file, packed or not, as pp_elf_read_build_id(). */
int pp_unpacked_build_id(int fd, struct pp_id *);

#endif
