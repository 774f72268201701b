/* columns.c - the values of columns and their order, as perf's sort.c has them; entries are hist.c's. */
#include "profile/columns.h"

#include <perfpipe/walk.h>

#include <string.h>

/* ---- of an entry ---- */

#define OF_ENTRY(member) \
static uint64_t weight_##member(const struct pp_entry *e) \
{ \
	return e->member; \
}
OF_ENTRY(weight)
OF_ENTRY(children)
OF_ENTRY(sys)
OF_ENTRY(us)
OF_ENTRY(guest_sys)
OF_ENTRY(guest_us)
OF_ENTRY(samples)

/* ---- of a sample ---- */

static int take_text(const struct pp_sampled *s, const char *text, uint64_t *value, struct pp_error *error)
{
	uint32_t number = 0;
	const int status = text ? pp_spots_text(s->places, text, strlen(text), &number, error) : 0;

	*value = number;
	return status;
}

#define OF_SAMPLE(name, member) \
static int sample_##name(const struct pp_sampled *s, uint64_t *value, struct pp_error *error) \
{ \
	(void)error; \
	*value = s->member; \
	return 0; \
}
OF_SAMPLE(comm, comm)
OF_SAMPLE(pid, pid)
OF_SAMPLE(tid, tid)
OF_SAMPLE(parent, parent)

static int sample_cpu(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint32_t cpu;

	(void)error;
	*value = pp_cpu(s->rec, &cpu) ? cpu : UINT64_MAX;
	return 0;
}

static int sample_time(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t time;

	(void)error;
	*value = pp_time(s->rec, &time) ? time - time % s->quantum : 0;
	return 0;
}

static int sample_event(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return take_text(s, s->rec->attr->name, value, error);
}

static int sample_cgroup(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t id;
	const char *path = NULL;

	if (pp_find_u64(s->rec, PP_IS_CGROUP, &id) && id) {
		path = pp_tasks_cgroup(s->tasks, id);
		path = path ? path : "unknown";
	}
	return take_text(s, path, value, error);
}

static int sample_cost(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	(void)error;
	if (!pp_get_u64(s->rec, "weight", value))
		*value = 0;
	return 0;
}

/* ---- of a function ---- */

static uint64_t place_dso(const struct pp_spot *p, uint32_t number)
{
	(void)number;
	return p->dso;
}

static uint64_t place_symbol(const struct pp_spot *p, uint32_t number)
{
	(void)p;
	return number;
}

static uint64_t place_line(const struct pp_spot *p, uint32_t number)
{
	(void)number;
	return p->line;
}

/* ---- the table ---- */

static const struct pp_column columns[] = {
#define ROW(name, header, kind, key, width, unknown) { name, header, PP_REPORT_##kind, key, width, unknown }
#define WEIGHT(name, header, kind, width, value) \
	{ ROW(name, header, kind, false, width, NULL), weight_##value, NULL, NULL },
#define SAMPLE(name, header, kind, width, unknown, value) \
	{ ROW(name, header, kind, true, width, unknown), NULL, sample_##value, NULL },
#define PLACE(name, header, kind, width, unknown, value) \
	{ ROW(name, header, kind, true, width, unknown), NULL, NULL, place_##value },
#include "profile/columns.def"
};

enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

const char *pp_report_key(size_t i)
{
	return i < N_COLUMNS ? columns[i].shown.name : NULL;
}

/* As perf, also the beginning of a name: "sym". */
const struct pp_column *pp_column_find(const char *name, size_t length)
{
	for (size_t i = 0; length && i < N_COLUMNS; i++)
		if (strlen(columns[i].shown.name) == length && !strncmp(columns[i].shown.name, name, length))
			return &columns[i];
	for (size_t i = 0; length && i < N_COLUMNS; i++)
		if (!strncmp(columns[i].shown.name, name, length))
			return &columns[i];
	return NULL;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By bytes; what is not known comes last. */
static int compare_texts(const struct pp_spots *p, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	return strcmp(p->texts.items[a].text, p->texts.items[b].text);
}

int pp_column_compare(const struct pp_column *column, const struct pp_spots *p, uint64_t a, uint64_t b)
{
	switch (column->shown.kind) {
	case PP_REPORT_TEXT:
		return compare_texts(p, a, b);
	case PP_REPORT_SYMBOL:
		return a == b ? 0 : compare_texts(p, p->places[a].name, p->places[b].name);
	case PP_REPORT_COST:
		return compare_numbers(b, a);
	default:
		return compare_numbers(a, b);
	}
}
