/*
 * edit.h - rewrites a field of a record: a name, a path, a number.
 *
 * The field is found by what it means, as by pp_find_text(), and the tables know how it lies: where a text
 * becomes longer or shorter, the record's size, its padding and its trailer follow.  A record without such a
 * field is left as it is, so that a program need not know which have one.  A recording whose host has no name
 * any more, with the session's memory for the new records:
 *
 *	#include <perfpipe/session.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_session_options how = { sizeof(how), 0, 1 };
 *		struct pp_session *session = pp_session_open(argc > 1 ? argv[1] : NULL, &how);
 *		struct pp_record record;
 *
 *		while (pp_session_next(session, &record) == PP_MORE) {
 *			pp_session_edit_named_text(session, &record, "hostname", "somewhere");
 *			pp_session_write(session, &record);
 *		}
 *		return pp_session_finish(session);
 *	}
 */
#ifndef PERFPIPE_EDIT_H
#define PERFPIPE_EDIT_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Gives the first text of this meaning (PP_IS_COMM, PP_IS_PATH, PP_IS_EVENT_NAME) another value: `length`
 * bytes, or up to the first NUL.  1: the record lies in `room` now, which stays the caller's and has to
 * live as long as the record; its tail is unchanged.  0: the record has no such text, and is unchanged.
 * -1 and *error: it is damaged before that, or the text does not fit (PP_E_FULL) into a record, or into the
 * width that it has to have in THREAD_MAP and in entries of a feature.  What is in `room` already may be
 * edited again.
 */
PP_API PP_MUST_CHECK int pp_edit_text(struct pp_record *, enum pp_meaning, const char *text, size_t length,
				      uint8_t room[PP_RECORD_MAX + 1], struct pp_error *);
/* The same of the first text of this name ("name" of KSYMBOL, "hostname"), for those without a meaning. */
PP_API PP_MUST_CHECK int pp_edit_named_text(struct pp_record *, const char *name, const char *text,
					    size_t length, uint8_t room[PP_RECORD_MAX + 1],
					    struct pp_error *);
/*
 * Gives the first number of this meaning another value, where the record lies.  1; 0: it has no such number;
 * -1 and *error: it is damaged before it, the value does not fit (PP_E_VALUE), or what follows would be read
 * in another way (PP_E_USE).
 */
PP_API PP_MUST_CHECK int pp_edit_number(struct pp_record *, enum pp_meaning, uint64_t value,
					struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
