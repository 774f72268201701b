/*
 * count_notes.c - the notes of counts, which are JSON: `count`, of the recording, `count.events`, of its
 * events, `count.run`, of each run of a command.
 */
#include "stat/count.h"

#include <stdlib.h>
#include <string.h>

#include "text/json_parse.h"

/* The member of an object by its name, or NULL. */
static const struct json *member(const struct json_doc *doc, const struct json *object, const char *name)
{
	const size_t length = strlen(name);
	size_t at = (size_t)(object - doc->nodes) + 1;

	if (object->kind != JSON_OBJECT || !object->length)
		return NULL;
	for (; at; at = doc->nodes[at].next)
		if (doc->nodes[at].key_length == length && !memcmp(doc->nodes[at].key, name, length))
			return &doc->nodes[at];
	return NULL;
}

static uint64_t number(const struct json_doc *doc, const struct json *object, const char *name)
{
	const struct json *const node = member(doc, object, name);

	return node && node->kind == JSON_NUMBER && node->whole && !node->negative ? node->value : 0;
}

static bool is_true(const struct json_doc *doc, const struct json *object, const char *name)
{
	const struct json *const node = member(doc, object, name);

	return node && node->kind == JSON_TRUE;
}

/* ---- count.run ---- */

static int take_run(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const struct json *const run = &doc->nodes[0];
	const struct json *const rounds = member(doc, run, "rounds");
	struct pp_count_run *made;

	if (run->kind != JSON_OBJECT || c->about.runs >= PP_COUNT_RUNS)
		return 0;
	if (PP_GROW(&c->runs, &c->runs_room, c->about.runs + 1, error))
		return -1;
	made = &c->runs[c->about.runs++];
	*made = (struct pp_count_run){
		.elapsed = number(doc, run, "elapsed"), .user = number(doc, run, "user"),
		.sys = number(doc, run, "sys"), .status = (int32_t)number(doc, run, "status"),
		.signal = (int32_t)number(doc, run, "signal"), .side = (int32_t)number(doc, run, "side"),
		.has_usage = member(doc, run, "user") != NULL, .cut = is_true(doc, run, "cut"),
	};
	if (rounds && rounds->kind == JSON_LIST && rounds->length == 2) {
		made->first = rounds[1].value;
		made->last = rounds[2].value;
	}
	return 0;
}

/* ---- count.events ---- */

/* Texts of an event, as pp_count_known has them; 0 is the unit, which no note says. */
static const struct { const char *name; size_t at; } texts[] = {
	{ "cgroup", offsetof(struct pp_count_event, cgroup) },
	{ "pmu", offsetof(struct pp_count_event, pmu) },
	{ "alias", offsetof(struct pp_count_event, alias) },
	{ "metric", offsetof(struct pp_count_event, metric) },
	{ "why", offsetof(struct pp_count_event, why) },
	{ "name", offsetof(struct pp_count_event, name) },    /* of one that could not be opened */
};

static int take_texts(struct pp_count_known *known, const struct json_doc *doc,
		      const struct json *object, struct pp_error *error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct json *const node = member(doc, object, texts[i].name);
		char *copy;

		if (!node || node->kind != JSON_TEXT)
			continue;
		copy = strndup(node->text, node->length);
		if (!copy)
			return pp_fail(error, PP_E_NOMEM, NULL);
		free(known->texts[i + 1]);
		known->texts[i + 1] = copy;
		memcpy((char *)&known->event + texts[i].at, &copy, sizeof(copy));
	}
	return 0;
}

static int take_events(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	size_t at = 1;

	if (doc->nodes[0].kind != JSON_LIST || !doc->nodes[0].length)
		return 0;
	for (size_t i = 0; at && i < c->n_events; i++, at = doc->nodes[at].next) {
		const struct json *const object = &doc->nodes[at];
		struct pp_count_event *const event = &c->events[i].event;
		const struct json *const leader = member(doc, object, "leader");

		if (leader && leader->whole && leader->value < c->n_events)
			event->leader = (uint32_t)leader->value;
		event->percore = is_true(doc, object, "percore");
		if (take_texts(&c->events[i], doc, object, error))
			return -1;
	}
	return 0;
}

/* ---- count ---- */

/* Adds a text, or the elements of a list with `between` them. */
static int add_note_values(struct pp_buffer *text, const struct json_doc *doc, const struct json *node,
			   const char *between, struct pp_error *error)
{
	size_t at = (size_t)(node - doc->nodes) + 1;

	if (node->kind == JSON_TEXT || node->kind == JSON_NUMBER)
		return pp_buffer_add(text, node->text, node->length, error);
	for (bool first = true; node->kind == JSON_LIST && node->length && at; at = doc->nodes[at].next) {
		const struct json *const item = &doc->nodes[at];

		if ((!first && pp_buffer_add(text, between, 1, error)) ||
		    ((item->kind == JSON_TEXT || item->kind == JSON_NUMBER) &&
		     pp_buffer_add(text, item->text, item->length, error)))
			return -1;
		first = false;
	}
	return 0;
}

/* In the order in which perf prefers them, in print_header(). */
static const struct { const char *name, *before, *between; } titles[] = {
	{ "cpus", "'CPU(s) ", "," }, { "pids", "process id '", "," }, { "tids", "thread id '", "," },
	{ "command", "'", " " },
};

static int make_title(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const struct json *const about = &doc->nodes[0];
	struct pp_buffer title = { 0 };
	int failed = 0;

	if (is_true(doc, about, "all") && !member(doc, about, "cpus"))
		failed = pp_buffer_add(&title, "'system wide", 12, error);
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles) && !title.size && !failed; i++) {
		const struct json *const node = member(doc, about, titles[i].name);

		if (node && node->length)
			failed = pp_buffer_add(&title, titles[i].before, strlen(titles[i].before), error) ||
				 add_note_values(&title, doc, node, titles[i].between, error);
	}
	if (failed || (title.size && pp_buffer_add(&title, "'", 2, error))) {
		pp_buffer_free(&title);
		return -1;
	}
	if (title.size) {
		free(c->title);
		c->title = (char *)title.data;
		c->titled = true;
	}
	return 0;
}

/* Clusters are lists of CPUs; they have no number but their place among them. */
static int take_clusters(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const struct json *const list = member(doc, &doc->nodes[0], "clusters");
	size_t at = list && list->kind == JSON_LIST && list->length ? (size_t)(list - doc->nodes) + 1 : 0;

	for (int32_t number = 0; at; at = doc->nodes[at].next, number++) {
		size_t cpu = doc->nodes[at].kind == JSON_LIST && doc->nodes[at].length ? at + 1 : 0;

		for (; cpu; cpu = doc->nodes[cpu].next) {
			struct pp_count_joined *joined;

			if (!doc->nodes[cpu].whole || doc->nodes[cpu].value >= PP_COUNT_CPUS)
				continue;
			joined = pp_count_joined(&c->topology, (int64_t)doc->nodes[cpu].value, error);
			if (!joined)
				return -1;
			joined->cluster = number;
			c->plan.made = false;
		}
	}
	return 0;
}

static int take_metrics(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const struct json *const list = member(doc, &doc->nodes[0], "metrics");
	struct pp_buffer names = { 0 };

	if (!list || !list->length)
		return 0;
	if (add_note_values(&names, doc, list, ",", error) || pp_buffer_add(&names, "", 1, error)) {
		pp_buffer_free(&names);
		return -1;
	}
	free(c->metrics);
	c->metrics = (char *)names.data;
	return 0;
}

/* The commands that are compared. */
static int take_sides(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const struct json *const list = member(doc, &doc->nodes[0], "sides");
	size_t at = list && list->kind == JSON_LIST && list->length ? (size_t)(list - doc->nodes) + 1 : 0;

	for (size_t i = 0; at && i < PP_COUNT_SIDES; i++, at = doc->nodes[at].next) {
		if (doc->nodes[at].kind != JSON_TEXT)
			continue;
		free(c->sides[i]);
		c->sides[i] = strndup(doc->nodes[at].text, doc->nodes[at].length);
		if (!c->sides[i])
			return pp_fail(error, PP_E_NOMEM, NULL);
	}
	return 0;
}

static int take_about(struct pp_counts *c, const struct json_doc *doc, struct pp_error *error)
{
	const uint64_t interval = number(doc, &doc->nodes[0], "interval");

	if (interval)
		c->about.interval = interval;
	c->about.chips = (uint32_t)number(doc, &doc->nodes[0], "chips");
	c->about.chip_cores = (uint32_t)number(doc, &doc->nodes[0], "chip_cores");
	if (is_true(doc, &doc->nodes[0], "thread"))
		c->about.by = PP_COUNT_THREAD;
	c->about.all_tasks = is_true(doc, &doc->nodes[0], "thread") && is_true(doc, &doc->nodes[0], "all");
	c->about.null = is_true(doc, &doc->nodes[0], "null");
	c->about.metric_only = is_true(doc, &doc->nodes[0], "metric_only");
	return make_title(c, doc, error) || take_clusters(c, doc, error) ||
	       take_metrics(c, doc, error) || take_sides(c, doc, error) ? -1 : 0;
}

/* ---- any ---- */

/* Parsing changes the text.  What is not JSON says nothing. */
static int take_json(struct pp_counts *c, struct pp_buffer *text,
		     int (*take)(struct pp_counts *, const struct json_doc *, struct pp_error *),
		     struct pp_error *error)
{
	struct json_doc doc = { 0 };
	int failed = 0;

	if (!pp_buffer_room(text, 1, error))
		return -1;
	if (!pp_json_parse(&doc, (char *)text->data, text->size))
		failed = take(c, &doc, error);
	else if (doc.no_memory)
		failed = pp_fail(error, PP_E_NOMEM, NULL);
	pp_json_free(&doc);
	return failed;
}

static bool key_is(const struct pp_counts *c, const char *name)
{
	return c->note_key.size == strlen(name) && !memcmp(c->note_key.data, name, c->note_key.size);
}

/* A whole note has come. */
static int take_note(struct pp_counts *c, struct pp_error *error)
{
	if (key_is(c, "count.run"))
		return take_json(c, &c->note_value, take_run, error);
	if (key_is(c, "count.events")) {
		c->plan.made = false;
		c->events_note.size = 0;
		return pp_buffer_add(&c->events_note, c->note_value.data, c->note_value.size, error);
	}
	if (!key_is(c, "count"))
		return 0;
	c->about_note.size = 0;
	if (pp_buffer_add(&c->about_note, c->note_value.data, c->note_value.size, error))
		return -1;
	return take_json(c, &c->note_value, take_about, error);
}

/* The note comes before the attributes that it is about, and so it waits for them. */
int pp_counts_name_events(struct pp_counts *c, struct pp_error *error)
{
	struct pp_buffer copy = { 0 };
	int failed = 0;

	if (!c->events_note.size)
		return 0;
	failed = pp_buffer_add(&copy, c->events_note.data, c->events_note.size, error) ||
		 take_json(c, &copy, take_events, error);
	pp_buffer_free(&copy);
	return failed ? -1 : 0;
}

int pp_counts_notes(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_note note;
	size_t at = 0;

	while (pp_note_next(rec, &at, &note)) {
		if (!c->note_continues) {
			c->note_key.size = c->note_value.size = 0;
			if (pp_buffer_add(&c->note_key, note.key, note.key_length, error))
				return -1;
		}
		c->note_continues = note.continues;
		if (!pp_fits(note.value_length, PP_COUNT_NOTE - c->note_value.size)) {
			c->note_key.size = 0;           /* too long to be one of ours */
			continue;
		}
		if (pp_buffer_add(&c->note_value, note.value, note.value_length, error) ||
		    (!note.continues && take_note(c, error)))
			return -1;
	}
	return 0;
}
