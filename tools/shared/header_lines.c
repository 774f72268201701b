/* header_lines.c - begins what a recording says of itself, with the time at which it was written. */
#include "shared/header_lines.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct header_lines header_lines;

/* The time of the file is that of the recording, as perf takes it; of a folder that of its first file. */
static int find_time(const char *path, struct stat *st)
{
	char data[PATH_MAX];

	if (!path || !strcmp(path, "-"))
		return fstat(STDIN_FILENO, st);
	if (stat(path, st))
		return -1;
	if (!S_ISDIR(st->st_mode))
		return 0;
	(void)snprintf(data, sizeof(data), "%s/data", path);
	return stat(data, st);
}

bool header_lines_wanted(void)
{
	return header_lines.first || header_lines.only || header_lines.words.full;
}

int header_lines_opened(struct run *run)
{
	struct stat st;

	if (!header_lines_wanted())
		return 0;
	if (find_time(common.input, &st))
		return pp_fail_os(&run->error, "cannot find out when it was written");
	header_lines.words.captured = st.st_mtime;
	return 0;
}

int header_lines_start(struct run *run, bool old)
{
	struct pp_header_words *const words = &header_lines.words;

	words->old = old;
	words->banner = header_lines.first || header_lines.only;
	words->stream = run->stream;
	run->keeps_long = true;
	pp_header_words_start(words, run->text);
	return 0;
}
