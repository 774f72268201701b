/*
 * stat_records.c - what records say around the counts: units and scales, threads, CPUs, how perf stat
 * was run.  count_notes.c reads notes, topology.c features about processors.
 */
#include "stat/count.h"

#include <stdlib.h>
#include <string.h>

/* ---- CPUs ---- */

static int add_cpu(struct pp_count_cpus *cpus, uint64_t cpu, struct pp_error *error)
{
	if (cpu >= PP_COUNT_CPUS)
		return 0;
	if (PP_GROW(&cpus->items, &cpus->room, cpus->n + 1, error))
		return -1;
	cpus->items[cpus->n++] = (int32_t)cpu;
	return 0;
}

static int compare_cpu_numbers(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

void pp_count_cpus_sort(struct pp_count_cpus *cpus)
{
	size_t n = 0;

	if (cpus->n)
		qsort(cpus->items, cpus->n, sizeof(*cpus->items), compare_cpu_numbers);
	for (size_t i = 0; i < cpus->n; i++)
		if (!n || cpus->items[n - 1] != cpus->items[i])
			cpus->items[n++] = cpus->items[i];
	cpus->n = n;
}

static int add_mask(struct pp_count_cpus *cpus, const struct pp_cursor *c, struct pp_error *error)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const uint64_t word = pp_walk_u64(c, i);

		for (unsigned bit = 0; bit < 8u * c->width; bit++)
			if (word >> bit & 1 && add_cpu(cpus, i * 8ull * c->width + bit, error))
				return -1;
	}
	return 0;
}

static int add_list(struct pp_count_cpus *cpus, const struct pp_cursor *c, struct pp_error *error)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const uint64_t cpu = pp_walk_u64(c, i);

		if (cpu == UINT16_MAX)
			cpus->any = true;
		else if (add_cpu(cpus, cpu, error))
			return -1;
	}
	return 0;
}

/* The CPUs of a cpu_map, in whichever form. */
static int take_listed_cpus(struct pp_count_cpus *cpus, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_cursor c;
	uint64_t first = 0;
	int failed = 0;

	cpus->n = 0;
	cpus->any = false;
	pp_walk(&c, rec);
	while (!failed && pp_count_value(&c)) {
		if (!strcmp(c.field->name, "cpu"))
			failed = add_list(cpus, &c, error);
		else if (!strcmp(c.field->name, "mask"))
			failed = add_mask(cpus, &c, error);
		else if (!strcmp(c.field->name, "any_cpu"))
			cpus->any |= c.value != 0;
		else if (!strcmp(c.field->name, "start_cpu"))
			first = c.value;
		else if (!strcmp(c.field->name, "end_cpu"))
			for (uint64_t cpu = first; cpu <= c.value && !failed; cpu++)
				failed = add_cpu(cpus, cpu, error);
	}
	pp_count_cpus_sort(cpus);
	return failed;
}

/* ---- Threads ---- */

static int add_thread(struct pp_counts *c, uint64_t pid, struct pp_error *error)
{
	if (c->n_threads >= PP_COUNT_THREADS)
		return 0;
	if (PP_GROW_ZEROED(&c->threads, &c->threads_room, c->n_threads + 1, error))
		return -1;
	c->threads[c->n_threads] = (struct pp_count_thread){ .pid = (int32_t)pid };
	c->n_threads++;
	return 0;
}

/* More than a record has room for are in several, each but the last of which is full; perf, which writes one,
 * says how many there are, and cuts it off. */
static int take_threads(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	enum { EACH = 24 };
	struct pp_cursor cursor;
	const char *text;
	size_t length;

	if (!c->threads_go_on) {
		c->n_threads = 0;
		c->threads_said = 0;
	}
	c->threads_go_on = rec->size > PP_RECORD_MAX - EACH;
	pp_walk(&cursor, rec);
	while (pp_count_value(&cursor)) {
		if (!strcmp(cursor.field->name, "nr"))
			c->threads_said += cursor.value < PP_COUNT_THREADS ? cursor.value : PP_COUNT_THREADS;
		if (!strcmp(cursor.field->name, "pid") && add_thread(c, cursor.value, error))
			return -1;
		if (strcmp(cursor.field->name, "comm") || !c->n_threads)
			continue;
		text = pp_walk_text(&cursor, &length);
		if (length > sizeof(c->threads->comm) - 1)
			length = sizeof(c->threads->comm) - 1;
		memcpy(c->threads[c->n_threads - 1].comm, text, length);
	}
	return 0;
}

/* ---- How perf stat was run ---- */

/* enum aggr_mode, which has other numbers from perf 6.5 on; these say PERF_STAT_CONFIG_TERM 3. */
static enum pp_count_by by_number(uint64_t mode, bool newer)
{
	static const uint8_t old[] = {
		PP_COUNT_CPU, PP_COUNT_GLOBAL, PP_COUNT_SOCKET, PP_COUNT_DIE, PP_COUNT_CORE,
		PP_COUNT_THREAD, PP_COUNT_GLOBAL, PP_COUNT_NODE,
	};
	static const uint8_t now[] = {
		PP_COUNT_CPU, PP_COUNT_GLOBAL, PP_COUNT_SOCKET, PP_COUNT_DIE, PP_COUNT_CLUSTER,
		PP_COUNT_CACHE, PP_COUNT_CORE, PP_COUNT_THREAD, PP_COUNT_GLOBAL, PP_COUNT_NODE,
	};

	if (newer)
		return mode < sizeof(now) ? now[mode] : PP_COUNT_GLOBAL;
	return mode < sizeof(old) ? old[mode] : PP_COUNT_GLOBAL;
}

enum { TAG_AGGR, TAG_INTERVAL, TAG_SCALE, TAG_LEVEL };        /* PERF_STAT_CONFIG_TERM__ */

static int take_config(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t tag = UINT64_MAX, mode = 1;
	struct pp_cursor cursor;
	bool newer = false;

	(void)error;
	pp_walk(&cursor, rec);
	while (pp_count_value(&cursor)) {
		if (!strcmp(cursor.field->name, "tag"))
			tag = cursor.value;
		if (strcmp(cursor.field->name, "val"))
			continue;
		if (tag == TAG_AGGR)
			mode = cursor.value;
		else if (tag == TAG_INTERVAL)
			c->about.interval = (cursor.value & UINT32_MAX) * 1000000;
		else if (tag == TAG_SCALE)
			c->about.scale = cursor.value != 0;
		newer |= tag == TAG_LEVEL;
	}
	if (c->about.by != PP_COUNT_THREAD)     /* a note has said it */
		c->about.by = by_number(mode, newer);
	return 0;
}

/* ---- One event ---- */

int pp_counts_sync(struct pp_counts *c, struct pp_error *error)
{
	const size_t n = pp_attrs_count(c->attrs);

	if (PP_GROW_ZEROED(&c->events, &c->events_room, n, error))
		return -1;
	for (; c->n_events < n; c->n_events++) {
		struct pp_count_event *const e = &c->events[c->n_events].event;

		*e = (struct pp_count_event){
			.unit = "", .scale = 1, .index = (uint32_t)c->n_events,
			.leader = (uint32_t)c->n_events,
		};
		c->plan.made = false;
	}
	return 0;
}

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };  /* enum perf_event_update_type */

static int take_unit(struct pp_count_known *known, const struct pp_record *rec, struct pp_error *error)
{
	const char *text;
	size_t length;

	if (!pp_get_text(rec, "unit", &text, &length))
		return 0;
	free(known->texts[0]);
	known->texts[0] = strndup(text, length);
	known->event.unit = known->texts[0] ? known->texts[0] : "";
	return known->texts[0] ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

static void take_scale(struct pp_count_known *known, const struct pp_record *rec)
{
	uint64_t bits;
	double scale;

	if (!pp_get_u64(rec, "scale", &bits))
		return;
	memcpy(&scale, &bits, sizeof(scale));
	/* Any number will do, but not NaN or infinity: each count would become one. */
	if (scale == scale && scale - scale == 0)
		known->event.scale = scale;
}

static int take_update(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_count_known *known;
	const struct pp_attr *attr;
	uint64_t id, kind;

	if (!pp_find_u64(rec, PP_IS_EVENT_ID, &id) || !pp_find_u64(rec, PP_IS_KIND, &kind))
		return 0;
	attr = pp_attrs_by_id(c->attrs, id);
	if (!attr)
		return 0;
	if (pp_counts_sync(c, error))
		return -1;
	known = &c->events[attr->index];
	c->plan.made = false;
	if (kind == UPDATE_UNIT)
		return take_unit(known, rec, error);
	if (kind == UPDATE_SCALE)
		take_scale(known, rec);
	return kind == UPDATE_CPUS ? take_listed_cpus(&known->cpus, rec, error) : 0;
}

void pp_count_known_free(struct pp_count_known *known)
{
	for (size_t i = 0; i < sizeof(known->texts) / sizeof(*known->texts); i++)
		free(known->texts[i]);
	free(known->own_name);
	free(known->cpus.items);
}

/* ---- What was counted ---- */

/* As perf says it of a file: the command line of the recorder. */
static int take_command(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_buffer title = { 0 };
	struct pp_cursor cursor;
	int failed = 0;

	if (c->titled)
		return 0;
	pp_walk(&cursor, rec);
	while (!failed && pp_walk_to(&cursor, "cmdline") == PP_MORE) {
		size_t length;
		const char *text;

		text = pp_walk_text(&cursor, &length);
		failed = pp_buffer_add(&title, title.size ? " " : "'", 1, error) ||
			 pp_buffer_add(&title, text, length, error);
	}
	if (!failed && title.size && !pp_buffer_add(&title, "'", 2, error)) {
		free(c->title);
		c->title = (char *)title.data;
		return 0;
	}
	pp_buffer_free(&title);
	return failed ? -1 : 0;
}

/* ---- Any record ---- */

static int take_cpu_map(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	return take_listed_cpus(&c->cpus, rec, error);
}

typedef int take_fn(struct pp_counts *, const struct pp_record *, struct pp_error *);

static take_fn *const records[] = {
	[PP_REC_THREAD_MAP] = take_threads, [PP_REC_CPU_MAP] = take_cpu_map,
	[PP_REC_STAT_CONFIG] = take_config, [PP_REC_EVENT_UPDATE] = take_update,
};

int pp_counts_said(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t feature;

	if (rec->type < sizeof(records) / sizeof(*records) && records[rec->type]) {
		c->plan.made = false;
		return records[rec->type](c, rec, error);
	}
	if (!pp_find_feature(rec, &feature))
		return 0;
	if (feature == PP_FEAT_CMDLINE)
		return take_command(c, rec, error);
	c->plan.made = false;
	return pp_count_topology_note(&c->topology, rec, feature, error);
}
