/* preload_names.c - names of addresses in a sink; a file is read for its names alone, before all else. */
#include "shared/preload_names.h"

#include "shared/cache_dir.h"

void names_start(struct pp_symbols_options *how, bool unwinds)
{
	struct pp_error error;
	char text[512];

	if (!how->say.line)
		how->say = message_says;
	how->cache = cache_folder();
	error.code = PP_OK;
	/* first, so that the namer has the libraries, too */
	if (!unwinds || !pp_unwind_load(&error))
		how->namer = pp_namer_new(how, &error);
	if (how->namer)
		return;
	cli_error_text(&error, text, sizeof(text));
	cli_die(EXIT_SYSTEM, "%s", text);
}

void names_end(struct pp_symbols_options *how)
{
	pp_namer_free(how->namer);
	how->namer = NULL;
}

struct pp_session *names_open(struct run *run, struct pp_symbols_options *how, unsigned tasks, uint64_t limit)
{
	const struct pp_session_options options = {
		.size = sizeof(options), .fed = true, .keep = PP_SESSION_SYMBOLS, .tasks = tasks,
		.limit = limit, .symbols = how,
	};
	struct pp_session *session;

	if (!how->say.line)
		how->say = message_says;
	how->cache = cache_folder();
	session = pp_session_open(NULL, &options);
	if (pp_session_symbols(session))
		return session;
	if (session)
		run->error = *pp_session_error(session);
	else
		(void)pp_fail(&run->error, PP_E_NOMEM, NULL);
	(void)pp_session_finish(session);
	return NULL;
}

void names_close(struct pp_session *session)
{
	if (session)
		report_isolation(pp_symbols_stats(pp_session_symbols(session))->isolated);
	(void)pp_session_finish(session);
}

struct ahead {
	struct pp_symbols *symbols;
	bool any;                     /* there were names */
};

/* Where a sample comes before all names, there is nothing to learn of what follows. */
static int learn(struct run *run, const struct pp_record *rec, void *arg)
{
	struct ahead *const ahead = arg;

	if (rec->type == PP_REC_SAMPLE)
		return !ahead->any;
	if (rec->type != PP_REC_FINISHED_ROUND || !pp_is_names(rec))
		return 0;
	ahead->any = true;
	return pp_symbols_learn(ahead->symbols, rec, &run->error) &&
	       pp_error_status(&run->error) != EXIT_DAMAGED ? -1 : 0;
}

int ahead_learn(struct run *run, struct pp_symbols *symbols)
{
	struct ahead ahead = { .symbols = symbols };

	if (run_look_ahead(run, learn, &ahead) >= 0)
		return ahead.any;
	return run->error.code == PP_E_USE ? 0 : -1;
}
