/*
 * save.h - a stream to a perf.data file.
 *
 * The file is written in one pass, the header last: before pp_save_end() it is not a perf.data
 * file.  Records are borrowed until the flush, for which the saver can be tied to the reader.
 *
 *	#include <perfpipe/reader.h>
 *	#include <perfpipe/save.h>
 *	#include <fcntl.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 2 ? argv[2] : NULL, NULL, &error);
 *		const int fd = open(argc > 1 ? argv[1] : "perf.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
 *		struct pp_save *save = in ? pp_save_open(fd, &error) : NULL;
 *		struct pp_record record;
 *		const void *piece;
 *		size_t size;
 *		int failed = !save, status;
 *
 *		while (!failed && pp_reader_next(in, &record, &error) == PP_MORE) {
 *			failed = pp_save_record(save, &record, &error);
 *			while (!failed && pp_reader_tail(in, &piece, &size, &error) == PP_MORE)
 *				failed = pp_save_tail(save, piece, size, &error);
 *			failed = failed || pp_save_flush(save, &error);
 *		}
 *		if (!failed)
 *			pp_save_flags(save, pp_stream_end_flags(pp_reader_stream(in)));
 *		failed = failed || pp_save_end(save, &error);
 *		status = failed ? pp_error_status(&error) : pp_reader_status(in);
 *		pp_save_close(save);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_SAVE_H
#define PERFPIPE_SAVE_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the on-disk file that perf record would have written, from the records of a stream that is
 * read cooked, in one pass: records of the data section as they come, borrowed until
 * pp_save_flush(); the contents of sections (attributes, features, names, tracing data, build-ids,
 * times, the index of AUX traces) after them; the header last.  Seals become plain rounds.  Notes
 * are the first records of the data, those that come later the last.  `fd` is at offset 0, can
 * seek, and stays the caller's.
 */
struct pp_save;
struct pp_save_stats {
	uint64_t data;                /* bytes of the data section */
	uint32_t events, features, build_ids, aux;   /* in the file; aux: in the index */
	uint64_t notes_dropped;       /* records of notes, beyond the room for them */
	uint64_t tracing_dropped;     /* a second one, or one too large after data */
	uint64_t features_dropped;    /* with a number that the header has no bit for */
	uint64_t build_ids_dropped;   /* beyond the room for them */
	bool aux_dropped;             /* the index, since there were too many */
	bool unlike;                  /* events disagree about the place of ids: perf refuses it */
};
/* NULL and *error */
PP_API PP_MUST_CHECK struct pp_save *pp_save_open(int fd, struct pp_error *);
/* Without pp_save_end(); NULL is fine */
PP_API void pp_save_close(struct pp_save *);
/* Before the first record: those of the kernel are stored in COMPRESSED records, by zstd at this level (1 to
 * 22), as perf record -z stores them.  Then they are not borrowed.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_save_compress(struct pp_save *, int level, struct pp_error *);
/* Takes the next record.  0, or -1 and *error; one that is damaged is left out, the next may
 * follow.  Its tail has to follow in pieces, borrowed too. */
PP_API PP_MUST_CHECK int pp_save_record(struct pp_save *, const struct pp_record *,
					struct pp_error *);
PP_API PP_MUST_CHECK int pp_save_tail(struct pp_save *, const void *piece, size_t size,
				      struct pp_error *);
/* 0, or -1 and *error */
PP_API PP_MUST_CHECK int pp_save_flush(struct pp_save *, struct pp_error *);
/* What the END of a stream would say (PP_SEAL_*), in pieces or at once, before pp_save_end().  After
 * PP_SEAL_DAMAGED the last record of the file's data is a seal that says so, which perf takes for a round;
 * so it is after seals with that flag and after records that were left out. */
PP_API void pp_save_flags(struct pp_save *, uint32_t flags);
/* The sections and the header; the stream's attributes (record->attrs) must still be there.  A
 * record with an incomplete tail is left out. */
PP_API PP_MUST_CHECK int pp_save_end(struct pp_save *, struct pp_error *);
PP_API const struct pp_save_stats *pp_save_stats(const struct pp_save *);

#ifdef __cplusplus
}
#endif

#endif
