/* describe.h - features and attributes in words, as perf report --header-only shows them. */
#ifndef PERFPIPE_DESCRIBE_H
#define PERFPIPE_DESCRIBE_H

#include <perfpipe/api.h>
#include <perfpipe/output.h>
#include <perfpipe/reader.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features and attributes in words, as `perf report --header-only` shows them. */
struct pp_features;
PP_API PP_MUST_CHECK struct pp_features *pp_features_new(void);
PP_API void pp_features_free(struct pp_features *);
PP_API PP_MUST_CHECK int pp_features_note(struct pp_features *, const struct pp_record *,
					  struct pp_error *);
/* Notes what a file has and no record can hold: features that are too long, and those without payload.
 * 0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_features_note_long(struct pp_features *, const struct pp_stream *,
					       struct pp_error *);
/* Lines "# hostname : ..." to `out`; `attrs` may be NULL. */
PP_API void pp_features_text(const struct pp_features *, const struct pp_attrs *, struct pp_out *);
/* The values of the notes with this key, each on a line, in the order of the stream; the last one
 * counts.  False: there is none. */
PP_API bool pp_features_values(const struct pp_features *, const char *key, struct pp_out *);
/* The same as one JSON object, without a line feed. */
PP_API void pp_features_json(const struct pp_features *, const struct pp_attrs *, struct pp_out *);

/*
 * The same as `perf script --header` prints it, to the letter, while a stream is read: of a stream each
 * feature when it comes; of a file all of them, between the places where its parts are and the list of
 * features that it has not.
 */
struct pp_header_words {
	bool old;                     /* the words of perf 6.1, not 7.3 */
	bool full;                    /* the long ones as well */
	bool banner;                  /* the lines around the features; a file shows none of them without */
	int64_t captured;             /* seconds since 1970, for the banner */
	const struct pp_stream *stream;
	uint64_t next;                /* private: features of a file before this one are printed */
	bool ended;                   /* private */
	bool compression;             /* private: it is printed */
};
/* Before the first record. */
PP_API void pp_header_words_start(struct pp_header_words *, struct pp_out *);
/* Takes every record, in the order of the stream. */
PP_API void pp_header_words_note(struct pp_header_words *, const struct pp_record *, struct pp_out *);
/* After the last one. */
PP_API void pp_header_words_end(struct pp_header_words *, struct pp_out *);

#ifdef __cplusplus
}
#endif

#endif
