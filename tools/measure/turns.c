/* turns.c - commands that are measured: two in turns, what a shell runs beside them, and where they write. */
#include "measure/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

size_t turn_side(uint64_t runs)
{
	return runs % 4 == 1 || runs % 4 == 2;
}

void turn_words(char *words[4], char *command)
{
	static char shell[] = "/bin/sh", of_words[] = "-c";

	words[0] = shell;
	words[1] = of_words;
	words[2] = command;
	words[3] = NULL;
}

bool to_stdout(void)
{
	return !common.output || !strcmp(common.output, "-");
}

bool takes_stdout(void)
{
	struct stat ours, file;

	if (to_stdout())
		return true;
	return !fstat(STDOUT_FILENO, &ours) && !stat(common.output, &file) &&
	       ours.st_dev == file.st_dev && ours.st_ino == file.st_ino && !S_ISCHR(file.st_mode);
}

int run_beside(const char *command)
{
	char *text;
	int status;

	if (!command)
		return 0;
	text = cli_text("%s%s", takes_stdout() ? "exec >&2; " : "", command);
	status = system(text);
	free(text);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
