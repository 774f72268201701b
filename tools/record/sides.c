/* sides.c - two commands that are recorded again and again, in turns, each time to a file of its own. */
#include "record/sides.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/turns.h"

struct sides_options sides_options;

enum { USUAL = 10 };

static const char names[SIDES] = { 'A', 'B' };
static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
	interrupted = number;
}

/* The process that records takes the signal, too, and ends well. */
static void watch_signals(void)
{
	const struct sigaction action = { .sa_handler = note_signal };

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

static void leave_signals(void)
{
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
}

/* The exit status of a process; one that asked to stop is passed on to it. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			cli_die_os("cannot wait for a command");
		if (interrupted)
			(void)kill(pid, interrupted);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t fork_or_die(void)
{
	const pid_t pid = fork();

	if (pid < 0)
		cli_die_os("cannot make a process");
	return pid;
}

static char *file_of(const char *folder, size_t side, uint64_t run)
{
	return cli_text("%s/%c-%02" PRIu64 ".pipe", folder, names[side], run);
}

/* Where recordings of another comparison lie, the two would be taken for one. */
static void make_folder(const char *folder)
{
	char *const first = file_of(folder, 0, 0);

	if (mkdir(folder, 0777) && errno != EEXIST)
		cli_die_os("cannot make %s", folder);
	if (!access(first, F_OK))
		cli_die(EXIT_MISUSE, "%s: there are recordings of a comparison already: name another folder",
			folder);
	free(first);
}

/* In the process that is to record. */
static void become_recorder(char *text, size_t side, uint64_t run, const char *folder,
			    struct cli_list *notes, char ***command)
{
	static char *words[4];

	leave_signals();
	turn_words(words, text);
	*command = words;
	common.output = file_of(folder, side, run);
	(void)cli_add(notes, cli_text("side=%c", names[side]));
	(void)cli_add(notes, cli_text("run=%" PRIu64, run));
}

int sides_record(char **commands, struct cli_list *notes, char ***command)
{
	const char *const folder = common.output;
	const uint64_t runs = sides_options.repeat ? sides_options.repeat : USUAL;
	const uint64_t turns = SIDES * (sides_options.warmup + runs);
	int status = EXIT_DONE;

	make_folder(folder);
	watch_signals();
	for (uint64_t turn = 0; turn < turns && !status && !interrupted; turn++) {
		const uint64_t warm = SIDES * sides_options.warmup;
		const bool recorded = turn >= warm;
		/* the side that is recorded first is the one that the other is compared with */
		const size_t side = turn_side(recorded ? turn - warm : turn);
		pid_t pid;

		status = run_beside(sides_options.before);
		if (status) {
			cli_say("--pre: '%s' ended with status %d: nothing more is recorded",
				sides_options.before, status);
			break;
		}
		if (recorded) {
			pid = fork_or_die();
			if (!pid) {
				become_recorder(commands[side], side, (turn - warm) / SIDES,
						folder, notes, command);
				return -1;
			}
			status = wait_for(pid);
		} else {
			status = run_beside(commands[side]);
		}
		if (status)
			cli_say("'%s' ended with status %d: nothing more is recorded", commands[side],
				status);
		else if (run_beside(sides_options.after))
			cli_warn("--post: '%s' failed", sides_options.after);
	}
	return interrupted ? 128 + interrupted : status;
}
