/*
 * names.c - the fields that the filter's language knows: those with a place of their own, every
 * row of SAMPLE with what it holds, and those of the other records of the kernel; and the name that
 * was perhaps meant.
 */
#include "format/format.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>

const struct pp_query_field_row pp_query_field_rows[PP_QUERY_FIELD_COUNT] = {
#define X(upper, name, kind, doc) { #name, PP_AS_##kind, doc },
	PP_QUERY_FIELDS(X)
#undef X
};

enum {
	NAME = 96,                    /* longest name of the tables, with room */
	INDEX_MAX = 1 << 20,          /* from here on no record has an element */
};

static bool is_array(const struct pp_field *row)
{
	return pp_is_array(row) || row->kind == PP_LIST;
}

static bool is_number(const struct pp_field *row)
{
	return row->kind <= PP_PARTS && row->kind != PP_F64;
}

/* The records other than samples that are judged: the kernel's.  NULL: none has this number. */
static const struct pp_type *side_type(uint32_t number)
{
	return number == PP_REC_SAMPLE || number >= PP_USER_TYPES ? NULL : pp_type(number);
}

/* ---- All names ------------------------------------------------------------------------------- */

struct listing {
	const struct pp_attr *attr;   /* NULL: whatever an event may have */
	bool side;                    /* rows of records that are no samples */
	pp_query_field_fn *fn;
	void *arg;
};

/* Whether the event lets the condition hold; what only the record says may. */
static bool may_hold(const struct pp_when *when, const struct pp_attr *a)
{
	return !a || pp_settled(when, a) != PP_NO;
}

static bool is_planned(const char *name)
{
	for (size_t i = 0; i < PP_QUERY_FIELD_COUNT; i++)
		if (!strcmp(pp_query_field_rows[i].name, name))
			return true;
	return false;
}

/* The tables nest three deep, and name nothing that holds itself. */
static void list_rows(const struct listing *l, const struct pp_field *rows, const char *before)
{
	char name[NAME], part[NAME * 2];

	for (const struct pp_field *row = rows; row->name; row++) {
		if (row->quiet || (!l->side && !*before && is_planned(row->name)) ||
		    !may_hold(&row->when, l->attr) || !may_hold(&row->also, l->attr))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s", before, *before ? "." : "", row->name,
			 is_array(row) && row->kind != PP_BYTES ? "[N]" : "");
		l->fn(l->arg, name, row->of ? "group" : is_number(row) ? "number" :
		      pp_is_text(row) || l->side ? "text" : "bytes", row->doc);
		if (row->of)
			list_rows(l, row->of, name);
		for (const struct pp_part *p = row->parts; p && p->name; p++) {
			snprintf(part, sizeof(part), "%s.%s", name, p->name);
			l->fn(l->arg, part, "number", p->doc);
		}
	}
}

static bool has_planned(const struct pp_attr *a, size_t field)
{
	switch (field) {
	case PP_QUERY_PID: case PP_QUERY_TID: case PP_QUERY_COMM:
	case PP_QUERY_NS_NET: case PP_QUERY_NS_UTS: case PP_QUERY_NS_IPC: case PP_QUERY_NS_PID:
	case PP_QUERY_NS_USER: case PP_QUERY_NS_MNT: case PP_QUERY_NS_CGROUP: case PP_QUERY_NS_TIME:
		return a->plan.tid;
	case PP_QUERY_CGROUP_PATH:
		return a->sample_type & PP_SAMPLE_CGROUP;
	case PP_QUERY_CPU:
		return a->plan.cpu;
	case PP_QUERY_TIME:
		return a->plan.time;
	case PP_QUERY_IP:
		return a->plan.ip;
	case PP_QUERY_DSO: case PP_QUERY_ANY_DSO: case PP_QUERY_BUILD_ID:
		return a->plan.ip && a->plan.tid;
	case PP_QUERY_ADDR:
		return a->plan.addr;
	case PP_QUERY_PERIOD:
		return a->plan.period || !pp_attr_flag(a, PP_FLAG_freq);
	case PP_QUERY_ID:
		return a->plan.id;
	case PP_QUERY_STREAM_ID:
		return a->plan.stream_id;
	case PP_QUERY_FRAMES:
		return a->sample_type & PP_SAMPLE_CALLCHAIN;
	default:
		return true;
	}
}

void pp_query_fields(const struct pp_attr *attr, pp_query_field_fn *fn, void *arg)
{
	static const char *const kinds[] = { "number", "number", "time", "text", "number" };
	const struct listing listing = { .attr = attr, .fn = fn, .arg = arg };

	for (size_t i = 0; i < PP_QUERY_FIELD_COUNT; i++) {
		const struct pp_query_field_row *const row = &pp_query_field_rows[i];

		if (!attr || has_planned(attr, i))
			fn(arg, row->name, kinds[row->kind], row->doc);
	}
	list_rows(&listing, pp_type(PP_REC_SAMPLE)->fields, "");
}

void pp_query_side_fields(uint32_t type, pp_query_field_fn *fn, void *arg)
{
	const struct listing listing = { .side = true, .fn = fn, .arg = arg };
	const struct pp_type *const row = side_type(type);

	if (row)
		list_rows(&listing, row->fields, "");
}

/* ---- What was meant -------------------------------------------------------------------------- */

enum { NEAREST = 3 };
struct nearest {
	const char *wanted;
	char names[NEAREST][NAME * 2];
	size_t distance[NEAREST];
};

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

static void consider(void *arg, const char *name, const char *kind, const char *doc)
{
	struct nearest *const n = arg;
	const char *const last = strrchr(name, '.');
	size_t far = distance(n->wanted, name), i;

	(void)kind;
	(void)doc;
	/* The last name alone, or a piece of it: "lvl" for data_src.mem_lvl. */
	if (last && !is_planned(name) && distance(n->wanted, last + 1) < far)
		far = distance(n->wanted, last + 1);
	if (strlen(n->wanted) > 2 && strstr(name, n->wanted) && far > 1)
		far = 1;
	if (far > (strlen(n->wanted) + 2) / 3)
		return;
	for (i = 0; i < NEAREST; i++)
		if (!strcmp(n->names[i], name))
			return;
	for (i = NEAREST; i && (!*n->names[i - 1] || n->distance[i - 1] > far); i--)
		if (i < NEAREST) {
			memcpy(n->names[i], n->names[i - 1], sizeof(n->names[i]));
			n->distance[i] = n->distance[i - 1];
		}
	if (i < NEAREST) {
		snprintf(n->names[i], sizeof(n->names[i]), "%s", name);
		n->distance[i] = far;
	}
}

static void consider_trace(struct nearest *n, const struct pp_query_path *path,
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
			consider(n, point->fields[j].name, NULL, NULL);
	}
	n->wanted = wanted;
}

/* "a, b, c" */
static void list_nearest(const struct nearest *n, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < NEAREST && *n->names[i]; i++) {
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
	struct nearest n = { .wanted = name };
	char meant[sizeof(error->text) / 2];

	if (path->is_trace)
		consider_trace(&n, path, known);
	if (!path->trace.system)
		pp_query_fields(NULL, consider, &n);
	if (!*n.names[0])
		for (uint32_t type = 0; type < PP_USER_TYPES; type++)
			pp_query_side_fields(type, consider, &n);
	list_nearest(&n, meant, sizeof(meant));
	if (*meant)
		pp_query_say(error, at, "no field is called '%.40s'; did you mean %s?", name,
			     meant);
	else
		pp_query_say(error, at, "no field is called '%.40s'; --fields lists all", name);
}

/* ---- What a stream does not have -------------------------------------------------------------- */

/* Where the reports of one query go. */
struct unmet {
	const struct pp_query *query;
	const struct pp_attrs *attrs;
	void (*report)(void *arg, const char *text);
	void *arg;
};

/* An event's name that the stream does not have; the nearest of those that it has. */
static void look_for_event(const struct unmet *u, const char *name)
{
	struct nearest n = { .wanted = name };
	char text[256], meant[128];

	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const char *const has = pp_attrs_at(u->attrs, i)->name;

		if (!strcmp(has, name))
			return;
		consider(&n, has, NULL, NULL);
	}
	list_nearest(&n, meant, sizeof(meant));
	snprintf(text, sizeof(text), "no event is called '%.80s'%s%s%s", name,
		 *meant ? "; did you mean " : "", meant, *meant ? "?" : "");
	u->report(u->arg, text);
}

static void look_for_events(const struct unmet *u, const struct pp_query_test *test)
{
	struct pp_query_test positive = *test;
	const struct pp_query_facts none = { .tasks = NULL };
	char text[256];

	positive.negate = false;
	for (uint32_t i = 0; test->kind == PP_TEST_TEXTS && i < test->count; i++)
		look_for_event(u, test->texts[i]);
	if (test->kind != PP_TEST_GLOB && test->kind != PP_TEST_PATTERN)
		return;
	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const struct pp_record sample = {
			.type = PP_REC_SAMPLE, .attr = pp_attrs_at(u->attrs, i), .attrs = u->attrs,
		};

		if (pp_query_text_holds(&positive, &sample, &none))
			return;
	}
	snprintf(text, sizeof(text), "no event matches %.*s",
		 test->length < 80 ? (int)test->length : 80, u->query->text + test->at);
	u->report(u->arg, text);
}

static bool has_row(const struct pp_attr *attr, const char *name)
{
	for (const struct pp_field *row = attr->sample_fields; row && row->name; row++)
		if (!strcmp(row->name, name))
			return true;
	return false;
}

/* defined() asks whether it is there, and is no mistake where it is not. */
static bool is_compared(const struct pp_query *q, const struct pp_query_path *path)
{
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++) {
		if (test->path == path && test->kind != PP_TEST_DEFINED)
			return true;
		for (uint32_t i = 0; i < test->n_ops; i++)
			if (test->ops[i].path == path)
				return true;
	}
	return false;
}

static void look_for_field(const struct unmet *u, const struct pp_query_path *path)
{
	size_t field = 0;
	char text[128];

	if (!path->in_sample || path->is_trace || !is_compared(u->query, path))
		return;
	while (field < PP_QUERY_FIELD_COUNT && strcmp(pp_query_field_rows[field].name, path->name) != 0)
		field++;
	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(u->attrs, i);

		if (field < PP_QUERY_FIELD_COUNT ? has_planned(attr, field) :
						   has_row(attr, path->steps[0].name))
			return;
	}
	snprintf(text, sizeof(text), "no sample has the field '%.60s'", path->name);
	u->report(u->arg, text);
}

void pp_query_unmet(const struct pp_query *q, const struct pp_attrs *attrs,
		    void (*report)(void *arg, const char *text), void *arg)
{
	const struct unmet u = { .query = q, .attrs = attrs, .report = report, .arg = arg };

	if (!pp_attrs_count(attrs))
		return;
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++)
		if (test->field == PP_QUERY_EVENT)
			look_for_events(&u, test);
	for (const struct pp_query_path *path = q->paths; path; path = path->next)
		look_for_field(&u, path);
}

/* ---- One name -------------------------------------------------------------------------------- */

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
		    (step.indexed && (!is_array(row) || row->kind == PP_BYTES)))
			continue;
		step.name = row->name;
		path->steps[level] = step;
		path->n = (uint8_t)(level + 1);
		path->many = many || (is_array(row) && row->kind != PP_BYTES && !step.indexed);
		path->number = is_number(row);
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
	return is_array(row) || row->when.reg || row->kind > PP_PARTS ? 0 : pp_row_width(row);
}

/* Where a row stands in every record of its type, or 0: a walk has to tell. */
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
		const struct pp_type *const type = side_type(number);
		struct pp_query_path found = { .n = 0 };
		const struct pp_field *const row =
			type ? resolve(&found, type->fields, path->name) : NULL;

		if (!row)
			continue;
		any = true;
		path->own[number] = (struct pp_query_own){
			.kind = row->kind, .how = PP_OWN_WALKED,
			.at = found.n == 1 && !found.steps[0].indexed && !found.part ?
				      fixed_place(type->fields, row) : 0,
		};
		if (path->own[number].at)
			path->own[number].how = PP_OWN_FIXED;
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
		free(path);
		return NULL;
	}
	if (old) {
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

struct pp_query_path *pp_query_path_find(const char *text, size_t at, size_t length,
					 struct pp_query_path **list, struct pp_query_error *error)
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
		free(path);
		path = next;
	}
}
