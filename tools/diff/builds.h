/* builds.h - builds of what both sides should have alike: shared objects, the kernel, its modules. */
#ifndef DIFF_BUILDS_H
#define DIFF_BUILDS_H

#include "diff/recordings.h"

/* Takes the build-id that a record gives a file, if it does, of the recording that was named as the
 * `place`-th of n. */
void builds_note(const struct pp_record *, size_t place, size_t n);
/* Warns of files whose build is one on the first side, and another on the second.  Empty again then. */
void builds_compare(const struct diff_recording *, size_t n);

#endif
