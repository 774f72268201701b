/* unwinding.c - the process that unwinds the stacks of a stream for a sink, and who waits for it. */
#include "shared/unwinding.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "shared/unwound_report.h"

enum { HEAD_MOST = 4 << 20 };      /* bytes that are kept of a head */

/* ---- What comes first ---- */

bool unwinding_noted(const struct pp_record *record)
{
	const size_t length = strlen(PP_NOTE_UNWOUND);
	struct pp_note note;

	for (size_t at = 0; pp_is_note(record) && pp_note_next(record, &at, &note);)
		if (note.key_length > length && !memcmp(note.key, PP_NOTE_UNWOUND ".", length + 1))
			return true;
	return false;
}

bool unwinding_due(struct loop *loop, const struct pp_record *record)
{
	const uint64_t both = PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER;
	const struct pp_attrs *const attrs = loop->run.stream->attrs;

	loop->unwound = loop->unwound || unwinding_noted(record);
	if (loop->unwound || loop->run.stacks || record->type != PP_REC_HEADER_ATTR)
		return false;
	for (size_t i = 0; i < pp_attrs_count(attrs); i++)
		if ((pp_attrs_at(attrs, i)->sample_type & both) == both)
			return true;
	return false;
}

int head_keep(struct first_records *head, const struct pp_record *record)
{
	struct pp_record *const items = reallocarray(head->items, head->count + 1, sizeof(*items));

	if (!items)
		return -1;
	head->items = items;
	items[head->count] = *record;
	items[head->count].data = malloc(record->size);
	if (!items[head->count].data)
		return -1;
	memcpy(items[head->count++].data, record->data, record->size);
	head->bytes += record->size;
	return head->bytes > HEAD_MOST;
}

void head_free(struct first_records *head)
{
	for (size_t i = 0; i < head->count; i++)
		free(head->items[i].data);
	free(head->items);
	*head = (struct first_records){ .count = 0 };
}

/* ---- The process ---- */

static struct {
	struct pp_budget budget;      /* as pp-unwind has it */
	const struct pp_symbols_options *files;
	bool keep;
	int finder;                   /* a socket to a process that finds files; 0: it starts one itself */
	struct pp_unwind *unwinder;
	int said;                     /* where its messages go; -1: to standard error */
	char *kept;                   /* until its end, so that it need not wait for who shows them */
	size_t length;
} own = { .budget = { .limit = UINT64_C(256) << 20 } };

static void keep_line(const char *text, size_t length)
{
	char *const longer = realloc(own.kept, own.length + length);

	if (!longer)
		return;
	own.kept = longer;
	memcpy(own.kept + own.length, text, length);
	own.length += length;
}

static _Noreturn void leave(int status)
{
	for (size_t at = 0; at < own.length;) {
		const ssize_t n = write(own.said, own.kept + at, own.length - at);

		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	/* what is done at the end of the tool is not for this one to do */
	_exit(status);
}

static void leave_early(int status)
{
	leave(status);
}

static int start_unwinder(struct run *run)
{
	const struct pp_unwind_options how = {
		.size = sizeof(how), .root = own.files->root, .debuginfod = own.files->debuginfod,
		.keep = own.keep, .budget = &own.budget, .say = message_says,
		.foreign = run->stream->foreign, .isolate = true, .finder = own.finder,
	};

	own.unwinder = pp_unwind_new(&how, &run->error);
	if (!own.unwinder)
		return -1;
	if (!own.finder)
		return run_confine(run, PP_STAGE_ASKS | PP_STAGE_SPOOLS, NULL);
	return common.no_sandbox ? 0 : pp_sandbox_narrow(true, &run->error);
}

/* Names are of use to samples that wait for their time, as they would be where those wait in the tool. */
static int admit_record(struct run *run, struct pp_record *record)
{
	if (record->type == PP_REC_FINISHED_ROUND && pp_is_names(record) &&
	    pp_writer_copy(run->out, record->data, record->size, &run->error))
		return -1;
	return pp_unwind_admit(own.unwinder, record, &run->error) ? -1 : PP_KEEP;
}

static int unwind_record(struct run *run, struct pp_record *record)
{
	if (record->type == PP_REC_FINISHED_ROUND && pp_is_names(record))
		return PP_DROP;
	return pp_unwind_judge(own.unwinder, record, run->out, &run->error);
}

/* What was released is in the order of its times: two rounds that end at once let it go in the tool, too,
 * which else would wait for another one to come. */
static int let_go(struct run *run)
{
	for (size_t i = 0; i < 2; i++)
		if (pp_writer_round(run->out, &run->error))
			return -1;
	return 0;
}

/* Where there was no stack, none is missing from what is shown. */
static int say_ends(struct run *run)
{
	const struct pp_unwind_stats *const stats = pp_unwind_stats(own.unwinder);

	if (!stats->stacks && !stats->joined && !stats->waiting)
		return 0;
	return unwound_report(run->stream, own.unwinder, &run->error);
}

/* Signals of the terminal, and to all of a job, are for the tool: its end is ours. */
static void leave_signals(pid_t tool)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM };
	struct sigaction action;

	for (int number = 1; number < NSIG; number++)
		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL &&
		    (action.sa_handler != SIG_IGN || number == SIGPIPE))
			(void)signal(number, SIG_DFL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != tool)
		_exit(EXIT_SYSTEM);
	(void)prctl(PR_SET_NAME, "pp-unwind");
}

static _Noreturn void unwind_here(struct loop *loop, int out, int said, pid_t tool)
{
	static const struct filter filter = { .judge = unwind_record, .admit = admit_record,
					      .judged = let_go, .start = start_unwinder, .end = say_ends,
					      .sorted = true, .budget = &own.budget };
	int status;

	leave_signals(tool);
	output_is(out, "what was unwound");
	messages.at_death = leave_early;
	own.said = said;
	if (said >= 0)
		messages.instead = keep_line;
	if (own.finder)
		pp_namer_leave(own.files->namer);
	own.keep = loop->run.registers;
	loop->late = loop->sink->late;
	loop->sink = NULL;
	loop->filter = &filter;
	loop->run.text = NULL;
	loop->run.fd = out;
	loop->started = false;
	loop->inner = true;
	status = loop_filter(loop);
	pp_unwind_free(own.unwinder);
	leave(status);
}

/* ---- Who waits for it ---- */

static void close_both(const int ends[2])
{
	const int os = errno;

	for (size_t i = 0; i < 2; i++)
		if (ends[i] >= 0)
			(void)close(ends[i]);
	errno = os;
}

static pid_t running;            /* 0: none */

/* For a tool that leaves in the middle of its input.  One that may not call kill() leaves it to the kernel
 * (PR_SET_PDEATHSIG). */
static void end_running(void)
{
	if (!running || own.finder)
		return;
	(void)kill(running, SIGKILL);
	(void)waitpid(running, NULL, 0);
}

/* *from: where what it makes comes from.  0, or -1 and errno. */
static int start_process(struct loop *loop, int *from)
{
	const pid_t tool = getpid();
	int out[2], said[2] = { -1, -1 };

	own.files = loop->sink->chains;
	own.finder = loop->sink->asks ? pp_namer_finder(own.files->namer) : 0;
	if (own.finder < 0)
		return -1;
	/* else the kernel does not keep its exit status */
	(void)signal(SIGCHLD, SIG_DFL);
	if (pipe2(out, O_CLOEXEC))
		return -1;
	/* on a screen they have their place */
	if (messages.instead && pipe2(said, O_CLOEXEC)) {
		close_both(out);
		return -1;
	}
	pp_enlarge_pipe(out[1]);
	loop->unwinding.pid = fork();
	if (!loop->unwinding.pid)
		unwind_here(loop, out[1], said[1], tool);
	if (loop->unwinding.pid < 0) {
		loop->unwinding.pid = 0;
		close_both(out);
		close_both(said);
		return -1;
	}
	running = loop->unwinding.pid;
	(void)atexit(end_running);
	(void)close(out[1]);
	if (said[1] >= 0)
		(void)close(said[1]);
	if (own.finder)
		(void)close(own.finder);
	loop->unwinding.said = said[0];
	*from = out[0];
	return 0;
}

int unwinding_start(struct loop *loop)
{
	const struct pp_reader_options how = { .size = sizeof(how), .no_verify = true };
	struct run *const run = &loop->run;
	struct pp_reader *in;
	int from;

	run->error.code = PP_OK;
	if (start_process(loop, &from))
		return pp_fail_os(&run->error, "cannot start a process that unwinds stacks");
	in = pp_reader_instead(run->in, from, &how, &run->error);
	if (in) {
		loop->first = run->in;
		loop->ended_well = unwinding_finish;
		loop_read_from(loop, in);
		return 0;
	}
	if (pp_error_status(&run->error) != EXIT_DAMAGED)
		unwinding_stop(loop);
	else if (!unwinding_finish(loop))
		run->error.code = PP_OK;
	return -1;
}

/* Hands on what it said, until it has ended. */
static void take_messages(struct loop *loop)
{
	char text[4096];
	ssize_t n;

	if (loop->unwinding.said < 0)
		return;
	while ((n = read(loop->unwinding.said, text, sizeof(text))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && messages.instead)
			messages.instead(text, (size_t)n);
	(void)close(loop->unwinding.said);
	loop->unwinding.said = -1;
}

/* Its wait status, or -1 and errno. */
static int wait_for_end(struct loop *loop)
{
	int status;
	pid_t got;

	do
		got = waitpid(loop->unwinding.pid, &status, 0);
	while (got < 0 && errno == EINTR);
	loop->unwinding.pid = running = 0;
	return got < 0 ? -1 : status;
}

bool unwinding_finish(struct loop *loop)
{
	struct run *const run = &loop->run;
	const char *const name = run->stream->name;
	int status;

	take_messages(loop);
	status = wait_for_end(loop);
	if (status < 0)
		cli_say("%s: cannot wait for the process that unwinds stacks: %s", name, strerror(errno));
	else if (WIFSIGNALED(status))
		cli_say("%s: unwinding its stacks ended in signal %d: %s", name, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	status = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
	if (run->status < status)
		run->status = status;
	if (status == EXIT_DONE || status == EXIT_DAMAGED)
		return true;
	/* that there are no samples needs not be said, too */
	loop->refused |= !run->samples;
	return false;
}

void unwinding_stop(struct loop *loop)
{
	if (!loop->unwinding.pid)
		return;
	if (!own.finder)
		(void)kill(loop->unwinding.pid, SIGKILL);
	if (loop->unwinding.said >= 0)
		(void)close(loop->unwinding.said);
	loop->unwinding.said = -1;
	if (!own.finder)
		(void)wait_for_end(loop);
	loop->unwinding.pid = running = 0;
}
