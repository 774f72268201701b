/*
 * namer.c - asks another process for names of offsets in files.  That process (symbol/namer_child.c) was
 * started before this one gave up files; it may open them, and gets no bytes of the stream but those in
 * questions.
 */
#include "lookup/namer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

/* The process cannot be asked any more: waits for its end, and notes why. */
static void give_up(struct pp_namer *n)
{
	if (!n->process.pid)
		return;
	n->os = pp_helper_errno(pp_helper_stop(&n->process));
	n->os = n->os ? n->os : EPIPE;
}

void pp_namer_free(struct pp_namer *n)
{
	if (!n)
		return;
	give_up(n);
	pp_buffer_free(&n->in);
	free(n);
}

/* Sends a message of one part: false, and the process is given up, where that fails. */
static bool send_it(struct pp_namer *n, enum pp_ipc kind, const void *data, size_t size, int fd)
{
	if (n->process.pid && pp_ipc_send(n->process.socket, kind, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ data, size } }, fd))
		give_up(n);
	return n->process.pid;
}

void pp_namer_begin(struct pp_namer *n, const struct pp_symbols_options *options)
{
	const struct pp_ipc_how how = {
		.memory = options->memory, .deadline = options->deadline, .seconds = options->seconds,
		.demangle = (uint32_t)options->demangle, .debuginfod = options->debuginfod,
		.no_inline = options->no_inline, .lines = options->lines,
		.lines_of_files = options->lines_of_files, .data = options->data,
		.whole_paths = options->whole_paths,
	};

	(void)send_it(n, PP_IPC_HOW, &how, sizeof(how), -1);
}

void pp_namer_end(struct pp_namer *n)
{
	(void)send_it(n, PP_IPC_HOW, NULL, 0, -1);
}

void pp_namer_kernel(struct pp_namer *n, uint64_t text)
{
	(void)send_it(n, PP_IPC_KERNEL, &text, sizeof(text), -1);
}

/* The next message: its kind; 0: there is none, and no more will come; -1: memory. */
static int next_kind(struct pp_namer *n)
{
	uint32_t kind;
	int fd;
	const int got = pp_ipc_receive(&n->from, &kind, &n->in, &fd);

	if (fd >= 0)
		(void)close(fd);
	return got > 0 ? (int)kind : got;
}

bool pp_namer_runs(struct pp_namer *n, const struct pp_id *id)
{
	uint32_t same = 0;

	if (!send_it(n, PP_IPC_RUNS, id, sizeof(*id), -1))
		return false;
	if (next_kind(n) == PP_IPC_RUNS && n->in.size == sizeof(same))
		memcpy(&same, n->in.data, sizeof(same));
	else
		give_up(n);
	return same;
}

static void pass_line(const struct pp_namer *n, const struct pp_say *say)
{
	struct pp_ipc_hinted said;
	size_t at = sizeof(said);
	const char *const line = pp_ipc_text(&n->in, &at);

	if (!line)
		return;
	memcpy(&said, n->in.data, sizeof(said));
	if (said.lost)
		pp_say_lost(say, "%s", line);
	else
		pp_say_hint(say, (enum pp_hint)said.hint, "%s", line);
}

/* 1: all answers came; 0: more will come; -1 and *error, without a code where the message makes no sense. */
static int take_named(struct pp_namer *n, const struct pp_answered *to, struct pp_error *error)
{
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	struct pp_ipc_answers head;
	size_t at = sizeof(head);

	if (n->in.size < sizeof(head))
		return -1;
	memcpy(&head, n->in.data, sizeof(head));
	while (at < n->in.size) {
		struct pp_address_range extent;
		struct pp_named named;
		uint32_t flags;

		if (!pp_ipc_take(&n->in, &at, &named, frames, &flags, &extent) ||
		    to->put(to->arg, &named, frames, flags, &extent, error))
			return -1;
	}
	return head.last != 0;
}

/* 0, or -1 and *error, without a code where the process is gone or talks nonsense.  *whole: nothing of the
 * answer is left in the socket. */
static int receive_names(struct pp_namer *n, const struct pp_answered *to, const struct pp_say *say,
			 struct pp_named_so_far *stats, bool *whole, struct pp_error *error)
{
	for (;;) {
		const int kind = next_kind(n);
		int got;

		if (kind < 0)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (kind == PP_IPC_HINTED) {
			pass_line(n, say);
		} else if (kind == PP_IPC_SO_FAR && n->in.size == sizeof(*stats)) {
			memcpy(stats, n->in.data, sizeof(*stats));
		} else if (kind == PP_IPC_ANSWERS) {
			got = take_named(n, to, error);
			*whole = got > 0;
			if (got)
				return got < 0 ? -1 : 0;
		} else {
			*whole = kind == PP_IPC_FAILED && pp_ipc_take_failure(&n->in, error);
			return -1;
		}
	}
}

int pp_namer_names(struct pp_namer *n, const struct pp_asked *asked, const struct pp_answered *to,
		   const struct pp_say *say, struct pp_named_so_far *stats, struct pp_error *error)
{
	/* what is said in *error of something else stays */
	struct pp_error own = { .code = PP_OK };
	bool whole = false;

	if (n->process.pid && !pp_ipc_send_asked(n->process.socket, asked, 0, asked->n) &&
	    !receive_names(n, to, say, stats, &whole, &own))
		return 0;
	/* the rest of this answer would be taken for that to the next question */
	if (!whole)
		give_up(n);
	if (own.code) {
		*error = own;
		return -1;
	}
	errno = n->os;
	return pp_fail_os(error, "cannot ask the process that finds files");
}

/* Waits until it has begun: 0, or an errno. */
static int wait_for_begin(struct pp_namer *n)
{
	const int kind = next_kind(n);
	uint32_t why = kind < 0 ? ENOMEM : EPIPE;

	if (kind == PP_IPC_READY && n->in.size == sizeof(why))
		memcpy(&why, n->in.data, sizeof(why));
	if (why)
		give_up(n);
	return (int)why;
}

int pp_namer_finder(struct pp_namer *n)
{
	int ends[2], why;
	bool sent;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	sent = send_it(n, PP_IPC_FIND, NULL, 0, ends[1]);
	(void)close(ends[1]);
	why = sent ? wait_for_begin(n) : n->os;
	if (!why)
		return ends[0];
	(void)close(ends[0]);
	errno = n->os && n->os != EPIPE ? n->os : why;
	return -1;
}

void pp_namer_leave(struct pp_namer *n)
{
	if (n->process.pid)
		pp_helper_leave(&n->process);
	n->os = EPIPE;
}
