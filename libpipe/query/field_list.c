/*
 * field_list.c - the fields that the filter's language knows: those with a place of their own, every
 * row of SAMPLE with what it holds, and those of the other records of the kernel; which of them was perhaps
 * meant where there is none as it was written.
 */
#include "query/query.h"

#include <perfpipe/suggest.h>

#include <stdio.h>

const struct pp_query_field_row pp_query_field_rows[PP_QUERY_FIELD_COUNT] = {
#define X(upper, name, kind, doc) { #name, PP_AS_##kind, doc },
	PP_QUERY_FIELDS(X)
#undef X
};

enum { NAME = PP_QUERY_NAME };

const struct pp_type *pp_query_side_type(uint32_t number)
{
	return number == PP_REC_SAMPLE || number >= PP_USER_TYPES ? NULL : pp_type(number);
}

struct field_listing {
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

/* Whether a field with a place of its own has this name. */
static bool is_planned(const char *name)
{
	for (size_t i = 0; i < PP_QUERY_FIELD_COUNT; i++)
		if (!strcmp(pp_query_field_rows[i].name, name))
			return true;
	return false;
}

/* The tables nest three deep, and name nothing that holds itself. */
static void list_rows(const struct field_listing *l, const struct pp_field *rows, const char *before)
{
	char name[NAME], part[NAME * 2];

	for (const struct pp_field *row = rows; row->name; row++) {
		if (row->quiet || (!l->side && !*before && is_planned(row->name)) ||
		    !may_hold(&row->when, l->attr) || !may_hold(&row->also, l->attr))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s", before, *before ? "." : "", row->name,
			 pp_query_is_array(row) && row->kind != PP_BYTES ? "[N]" : "");
		l->fn(l->arg, name, row->of ? "group" : pp_query_is_number(row) ? "number" :
		      pp_is_text(row) || l->side ? "text" : "bytes", row->doc);
		if (row->of)
			list_rows(l, row->of, name);
		for (const struct pp_part *p = row->parts; p && p->name; p++) {
			snprintf(part, sizeof(part), "%s.%s", name, p->name);
			l->fn(l->arg, part, "number", p->doc);
		}
	}
}

bool pp_query_has_planned(const struct pp_attr *a, size_t field)
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
	case PP_QUERY_SYM: case PP_QUERY_ANY_SYM: case PP_QUERY_PARENT_SYM: case PP_QUERY_SRCFILE:
	case PP_QUERY_SRCLINE:
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
		return pp_attr_has_chain(a);
	default:
		return true;
	}
}

void pp_query_fields(const struct pp_attr *attr, pp_query_field_fn *fn, void *arg)
{
	static const char *const kinds[] = { "number", "number", "time", "text", "number" };
	const struct field_listing listing = { .attr = attr, .fn = fn, .arg = arg };

	for (size_t i = 0; i < PP_QUERY_FIELD_COUNT; i++) {
		const struct pp_query_field_row *const row = &pp_query_field_rows[i];

		if (!attr || pp_query_has_planned(attr, i))
			fn(arg, row->name, kinds[row->kind], row->doc);
	}
	for (unsigned i = PP_SPAN_NO_WORD + 1; i < PP_SPAN_WORD_COUNT; i++) {
		const struct pp_span_word_row *const row = &pp_span_word_rows[i];

		if (!attr || pp_span_says(attr, (enum pp_span_word)i))
			fn(arg, row->name, row->kind, row->doc);
	}
	list_rows(&listing, pp_type(PP_REC_SAMPLE)->fields, "");
}

void pp_query_side_fields(uint32_t type, pp_query_field_fn *fn, void *arg)
{
	const struct field_listing listing = { .side = true, .fn = fn, .arg = arg };
	const struct pp_type *const row = pp_query_side_type(type);

	if (row)
		list_rows(&listing, row->fields, "");
}

/* ---- What was perhaps meant ------------------------------------------------------------------- */

/* A pp_query_field_fn. */
static void consider(void *nearest, const char *name, const char *kind, const char *doc)
{
	const char *const last = strrchr(name, '.');

	(void)kind;
	(void)doc;
	/* The last name alone, or a piece of it: "lvl" for data_src.mem_lvl. */
	pp_nearest_consider(nearest, name, last && !is_planned(name) ? last + 1 : NULL);
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
