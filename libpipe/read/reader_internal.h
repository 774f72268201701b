/* reader_internal.h - what the writer asks of the reader. */
#ifndef PP_READER_INTERNAL_H
#define PP_READER_INTERNAL_H

#include <perfpipe/perfpipe.h>

struct pp_step_verify;

bool pp_reader_tied(const struct pp_reader *, const struct pp_writer *);
bool pp_reader_raw(const struct pp_reader *);
/* What compares its seals; NULL: it does not, or hands out other bytes than those that are sealed. */
const struct pp_step_verify *pp_reader_verify(const struct pp_reader *);
/* As pp_reader_status(). */
int pp_stream_status(const struct pp_stream *);
/* What was written to `w` came from it, although it is not tied: its END says of the damage so far. */
void pp_reader_warn(const struct pp_reader *, struct pp_writer *w);

#endif
