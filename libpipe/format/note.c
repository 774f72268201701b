/*
 * note.c - writes and reads notes: FINISHED_ROUND records that carry keys and values and end no
 * round.  Whether one is a note is told by seal.c; where they go is left to the tool.
 */
#include <errno.h>

#include <perfpipe/perfpipe.h>

enum {
	MAGIC = 8, COUNT = 4, FLAGS = 4, LENGTHS = 8,
	HEAD = MAGIC + COUNT + FLAGS + LENGTHS,
	PAYLOAD_MAX = (PP_RECORD_MAX - PP_HEADER_SIZE) / 8 * 8,
	CONTINUES = 1,                /* flag: the last value goes on in the next note */
};

/* One record of one note; a piece of a value that goes on from the record before has no key. */
static int put_piece(struct pp_writer *w, const char *key, size_t key_length, const void *value,
		     size_t length, bool continues, struct pp_error *error)
{
	const size_t size = (size_t)pp_align8(HEAD + key_length + length);
	uint8_t payload[PAYLOAD_MAX], record[PP_RECORD_MAX + 1];
	struct pp_build b;

	memset(payload, 0, size);
	memcpy(payload, "PPNOTE1", MAGIC);
	pp_store32(payload + MAGIC, 1);
	pp_store32(payload + MAGIC + COUNT, continues ? CONTINUES : 0);
	pp_store32(payload + HEAD - LENGTHS, (uint32_t)key_length);
	pp_store32(payload + HEAD - LENGTHS / 2, (uint32_t)length);
	memcpy(payload + HEAD, key, key_length);
	if (length)
		memcpy(payload + HEAD + key_length, value, length);
	pp_build(&b, record, sizeof(record), PP_REC_FINISHED_ROUND, 0, NULL);
	pp_build_bytes(&b, "payload", payload, size);
	return pp_writer_copy(w, record, pp_build_end(&b), error);
}

int pp_writer_note(struct pp_writer *w, const char *key, const void *value, size_t length,
		   struct pp_error *error)
{
	const uint8_t *at = value;
	size_t key_length = strlen(key);

	if (!pp_fits(key_length, PAYLOAD_MAX - HEAD))
		return pp_fail(error, PP_E_FULL, "the key of a note");
	for (;;) {
		const size_t room = PAYLOAD_MAX - HEAD - key_length;
		const size_t piece = length < room ? length : room;

		if (put_piece(w, key, key_length, at, piece, piece < length, error))
			return -1;
		if (piece == length)
			return 0;
		at += piece;
		length -= piece;
		key_length = 0;
	}
}

bool pp_note_next(const struct pp_record *rec, size_t *at, struct pp_note *note)
{
	const size_t first = PP_HEADER_SIZE + HEAD - LENGTHS;
	uint32_t key, value;

	if (!*at)
		*at = first;
	if (!pp_fits(first, rec->size) || !pp_fits(*at, rec->size) ||
	    !pp_fits(LENGTHS, rec->size - *at))
		return false;
	key = pp_load32(rec->data + *at);
	value = pp_load32(rec->data + *at + LENGTHS / 2);
	*at += LENGTHS;
	if (!pp_fits(key, rec->size - *at) || !pp_fits(value, rec->size - *at - key))
		return false;
	*note = (struct pp_note){
		.key = (const char *)rec->data + *at, .key_length = key,
		.value = (const char *)rec->data + *at + key, .value_length = value,
	};
	*at += (size_t)key + value;
	/* what is left may be padding, or one that cannot be: lengths of 0 are neither */
	note->continues = pp_load32(rec->data + first - FLAGS) & CONTINUES &&
			  !pp_fits(LENGTHS, rec->size - *at);
	return key || value;
}
