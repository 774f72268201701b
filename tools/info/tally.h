/* tally.h - how often each number came: CPUs, processes, events. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct tally {
	struct count { uint64_t key, n; } *items;
	size_t room, used;
	struct count *last;             /* found last: samples come in runs */
};

/* Counts one more of `key`: 0, or -1: out of memory. */
int tally_add(struct tally *, uint64_t key);

/* Makes items[0 .. used] an array, the most counted first, then by key.  Nothing is added after. */
void tally_rank(struct tally *);

/* How often `key` came; after tally_rank(). */
uint64_t tally_of(const struct tally *, uint64_t key);

void tally_free(struct tally *);

#endif
