/* distributions.c - how the weights of an entry's samples are spread: what was counted in buckets, and the
 * quantiles of it. */
#include "report/hist.h"

#include <stdlib.h>
#include <string.h>

static const struct pp_weight_range nothing = { UINT64_MAX, 0 };

static uint64_t key_of(uint32_t group, uint32_t bucket)
{
	return (uint64_t)group * PP_BUCKETS + bucket;
}

static void widen_range(struct pp_weight_range *to, const struct pp_weight_range *by)
{
	to->least = by->least < to->least ? by->least : to->least;
	to->most = by->most > to->most ? by->most : to->most;
}

static int count_in_bucket(struct pp_distributions *d, uint64_t key, uint64_t count, struct pp_error *error)
{
	uint64_t *const known = pp_idmap_find(&d->counts, key);

	if (!known)
		return pp_idmap_set(&d->counts, key, count) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	pp_hist_add(known, count);
	return 0;
}

int pp_hist_new_range(struct pp_report *r, size_t group, struct pp_error *error)
{
	struct pp_distributions *const d = &r->distributions;

	if (PP_GROW(&d->ranges, &d->ranges_room, group + 1, error))
		return -1;
	d->ranges[group] = nothing;
	return 0;
}

int pp_hist_note_weight(struct pp_report *r, uint32_t group, uint64_t weight, struct pp_error *error)
{
	const struct pp_weight_range one = { weight, weight };

	widen_range(&r->distributions.ranges[group], &one);
	return count_in_bucket(&r->distributions, key_of(group, pp_bucket_of(weight)), r->parts, error);
}

int pp_hist_move_weights(struct pp_report *r, struct pp_distributions *was, const uint32_t *moved, size_t n,
			 struct pp_error *error)
{
	struct pp_distributions *const d = &r->distributions;
	int status = 0;

	for (size_t i = 0; i < n; i++)
		widen_range(&d->ranges[moved[i]], &was->ranges[i]);
	for (size_t at = 0; !status && at < was->counts.room; at++) {
		const uint64_t key = was->counts.keys[at];

		if (key != UINT64_MAX && was->counts.values[at])
			status = count_in_bucket(d, key_of(moved[key / PP_BUCKETS],
							   (uint32_t)(key % PP_BUCKETS)),
						 was->counts.values[at], error);
	}
	return status;
}

uint64_t pp_hist_weights_size(const struct pp_report *r)
{
	const struct pp_distributions *const d = &r->distributions;

	return !d->asked ? 0 : d->counts.room * 2 * sizeof(uint64_t) + d->counts.count * sizeof(*d->cells) +
			       r->groups.n * (sizeof(*d->ranges) + sizeof(*d->sums_of));
}

/* ---- of entries ---- */

static void forget_cells(struct pp_distributions *d)
{
	free(d->sums_of);
	free(d->cells);
	d->sums_of = NULL;
	d->cells = NULL;
	d->n_cells = 0;
}

void pp_hist_close_distributions(struct pp_distributions *d)
{
	forget_cells(d);
	pp_idmap_close(&d->counts);
	free(d->ranges);
}

int pp_hist_begin_spreads(struct pp_report *r, struct pp_error *error)
{
	forget_cells(&r->distributions);
	if (!r->distributions.asked)
		return 0;
	r->distributions.sums_of = calloc(r->groups.n + 1, sizeof(*r->distributions.sums_of));
	return r->distributions.sums_of ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

static int by_entry(const void *a, const void *b)
{
	const struct pp_bucket_cell *const x = a, *const y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->sums != y->sums)
		return x->sums < y->sums ? -1 : 1;
	return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

/* The buckets of all entries, each once. */
static int collect_cells(const struct pp_report *r, struct pp_distributions *d, struct pp_error *error)
{
	size_t n = 0;

	d->cells = calloc(d->counts.count + 1, sizeof(*d->cells));
	if (!d->cells)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t at = 0; at < d->counts.room; at++) {
		const uint64_t key = d->counts.keys[at];

		if (key == UINT64_MAX || !d->counts.values[at] || !d->sums_of[key / PP_BUCKETS])
			continue;
		d->cells[d->n_cells++] = (struct pp_bucket_cell){
			r->groups.items[key / PP_BUCKETS].event, d->sums_of[key / PP_BUCKETS],
			(uint32_t)(key % PP_BUCKETS), d->counts.values[at],
		};
	}
	qsort(d->cells, d->n_cells, sizeof(*d->cells), by_entry);
	for (size_t i = 0; i < d->n_cells; i++) {
		if (n && !by_entry(&d->cells[n - 1], &d->cells[i]))
			pp_hist_add(&d->cells[n - 1].count, d->cells[i].count);
		else
			d->cells[n++] = d->cells[i];
	}
	d->n_cells = n;
	return 0;
}

/* The least weight that at least this part of all samples do not exceed: the nearest rank. */
static uint64_t quantile(const struct pp_weight_spread *s, const struct pp_bucket_cell *cells,
			 unsigned percent)
{
	uint64_t all = 0, sum = 0, wanted, middle;
	size_t i = 0;

	for (size_t k = 0; k < s->count; k++)
		pp_hist_add(&all, cells[k].count);
	wanted = all / 100 * percent + (all % 100 * percent + 99) / 100;
	for (;; i++) {
		pp_hist_add(&sum, cells[i].count);
		if (sum >= wanted || i + 1 == s->count)
			break;
	}
	middle = pp_bucket_low(cells[i].bucket) +
		 (pp_bucket_high(cells[i].bucket) - pp_bucket_low(cells[i].bucket)) / 2;
	return middle < s->least ? s->least : middle > s->most ? s->most : middle;
}

static int make_spreads(struct pp_report *r, struct pp_hist_event *e, struct pp_error *error)
{
	e->spreads = calloc(e->n_sums + 1, sizeof(*e->spreads));
	if (!e->spreads)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < e->n_sums; i++) {
		e->spreads[i].least = UINT64_MAX;
		e->sums[i].spread = &e->spreads[i];
	}
	for (size_t i = 0; i < r->groups.n; i++) {
		const uint32_t sums = r->distributions.sums_of[i];
		struct pp_weight_spread *const s = sums ? &e->spreads[sums - 1] : NULL;
		struct pp_weight_range range;

		if (!sums || &r->tables.events[r->groups.items[i].event] != e)
			continue;
		range = (struct pp_weight_range){ s->least, s->most };
		widen_range(&range, &r->distributions.ranges[i]);
		s->least = range.least;
		s->most = range.most;
	}
	return 0;
}

int pp_hist_make_spreads(struct pp_report *r, struct pp_error *error)
{
	struct pp_distributions *const d = &r->distributions;

	if (!d->asked)
		return 0;
	if (collect_cells(r, d, error))
		return -1;
	for (size_t i = 0; i < r->tables.n_events; i++)
		if (make_spreads(r, &r->tables.events[i], error))
			return -1;
	for (size_t i = 0; i < d->n_cells; i++) {
		struct pp_weight_spread *const s =
			&r->tables.events[d->cells[i].event].spreads[d->cells[i].sums - 1];

		s->first = s->count ? s->first : i;
		s->count++;
	}
	for (size_t i = 0; i < d->n_cells; i++) {
		struct pp_weight_spread *const s =
			&r->tables.events[d->cells[i].event].spreads[d->cells[i].sums - 1];

		if (s->first != i)
			continue;
		s->p50 = quantile(s, d->cells + i, 50);
		s->p90 = quantile(s, d->cells + i, 90);
		s->p99 = quantile(s, d->cells + i, 99);
	}
	return 0;
}

/* ---- what is shown ---- */

static const struct pp_weight_spread *spread_of(const struct pp_report *r, size_t event, size_t entry)
{
	const struct pp_hist_event *const e = pp_hist_event_at(r, event);

	return pp_hist_sums(e, &e->entries[e->sorted[entry]])->spread;
}

size_t pp_report_buckets(const struct pp_report *r, size_t event, size_t entry)
{
	const struct pp_weight_spread *const s = spread_of(r, event, entry);

	return s ? s->count : 0;
}

void pp_report_bucket(const struct pp_report *r, size_t event, size_t entry, size_t bucket,
		      struct pp_report_bucket *of)
{
	const struct pp_bucket_cell *const cell =
		&r->distributions.cells[spread_of(r, event, entry)->first + bucket];

	*of = (struct pp_report_bucket){
		pp_bucket_low(cell->bucket), pp_bucket_high(cell->bucket), pp_hist_whole(r, cell->count),
	};
}
