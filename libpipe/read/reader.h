/* reader.h - what the writer asks of the reader. */
#ifndef READER_H
#define READER_H

#include <perfpipe/perfpipe.h>

bool pp_reader_tied(const struct pp_reader *, const struct pp_writer *);
bool pp_reader_raw(const struct pp_reader *);

#endif
