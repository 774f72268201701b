/*
 * namer_child.c - a resolver in a process of its own, for one that gives up files before it reads a stream.
 * It starts yet another process, which reads what is in the files (lookup/isolated_reader.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sized_options.h"
#include "lookup/namer.h"
#include "symbol/resolver.h"

/* ---- The process ---- */

struct naming {
	struct pp_symbols_options how;
	struct pp_resolver *resolver; /* NULL: none was begun */
	struct pp_ipc_source from;
	struct pp_buffer in, answers;
};

static void send_to(int socket, enum pp_ipc kind, const void *data, size_t size)
{
	if (pp_ipc_send(socket, kind, (const struct pp_ipc_part[PP_IPC_PARTS]){ { data, size } }, -1))
		_exit(0);
}

static void send_line(const struct naming *n, const char *line, struct pp_ipc_hinted said)
{
	if (pp_ipc_send(n->from.socket, PP_IPC_HINTED, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &said, sizeof(said) }, { line, strlen(line) + 1 } }, -1))
		_exit(0);
}

static void send_said(void *arg, const char *line, enum pp_hint hint)
{
	send_line(arg, line, (struct pp_ipc_hinted){ .hint = (uint32_t)hint });
}

static void send_lost(void *arg, const char *line, enum pp_hint hint)
{
	send_line(arg, line, (struct pp_ipc_hinted){ .hint = (uint32_t)hint, .lost = true });
}

static void begin_resolver(struct naming *n)
{
	struct pp_ipc_how how;

	pp_resolver_free(n->resolver);
	n->resolver = NULL;
	if (n->in.size != sizeof(how))
		return;
	memcpy(&how, n->in.data, sizeof(how));
	n->how.memory = how.memory;
	n->how.deadline = how.deadline;
	n->how.seconds = how.seconds;
	n->how.demangle = (enum pp_demangle)how.demangle;
	n->how.debuginfod = how.debuginfod;
	n->how.no_inline = how.no_inline;
	n->how.lines = how.lines;
	n->how.lines_of_files = how.lines_of_files;
	n->how.data = how.data;
	n->how.whole_paths = how.whole_paths;
	n->resolver = pp_resolver_new(&n->how);
	if (!n->resolver)
		_exit(ENOMEM);
}

static void send_answers(struct naming *n, bool last)
{
	if (pp_ipc_send_answers(n->from.socket, &n->answers, last))
		_exit(0);
}

static int put_answer(void *arg, const struct pp_named *named, const struct pp_named_frame *frames,
		      uint32_t flags, const struct pp_address_range *extent, struct pp_error *error)
{
	enum { ENOUGH = 1 << 16 };
	struct naming *const n = arg;

	if (n->answers.size >= ENOUGH)
		send_answers(n, false);
	return pp_ipc_put(&n->answers, named, frames, flags, extent) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static void send_names(struct naming *n)
{
	const struct pp_answered to = { put_answer, n };
	struct pp_error error = { .code = PP_OK };
	struct pp_named_so_far stats;
	struct pp_asked asked;
	int failed;

	if (!pp_ipc_take_asked(&n->in, &asked) || !n->resolver)
		_exit(EPROTO);
	n->answers.size = 0;
	failed = pp_resolver_names(n->resolver, &asked, &to, &error);
	stats = (struct pp_named_so_far){ .files = pp_resolver_files(n->resolver),
					  .isolated = pp_resolver_isolated(n->resolver) };
	send_to(n->from.socket, PP_IPC_SO_FAR, &stats, sizeof(stats));
	if (!failed)
		send_answers(n, true);
	else if (pp_ipc_send_failure(n->from.socket, &error))
		_exit(0);
}

static void send_runs(struct naming *n)
{
	struct pp_id id;
	uint32_t same;

	if (!n->resolver || n->in.size != sizeof(id))
		_exit(EPROTO);
	memcpy(&id, n->in.data, sizeof(id));
	same = pp_resolver_runs(n->resolver, &id);
	send_to(n->from.socket, PP_IPC_RUNS, &same, sizeof(same));
}

static void take_kernel(const struct naming *n)
{
	uint64_t text;

	if (!n->resolver || n->in.size != sizeof(text))
		_exit(EPROTO);
	memcpy(&text, n->in.data, sizeof(text));
	pp_resolver_recorded_kernel(n->resolver, text);
}

/* Forks a finder, which serves this socket.  Who asked for it hears that this process has begun; of the
 * finder itself, and why there is none, it hears by that socket. */
static void start_finder(const struct naming *n, int socket)
{
	const struct pp_finder_options places = { .root = n->how.root, .debuginfod = n->how.debuginfod,
						  .sought = "unwind information" };
	pid_t pid;

	if (socket < 0)
		_exit(EPROTO);
	pp_isolated_finder_ready(n->from.socket, 0);
	pid = fork();
	if (!pid)
		pp_isolated_finder_serve(socket, &places);
	if (pid < 0)
		pp_isolated_finder_ready(socket, errno);
	(void)close(socket);
}

static _Noreturn void serve(int socket, const struct pp_symbols_options *how)
{
	struct naming n = { .how = *how, .from.socket = PP_REMOTE_SOCKET };
	int fd = -1;

	pp_isolated_begin(socket, "pp-files", true);
	n.how.namer = NULL;
	n.how.isolate = true;
	n.how.say = (struct pp_say){ .line = send_said, .lost = send_lost, .arg = &n };
	for (;;) {
		uint32_t kind;
		int sent;
		const int got = pp_ipc_receive(&n.from, &kind, &n.in, &sent);

		if (got <= 0)
			_exit(got ? ENOMEM : 0);
		/* what was sent at once comes with the first of several messages */
		fd = sent >= 0 ? sent : fd;
		if (kind == PP_IPC_HOW)
			begin_resolver(&n);
		else if (kind == PP_IPC_ASKED)
			send_names(&n);
		else if (kind == PP_IPC_RUNS)
			send_runs(&n);
		else if (kind == PP_IPC_KERNEL)
			take_kernel(&n);
		else if (kind == PP_IPC_FIND)
			start_finder(&n, fd);
		else
			_exit(EPROTO);
		fd = kind == PP_IPC_FIND ? -1 : fd;
	}
}

/* ---- Its start ---- */

struct pp_namer *pp_namer_new(const struct pp_symbols_options *given, struct pp_error *error)
{
	struct pp_namer *const n = calloc(1, sizeof(*n));
	struct pp_symbols_options how;
	int got;

	if (!n)
		(void)pp_fail(error, PP_E_NOMEM, NULL);
	if (!n || pp_options_take(&how, sizeof(how), given, error)) {
		free(n);
		return NULL;
	}
	got = pp_helper_start(&n->process, SOCK_STREAM);
	if (got > 0)
		serve(n->process.socket, &how);
	if (!got) {
		n->from.socket = n->process.socket;
		return n;
	}
	(void)pp_fail_os(error, "cannot start a process that finds files");
	free(n);
	return NULL;
}
