/* reader_internal.h - what the writer asks of the reader. */
#ifndef PP_READER_INTERNAL_H
#define PP_READER_INTERNAL_H

#include <perfpipe/perfpipe.h>

struct pp_step_verify;
struct pp_input;

bool pp_reader_tied(const struct pp_reader *, const struct pp_writer *);
bool pp_reader_raw(const struct pp_reader *);
/* What compares its seals; NULL: it does not, or hands out other bytes than those that are sealed. */
const struct pp_step_verify *pp_reader_verify(const struct pp_reader *);
/* Has it hand out no record that `leaves` says true of, and count none of them. */
void pp_reader_leave_out(struct pp_reader *, bool (*leaves)(void *arg, const struct pp_record *), void *arg);
/* Its input, if that is a file with a plain stream in host order of which nothing but the header was read:
 * pread works from the beginning of the stream.  Else NULL. */
struct pp_input *pp_reader_sought(struct pp_reader *);
/* After that input was given pieces, of which the first follows the header: reads these, and takes `flags`
 * for those of the END. */
void pp_reader_by_pieces(struct pp_reader *, uint32_t flags);
/* As pp_reader_status(). */
int pp_stream_status(const struct pp_stream *);
/* What was written to `w` came from it, although it is not tied: its END says of the damage so far. */
void pp_reader_warn(const struct pp_reader *, struct pp_writer *w);

#endif
