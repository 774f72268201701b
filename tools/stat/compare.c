/* compare.c - gathers what two sides counted, event by event, and judges how they differ. */
#include "stat/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELAPSED, USER, SYSTEM, TIMES };
static const char *const times[TIMES] = { "elapsed", "user", "system" };

static char *copy(const char *text)
{
	char *const made = strdup(text ? text : "");

	if (!made)
		cli_no_memory();
	return made;
}

void compare_free(struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].place);
		free(c->items[i].event);
		free(c->items[i].cgroup);
		free(c->items[i].unit);
	}
	free(c->items);
	free(c->of_row);
	free(c->titles[0]);
	free(c->titles[1]);
	*c = (struct comparison){ 0 };
}

void compare_stream(struct comparison *c, unsigned side, const char *title)
{
	free(c->of_row);
	c->of_row = NULL;
	c->rows = 0;
	free(c->titles[side]);
	c->titles[side] = copy(title);
}

/* ---- which is which ---- */

/* What a row is known by on both sides; texts are lent. */
struct key { const char *place, *event, *cgroup, *unit; unsigned copy; bool is_time; };

static bool is_same(const struct compared *item, const struct key *key)
{
	return item->is_time == key->is_time && item->copy == key->copy &&
	       !strcmp(item->event, key->event) && !strcmp(item->place, key->place) &&
	       !strcmp(item->cgroup, key->cgroup ? key->cgroup : "");
}

/* The item of this key, made if need be.  Rows mostly come in one order: that `after` is looked at first. */
static size_t find(struct comparison *c, const struct key *key, size_t after)
{
	for (size_t i = 0; i < c->n; i++) {
		const size_t at = (after + i) % c->n;

		if (is_same(&c->items[at], key))
			return at;
	}
	if (c->n == c->room) {
		c->room = c->room ? c->room * 2 : 32;
		c->items = cli_grow(c->items, c->room, sizeof(*c->items));
	}
	c->items[c->n] = (struct compared){
		.place = copy(key->place), .event = copy(key->event), .cgroup = copy(key->cgroup),
		.unit = copy(key->unit), .copy = key->copy, .is_time = key->is_time,
		.total = { NAN, NAN }, .waiting = { NAN, NAN },
	};
	return c->n++;
}

static unsigned copies_before(const struct view *r, size_t row)
{
	const size_t first = row - row % r->table.events;
	const struct pp_count_event *const e = r->table.rows[row].event;
	unsigned n = 0;

	for (size_t i = first; i < row; i++) {
		const struct pp_count_event *const other = r->table.rows[i].event;

		n += r->table.rows[i].shown && !strcmp(other->name, e->name) &&
		     !strcmp(other->cgroup ? other->cgroup : "", e->cgroup ? e->cgroup : "");
	}
	return n;
}

/* Finds the item of each row of the table, once a stream. */
static void find_rows(struct comparison *c, const struct view *r)
{
	const size_t rows = r->table.places * r->table.events;
	size_t last = c->n;

	if (c->of_row && c->rows == rows)
		return;
	free(c->of_row);
	c->of_row = cli_grow(NULL, rows + TIMES, sizeof(*c->of_row));
	c->rows = rows;
	for (size_t i = 0; i < rows; i++) {
		const struct pp_count_row *const row = &r->table.rows[i];
		char place[FORM_PLACE];

		c->of_row[i] = SIZE_MAX;
		if (!row->shown)
			continue;
		form_place(r, row, place);
		last = find(c, &(struct key){ place, row->event->name, row->event->cgroup,
			    row->event->unit, copies_before(r, i), false }, last + 1);
		c->of_row[i] = last;
	}
	for (size_t i = 0; i < TIMES; i++)
		c->of_row[rows + i] = find(c, &(struct key){ "", times[i], "", "s", 0, true }, last + 1 + i);
}

/* ---- what was measured ---- */

static double value_of(const struct pp_count_row *row)
{
	return row->value * row->event->scale;
}

static void add_run(const struct comparison *c, struct compared *item, unsigned side, double value)
{
	pp_spread_add(&item->runs[side], value);
	if (!c->pairs)
		return;
	item->waiting[side] = value;
	if (isnan(item->waiting[0]) || isnan(item->waiting[1]))
		return;
	pp_spread_add(&item->pairs, item->waiting[1] - item->waiting[0]);
	item->waiting[0] = item->waiting[1] = NAN;
}

void compare_run(struct comparison *c, unsigned side, const struct view *r,
		 const struct pp_count_run *run)
{
	const double ns[TIMES] = {
		(double)run->elapsed, run->has_usage ? (double)run->user : (double)NAN,
		run->has_usage ? (double)run->sys : (double)NAN,
	};

	find_rows(c, r);
	for (size_t i = 0; i < c->rows; i++)
		if (c->of_row[i] != SIZE_MAX && r->table.rows[i].counted)
			add_run(c, &c->items[c->of_row[i]], side, value_of(&r->table.rows[i]));
	for (size_t i = 0; i < TIMES; i++)
		if (!isnan(ns[i]))
			add_run(c, &c->items[c->of_row[c->rows + i]], side, ns[i] / 1e9);
}

void compare_interval(struct comparison *c, unsigned side, const struct view *r)
{
	const double seconds = (double)(r->table.to - r->table.from) / 1e9;

	if (!(seconds > 0))
		return;
	find_rows(c, r);
	for (size_t i = 0; i < c->rows; i++)
		if (c->of_row[i] != SIZE_MAX && r->table.rows[i].counted)
			pp_spread_add(&c->items[c->of_row[i]].rates[side],
				      value_of(&r->table.rows[i]) / seconds);
}

void compare_total(struct comparison *c, unsigned side, const struct view *r)
{
	find_rows(c, r);
	for (size_t i = 0; i < c->rows; i++)
		if (c->of_row[i] != SIZE_MAX && r->table.rows[i].counted)
			c->items[c->of_row[i]].total[side] = value_of(&r->table.rows[i]);
	if (r->table.to)
		c->items[c->of_row[c->rows + ELAPSED]].total[side] = (double)r->table.to / 1e9;
}

/* ---- what comes of it ---- */

static bool has_two(const struct pp_spread sides[2])
{
	return sides[0].n > 1 && sides[1].n > 1;
}

static enum basis basis_of(const struct comparison *c, const struct compared *item)
{
	if (c->pairs && item->pairs.n > 1)
		return BASIS_PAIRS;
	if (has_two(item->runs))
		return BASIS_RUNS;
	return has_two(item->rates) ? BASIS_INTERVALS : BASIS_TOTALS;
}

struct difference compare_result(const struct comparison *c, const struct compared *item)
{
	struct difference d = { .basis = basis_of(c, item) };
	const struct pp_spread *const of = d.basis == BASIS_INTERVALS ? item->rates : item->runs;

	if (d.basis == BASIS_TOTALS) {
		d.before = item->runs[0].n ? item->runs[0].mean : item->total[0];
		d.after = item->runs[1].n ? item->runs[1].mean : item->total[1];
		d.is = (struct pp_difference){ d.after - d.before, INFINITY, 0 };
		return d;
	}
	d.before = of[0].mean;
	d.after = of[1].mean;
	d.is = d.basis == BASIS_PAIRS ? pp_spread_paired(&item->pairs) : pp_spread_welch(&of[0], &of[1]);
	if (d.is.value > d.is.half)
		d.verdict = VERDICT_WORSE;
	else if (d.is.value < -d.is.half)
		d.verdict = VERDICT_BETTER;
	return d;
}

bool compare_is_worse(const struct comparison *c, double percent)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct difference d = compare_result(c, &c->items[i]);

		if (d.verdict == VERDICT_WORSE && d.is.value - d.is.half > fabs(d.before) * percent / 100)
			return true;
	}
	return false;
}

const char *compare_basis_name(enum basis basis)
{
	static const char *const names[] = {
		[BASIS_TOTALS] = "totals", [BASIS_INTERVALS] = "intervals", [BASIS_RUNS] = "runs",
		[BASIS_PAIRS] = "pairs",
	};

	return names[basis];
}

const char *compare_verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_UNKNOWN] = "not known", [VERDICT_WORSE] = "worse", [VERDICT_BETTER] = "better",
	};

	return names[verdict];
}
