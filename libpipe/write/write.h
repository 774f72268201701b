/* write.h - what the writer tells this library alone. */
#ifndef PP_WRITE_H
#define PP_WRITE_H

#include <perfpipe/writer.h>

/* Whether it fills a regular file: no one waits for what comes next. */
bool pp_writer_fills_file(const struct pp_writer *);

#endif
