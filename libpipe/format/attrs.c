/*
 * attrs.c - the events a stream has announced: their attributes, ids and names.  plan.c knows where
 * things are in their records.
 */
#include <stdlib.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/hash.h"
#include "format/format.h"
#include "format/plan.h"

/* What a hostile stream may make us keep. */
enum {
	EVENTS_MAX = 16384,
	IDS_MAX    = 1 << 22,
	NAMES_MAX  = 4096,
};

/* Where an event's name came from; a later or equal source replaces it. */
enum attr_source { BY_CONFIG, BY_EVENT_TYPE, BY_EVENT_DESC, BY_EVENT_UPDATE };

enum { EVENT_UPDATE_NAME = 2 };         /* enum perf_event_update_type */
enum { HARDWARE = 0, SOFTWARE = 1, HARDWARE_CACHE = 3 };   /* enum perf_type_id */

struct attr_event {
	struct pp_attr attr;
	uint64_t *ids;
	char *name;
	enum attr_source source;
};

struct recent_id {
	uint64_t id;
	const struct attr_event *event;      /* NULL: free */
};

/* A name that came before its attribute: HEADER_EVENT_TYPE gives it by config, EVENT_DESC by id
 * (perf 4.14 wrote the features of a stream first). */
struct old_name {
	uint64_t key;
	bool by_id;
	char *name;
};

struct pp_attrs {
	struct attr_event **events;
	size_t n_events, events_room;
	struct pp_index by_id;          /* there may be millions: see id_place() */
	size_t n_ids;
	struct recent_id recent[512];    /* direct-mapped by the id's low bits: ids are counters */
	struct pp_shapes shapes;
	struct old_name *names;
	size_t n_names, names_room;
	bool alike;                     /* all events lay their records out in one way */
	uint32_t cpus, online;
	uint64_t input_changed;
};

/* ---- Ids ------------------------------------------------------------------------------------- */

/* Where an id is written: which event has it, and among that one's ids. */
static uint64_t id_place(const struct attr_event *event, size_t i)
{
	return (event->attr.index + UINT64_C(1)) << 32 | i;
}

static const struct attr_event *event_at(const struct pp_attrs *attrs, uint64_t place)
{
	return attrs->events[(place >> 32) - 1];
}

static uint64_t id_at(const struct pp_attrs *attrs, uint64_t place)
{
	return event_at(attrs, place)->ids[(uint32_t)place];
}

static uint64_t hash_id(uint64_t id)
{
	return XXH3_64bits(&id, sizeof(id));
}

static uint64_t hash_id_at(const void *attrs, uint64_t place)
{
	return hash_id(id_at(attrs, place));
}

static uint64_t *find_id(const struct pp_attrs *attrs, uint64_t id)
{
	const struct pp_index *const index = &attrs->by_id;
	size_t at = pp_index_first(index, hash_id(id));

	while (index->places[at] && id_at(attrs, index->places[at]) != id)
		at = pp_index_next(index, at);
	return &index->places[at];
}

/* The ids of the event that was put in last; where another had one before, the later wins, as in
 * perf. */
static int add_ids(struct pp_attrs *attrs, const struct attr_event *event)
{
	if (pp_index_reserve(&attrs->by_id, attrs->n_ids + event->attr.n_ids, hash_id_at,
			     attrs))
		return -1;
	for (size_t i = 0; i < event->attr.n_ids; i++) {
		uint64_t *const place = find_id(attrs, event->ids[i]);

		attrs->n_ids += !*place;
		*place = id_place(event, i);
	}
	memset(attrs->recent, 0, sizeof(attrs->recent));
	return 0;
}

static const struct attr_event *event_by_place(const struct pp_attrs *attrs, uint64_t id,
					       struct recent_id *recent)
{
	const uint64_t place = attrs->by_id.room ? *find_id(attrs, id) : 0;

	if (!place)
		return NULL;
	*recent = (struct recent_id){ id, event_at(attrs, place) };
	return recent->event;
}

static inline const struct attr_event *event_by_id(struct pp_attrs *attrs, uint64_t id)
{
	struct recent_id *recent =
		&attrs->recent[id % (sizeof(attrs->recent) / sizeof(*attrs->recent))];

	return recent->event && recent->id == id ? recent->event : event_by_place(attrs, id, recent);
}

const struct pp_attr *pp_attrs_by_id(struct pp_attrs *attrs, uint64_t id)
{
	const struct attr_event *event = event_by_id(attrs, id);

	return event ? &event->attr : NULL;
}

/* Of several events that of a record with its id at `at`; no id means the first. */
static inline const struct pp_attr *by_id_at(struct pp_attrs *attrs, const uint8_t *data, size_t at)
{
	const uint64_t id = pp_load64(data + at);
	const struct attr_event *event;

	if (!id)
		return &attrs->events[0]->attr;
	event = event_by_id(attrs, id);
	return event ? &event->attr : NULL;
}

/* As evlist__event2evsel(): the first attribute says where every record has its id. */
const struct pp_attr *pp_attrs_find(struct pp_attrs *attrs, const uint8_t *data, uint32_t type,
				    uint16_t size)
{
	const struct pp_attr *first;

	if (!attrs->n_events)
		return NULL;
	first = &attrs->events[0]->attr;
	if (attrs->n_events == 1)
		return first;
	if (type == PP_REC_SAMPLE) {
		if (!first->plan.id)
			return attrs->alike ? first : NULL;
		return pp_fits(first->plan.id + sizeof(uint64_t), size) ?
		       by_id_at(attrs, data, first->plan.id) : NULL;
	}
	if (!first->plan.t_id)
		return first;
	return pp_fits((uint64_t)first->plan.t_id + PP_HEADER_SIZE, size) ?
	       by_id_at(attrs, data, size - first->plan.t_id) : NULL;
}

/* The time of a sample that has it here, if anywhere; 0: it has none. */
static inline uint64_t time_at(const uint8_t *sample, size_t size, size_t at)
{
	uint64_t ns;

	if (!at || !pp_fits(at + sizeof(ns), size))
		return 0;
	ns = pp_load64(sample + at);
	return ns != UINT64_MAX ? ns : 0;
}

/* Samples without ids: all are of the same event, or of none. */
static void find_same(struct pp_attrs *attrs, const uint8_t *data, const uint32_t *at, size_t n,
		      const struct pp_attr **found, uint64_t *times)
{
	const struct pp_attr *const a = pp_attrs_find(attrs, data, PP_REC_SAMPLE, (uint16_t)(at[1] - at[0]));
	const size_t time = a ? a->plan.time : 0;

	for (size_t i = 0; i < n; i++) {
		found[i] = a;
		times[i] = time_at(data + at[i], at[i + 1] - at[i], time);
	}
}

void pp_attrs_find_samples(struct pp_attrs *attrs, const uint8_t *data, const uint32_t *at, size_t n,
			   const struct pp_attr **found, uint64_t *times)
{
	const size_t id_at = attrs->n_events > 1 ? attrs->events[0]->attr.plan.id : 0;

	if (!id_at && n) {
		find_same(attrs, data, at, n, found, times);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *const sample = data + at[i];
		const size_t size = at[i + 1] - at[i];
		const struct pp_attr *const a = pp_fits(id_at + sizeof(uint64_t), size) ?
						by_id_at(attrs, sample, id_at) : NULL;

		found[i] = a;
		times[i] = time_at(sample, size, a ? a->plan.time : 0);
	}
}

const struct pp_attr *pp_attrs_find_in_order(struct pp_attrs *attrs, const struct pp_record *rec,
					     bool foreign)
{
	const struct pp_plan *const plan = foreign && attrs->n_events ? &attrs->events[0]->attr.plan : NULL;
	const bool sample = rec->type == PP_REC_SAMPLE;
	const size_t at = !plan ? 0 : sample ? plan->id : plan->t_id;
	const struct pp_attr *found;
	uint8_t *id;

	if (!at || !pp_fits(at + PP_HEADER_SIZE, rec->size))
		return pp_attrs_find(attrs, rec->data, rec->type, rec->size);
	/* it is turned around for as long as it is looked up */
	id = rec->data + (sample ? at : rec->size - at);
	pp_store_order64(id, pp_load64(id), true);
	found = pp_attrs_find(attrs, rec->data, rec->type, rec->size);
	pp_store_order64(id, pp_load64(id), true);
	return found;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int set_name(struct attr_event *event, enum attr_source source, const char *text, size_t length)
{
	char *name;

	if (source < event->source || !length)
		return 0;
	name = strndup(text, length);
	if (!name)
		return -1;
	free(event->name);
	event->name = name;
	event->attr.name = name;
	event->source = source;
	pp_plan_make(&event->attr);
	return 0;
}

/* Old streams name tracepoints and the like by config; generic events have names of their own,
 * and the same configs. */
static int set_old_name(struct attr_event *event, const struct old_name *old)
{
	uint32_t type = event->attr.type;

	if (old->by_id) {
		for (size_t i = 0; i < event->attr.n_ids; i++)
			if (event->ids[i] == old->key)
				return set_name(event, BY_EVENT_DESC, old->name, strlen(old->name));
		return 0;
	}
	if (event->attr.config != old->key || type == HARDWARE || type == SOFTWARE ||
	    type == HARDWARE_CACHE)
		return 0;
	return set_name(event, BY_EVENT_TYPE, old->name, strlen(old->name));
}

static int name_event(const struct pp_attrs *attrs, struct attr_event *event)
{
	char buf[128];

	pp_event_name(event->attr.type, event->attr.config, buf, sizeof(buf));
	if (set_name(event, BY_CONFIG, buf, strlen(buf)))
		return -1;
	for (size_t i = 0; i < attrs->n_names; i++)
		if (set_old_name(event, &attrs->names[i]))
			return -1;
	return 0;
}

/* ---- Records --------------------------------------------------------------------------------- */

static int no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static int walk_failed(const struct pp_cursor *c, struct pp_error *error)
{
	if (error)
		*error = c->error;
	return -1;
}

/* Rows say where struct pp_attr has a copy of what they hold. */
static void take_attr_field(struct pp_attr *a, const struct pp_cursor *c)
{
	uint8_t *const kept = (uint8_t *)a + c->field->kept;
	const uint32_t narrow = (uint32_t)c->value;

	if (c->field->kept)
		memcpy(kept, c->width == sizeof(narrow) ? (const void *)&narrow : &c->value, c->width);
}

static int take_ids(struct attr_event *event, const struct pp_cursor *c)
{
	event->ids = calloc(c->count ? c->count : 1, sizeof(*event->ids));
	if (!event->ids)
		return -1;
	for (uint32_t i = 0; i < c->count; i++)
		event->ids[i] = pp_walk_u64(c, i);
	event->attr.ids = event->ids;
	event->attr.n_ids = c->count;
	return 0;
}

static void free_event(struct attr_event *event)
{
	free(event->ids);
	free(event->name);
	free(event);
}

/* Fills an event from its HEADER_ATTR: 0, or -1 and *error. */
static int read_event(struct attr_event *event, const struct pp_record *rec, struct pp_error *error)
{
	bool inside = false;
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token == PP_OPEN)
			inside = true;
		else if (token == PP_CLOSE)
			inside = false;
		else if (token == PP_VALUE && inside)
			take_attr_field(&event->attr, &c);
		else if (token == PP_VALUE && c.field->is == PP_IS_EVENT_ID && !event->ids &&
			 take_ids(event, &c))
			return no_memory(error);
	}
	if (token < 0)
		return walk_failed(&c, error);
	if (!event->attr.size)
		event->attr.size = 64;          /* PERF_ATTR_SIZE_VER0 */
	return 0;
}

static bool same_layout(const struct pp_attr *a, const struct pp_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_type == b->branch_type && a->regs_user == b->regs_user &&
	       a->regs_intr == b->regs_intr;
}

static int add_event(struct pp_attrs *attrs, struct attr_event *event)
{
	struct pp_attr *a = &event->attr;

	if (PP_GROW(&attrs->events, &attrs->events_room, attrs->n_events + 1, NULL))
		return -1;
	pp_plan_make(a);
	a->index = (uint32_t)attrs->n_events;
	attrs->events[a->index] = event;
	if (pp_shape_take(&attrs->shapes, a) || name_event(attrs, event) || add_ids(attrs, event))
		return -1;
	attrs->n_events++;
	attrs->alike = attrs->n_events == 1 ||
		       (attrs->alike && same_layout(&attrs->events[0]->attr, a));
	return 0;
}

static int note_attr(struct pp_attrs *attrs, const struct pp_record *rec, struct pp_error *error)
{
	struct attr_event *event;

	if (attrs->n_events == EVENTS_MAX)
		return pp_fail(error, PP_E_VALUE, "more than %d events", EVENTS_MAX);
	event = calloc(1, sizeof(*event));
	if (!event)
		return no_memory(error);
	if (read_event(event, rec, error))
		goto fail;
	if (event->attr.n_ids > IDS_MAX - attrs->n_ids) {
		pp_fail(error, PP_E_VALUE, "more than %d ids", IDS_MAX);
		goto fail;
	}
	if (add_event(attrs, event)) {
		no_memory(error);
		goto fail;
	}
	return 0;
fail:
	free_event(event);
	return -1;
}

static struct attr_event *find_event(struct pp_attrs *attrs, uint64_t id)
{
	const struct attr_event *event = event_by_id(attrs, id);

	return event ? attrs->events[event->attr.index] : NULL;
}

static int note_update(struct pp_attrs *attrs, const struct pp_record *rec, struct pp_error *error)
{
	struct attr_event *event;
	uint64_t type, id;
	const char *name;
	size_t length;

	if (!pp_find_u64(rec, PP_IS_KIND, &type) || type != EVENT_UPDATE_NAME ||
	    !pp_find_u64(rec, PP_IS_EVENT_ID, &id) ||
	    !pp_find_text(rec, PP_IS_EVENT_NAME, &name, &length))
		return 0;
	event = find_event(attrs, id);
	if (!event && attrs->n_events == 1)
		event = attrs->events[0];
	if (event && set_name(event, BY_EVENT_UPDATE, name, length))
		return no_memory(error);
	return 0;
}

/* Keeps a name for attributes that come later: it, or NULL where memory is short. */
static const struct old_name *keep_name(struct pp_attrs *attrs, uint64_t key, bool by_id,
					const char *text, size_t length)
{
	struct old_name *added;

	if (PP_GROW(&attrs->names, &attrs->names_room, attrs->n_names + 1, NULL))
		return NULL;
	added = &attrs->names[attrs->n_names];
	added->key = key;
	added->by_id = by_id;
	added->name = strndup(text, length);
	if (!added->name)
		return NULL;
	attrs->n_names++;
	return added;
}

static int note_event_type(struct pp_attrs *attrs, const struct pp_record *rec,
			   struct pp_error *error)
{
	const struct old_name *added;
	const char *text;
	uint64_t config;
	size_t length;

	if (!pp_find_u64(rec, PP_IS_CONFIG, &config) ||
	    !pp_find_text(rec, PP_IS_EVENT_NAME, &text, &length) || attrs->n_names == NAMES_MAX)
		return 0;
	added = keep_name(attrs, config, false, text, length);
	if (!added)
		return no_memory(error);
	for (size_t i = 0; i < attrs->n_events; i++)
		if (set_old_name(attrs->events[i], added))
			return no_memory(error);
	return 0;
}

/* The name that EVENT_DESC has for these ids: their event's, which may be yet to come. */
static int name_ids(struct pp_attrs *attrs, const struct pp_cursor *ids, const char *name, size_t length)
{
	for (uint32_t i = 0; i < ids->count; i++) {
		struct attr_event *event = find_event(attrs, pp_walk_u64(ids, i));

		if (event && set_name(event, BY_EVENT_DESC, name, length))
			return -1;
		if (!event && !i && attrs->n_names < NAMES_MAX &&
		    !keep_name(attrs, pp_walk_u64(ids, i), true, name, length))
			return -1;
	}
	return 0;
}

/* EVENT_DESC: each event's attribute, name and ids. */
static int note_event_desc(struct pp_attrs *attrs, const struct pp_record *rec,
			   struct pp_error *error)
{
	const char *name = NULL;
	size_t length = 0, n = 0;
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_EVENT_NAME)
			name = pp_walk_text(&c, &length);
		if (c.field->is != PP_IS_EVENT_ID || !name)
			continue;
		/* without ids, as of the only event of a file, by its place, as perf does */
		if (!c.count && n < attrs->n_events &&
		    set_name(attrs->events[n], BY_EVENT_DESC, name, length))
			return no_memory(error);
		n++;
		if (name_ids(attrs, &c, name, length))
			return no_memory(error);
		name = NULL;
	}
	return token < 0 ? walk_failed(&c, error) : 0;
}

static int note_feature(struct pp_attrs *attrs, const struct pp_record *rec,
			struct pp_error *error)
{
	uint64_t feature, available, online;

	if (!pp_find_feature(rec, &feature))
		return 0;
	if (feature == PP_FEAT_EVENT_DESC)
		return note_event_desc(attrs, rec, error);
	if (feature == PP_FEAT_NRCPUS && pp_get_u64(rec, "nr_cpus_avail", &available) &&
	    pp_get_u64(rec, "nr_cpus_online", &online)) {
		attrs->cpus = (uint32_t)available;
		attrs->online = (uint32_t)online;
	}
	return 0;
}

static const struct note {
	uint32_t type;
	int (*note)(struct pp_attrs *, const struct pp_record *, struct pp_error *);
} notes[] = {
	{ PP_REC_HEADER_ATTR, note_attr },
	{ PP_REC_EVENT_UPDATE, note_update },
	{ PP_REC_HEADER_EVENT_TYPE, note_event_type },
	{ PP_REC_HEADER_FEATURE, note_feature },
};

static const struct note *note_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].type == type)
			return &notes[i];
	return NULL;
}

bool pp_attrs_takes(uint32_t type)
{
	return note_of(type) != NULL;
}

int pp_attrs_note(struct pp_attrs *attrs, const struct pp_record *rec, struct pp_error *error)
{
	const struct note *n = note_of(rec->type);

	return n ? n->note(attrs, rec, error) : 0;
}

struct pp_attrs *pp_attrs_new(void)
{
	return calloc(1, sizeof(struct pp_attrs));
}

void pp_attrs_free(struct pp_attrs *attrs)
{
	if (!attrs)
		return;
	for (size_t i = 0; i < attrs->n_events; i++)
		free_event(attrs->events[i]);
	pp_shapes_close(&attrs->shapes);
	for (size_t i = 0; i < attrs->n_names; i++)
		free(attrs->names[i].name);
	free(attrs->events);
	pp_index_close(&attrs->by_id);
	free(attrs->names);
	free(attrs);
}

size_t pp_attrs_count(const struct pp_attrs *attrs)
{
	return attrs->n_events;
}

bool pp_attrs_any(const struct pp_attrs *attrs, unsigned flag)
{
	for (size_t i = 0; attrs && i < pp_attrs_count(attrs); i++)
		if (pp_attr_flag(pp_attrs_at(attrs, i), flag))
			return true;
	return false;
}

const struct pp_attr *pp_attrs_at(const struct pp_attrs *attrs, size_t i)
{
	return i < attrs->n_events ? &attrs->events[i]->attr : NULL;
}

uint32_t pp_attrs_cpus(const struct pp_attrs *attrs)
{
	return attrs->cpus;
}

uint32_t pp_attrs_online(const struct pp_attrs *attrs)
{
	return attrs->online;
}

void pp_attrs_of_input(struct pp_attrs *attrs, uint64_t changed)
{
	if (changed > attrs->input_changed)
		attrs->input_changed = changed;
}

uint64_t pp_attrs_input_changed(const struct pp_attrs *attrs)
{
	return attrs->input_changed;
}
