/* suggest_field.c - the fields that were perhaps meant, where there is none as it was written. */
#include "query/query.h"

#include <perfpipe/suggest.h>

#include <stdio.h>

/* A pp_query_field_fn. */
static void consider(void *nearest, const char *name, const char *kind, const char *doc)
{
	const char *const last = strrchr(name, '.');

	(void)kind;
	(void)doc;
	/* The last name alone, or a piece of it: "lvl" for data_src.mem_lvl. */
	pp_nearest_consider(nearest, name, last && !pp_query_is_planned(name) ? last + 1 : NULL);
}

static void consider_trace(struct pp_nearest *n, const struct pp_query_path *path,
			   const struct pp_tracepoints *known)
{
	const struct pp_tracepoint *point;
	const char *const wanted = n->wanted;

	for (size_t i = 0; known && (point = pp_tracepoints_at(known, i)); i++) {
		if (path->trace.system && (strcmp(path->trace.system, point->system) != 0 ||
					   strcmp(path->trace.event, point->name) != 0))
			continue;
		n->wanted = path->trace.field;
		for (size_t j = 0; j < point->n_fields; j++)
			pp_nearest_consider(n, point->fields[j].name, NULL);
	}
	n->wanted = wanted;
}

void pp_query_no_such_field(const struct pp_query_path *path, const struct pp_tracepoints *known,
			    size_t at, struct pp_error *error)
{
	const char *const name = path->name;
	struct pp_nearest n = { .wanted = name };
	char meant[80];

	if (path->is_trace)
		consider_trace(&n, path, known);
	if (!path->trace.system)
		pp_query_fields(NULL, consider, &n);
	if (!*n.names[0])
		for (uint32_t type = 0; type < PP_USER_TYPES; type++)
			pp_query_side_fields(type, consider, &n);
	pp_nearest_question(&n, meant, sizeof(meant));
	pp_query_say(error, at, "no field is called '%.40s'%s", name, meant);
	if (!*meant)
		pp_error_hint(error, PP_HINT_LIST_FIELDS);
}
