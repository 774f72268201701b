/*
 * spent.c - runs a command and writes what it took: spent FILE COMMAND...
 *
 * FILE gets a line `seconds user system rss`: the time on the clock, the processor time of the command and of
 * all that it waited for, and the peak memory of the largest of them, in KiB.  The kernel gives this to the
 * parent alone, and counts as a process's memory what its parent had when it forked: so the parent is a
 * program that has nearly none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	const double began = now();
	struct rusage usage;
	FILE *file;
	int status;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: spent FILE COMMAND...\n", stderr);
		return 127;
	}
	pid = fork();
	if (pid < 0)
		return fail("spent: fork");
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(fail(argv[2]));
	}
	/* that of a pipeline's reader that leaves is a wait of its own */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (wait4(pid, &status, 0, &usage) < 0)
		return fail("spent: wait4");
	file = fopen(argv[1], "w");
	if (!file)
		return fail(argv[1]);
	fprintf(file, "%.6f %.6f %.6f %ld\n", now() - began, seconds(&usage.ru_utime),
		seconds(&usage.ru_stime), usage.ru_maxrss);
	if (fclose(file))
		return fail(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
