/* windows.h - what stacks weighed in parts of one recording that are equally long: its runs, where there is
 * but one. */
#ifndef DIFF_WINDOWS_H
#define DIFF_WINDOWS_H

#include <perfpipe/perfpipe.h>

/* Takes what became of a sample. */
void windows_note(const struct pp_folded *);
/* Nodes have other numbers. */
void windows_renumber(const uint32_t *places, size_t n);
/* At the end: adds each whole window as a run of what its functions cost, and takes the profile apart for
 * that.  *share: the part of the recording that a window is.  How many there are; -1 and *error: memory.  It
 * is empty again then. */
int windows_end(struct pp_profile *, const struct pp_fold *, struct pp_unit_costs *, double *share,
		struct pp_error *);

#endif
