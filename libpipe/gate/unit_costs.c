/* unit_costs.c - what each function, file or stack cost in each of several recordings. */
#include <perfpipe/flame.h>
#include <perfpipe/fold.h>
#include <perfpipe/gate.h>
#include <perfpipe/profile.h>
#include <perfpipe/unit_costs.h>

#include "base/array.h"
#include "symbol/strings.h"

#include <stdlib.h>
#include <string.h>

struct pp_unit_costs {
	enum pp_unit unit;
	bool inclusive;
	struct pp_strings names;
	/* Of each unit in each run: runs of one unit follow one another. */
	double *costs;
	size_t units_room, runs, runs_room;
	double *totals;
	size_t totals_room;
	/* Of functions likewise: what calls each in a run, and which part of its cost was inlined. */
	struct unit_place {
		uint32_t caller;      /* 3 + its number, or one of enum no_caller */
		float inlined;
	} *places;
	/* Calls in the run at hand, and what most calls of each unit come from. */
	struct unit_call { uint32_t unit, caller; double weight; } *calls;
	size_t n_calls, calls_room;
	/* The units of the nodes from the outermost to the one at hand, by depth. */
	uint32_t *path;
	size_t path_room;
	struct pp_buffer text;        /* of a stack */
	size_t *ends;                 /* where the text of each depth ends */
	size_t ends_room;
	const struct pp_fold *fold;
};

enum { NO_UNIT = INT32_MAX };
enum no_caller { CALLED_NOWHERE, CALLED_OUTERMOST, CALLED_ANYWHERE, CALLERS };

struct pp_unit_costs *pp_unit_costs_new(enum pp_unit unit, bool inclusive)
{
	struct pp_unit_costs *const c = calloc(1, sizeof(*c));

	if (c) {
		c->unit = unit;
		c->inclusive = inclusive && unit != PP_UNIT_STACK;
	}
	return c;
}

void pp_unit_costs_free(struct pp_unit_costs *c)
{
	if (!c)
		return;
	pp_strings_close(&c->names);
	pp_buffer_free(&c->text);
	free(c->costs);
	free(c->places);
	free(c->calls);
	free(c->totals);
	free(c->path);
	free(c->ends);
	free(c);
}

/* ---- the table ---- */

static double *cost_at(const struct pp_unit_costs *c, size_t unit, size_t run)
{
	return &c->costs[unit * c->runs_room + run];
}

/* Cells of `size` bytes of units and runs where there is more room. */
static void *move_cells(const struct pp_unit_costs *c, const void *cells, size_t size, size_t more_units,
			size_t more_runs)
{
	char *const more = calloc(more_units, more_runs * size);

	for (size_t i = 0; more && i < c->units_room && c->runs_room; i++)
		memcpy(more + i * more_runs * size, (const char *)cells + i * c->runs_room * size,
		       c->runs_room * size);
	return more;
}

/* Room for the units that there are; rows move apart where there are more runs. */
static int make_room(struct pp_unit_costs *c, size_t units, size_t runs, struct pp_error *error)
{
	const size_t more_units = units > c->units_room ? 2 * units : c->units_room;
	const size_t more_runs = runs > c->runs_room ? 2 * runs : c->runs_room;
	const bool placed = c->unit == PP_UNIT_FUNCTION;
	double *costs;
	struct unit_place *places;

	if (more_units == c->units_room && more_runs == c->runs_room)
		return 0;
	costs = move_cells(c, c->costs, sizeof(*costs), more_units, more_runs);
	places = placed ? move_cells(c, c->places, sizeof(*places), more_units, more_runs) : NULL;
	if (!costs || (placed && !places)) {
		free(costs);
		free(places);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	free(c->costs);
	free(c->places);
	c->costs = costs;
	c->places = places;
	c->units_room = more_units;
	c->runs_room = more_runs;
	return 0;
}

static int number_of(struct pp_unit_costs *c, const char *name, size_t length, uint32_t *unit,
		     struct pp_error *error)
{
	return pp_strings_number(&c->names, name, length, 0, unit, error) ||
	       make_room(c, c->names.n, c->runs + 1, error) ? -1 : 0;
}

/* ---- the units of a node ---- */

static int add_frame(struct pp_unit_costs *c, const struct pp_profile_node *node, struct pp_error *error)
{
	const size_t depth = node->depth;

	c->text.size = depth > 2 ? c->ends[depth - 1] : 0;
	if ((depth > 2 && pp_buffer_add(&c->text, ";", 1, error)) ||
	    (depth > 1 && pp_buffer_add(&c->text, node->name, node->length, error)))
		return -1;
	c->ends[depth] = c->text.size;
	return 0;
}

/* *unit: NO_UNIT where a node has none: the name of a program is no function. */
static int unit_of(struct pp_unit_costs *c, const struct pp_profile_node *node, uint32_t *unit,
		   struct pp_error *error)
{
	const char *object = NULL;
	unsigned kind;

	*unit = NO_UNIT;
	switch (c->unit) {
	case PP_UNIT_COMM:
		if (node->depth > 1) {
			*unit = c->path[1];
			return 0;
		}
		return number_of(c, node->name, node->length, unit, error);
	case PP_UNIT_STACK:
		return add_frame(c, node, error) ||
		       (node->self[PP_PROFILE_FIRST] &&
			number_of(c, (const char *)c->text.data, c->text.size, unit, error)) ? -1 : 0;
	case PP_UNIT_DSO:
		if (node->depth > 1 && c->fold)
			object = pp_fold_object(c->fold, node->kind, &kind);
		object = object ? object : "[unknown]";
		return node->depth > 1 ? number_of(c, object, strlen(object), unit, error) : 0;
	default:
		return node->depth > 1 ? number_of(c, node->name, node->length, unit, error) : 0;
	}
}

/* ---- callers ---- */

static struct unit_place *place_at(const struct pp_unit_costs *c, size_t unit, size_t run)
{
	return &c->places[unit * c->runs_room + run];
}

/* A function that calls itself is called by what called it first. */
static int note_call(struct pp_unit_costs *c, const struct pp_profile_node *node, uint32_t unit,
		     struct pp_error *error)
{
	size_t from = node->depth - 1;

	while (from > 1 && c->path[from] == unit)
		from--;
	if (PP_GROW(&c->calls, &c->calls_room, c->n_calls + 1, error))
		return -1;
	c->calls[c->n_calls++] = (struct unit_call){
		.unit = unit, .weight = (double)node->total[PP_PROFILE_FIRST],
		.caller = from > 1 ? c->path[from] + CALLERS : CALLED_OUTERMOST,
	};
	return 0;
}

/*
 * The caller that has more than half of a unit, if there is one: the one that is left when calls of different
 * callers cancel each other (Boyer and Moore's vote), and has it.
 */
static int find_callers(struct pp_unit_costs *c, struct pp_error *error)
{
	struct { double left, own, all; } *const votes = calloc(c->names.n + 1, sizeof(*votes));

	if (!votes)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (const struct unit_call *call = c->calls; call < c->calls + c->n_calls; call++) {
		uint32_t *const caller = &place_at(c, call->unit, c->runs)->caller;
		double *const left = &votes[call->unit].left;

		if (*left < call->weight && *caller != call->caller) {
			*caller = call->caller;
			*left = call->weight - *left;
		} else {
			*left += *caller == call->caller ? call->weight : -call->weight;
		}
	}
	for (const struct unit_call *call = c->calls; call < c->calls + c->n_calls; call++) {
		votes[call->unit].all += call->weight;
		if (place_at(c, call->unit, c->runs)->caller == call->caller)
			votes[call->unit].own += call->weight;
	}
	for (size_t i = 0; i < c->names.n; i++)
		if (2 * votes[i].own < votes[i].all)
			place_at(c, i, c->runs)->caller = CALLED_ANYWHERE;
	free(votes);
	c->n_calls = 0;
	return 0;
}

/* ---- runs ---- */

static bool is_inlined(const struct pp_unit_costs *c, const struct pp_profile_node *node)
{
	unsigned kind = node->kind;

	if (c->fold && pp_fold_object(c->fold, node->kind, &kind))
		return kind == PP_FLAME_INLINED;
	return node->kind == PP_FLAME_INLINED;
}

static bool is_called_by_itself(const struct pp_unit_costs *c, size_t depth)
{
	for (size_t i = 1; i < depth; i++)
		if (c->path[i] == c->path[depth])
			return true;
	return false;
}

static int add_node(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct pp_unit_costs *const c = arg;
	const uint64_t *const weights = c->inclusive ? node->total : node->self;
	uint32_t unit;

	if (PP_GROW(&c->path, &c->path_room, (size_t)node->depth + 1, error) ||
	    PP_GROW(&c->ends, &c->ends_room, (size_t)node->depth + 1, error) ||
	    unit_of(c, node, &unit, error))
		return -1;
	c->path[node->depth] = unit;
	if (c->unit == PP_UNIT_FUNCTION && unit != NO_UNIT && node->total[PP_PROFILE_FIRST] &&
	    note_call(c, node, unit, error))
		return -1;
	if (unit == NO_UNIT || !weights[PP_PROFILE_FIRST] ||
	    (c->inclusive && is_called_by_itself(c, node->depth)))
		return 0;
	*cost_at(c, unit, c->runs) += (double)weights[PP_PROFILE_FIRST];
	if (c->unit == PP_UNIT_FUNCTION && is_inlined(c, node))
		place_at(c, unit, c->runs)->inlined += (float)weights[PP_PROFILE_FIRST];
	return 0;
}

int pp_unit_costs_add(struct pp_unit_costs *c, struct pp_profile *profile, const struct pp_fold *fold,
		      struct pp_error *error)
{
	c->fold = fold;
	if (make_room(c, c->names.n, c->runs + 1, error) ||
	    PP_GROW(&c->totals, &c->totals_room, c->runs + 1, error) ||
	    pp_profile_each(profile, PP_PROFILE_AS_MADE, add_node, c, error) || find_callers(c, error))
		return -1;
	c->totals[c->runs++] = (double)pp_profile_total(profile, PP_PROFILE_FIRST);
	return 0;
}

/* Adds what a unit has in a run to that whose number it gets; its caller has another number, too. */
static void move_unit(struct pp_unit_costs *c, size_t unit, size_t run, const uint32_t *numbers)
{
	const size_t to = numbers[unit];
	const double cost = *cost_at(c, unit, run);
	struct unit_place place, *at;

	*cost_at(c, unit, run) = 0;
	*cost_at(c, to, run) += cost;
	if (!c->places)
		return;
	place = *place_at(c, unit, run);
	if (place.caller >= CALLERS)
		place.caller = numbers[place.caller - CALLERS] + CALLERS;
	*place_at(c, unit, run) = (struct unit_place){ .caller = CALLED_NOWHERE };
	at = place_at(c, to, run);
	at->inlined += place.inlined;
	if (at->caller == CALLED_NOWHERE)
		at->caller = place.caller;
	else if (place.caller != CALLED_NOWHERE && place.caller != at->caller)
		at->caller = CALLED_ANYWHERE;
}

int pp_unit_costs_rename(struct pp_unit_costs *c, const char *(*name)(void *arg, const char *), void *arg,
			 struct pp_error *error)
{
	struct pp_strings names = { .n = 0 };
	uint32_t *const numbers = calloc(c->names.n + 1, sizeof(*numbers));
	int status = numbers ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	for (size_t i = 0; i < c->names.n && !status; i++) {
		const char *const new = name(arg, c->names.items[i].text);

		status = pp_strings_number(&names, new, strlen(new), 0, &numbers[i], error);
	}
	/* no unit has a number after its own, so that each is moved before another one takes its place */
	for (size_t i = 0; i < c->names.n && !status; i++)
		for (size_t run = 0; run < c->runs; run++)
			move_unit(c, i, run, numbers);
	if (!status) {
		pp_strings_close(&c->names);
		c->names = names;
	} else {
		pp_strings_close(&names);
	}
	free(numbers);
	return status;
}

size_t pp_unit_costs_count(const struct pp_unit_costs *c)
{
	return c->names.n;
}

const char *pp_unit_costs_name(const struct pp_unit_costs *c, size_t unit)
{
	return c->names.items[unit].text;
}

double pp_unit_cost(const struct pp_unit_costs *c, size_t unit, size_t run)
{
	return run < c->runs ? *cost_at(c, unit, run) : 0;
}

double pp_unit_costs_total(const struct pp_unit_costs *c, size_t run)
{
	return run < c->runs ? c->totals[run] : 0;
}

double pp_unit_cost_inlined(const struct pp_unit_costs *c, size_t unit, size_t run)
{
	return run < c->runs && c->places ? (double)place_at(c, unit, run)->inlined : 0;
}

uint32_t pp_unit_costs_caller(const struct pp_unit_costs *c, size_t unit, const size_t *runs, size_t n)
{
	static const uint32_t none[] = {
		[CALLED_NOWHERE] = PP_GATE_NOWHERE, [CALLED_OUTERMOST] = PP_GATE_OUTERMOST,
		[CALLED_ANYWHERE] = PP_GATE_ANYWHERE,
	};
	uint32_t caller = CALLED_NOWHERE;
	size_t left = 0, own = 0, all = 0;

	for (size_t i = 0; i < n && c->places; i++) {
		const uint32_t one = place_at(c, unit, runs[i])->caller;

		if (one != CALLED_NOWHERE && !left)
			caller = one;
		if (one != CALLED_NOWHERE)
			left = one == caller ? left + 1 : left - 1;
	}
	for (size_t i = 0; i < n && caller != CALLED_NOWHERE; i++) {
		own += place_at(c, unit, runs[i])->caller == caller;
		all += place_at(c, unit, runs[i])->caller != CALLED_NOWHERE;
	}
	caller = 2 * own < all ? CALLED_ANYWHERE : caller;
	return caller < CALLERS ? none[caller] : caller - CALLERS;
}
