/*
 * control_fd.c - commands that arrive while a recording runs, as perf record takes them:
 * tools/perf/util/evlist.c, evlist__ctlfd_process().
 */
#include "base/sized_options.h"
#include "base/log.h"
#include "record/capture.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int pp_commands_open(struct pp_commands *k, const struct pp_commanded *what,
		     const struct pp_control *given, struct pp_error *error)
{
	*k = (struct pp_commands){ .what = *what, .options.fd = -1, .options.ack = -1 };
	*k->what.control = -1;
	if (!given)
		return 0;
	if (pp_options_take(&k->options, sizeof(k->options), given, error))
		return -1;
	*k->what.control = k->options.fd;
	return 0;
}

static bool ready(int fd, short event)
{
	struct pollfd poll_fd = { fd, event, 0 };

	return poll(&poll_fd, 1, 0) > 0;
}

/* A pipe that is not read any more fails the write, without killing the process by SIGPIPE. */
static ssize_t write_quietly(int fd, const void *data, size_t size)
{
	const struct timespec none = { 0, 0 };
	sigset_t pipe_signal, was;
	ssize_t n;
	int os;

	(void)sigemptyset(&pipe_signal);
	(void)sigaddset(&pipe_signal, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &was);
	n = write(fd, data, size);
	os = errno;
	if (n < 0 && os == EPIPE && !sigismember(&was, SIGPIPE))
		(void)sigtimedwait(&pipe_signal, NULL, &none);
	(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
	errno = os;
	return n;
}

/* With the zero byte that perf sends too.  Where there is no room the recording does not wait. */
static void acknowledge(const struct pp_commands *k)
{
	static const char ack[] = "ack\n";
	const struct pp_say *const say = k->what.say;

	if (k->options.ack < 0)
		return;
	if (!ready(k->options.ack, POLLOUT))
		pp_say(say, "cannot acknowledge a command: there is no room where it is due");
	else if (write_quietly(k->options.ack, ack, sizeof(ack)) < 0)
		pp_say(say, "cannot acknowledge a command: %s", strerror(errno));
}

/* What follows the command's name, "" for nothing; NULL: something else than a space is next. */
static const char *argument(const char *after)
{
	const size_t spaces = strspn(after, " \t");

	return after[0] && !spaces ? NULL : after + spaces;
}

static int switch_events(struct pp_commands *k, const char *name, bool on, struct pp_error *error)
{
	const struct pp_say *const say = k->what.say;
	int got;

	*k->what.commanded = true;
	got = k->what.turn(k->what.arg, *name ? name : NULL, on, error);
	if (!*name) {
		if (got >= 0)
			pp_say(say, "events %s", on ? "enabled" : "disabled");
		return got < 0 ? -1 : 0;
	}
	if (got > 0)
		pp_say(say, "event %s %s", name, on ? "enabled" : "disabled");
	else if (!got)
		pp_say(say, "no event is called '%s': commands name them as evlist does", name);
	return got < 0 ? -1 : 0;
}

static int enable(struct pp_commands *k, const char *name, struct pp_error *error)
{
	return switch_events(k, name, true, error);
}

static int disable(struct pp_commands *k, const char *name, struct pp_error *error)
{
	return switch_events(k, name, false, error);
}

static int list(struct pp_commands *k, const char *how, struct pp_error *error)
{
	if (*how && strcmp(how, "-v") != 0 && strcmp(how, "-g") != 0 && strcmp(how, "-F") != 0)
		pp_say(k->what.say, "evlist takes -v, -g or -F, not '%s'", how);
	else
		pp_events_list(k->what.events, how, &k->options.list);
	(void)error;
	return 0;
}

static int stop(struct pp_commands *k, const char *rest, struct pp_error *error)
{
	(void)rest;
	(void)error;
	k->stop = true;
	return 0;
}

static int obey_snapshot(struct pp_commands *k, const char *rest, struct pp_error *error)
{
	(void)rest;
	if (k->what.snapshot)
		return k->what.snapshot(k->what.arg, error);
	pp_say(k->what.say, "there is nothing to take a snapshot of");
	return 0;
}

static int nothing(struct pp_commands *k, const char *rest, struct pp_error *error)
{
	(void)k;
	(void)rest;
	(void)error;
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(struct pp_commands *, const char *argument, struct pp_error *);
} commands[] = {
	{ "enable", enable }, { "disable", disable }, { "evlist", list },
	{ "snapshot", obey_snapshot },
	{ "stop", stop }, { "ping", nothing },
};

/* One line.  perf acknowledges what it cannot do too, but not what it does not know. */
static int obey(struct pp_commands *k, const char *line, struct pp_error *error)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *const known = &commands[i];
		const size_t n = strlen(known->name);
		const char *rest;

		if (strncmp(line, known->name, n) != 0)
			continue;
		rest = argument(line + n);
		if (!rest)
			pp_say(k->what.say, "there is no command '%s'", line);
		else if (known->run(k, rest, error))
			return -1;
		acknowledge(k);
		return 0;
	}
	pp_say(k->what.say, "there is no command '%s': use enable, disable, evlist, "
	       "snapshot, ping or stop", line);
	return 0;
}

static int end_line(struct pp_commands *k, struct pp_error *error)
{
	k->line[k->n] = '\0';
	k->n = 0;
	return k->line[0] ? obey(k, k->line, error) : 0;
}

static int take(struct pp_commands *k, const char *text, size_t size, struct pp_error *error)
{
	for (size_t i = 0; i < size && !k->stop; i++) {
		if (text[i] == '\n' || text[i] == '\0') {
			if (end_line(k, error))
				return -1;
			continue;
		}
		k->line[k->n++] = text[i];
		if (k->n == sizeof(k->line) - 1 && end_line(k, error))
			return -1;
	}
	return 0;
}

int pp_commands_obey(struct pp_commands *k, struct pp_error *error)
{
	char text[256];
	ssize_t n;

	while (*k->what.control >= 0 && !k->stop && ready(*k->what.control, POLLIN)) {
		n = read(*k->what.control, text, sizeof(text));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			break;
		/* There is no writer any more. */
		if (n <= 0) {
			*k->what.control = -1;
			break;
		}
		if (take(k, text, (size_t)n, error))
			return -1;
	}
	if (k->n && (!k->options.whole_lines || *k->what.control < 0) && end_line(k, error))
		return -1;
	return k->stop;
}
