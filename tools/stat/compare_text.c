/* compare_text.c - how two sides differ, as text for people. */
#include "stat/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { VALUE = 18, UNIT = 6, NAME = 32, PLACE = 20 };

/* As many digits as say something: counts are whole, their means and rates need not be. */
static void put_compared_value(const struct view *r, double value, bool is_time)
{
	const int digits = is_time ? 6 : fabs(value) < 1000 && value != floor(value) ? 3 : 0;
	char apart[] = "%'*.*f ";             /* POSIX has the ', ISO C has not */

	if (isnan(value))
		form_put(r, "%*s ", VALUE, "<not counted>");
	else if (r->big_numbers)
		form_put(r, apart, VALUE, digits, value);
	else
		form_put(r, "%*.*f ", VALUE, digits, value);
}

static void put_percent(const struct view *r, const struct difference *d)
{
	const double whole = fabs(d->before) / 100;

	if (isnan(d->is.value) || !(whole > 0)) {
		form_put(r, "%9s ", isnan(d->is.value) ? "" : "-");
		return;
	}
	form_put(r, "%+8.2f%% ", d->is.value / whole);
	if (isfinite(d->is.half))
		form_put(r, "(%+.2f%% to %+.2f%%) ", (d->is.value - d->is.half) / whole,
			 (d->is.value + d->is.half) / whole);
}

/* "worse (10 pairs)", of what was measured so often on either side */
static void put_verdict(const struct view *r, const struct compared *item, const struct difference *d)
{
	const struct pp_spread *const of = d->basis == BASIS_INTERVALS ? item->rates : item->runs;
	const char *const what = compare_basis_name(d->basis);

	if (d->basis == BASIS_TOTALS) {
		pp_out_text(r->out, "too few measurements");
		return;
	}
	pp_out_text(r->out, d->verdict == VERDICT_UNKNOWN ? "no significant difference" :
			    compare_verdict_name(d->verdict));
	if (d->basis == BASIS_PAIRS)
		form_put(r, " (%" PRIu64 " %s)", (uint64_t)item->pairs.n, what);
	else if (of[0].n == of[1].n)
		form_put(r, " (%" PRIu64 " %s each)", (uint64_t)of[0].n, what);
	else
		form_put(r, " (%" PRIu64 " and %" PRIu64 " %s)", (uint64_t)of[0].n, (uint64_t)of[1].n, what);
}

static void put_item(const struct view *r, const struct comparison *c, const struct compared *item)
{
	const struct difference d = compare_result(c, item);
	char unit[32];

	if (isnan(d.before) && isnan(d.after))
		return;
	if (r->table.by != PP_COUNT_GLOBAL)
		form_text_in(r, item->place, -PLACE);
	put_compared_value(r, d.before, item->is_time);
	put_compared_value(r, d.after, item->is_time);
	(void)snprintf(unit, sizeof(unit), "%.20s%s", item->unit, d.basis == BASIS_INTERVALS ? "/s" : "");
	form_text_in(r, unit, -UNIT);
	pp_out_char(r->out, ' ');
	form_text_in(r, item->event, -NAME);
	if (*item->cgroup) {
		pp_out_char(r->out, ' ');
		form_text_in(r, item->cgroup, 0);
	}
	put_percent(r, &d);
	put_verdict(r, item, &d);
	pp_out_char(r->out, '\n');
}

void difference_text(const struct view *r, const struct comparison *c)
{
	pp_out_text(r->out, "\n Difference from ");
	form_text_in(r, c->titles[0], 0);
	pp_out_text(r->out, " to ");
	form_text_in(r, c->titles[1], 0);
	pp_out_text(r->out, ", with 95 % confidence:\n\n");
	for (size_t i = 0; i < c->n; i++)
		put_item(r, c, &c->items[i]);
	pp_out_text(r->out, "\n\n");
}
