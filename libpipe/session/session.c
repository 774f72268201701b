/* session.c - a stream from its start to its end: opened, read, noted, and what failed on the way. */
#include "session/session_internal.h"

#include "base/log.h"
#include "base/sized_options.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- opening ---- */

static int open_input(struct pp_session *s, const char *path, struct pp_error *error)
{
	if (s->options.fed)
		return 0;
	s->in = s->options.reader;
	if (!s->in && path && !(s->name = strdup(path)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!s->in)
		s->in = pp_reader_open(path, s->options.reading, error);
	if (!s->in)
		return pp_error_fatal(error, true);
	s->stream = pp_reader_stream(s->in);
	return 0;
}

static int open_names(struct pp_session *s, struct pp_error *error)
{
	const bool symbols = s->options.keep & PP_SESSION_SYMBOLS;
	const unsigned with = s->options.tasks | (symbols ? PP_TASKS_MAPS | PP_TASKS_BUILD_IDS : 0u);

	if (!(s->options.keep & (PP_SESSION_TASKS | PP_SESSION_SYMBOLS)))
		return 0;
	s->tasks = pp_tasks_new(with, s->options.budget);
	if (!s->tasks)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (symbols)
		s->symbols = pp_symbols_new(s->options.symbols, s->tasks, error);
	return symbols && !s->symbols ? -1 : 0;
}

static int open_tracepoints(struct pp_session *s, struct pp_error *error)
{
	if (!(s->options.keep & PP_SESSION_TRACEPOINTS) || !s->in)
		return 0;
	s->tracepoints = pp_tracepoints_new();
	if (!s->tracepoints)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_tracepoints_watch(s->tracepoints, s->in);
	return 0;
}

static int open_output(struct pp_session *s, struct pp_error *error)
{
	if (!s->options.output || !s->in)
		return 0;
	s->out = pp_writer_open(s->options.output, s->options.sealing);
	if (!s->out)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_reader_tie(s->in, s->out);
	return 0;
}

struct pp_session *pp_session_open(const char *path, const struct pp_session_options *options)
{
	struct pp_session *const s = calloc(1, sizeof(*s));
	struct pp_error error;

	if (!s)
		return NULL;
	s->due.tails.fd = -1;
	error.code = PP_OK;
	if (pp_options_take(&s->options, sizeof(s->options), options, &error)) {
		(void)pp_error_fatal(&error, true);
		(void)pp_session_fail(s, &error, NULL);
		return s;
	}
	if (!s->options.budget)
		s->options.budget = &s->own_budget;
	s->own_budget.limit = s->options.limit;
	if (open_input(s, path, &error) || open_names(s, &error) || open_tracepoints(s, &error) ||
	    open_output(s, &error) || pp_session_open_order(s, &error)) {
		(void)pp_error_fatal(&error, true);
		(void)pp_session_fail(s, &error, NULL);
	}
	return s;
}

/* ---- reading ---- */

/* False: nothing more can be read. */
static bool note_record(struct pp_session *s, const struct pp_record *rec)
{
	struct pp_error error;

	error.code = PP_OK;
	return !pp_session_note(s, rec, &error) || pp_session_fail(s, &error, rec);
}

enum pp_status pp_session_next(struct pp_session *s, struct pp_record *rec)
{
	enum pp_status got;

	if (!s || s->failed)
		return PP_FAILED;
	got = s->rounds ? pp_session_next_by_time(s, rec) : pp_session_read(s, rec);
	s->shown = got == PP_MORE ? rec->data : NULL;
	if (got == PP_MORE && s->tasks && rec->type != PP_REC_SAMPLE && !note_record(s, rec))
		return PP_FAILED;
	return got;
}

uint32_t pp_session_batch(struct pp_session *s, struct pp_batch *batch)
{
	if (!s || s->rounds || s->failed || !s->begun)
		return 0;
	s->shown = NULL;
	return pp_reader_batch(s->in, batch);
}

enum pp_status pp_session_tail(struct pp_session *s, const void **piece, size_t *size)
{
	struct pp_error error;
	enum pp_status got;

	if (!s || !s->in || !s->shown)
		return PP_END;
	error.code = PP_OK;
	got = s->rounds ? pp_session_held_tail(s, piece, size, &error) :
			  pp_reader_tail(s->in, piece, size, &error);
	if (got == PP_FAILED)
		(void)pp_session_fail(s, &error, NULL);
	return got;
}

/* ---- the end ---- */

static void say_all(struct pp_session *s)
{
	const struct pp_say *const say = &s->options.say;

	if (s->places > PP_SESSION_SHOWN)
		pp_say_lost(say, "%s: %" PRIu64 " damaged places in all", pp_session_input(s), s->places);
	if (!s->stream)
		return;
	pp_say_long_features(say, s->stream);
	pp_say_stream(say, pp_session_input(s), s->stream);
	if (s->rounds)
		pp_say_rounds(say, pp_session_input(s), pp_rounds_stats(s->rounds), "");
}

int pp_session_finish(struct pp_session *s)
{
	int status;

	if (!s)
		return pp_session_status(NULL);
	say_all(s);
	pp_session_end_output(s);
	status = pp_session_status(s);
	pp_writer_close(s->out);
	pp_session_close_order(s);
	pp_symbols_free(s->symbols);
	pp_tasks_free(s->tasks);
	if (s->in != s->options.reader)
		pp_reader_close(s->in);
	pp_tracepoints_free(s->tracepoints);
	pp_session_free_counts(&s->counted);
	free(s->edited);
	free(s->name);
	free(s);
	return status;
}

/* ---- what it is made of ---- */

struct pp_reader *pp_session_reader(const struct pp_session *s)
{
	return s ? s->in : NULL;
}

struct pp_writer *pp_session_writer(const struct pp_session *s)
{
	return s ? s->out : NULL;
}

struct pp_tasks *pp_session_tasks(const struct pp_session *s)
{
	return s ? s->tasks : NULL;
}

struct pp_symbols *pp_session_symbols(const struct pp_session *s)
{
	return s ? s->symbols : NULL;
}

struct pp_tracepoints *pp_session_tracepoints(const struct pp_session *s)
{
	return s ? s->tracepoints : NULL;
}
