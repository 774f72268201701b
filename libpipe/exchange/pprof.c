/*
 * pprof.c - a recording as pprof's profile.proto.  The fields of a profile come in any order, so that it is
 * written as its parts are first met: locations and functions before the sample that needs them, texts last.
 */
#include <perfpipe/export.h>

#include "base/hash.h"
#include "base/sized_options.h"
#include "exchange/gzip.h"
#include "exchange/protobuf.h"
#include "exchange/recording.h"
#include "profile/call_tree.h"
#include "symbol/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pprof_field {
#define PPROF(field, number) field = (number),
#include "exchange/pprof.def"
#undef PPROF
};

enum { PART = 1 << 16 };

struct pprof {
	struct pp_export all;
	struct pp_gzip out;
	struct pp_strings texts;      /* the string table */
	uint32_t *of_text;            /* by the texts of places: 1 + number in the string table; 0: not yet */
	size_t of_text_room;
	uint32_t *mappings;           /* by file: the id of its mapping */
	struct pp_idmap functions;    /* by name and source: id */
	uint32_t *locations;          /* by place: id; 0: it is not written */
	uint32_t n_locations;
	/* messages, each in the one before */
	struct pp_protobuf profile, message, part, small;
	struct pp_protobuf labels;    /* of the threads of an event, each on a CPU */
	struct pp_idmap of_run;       /* thread << 32 | cpu: begin << 32 | bytes of its labels */
	bool failed;                  /* for lack of memory */
};

/* ---- texts ---- */

static uint32_t own_text(struct pprof *p, const char *text)
{
	uint32_t number = 0;

	p->failed |= pp_strings_number(&p->texts, text, strlen(text), 0, &number, NULL) != 0;
	return number;
}

static uint32_t foreign_text(struct pprof *p, const char *text)
{
	struct pp_buffer clean = { 0 };
	uint32_t number = 0;

	if (!text)
		return 0;
	if (pp_clean_text(&clean, text, NULL))
		p->failed = true;
	else
		number = own_text(p, (const char *)clean.data);
	pp_buffer_free(&clean);
	return number;
}

/* The same of a text of places, which is looked for once. */
static uint32_t place_text(struct pprof *p, const char *text, uint32_t number)
{
	if (!number)
		return 0;
	if (PP_GROW_ZEROED(&p->of_text, &p->of_text_room, (size_t)number + 1, NULL)) {
		p->failed = true;
		return 0;
	}
	if (!p->of_text[number])
		p->of_text[number] = 1 + foreign_text(p, text);
	return p->of_text[number] - 1;
}

/* ---- parts of the file ---- */

static void flush_profile(struct pprof *p)
{
	pp_gzip_write(&p->out, p->profile.bytes.data, p->profile.bytes.size);
	pp_protobuf_clear(&p->profile);
}

/* The message that was made is a field of the profile. */
static void put_message(struct pprof *p, enum pprof_field field)
{
	pp_protobuf_message(&p->profile, field, &p->message);
	pp_protobuf_clear(&p->message);
	if (p->profile.bytes.size > PART)
		flush_profile(p);
}

/* The part that was made is a field of the message. */
static void put_part(struct pprof *p, enum pprof_field field)
{
	pp_protobuf_message(&p->message, field, &p->part);
	pp_protobuf_clear(&p->part);
}

/* ---- events ---- */

static const char *unit_of(const struct pp_export_event *event)
{
	return event->times ? "nanoseconds" : "count";
}

static const char *name_of_event(const struct pp_export_event *event)
{
	return event->name ? event->name : "event";
}

static void put_type(struct pprof *p, enum pprof_field field, const char *before, const char *name,
		     const char *unit)
{
	char text[320];

	snprintf(text, sizeof(text), "%s%.256s", before, name);
	pp_protobuf_number(&p->message, VALUE_TYPE_TYPE, foreign_text(p, text));
	pp_protobuf_number(&p->message, VALUE_TYPE_UNIT, own_text(p, unit));
	put_message(p, field);
}

/* Each event has two values: how many samples, and what they weigh. */
static void put_types(struct pprof *p)
{
	const struct pp_export_event *const events = p->all.events;

	for (size_t i = 0; i < p->all.n_events; i++) {
		if (p->all.n_events == 1)
			put_type(p, PROFILE_SAMPLE_TYPE, "samples", "", "count");
		else
			put_type(p, PROFILE_SAMPLE_TYPE, "samples:", name_of_event(&events[i]), "count");
		put_type(p, PROFILE_SAMPLE_TYPE, "", name_of_event(&events[i]), unit_of(&events[i]));
	}
	put_type(p, PROFILE_PERIOD_TYPE, "", name_of_event(&events[0]), unit_of(&events[0]));
	pp_protobuf_number(&p->profile, PROFILE_PERIOD, events[0].period);
	pp_protobuf_number(&p->profile, PROFILE_DEFAULT_SAMPLE_TYPE,
			   foreign_text(p, name_of_event(&events[0])));
	pp_protobuf_number(&p->profile, PROFILE_TIME_NANOS, p->all.facts->start);
	pp_protobuf_number(&p->profile, PROFILE_DURATION_NANOS, p->all.duration);
}

static int put_comment(void *arg, const char *key, const char *value, struct pp_error *error)
{
	struct pprof *const p = arg;
	char *text;

	if (asprintf(&text, "%s: %s", key, value) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_protobuf_number(&p->profile, PROFILE_COMMENT, own_text(p, text));
	free(text);
	return 0;
}

/* ---- mappings ---- */

enum { HAS_FUNCTIONS = 1 << 0, HAS_SOURCES = 1 << 1, HAS_LINES = 1 << 2, HAS_INLINED = 1 << 3 };

/* What places have, for each file. */
static int look_at_places(struct pprof *p, unsigned *has)
{
	const uint32_t n = pp_places_count(p->all.places);
	struct pp_code_place place;

	p->locations = calloc((size_t)n + 1, sizeof(*p->locations));
	if (!p->locations)
		return -1;
	for (uint32_t i = 1; i <= n; i++) {
		pp_places_at(p->all.places, i, &place);
		has[place.file] |= (place.function ? HAS_FUNCTIONS : 0) | (place.source ? HAS_SOURCES : 0) |
				   (place.line ? HAS_LINES : 0) | (place.into ? HAS_INLINED : 0);
	}
	return 0;
}

static void put_mapping(struct pprof *p, uint32_t number, uint32_t id, unsigned has)
{
	const struct pp_place_file *const file = pp_places_file(p->all.places, number);
	const uint64_t bias = pp_recording_bias(&p->all, file);
	struct pp_protobuf *const m = &p->message;
	char build_id[2 * sizeof(file->build_id) + 1] = "";

	for (unsigned i = 0; i < file->build_id_size && i < sizeof(file->build_id); i++)
		snprintf(build_id + 2 * (size_t)i, 3, "%02x", file->build_id[i]);
	p->mappings[number] = id;
	pp_protobuf_number(m, MAPPING_ID, id);
	pp_protobuf_number(m, MAPPING_MEMORY_START, file->begin + bias);
	pp_protobuf_number(m, MAPPING_MEMORY_LIMIT, file->end + bias);
	pp_protobuf_number(m, MAPPING_FILE_OFFSET, file->kind == PP_NAMES_FILE ? file->begin : 0);
	pp_protobuf_number(m, MAPPING_FILENAME, foreign_text(p, file->dso));
	pp_protobuf_number(m, MAPPING_BUILD_ID, own_text(p, build_id));
	pp_protobuf_number(m, MAPPING_HAS_FUNCTIONS, (has & HAS_FUNCTIONS) != 0);
	pp_protobuf_number(m, MAPPING_HAS_FILENAMES, (has & HAS_SOURCES) != 0);
	pp_protobuf_number(m, MAPPING_HAS_LINE_NUMBERS, (has & HAS_LINES) != 0);
	pp_protobuf_number(m, MAPPING_HAS_INLINE_FRAMES, (has & HAS_INLINED) != 0);
	put_message(p, PROFILE_MAPPING);
}

/* pprof takes the first one for the program's. */
static void put_mappings(struct pprof *p)
{
	const uint32_t n = pp_places_files(p->all.places);
	unsigned *const has = calloc((size_t)n + 1, sizeof(*has));
	uint32_t id = 0, first;

	p->mappings = calloc((size_t)n + 1, sizeof(*p->mappings));
	if (!has || !p->mappings || look_at_places(p, has) || pp_recording_program(&p->all, &first, NULL)) {
		p->failed = true;
		free(has);
		return;
	}
	if (first)
		put_mapping(p, first, ++id, has[first]);
	for (uint32_t i = 1; i <= n; i++)
		if (i != first)
			put_mapping(p, i, ++id, has[i]);
	free(has);
}

/* ---- locations ---- */

static uint64_t function_id(struct pprof *p, const struct pp_code_place *place)
{
	const uint64_t key = (uint64_t)place->function_number << 32 | place->source_number;
	const uint64_t *const known = pp_idmap_find(&p->functions, key);
	const uint64_t id = known ? *known : p->functions.count + 1;
	uint32_t name;

	if (known)
		return id;
	p->failed |= pp_idmap_set(&p->functions, key, id) != 0;
	name = place_text(p, place->function, place->function_number);
	pp_protobuf_clear(&p->part);
	pp_protobuf_number(&p->part, FUNCTION_ID, id);
	pp_protobuf_number(&p->part, FUNCTION_NAME, name);
	pp_protobuf_number(&p->part, FUNCTION_SYSTEM_NAME, name);
	pp_protobuf_number(&p->part, FUNCTION_FILENAME, place_text(p, place->source, place->source_number));
	pp_protobuf_message(&p->profile, PROFILE_FUNCTION, &p->part);
	pp_protobuf_clear(&p->part);
	return id;
}

static void put_line(struct pprof *p, const struct pp_code_place *place)
{
	const uint64_t id = place->function ? function_id(p, place) : 0;

	if (!id)
		return;
	pp_protobuf_number(&p->part, LINE_FUNCTION_ID, id);
	pp_protobuf_number(&p->part, LINE_LINE, place->line);
	put_part(p, LOCATION_LINE);
}

/* A place, with all that is inlined there: the innermost first. */
static void put_location(struct pprof *p, uint32_t number)
{
	struct pp_code_place place;

	p->locations[number] = ++p->n_locations;
	pp_places_at(p->all.places, number, &place);
	pp_protobuf_number(&p->message, LOCATION_ID, p->n_locations);
	pp_protobuf_number(&p->message, LOCATION_MAPPING_ID, p->mappings[place.file]);
	pp_protobuf_number(&p->message, LOCATION_ADDRESS, pp_recording_address(&p->all, &place));
	for (number = place.inner ? place.inner : number; number; number = place.into) {
		pp_places_at(p->all.places, number, &place);
		put_line(p, &place);
	}
	put_message(p, PROFILE_LOCATION);
}

/* ---- samples ---- */

static void add_label(struct pprof *p, struct pp_protobuf *to, const char *key, uint32_t text)
{
	pp_protobuf_clear(&p->small);
	pp_protobuf_number(&p->small, LABEL_KEY, foreign_text(p, key));
	pp_protobuf_number(&p->small, LABEL_STR, text);
	pp_protobuf_message(to, SAMPLE_LABEL, &p->small);
}

/* Its unit is its key, as readers assume anyway: they drop a label of 0 that has no unit. */
static void add_number_label(struct pprof *p, struct pp_protobuf *to, const char *key, uint32_t number)
{
	pp_protobuf_clear(&p->small);
	pp_protobuf_number(&p->small, LABEL_KEY, own_text(p, key));
	pp_protobuf_number(&p->small, LABEL_NUM, number);
	pp_protobuf_number(&p->small, LABEL_NUM_UNIT, own_text(p, key));
	pp_protobuf_message(to, SAMPLE_LABEL, &p->small);
}

/* Those of a thread on a CPU, after which those of all come. */
static void add_labels(struct pprof *p, const struct pp_export_event *event,
		       const struct pp_recording_stack *stack)
{
	struct pp_protobuf *const to = &p->labels;
	uint32_t pid, tid;
	const char *const comm = pp_fold_thread(event->fold, stack->thread, &pid, &tid);

	if (comm) {
		add_number_label(p, to, "pid", pid);
		add_number_label(p, to, "tid", tid);
		add_label(p, to, "comm", foreign_text(p, comm));
	}
	if (stack->cpu != UINT32_MAX)
		add_number_label(p, to, "cpu", stack->cpu);
	for (size_t i = 0; i < p->all.n_labels; i++)
		add_label(p, to, p->all.labels[i].key, foreign_text(p, p->all.labels[i].value));
}

/* They are made once; which bytes of ->labels they are is found again. */
static void put_labels(struct pprof *p, const struct pp_export_event *event,
		       const struct pp_recording_stack *stack)
{
	const uint64_t key = (uint64_t)stack->thread << 32 | stack->cpu;
	const uint64_t *known = pp_idmap_find(&p->of_run, key);
	uint64_t from;

	if (!known) {
		from = p->labels.bytes.size;
		add_labels(p, event, stack);
		p->failed |= p->labels.bytes.size > UINT32_MAX ||
			     pp_idmap_set(&p->of_run, key, from << 32 | (p->labels.bytes.size - from));
		known = pp_idmap_find(&p->of_run, key);
	}
	if (known)
		p->failed |= pp_buffer_add(&p->message.bytes, p->labels.bytes.data + (*known >> 32),
					   (uint32_t)*known, NULL) != 0;
}

static uint64_t at_most(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : v;
}

static void put_sample(struct pprof *p, size_t which, const struct weighed_calls *weights,
		       const struct pp_recording_stack *stack)
{
	for (size_t i = 0; i < stack->n; i++)
		if (!p->locations[stack->places[i]])
			put_location(p, stack->places[i]);
	for (size_t i = 0; i < stack->n; i++)
		pp_protobuf_packed(&p->part, p->locations[stack->places[i]]);
	put_part(p, SAMPLE_LOCATION_ID);
	for (size_t i = 0; i < p->all.n_events; i++) {
		pp_protobuf_packed(&p->part, i == which ? at_most(weights->times[PP_PROFILE_FIRST]) : 0);
		pp_protobuf_packed(&p->part, i == which ? at_most(weights->self[PP_PROFILE_FIRST]) : 0);
	}
	put_part(p, SAMPLE_VALUE);
	put_labels(p, &p->all.events[which], stack);
	put_message(p, PROFILE_SAMPLE);
}

static int put_samples(struct pprof *p, size_t which, struct pp_error *error)
{
	const struct pp_export_event *const event = &p->all.events[which];
	struct pp_recording_stack stack = { 0 };
	int status = 0;

	pp_idmap_close(&p->of_run);
	pp_protobuf_clear(&p->labels);
	for (size_t i = 0; i < event->profile->n_weights && !status && !p->out.to->os; i++) {
		const struct weighed_calls *const weights = &event->profile->weights[i];

		if (!weights->times[PP_PROFILE_FIRST])
			continue;
		status = pp_recording_stack(event, weights->node, &stack, error);
		if (!status)
			put_sample(p, which, weights, &stack);
	}
	free(stack.places);
	return status;
}

/* ---- all of it ---- */

static void put_texts(struct pprof *p)
{
	for (size_t i = 0; i < p->texts.n; i++) {
		pp_protobuf_bytes(&p->profile, PROFILE_STRING_TABLE, p->texts.items[i].text,
				  p->texts.items[i].length);
		if (p->profile.bytes.size > PART)
			flush_profile(p);
	}
	flush_profile(p);
}

static int write_profile(struct pprof *p, struct pp_error *error)
{
	int status = 0;

	(void)own_text(p, "");
	put_types(p);
	if (pp_recording_about(&p->all, put_comment, p, error))
		return -1;
	put_mappings(p);
	if (p->failed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < p->all.n_events && !status; i++)
		status = put_samples(p, i, error);
	put_texts(p);
	p->failed |= p->profile.failed || p->message.failed || p->part.failed || p->small.failed ||
		     p->labels.failed;
	if (p->failed && !status)
		status = pp_fail(error, PP_E_NOMEM, NULL);
	pp_gzip_end(&p->out);
	return status;
}

int pp_export_pprof(const struct pp_export *all, struct pp_out *out, struct pp_error *error)
{
	struct pprof p = { .failed = false };
	int status;

	if (pp_options_take(&p.all, sizeof(p.all), all, error))
		return -1;
	status = pp_gzip_open(&p.out, out, error) ? -1 : write_profile(&p, error);
	pp_gzip_close(&p.out);
	pp_strings_close(&p.texts);
	free(p.of_text);
	free(p.mappings);
	pp_idmap_close(&p.functions);
	pp_idmap_close(&p.of_run);
	free(p.locations);
	pp_protobuf_free(&p.profile);
	pp_protobuf_free(&p.message);
	pp_protobuf_free(&p.part);
	pp_protobuf_free(&p.small);
	pp_protobuf_free(&p.labels);
	return status;
}
