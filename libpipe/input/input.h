/* input.h - the bytes of an input, wherever they come from. */
#ifndef PP_INPUT_H
#define PP_INPUT_H

#include "input/composed_input.h"

#include <sys/types.h>

struct pp_zstd_input;

/* What came of reading. */
enum pp_input_got {
	PP_SOURCE_BYTES,
	PP_SOURCE_END,
	PP_SOURCE_RETRY,              /* a signal came, or it waited: read again */
	PP_SOURCE_NOT_YET,            /* nothing has come, and it is hasty */
	PP_SOURCE_FAILED,             /* and *error */
};

struct pp_input {
	int fd;
	bool close;                   /* it was opened here */
	bool spooled;                 /* it is a copy of what came through a pipe */
	bool hasty;                   /* it does not wait for what has not come yet */
	const char *name;
	uint64_t base;                /* where the input begins in the file */
	off_t start;                  /* the same in a regular file, of whatever is in it; else -1 */
	bool beside;                  /* another one reads the file: this one leaves its position alone, */
	off_t at;                     /* and has one of its own */
	struct pp_zstd_input *unwrap;     /* the input is zstd as a whole */
	struct pp_composed_input pieces;      /* where there are any, reading goes by them */
};

/* 0, or -1 and *error.  `path` NULL or "-" is standard input. */
int pp_input_open(struct pp_input *, const char *path, struct pp_error *error);
/* The same of an open descriptor, for messages called `name`.  The input owns it and closes it, also where it
 * fails. */
int pp_input_take(struct pp_input *, int fd, const char *name, struct pp_error *error);
void pp_input_close(struct pp_input *);
/* What another one reads, from where that began, which outlives it.  0, or -1 and *error: it cannot be read
 * twice. */
int pp_input_beside(struct pp_input *, const struct pp_input *first, struct pp_error *error);
/* Reads up to `size` bytes into `buf`; *got is how many: 0 but for PP_SOURCE_BYTES. */
enum pp_input_got pp_input_read(struct pp_input *, void *buf, size_t size, size_t *got,
				struct pp_error *error);
/* The input is zstd as a whole, and these were its first bytes: what is read from now on is
 * what it expands to, from its beginning. */
int pp_input_unwrap(struct pp_input *, const void *head, size_t size, struct pp_error *error);
/* Has pread work from the beginning of the input, of which `head` was read already; anything but a
 * regular file is copied to a temporary one without a name. */
int pp_input_seekable(struct pp_input *, const void *head, size_t size, struct pp_error *error);
/* Bytes read at an offset of the input, -1 and errno.  Short only at the end. */
ssize_t pp_input_pread(struct pp_input *, void *buf, size_t size, uint64_t offset);
int pp_input_length(struct pp_input *, uint64_t *length);    /* 0, or -1 and errno */

/* ---- zstd_input.c: an input that is zstd as a whole ---- */

struct pp_zstd_input *pp_zstd_input_new(const void *head, size_t size);     /* NULL: out of memory */
void pp_zstd_input_free(struct pp_zstd_input *);        /* NULL is fine */
typedef enum pp_input_got pp_input_plain_fn(struct pp_input *, void *buf, size_t size, size_t *got,
					    struct pp_error *);
/* As pp_input_read: expands what `plain` gives. */
enum pp_input_got pp_zstd_input_read(struct pp_zstd_input *, void *buf, size_t size, size_t *got,
				     pp_input_plain_fn *plain, struct pp_input *, struct pp_error *error);

#endif
