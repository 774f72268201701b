/* run_sizes.h - how large runs are, where they did not do the same amount of work: the median of ratios. */
#ifndef GATE_RUN_SIZES_H
#define GATE_RUN_SIZES_H

#include <perfpipe/error.h>

#include <stddef.h>

/*
 * A run's size is the median, over units with enough samples in every run, of how far each is from its mean
 * over the runs: a unit that doubles makes the total larger, and all others' shares smaller; the median
 * stays.  `sizes`, one for each of the runs, stay as they are where no unit has enough; `sample`: what one
 * costs.  0, or -1 and *error: memory.
 */
int pp_find_run_sizes(const double *costs, size_t n, size_t runs, double sample, double *sizes,
		      struct pp_error *);

#endif
