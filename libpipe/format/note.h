/* note.h - the bytes of notes, to make, check or swap them; reading is <perfpipe/seal.h>. */
#ifndef NOTE_H
#define NOTE_H

#include <perfpipe/perfpipe.h>

/* The header of a FINISHED_ROUND of `size` bytes, in which notes and seals ride. */
void pp_round_header(uint8_t data[PP_HEADER_SIZE], uint16_t size, bool foreign);
/* Takes one record, which is gone after the call.  0, or -1 and *error. */
typedef int pp_note_put(void *arg, uint8_t *record, size_t size, struct pp_error *error);
/* Hands `put` a note, in host order and in as many records as its value needs.  0, or -1 and *error:
 * what `put` had, or the key does not fit in a record. */
int pp_note_make(const char *key, const void *value, size_t length, pp_note_put *put, void *arg,
		 struct pp_error *error);
/* Whether a note stands among the samples, in the place of a round. */
bool pp_stands_for_round(const struct pp_record *);
/* Whether a record has notes of events whose chains pp-unwind made (PP_NOTE_UNWOUND). */
bool pp_notes_unwound(const struct pp_record *);
/* Whether all the notes of a record, as it says how many, lie in it. */
bool pp_notes_fit(const struct pp_record *);
/* Turns the integers of notes around, to host order or from it. */
void pp_notes_swap(uint8_t *data, size_t size, bool to_host);

#endif
