/*
 * check.h - whether a stream is sound.
 *
 * The checker is shown what the reader hands out, and what the reader met; it reports each kind of
 * finding once for each type of record, and counts the rest.
 *
 *	#include <perfpipe/check.h>
 *	#include <stdio.h>
 *
 *	static void report(void *arg, const struct pp_finding *finding)
 *	{
 *		char text[512];
 *
 *		(void)arg;
 *		pp_finding_text(finding, text, sizeof(text));
 *		puts(text);
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_checker *checker = pp_checker_open(in ? pp_reader_stream(in) : NULL, report, NULL);
 *		struct pp_record record;
 *		enum pp_status got = PP_FAILED;
 *		bool sound;
 *
 *		while (in && checker && ((got = pp_reader_next(in, &record, &error)) == PP_MORE ||
 *					 (got == PP_FAILED && !pp_error_ends(&error))))
 *			if (got == PP_FAILED || pp_checker_record(checker, &record, &error))
 *				pp_checker_error(checker, &error);
 *		if (checker && got == PP_FAILED)
 *			pp_checker_error(checker, &error);
 *		if (checker && in)
 *			pp_checker_end(checker);
 *		sound = checker && !pp_checker_stats(checker)->faults;
 *		pp_checker_close(checker);
 *		pp_reader_close(in);
 *		return sound ? 0 : 3;
 *	}
 */
#ifndef PERFPIPE_CHECK_H
#define PERFPIPE_CHECK_H

#include <perfpipe/api.h>
#include <perfpipe/reader.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Something about a stream: a fault, which makes it unsound, or a remark, which may confuse a
 * reader.  `kind` is one of the words that pp-check(1) lists.  The place is valid only if
 * `located`; `field` may be NULL; `need` and `have` are bytes, both 0 if not applicable.
 */
struct pp_finding {
	bool fault, located;
	const char *kind;
	uint64_t offset, index;
	uint32_t type;                /* 0 before the record's header is read */
	const char *field;
	uint64_t need, have;
	uint64_t more;                /* further records of that type with the same finding */
	char text[240];
};
/* "record 44 at byte 4948 (MMAP2): filename: ..." without a newline; as snprintf does. */
PP_API int pp_finding_text(const struct pp_finding *, char *buf, size_t size);

struct pp_checker_stats {
	uint64_t faults, remarks, records, samples;
	uint64_t lost;                /* according to the records of lost samples */
};
typedef void pp_checker_found_fn(void *arg, const struct pp_finding *);
/*
 * Checks the records of one stream that is read cooked, in the order of the stream; `found` is
 * called for each finding.  `stream` is that of the reader, or NULL if nothing could be opened:
 * then only pp_checker_error() may be called.  NULL: out of memory.
 */
struct pp_checker;
PP_API PP_MUST_CHECK struct pp_checker *pp_checker_open(const struct pp_stream *,
							pp_checker_found_fn *found, void *arg);
PP_API void pp_checker_close(struct pp_checker *);                  /* NULL is fine */
/* 0, -1 */
PP_API PP_MUST_CHECK int pp_checker_record(struct pp_checker *, const struct pp_record *,
					   struct pp_error *);
/* A piece of that record's tail. */
PP_API void pp_checker_tail(struct pp_checker *, const struct pp_record *, const void *piece,
			    size_t size);
/* An error that the reader reported. */
PP_API void pp_checker_error(struct pp_checker *, const struct pp_error *);
/* Findings that are known only at the end. */
PP_API void pp_checker_end(struct pp_checker *);
PP_API const struct pp_checker_stats *pp_checker_stats(const struct pp_checker *);

#ifdef __cplusplus
}
#endif

#endif
