/* repeats.h - how often the command is run, and which of two that are compared. */
#ifndef COUNT_REPEATS_H
#define COUNT_REPEATS_H

#include <perfpipe/perfpipe.h>

#include "measure/turns.h"

#include <stdbool.h>

struct command_repeats {
	uint64_t most;                /* of each side; 0: no limit */
	bool given;                   /* and that was asked for */
	bool compares;
	double narrow;                /* share of the mean; 0: how narrow is not asked */
	const char *event;            /* whose interval it is; NULL: of the time */
	uint64_t runs;
	struct pp_spread spread[SIDES];
	char *command[SIDES][4];      /* of a comparison: in a shell */
};

const char *parse_repeat(void *repeats, const char *value);
const char *parse_until(void *repeats, const char *value);      /* "1%" or "1%,EVENT" */

/* Once all options are known: settles what was not asked for.  `sides`: the two commands. */
void repeats_settle(struct command_repeats *, char **sides);
/* Which side the next run is of; 0 where there is one. */
size_t repeats_side(const struct command_repeats *);
/* Takes a run in; whether it was the last. */
bool repeats_done(struct command_repeats *, const struct pp_counting *, const struct pp_counting_result *);
/* Says how wide the interval is, where it was asked for. */
void repeats_say(const struct command_repeats *);

#endif
