/* interrupt.c - lets the first ^C pass where the input comes from another stage. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	if (interrupted)
		output_die(number);
	interrupted = 1;
}

void outlive_interrupt(const char *path)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
	struct sigaction before;
	struct stat status;
	const int failed = path ? stat(path, &status) : fstat(STDIN_FILENO, &status);

	if (failed || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		return;
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_DFL)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}
