/* resolve_name.c - one name of the filter's language: the way through the tables to its field. */
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>

enum { INDEX_MAX = 1 << 20 };         /* from here on no record has an element */

/* The next name of a path, and its [N]; what is left of it. */
static const char *take_step(const char *p, struct pp_query_step *step, size_t *length)
{
	*step = (struct pp_query_step){ .name = NULL };
	*length = strcspn(p, ".[");
	p += *length;
	if (*p == '[') {
		step->indexed = true;
		for (p++; *p != ']'; p++)
			step->index = step->index >= INDEX_MAX ? INDEX_MAX :
				      step->index * 10 + (unsigned)(*p - '0');
		p++;
	}
	return *p == '.' ? p + 1 : p;
}

static bool equals(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

/* Finds the rest of the path among these rows; several may have the same name. */
static const struct pp_field *resolve(struct pp_query_path *path, const struct pp_field *rows,
				      const char *text)
{
	const uint8_t level = path->n;
	const bool many = path->many;
	const struct pp_field *found;
	struct pp_query_step step;
	size_t length;
	const char *const rest = take_step(text, &step, &length);

	if (level == PP_QUERY_STEPS)
		return NULL;
	for (const struct pp_field *row = rows; row->name; row++) {
		if (row->quiet || !equals(row->name, text, length) ||
		    (step.indexed && (!pp_query_is_array(row) || row->kind == PP_BYTES)))
			continue;
		step.name = row->name;
		path->steps[level] = step;
		path->n = (uint8_t)(level + 1);
		path->many = many || (pp_query_is_array(row) && row->kind != PP_BYTES && !step.indexed);
		path->number = pp_query_is_number(row);
		path->is = *rest || step.indexed ? PP_IS_NOTHING : row->is;
		if (!*rest)
			return row;
		found = row->of ? resolve(path, row->of, rest) : NULL;
		if (found)
			return found;
		for (const struct pp_part *p = row->parts; p && p->name; p++)
			if (!strcmp(p->name, rest)) {
				path->part = p->name;
				return row;
			}
	}
	path->n = level;
	path->many = many;
	return NULL;
}

/* ---- Names of records that are no samples ---------------------------------------------------- */

static unsigned width_of(const struct pp_field *row)
{
	return pp_query_is_array(row) || row->when.reg || row->kind > PP_PARTS ? 0 : pp_row_width(row);
}

/* The place of a row in every record of its type, or 0: a walk has to find it. */
static uint16_t fixed_place(const struct pp_field *rows, const struct pp_field *wanted)
{
	uint16_t at = PP_HEADER_SIZE;

	for (const struct pp_field *row = rows; row != wanted; row++) {
		if (!row->name || !width_of(row))
			return 0;
		at = (uint16_t)(at + width_of(row));
	}
	return width_of(wanted) || (wanted->kind == PP_STR && !wanted->when.reg) ? at : 0;
}

/* Finds the name in every type that has it; what it leads to is as in the last of them, unless
 * samples have it as well. */
static bool find_own(struct pp_query_path *path)
{
	bool any = false;

	for (uint32_t number = 0; number < PP_USER_TYPES; number++) {
		const struct pp_type *const type = pp_query_side_type(number);
		struct pp_query_path found = { .n = 0 };
		const struct pp_field *const row =
			type ? resolve(&found, type->fields, path->name) : NULL;

		if (!row)
			continue;
		any = true;
		path->own[number] = (struct pp_query_own){
			.kind = row->kind, .how = PP_TERM_WALKED,
			.at = found.n == 1 && !found.steps[0].indexed && !found.part ?
				      fixed_place(type->fields, row) : 0,
		};
		if (path->own[number].at)
			path->own[number].how = PP_TERM_FIXED;
		if (path->in_sample)
			continue;
		memcpy(path->steps, found.steps, sizeof(path->steps));
		path->n = found.n;
		path->many = found.many;
		path->number = found.number;
		path->part = found.part;
		path->is = found.is;
		path->text = pp_is_text(row) || row->kind == PP_BYTES;
		path->is_signed = row->kind == PP_S32 || row->kind == PP_S64;
	}
	return any;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static struct pp_query_path *new_path(const char *before, const char *name, size_t length)
{
	struct pp_query_path *const path =
		calloc(1, sizeof(*path) + 2 * (strlen(before) + length + 1));

	if (path) {
		memcpy(path->name, before, strlen(before));
		memcpy(path->name + strlen(before), name, length);
	}
	return path;
}

/* Puts the path into the list, unless one of that name is there, which takes its place. */
static struct pp_query_path *keep(struct pp_query_path *path, struct pp_query_path **list)
{
	struct pp_query_path *old = *list;

	while (old && strcmp(old->name, path->name) != 0)
		old = old->next;
	if (!old && path->text && !(path->scratch = malloc(PP_QUERY_SCRATCH))) {
		pp_call_names_free(path->trace.calls);
		free(path);
		return NULL;
	}
	if (old) {
		pp_call_names_free(path->trace.calls);
		free(path);
		return old;
	}
	path->next = *list;
	return *list = path;
}

struct pp_query_path *pp_query_path_planned(enum pp_query_field field, struct pp_query_path **list)
{
	const char *const name = pp_query_field_rows[field].name;
	struct pp_query_path *const path = new_path("", name, strlen(name));

	if (!path)
		return NULL;
	path->in_sample = true;
	path->number = true;
	path->steps[0].name = field == PP_QUERY_CGROUP_PATH ? "cgroup" : name;
	path->n = 1;
	path->text = pp_query_field_rows[field].kind == PP_AS_TEXT;
	/* `type` is what the record is, even where it has a field that is called so. */
	if (field != PP_QUERY_TYPE)
		find_own(path);
	return keep(path, list);
}

/* Names of system calls, if they are asked for: whether memory is lacking.  That there are none is said once
 * it is known whether the stream has a tracepoint with such a field. */
static bool find_calls(struct pp_query_path *path)
{
	struct pp_error why;

	if (path->trace.word != PP_SPAN_SYSCALL)
		return false;
	path->trace.calls = pp_call_names_new(&why);
	return !path->trace.calls && why.code == PP_E_NOMEM;
}

struct pp_query_path *pp_query_path_find(const char *text, size_t at, size_t length,
					 struct pp_query_path **list, struct pp_error *error)
{
	static const char branch[] = "branch";
	/* branch[0].from is short for what the tables nest deeper. */
	const size_t n = length >= sizeof(branch) &&
					 !memcmp(text + at, branch, sizeof(branch) - 1) &&
					 strchr(".[", text[at + sizeof(branch) - 1])
				 ? sizeof(branch) - 1
				 : 0;
	struct pp_query_path *path =
		new_path(n ? "branch_stack.entries" : "", text + at + n, length - n);

	if (path && resolve(path, pp_type(PP_REC_SAMPLE)->fields, path->name))
		path->in_sample = true;
	if (path && !find_own(path) && !path->in_sample) {
		if (!pp_query_trace_name(path)) {
			path->is_trace = false;
			pp_query_no_such_field(path, NULL, at, error);
			free(path);
			return NULL;
		}
		path->trace.at = at;
		if (find_calls(path)) {
			pp_query_say_memory(error);
			free(path);
			return NULL;
		}
	}
	path = path ? keep(path, list) : NULL;
	if (!path)
		pp_query_say_memory(error);
	return path;
}

void pp_query_paths_free(struct pp_query_path *path)
{
	while (path) {
		struct pp_query_path *const next = path->next;

		free(path->scratch);
		free(path->trace.bound);
		pp_call_names_free(path->trace.calls);
		free(path);
		path = next;
	}
}
