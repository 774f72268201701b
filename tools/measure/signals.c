/* signals.c - notes the signals that end measuring, to be looked at between two waits. */
#include "measure/signals.h"

#include <stddef.h>

volatile int stopped;

static void on_stop(int number)
{
	stopped = number;
}

static volatile sig_atomic_t *asked;

static void on_ask(int number)
{
	*asked = number;
}

static void on_child(int number)
{
	(void)number;
}

void catch_signals(sigset_t *mask, volatile sig_atomic_t *snapshot)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_stop }, was;
	sigset_t block;

	(void)sigemptyset(&block);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		(void)sigaddset(&block, stops[i]);
		/* under nohup it stays ignored */
		if (stops[i] != SIGHUP || sigaction(SIGHUP, NULL, &was) ||
		    was.sa_handler != SIG_IGN)
			(void)sigaction(stops[i], &act, NULL);
	}
	act.sa_handler = on_child;
	(void)sigaction(SIGCHLD, &act, NULL);
	(void)sigaddset(&block, SIGCHLD);
	asked = snapshot;
	act.sa_handler = on_ask;
	if (asked) {
		(void)sigaction(SIGUSR2, &act, NULL);
		(void)sigaddset(&block, SIGUSR2);
	}
	(void)sigprocmask(SIG_BLOCK, &block, mask);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		(void)sigdelset(mask, stops[i]);
	(void)sigdelset(mask, SIGCHLD);
	if (asked)
		(void)sigdelset(mask, SIGUSR2);
}
