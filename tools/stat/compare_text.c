/* compare_text.c - how two sides differ, as text for people. */
#include "stat/compare.h"

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
	pp_out_text(r->out, compare_verdict_name(d.verdict));
	if (item->is_time || d.basis != BASIS_TOTALS)
		form_put(r, " (by %s)", compare_basis_name(d.basis));
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
