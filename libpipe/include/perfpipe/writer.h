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
 *		enum pp_status got = PP_FAILED;
 *		int failed;
 *
 *		if (!in || !out)
 *			return 4;
 *		pp_reader_tie(in, out);
 *		failed = pp_writer_header(out, pp_reader_stream(in)->sealed, &error);
 *		while (!failed && (got = pp_reader_next(in, &record, &error)) == PP_MORE)
 *			if (record.type != PP_REC_EXIT)
 *				failed = pp_writer_pass(out, in, &record, &error);
 *		if (!failed)
 *			failed = pp_writer_end(out, got == PP_END ? 0 : PP_SEAL_DAMAGED, &error);
 *		pp_writer_close(out);
 *		pp_reader_close(in);
 *		return failed || got == PP_FAILED ? pp_error_status(&error) : 0;
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
	PP_SEAL_AUTO,                 /* as the input was: pp_writer_header() is told */
	PP_SEAL_YES, PP_SEAL_NO,
};

/* `fd` stays the caller's.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_writer *pp_writer_open(int fd, enum pp_sealing);
PP_API void pp_writer_close(struct pp_writer *);       /* without a flush; NULL is fine */
/* All that write return 0, or -1 and *error (which may be NULL): what failed is then
 * ->output, and fails again with every further call. */
/* The 16-byte stream header, and seal 0 where sealing.  For PP_SEAL_AUTO `sealed` decides. */
PP_API PP_MUST_CHECK int pp_writer_header(struct pp_writer *, bool sealed, struct pp_error *);
/* Before the header: what pp_writer_pass is given, in host order, leaves in the other byte order,
 * in place.  What cannot be converted is left out and counted. */
PP_API void pp_writer_foreign(struct pp_writer *);
PP_API uint64_t pp_writer_dropped(const struct pp_writer *);
/* Bytes that stay where they are until the flush. */
PP_API PP_MUST_CHECK int pp_writer_put(struct pp_writer *, const void *, size_t, struct pp_error *);
/* Bytes that were made or changed: copied. */
PP_API PP_MUST_CHECK int pp_writer_copy(struct pp_writer *, const void *, size_t,
					struct pp_error *);
/* A record as it came: FINISHED_ROUNDs become seals where the output is sealed and seals
 * become plain rounds where it is not (an END seal vanishes there; in sealed output the END
 * is written by pp_writer_end alone); notes pass.  Its tail is read from `r` and passed. */
PP_API PP_MUST_CHECK int pp_writer_pass(struct pp_writer *, struct pp_reader *r,
					const struct pp_record *, struct pp_error *);
/* A round that is truly due: a FINISHED_ROUND, or a seal. */
PP_API PP_MUST_CHECK int pp_writer_round(struct pp_writer *, struct pp_error *);
/* A note, in as many records as its value needs; its place is behind those that there are and
 * before any other record.  Fails too where the key does not fit in a record. */
PP_API PP_MUST_CHECK int pp_writer_note(struct pp_writer *, const char *key, const void *value,
					size_t length,
					struct pp_error *);
PP_API int pp_writer_flush(struct pp_writer *, struct pp_error *);
/* The last record: an END seal with these flags (PP_SEAL_*), where sealing, or where
 * `flags` has DAMAGED.  Then flushes. */
PP_API PP_MUST_CHECK int pp_writer_end(struct pp_writer *, uint32_t flags, struct pp_error *);
PP_API int pp_writer_os(const struct pp_writer *);     /* first errno, 0 while healthy */
PP_API uint64_t pp_writer_bytes(const struct pp_writer *);
PP_API bool pp_writer_sealing(const struct pp_writer *);

#ifdef __cplusplus
}
#endif

#endif
