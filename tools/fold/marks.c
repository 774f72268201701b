/*
 * marks.c - what happened at some time of a recording besides samples: losses, throttling, notes.  There are
 * never many: neighbours become one where there would be.
 */
#include "fold/marks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

enum { MOST = 400, NOTES_MOST = 200, NOTE_LENGTH = 300, HELD_MOST = 4096 };

static struct {
	struct mark_list {
		struct pp_flame_mark *items;
		size_t n, room;
		uint64_t apart;       /* ns: nearer ones of this kind are one */
	} lists[PP_FLAME_MARKS];
	struct pp_flame_mark *all;
	struct held_back {
		uint64_t id, from;
	} *held;                      /* events that are held back now */
	size_t n_held, held_room;
	uint64_t notes_left_out;
	const char **about;           /* notes about the stream as a whole */
	size_t n_about, about_room;
} state;

/* ---- losses, throttling ---- */

static void join(struct pp_flame_mark *to, const struct pp_flame_mark *mark)
{
	to->from = mark->from < to->from ? mark->from : to->from;
	to->to = mark->to > to->to ? mark->to : to->to;
	to->number += mark->number;
}

/* Marks are in the order of their ends. */
static void join_near(struct mark_list *list)
{
	size_t kept = 0;

	for (size_t i = 1; i < list->n; i++)
		if (list->items[i].to - list->items[kept].from > list->apart)
			list->items[++kept] = list->items[i];
		else
			join(&list->items[kept], &list->items[i]);
	list->n = kept + 1;
}

static struct pp_flame_mark *add(enum pp_flame_mark_kind kind, uint64_t from, uint64_t to, uint64_t number)
{
	const struct pp_flame_mark mark = { .kind = kind, .from = from, .to = to, .number = number };
	struct mark_list *const list = &state.lists[kind];

	if (list->n && kind != PP_FLAME_NOTE && from <= list->items[list->n - 1].to) {
		join(&list->items[list->n - 1], &mark);
		return NULL;
	}
	if (list->n == MOST)
		list->apart = list->apart ? list->apart : 1000000;
	for (; list->n >= MOST; list->apart *= 2)
		join_near(list);
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 16;
		list->items = cli_grow(list->items, list->room, sizeof(*list->items));
	}
	list->items[list->n++] = mark;
	return &list->items[list->n - 1];
}

static struct held_back *find_held(uint64_t id)
{
	for (size_t i = 0; i < state.n_held; i++)
		if (state.held[i].id == id)
			return &state.held[i];
	return NULL;
}

static void note_throttle(const struct pp_record *rec, uint64_t time)
{
	struct held_back *held;
	uint64_t id = 0;

	(void)pp_get_u64(rec, "stream_id", &id);
	held = find_held(id);
	if (rec->type == PP_REC_UNTHROTTLE) {
		if (held) {
			(void)add(PP_FLAME_THROTTLED, held->from, time, 1);
			*held = state.held[--state.n_held];
		}
		return;
	}
	if (held || state.n_held == HELD_MOST)
		return;
	if (state.n_held == state.held_room) {
		state.held_room = state.held_room ? 2 * state.held_room : 16;
		state.held = cli_grow(state.held, state.held_room, sizeof(*state.held));
	}
	state.held[state.n_held++] = (struct held_back){ id, time };
}

void marks_note(const struct pp_record *rec)
{
	uint64_t time, number;

	if (!pp_time(rec, &time) || !time)
		return;
	if (rec->type == PP_REC_THROTTLE || rec->type == PP_REC_UNTHROTTLE)
		note_throttle(rec, time);
	else if (pp_type_is(rec->type, PP_LOSES) && pp_find_u64(rec, PP_IS_LOST, &number) && number)
		(void)add(PP_FLAME_LOST, time, time, number);
}

/* ---- notes ---- */

static bool begins(const struct pp_note *note, const char *key)
{
	return note->key_length >= strlen(key) && !memcmp(note->key, key, strlen(key));
}

/* `time`: 0 before the first sample. */
static void add_note(const struct pp_note *note, uint64_t time)
{
	const size_t room = NOTE_LENGTH;
	char *text;

	if (state.lists[PP_FLAME_NOTE].n + state.n_about >= NOTES_MOST) {
		state.notes_left_out++;
		return;
	}
	text = cli_text("%.*s=%.*s", (int)(note->key_length < room ? note->key_length : room), note->key,
			(int)(note->value_length < room ? note->value_length : room), note->value);
	if (time) {
		add(PP_FLAME_NOTE, time, time, 1)->text = text;
		return;
	}
	if (state.n_about == state.about_room) {
		state.about_room = state.about_room ? 2 * state.about_room : 16;
		state.about = cli_grow(state.about, state.about_room, sizeof(*state.about));
	}
	state.about[state.n_about++] = text;
}

void marks_early(const struct run *run, const struct pp_record *rec)
{
	struct pp_note note;

	/* what tools say to tools is not for people */
	for (size_t at = 0; pp_is_note(rec) && pp_note_next(rec, &at, &note);)
		if (note.key_length && !begins(&note, PP_NOTE_UNWOUND ".") && !begins(&note, PP_NOTE_LATE) &&
		    !begins(&note, PP_NOTE_LOAD))
			add_note(&note, run->samples ? run->stream->last_time : 0);
}

/* ---- all ---- */

void marks_end(const struct run *run, struct pp_flame_facts *facts)
{
	size_t n = 0;

	/* what is held back still, is so until the end */
	for (; state.n_held; state.n_held--)
		(void)add(PP_FLAME_THROTTLED, state.held[state.n_held - 1].from, run->stream->last_time, 1);
	for (size_t i = 0; i < PP_FLAME_MARKS; i++)
		n += state.lists[i].n;
	state.all = cli_grow(state.all, n + 1, sizeof(*state.all));
	facts->n_marks = 0;
	for (size_t i = 0; i < PP_FLAME_MARKS; i++) {
		const struct mark_list *const list = &state.lists[i];

		if (list->n)
			memcpy(state.all + facts->n_marks, list->items, list->n * sizeof(*list->items));
		facts->n_marks += list->n;
	}
	facts->marks = state.all;
	facts->notes = state.about;
	facts->n_notes = state.n_about;
	facts->notes_left_out = state.notes_left_out;
}

void marks_forget(void)
{
	for (size_t i = 0; i < state.n_about; i++)
		free((char *)(uintptr_t)state.about[i]);
	for (size_t i = 0; i < state.lists[PP_FLAME_NOTE].n; i++)
		free((char *)(uintptr_t)state.lists[PP_FLAME_NOTE].items[i].text);
	for (size_t i = 0; i < PP_FLAME_MARKS; i++)
		free(state.lists[i].items);
	free(state.all);
	free(state.held);
	free(state.about);
	memset(&state, 0, sizeof(state));
}
