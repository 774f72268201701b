/* seal.h - the bytes of seals and of rounds, and the hash that runs along a stream. */
#ifndef SEAL_H
#define SEAL_H

#include <perfpipe/perfpipe.h>

#include <xxhash.h>

/* True and *seal if the `size` bytes of this FINISHED_ROUND carry a seal. */
bool pp_seal_load(struct pp_seal *seal, const uint8_t *data, size_t size, bool foreign);
/* Whether these are its bytes as they are made here: nothing else is in them. */
bool pp_seal_is_exact(const struct pp_seal *seal, const uint8_t data[PP_SEAL_SIZE], bool foreign);
/* What a stream without seals ends in after damage: it vouches for nothing but itself. */
static inline bool pp_seal_is_lone(const struct pp_seal *seal)
{
	return !seal->number && !seal->bytes && seal->flags & PP_SEAL_END;
}
/* Turns the integers of a seal around; other sizes are none. */
void pp_seal_swap(uint8_t *data, size_t size, bool to_host);

/*
 * The hash that runs along a stream.  `seed` is the last seal's xxh3, and a seal's hash covers the
 * bytes after that seal, and itself with xxh3 as zero.
 */
struct pp_sum {
	XXH3_state_t *state, *scratch;
	bool begun;                   /* the state is of this seed: bytes were added */
	uint64_t seed, number;        /* of the next seal */
	uint64_t from;                /* offset where the last seal ended */
};

int pp_sum_open(struct pp_sum *);               /* 0, or -1: out of memory */
void pp_sum_close(struct pp_sum *);
void pp_sum_start(struct pp_sum *, uint64_t seed, uint64_t number, uint64_t from);
void pp_sum_add(struct pp_sum *, const void *, size_t);
/* Goes on from where the other one is. */
void pp_sum_copy(struct pp_sum *, const struct pp_sum *other);
/* The hash that this seal must have here, whatever it has. */
uint64_t pp_sum_seal(const struct pp_sum *, const uint8_t data[PP_SEAL_SIZE]);
/* The same of `size` bytes and the seal after them, where none of them was added: the state is not copied. */
uint64_t pp_sum_seal_after(const struct pp_sum *, const uint8_t *data, size_t size);
/* Makes the seal that is due at this offset, and goes on after it: what is added next is summed up
 * for the next seal. */
void pp_sum_make(struct pp_sum *, uint8_t data[PP_SEAL_SIZE], uint64_t at, uint32_t flags, bool foreign);
/* Makes the END, if one is due: in a stream that is sealed; and in one that is not after damage, where
 * it covers nothing. */
bool pp_sum_make_end(struct pp_sum *, uint8_t data[PP_SEAL_SIZE], uint64_t at, uint32_t flags, bool sealed,
		     bool foreign);
/* Whether its hash is right if it is taken to cover so many bytes, whatever it says. */
bool pp_sum_covers(const struct pp_sum *, const uint8_t data[PP_SEAL_SIZE], uint64_t bytes, bool foreign);

#endif
