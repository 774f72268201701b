/* repeats.c - decides how often the command is run: a number of times, or until it is known well enough
 * what it takes. */
#include "count/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum {
	USUAL = 10,                   /* runs of each that is compared */
	LIMIT = 1000,                 /* runs until the interval is narrow */
	LEAST = 3,                    /* before it is believed */
};

const char *parse_repeat(void *target, const char *value)
{
	struct command_repeats *const r = target;

	r->given = true;
	return cli_u64(&r->most, value);
}

const char *parse_until(void *target, const char *value)
{
	struct command_repeats *const r = target;
	char *end;

	r->narrow = strtod(value, &end) / 100;
	if (end == value || *end != '%' || !(r->narrow > 0) || r->narrow > 1)
		return "is not a share of the mean: use 1%, or 1%,EVENT";
	if (!end[1])
		return NULL;
	r->event = end + 2;
	return end[1] == ',' && *r->event ? NULL : "is not a share of the mean: use 1%, or 1%,EVENT";
}

void repeats_settle(struct command_repeats *r, char **sides)
{
	if (!r->given)
		r->most = r->narrow > 0 ? LIMIT : r->compares ? USUAL : 1;
	for (size_t i = 0; r->compares && i < SIDES; i++)
		turn_words(r->command[i], sides[i]);
}

size_t repeats_side(const struct command_repeats *r)
{
	return r->compares ? turn_side(r->runs) : 0;
}

static bool is_narrow(const struct command_repeats *r, const struct pp_spread *s)
{
	return s->n >= LEAST && pp_spread_half(s) <= r->narrow * fabs(s->mean);
}

bool repeats_done(struct command_repeats *r, const struct pp_counting *c,
		  const struct pp_counting_result *result)
{
	const uint64_t sides = r->compares ? SIDES : 1;
	double value = (double)result->elapsed;

	if (r->event && !pp_counting_value(c, r->event, &value))
		cli_die(EXIT_SYSTEM, "--until-ci: no event %s was counted", r->event);
	pp_spread_add(&r->spread[repeats_side(r)], value);
	r->runs++;
	if (r->runs % sides)
		return false;
	if (r->most && r->runs >= r->most * sides)
		return true;
	if (!(r->narrow > 0))
		return false;
	for (size_t i = 0; i < sides; i++)
		if (!is_narrow(r, &r->spread[i]))
			return false;
	return true;
}

void repeats_say(const struct command_repeats *r)
{
	for (size_t i = 0; r->narrow > 0 && i < (r->compares ? SIDES : 1); i++) {
		const struct pp_spread *const s = &r->spread[i];
		const double share = s->mean > 0 ? pp_spread_half(s) / s->mean * 100 : 0;

		if (is_narrow(r, s))
			cli_note("%s within %.2f %% after %llu runs", r->event ? r->event : "time", share,
				 (unsigned long long)s->n);
		else if (s->n > 1)
			cli_warn("%s is known within %.2f %% only, after %llu runs",
				 r->event ? r->event : "the time", share, (unsigned long long)s->n);
	}
}
