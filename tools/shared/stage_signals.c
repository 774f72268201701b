/* stage_signals.c - lets the first signal to stop pass where the input comes from another stage. */
#include "shared/stage_signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"

static volatile sig_atomic_t interrupted;

static void on_stop(int number)
{
	if (interrupted)
		output_die(number);
	interrupted = 1;
}

/* A terminal that is closed says so more than once: its shell does, and the kernel. */
static void on_hangup(int number)
{
	(void)number;
}

/* What was ignored from the start stays so. */
static void let_pass(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction before;

	sigaction(number, NULL, &before);
	if (before.sa_handler != SIG_DFL)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void outlive_interrupt(const char *path)
{
	struct stat status;
	const int failed = path ? stat(path, &status) : fstat(STDIN_FILENO, &status);

	if (failed || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		return;
	let_pass(SIGINT, on_stop);
	let_pass(SIGTERM, on_stop);
	let_pass(SIGHUP, on_hangup);
}
