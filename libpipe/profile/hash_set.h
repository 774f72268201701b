/* hash_set.h - what was there before, by its hash alone, and a number of each. */
#ifndef PP_HASH_SET_H
#define PP_HASH_SET_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct pp_hash_set {
	struct pp_hash_set_hash *items;   /* a table of them */
	size_t count, room;           /* room: a power of two, or 0 */
	bool forgets;                 /* to be set: what is there can be found in another way, too, so that it
				       * stays small where little comes again */
	size_t again;                 /* since it was made larger, or emptied */
	uint64_t low;                 /* the one that was looked for last, and where it would be */
	uint32_t high;
	size_t at;
};

/* Looks for these bytes: true: they were there, *number is what pp_hash_set_keep() was given.  `seed` is part
 * of what they are. */
bool pp_hash_set_find(struct pp_hash_set *, const void *bytes, size_t size, uint64_t seed, uint32_t *number);
/* Remembers those that were looked for last, and not there.  0, or -1 and *error. */
int pp_hash_set_keep(struct pp_hash_set *, uint32_t number, struct pp_error *);
/* Bytes that it holds. */
size_t pp_hash_set_size(const struct pp_hash_set *);
void pp_hash_set_close(struct pp_hash_set *);           /* and leaves it empty */

#endif
