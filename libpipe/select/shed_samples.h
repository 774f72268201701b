/* shed_samples.h - samples that are left out because the reader of the output is slow, and are counted. */
#ifndef SHED_SAMPLES_H
#define SHED_SAMPLES_H

#include <perfpipe/reader.h>
#include <perfpipe/writer.h>

struct pp_shed;
/* NULL: out of memory. */
struct pp_shed *pp_shed_new(struct pp_reader *, struct pp_writer *, int fd);
void pp_shed_free(struct pp_shed *);                   /* NULL is fine */
/* Whether a sample is left out: 1, 0, or -1: out of memory. */
int pp_shed_sample(struct pp_shed *, const struct pp_record *);
/* Writes how many were, of each event, since this was last written: before a round, and at the end. */
int pp_shed_write(struct pp_shed *, struct pp_error *);

#endif
