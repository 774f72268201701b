/* strings.h - texts by number, each once: names of frames and files. */
#ifndef SYMBOL_STRINGS_H
#define SYMBOL_STRINGS_H

#include "base/hash.h"

#include <perfpipe/error.h>

#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct pp_strings {
	struct pp_text {
		const char *text;     /* its own; a zero byte follows its length */
		uint32_t length;
		unsigned kind;        /* the caller's: the same text of two kinds is two */
	} *items;
	size_t n, room;
	uint64_t bytes;               /* of all texts */
	struct pp_numbers by_text;
};

/* The number of a text of a kind, from 0: the same for the same.  0, or -1 and *error: memory. */
int pp_strings_number(struct pp_strings *, const char *text, size_t length, unsigned kind, uint32_t *number,
		      struct pp_error *);
/* Bytes that it holds. */
uint64_t pp_strings_size(const struct pp_strings *);
void pp_strings_close(struct pp_strings *);

#endif
