/*
 * writer.h - writes a stream: borrowed bytes, one writev a batch, sealed on the way.
 *
 * What is put has to stay where it is until the flush, what is copied need not.  A writer that is
 * tied to a reader is flushed before the reader's buffer moves.  A stream that is sealed ends with
 * pp_writer_end(), or is found cut.  All of a stream but its EXIT records:
 *
 *	#include <perfpipe/writer.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_AUTO);
 *		struct pp_record record;
 *		int failed, status;
 *
 *		if (!in || !out)
 *			return 4;
 *		pp_reader_tie(in, out);
 *		failed = pp_writer_header(out, pp_reader_stream(in)->sealed, &error);
 *		while (!failed && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (record.type != PP_REC_EXIT)
 *				failed = pp_writer_pass(out, in, &record, &error);
 *		failed = failed ||
 *			 pp_writer_end(out, pp_stream_end_flags(pp_reader_stream(in)), &error);
 *		status = failed ? pp_error_status(&error) : pp_reader_status(in);
 *		pp_writer_close(out);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_WRITER_H
#define PERFPIPE_WRITER_H

#include <perfpipe/api.h>
#include <perfpipe/reader.h>
#include <perfpipe/seal.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_sealing {
	PP_SEAL_AUTO,                 /* as the input was: pp_writer_header() gets that */
	PP_SEAL_YES, PP_SEAL_NO,
};

/* `fd` stays the caller's.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_writer *pp_writer_open(int fd, enum pp_sealing);
PP_API void pp_writer_close(struct pp_writer *);       /* without a flush; NULL is fine */
/* All writing functions return 0, or -1 and *error (which may be NULL) with ->output set; every
 * further call then fails again. */
/* Writes the 16-byte stream header, and seal 0 if sealing.  For PP_SEAL_AUTO `sealed` decides. */
PP_API PP_MUST_CHECK int pp_writer_header(struct pp_writer *, bool sealed, struct pp_error *);
/* Call before the header: pp_writer_pass then converts records from host order to the other byte
 * order, in place.  Records that cannot be converted are left out and counted. */
PP_API void pp_writer_foreign(struct pp_writer *);
PP_API uint64_t pp_writer_dropped(const struct pp_writer *);
/* Bytes that stay where they are until the flush. */
PP_API PP_MUST_CHECK int pp_writer_put(struct pp_writer *, const void *, size_t, struct pp_error *);
/* Bytes that were made or changed: copied. */
PP_API PP_MUST_CHECK int pp_writer_copy(struct pp_writer *, const void *, size_t,
					struct pp_error *);
/* A record as it came: FINISHED_ROUNDs become seals if the output is sealed, and seals become plain
 * rounds if it is not (an END seal is dropped then; in sealed output the END is written by
 * pp_writer_end alone); notes pass.  Its tail is read from `r` and passed. */
PP_API PP_MUST_CHECK int pp_writer_pass(struct pp_writer *, struct pp_reader *r,
					const struct pp_record *, struct pp_error *);
/* Writes a round: a FINISHED_ROUND, or a seal. */
PP_API PP_MUST_CHECK int pp_writer_round(struct pp_writer *, struct pp_error *);
/* Writes a note, in as many records as its value needs; it belongs after existing notes and before
 * any other record.  Also fails if the key does not fit in a record. */
PP_API PP_MUST_CHECK int pp_writer_note(struct pp_writer *, const char *key, const void *value,
					size_t length,
					struct pp_error *);
/* After the header: what is put or passed from the reader, which it is tied to and which stays open, is as it
 * was read; nothing is changed in place.  As long as nothing is left out or added either, seals that were
 * verified pass as they are, and no hash is made a second time. */
PP_API void pp_writer_as_read(struct pp_writer *, const struct pp_reader *);
PP_API int pp_writer_flush(struct pp_writer *, struct pp_error *);
/* Writes the last record: an END seal with these flags (PP_SEAL_*), those of pp_stream_end_flags(), if
 * sealing or if they have DAMAGED.  That is added where a reader that it is tied to met damage.  Then
 * flushes. */
PP_API PP_MUST_CHECK int pp_writer_end(struct pp_writer *, uint32_t flags, struct pp_error *);
PP_API int pp_writer_os(const struct pp_writer *);     /* first errno, 0 while healthy */
PP_API uint64_t pp_writer_bytes(const struct pp_writer *);
PP_API bool pp_writer_sealing(const struct pp_writer *);

#ifdef __cplusplus
}
#endif

#endif
