/*
 * parse.h - the way back from JSON to a record.
 *
 * A line that pp_print_json() wrote gives the same bytes again; one that was written by hand may leave
 * out what follows from the rest.  The types and sizes of what lines of JSON say:
 *
 *	#include <perfpipe/parse.h>
 *	#include <stdio.h>
 *	#include <string.h>
 *
 *	int main(void)
 *	{
 *		static char text[1 << 20];
 *		struct pp_parse *parse = pp_parse_new();
 *		struct pp_error error;
 *		struct pp_line line;
 *
 *		while (parse && fgets(text, sizeof(text), stdin)) {
 *			if (pp_parse_line(parse, text, strcspn(text, "\n"), &line, &error))
 *				return pp_error_status(&error);
 *			if (line.kind == PP_LINE_RECORD)
 *				printf("%u %u\n", (unsigned)line.record.type, (unsigned)line.record.size);
 *		}
 *		pp_parse_free(parse);
 *		return parse ? 0 : 4;
 *	}
 */
#ifndef PERFPIPE_PARSE_H
#define PERFPIPE_PARSE_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_line_kind {
	PP_LINE_BLANK,
	PP_LINE_HEADER,               /* the first line: `version_1` and `foreign` */
	PP_LINE_RECORD,               /* `record` */
	PP_LINE_TAIL,                 /* bytes that follow the last record: `tail`, `tail_size` */
	PP_LINE_END,                  /* pp-dump met damage */
};

/* What a line of schema perfpipe.records/1 says. */
struct pp_line {
	enum pp_line_kind kind;
	struct pp_record record;      /* as in the stream: ->foreign if the first line said so */
	size_t tail_unsaid;           /* it has a tail and its line did not say how long: the byte of the
	                                 record where that belongs, for pp_parse_tail(); or 0 */
	bool version_1;               /* the magic is PERFFILE */
	bool foreign;                 /* the stream's byte order is not the host's */
	const uint8_t *tail;
	size_t tail_size;
};

/*
 * Makes records from the lines that pp_print_json() writes, by the same tables.  Remembers what the
 * records said about events.  Lines written by hand may leave out what can be derived: sizes,
 * counts, ids of a named event, trailers.
 */
struct pp_parse;
PP_API PP_MUST_CHECK struct pp_parse *pp_parse_new(void);            /* NULL: out of memory */
PP_API void pp_parse_free(struct pp_parse *);          /* NULL is fine */
/*
 * Parses `length` bytes without their newline; they are overwritten, and so is the byte after them.
 * What *line points to is valid until the next call (record) or as long as `text` (tail). -1 and
 * *error: ->detail has the field and what was expected, ->type the type of the record if it is
 * known.  The next line may still be parsed.
 */
PP_API PP_MUST_CHECK int pp_parse_line(struct pp_parse *, char *text, size_t length,
				       struct pp_line *line,
				       struct pp_error *);
/* Puts the length of its tail into a record at line.tail_unsaid. */
PP_API void pp_parse_tail(struct pp_record *, size_t unsaid, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
