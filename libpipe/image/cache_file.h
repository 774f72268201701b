/* cache_file.h - files in a folder of the user's that are kept from one run to the next. */
#ifndef PP_CACHE_FILE_H
#define PP_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does it, and the link that it may be, belong to the user or to root?  What others own is not believed, and
 * nothing is written there: HOME is another user's where sudo(8) and su(1) leave it so.  No file is read or
 * written in a folder that is not the user's own, or is below one of others. */
bool pp_cache_file_own(const char *folder);
/* The bytes of one that is the user's own, and that no one else may write, of `least` to `most` bytes: to be
 * unmapped; NULL: there is none. */
void *pp_cache_file_map(const char *folder, const char *name, size_t least, size_t most, size_t *size);

struct pp_cache_file_part { const void *data; size_t size; };
/* Puts a whole one there, in the place of what had that name; the folder, and the one that it is in, are made
 * if they are not there.  False: that was not to be, and the one that was there stays. */
bool pp_cache_file_write(const char *folder, const char *name, const struct pp_cache_file_part *, size_t n,
			 size_t most);
/* Removes the oldest of those whose names begin so, where all together have more bytes than that. */
void pp_cache_file_trim(const char *folder, const char *prefix, uint64_t most);

#endif
