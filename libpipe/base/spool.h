/* spool.h - bytes in a file without a name, for what does not fit in memory. */
#ifndef SPOOL_H
#define SPOOL_H

#include <perfpipe/error.h>

#include <sys/types.h>

/* A file without a name in TMPDIR, or in /tmp: its descriptor, or -1 and errno. */
int pp_temporary(void);
const char *pp_temporary_folder(void);
/* Makes some ahead where the file system has no files without a name (O_TMPFILE), for a process that will
 * not be able to make any other then. */
void pp_temporary_prepare(void);
/* Writes or reads all of it at a place in a file: 0, or -1 and errno (EIO: the file is shorter). */
int pp_write_at(int fd, const void *data, size_t size, uint64_t at);
int pp_read_at(int fd, void *data, size_t size, uint64_t at);
/* The same as far as the file goes: how many bytes there were, or -1 and errno. */
ssize_t pp_read_up_to(int fd, void *data, size_t size, uint64_t at);

/* Grows at its end and is read anywhere; has no file while all fits in its buffer.  What is only large
 * needs no buffer, and no pp_spool_open(): { .fd = -1 } is empty. */
struct pp_spool {
	int fd;
	uint64_t flushed;             /* bytes in the file; those of the buffer follow */
	uint8_t *buffer;
	size_t used, room;
};

int pp_spool_open(struct pp_spool *, size_t room);      /* 0, or -1: out of memory */
void pp_spool_close(struct pp_spool *);
uint64_t pp_spool_end(const struct pp_spool *);         /* where the next bytes will be */
int pp_spool_write(struct pp_spool *, const void *, size_t, struct pp_error *error);
/* Room for `size` bytes at the end, no more than the buffer has, to be filled before the next
 * call.  NULL and *error. */
void *pp_spool_room(struct pp_spool *, size_t size, struct pp_error *error);
/* Takes back what was written from there on; the disk gets back what it took. */
void pp_spool_cut(struct pp_spool *, uint64_t end);
int pp_spool_read(struct pp_spool *, uint64_t from, void *, size_t, struct pp_error *error);
/* Gives the disk back what is not needed any more. */
void pp_spool_forget(struct pp_spool *, uint64_t from, uint64_t to);

#endif
