/* recordings.c - the recordings that pp-diff compares: what each is of, and which side it is on. */
#include "diff/recordings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fold/facts.h"

/* ---- sides ---- */

bool recordings_noted(const struct pp_flame_facts *facts, const char *key, double *number)
{
	const char *const value = facts_note_value(facts, key);
	char *end;

	if (!value)
		return false;
	*number = strtod(value, &end);
	return end > value && !*end;
}

void recordings_note_side(struct diff_recording *r, const struct pp_flame_facts *facts)
{
	const char *const side = facts_note_value(facts, "side");

	r->start = facts->start;
	r->label = side ? cli_text("%s", side) : NULL;
	r->numbered = recordings_noted(facts, "run", &r->noted_run);
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b)
{
	const struct diff_recording *const x = a, *const y = b;

	return compare_numbers(x->start, y->start);
}

static int by_side(const void *a, const void *b)
{
	const struct diff_recording *const x = a, *const y = b;
	const int side = (int)x->after - (int)y->after;
	const int run = x->numbered && y->numbered ?
			(x->noted_run > y->noted_run) - (x->noted_run < y->noted_run) : 0;

	return side ? side : run ? run : x->start != y->start ? by_start(a, b) :
	       compare_numbers(x->column, y->column);
}

static bool same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

/* The first that was recorded, or, where times are not known, that was named. */
static const struct diff_recording *first_of(const struct diff_recording *all, size_t n)
{
	const struct diff_recording *first = all;

	for (size_t i = 1; i < n; i++)
		if (all[i].start && first->start && all[i].start < first->start)
			first = &all[i];
	return first;
}

static const char *sides_by_notes(struct diff_recording *all, size_t n)
{
	const char *const before = first_of(all, n)->label;
	const char *after = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!all[i].label)
			return cli_text("%s: it has no note side=...: name the recordings of one side, --, "
					"and those of the other", all[i].path);
		all[i].after = !same_text(all[i].label, before);
		if (all[i].after && after && strcmp(all[i].label, after) != 0)
			return cli_text("there are more than two sides: %s, %s and %s", before, after,
					all[i].label);
		after = all[i].after ? all[i].label : after;
	}
	return after ? NULL : "all recordings are of one side";
}

const char *recordings_take_sides(struct diff_recording *all, size_t n, size_t *n_before)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < n; i++)
		all[i].after = i >= *n_before;
	if (!*n_before)
		wrong = sides_by_notes(all, n);
	qsort(all, n, sizeof(*all), by_side);
	for (*n_before = 0; *n_before < n && !all[*n_before].after;)
		++*n_before;
	for (size_t i = 0; i < n; i++)
		all[i].run = i < *n_before ? i : i - *n_before;
	return wrong;
}

bool recordings_alternate(const struct diff_recording *all, size_t n, size_t n_before)
{
	struct diff_recording *const sorted = cli_grow(NULL, n, sizeof(*sorted));
	bool alternate = n == 2 * n_before;

	memcpy(sorted, all, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_start);
	for (size_t i = 0; i + 1 < n && alternate; i += 2)
		alternate = sorted[i].start && sorted[i + 1].start &&
			    sorted[i].after != sorted[i + 1].after && sorted[i].run == sorted[i + 1].run;
	free(sorted);
	return alternate;
}

/* ---- what makes them unlike ---- */

static const char *or_none(const char *text)
{
	return text ? text : "not known";
}

/* Texts of which both are known, and differ. */
static bool differ(const char *x, const char *y)
{
	return x && y && strcmp(x, y) != 0;
}

static size_t compare_two(const struct diff_recording *x, const struct diff_recording *y)
{
	const struct { bool wrong; const char *what, *x, *y, *cure; } texts[] = {
		{ !same_text(x->event, y->event), "samples of", or_none(x->event), or_none(y->event),
		  "choose one with -e" },
		{ differ(x->host, y->host), "recorded on", x->host, y->host, "record both on one machine" },
		{ differ(x->system, y->system), "recorded by", x->system, y->system,
		  "record both on one kernel" },
		{ differ(x->cpu, y->cpu), "recorded on", x->cpu, y->cpu,
		  "record both on one kind of processor" },
		{ differ(x->governor, y->governor), "recorded under the governor", x->governor, y->governor,
		  "record both under one (cpupower frequency-set -g performance)" },
	};
	size_t found = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].wrong && ++found)
			cli_warn("%s: %s %s, %s of %s: %s", y->path, texts[i].what, texts[i].y, texts[i].x,
				 x->path, texts[i].cure);
	if (x->rate != y->rate && ++found)
		cli_warn("%s: sampled at %" PRIu64 ", %s at %" PRIu64 ": record both with one -F or -c",
			 y->path, y->rate, x->path, x->rate);
	return found;
}

/* ---- what is wrong with one ---- */

/* Whether one is not to be compared. */
static bool judge_one(const struct diff_recording *r)
{
	static const enum advice_rule rules[] = { ADVICE_LOST, ADVICE_THROTTLED };
	struct advice advice;
	bool unfit = !r->samples;

	if (unfit)
		cli_warn("%s: it has no samples", r->path);
	for (size_t i = 0; r->samples && i < sizeof(rules) / sizeof(*rules); i++) {
		if (!advice_judge(rules[i], &r->facts, &advice))
			continue;
		cli_warn("%s: %s: %s", r->path, advice.text, advice.cure);
		unfit |= advice.unfit;
	}
	return unfit;
}

/* The part of the processors' time that others took, on average; -1: not known. */
static double load_of(const struct diff_recording *all, size_t n, bool after)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		const struct advice_facts *const f = &all[i].facts;

		if (all[i].after != after || !f->others_known || !f->cpus)
			continue;
		sum += f->others / (double)f->cpus;
		known++;
	}
	return known ? sum / (double)known : -1;
}

/* Says of how many recordings others took much of the time. */
static void say_loads(const struct diff_recording *all, size_t n)
{
	const struct diff_recording *first = NULL;
	struct advice advice;
	char others[64] = "";
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (advice_judge(ADVICE_LOAD, &all[i].facts, &advice) && !found++)
			first = &all[i];
	if (!first || !advice_judge(ADVICE_LOAD, &first->facts, &advice))
		return;
	if (found > 1)
		(void)snprintf(others, sizeof(others), " (and %zu more like it)", found - 1);
	cli_warn("%s: %s%s: %s", first->path, advice.text, others, advice.cure);
}

/* Others make each run slower, and runs less alike; one side that met them alone is slower by that. */
static bool judge_loads(const struct diff_recording *all, size_t n)
{
	const double most = 0.1, before = load_of(all, n, false), after = load_of(all, n, true);

	if (all->steady)
		return false;
	say_loads(all, n);
	if (before < 0 || after < 0 || fabs(before - after) <= most)
		return false;
	cli_warn("others took %.0f %% of the processors' time during one side, and %.0f %% during the other: "
		 "record both in turns, pp-record --compare", 100 * before, 100 * after);
	return true;
}

size_t recordings_compare(const struct diff_recording *all, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct diff_recording *const r = &all[i];

		if (!found && i)
			found += compare_two(all, r);
		found += judge_one(r);
	}
	return found + judge_loads(all, n);
}
