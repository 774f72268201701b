/* run_sizes.c - how large runs are, where they did not do the same amount of work. */
#include "gate/run_sizes.h"

#include <perfpipe/spread.h>

#include <math.h>
#include <stdlib.h>

int pp_find_run_sizes(const double *costs, size_t n, size_t runs, double sample, double *sizes,
		      struct pp_error *error)
{
	enum { ENOUGH = 20 };
	double *const logs = calloc(n + 1, (runs + 1) * sizeof(*logs)), *const away = logs + n * runs;
	size_t found = 0;

	if (!logs)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < n; i++) {
		const double *const own = costs + i * runs;
		double *const row = logs + found * runs, mean = 0;
		size_t run = 0;

		for (; run < runs && own[run] >= ENOUGH * sample; run++)
			mean += row[run] = log(own[run]);
		for (size_t r = 0; r < run; r++)
			row[r] -= mean / (double)run;
		found += run == runs;
	}
	for (size_t run = 0; run < runs && found; run++) {
		for (size_t i = 0; i < found; i++)
			away[i] = logs[i * runs + run];
		sizes[run] = exp(pp_quartiles(away, found).median);
	}
	free(logs);
	return 0;
}
