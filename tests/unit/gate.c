/*
 * gate.c - tries what judges changes.  Without an argument: beside values that are known.  `simulate`: how
 * often it is wrong, and how often it finds what is there, in numbers that are made up: runs that differ,
 * samples that stay in one function for a while, a machine that drifts from pair to pair.  `numbers`: prints
 * values of the functions that it is made of.
 */
#include <perfpipe/gate.h>
#include <perfpipe/spread.h>

#include "gate/moderated.h"
#include "gate/polygamma.h"
#include "unit.h"

#include <math.h>
#include <string.h>

enum { UNITS = 200, MOST_RUNS = 30, STAY = 10 };

static double any_share(void)
{
	return ((double)(any_number() >> 11) + 0.5) / 9007199254740992.0;
}

static double any_normal(void)
{
	const double radius = sqrt(-2 * log(any_share()));

	return radius * cos(2 * M_PI * any_share());
}

/* How often something happens that happens so often in the mean. */
static double any_count(double mean)
{
	const double end = exp(-mean);
	double product = any_share(), n = 0;

	if (mean > 30)
		return fmax(0, floor(mean + sqrt(mean) * any_normal() + 0.5));
	for (; product > end; n++)
		product *= any_share();
	return n;
}

/* So many stays in a function, each of a length of its own: a sample ends one with a chance of 1 in STAY. */
static double samples_of(double stays)
{
	double samples = 0;

	if (stays > 30)
		return fmax(0, floor(STAY * stays + sqrt(stays * STAY * (STAY - 1)) * any_normal() + 0.5));
	for (; stays > 0; stays--)
		samples += 1 + floor(log(any_share()) / log(1 - 1.0 / STAY));
	return samples;
}

struct world {
	size_t pairs;
	double samples;               /* in a run */
	double slower;                /* the function of a tenth of the samples, on the second side */
	double spread;                /* of runs, and of functions in them: a standard deviation */
	double drift;                 /* of the machine from pair to pair, at most */
	bool unpaired;
	enum { STAYS, RENAMED, INLINED } moved;       /* that function, on the second side */
};

static struct found {
	double alarms, total_alarms, found, covered, judged, together;
} found;

static size_t shares(double share[UNITS])
{
	double sum = 0;
	size_t tenth = 0;

	for (size_t i = 0; i < UNITS; i++)
		sum += share[i] = pow((double)i + 1, -1.1);
	for (size_t i = 0; i < UNITS; i++) {
		share[i] /= sum;
		if (fabs(share[i] - 0.1) < fabs(share[tenth] - 0.1))
			tenth = i;
	}
	share[tenth] = 0.1;
	return tenth;
}

/* Where the code of a unit is on the second side: another name, or a part of a unit that is larger. */
enum { OTHER_NAME = UNITS - 1, ITS_CALLER = 2 };

static size_t unit_after(const struct world *w, size_t unit, size_t slower)
{
	return unit != slower || w->moved == STAYS ? unit : w->moved == RENAMED ? OTHER_NAME : ITS_CALLER;
}

/* All are called by the first; what has another name is on one side alone. */
static void set_callers(const struct world *w, size_t slower, struct pp_gate_callers *callers)
{
	for (size_t i = 0; i < UNITS; i++)
		callers[i].of[0] = callers[i].of[1] = i ? 0 : PP_GATE_OUTERMOST;
	if (w->moved == STAYS)
		return;
	callers[slower].of[1] = PP_GATE_NOWHERE;
	if (w->moved == RENAMED)
		callers[OTHER_NAME].of[0] = PP_GATE_NOWHERE;
	else
		callers[slower].of[0] = ITS_CALLER;
}

static void one_comparison(const struct world *w)
{
	static double share[UNITS], costs[UNITS * 2 * MOST_RUNS];
	static struct pp_gate_unit units[UNITS];
	const struct pp_gate_options how = {
		.size = sizeof(how), .before = w->pairs, .after = w->pairs, .paired = !w->unpaired, .unit = 1,
	};
	const size_t slower = shares(share);
	struct pp_gate_callers callers[UNITS];
	uint32_t together[UNITS];
	struct pp_gate_unit total;
	bool alarm = false;

	if (w->moved == RENAMED)
		share[OTHER_NAME] = 0;
	set_callers(w, slower, callers);
	memset(costs, 0, sizeof(costs));
	for (size_t run = 0; run < w->pairs; run++) {
		const double machine = 1 + w->drift * (2 * any_share() - 1);

		for (size_t side = 0; side < 2; side++) {
			const double all = w->samples * machine * (1 + w->spread * any_normal());

			for (size_t i = 0; i < UNITS; i++) {
				const double more = side && i == slower ? 1 + w->slower : 1;
				const double mean = all * share[i] * more * (1 + w->spread * any_normal());

				const size_t at = side ? unit_after(w, i, slower) : i;

				costs[(2 * at + side) * w->pairs + run] += samples_of(any_count(mean / STAY));
			}
		}
	}
	CHECK(!pp_gate_judge_moved(&how, costs, UNITS, callers, units, together, &total, NULL));
	found.together += together[slower] == together[unit_after(w, slower, slower)];
	for (size_t i = 0; i < UNITS; i++) {
		const double truth = i == slower ? w->slower : 0;

		if (units[i].verdict == PP_GATE_LIGHT || together[i] != i)
			continue;
		alarm |= units[i].verdict == PP_GATE_WORSE && !(truth > 0);
		found.judged++;
		found.covered += units[i].low <= truth && truth <= units[i].high;
	}
	found.alarms += alarm;
	found.total_alarms += total.verdict == PP_GATE_WORSE;
	found.found += units[slower].verdict == PP_GATE_WORSE;
}

static void compare(const char *what, const struct world *w, unsigned times)
{
	begin_case(what, (unsigned)w->pairs);
	memset(&found, 0, sizeof(found));
	for (unsigned i = 0; i < times; i++)
		one_comparison(w);
	found.alarms /= times;
	found.total_alarms /= times;
	found.found /= times;
	found.together /= times;
	found.covered /= found.judged;
	if (getenv("SHOWN"))
		fprintf(stderr, "%s, %zu pairs of %.0f: alarms %.3f, of the total %.3f, found %.3f, covered "
			"%.3f, together %.3f\n", what, w->pairs, w->samples, found.alarms,
			found.total_alarms, found.found, found.covered, found.together);
	CHECK(found.covered > 0.93 && found.covered < 0.97);
}

/* Of 1,000 comparisons of what is the same, at most 50 have any verdict `worse`. */
static void no_difference(void)
{
	for (size_t pairs = 5; pairs <= 10; pairs += 5) {
		const struct world w = { .pairs = pairs, .samples = 50000, .spread = 0.01, .drift = 0.15 };

		compare("no difference", &w, 1000);
		CHECK(found.alarms + found.total_alarms <= 0.05);
	}
}

static void one_slower_function(void)
{
	static const struct { size_t pairs; double samples, least; } cases[] = {
		{ 10, 50000, 0.45 }, { 15, 50000, 0.7 }, { 10, 200000, 0.9 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct world w = {
			.pairs = cases[i].pairs, .samples = cases[i].samples, .slower = 0.1, .spread = 0.01,
			.drift = 0.15,
		};

		compare("a function is slower", &w, 400);
		CHECK(found.found >= cases[i].least);
	}
}

/* A function of a tenth that has another name, or is inlined, is no slower; nor is anything else. */
static void moved_function(void)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct world w = {
			.pairs = i < 2 ? 5 : 10, .samples = 50000, .spread = 0.01, .drift = 0.15,
			.moved = i % 2 ? RENAMED : INLINED,
		};

		compare(i % 2 ? "a function has another name" : "a function is inlined", &w, 400);
		CHECK(found.alarms + found.total_alarms <= 0.05 && found.together > 0.98);
	}
}

/* ---- beside what is known ---- */

static bool near(double value, double known)
{
	return fabs(value - known) < 1e-6 * fabs(known);
}

static void known_values(void)
{
	begin_case("known values", 0);
	CHECK(near(pp_student_95(1), 12.706205) && near(pp_student_95(9), 2.262157));
	CHECK(near(pp_student_beyond(0.05, 9), 1.833113) && near(pp_student_beyond(0.05, 1e12), 1.644854));
	CHECK(near(pp_student_tail(1, 1), 0.25) && near(pp_student_tail(-1, 1), 0.75));
	CHECK(near(pp_digamma(1), -0.5772156649) && near(pp_trigamma(1), M_PI * M_PI / 6));
	for (double x = 1e-3; x < 1e4; x *= 3)
		CHECK(near(pp_trigamma_inverse(pp_trigamma(x)), x));
}

/* Five runs of each side, of two functions, and of others that are as they were. */
static void plain_verdicts(void)
{
	enum { N = 8, RUNS = 10 };
	struct pp_gate_options how = {
		.size = sizeof(how), .before = RUNS / 2, .after = RUNS / 2, .unit = 1,
	};
	static double costs[N][RUNS];
	struct pp_gate_unit units[N], total;

	begin_case("plain verdicts", 0);
	for (size_t i = 0; i < N; i++)
		for (size_t run = 0; run < RUNS; run++)
			costs[i][run] = 10000 + below(101);
	for (size_t run = RUNS / 2; run < RUNS; run++) {
		costs[0][run] *= 1.1;
		costs[1][run] *= 0.9;
		costs[2][run] = 3;
	}
	for (size_t run = 0; run < RUNS; run++) {
		costs[3][run] = 10;
		costs[4][run] *= run % 2 ? 1.3 : 1;
	}
	CHECK(!pp_gate_judge(&how, *costs, N, units, &total, NULL));
	CHECK(units[0].verdict == PP_GATE_WORSE && units[0].change > 0.09 && units[0].change < 0.11);
	CHECK(units[0].low < 0.1 && units[0].high > 0.1 && units[0].chance < 0.001);
	CHECK(units[1].verdict == PP_GATE_BETTER && units[2].verdict == PP_GATE_BETTER);
	CHECK(units[3].verdict == PP_GATE_LIGHT);
	CHECK(units[4].verdict == PP_GATE_UNKNOWN && units[4].runs > 5);
	for (size_t i = 5; i < N; i++)
		CHECK(units[i].verdict == PP_GATE_SAME && units[i].low < 0.005 && units[i].high > -0.005);
	CHECK(total.verdict == PP_GATE_BETTER && total.before > 0 && total.after < total.before);
	/* in shares of the runs, of which one side was twice as long */
	for (size_t i = 0; i < N; i++)
		for (size_t run = RUNS / 2; run < RUNS; run++)
			costs[i][run] *= 2;
	how.shares = true;
	CHECK(!pp_gate_judge(&how, *costs, N, units, &total, NULL));
	CHECK(units[0].verdict == PP_GATE_WORSE);
	CHECK(units[0].change > 0.09 && units[0].change < 0.11 && units[5].verdict == PP_GATE_SAME);
	CHECK(total.verdict == PP_GATE_WORSE);
	how.before = how.after = 1;
	CHECK(pp_gate_judge(&how, *costs, 1, units, &total, NULL));
}

/* Parts of one run, in some of which there is nothing: what counts is how much there is in all. */
static void parts_of_runs(void)
{
	static const double costs[] = { 0, 40, 0, 30, 30,   0, 80, 0, 60, 60, };
	struct pp_gate_options how = {
		.size = sizeof(how), .before = 5, .after = 5, .unit = 1, .parts = true,
	};
	struct pp_gate_unit unit, units[3], total;
	double parts[3][10];

	begin_case("parts of runs", 0);
	CHECK(!pp_gate_judge(&how, costs, 1, &unit, &total, NULL));
	CHECK(near(unit.change, 1) && near(unit.before, 20) && near(unit.after, 40));
	CHECK(unit.verdict == PP_GATE_UNKNOWN && unit.low < 0 && unit.high > 1);
	/* in shares: all of one side is twice as much, and one of three units half as much more besides */
	for (size_t i = 0; i < 3; i++)
		for (size_t run = 0; run < 10; run++)
			parts[i][run] = (100 + run % 3) * (run < 5 ? 1 : i ? 2 : 3);
	how.shares = true;
	CHECK(!pp_gate_judge(&how, *parts, 3, units, &total, NULL));
	CHECK(units[0].verdict == PP_GATE_WORSE && fabs(units[0].change - 0.5) < 0.02);
	CHECK(units[1].verdict == PP_GATE_SAME && units[2].verdict == PP_GATE_SAME);
}

/* ---- moved code ---- */

struct moved_unit { double before, after; uint32_t callers[2]; };
static void judge_moved(const struct moved_unit *made, size_t n, struct pp_gate_unit *units,
			uint32_t *together)
{
	enum { RUNS = 10 };
	const struct pp_gate_options how = { sizeof(how), .before = RUNS / 2, .after = RUNS / 2, .unit = 1 };
	double costs[UNITS][RUNS];
	struct pp_gate_callers callers[UNITS];

	for (size_t i = 0; i < n; i++) {
		callers[i] = (struct pp_gate_callers){ { made[i].callers[0], made[i].callers[1] } };
		for (size_t run = 0; run < RUNS; run++) {
			const double mean = run < RUNS / 2 ? made[i].before : made[i].after;

			costs[i][run] = mean > 0 ? mean + below(11) - 5 : 0;
		}
	}
	CHECK(!pp_gate_judge_moved(&how, *costs, n, callers, units, together, NULL, NULL));
	for (size_t i = 0; i < n; i++)
		CHECK(together[i] < n && together[together[i]] == together[i]);
}

/* A unit of another name, a split one, one that is inlined into its caller; callers that call each other. */
static void moved_code(void)
{
	const uint32_t NO = PP_GATE_NOWHERE, OUT = PP_GATE_OUTERMOST, MANY = PP_GATE_ANYWHERE;
	const struct moved_unit made[] = {
		{ 5000, 5000, { OUT, OUT } },
		{ 1000, 0, { 0, NO } }, { 0, 1000, { NO, 0 } },            /* 1 -> 2 */
		{ 4000, 0, { 7, NO } }, { 0, 2500, { NO, 7 } }, { 0, 1500, { NO, 7 } },    /* 3 -> 4 + 5 */
		{ 700, 0, { 7, NO } }, { 8000, 8700, { 0, 0 } },        /* 6 -> 7, where it is the same */
		{ 2000, 0, { 9, NO } }, { 0, 0, { 10, NO } }, { 0, 0, { 9, NO } },
		{ 0, 2000, { NO, MANY } },                              /* 8 -> 11: nowhere, and many */
		{ 3000, 2000, { 0, 0 } }, { 600, 1900, { 0, 0 } },      /* 12, 13: less is lost */
	};
	struct pp_gate_unit units[sizeof(made) / sizeof(*made)];
	uint32_t together[sizeof(made) / sizeof(*made)];

	begin_case("moved code", 0);
	judge_moved(made, sizeof(made) / sizeof(*made), units, together);
	CHECK(together[1] == together[2] && units[together[1]].verdict == PP_GATE_SAME);
	CHECK(together[3] == 3 && together[4] == 3 && together[5] == 3 && units[3].verdict == PP_GATE_SAME);
	CHECK(units[3].before > 3990 && units[3].after > 3990 && units[4].before == 0);
	CHECK(together[6] == together[7] && units[together[6]].verdict == PP_GATE_SAME);
	CHECK(together[8] == together[11] && together[12] == 12 && together[13] == 13);
	CHECK(units[12].verdict == PP_GATE_BETTER && units[13].verdict == PP_GATE_WORSE);
}

/* ---- by themselves ---- */

static void print_numbers(void)
{
	static const double freedoms[] = { 1, 2, 3.5, 9, 18, 29.7, 100, 1e6 };
	static const double tails[] = { 0.4, 0.05, 0.001, 1e-9 };
	static const double values[] = { 0.05, 0.5, 1, 4.5, 9, 250 };
	static const double variances[] = { 0.9, 14, 0.02, 3.1, 0.005, 0.7, 21, 0.4, 0.02, 6 };
	static const double sizes[] = { 900, 20, 350, 8, 5000, 120, 60, 700, 15, 240 };
	struct pp_expected expected;
	double all;

	for (size_t i = 0; i < sizeof(freedoms) / sizeof(*freedoms); i++)
		for (size_t k = 0; k < sizeof(tails) / sizeof(*tails); k++) {
			const double t = pp_student_beyond(tails[k], freedoms[i]);

			printf("t %.17g %.17g %.17g %.17g\n", freedoms[i], tails[k], t,
			       pp_student_tail(t * 1.1, freedoms[i]));
		}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		printf("gamma %.17g %.17g %.17g %.17g\n", values[i], pp_digamma(values[i]),
		       pp_trigamma(values[i]), pp_trigamma_inverse(values[i]));
	CHECK(!pp_expect_variances(&expected, variances, sizes, 10, 4, NULL));
	printf("expected %.17g\n", expected.freedom);
	for (size_t i = 0; i < 10; i++)
		printf("variance %.17g %.17g %.17g\n", variances[i], sizes[i],
		       pp_moderate_variance(&expected, variances[i], sizes[i], 4, &all));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "numbers")) {
		print_numbers();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "simulate")) {
		no_difference();
		one_slower_function();
		moved_function();
		return 0;
	}
	known_values();
	plain_verdicts();
	parts_of_runs();
	moved_code();
	return 0;
}
