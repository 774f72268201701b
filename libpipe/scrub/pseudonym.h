/* pseudonym.h - what stands for a text or a number under a key: the same for the same, and nothing that
 * leads back without the key. */
#ifndef PP_PSEUDONYM_H
#define PP_PSEUDONYM_H

#include <perfpipe/error.h>

#include "base/hash.h"
#include "symbol/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a code is of. */
enum pp_coded { PP_CODED_TEXT, PP_CODED_NUMBER4, PP_CODED_NUMBER8, PP_CODED_BYTES, PP_CODED_ROUND };

enum { PP_PSEUDONYM_LENGTH = 11, PP_PSEUDONYM_MAC = 20 };

/* Each text has its code once; all are kept. */
struct pp_pseudonyms {
	struct pp_strings known;                /* by enum pp_coded */
	uint8_t (*macs)[PP_PSEUDONYM_MAC];      /* of each of `known` */
	size_t room;
	struct pp_idmap taken;                  /* the bits that a pseudonym shows, and whose it is */
	void *key;                              /* of the code, ready for texts */
	uint16_t *rounds;                       /* of the permutation of process ids; NULL: not made yet */
};

/* Loads the library that has the code.  0, or -1 and *error. */
int pp_pseudonyms_open(struct pp_pseudonyms *, const void *key, size_t size, struct pp_error *);
void pp_pseudonyms_close(struct pp_pseudonyms *);
/* All of these: 0, or -1 and *error: memory; PP_E_VALUE where two texts have the same pseudonym. */
int pp_pseudonym_text(struct pp_pseudonyms *, const char *text, size_t length,
		      char name[PP_PSEUDONYM_LENGTH + 1], struct pp_error *);
/* 0 stays.  `width`: bytes, 4 or 8. */
int pp_pseudonym_number(struct pp_pseudonyms *, uint64_t *number, unsigned width, struct pp_error *);
/* Bytes that are all zero stay; at most PP_PSEUDONYM_MAC. */
int pp_pseudonym_bytes(struct pp_pseudonyms *, uint8_t *bytes, size_t size, struct pp_error *);
/* Of a page of memory: nothing of it is kept here. */
uint64_t pp_pseudonym_page(struct pp_pseudonyms *, uint64_t page);
/* A number that is the key's alone, by a number. */
uint64_t pp_pseudonym_constant(struct pp_pseudonyms *, uint8_t number);
/* No two have the same; 0, 1, 2 and what is no process id stay. */
int pp_pseudonym_pid(struct pp_pseudonyms *, uint64_t *pid, struct pp_error *);

#endif
