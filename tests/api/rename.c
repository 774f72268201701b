/* rename.c - renames tasks in a stream that passes through: rename OLD NEW [FILE]. */
#include <perfpipe/perfpipe.h>
#include <stdio.h>
#include <string.h>

static void say(void *arg, const char *line, enum pp_hint hint)
{
	(void)arg, (void)hint;
	fprintf(stderr, "rename: %s\n", line);
}

int main(int argc, char **argv)
{
	struct pp_session_options how = { sizeof(how), 0, 1, { say } };
	struct pp_session *session = argc < 3 ? NULL : pp_session_open(argv[3], &how);
	struct pp_record record;
	char comm[64];

	if (argc < 3)
		return 2;
	while (pp_session_next(session, &record) == PP_MORE) {
		if (pp_copy_text(&record, "comm", comm, sizeof(comm)) && !strcmp(comm, argv[1]))
			pp_session_edit_text(session, &record, PP_IS_COMM, argv[2]);
		pp_session_write(session, &record);
	}
	return pp_session_finish(session);
}
