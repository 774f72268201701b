/* functions.c - counts the samples of each function: functions [FILE]. */
#include <perfpipe/perfpipe.h>
#include <inttypes.h>
#include <stdio.h>

static void say(void *arg, const char *line, enum pp_hint hint)
{
	(void)arg, (void)hint;
	fprintf(stderr, "functions: %s\n", line);
}

int main(int argc, char **argv)
{
	struct pp_session_options how = { sizeof(how), PP_SESSION_SYMBOLS, 0, { say } };
	struct pp_session *session = pp_session_open(argc > 1 ? argv[1] : NULL, &how);
	struct pp_record record;
	const char *name;
	uint64_t samples;

	while (pp_session_next(session, &record) == PP_MORE)
		if (record.type == PP_REC_SAMPLE)
			pp_session_count(session, pp_session_function(session, &record), 1);
	for (size_t i = 0; (name = pp_session_counted(session, i, &samples)); i++)
		printf("%" PRIu64 " %s\n", samples, name);
	return pp_session_finish(session);
}
