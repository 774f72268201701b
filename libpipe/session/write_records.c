/* write_records.c - what a session writes: records as they came, or changed, and the end. */
#include "session/session_internal.h"

#include <perfpipe/edit.h>

#include <stdlib.h>

void pp_session_end_output(struct pp_session *s)
{
	struct pp_error error;
	uint32_t flags;

	if (!s->out || pp_writer_os(s->out))
		return;
	if (!s->begun)
		pp_session_begin_output(s);
	flags = pp_stream_end_flags(s->stream) | (pp_session_status(s) ? PP_SEAL_DAMAGED : 0);
	if (pp_writer_end(s->out, flags, &error))
		(void)pp_session_fail(s, &error, NULL);
}

/* The tail of the record at hand, which waited with it. */
static int write_held_tail(struct pp_session *s, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_session_held_tail(s, &piece, &size, error)) > 0)
		if (pp_writer_copy(s->out, piece, size, error))
			return -1;
	return got;
}

/* What the reader has is borrowed, all else is copied.  Rounds are the writer's, and so are tails that are
 * still to be read. */
static int write_record(struct pp_session *s, const struct pp_record *rec, struct pp_error *error)
{
	const bool borrowed = rec->data == s->shown && !s->rounds;
	const bool copied = !borrowed && rec->type != PP_REC_FINISHED_ROUND && (s->rounds || !rec->tail);
	struct pp_record alone = *rec;

	if (s->rounds)
		alone.tail = 0;
	if (copied ? pp_writer_copy(s->out, rec->data, rec->size, error) :
		     pp_writer_pass(s->out, s->in, &alone, error))
		return -1;
	/* it is gone with the next */
	if (!copied && !borrowed && pp_writer_flush(s->out, error))
		return -1;
	return s->rounds && rec->tail ? write_held_tail(s, error) : 0;
}

int pp_session_write(struct pp_session *s, const struct pp_record *rec)
{
	struct pp_error error;

	if (!s || s->failed)
		return -1;
	error.code = PP_OK;
	if (!s->out)
		(void)pp_fail(&error, PP_E_USE, "the session has no output");
	else if (!write_record(s, rec, &error))
		return 0;
	(void)pp_session_fail(s, &error, rec);
	return -1;
}

/* ---- changed records ---- */

static int edit(struct pp_session *s, struct pp_record *rec, enum pp_meaning is, const char *name,
		const char *text)
{
	struct pp_error error;
	int got;

	if (!s)
		return -1;
	error.code = PP_OK;
	if (!s->edited && !(s->edited = malloc(PP_RECORD_MAX + 1)))
		got = pp_fail(&error, PP_E_NOMEM, NULL);
	else
		got = name ? pp_edit_named_text(rec, name, text, strlen(text), s->edited, &error) :
			     pp_edit_text(rec, is, text, strlen(text), s->edited, &error);
	if (got < 0)
		(void)pp_session_fail(s, &error, rec);
	return got;
}

int pp_session_edit_text(struct pp_session *s, struct pp_record *rec, enum pp_meaning is, const char *text)
{
	return edit(s, rec, is, NULL, text);
}

int pp_session_edit_named_text(struct pp_session *s, struct pp_record *rec, const char *name,
			       const char *text)
{
	return edit(s, rec, PP_IS_NOTHING, name, text);
}
