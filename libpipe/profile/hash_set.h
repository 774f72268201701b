/* hash_set.h - what was there before, by its hash alone, and a number of each. */
#ifndef PP_HASH_SET_H
#define PP_HASH_SET_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct pp_seen {
	struct pp_seen_hash *items;   /* a table of them */
	size_t count, room;           /* room: a power of two, or 0 */
	uint64_t low;                 /* the one that was looked for last, and where it would be */
	uint32_t high;
	size_t at;
};

/* Looks for these bytes: true: they were there, *number is what pp_seen_keep() was given.  `seed` is part of
 * what they are. */
bool pp_seen_find(struct pp_seen *, const void *bytes, size_t size, uint64_t seed, uint32_t *number);
/* Remembers those that were looked for last, and not there.  0, or -1 and *error. */
int pp_seen_keep(struct pp_seen *, uint32_t number, struct pp_error *);
/* Bytes that it holds. */
size_t pp_seen_size(const struct pp_seen *);
void pp_seen_close(struct pp_seen *);           /* and leaves it empty */

#endif
