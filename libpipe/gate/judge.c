/* judge.c - what became slower between two sides of recordings, and how sure that is. */
#include <perfpipe/spread.h>
#include <perfpipe/gate.h>

#include "base/sized_options.h"
#include "gate/moderated.h"
#include "gate/run_sizes.h"

#include <math.h>
#include <stdlib.h>

/* What is known of a unit besides its verdict. */
struct judged_unit {
	double change;                /* of logarithms */
	double variance, size;        /* of the change between two runs; samples in a run */
	double error, freedom;        /* of the change, moderated */
	struct pp_gate_unit *to;
};

struct judging {
	struct pp_gate_options how;
	size_t runs;                  /* of both sides */
	double *factors;              /* what each run is divided by */
	struct judged_unit *units;
	struct pp_expected expected;
};

/* ---- changes ---- */

/*
 * Costs are compared by their logarithms, so that a change is a factor, whatever the cost.  Of parts of a
 * run, which may have none of it, means alone say what the whole cost: they are compared in terms of the mean
 * of both sides, which is nearly the same for small changes.
 */
static double scaled(const struct judging *j, const double *costs, size_t run)
{
	const double cost = costs[run] / j->factors[run];

	return j->how.parts ? cost : log(cost + j->how.unit / 2);
}

/* From a difference of what is scaled to a change, */
static double change_of(const struct judging *j, double difference)
{
	if (!j->how.parts)
		return expm1(difference);
	return difference >= 2 ? INFINITY : difference <= -2 ? -1 : 2 * difference / (2 - difference);
}

/* and back. */
static double difference_of(const struct judging *j, double change)
{
	return j->how.parts ? 2 * change / (2 + change) : log1p(change);
}

static double own_freedom(const struct judging *j)
{
	return (double)(j->how.paired ? j->how.before - 1 : j->runs - 2);
}

/* By how much two runs, or means of so many of each side, are apart, in terms of one run's variance. */
static double apart(const struct judging *j)
{
	return j->how.paired ? 1 / (double)j->how.before :
			       1 / (double)j->how.before + 1 / (double)j->how.after;
}

static void measure_change(const struct judging *j, const double *costs, struct judged_unit *u)
{
	struct pp_spread sides[2] = { { .n = 0 } }, pairs = { .n = 0 };

	for (size_t i = 0; i < j->runs; i++)
		pp_spread_add(&sides[i >= j->how.before], scaled(j, costs, i));
	for (size_t i = 0; j->how.paired && i < j->how.before; i++)
		pp_spread_add(&pairs, scaled(j, costs, j->how.before + i) - scaled(j, costs, i));
	u->change = sides[1].mean - sides[0].mean;
	u->variance = (j->how.paired ? pairs.squares : sides[0].squares + sides[1].squares) / own_freedom(j);
	if (j->how.parts) {
		const double mean = (sides[0].mean + sides[1].mean) / 2;

		u->change /= mean > 0 ? mean : 1;
		u->variance /= mean > 0 ? mean * mean : 1;
	}
}

static double mean_of(const double *costs, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += costs[i];
	return sum / (double)n;
}

static void measure_unit(const struct judging *j, const double *costs, struct judged_unit *u,
			 struct pp_gate_unit *to)
{
	double least;

	*to = (struct pp_gate_unit){
		.before = mean_of(costs, j->how.before),
		.after = mean_of(costs + j->how.before, j->how.after),
	};
	u->to = to;
	u->size = mean_of(costs, j->runs) / j->how.unit + 0.5;
	measure_change(j, costs, u);
	/* what is counted in samples is known to a part of one, however alike the runs are */
	least = (j->how.paired ? 2 : 1) / (12 * u->size * u->size);
	u->variance = u->variance > least ? u->variance : least;
}

/* ---- verdicts ---- */

/* Against changes inside the margin, to either side. */
static double chance_of(const struct judging *j, const struct judged_unit *u)
{
	const double margin = difference_of(j, j->how.margin), away = fabs(u->change);

	return fmin(1, pp_student_tail((away - margin) / u->error, u->freedom) +
		       pp_student_tail((away + margin) / u->error, u->freedom));
}

/* `wrong`: the part of intervals that may be. */
static void put_interval(const struct judging *j, const struct judged_unit *u, double wrong)
{
	const double half = pp_student_beyond(wrong / 2, u->freedom) * u->error;

	u->to->change = change_of(j, u->change);
	u->to->low = change_of(j, u->change - half);
	u->to->high = change_of(j, u->change + half);
}

/* Of each side, so that a change of the limit would be seen in four of five comparisons. */
static uint64_t runs_that_tell(const struct judging *j, const struct judged_unit *u)
{
	const double most = 1e6, share = u->error / difference_of(j, j->how.limit);
	const double both = pp_student_beyond(0.05, u->freedom) + pp_student_beyond(0.2, u->freedom);
	const double n = ceil(both * both * share * share / apart(j) * (j->how.paired ? 1 : 2));

	return n < most ? (uint64_t)n : (uint64_t)most;
}

static void settle_verdict(const struct judging *j, const struct judged_unit *u, bool found, double wrong)
{
	const double inside = difference_of(j, j->how.limit) - fabs(u->change);

	put_interval(j, u, wrong);
	if (found)
		u->to->verdict = u->change > 0 ? PP_GATE_WORSE : PP_GATE_BETTER;
	else if (pp_student_tail(inside / u->error, u->freedom) < 0.05)
		u->to->verdict = PP_GATE_SAME;
	else
		u->to->runs = runs_that_tell(j, u);
}

/* By the total alone, which no other says anything about. */
static void judge_total(const struct judging *j, const double *totals, struct pp_gate_unit *total)
{
	struct judged_unit u;

	measure_unit(j, totals, &u, total);
	u.error = sqrt(u.variance * apart(j));
	u.freedom = own_freedom(j);
	total->chance = chance_of(j, &u);
	settle_verdict(j, &u, total->chance <= j->how.alarms, 0.05);
}

static int by_chance(const void *a, const void *b)
{
	const double x = (*(const struct judged_unit *const *)a)->to->chance;
	const double y = (*(const struct judged_unit *const *)b)->to->chance;

	return (x > y) - (x < y);
}

/* Those up to the last one whose chance is below its part of the alarms; chances are adjusted for that. */
static void judge_heavy(const struct judging *j, struct judged_unit **heavy, size_t n)
{
	double least = 1;
	size_t found = 0;

	qsort(heavy, n, sizeof(struct judged_unit *), by_chance);
	for (size_t i = n; i-- > 0;) {
		struct pp_gate_unit *const v = heavy[i]->to;

		least = fmin(least, v->chance * (double)n / (double)(i + 1));
		v->chance = least;
		if (!found && least <= j->how.alarms)
			found = i + 1;
	}
	for (size_t i = 0; i < n; i++)
		settle_verdict(j, heavy[i], i < found,
			       i < found ? j->how.alarms * (double)found / (double)n : 0.05);
}

static int judge_units(struct judging *j, size_t n, const struct pp_gate_unit *total, struct pp_error *error)
{
	struct judged_unit **const heavy = calloc(n + 1, sizeof(*heavy));
	double *const numbers = calloc(n + 1, 2 * sizeof(*numbers));
	double *const variances = numbers, *const sizes = numbers + n;
	size_t n_heavy = 0;
	int status = -1;

	if (!heavy || !numbers) {
		status = pp_fail(error, PP_E_NOMEM, NULL);
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		struct judged_unit *const u = &j->units[i];
		const struct pp_gate_unit *const v = u->to;

		if (v->before >= j->how.floor * total->before || v->after >= j->how.floor * total->after) {
			variances[n_heavy] = u->variance;
			sizes[n_heavy] = u->size;
			heavy[n_heavy++] = u;
		}
		u->to->verdict = PP_GATE_LIGHT;
	}
	status = pp_expect_variances(&j->expected, variances, sizes, n_heavy, own_freedom(j), error);
	for (size_t i = 0; i < n_heavy && !status; i++) {
		struct judged_unit *const u = heavy[i];

		u->error = sqrt(apart(j) * pp_moderate_variance(&j->expected, u->variance, u->size,
								own_freedom(j), &u->freedom));
		u->to->verdict = PP_GATE_UNKNOWN;
		u->to->chance = chance_of(j, u);
	}
	if (!status)
		judge_heavy(j, heavy, n_heavy);
out:
	free(heavy);
	free(numbers);
	return status;
}

static int open_judging(struct judging *j, const struct pp_gate_options *how, size_t n,
			struct pp_error *error)
{
	if (pp_options_take(&j->how, sizeof(j->how), how, error))
		return -1;
	j->runs = j->how.before + j->how.after;
	if (!j->how.before || !j->how.after || (j->how.paired && j->how.before != j->how.after) ||
	    !(own_freedom(j) >= 1) || !(j->how.unit > 0))
		return pp_fail(error, PP_E_USE, "of so few runs it is not known how far apart they are");
	j->how.margin = j->how.margin > 0 ? j->how.margin : 0.01;
	j->how.limit = j->how.limit > 0 ? j->how.limit : 0.03;
	j->how.floor = j->how.floor > 0 ? j->how.floor : 0.005;
	j->how.alarms = j->how.alarms > 0 ? j->how.alarms : 0.05;
	j->factors = calloc(j->runs, sizeof(*j->factors));
	j->units = calloc(n + 1, sizeof(*j->units));
	if (!j->factors || !j->units)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < j->runs; i++)
		j->factors[i] = 1;
	return 0;
}

/* Of each run: those that are given, or what all units cost. */
static int take_totals(const struct judging *j, const double *costs, size_t n, double **totals,
		       struct pp_error *error)
{
	*totals = calloc(j->runs, sizeof(**totals));
	if (!*totals)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < j->runs && j->how.totals; i++)
		(*totals)[i] = j->how.totals[i];
	for (size_t i = 0; i < n * j->runs && !j->how.totals; i++)
		(*totals)[i % j->runs] += costs[i];
	return 0;
}

int pp_gate_judge(const struct pp_gate_options *how, const double *costs, size_t n,
		  struct pp_gate_unit *units, struct pp_gate_unit *total, struct pp_error *error)
{
	struct judging j = { .factors = NULL };
	struct pp_gate_unit whole;
	double *totals = NULL;
	int status = open_judging(&j, how, n, error) || take_totals(&j, costs, n, &totals, error) ? -1 : 0;

	if (!status) {
		judge_total(&j, totals, &whole);
		status = j.how.shares ? pp_find_run_sizes(costs, n, j.runs, j.how.unit, j.factors, error) : 0;
	}
	if (!status) {
		for (size_t i = 0; i < n; i++)
			measure_unit(&j, costs + i * j.runs, &j.units[i], &units[i]);
		status = judge_units(&j, n, &whole, error);
	}
	if (!status && total)
		*total = whole;
	free(totals);
	free(j.factors);
	free(j.units);
	return status;
}

const char *pp_gate_verdict_name(enum pp_gate_verdict verdict)
{
	static const char *const names[] = {
		[PP_GATE_UNKNOWN] = "not known", [PP_GATE_SAME] = "same", [PP_GATE_BETTER] = "better",
		[PP_GATE_WORSE] = "worse", [PP_GATE_LIGHT] = "light",
	};

	return names[verdict];
}
