/* gzip.h - an output that is compressed on its way into another. */
#ifndef EXCHANGE_GZIP_H
#define EXCHANGE_GZIP_H

#include <perfpipe/error.h>
#include <perfpipe/output.h>

/* As little as level 1 makes it, since a higher one takes longer than all the rest. */
struct pp_gzip {
	struct pp_out *to;
	struct pp_deflater *deflater;
};

/* 0, or -1 and *error: memory.  It may be closed in any case. */
int pp_gzip_open(struct pp_gzip *, struct pp_out *to, struct pp_error *);
/* Errors of the output stay in it. */
void pp_gzip_write(struct pp_gzip *, const void *, size_t);
/* Ends the file. */
void pp_gzip_end(struct pp_gzip *);
void pp_gzip_close(struct pp_gzip *);

#endif
