/*
 * speedscope.c - a recording as speedscope reads it (https://www.speedscope.app/file-format-schema.json): a
 * profile for each thread, whose samples are lists of frames.  Samples come from the file that they wait in,
 * once for their stacks and once for their weights.
 */
#include <perfpipe/export.h>

#include "base/format_number.h"
#include "base/sized_options.h"
#include "exchange/functions.h"
#include "exchange/recording.h"
#include "exchange/threads.h"
#include "format/names_record.h"
#include "profile/call_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct speedscope {
	struct pp_export all;
	struct pp_json json;
	struct pp_export_functions functions;
	struct pp_export_threads threads;
	struct pp_buffer text;
	/* By place what stands for it in a stack: ",12,13". */
	struct place_frames { size_t begin, length; } *of_place;
	struct pp_buffer frames;
	/* What stands for stacks of an event that were written: ",[1,2,3]", by node. */
	struct stack_text { uint32_t begin, length; } *of_node;       /* length 0: it is not there */
	struct pp_buffer stacks;
	struct pp_error *error;
};

static void put_clean_text(struct speedscope *s, const char *name)
{
	(void)pp_json_text(&s->json, name, (const char *)s->text.data, s->text.size);
}

/* A number as such, whatever its size: the schema wants no text. */
static void put_number(struct speedscope *s, const char *name, uint64_t value)
{
	pp_json_key(&s->json, name);
	pp_out_dec(s->json.out, value);
}

/* ---- frames ---- */

static int put_frame_file(struct speedscope *s, const struct pp_code_place *place)
{
	const struct pp_place_file *const file = pp_places_file(s->all.places, place->file);
	const char *const name = place->source ? place->source : file ? file->dso : NULL;

	s->text.size = 0;
	if (!name)
		return 0;
	if (pp_clean_text(&s->text, name, s->error))
		return -1;
	put_clean_text(s, "file");
	return 0;
}

static int put_frames(struct speedscope *s)
{
	struct pp_code_place place;

	pp_json_open(&s->json, "shared", '{');
	pp_json_open(&s->json, "frames", '[');
	for (size_t i = 0; i < s->functions.n && !s->json.out->os; i++) {
		pp_places_at(s->all.places, s->functions.items[i].place, &place);
		pp_json_open(&s->json, NULL, '{');
		if (pp_export_function_name(&s->functions, i, false, &s->text, s->error))
			return -1;
		put_clean_text(s, "name");
		if (put_frame_file(s, &place))
			return -1;
		if (place.source && s->functions.items[i].line)
			put_number(s, "line", s->functions.items[i].line);
		pp_json_close(&s->json, '}');
	}
	pp_json_close(&s->json, ']');
	pp_json_close(&s->json, '}');
	return 0;
}

static int add_frame_number(struct speedscope *s, uint32_t function)
{
	char *const text = (char *)pp_buffer_room(&s->frames, 1 + PP_DEC_MAX, s->error);

	if (!text)
		return -1;
	*text = ',';
	s->frames.size += (size_t)(pp_put_dec(text + 1, function) - text);
	return 0;
}

/* For each place its function and those that are inlined there, the innermost last. */
static int write_frame_numbers(struct speedscope *s)
{
	const uint32_t n = pp_places_count(s->all.places);
	uint32_t inner[PP_NAMES_FRAMES];
	struct pp_code_place place;

	s->of_place = calloc((size_t)n + 1, sizeof(*s->of_place));
	if (!s->of_place)
		return pp_fail(s->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; i <= n; i++) {
		size_t count = 0;

		s->of_place[i].begin = s->frames.size;
		pp_places_at(s->all.places, i, &place);
		for (uint32_t at = place.inner; at && at != i && count < PP_NAMES_FRAMES; at = place.into) {
			inner[count++] = s->functions.of_place[at];
			pp_places_at(s->all.places, at, &place);
		}
		if (add_frame_number(s, s->functions.of_place[i]))
			return -1;
		while (count)
			if (add_frame_number(s, inner[--count]))
				return -1;
		s->of_place[i].length = s->frames.size - s->of_place[i].begin;
	}
	return 0;
}

/* ---- samples ---- */

enum { STACKS_ROOM = 1 << 22, STACK_PIECE = 32 };      /* bytes of ->stacks; those that are copied at once */

/* Frames of places, the innermost first, and what is around them, at the end of ->stacks. */
static int add_stack_text(struct speedscope *s, const uint32_t *places, size_t n)
{
	size_t length = 4 + STACK_PIECE, comma = 1;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		length += s->of_place[places[i]].length;
	p = pp_buffer_room(&s->stacks, length, s->error);
	if (!p)
		return -1;
	memcpy(p, ",[", 2);
	for (p += 2; n; n--, comma = 0) {
		const struct place_frames *const frames = &s->of_place[places[n - 1]];

		memcpy(p, s->frames.data + frames->begin + comma, frames->length - comma);
		p += frames->length - comma;
	}
	*p++ = ']';
	s->stacks.size = (size_t)(p - s->stacks.data);
	return 0;
}

/* When there is no more room all are forgotten, and made again as they come. */
static int write_stack(struct speedscope *s, const struct pp_export_event *event, uint32_t node)
{
	const struct pp_profile *const p = event->profile;
	uint32_t places[PP_PROFILE_DEEPEST + 2], thread, cpu;
	struct stack_text *const text = &s->of_node[node];
	size_t n = 0;

	if (s->stacks.size > STACKS_ROOM) {
		memset(s->of_node, 0, p->n_nodes * sizeof(*s->of_node));
		s->stacks.size = 0;
	}
	text->begin = (uint32_t)s->stacks.size;
	for (; node != PP_PROFILE_ROOT && n < PP_PROFILE_DEEPEST + 2; node = p->nodes[node].parent) {
		places[n] = pp_fold_place(event->fold, pp_tree_text(p, node)->kind, &thread, &cpu);
		n += places[n] != 0;
	}
	if (add_stack_text(s, places, n))
		return -1;
	text->length = (uint32_t)(s->stacks.size - text->begin);
	return 0;
}

/* ",[1,2,3]", and the first of a column without its comma. */
static int put_stacks(struct speedscope *s, const struct pp_export_event *event,
		      const struct pp_sample_time *samples, size_t n, bool first)
{
	struct pp_out *const out = s->json.out;

	for (size_t i = 0; i < n; i++, first = false) {
		const struct stack_text *const text = &s->of_node[samples[i].node];
		const uint8_t *from;
		size_t length;

		if (!text->length && write_stack(s, event, (uint32_t)samples[i].node))
			return -1;
		from = s->stacks.data + text->begin + first;
		length = text->length - first;
		if (out->room - out->at < length + STACK_PIECE) {
			pp_out_bytes(out, from, length);
			continue;
		}
		/* most are short */
		for (size_t at = 0; at < length; at += STACK_PIECE)
			memcpy(out->buf + out->at + at, from + at, STACK_PIECE);
		out->at += length;
	}
	return 0;
}

/* ",50000"; most weigh what the one before does */
static void put_weight_numbers(struct speedscope *s, const struct pp_sample_time *samples, size_t n,
			       bool first)
{
	enum { COPIED = 24 };
	char text[1 + COPIED] = ",";
	struct pp_out *const out = s->json.out;
	char *p = pp_out_room(out, n * (PP_DEC_MAX + 1) + COPIED);
	size_t length = 0;

	for (size_t i = 0; i < n; i++, first = false) {
		if (!i || samples[i].weight != samples[i - 1].weight)
			length = (size_t)(pp_put_dec(text + 1, samples[i].weight) - text);
		memcpy(p, text + first, COPIED);
		p += length - first;
	}
	out->at = (size_t)(p - out->buf);
}

static int put_column(struct speedscope *s, const struct pp_export_thread *thread, size_t event, bool stacks)
{
	struct pp_thread_samples samples;
	const struct pp_sample_time *some;
	bool first = true;
	size_t n;
	int got = pp_thread_samples_open(&samples, &s->threads, thread, event, s->error);

	pp_json_open(&s->json, stacks ? "samples" : "weights", '[');
	while (!got && !s->json.out->os &&
	       (got = pp_thread_samples_next(&samples, &some, &n, s->error)) > 0) {
		got = 0;
		if (stacks)
			got = put_stacks(s, &s->all.events[event], some, n, first);
		else
			put_weight_numbers(s, some, n, first);
		first = false;
	}
	pp_json_close(&s->json, ']');
	pp_thread_samples_close(&samples);
	return got < 0 ? -1 : 0;
}

/* "comm 12/13", and its event, where there are several. */
static int put_profile_name(struct speedscope *s, const struct pp_export_thread *thread,
			    const struct pp_export_event *event)
{
	char numbers[64];

	if (thread->several)
		snprintf(numbers, sizeof(numbers), " %u: %u other threads", (unsigned)thread->pid,
			 (unsigned)thread->several);
	else
		snprintf(numbers, sizeof(numbers), " %u/%u", (unsigned)thread->pid, (unsigned)thread->tid);
	s->text.size = 0;
	if (pp_clean_text(&s->text, thread->name, s->error) || pp_clean_text(&s->text, numbers, s->error) ||
	    (s->all.n_events > 1 && event->name &&
	     (pp_clean_text(&s->text, " ", s->error) || pp_clean_text(&s->text, event->name, s->error))))
		return -1;
	put_clean_text(s, "name");
	return 0;
}

static int put_profile(struct speedscope *s, const struct pp_export_thread *thread, size_t event)
{
	const struct pp_thread_times times = pp_thread_samples_of(&s->threads, thread, event);

	if (!times.samples)
		return 0;
	pp_json_open(&s->json, NULL, '{');
	(void)pp_json_text(&s->json, "type", "sampled", 7);
	if (put_profile_name(s, thread, &s->all.events[event]))
		return -1;
	pp_json_key(&s->json, "unit");
	pp_out_text(s->json.out, s->all.events[event].times ? "\"nanoseconds\"" : "\"none\"");
	put_number(s, "startValue", 0);
	put_number(s, "endValue", times.weight);
	if (put_column(s, thread, event, true) || put_column(s, thread, event, false))
		return -1;
	pp_json_close(&s->json, '}');
	return 0;
}

static int put_profiles_of(struct speedscope *s, size_t event)
{
	free(s->of_node);
	s->stacks.size = 0;
	s->of_node = calloc(s->all.events[event].profile->n_nodes, sizeof(*s->of_node));
	if (!s->of_node)
		return pp_fail(s->error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < s->threads.n && !s->json.out->os; i++)
		if (put_profile(s, &s->threads.items[i], event))
			return -1;
	return 0;
}

static int put_profiles(struct speedscope *s)
{
	pp_json_open(&s->json, "profiles", '[');
	for (size_t event = 0; event < s->all.n_events; event++)
		if (put_profiles_of(s, event))
			return -1;
	pp_json_close(&s->json, ']');
	return 0;
}

/* ---- all of it ---- */

static int put_about(void *arg, const char *key, const char *value, struct pp_error *error)
{
	struct speedscope *const s = arg;

	s->text.size = 0;
	if (pp_clean_text(&s->text, key, error) || pp_clean_text(&s->text, ": ", error) ||
	    pp_clean_text(&s->text, value, error))
		return -1;
	put_clean_text(s, NULL);
	return 0;
}

static int put_head(struct speedscope *s)
{
	static const char schema[] = "https://www.speedscope.app/file-format-schema.json";
	const struct pp_flame_facts *const facts = s->all.facts;

	(void)pp_json_text(&s->json, "$schema", schema, sizeof(schema) - 1);
	(void)pp_json_text(&s->json, "exporter", "perfpipe " VERSION, sizeof("perfpipe " VERSION) - 1);
	s->text.size = 0;
	if (pp_clean_text(&s->text, facts->command ? facts->command : "perfpipe", s->error))
		return -1;
	put_clean_text(s, "name");
	put_number(s, "activeProfileIndex", 0);
	pp_json_open(&s->json, "perfpipe", '[');
	if (pp_recording_about(&s->all, put_about, s, s->error))
		return -1;
	pp_json_close(&s->json, ']');
	return 0;
}

static int write_file(struct speedscope *s)
{
	if (pp_export_functions_open(&s->functions, &s->all, s->error) || write_frame_numbers(s) ||
	    pp_export_threads_open(&s->threads, &s->all, SIZE_MAX, s->error))
		return -1;
	pp_json_open(&s->json, NULL, '{');
	if (put_head(s) || put_frames(s) || put_profiles(s))
		return -1;
	pp_json_close(&s->json, '}');
	pp_out_char(s->json.out, '\n');
	return 0;
}

int pp_export_speedscope(const struct pp_export *all, struct pp_out *out, struct pp_error *error)
{
	struct speedscope s = { .json.out = out, .error = error };
	int status;

	if (pp_options_take(&s.all, sizeof(s.all), all, error))
		return -1;
	status = write_file(&s);
	pp_export_functions_close(&s.functions);
	pp_export_threads_close(&s.threads);
	pp_buffer_free(&s.text);
	pp_buffer_free(&s.frames);
	pp_buffer_free(&s.stacks);
	free(s.of_node);
	free(s.of_place);
	return status;
}
