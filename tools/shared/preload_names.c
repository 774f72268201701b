/* preload_names.c - reads a file for its names alone, before anything else. */
#include "shared/preload_names.h"

struct ahead {
	struct pp_symbols *symbols;
	bool any;                     /* there were names */
};

/* Where a sample comes before all names, there is nothing to learn of what follows. */
static int learn(struct run *run, const struct pp_record *rec, void *arg)
{
	struct ahead *const ahead = arg;

	if (rec->type == PP_REC_SAMPLE)
		return !ahead->any;
	if (rec->type != PP_REC_FINISHED_ROUND || !pp_is_names(rec))
		return 0;
	ahead->any = true;
	return pp_symbols_learn(ahead->symbols, rec, &run->error) &&
	       pp_error_status(&run->error) != EXIT_DAMAGED ? -1 : 0;
}

int ahead_learn(struct run *run, struct pp_symbols *symbols)
{
	struct ahead ahead = { .symbols = symbols };

	if (run_look_ahead(run, learn, &ahead) >= 0)
		return ahead.any;
	return run->error.code == PP_E_USE ? 0 : -1;
}
