/* read_records.c - the records of a session as they are read: damage is passed over. */
#include "session/session_internal.h"

void pp_session_begin_output(struct pp_session *s)
{
	struct pp_error error;

	s->begun = true;
	if (s->out && pp_writer_header(s->out, s->stream->sealed, &error))
		(void)pp_session_fail(s, &error, NULL);
}

enum pp_status pp_session_read(struct pp_session *s, struct pp_record *rec)
{
	struct pp_error error;
	enum pp_status got;

	if (!s->in)
		return PP_END;
	do {
		error.code = PP_OK;
		got = pp_reader_next(s->in, rec, &error);
	} while (got == PP_FAILED && pp_session_fail(s, &error, NULL));
	if (!s->begun && got != PP_AGAIN)
		pp_session_begin_output(s);
	return got;
}
