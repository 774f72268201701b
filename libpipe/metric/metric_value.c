/* metric_value.c - values of the metrics of a set, from counts; and whether such counts go together. */
#include "base/sized_options.h"
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asking {
	struct pp_metric_set *set;
	const struct pp_metric_facts *facts;
	struct pp_metric_value *to;
	size_t n_used;
	const char *missing;          /* the first name that was asked for and not counted */
	bool no_memory;               /* to find that name */
};

static double clock_value(const struct pp_metric_facts *f, enum pp_time clock)
{
	const double value = clock == PP_TIME_DURATION ? f->duration :
			     clock == PP_TIME_USER ? f->user : f->system;

	return value < 0 ? NAN : value;
}

/* The sum of a name's counts, and how many there are of them. */
static double count_of(struct asking *a, const struct pp_metric_linked *l, size_t name)
{
	struct pp_metric_set *const set = a->set;
	double sum = 0;

	set->sources[name] = set->parts[name] = 0;
	for (uint32_t i = 0; i < l->bound[name].n; i++) {
		const uint32_t event = set->events[l->bound[name].from + i];
		const struct pp_metric_count *const count = &a->facts->counts[event];

		if (!count->known)
			continue;
		sum += count->value;
		set->sources[name] += count->sources ? count->sources : 1;
		set->parts[name] += count->parts ? count->parts : 1;
		if (!set->used[event])
			set->uses[a->n_used++] = event;
		set->used[event] = true;
	}
	if (set->sources[name] > 0)
		return sum;
	return set->sources[name] = set->parts[name] = NAN;
}

/* Finds the first name of an expression that it needs and has no value, if there is one. */
static void find_missing(struct asking *a, const struct pp_metric_linked *l)
{
	const struct pp_metric_set *const set = a->set;
	bool *const needed = calloc(l->code.n_names + 1, sizeof(*needed));

	if (!needed || pp_metric_needs(&l->code, set->has, a->facts->machine, needed))
		a->no_memory = true;
	for (size_t k = 0; !a->no_memory && k < l->code.n_names && !a->missing; k++)
		if (needed[k] && !l->refs[k] && isnan(set->named[k]))
			a->missing = l->code.names[k];
	free(needed);
}

static double evaluate(struct asking *a, const struct pp_metric_linked *l)
{
	struct pp_metric_set *const set = a->set;
	const struct pp_metric_values values = { set->named, set->sources, set->parts,
						 set->has, a->facts->machine };
	double value;

	for (size_t k = 0; k < l->code.n_names; k++) {
		const enum pp_time clock = pp_metric_time(l->code.names[k]);

		set->has[k] = clock || l->refs[k] || l->bound[k].n;
		set->sources[k] = set->parts[k] = 1;
		if (l->refs[k]) {
			set->named[k] = set->values[l->refs[k] - 1];
			continue;
		}
		set->named[k] = clock ? clock_value(a->facts, clock) : count_of(a, l, k);
	}
	value = pp_metric_evaluate(&l->code, &values);
	if (isnan(value) && !a->missing)
		find_missing(a, l);
	return value;
}

/* Marks a member, and all that it refers to, which precede it. */
static void want_all(struct pp_metric_set *set, uint32_t asked)
{
	memset(set->wanted, 0, set->n * sizeof(*set->wanted));
	set->wanted[asked] = true;
	for (size_t i = asked + 1; i-- > 0;)
		for (size_t k = 0; set->wanted[i] && k < set->members[i].value.code.n_names; k++)
			if (set->members[i].value.refs[k])
				set->wanted[set->members[i].value.refs[k] - 1] = true;
}

bool pp_metric_set_bound(struct pp_metric_set *set, size_t i)
{
	const uint32_t asked = set->asked[i];

	want_all(set, asked);
	for (size_t m = 0; m <= asked; m++)
		for (size_t k = 0; set->wanted[m] && k < set->members[m].value.code.n_names; k++)
			if (set->members[m].value.bound[k].n)
				return true;
	return false;
}

/* Values of all that a member refers to, and then its own. */
static double evaluate_all(struct asking *a, uint32_t asked)
{
	struct pp_metric_set *const set = a->set;

	want_all(set, asked);
	for (size_t i = 0; i <= asked; i++)
		if (set->wanted[i])
			set->values[i] = evaluate(a, &set->members[i].value);
	return set->values[asked];
}

/* ---- Events that go together ----------------------------------------------------------------- */

/* Whether two events surely were counted at one time, for some of it: in one group, or for so long
 * that there is no room for one beside the other. */
static bool met(const struct asking *a, uint32_t i, uint32_t k)
{
	const struct pp_metric_count *const x = &a->facts->counts[i], *const y = &a->facts->counts[k];
	const uint64_t enabled = x->enabled > y->enabled ? x->enabled : y->enabled;

	if (a->set->bound[i].grouped && a->set->bound[k].grouped &&
	    a->set->bound[i].group == a->set->bound[k].group)
		return true;
	return pp_must_meet(enabled, x->running, y->running);
}

static bool is_apart(struct asking *a)
{
	const struct pp_metric_set *const set = a->set;

	for (size_t i = 0; i < a->n_used; i++)
		for (size_t k = i + 1; k < a->n_used; k++) {
			if (met(a, set->uses[i], set->uses[k]))
				continue;
			a->to->event = set->bound[set->uses[i]].name;
			a->to->other = set->bound[set->uses[k]].name;
			return true;
		}
	return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* "100%slots": what to multiply by, and the unit. */
static double take_unit(const char *unit, const char **rest)
{
	double scale = 1;
	const char *const end = unit ? pp_metric_number(unit, &scale) : NULL;

	*rest = end ? end : unit ? unit : "";
	return scale;
}

/* Thresholds ask for metrics that may come after this one, and for events beside it. */
static int is_over(struct asking *a, uint32_t asked)
{
	struct pp_metric_set *const set = a->set;
	const struct pp_metric_linked *const l = &set->members[asked].threshold;
	const double own = set->values[asked];
	double value;

	if (!l->refs || isnan(own))
		return -1;
	for (size_t k = 0; k < l->code.n_names; k++)
		if (l->refs[k] && l->refs[k] - 1 != asked)
			(void)evaluate_all(a, l->refs[k] - 1);
	set->values[asked] = own;
	value = evaluate(a, l);
	return isnan(value) ? -1 : value != 0;
}

enum pp_metric_state pp_metric_set_value(struct pp_metric_set *set, size_t i,
					 const struct pp_metric_facts *given, struct pp_metric_value *to)
{
	struct pp_metric_facts facts;
	struct asking a = { .set = set, .facts = &facts, .to = to };
	const uint32_t asked = set->asked[i];
	const struct pp_metric_stored *const metric = set->members[asked].metric;
	enum pp_metric_state state = PP_METRIC_KNOWN;

	*to = (struct pp_metric_value){ .over = -1, .value = NAN, .unit = "" };
	if (pp_options_take(&facts, sizeof(facts), given, NULL))
		return PP_METRIC_UNDEFINED;
	memset(set->used, 0, set->n_bound * sizeof(*set->used));
	to->value = evaluate_all(&a, asked) * take_unit(metric ? metric->is.unit : NULL, &to->unit);
	if (!isfinite(to->value)) {
		to->event = a.missing;
		state = a.missing ? PP_METRIC_MISSING : PP_METRIC_UNDEFINED;
	} else if (!facts.mixed && is_apart(&a)) {
		state = PP_METRIC_APART;
	} else {
		to->over = is_over(&a, asked);
	}
	if (a.no_memory)
		state = PP_METRIC_NO_MEMORY;
	if (state != PP_METRIC_KNOWN)
		to->value = NAN;
	return state;
}
