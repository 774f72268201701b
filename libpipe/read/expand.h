/* expand.h - the zstd stream in COMPRESSED and COMPRESSED2 records. */
#ifndef EXPAND_H
#define EXPAND_H

#include <perfpipe/perfpipe.h>

#include <sys/types.h>

/*
 * perf 6.16 to 7.1 wrote what did not fit in one COMPRESSED2 record as a chain of them and then
 * overwrote the first header's size, cut to 16 bits, and data_size by those of the chain.
 * `chain` is how many bytes of one are still to come.
 */
struct pp_carrier {
	uint64_t chain;
	size_t size;                  /* of the whole record, as it really is */
	size_t at, length;            /* its piece of the zstd stream */
	bool damaged;                 /* data_size cannot be */
};

enum { PP_CARRIER_HEAD = 16 };        /* bytes of a COMPRESSED2 that tell its size */

/* Sizes up a COMPRESSED2 record of which PP_CARRIER_HEAD bytes are there. */
void pp_carrier_size2(struct pp_carrier *, const uint8_t *data, bool foreign);

/* What a call of zstd failed with: no memory, or else this code and "WHAT: why". */
int pp_fail_zstd(struct pp_error *, size_t result, enum pp_code, const char *what);
struct pp_expand;
struct pp_expand *pp_expand_new(void);          /* NULL: out of memory */
void pp_expand_free(struct pp_expand *);        /* NULL is fine */
/* The next piece of the zstd stream; it must stay in place until it is used up. */
void pp_expand_feed(struct pp_expand *, const uint8_t *data, size_t size);
/* Whether bytes may still come out of what was fed. */
bool pp_expand_pending(const struct pp_expand *);
/*
 * Expands as much as fits in `room` bytes (more than 0): how many came, or -1 and *error; then
 * the rest of this piece is dropped, and what is fed after it until a zstd frame begins.
 */
ssize_t pp_expand_more(struct pp_expand *, uint8_t *out, size_t room, struct pp_error *error);

#endif
