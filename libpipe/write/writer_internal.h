/* writer_internal.h - what the writer tells this library alone. */
#ifndef PP_WRITER_INTERNAL_H
#define PP_WRITER_INTERNAL_H

#include <perfpipe/writer.h>

/* Whether it fills a regular file: no one waits for what comes next. */
bool pp_writer_fills_file(const struct pp_writer *);
/* Has its END say so (PP_SEAL_*), whatever else its caller says; the seals before it do not. */
void pp_writer_add_end_flags(struct pp_writer *, uint32_t flags);

#endif
