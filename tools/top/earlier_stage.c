/* earlier_stage.c - starts another of these tools as the stage before this one, and ends it. */
#include "top/earlier_stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

enum { NOT_RUN = 127 };               /* exit status of a child that could not be replaced */

static struct {
	pid_t pid;                    /* 0: none, or it was waited for */
	int held;                     /* its pidfd; -1: the kernel has none */
	int stream, words;            /* read ends; words: -1 if they are not for us */
	int status;
	size_t length;                /* of a line that has not ended */
	char line[1024];
} stage = { .held = -1, .stream = -1, .words = -1 };

/* ---- what it says ---- */

static void end_line(void)
{
	stage.line[stage.length] = '\0';
	stage.length = 0;
	cli_pass_on(stage.line);
}

void earlier_stage_listen(void)
{
	char text[4096];
	ssize_t n;

	while (stage.words >= 0 && (n = read(stage.words, text, sizeof(text))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] != '\n')
				stage.line[stage.length++] = text[i];
			if (text[i] == '\n' || stage.length == sizeof(stage.line) - 1)
				end_line();
		}
	}
	if (stage.words >= 0)
		(void)close(stage.words);
	stage.words = -1;
	if (stage.length)
		end_line();
}

int earlier_stage_words(void)
{
	return stage.words;
}

/* ---- its start ---- */

/* "FOLDER/NAME", the folder being that of this program, or this program; NULL: it is not known. */
static char *beside_us(const char *name)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (cli_whole.lacks)
		return cli_text("/proc/self/exe");
	path[n < 0 ? 0 : n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return cli_text("%s/%s", path, name);
}

static void __attribute__((noreturn)) become(char *const *words, const char *path, int stream, int says)
{
	if (dup2(stream, STDOUT_FILENO) >= 0 && (says < 0 || dup2(says, STDERR_FILENO) >= 0)) {
		if (path)
			execv(path, words);
		if (!path || errno == ENOENT)
			execvp(words[0], words);
	}
	cli_say("cannot run %s: %s", words[0], strerror(errno));
	_exit(NOT_RUN);
}

/* The pidfd of a process, or -1. */
static int hold(pid_t pid)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

bool earlier_stage_is_held(void)
{
	return stage.held >= 0;
}

static void ask_for_end(pid_t pid)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
	if (stage.held >= 0) {
		(void)syscall(SYS_pidfd_send_signal, stage.held, SIGTERM, NULL, 0);
		return;
	}
#endif
	(void)kill(pid, SIGTERM);
}

static void end_quietly(void)
{
	(void)earlier_stage_end();
}

/* Whether its stream has begun; otherwise it has ended. */
static bool has_begun(void)
{
	for (;;) {
		struct pollfd fds[] = { { stage.stream, POLLIN, 0 }, { stage.words, POLLIN, 0 } };
		const int got = poll(fds, 2, -1);

		if (got < 0 && errno != EINTR)
			cli_die_os("cannot wait for a stream");
		if (got > 0 && fds[1].revents)
			earlier_stage_listen();
		if (got > 0 && fds[0].revents)
			return fds[0].revents & POLLIN;
	}
}

static void make_pipe(int ends[2], const char *name)
{
	if (pipe2(ends, O_CLOEXEC))
		cli_die_os("cannot run %s", name);
}

void earlier_stage_start(char *const *words, bool listen)
{
	char *const path = beside_us(words[0]);
	int stream[2], says[2] = { -1, -1 };

	make_pipe(stream, words[0]);
	if (listen)
		make_pipe(says, words[0]);
	if (listen && fcntl(says[0], F_SETFL, O_NONBLOCK))
		cli_die_os("cannot run %s", words[0]);
	stage.pid = fork();
	if (stage.pid < 0)
		cli_die_os("cannot run %s", words[0]);
	if (!stage.pid)
		become(words, path, stream[1], says[1]);
	stage.held = hold(stage.pid);
	free(path);
	(void)close(stream[1]);
	if (listen)
		(void)close(says[1]);
	stage.stream = stream[0];
	stage.words = says[0];
	atexit(end_quietly);
	if (!has_begun())
		exit(earlier_stage_end());
	if (dup2(stage.stream, STDIN_FILENO) < 0)
		cli_die_os("cannot read from %s", words[0]);
}

/* ---- its end ---- */

/* What it still writes is read, so that it does not wait for that, nor end by SIGPIPE: then a command of its
 * own would live on. */
static void drain(void)
{
	char rest[65536];

	for (;;) {
		struct pollfd fds[] = { { stage.stream, POLLIN, 0 }, { stage.words, POLLIN, 0 } };
		const int got = poll(fds, 2, -1);
		ssize_t n;

		if (got < 0 && errno != EINTR)
			return;
		if (got > 0 && fds[1].revents)
			earlier_stage_listen();
		if (got <= 0 || !fds[0].revents)
			continue;
		n = read(stage.stream, rest, sizeof(rest));
		if (!n || (n < 0 && errno != EINTR))
			return;
	}
}

int earlier_stage_end(void)
{
	const pid_t pid = stage.pid;
	int status = 0;

	if (!pid)
		return stage.status;
	stage.pid = 0;
	ask_for_end(pid);
	drain();
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	earlier_stage_listen();
	stage.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (stage.status == NOT_RUN)
		stage.status = EXIT_SYSTEM;
	return stage.status;
}
