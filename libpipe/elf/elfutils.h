/* elfutils.h - libelf, libdw and liblzma, which the shared library loads when they are first needed. */
#ifndef ELF_ELFUTILS_H
#define ELF_ELFUTILS_H

#include <perfpipe/error.h>

/* Has them loaded: before they are called, and before the process gives up opening files.  Most of what is
 * done with a stream needs none of the three, and a stage that does not load them starts sooner.  0, or -1
 * and *error.  Always 0 if they were linked. */
int pp_elfutils_load(struct pp_error *error);

#endif
