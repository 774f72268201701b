/* changed.h - when a file was changed, where this machine's clock said so. */
#ifndef PP_CHANGED_H
#define PP_CHANGED_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Its contents, in ns of the clock of the wall; 0: not known, as on the file systems of other machines, whose
 * clock may be wrong here, and of what is no regular file. */
uint64_t pp_changed(const struct stat *, const struct statfs *);
uint64_t pp_changed_file(int fd);

#endif
