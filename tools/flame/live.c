/*
 * live.c - makes a page every so often while a stream comes.  A copy of the process draws it, which has all
 * that was read until then: what it settles and forgets for that does not concern the rest of the stream,
 * which is read meanwhile.
 */
#include "flame/live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"

static struct {
	uint64_t every, due;          /* ns, of the monotonic clock */
	uint64_t records;
	live_draw *draw;
	pid_t drawing;                /* the process that draws; 0: none */
	bool changed;                 /* something was read since it began */
} state;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void live_start(uint64_t every, live_draw *draw)
{
	char *const folder = output_folder();

	if (!folder)
		cli_misuse("--every replaces a file: use -o FILE");
	free(folder);
	/* else the kernel does not keep exit statuses */
	(void)signal(SIGCHLD, SIG_DFL);
	state.every = every;
	state.due = now() + every;
	state.draw = draw;
}

/* ---- the process that draws ---- */

/* What is done at the end of the tool is not for this one to do. */
static void leave(int status)
{
	output_close(status);
	_exit(status);
}

static _Noreturn void draw_here(struct run *run)
{
	struct pp_out out;
	int fd;

	/* it is said once, at the end */
	messages.quiet = true;
	messages.verbose = false;
	fd = output_beside();
	messages.at_death = leave;
	if (pp_out_open(&out, fd) || state.draw(run, &out))
		cli_no_memory();
	if (pp_out_close(&out))
		output_failed(out.os);
	leave(EXIT_DONE);
	abort();
}

/* Whether none draws any more; waits for it where `wait`.  Exits where the page could not be made, which that
 * process has said. */
static bool has_ended(bool wait)
{
	int status;
	pid_t got;

	if (!state.drawing)
		return true;
	do
		got = waitpid(state.drawing, &status, wait ? 0 : WNOHANG);
	while (got < 0 && errno == EINTR);
	if (!got)
		return false;
	state.drawing = 0;
	if (got < 0)
		cli_die_os("cannot wait for the process that draws");
	if (WIFSIGNALED(status))
		cli_die(EXIT_SYSTEM, "drawing ended in signal %d: %s", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) != EXIT_DONE) {
		output_close(EXIT_SYSTEM);
		exit(EXIT_SYSTEM);
	}
	return true;
}

/* ---- when ---- */

/* A page that takes longer than the time between two is not overtaken by the next. */
static void look(struct run *run)
{
	if (!state.changed || now() < state.due)
		return;
	state.due = now() + state.every;
	if (!has_ended(false))
		return;
	state.changed = false;
	state.drawing = fork();
	if (!state.drawing)
		draw_here(run);
	if (state.drawing < 0) {
		state.drawing = 0;
		cli_die_os("cannot start a process that draws");
	}
}

void live_note(struct run *run)
{
	enum { OFTEN = 1024 };        /* records between two looks at the clock */

	state.changed = true;
	if (++state.records % OFTEN == 0)
		look(run);
}

/* In ms, and rounded up. */
static int until_due(void)
{
	const uint64_t t = now(), left = state.due > t ? state.due - t : 0;

	return left > 1000000000 ? 1000 : (int)((left + 999999) / 1000000);
}

void live_wait(struct run *run)
{
	struct pollfd in = { .fd = pp_reader_fd(run->in), .events = POLLIN };
	int got;

	do {
		look(run);
		got = in.fd < 0 ? 1 : poll(&in, 1, state.changed ? until_due() : -1);
	} while (!got || (got < 0 && errno == EINTR));
}

void live_end(void)
{
	(void)has_ended(true);
}
