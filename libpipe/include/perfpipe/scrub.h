/*
 * scrub.h - a stream without what says whose it is: texts, and numbers that identify, become pseudonyms
 * under a key; what cannot be rewritten goes.
 *
 * The same text has the same pseudonym wherever it is, so that what belonged together still does, in all
 * streams that are scrubbed with one key.  Addresses, times and, unless it is asked for, process ids stay.
 * What becomes of each field is in the tables: enum pp_hide.
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/scrub.h>
 *	#include <perfpipe/writer.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		const struct pp_scrub_options options = {
 *			.size = sizeof(options), .key = "0123456789abcdef0123456789abcdef", .key_size = 32,
 *		};
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_AUTO);
 *		struct pp_scrub *scrub = pp_scrub_new(&options, &error);
 *		struct pp_record record;
 *		int failed;
 *
 *		if (!in || !out || !scrub)
 *			return 4;
 *		pp_reader_tie(in, out);
 *		failed = pp_writer_header(out, pp_reader_stream(in)->sealed, &error);
 *		while (!failed && pp_reader_next(in, &record, &error) == PP_MORE)
 *			failed = pp_scrub_record(scrub, &record, in, out, &error) < 0;
 *		failed = failed || pp_writer_end(out, pp_stream_end_flags(pp_reader_stream(in)), &error);
 *		pp_scrub_free(scrub);
 *		pp_writer_close(out);
 *		failed = failed ? pp_error_status(&error) : pp_reader_status(in);
 *		pp_reader_close(in);
 *		return failed;
 *	}
 */
#ifndef PERFPIPE_SCRUB_H
#define PERFPIPE_SCRUB_H

#ifndef PP_UNSTABLE
#error "<perfpipe/scrub.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/reader.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_SCRUB_KEY = 32 };           /* bytes of a key */

struct pp_scrub_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const void *key;              /* required; read once */
	size_t key_size;
	/* Patterns between commas, of what stays: base names below /usr and /lib, modules, words of
	 * events; "kernel" is the kernel itself.  NULL: pp_scrub_excepted. */
	const char *except;
	bool pids;                    /* process ids become others */
	bool machine;                 /* features that describe the machine go */
	bool keep_unknown;            /* records and features that no table has stay as they are */
	bool drop_aux;                /* AUX traces go; else a stream that has them is refused: PP_E_USE */
	bool addresses;               /* of code and data become others; records have to come in the order of
				       * their times then, and are copied to the output */
	bool times;                   /* all times are moved by one distance, which the key gives, those of
				       * the wall clock by another */
	bool verify;                  /* what is written is looked through: pp_scrub_leak() */
};
extern PP_API const char pp_scrub_excepted[];

struct pp_scrub_stats {
	uint64_t texts;               /* distinct texts and numbers that were replaced */
	uint64_t records;             /* that were changed */
	uint64_t cut;                 /* samples of which fields were taken out */
	uint64_t unknown;             /* records and features that went since no table has them */
	uint64_t dropped;             /* that went since they cannot be rewritten */
	uint64_t nameless;            /* records of an event that no attribute describes, which went */
	uint64_t machine;             /* features that went for ->machine */
	uint64_t notes_dropped, names_dropped;
};

/* A text, or bytes of a build-id or a tag, that was replaced in one place and written in another. */
struct pp_scrub_leak {
	const char *text;             /* lives as long as the scrubber */
	size_t length;
	bool is_text;
	uint64_t offset, index;       /* of the record of the input, as in struct pp_record */
	uint32_t type;
	uint32_t byte;                /* of what was written of it: the first place */
};

struct pp_scrub;
/* Loads what makes pseudonyms.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_scrub *pp_scrub_new(const struct pp_scrub_options *, struct pp_error *);
PP_API void pp_scrub_free(struct pp_scrub *);           /* NULL is fine */
/* Writes what becomes of a record: 0, or -1 and *error.  PP_E_USE: the stream has what can neither be
 * rewritten nor left out unasked. */
PP_API PP_MUST_CHECK int pp_scrub_record(struct pp_scrub *, struct pp_record *, struct pp_reader *,
					 struct pp_writer *, struct pp_error *);
/* With ->verify, after the last record, once for each: false, and no leak: there are no more. */
PP_API PP_MUST_CHECK bool pp_scrub_leak(struct pp_scrub *, struct pp_scrub_leak *);
/* Up to now; they live as long as the scrubber. */
PP_API const struct pp_scrub_stats *pp_scrub_stats(struct pp_scrub *);

#ifdef __cplusplus
}
#endif

#endif
