/*
 * print.h - one record as text or as a line of JSON.
 *
 * Every number and text of the record is shown, by the same tables that a walk follows; what is
 * damaged is shown as far as it goes.
 *
 *	#include <perfpipe/print.h>
 *	#include <perfpipe/reader.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_record record;
 *		struct pp_out out;
 *		int status;
 *
 *		if (!in || pp_out_open(&out, 1))
 *			return 4;
 *		while (pp_reader_next(in, &record, &error) == PP_MORE)
 *			(void)pp_print_text(&out, &record, 0, &error);
 *		status = pp_reader_status(in);
 *		pp_reader_close(in);
 *		return pp_out_close(&out) ? 4 : status;
 *	}
 */
#ifndef PERFPIPE_PRINT_H
#define PERFPIPE_PRINT_H

#include <perfpipe/api.h>
#include <perfpipe/output.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_stream;                     /* <perfpipe/reader.h> */

/* With hex bytes; a field a line; as JSON, which pp_print_more() has to know. */
enum { PP_PRINT_BYTES = 1, PP_PRINT_LONG = 2, PP_PRINT_JSON = 4 };
/* The line(s) of text of a record; damage is shown in the text, and the result is -1. */
PP_API int pp_print_text(struct pp_out *, const struct pp_record *, unsigned how,
			 struct pp_error *);
/* The JSON line of a record (schema perfpipe.records/1).  -1: the record is damaged; its line then
 * has "damaged":true and "raw" instead of fields. */
PP_API int pp_print_json(struct pp_out *, const struct pp_record *, struct pp_error *);
/* Opens what was printed last, a record, for one value more, which the caller prints (one JSON
 * value, or text), and ends it again.  `how` as it was printed. */
PP_API void pp_print_more(struct pp_out *, const char *name, unsigned how);
PP_API void pp_print_more_end(struct pp_out *);
/* The first line of a JSON dump: what `raw`, a stream that is read raw, is, or of one that is read
 * cooked, `raw` NULL, what readers make of it. */
PP_API void pp_print_json_start(struct pp_out *, const char *schema, const struct pp_stream *raw);
/* A tail's line. */
PP_API void pp_print_json_tail(struct pp_out *, const void *, size_t);

#ifdef __cplusplus
}
#endif

#endif
