/* ahead.c - reads a file for its names alone, before anything else; what they are for is left to others. */
#include "shared/ahead.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path by which the input can be opened once more, from its start; NULL: there is none. */
static const char *path_of_input(void)
{
	const bool standard = !common.input || !strcmp(common.input, "-");
	struct stat st;

	if (standard ? fstat(STDIN_FILENO, &st) : stat(common.input, &st))
		return NULL;
	return S_ISREG(st.st_mode) ? standard ? "/proc/self/fd/0" : common.input : NULL;
}

static bool is_names(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND && pp_is_names(rec);
}

/* As ahead_learn(). */
static int learn_all(struct pp_reader *in, struct pp_symbols *symbols, struct pp_error *error)
{
	struct pp_record rec;
	bool any = false;
	int got;

	while ((got = pp_reader_next(in, &rec, error)) > 0) {
		if (rec.type == PP_REC_SAMPLE && !any)
			return 0;
		any |= is_names(&rec);
		if (is_names(&rec) && pp_symbols_learn(symbols, &rec, error))
			return -1;
	}
	return got < 0 ? -1 : any;
}

int ahead_learn(struct run *run, struct pp_symbols *symbols)
{
	const struct pp_reader_options options = { .size = sizeof(options), .no_verify = true };
	const char *const path = path_of_input();
	struct pp_error error = { .code = PP_OK };
	struct pp_reader *const in = path ? pp_reader_open(path, &options, &error) : NULL;
	int got = -1;

	/* what came as a descriptor may be another's, or there is no /proc: it is read as a pipe is */
	if (!path || (!in && path != common.input && (error.os == EACCES || error.os == ENOENT)))
		return 0;
	if (in)
		got = learn_all(in, symbols, &error);
	pp_reader_close(in);
	/* damage is reported when it is met again */
	if (got >= 0 || pp_error_status(&error) == EXIT_DAMAGED)
		return got > 0;
	run->error = error;
	return -1;
}
