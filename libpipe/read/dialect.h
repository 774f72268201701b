/* dialect.h - a step of reading: what some writers do in their own way becomes what perf would write. */
#ifndef DIALECT_H
#define DIALECT_H

#include "input/detect_format.h"
#include "read/verify_seals.h"

/* Whether the first record of a stream shows the Google dialect: there, before it has attributes,
 * types 69 to 80 hold what are the sections of features 3 to 14 in a file. */
bool pp_is_google(const uint8_t *data, uint32_t type, size_t size, bool foreign);
/* A record of simpleperf's own has the upper half of its size in misc. */
static inline size_t pp_simpleperf_size(uint32_t type, uint16_t misc, size_t size)
{
	return type >= 32768 ? size | (size_t)misc << 16 : size;
}
/* simpleperf has the data of a TRACING_DATA record in it.  Makes the record that it should be in
 * `out` (16 bytes) and returns how many bytes follow it, which begin at `data` + 12. */
uint32_t pp_simpleperf_tracing(uint8_t out[16], const uint8_t *data, size_t size, bool foreign);

/* ---- The step ---- */

struct pp_step_dialect {
	struct pp_step_verify *from;
	bool raw;                     /* all passes as it is */
	enum pp_dialect dialect;
	uint8_t *made;                /* room for a record, once it is needed */
	const uint8_t *tail;          /* what follows that record: bytes of the one that it is made of */
	size_t tail_left;
	const struct pp_ties *ties;
	struct pp_stream *stream;     /* notes dialect */
};

/* Has it translate from a dialect. */
void pp_step_dialect_from(struct pp_step_dialect *, enum pp_dialect);
void pp_step_dialect_close(struct pp_step_dialect *);
int pp_step_dialect_next(struct pp_step_dialect *, struct pp_record *rec, struct pp_error *);
int pp_step_dialect_bytes(struct pp_step_dialect *, uint64_t most, const void **piece, size_t *size,
			  struct pp_error *);

#endif
