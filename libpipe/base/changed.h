/* changed.h - when a file was changed, where this machine's clock said so. */
#ifndef PP_CHANGED_H
#define PP_CHANGED_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* The contents of a file, in ns since 1970.  0: not known, as on a file system of another machine, whose
 * clock may be wrong, or of what is no regular file. */
uint64_t pp_changed(const struct stat *, const struct statfs *);
uint64_t pp_changed_file(int fd);
/* Anything of a file, which no program can set back: at the latest, since that clock ticks, and some file
 * systems keep seconds, or two. */
uint64_t pp_changed_anything(int fd);

#endif
