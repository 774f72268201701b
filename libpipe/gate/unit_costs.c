/* unit_costs.c - what each function, file or stack cost in each of several recordings. */
#include <perfpipe/fold.h>
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
	/* The units of the nodes from the outermost to the one at hand, by depth. */
	uint32_t *path;
	size_t path_room;
	struct pp_buffer text;        /* of a stack */
	size_t *ends;                 /* where the text of each depth ends */
	size_t ends_room;
	const struct pp_fold *fold;
};

enum { NO_UNIT = INT32_MAX };

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

/* Room for the units that there are; rows move apart where there are more runs. */
static int make_room(struct pp_unit_costs *c, size_t units, size_t runs, struct pp_error *error)
{
	const size_t more_units = units > c->units_room ? 2 * units : c->units_room;
	const size_t more_runs = runs > c->runs_room ? 2 * runs : c->runs_room;
	double *costs;

	if (more_units == c->units_room && more_runs == c->runs_room)
		return 0;
	costs = calloc(more_units, more_runs * sizeof(*costs));
	if (!costs)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->units_room && c->runs_room; i++)
		memcpy(costs + i * more_runs, cost_at(c, i, 0), c->runs_room * sizeof(*costs));
	free(c->costs);
	c->costs = costs;
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
	if (unit != NO_UNIT && weights[PP_PROFILE_FIRST] &&
	    (!c->inclusive || !is_called_by_itself(c, node->depth)))
		*cost_at(c, unit, c->runs) += (double)weights[PP_PROFILE_FIRST];
	return 0;
}

int pp_unit_costs_add(struct pp_unit_costs *c, struct pp_profile *profile, const struct pp_fold *fold,
		      struct pp_error *error)
{
	c->fold = fold;
	if (make_room(c, c->names.n, c->runs + 1, error) ||
	    PP_GROW(&c->totals, &c->totals_room, c->runs + 1, error) ||
	    pp_profile_each(profile, PP_PROFILE_AS_MADE, add_node, c, error))
		return -1;
	c->totals[c->runs++] = (double)pp_profile_total(profile, PP_PROFILE_FIRST);
	return 0;
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
