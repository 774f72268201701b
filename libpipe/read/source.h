/* source.h - the bytes of an input, wherever they come from. */
#ifndef SOURCE_H
#define SOURCE_H

#include "read/pieces.h"

#include <sys/types.h>

struct pp_unwrap;

struct pp_source {
	int fd;
	bool close;                   /* it was opened here */
	bool spooled;                 /* it is a copy of what came through a pipe */
	bool hasty;                   /* it does not wait for what has not come yet */
	const char *name;
	uint64_t base;                /* where the input begins in the file */
	off_t start;                  /* the same, for one that is read twice */
	struct pp_unwrap *unwrap;     /* the input is zstd as a whole */
	struct pp_pieces pieces;      /* where there are any, reading goes by them */
};

/* 0, or -1 and *error.  `path` NULL or "-" is standard input. */
int pp_source_open(struct pp_source *, const char *path, struct pp_error *error);
void pp_source_close(struct pp_source *);
/* Remembers where it begins: 0, or -1 and *error: it cannot be read twice. */
int pp_source_mark(struct pp_source *, struct pp_error *error);
/* Moves `from` into *s, to be read from where it was marked.  0, or -1 and *error; `from` can only
 * be closed. */
int pp_source_again(struct pp_source *s, struct pp_source *from, struct pp_error *error);
/* Bytes read, 0 at the end, -1 and *error; -2: interrupted by a signal, or nothing there
 * yet (it waited for more): ask again; -3: nothing there yet, and it is hasty. */
ssize_t pp_source_read(struct pp_source *, void *buf, size_t size, struct pp_error *error);
/* The input is zstd as a whole, and these were its first bytes: what is read from now on is
 * what it expands to, from its beginning. */
int pp_source_unwrap(struct pp_source *, const void *head, size_t size, struct pp_error *error);
/* Has pread work from the beginning of the input, of which `head` was read already; what is no
 * regular file is copied to a temporary one without a name. */
int pp_source_seekable(struct pp_source *, const void *head, size_t size, struct pp_error *error);
/* Bytes read at an offset of the input, -1 and errno.  Short only at the end. */
ssize_t pp_source_pread(struct pp_source *, void *buf, size_t size, uint64_t offset);
int pp_source_length(struct pp_source *, uint64_t *length);    /* 0, or -1 and errno */

/* The bytes as they come, not unwrapped and not by pieces. */
ssize_t pp_source_read_plain(struct pp_source *, void *buf, size_t size, struct pp_error *error);

/* ---- unwrap.c: an input that is zstd as a whole ---- */

struct pp_unwrap *pp_unwrap_new(const void *head, size_t size);     /* NULL: out of memory */
void pp_unwrap_free(struct pp_unwrap *);        /* NULL is fine */
/* As pp_source_read: expands what pp_source_read_plain gives. */
ssize_t pp_unwrap_read(struct pp_unwrap *, void *buf, size_t size, struct pp_source *,
		       struct pp_error *error);

#endif
