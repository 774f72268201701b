/* live_output.h - an output that does not have its writer wait for its reader. */
#ifndef PP_LIVE_OUTPUT_H
#define PP_LIVE_OUTPUT_H

#include <perfpipe/reader.h>
#include <perfpipe/writer.h>

struct pp_live_output;
/* Between a writer and its descriptor, as long as both are used: what a pipe has no room for waits in memory,
 * and is written whenever there is room, also while the reader waits for its input.  Only more than 256 MiB
 * that wait have the writer wait, and pp_writer_end(), until all is written.  NULL: out of memory. */
struct pp_live_output *pp_live_output_new(struct pp_reader *, struct pp_writer *, int fd);
void pp_live_output_free(struct pp_live_output *);     /* after the writer's end; NULL is fine */
/* Bytes that the writer has and that are not in the pipe yet. */
uint64_t pp_live_output_waits(const struct pp_live_output *);

#endif
