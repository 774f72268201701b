/* session_failures.c - what went wrong in a session: said, remembered, and what exit status it means. */
#include "session/session_internal.h"

#include <stdio.h>

const char *pp_session_input(const struct pp_session *s)
{
	return s->stream ? s->stream->name : s->name ? s->name : "standard input";
}

static void raise_status(struct pp_session *s, int to)
{
	s->status = to > s->status ? to : s->status;
}

static void say_error(const struct pp_session *s, const struct pp_error *error)
{
	enum { NAME = 4096, REASON = 512 };
	const struct pp_say *const say = &s->options.say;
	void (*const line)(void *, const char *, enum pp_hint) = say->lost ? say->lost : say->line;
	char text[NAME + REASON];     /* a lack of memory is said, too */
	int length;

	if (!line)
		return;
	length = snprintf(text, sizeof(text), "%.*s: ", NAME - 3,
			  error->output ? "output" : pp_session_input(s));
	pp_error_text(error, text + length, sizeof(text) - (size_t)length);
	line(say->arg, text, error->hint);
}

bool pp_session_fail(struct pp_session *s, const struct pp_error *error, const struct pp_record *record)
{
	struct pp_error located = *error;
	const bool ends = pp_error_ends(error);

	if (!s)
		return false;
	if (record && !located.located && !located.output)
		pp_error_at(&located, record->offset, record->index, record->type);
	raise_status(s, pp_error_status(&located));
	s->places += pp_error_status(&located) == 3;
	if (s->places <= PP_SESSION_SHOWN || ends)
		say_error(s, &located);
	s->failed |= ends;
	s->error = located;
	return !ends;
}

const struct pp_error *pp_session_error(const struct pp_session *s)
{
	return s && s->error.code ? &s->error : NULL;
}

int pp_session_status(const struct pp_session *s)
{
	int status = s ? s->status : 4;

	if (s && s->in && pp_reader_status(s->in) > status)
		status = pp_reader_status(s->in);
	return status;
}
