/* progress.c - lines of progress, from signal handlers. */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

/* Handlers see it only while it is whole: `what` is set last, and taken away first. */
static struct {
	const struct progress *volatile what;
	uint64_t start;				/* ns, of the monotonic clock */
	volatile sig_atomic_t shown;		/* a line is there, to be rewritten */
} state;

/* Text made with nothing that a signal handler may not call. */
struct progress_line {
	char text[320];
	size_t length;
};

static void add(struct progress_line *line, const char *text)
{
	const size_t room = sizeof(line->text) - line->length;
	size_t length = strlen(text);

	if (length > room)
		length = room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

static void add_number(struct progress_line *line, uint64_t number)
{
	char digits[21];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	add(line, digits + at);
}

/* "1 record", "2 records" */
static void add_count(struct progress_line *line, uint64_t count, const char *what)
{
	add_number(line, count);
	add(line, what);
	add(line, count == 1 ? "" : "s");
}

/* "12.345": `thousandths` of something. */
static void add_thousandths(struct progress_line *line, uint64_t thousandths, const char *unit)
{
	const uint64_t rest = thousandths % 1000;

	add_number(line, thousandths / 1000);
	add(line, rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
	add_number(line, rest);
	add(line, unit);
}

static void add_bytes(struct progress_line *line, uint64_t bytes, const char *unit)
{
	add_number(line, bytes / 1000000);
	add(line, ".");
	add_number(line, bytes / 100000 % 10);
	add(line, unit);
}

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static uint64_t value(const uint64_t *counter)
{
	return counter ? *counter : 0;
}

static void add_samples(struct progress_line *line, const struct progress *p)
{
	if (!p->samples)
		return;
	add(line, ", ");
	if (p->kept) {
		add_number(line, *p->kept);
		add(line, " of ");
	}
	add_count(line, *p->samples, " sample");
	add(line, p->kept ? " kept" : "");
}

/* "pp-sort: 812 records, 0.1 MB in 0.413 s (0.2 MB/s), 12 samples, 1.998 s covered, 0 lost" */
static void compose(struct progress_line *line, const struct progress *p)
{
	const uint64_t elapsed = now() - state.start;
	const uint64_t milliseconds = elapsed / 1000000;
	const uint64_t bytes = value(p->bytes);

	add(line, cli_name());
	add(line, ": ");
	add_count(line, value(p->records), " record");
	add(line, ", ");
	add_bytes(line, bytes, " MB in ");
	add_thousandths(line, milliseconds, " s (");
	add_bytes(line, milliseconds ? bytes * 1000 / milliseconds : 0, " MB/s)");
	add_samples(line, p);
	if (p->first && p->last) {
		add(line, ", ");
		add_thousandths(line, (*p->last - *p->first) / 1000000, " s covered");
	}
	if (p->lost) {
		add(line, ", ");
		add_number(line, *p->lost);
		add(line, " lost");
	}
}

static void show(const struct progress_line *line)
{
	const ssize_t written = write(STDERR_FILENO, line->text, line->length);

	(void)written;	/* the reader has gone */
}

static void on_signal(int number)
{
	const struct progress *const what = state.what;
	const int saved = errno;
	struct progress_line line = { .length = 0 };

	if (!what)
		return;
	if (number == SIGALRM || state.shown)
		add(&line, "\r");
	compose(&line, what);
	if (number == SIGALRM || state.shown)
		add(&line, "\033[K");
	if (number != SIGALRM)
		add(&line, "\n");
	state.shown = number == SIGALRM;
	show(&line);
	errno = saved;
}

static void catch(int number)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGALRM);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(number, &action, NULL);
}

/* Every `seconds`, or never again where that is 0. */
static void tick(int seconds)
{
	const struct itimerval every = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_REAL, &every, NULL);
}

static void clear_line(void)
{
	static const struct progress_line clear = { "\r\033[K", 4 };

	if (state.shown) {
		state.shown = 0;
		show(&clear);
	}
}

void progress_start(const struct progress *what)
{
	state.start = now();
	state.what = what;
	messages.before = clear_line;
	catch(SIGUSR1);
	if (common.progress && isatty(STDERR_FILENO)) {
		catch(SIGALRM);
		tick(1);
	}
}

void progress_stop(void)
{
	const struct progress *const what = state.what;
	struct progress_line line = { .length = 0 };

	if (!what)
		return;
	tick(0);
	clear_line();
	state.what = NULL;
	if (!common.progress)
		return;
	compose(&line, what);
	add(&line, "\n");
	show(&line);
}
