/* changed.h - when a file was changed, where this machine's clock said so. */
#ifndef PP_CHANGED_H
#define PP_CHANGED_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* In ns of the clock of the wall; 0: not known, as on the file systems of other machines, whose clock may be
 * wrong here.  That of the contents can be set back by any program, that of the inode by none. */
uint64_t pp_changed_contents(int fd);
uint64_t pp_changed_inode(const struct stat *, const struct statfs *);

#endif
