/* budget.h - memory for what a stage has to keep of a stream. */
#ifndef PERFPIPE_BUDGET_H
#define PERFPIPE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The memory that all users of one stream may take together: for names, maps, waiting records. It
 * belongs to the caller, and outlives them.  What can go to a file goes there before the limit is
 * reached; what cannot (running tasks and their maps) may take PP_BUDGET_SPARE more, and then fails
 * with PP_E_LIMIT.
 */
struct pp_budget {
	uint64_t limit;               /* bytes; 0: 256 MiB */
	uint64_t held;                /* bytes in use, counted by those that keep */
	bool refused;                 /* somebody asked for more than there is */
};
#define PP_BUDGET_SPARE (UINT64_C(11) << 20)

#ifdef __cplusplus
}
#endif

#endif
