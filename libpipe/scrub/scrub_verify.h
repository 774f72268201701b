/* scrub_verify.h - whether a text that was replaced in one place went out in another. */
#ifndef PP_SCRUB_VERIFY_H
#define PP_SCRUB_VERIFY_H

#include <perfpipe/record.h>

#include "base/hash.h"
#include "scrub/pseudonym.h"

/* A record of the input of which something new went out. */
struct pp_scrub_place {
	uint64_t offset, index;
	uint32_t type;
};

/* All zero looks at nothing. */
struct pp_scrub_verify {
	bool on;
	struct pp_idmap written;      /* hashes of what went out: number of its place, byte there */
	struct pp_idmap kept;         /* of what stays, and so is no news where it goes out: a set */
	struct pp_idmap digests;      /* first bytes of those that were replaced: their numbers */
	size_t digests_of;            /* how many of the texts and numbers that were replaced are there */
	struct pp_scrub_place *places;
	size_t n_places, room;
	size_t next;                  /* of the texts and numbers: which is to be asked for */
	uint64_t bytes_of_samples;    /* bits of sample_type: of what has bytes, and is in samples still */
};

/* A text that stays by a rule; bytes that do.  0, or -1 and *error: memory. */
int pp_scrub_keep_text(struct pp_scrub_verify *, const char *text, size_t length, struct pp_error *);
int pp_scrub_keep_bytes(struct pp_scrub_verify *, const uint8_t *bytes, size_t size, struct pp_error *);
/* Looks at what is written of a record.  0, or -1 and *error: memory. */
int pp_scrub_look(struct pp_scrub_verify *, const struct pp_pseudonyms *, const struct pp_record *,
		  const uint8_t *written, size_t size, struct pp_error *);
/* The next of all that was replaced that went out: its number, its place, and the byte of what was written;
 * false: no more. */
bool pp_scrub_found(struct pp_scrub_verify *, const struct pp_pseudonyms *, size_t *number,
		    struct pp_scrub_place *, uint32_t *byte);
void pp_scrub_verify_close(struct pp_scrub_verify *);

#endif
