/* batch.h - what needs no step of reading, many at a time. */
#ifndef PP_BATCH_H
#define PP_BATCH_H

#include "read/reader_chain.h"

/* As pp_reader_batch(), of one input: what pp_reader_chain_walk() hands out, as long as it is samples. */
uint32_t pp_reader_chain_batch(struct pp_reader_chain *, struct pp_batch *);
/* As pp_reader_unbatch(). */
void pp_reader_chain_unbatch(struct pp_reader_chain *, const struct pp_batch *, uint32_t kept);

#endif
