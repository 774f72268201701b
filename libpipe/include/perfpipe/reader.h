/*
 * reader.h - reads a stream: records in place, out of one large buffer.
 *
 * Whatever the input is (a stream of either byte order, compressed or not, a perf.data file, a
 * folder of them), the records come as those of one plain stream in the host's byte order, unless it
 * is read raw.  A record is valid until the next call of the reader.  What is damaged is reported
 * and passed over; whatever is whole is handed out:
 *
 *	#include <perfpipe/reader.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_record record;
 *		enum pp_status got;
 *		unsigned long damaged = 0;
 *		int status;
 *
 *		if (!in)
 *			return pp_error_status(&error);
 *		do {
 *			got = pp_reader_next(in, &record, &error);
 *			damaged += got == PP_FAILED;
 *		} while (got == PP_MORE || (got == PP_FAILED && !pp_error_ends(&error)));
 *		printf("%lu records, %lu times damage\n",
 *		       (unsigned long)pp_reader_stream(in)->records, damaged);
 *		status = pp_reader_status(in);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_READER_H
#define PERFPIPE_READER_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_reader;
struct pp_writer;

struct pp_reader_options {
	size_t size;                  /* of this struct: what a caller sets first */
	bool raw;                     /* records as they are: not expanded, swapped or verified */
	bool no_verify;               /* do not look at seals */
	/* Called once the input is open, before its first byte is read, with its descriptor, -1 for a folder
	 * of files: 0, or -1 and *error, with which opening fails.  For pp_sandbox_enter(); or NULL. */
	int (*opened)(void *arg, int fd, struct pp_error *);
	void *arg;
	bool unread;                  /* read nothing yet: pp_reader_begin() does, once all is open */
};

/* What the feature COMPRESSED says, which a cooked reader does not show; type 0: nothing so far. */
struct pp_compression {
	uint32_t type, level, ratio;
};

/* What the stream is, and what was found in it so far. */
struct pp_stream {
	const char *name;             /* the path, or "standard input" */
	const char *container;        /* "stream", "perf.data file", "perf.data folder" */
	const char *dialect;          /* name of a writer's own variant, or NULL */
	bool killed;                  /* an unfinished file: it has no features */
	bool spooled;                 /* a file that came through a pipe was copied */
	uint64_t left_out;            /* records that no stream can hold */
	uint64_t features_left_out;   /* features of a file that no record can hold: a bit for each */
	/* Of these, as records in host order with bytes ->beyond what a stream could have, those that a
	 * reader of a file keeps: for who shows or saves features. */
	const struct pp_record *long_features;
	size_t n_long_features;
	bool foreign;                 /* the stream's byte order is not the host's */
	bool big_endian;              /* the stream's */
	bool version_1;               /* its magic is PERFFILE */
	bool sealed;                  /* seal 0 was seen (and not yet found to be rewritten) */
	bool ended;                   /* an END seal was seen */
	uint32_t flags;               /* ORed flags of the seals (PP_SEAL_*) */
	bool rewritten;               /* rewritten by a tool that does not know seals */
	uint64_t bytes, records;      /* read so far */
	/* Of a file: its data, its table of features, and a bit for each of these (below 64). */
	uint64_t data_offset, data_size, features_offset, features;
	uint64_t compressed_bytes, expanded_bytes;
	/* The first of each kind (size 0: none; without data) that a cooked reader does not show:
	 * the feature COMPRESSED, and compressed records without it before them. */
	struct pp_record promise, unpromised;
	uint64_t dropped;             /* records that could not be converted */
	uint64_t orphans;             /* samples whose id belongs to no attribute */
	uint64_t rounds;              /* FINISHED_ROUNDs, seals included, notes not */
	uint64_t first_time, last_time;   /* smallest and largest so far; 0 before the first */
	struct pp_attrs *attrs;
	int status;                   /* exit status that the worst error so far means; 0: there was none */
	struct pp_compression compression;
};

/*
 * Opens a path, or standard input where `path` is NULL or "-".  NULL and *error: cannot be opened,
 * or is not a stream.  The header is read (so this may block).
 */
PP_API PP_MUST_CHECK struct pp_reader *pp_reader_open(const char *path,
						      const struct pp_reader_options *, struct pp_error *);
/* Reads the header, once, of one that was opened `unread`, before anything else is asked of it: 0, or -1 and
 * *error: it is not a stream, and to be closed. */
PP_API PP_MUST_CHECK int pp_reader_begin(struct pp_reader *, struct pp_error *);
PP_API void pp_reader_close(struct pp_reader *);                    /* NULL is fine */
/*
 * A reader of what another process makes of the rest of a stream, and writes to a pipe: it has the name of
 * the `first` one, and those who were tied to that, and watched it, which has to be closed later, and not to
 * be read any more.  `fd` is closed with it, or at once where this fails: NULL and *error.
 */
PP_API PP_MUST_CHECK struct pp_reader *pp_reader_instead(const struct pp_reader *first, int fd,
							 const struct pp_reader_options *,
							 struct pp_error *);
/*
 * A second reader of what another reads, from where that began, and of the same file, whatever its name
 * leads to by now; the first stays where it is, and has to be closed later.  NULL and *error: PP_E_USE
 * where it reads a pipe, which cannot be read twice.
 */
PP_API PP_MUST_CHECK struct pp_reader *pp_reader_beside(struct pp_reader *,
							const struct pp_reader_options *,
							struct pp_error *);
/*
 * PP_MORE and a record, valid until the next call; PP_END; PP_FAILED and *error.  After an error
 * that is not ->fatal the next call continues after the damage; a fatal one repeats.  The bytes of
 * a tail that were not read are skipped.
 */
PP_API PP_MUST_CHECK enum pp_status pp_reader_next(struct pp_reader *, struct pp_record *,
						   struct pp_error *);
/* The next piece of the last record's tail: PP_MORE and bytes valid until the next call, PP_END or
 * PP_FAILED. */
PP_API PP_MUST_CHECK enum pp_status pp_reader_tail(struct pp_reader *, const void **piece,
						   size_t *size, struct pp_error *);
/* Has `fn` called with each piece of the tails of records of this type, however they are read or
 * skipped; `left` bytes of the same tail follow, 0 at its end.  Two watchers a reader at most.  If one
 * returns -1 and *error, reading the tail fails with that. */
typedef int pp_tail_fn(void *arg, const void *piece, size_t size, uint64_t left, struct pp_error *);
PP_API void pp_reader_watch_tail(struct pp_reader *, uint32_t type, pp_tail_fn *fn, void *arg);
PP_API const struct pp_stream *pp_reader_stream(const struct pp_reader *);
/* The exit status of a program that read this far, whatever it made of the errors: 3 after damage, met
 * here or by an earlier stage, or where records could not be converted; 4 after a failure of the system;
 * or 0.  Ask before the reader is closed. */
PP_API int pp_reader_status(const struct pp_reader *);
/* The flags for the END of a stream made from this one: PP_SEAL_UNSEALED, as far as earlier stages
 * knew; and PP_SEAL_DAMAGED where pp_reader_status() is not 0. */
PP_API uint32_t pp_stream_end_flags(const struct pp_stream *);
/* Flushes `w` before the buffer that it borrows from moves and before a read that may block; what
 * was tied last is flushed first.  If that fails, pp_reader_next returns a fatal error.  After damage the
 * END of `w` is marked PP_SEAL_DAMAGED, whatever pp_writer_end() is given. */
PP_API void pp_reader_tie(struct pp_reader *, struct pp_writer *w);
/*
 * From now on pp_reader_next() and pp_reader_tail() return PP_AGAIN if they would have to wait for
 * bytes, and continue from there when they are called again.  `w` and others that are tied are
 * still flushed.
 */
PP_API void pp_reader_never_wait(struct pp_reader *);
/* What to poll() meanwhile; -1: it never waits. */
PP_API int pp_reader_fd(const struct pp_reader *);
/* Another flusher for the same moments (text output); false: the output failed. */
PP_API void pp_reader_tie_call(struct pp_reader *, bool (*flush)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
