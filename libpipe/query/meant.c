/* meant.c - the names that were perhaps meant, where there is none as it was written. */
#include "query/query.h"

#include <stdio.h>

enum { NAME = PP_QUERY_NAME };

/* Single letters to be changed, put in or taken out. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME * 2], columns = strlen(b);

	if (strlen(a) >= NAME || columns >= NAME * 2)
		return NAME;
	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < columns; j++) {
			const size_t change = corner + (a[i] != b[j]);

			corner = row[j + 1];
			row[j + 1] = row[j] + 1 < corner + 1 ? row[j] + 1 : corner + 1;
			if (change < row[j + 1])
				row[j + 1] = change;
		}
	}
	return row[columns];
}

void pp_nearest_consider(void *arg, const char *name, const char *kind, const char *doc)
{
	struct pp_nearest *const n = arg;
	const char *const last = strrchr(name, '.');
	size_t far = distance(n->wanted, name), i;

	(void)kind;
	(void)doc;
	/* The last name alone, or a piece of it: "lvl" for data_src.mem_lvl. */
	if (last && !pp_query_is_planned(name) && distance(n->wanted, last + 1) < far)
		far = distance(n->wanted, last + 1);
	if (strlen(n->wanted) > 2 && strstr(name, n->wanted) && far > 1)
		far = 1;
	if (far > (strlen(n->wanted) + 2) / 3)
		return;
	for (i = 0; i < PP_NEAREST; i++)
		if (!strcmp(n->names[i], name))
			return;
	for (i = PP_NEAREST; i && (!*n->names[i - 1] || n->distance[i - 1] > far); i--)
		if (i < PP_NEAREST) {
			memcpy(n->names[i], n->names[i - 1], sizeof(n->names[i]));
			n->distance[i] = n->distance[i - 1];
		}
	if (i < PP_NEAREST) {
		snprintf(n->names[i], sizeof(n->names[i]), "%s", name);
		n->distance[i] = far;
	}
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
			pp_nearest_consider(n, point->fields[j].name, NULL, NULL);
	}
	n->wanted = wanted;
}

/* "a, b, c" */
void pp_nearest_list(const struct pp_nearest *n, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < PP_NEAREST && *n->names[i]; i++) {
		const int added = snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   n->names[i]);

		if (added > 0 && (size_t)added < size - length)
			length += (size_t)added;
		text[length] = '\0';
	}
}

void pp_query_no_such_field(const struct pp_query_path *path, const struct pp_tracepoints *known,
			    size_t at, struct pp_query_error *error)
{
	const char *const name = path->name;
	struct pp_nearest n = { .wanted = name };
	char meant[sizeof(error->text) / 2];

	if (path->is_trace)
		consider_trace(&n, path, known);
	if (!path->trace.system)
		pp_query_fields(NULL, pp_nearest_consider, &n);
	if (!*n.names[0])
		for (uint32_t type = 0; type < PP_USER_TYPES; type++)
			pp_query_side_fields(type, pp_nearest_consider, &n);
	pp_nearest_list(&n, meant, sizeof(meant));
	if (*meant)
		pp_query_say(error, at, "no field is called '%.40s'; did you mean %s?", name,
			     meant);
	else
		pp_query_say(error, at, "no field is called '%.40s'; --fields lists all", name);
}
