/* recording.c - what writers of all formats ask of a recording that is exported. */
#include "exchange/recording.h"

#include <perfpipe/output.h>

#include "profile/call_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pp_clean_text(struct pp_buffer *to, const char *text, struct pp_error *error)
{
	size_t left = strlen(text);

	while (left) {
		char escaped[8];
		size_t plain = 0, n;

		while (plain < left && (n = pp_printable(text + plain, left - plain)))
			plain += n;
		if (pp_buffer_add(to, text, plain, error))
			return -1;
		text += plain;
		left -= plain;
		if (!left)
			break;
		n = (size_t)snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)*text);
		if (pp_buffer_add(to, escaped, n, error))
			return -1;
		text++;
		left--;
	}
	if (pp_buffer_add(to, "", 1, error))
		return -1;
	to->size--;
	return 0;
}

/* ---- about the whole ---- */

struct recording_lines {
	pp_recording_line_fn *line;
	void *arg;
	struct pp_buffer text;
	struct pp_error *error;
	int status;
};

static void say_line(struct recording_lines *a, const char *key, const char *value)
{
	if (a->status || !value || !*value)
		return;
	a->text.size = 0;
	a->status = pp_clean_text(&a->text, value, a->error) ||
		    a->line(a->arg, key, (const char *)a->text.data, a->error) ? -1 : 0;
}

static void say_count(struct recording_lines *a, const char *key, uint64_t n, const char *of)
{
	char text[320];

	snprintf(text, sizeof(text), "%" PRIu64 "%s%.256s", n, *of ? " " : "", of);
	say_line(a, key, n ? text : NULL);
}

static void say_notes(struct recording_lines *a, const struct pp_flame_facts *facts)
{
	for (size_t i = 0; i < facts->n_notes; i++)
		say_line(a, "note", facts->notes[i]);
	for (size_t i = 0; i < facts->n_marks; i++)
		if (facts->marks[i].kind == PP_FLAME_NOTE)
			say_line(a, "note", facts->marks[i].text);
	say_count(a, "notes left out", facts->notes_left_out, "");
}

int pp_recording_about(const struct pp_export *all, pp_recording_line_fn *line, void *arg,
		       struct pp_error *error)
{
	const struct pp_flame_facts *const facts = all->facts;
	struct recording_lines a = { .line = line, .arg = arg, .error = error };

	say_line(&a, "written by", all->program ? all->program : "libperfpipe " VERSION);
	say_line(&a, "command", facts->command);
	say_line(&a, "host", facts->host);
	say_line(&a, "system", facts->system);
	say_line(&a, "cpu", facts->cpu);
	say_line(&a, "recorded by", facts->recorder);
	for (size_t i = 0; i < all->n_events; i++)
		say_count(&a, "samples", all->events[i].samples,
			  all->events[i].name ? all->events[i].name : "");
	say_count(&a, "lost", facts->lost, "");
	say_count(&a, "throttled", facts->throttled, "");
	say_line(&a, "damaged", facts->damage);
	say_notes(&a, facts);
	pp_buffer_free(&a.text);
	return a.status;
}

/* ---- stacks ---- */

int pp_recording_stack(const struct pp_export_event *event, uint32_t node, struct pp_recording_stack *stack,
		       struct pp_error *error)
{
	const struct pp_profile *const p = event->profile;

	stack->n = 0;
	stack->thread = stack->cpu = UINT32_MAX;
	for (; node != PP_PROFILE_ROOT; node = p->nodes[node].parent) {
		const unsigned kind = pp_tree_text(p, node)->kind;
		const uint32_t number = pp_fold_place(event->fold, kind, &stack->thread, &stack->cpu);

		if (!number)
			continue;
		if (PP_GROW(&stack->places, &stack->room, stack->n + 1, error))
			return -1;
		stack->places[stack->n++] = number;
	}
	return 0;
}

/* ---- files ---- */

static const char *base_name(const char *path, size_t length)
{
	const char *const slash = memrchr(path, '/', length);

	return slash ? slash + 1 : path;
}

/* Whether a file has the name of the command's first word. */
static bool is_command(const struct pp_place_file *file, const char *command)
{
	const size_t length = strcspn(command, " ");
	const char *const name = base_name(command, length);
	const size_t n = length - (size_t)(name - command);
	const char *const base = base_name(file->dso, strlen(file->dso));

	return file->kind == PP_NAMES_FILE && n && strlen(base) == n && !memcmp(base, name, n);
}

/* The file that most places of programs are in. */
static uint32_t largest_program(const struct pp_places *places, uint32_t *counts)
{
	struct pp_code_place place;
	uint32_t most = 0;

	for (uint32_t i = 1; i <= pp_places_count(places); i++) {
		pp_places_at(places, i, &place);
		counts[place.file] += place.kind == PP_FLAME_PROGRAM;
	}
	for (uint32_t i = 1; i <= pp_places_files(places); i++)
		most = counts[i] > counts[most] ? i : most;
	return counts[most] ? most : 0;
}

int pp_recording_program(const struct pp_export *all, uint32_t *number, struct pp_error *error)
{
	const uint32_t n = pp_places_files(all->places);
	uint32_t *counts;

	for (*number = 1; *number <= n && all->facts->command; ++*number)
		if (is_command(pp_places_file(all->places, *number), all->facts->command))
			return 0;
	counts = calloc((size_t)n + 1, sizeof(*counts));
	if (!counts)
		return pp_fail(error, PP_E_NOMEM, NULL);
	*number = largest_program(all->places, counts);
	free(counts);
	return 0;
}

uint64_t pp_recording_bias(const struct pp_export *all, const struct pp_place_file *file)
{
	return all->own ? file->base : file->bias;
}

uint64_t pp_recording_address(const struct pp_export *all, const struct pp_code_place *place)
{
	const struct pp_place_file *const file = pp_places_file(all->places, place->file);

	if (!file)
		return place->offset;
	return !all->own && place->linked ? place->linked : place->offset + pp_recording_bias(all, file);
}
