/* scrub_payload.c - notes and names records without what they say of whose they are. */
#include "scrub/scrub_state.h"

#include "base/byte_order.h"
#include "format/note.h"

#include <stdlib.h>
#include <string.h>

/* ---- Notes ---- */

static bool has_words(const struct pp_note *note, const char *key)
{
	return note->key_length == strlen(key) && !memcmp(note->key, key, note->key_length);
}

static bool begins(const struct pp_note *note, const char *start)
{
	return note->key_length >= strlen(start) && !memcmp(note->key, start, strlen(start));
}

/* Whether a note is one that perfpipe writes about events: a number follows, and numbers are its value. */
static bool is_of_unwound(const struct pp_note *note)
{
	static const char of_numbers[] = "0123456789abcdefx, ";
	size_t at = strlen(PP_NOTE_UNWOUND ".");

	if (!begins(note, PP_NOTE_UNWOUND ".") || note->key_length == at)
		return false;
	for (; at < note->key_length; at++)
		if (note->key[at] < '0' || note->key[at] > '9')
			return false;
	if (note->value_length == 3 && !memcmp(note->value, "all", 3))
		return true;
	for (at = 0; at < note->value_length; at++)
		if (!note->value[at] || !strchr(of_numbers, note->value[at]))
			return false;
	return true;
}

/* What becomes of a note's value: KEEP, WORDS, TEXT, or DROP. */
static enum pp_hide how_of_note(const struct pp_note *note)
{
	static const char *const of_words[] = { PP_NOTE_LATE, PP_NOTE_LOAD, PP_NOTE_GOVERNOR, PP_NOTE_RATE };

	if (is_of_unwound(note))
		return PP_HIDE_KEEP;
	for (size_t i = 0; i < sizeof(of_words) / sizeof(*of_words); i++)
		if (has_words(note, of_words[i]))
			return PP_HIDE_WORDS;
	/* what pp-stat reads: it is about commands and control groups; and what is not all here */
	return begins(note, "count.") || has_words(note, "") ? PP_HIDE_DROP : PP_HIDE_TEXT;
}

static bool key_stays(const struct pp_note *note, enum pp_hide how)
{
	return how != PP_HIDE_TEXT || has_words(note, "host") || has_words(note, "label") ||
	       has_words(note, "commit");
}

/* Adds a note's lengths, key and value to ->out. */
static int add_note(struct pp_scrub *s, const struct pp_note *note, enum pp_hide how, struct pp_error *error)
{
	const enum pp_hide of_key = key_stays(note, how) ? PP_HIDE_KEEP : PP_HIDE_TEXT;
	uint8_t lengths[8];
	size_t key;

	s->text.size = 0;
	if (pp_scrub_text(s, of_key, note->key, note->key_length, error))
		return -1;
	key = s->text.size;
	if (pp_scrub_text(s, how, note->value, note->value_length, error))
		return -1;
	pp_store32(lengths, (uint32_t)key);
	pp_store32(lengths + 4, (uint32_t)(s->text.size - key));
	return pp_buffer_add(&s->out, lengths, sizeof(lengths), error) ||
	       (s->text.size && pp_buffer_add(&s->out, s->text.data, s->text.size, error)) ? -1 : 0;
}

int pp_scrub_notes(struct pp_scrub *s, const struct pp_record *rec, struct pp_error *error)
{
	enum { COUNT = PP_HEADER_SIZE + 8, FIRST = COUNT + 8 };
	static const uint8_t zero[8];
	struct pp_note note;
	uint32_t count = 0;
	size_t at = 0;

	if (!pp_notes_fit(rec))
		return pp_fail(error, PP_E_VALUE, NULL);
	if (pp_buffer_add(&s->out, rec->data, FIRST, error))
		return -1;
	/* a value that goes on in the next record is one text here, and what goes on goes */
	while (pp_note_next(rec, &at, &note)) {
		const enum pp_hide how = how_of_note(&note);

		s->stats.notes_dropped += how == PP_HIDE_DROP;
		if (how == PP_HIDE_DROP)
			continue;
		if (add_note(s, &note, how, error))
			return -1;
		count++;
	}
	if (!count)
		return PP_DROP;
	pp_store32(s->out.data + COUNT, count);
	pp_store32(s->out.data + COUNT + 4, 0);
	at = (size_t)pp_align8(s->out.size) - s->out.size;
	return pp_buffer_add(&s->out, zero, at, error) ? -1 : PP_KEEP;
}

/* ---- Names ---- */

/* A text for a names record, which stays until the next record: its place in ->text. */
static int add_name(struct pp_scrub *s, enum pp_hide how, const char *text, size_t *at,
		    struct pp_error *error)
{
	*at = s->text.size;
	return pp_scrub_text(s, how, text, strlen(text), error) ||
	       pp_buffer_add(&s->text, "", 1, error) ? -1 : 0;
}

static int hide_file(struct pp_scrub *s, struct pp_named_file *file, struct pp_error *error)
{
	uint64_t maj = file->maj, min = file->min, pid = file->pid;
	size_t at;

	s->file_stays = pp_scrub_file_stays(s, file->path, strlen(file->path));
	if ((s->file_stays ? pp_scrub_keep_bytes(&s->verify, file->id, sizeof(file->id), error) :
			     pp_pseudonym_bytes(&s->names, file->id, sizeof(file->id), error)) ||
	    pp_pseudonym_number(&s->names, &maj, 4, error) ||
	    pp_pseudonym_number(&s->names, &min, 4, error) ||
	    pp_pseudonym_number(&s->names, &file->ino, 8, error) ||
	    pp_pseudonym_number(&s->names, &file->ino_generation, 4, error) ||
	    (s->options.pids && pp_pseudonym_pid(&s->names, &pid, error)) ||
	    add_name(s, PP_HIDE_PATH, file->path, &at, error))
		return -1;
	file->maj = (uint32_t)maj;
	file->min = (uint32_t)min;
	file->pid = (uint32_t)pid;
	file->path = (const char *)s->text.data + at;
	return pp_names_begin(&s->build, file) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* An address with its frames: 1, 0: the record has no room for it, -1 and *error. */
static int add_address(struct pp_scrub *s, const struct pp_named_file *of, const struct pp_named *named,
		       struct pp_error *error)
{
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	size_t symbols[PP_NAMES_FRAMES], files[PP_NAMES_FRAMES];
	int added;

	if (named->count > PP_NAMES_FRAMES)
		return 0;
	s->text.size = 0;
	for (uint32_t i = 0; i < named->count; i++) {
		pp_names_frame(of, named->frame + i, &frames[i]);
		if (add_name(s, s->file_stays ? PP_HIDE_KEEP : PP_HIDE_SYMBOL, frames[i].symbol, &symbols[i],
			     error) ||
		    add_name(s, PP_HIDE_PATH, frames[i].file, &files[i], error))
			return -1;
	}
	for (uint32_t i = 0; i < named->count; i++) {
		frames[i].symbol = (const char *)s->text.data + symbols[i];
		frames[i].file = (const char *)s->text.data + files[i];
	}
	added = pp_names_add(&s->build, named, frames);
	return added < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : added;
}

/* A file and its names, to the end of the record that is made. */
static int add_file(struct pp_scrub *s, const struct pp_named_file *of, struct pp_error *error)
{
	struct pp_named_file hidden = *of;
	struct pp_record part = { .data = s->part, .type = PP_REC_FINISHED_ROUND };
	size_t size;

	/* addresses of code that a process made, not offsets */
	if (s->addresses.tasks && of->kind == PP_NAMES_PROCESS) {
		s->stats.names_dropped += of->count;
		return 0;
	}
	s->text.size = 0;
	if (hide_file(s, &hidden, error))
		return -1;
	for (uint32_t i = 0; i < of->count; i++) {
		struct pp_named named;
		int added;

		pp_names_at(of, i, &named);
		added = add_address(s, of, &named, error);
		if (added < 0)
			return -1;
		s->stats.names_dropped += !added;
	}
	if (!pp_buffer_room(&s->out, PP_NAMES_MOST, error))
		return -1;
	part.size = (uint16_t)pp_names_end(&s->build, s->part);
	if (!s->out.size) {
		memcpy(s->out.data, s->part, part.size);
		s->out.size = part.size;
		return 0;
	}
	size = pp_names_join(s->out.data, s->out.size, &part);
	if (size)
		s->out.size = size;
	else
		s->stats.names_dropped += of->count;
	return 0;
}

int pp_scrub_names(struct pp_scrub *s, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_named_file file;
	int got;

	if (!s->part && !(s->part = malloc(PP_RECORD_MAX + 1)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (pp_names_open(&file, rec, error))
		return -1;
	do {
		if (add_file(s, &file, error))
			return -1;
		got = pp_names_next(&file, error);
	} while (got > 0);
	return got < 0 ? -1 : s->out.size ? PP_KEEP : PP_DROP;
}
