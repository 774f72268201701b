/*
 * multiplex_error.c - how far the estimate of an event that ran part of the time may be from the truth, by
 * how its rate changed from interval to interval.
 */
#include "stat/count.h"

#include <perfpipe/spread.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over intervals of a row: of its counts c and of the times r that it ran. */
struct sums {
	uint64_t n;                   /* intervals in which it ran */
	double c, r, enabled;
	double cc, cr, rr;            /* of products */
};

struct pp_count_bounds {
	struct sums *rows;
	size_t n, room;
	uint64_t of;                  /* intervals, for which ... */
	double student;               /* ... Student's is this: nearly all rows have as many */
};

struct pp_count_bounds *pp_count_bounds_new(void)
{
	return calloc(1, sizeof(struct pp_count_bounds));
}

void pp_count_bounds_free(struct pp_count_bounds *b)
{
	if (b)
		free(b->rows);
	free(b);
}

void pp_count_bounds_clear(struct pp_count_bounds *b)
{
	b->n = 0;
}

int pp_count_bounds_add(struct pp_count_bounds *b, const struct pp_count_table *table,
			struct pp_error *error)
{
	const size_t n = table->places * table->events;

	if (PP_GROW(&b->rows, &b->room, n, error))
		return -1;
	if (b->n != n && n)
		memset(b->rows, 0, n * sizeof(*b->rows));
	b->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct pp_count_row *const row = &table->rows[i];
		struct sums *const s = &b->rows[i];
		const double c = (double)row->raw, r = (double)row->running;

		s->enabled += (double)row->enabled;
		if (!row->running)
			continue;
		s->n++;
		s->c += c;
		s->r += r;
		s->cc += c * c;
		s->cr += c * r;
		s->rr += r * r;
	}
	return 0;
}

/* With the rate p = C / R of all counts to all time that it ran, sum (c - p r)^2 says how unlike intervals
 * are.  What was counted is sure: only the time without, 1 - R / T of all, is guessed. */
bool pp_count_bounds_of(struct pp_count_bounds *b, size_t row, double *half)
{
	const struct sums *const s = row < b->n ? &b->rows[row] : NULL;
	double rate, squares;

	if (!s || s->n < 2 || !(s->r < s->enabled))
		return false;
	rate = s->c / s->r;
	squares = s->cc - 2 * rate * s->cr + rate * rate * s->rr;
	squares = squares > 0 ? squares : 0;
	if (b->of != s->n)
		b->student = pp_student_95((double)(s->n - 1));
	b->of = s->n;
	*half = b->student * s->enabled / s->r *
		sqrt(squares * (double)s->n / (double)(s->n - 1) * (1 - s->r / s->enabled));
	return true;
}
