/* note.c - the layout of notes: FINISHED_ROUND records that carry keys and values and end no round. */
#include "base/byte_order.h"
#include "format/note.h"

/* The record's header, magic, u32 count, u32 flags, then of each note u32 lengths of key and value
 * and their bytes. */
enum {
	MAGIC = PP_HEADER_SIZE, COUNT = MAGIC + 8, FLAGS = COUNT + 4, FIRST = FLAGS + 4,
	LENGTHS = 8,
	SIZE_MOST = PP_RECORD_MAX / 8 * 8,
	CONTINUES = 1,                /* flag: the last value continues in the next note */
};

static const uint8_t magic[8] = "PPNOTE1";

void pp_round_header(uint8_t data[PP_HEADER_SIZE], uint16_t size, bool foreign)
{
	const uint32_t type = PP_REC_FINISHED_ROUND;

	pp_store32(data, pp_in_order32(&type, foreign));
	pp_store16(data + 4, 0);
	pp_store16(data + 6, pp_in_order16(&size, foreign));
}

static bool is_note(const uint8_t *data, size_t size)
{
	return pp_fits(COUNT, size) && !memcmp(data + MAGIC, magic, sizeof(magic));
}

bool pp_is_note(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND && is_note(rec->data, rec->size);
}

/* One record of one note; the continuation of a value has no key. */
static size_t make_piece(uint8_t *data, const char *key, size_t key_length, const void *value,
			 size_t length, bool continues)
{
	const size_t size = (size_t)pp_align8(FIRST + LENGTHS + key_length + length);
	uint8_t *const text = data + FIRST + LENGTHS;

	memset(data, 0, size);
	pp_round_header(data, (uint16_t)size, false);
	memcpy(data + MAGIC, magic, sizeof(magic));
	pp_store32(data + COUNT, 1);
	pp_store32(data + FLAGS, continues ? CONTINUES : 0);
	pp_store32(data + FIRST, (uint32_t)key_length);
	pp_store32(data + FIRST + 4, (uint32_t)length);
	memcpy(text, key, key_length);
	if (length)
		memcpy(text + key_length, value, length);
	return size;
}

int pp_note_make(const char *key, const void *value, size_t length, pp_note_put *put, void *arg,
		 struct pp_error *error)
{
	const uint8_t *at = value;
	size_t key_length = strlen(key);
	uint8_t data[SIZE_MOST];

	if (!pp_fits(key_length, SIZE_MOST - FIRST - LENGTHS))
		return pp_fail(error, PP_E_FULL, "the key of a note");
	for (;;) {
		const size_t room = SIZE_MOST - FIRST - LENGTHS - key_length;
		const size_t piece = length < room ? length : room;
		const size_t size = make_piece(data, key, key_length, at, piece, piece < length);

		if (put(arg, data, size, error))
			return -1;
		if (piece == length)
			return 0;
		at += piece;
		length -= piece;
		key_length = 0;
	}
}

/* The bytes of the note at `at`, or UINT64_MAX: its lengths are not there. */
static uint64_t length_at(const uint8_t *data, size_t size, size_t at, bool foreign)
{
	if (!pp_fits(LENGTHS, size - at))
		return UINT64_MAX;
	return (uint64_t)pp_in_order32(data + at, foreign) + pp_in_order32(data + at + 4, foreign);
}

bool pp_notes_fit(const struct pp_record *rec)
{
	size_t at = FIRST;

	if (!pp_fits(FIRST, rec->size))
		return false;
	for (uint32_t count = pp_load32(rec->data + COUNT); count; count--) {
		const uint64_t length = length_at(rec->data, rec->size, at, false);

		if (length == UINT64_MAX || !pp_fits(length, rec->size - at - LENGTHS))
			return false;
		at += LENGTHS + (size_t)length;
	}
	return true;
}

static bool has_key(const struct pp_note *note, const char *key)
{
	return note->key_length == strlen(key) && !memcmp(note->key, key, note->key_length);
}

bool pp_stands_for_round(const struct pp_record *rec)
{
	struct pp_note note;
	size_t at = 0;

	return pp_is_note(rec) && pp_note_next(rec, &at, &note) &&
	       (has_key(&note, PP_NOTE_RATE) || has_key(&note, PP_NOTE_RUN));
}

static void swap_note32(uint8_t *p)
{
	pp_store32(p, pp_in_order32(p, true));
}

void pp_notes_swap(uint8_t *data, size_t size, bool to_host)
{
	size_t at = FIRST;
	uint32_t count;

	if (!pp_fits(FIRST, size))
		return;
	count = pp_in_order32(data + COUNT, to_host);
	swap_note32(data + COUNT);
	swap_note32(data + FLAGS);
	for (; count; count--) {
		const uint64_t length = length_at(data, size, at, to_host);

		if (length == UINT64_MAX)
			break;
		swap_note32(data + at);
		swap_note32(data + at + 4);
		if (!pp_fits(length, size - at - LENGTHS))
			break;
		at += LENGTHS + (size_t)length;
	}
}

bool pp_note_next(const struct pp_record *rec, size_t *at, struct pp_note *note)
{
	uint32_t key, value;

	if (!*at)
		*at = FIRST;
	if (!pp_fits(FIRST, rec->size) || !pp_fits(*at, rec->size) ||
	    !pp_fits(LENGTHS, rec->size - *at))
		return false;
	key = pp_load32(rec->data + *at);
	value = pp_load32(rec->data + *at + 4);
	*at += LENGTHS;
	if (!pp_fits(key, rec->size - *at) || !pp_fits(value, rec->size - *at - key))
		return false;
	*note = (struct pp_note){
		.key = (const char *)rec->data + *at, .key_length = key,
		.value = (const char *)rec->data + *at + key, .value_length = value,
	};
	*at += (size_t)key + value;
	/* what is left may be padding, or one that cannot be: lengths of 0 are neither */
	note->continues = pp_load32(rec->data + FLAGS) & CONTINUES &&
			  !pp_fits(LENGTHS, rec->size - *at);
	return key || value;
}

bool pp_notes_unwound(const struct pp_record *rec)
{
	const size_t length = strlen(PP_NOTE_UNWOUND);
	struct pp_note note;

	for (size_t at = 0; pp_note_next(rec, &at, &note);)
		if (note.key_length > length && !memcmp(note.key, PP_NOTE_UNWOUND ".", length + 1))
			return true;
	return false;
}
