/* trust.h - whose symbolic links and fifos an output may go through. */
#ifndef PP_TRUST_H
#define PP_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * The path without symbolic links, whether there is such a file or not; to be freed.  A link is
 * followed, and a fifo is written, only if it belongs to the user or to the owner of the folder
 * that it is in: in a folder like /tmp anybody can have put it there (what fs.protected_symlinks
 * and its like forbid, whatever they are set to).  NULL and *why, which is to be freed, where it
 * belongs to another; NULL and errno, *why NULL, on an error of the system.  Links of /proc lead
 * where the kernel says, and a descriptor's name stays.
 */
char *trust_resolve(const char *path, char **why);

/*
 * /dev/stdout and its like: a descriptor that we have, shared with those who gave it.
 * Opened as a path, it would start again at byte 0, over what is there.
 */
bool trust_is_descriptor(const char *path, int *fd);

/* Does it belong to the user alone?  Not where another can have given the user's file this name, too. */
bool trust_is_own(const struct stat *);

/*
 * Opens what trust_resolve() returned for writing: a new file, or what is there and was `was`.
 * A descriptor, or -1 and errno.
 */
int trust_create(const char *path, mode_t mode);
int trust_open(const char *path, const struct stat *was);

#endif
