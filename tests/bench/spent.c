/*
 * spent.c - runs a command and writes what it took: spent [-n STARTS] FILE COMMAND...
 *
 * FILE gets a line `seconds user system rss`: the time on the clock, the processor time of the command and of
 * all that it waited for, and the peak memory of the largest of them, in KiB.  With -n the command is started
 * so many times, and the line is that of the quickest: most starts of a command that takes a millisecond wait
 * for a processor.  The kernel gives this to the parent alone, and counts as a process's memory what its
 * parent had when it was started: so the parent is a program that has nearly none.
 */
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct spent {
	double wall;
	struct rusage usage;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int fail(const char *what)
{
	perror(what);
	return 127;
}

/* One start may be part of a pipeline: its ends are closed here, so that neighbours see when it leaves. */
static int run_command(char **command, bool only, struct spent *spent)
{
	const double began = now();
	int status, error;
	pid_t pid;

	error = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	if (error) {
		errno = error;
		return fail(command[0]);
	}
	if (only) {
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
	}
	if (wait4(pid, &status, 0, &spent->usage) < 0)
		return fail("spent: wait4");
	spent->wall = now() - began;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct spent least = { .wall = -1 }, spent = { 0 };
	int starts = 1, i, status = 0;
	FILE *file;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		starts = atoi(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc < 3 || starts < 1) {
		fputs("usage: spent [-n STARTS] FILE COMMAND...\n", stderr);
		return 127;
	}
	for (i = 0; i < starts && !status; i++) {
		status = run_command(argv + 2, starts == 1, &spent);
		if (least.wall < 0 || spent.wall < least.wall)
			least = spent;
	}
	file = fopen(argv[1], "w");
	if (!file)
		return fail(argv[1]);
	fprintf(file, "%.6f %.6f %.6f %ld\n", least.wall, seconds(&least.usage.ru_utime),
		seconds(&least.usage.ru_stime), least.usage.ru_maxrss);
	if (fclose(file))
		return fail(argv[1]);
	return status;
}
