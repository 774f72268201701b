/*
 * finder_child.c - a process that finds files for the one that started it, which reads them and can have
 * given up files itself; it reads nothing of them.
 */
#include "lookup/isolated.h"
#include "sandbox/helper_process.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct pp_isolated_finder {
	struct pp_helper process;
	bool of_other;                /* another process started it, and waits for its end */
	struct pp_ipc_source from;
	struct pp_buffer in;
	struct pp_say say;
};

/* ---- The process ---- */

static void tell_line(void *arg, const char *line, enum pp_hint hint)
{
	struct pp_ipc_source *const to = arg;

	(void)hint;
	if (pp_ipc_send(to->socket, PP_IPC_SAID, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ line, strlen(line) + 1 } }, -1))
		_exit(0);
}

static int identify_there(void *arg, int fd, struct pp_id *id)
{
	return pp_ipc_identify(arg, fd, id);
}

_Noreturn void pp_isolated_finder_serve(int socket, const struct pp_finder_options *given)
{
	struct pp_finder_options places = *given;
	struct pp_ipc_source source = { .socket = PP_REMOTE_SOCKET };
	struct pp_buffer in = { .size = 0 };
	struct pp_finder *finder;
	uint32_t kind;
	int fd;

	pp_isolated_begin(socket, "pp-files", true);
	places.say = (struct pp_say){ .line = tell_line, .arg = &source };
	places.identify = identify_there;
	places.identify_arg = &source;
	finder = pp_finder_new(&places);
	pp_isolated_finder_ready(source.socket, finder ? 0 : ENOMEM);
	if (!finder)
		_exit(ENOMEM);
	for (;;) {
		const int got = pp_ipc_receive(&source, &kind, &in, &fd);

		if (got <= 0 || kind != PP_IPC_QUESTION)
			_exit(got < 0 ? ENOMEM : 0);
		errno = 0;
		if (pp_ipc_answer(&source, &in, finder, NULL, NULL))
			_exit(errno);
	}
}

/* ---- Who started it ---- */

/* Waits for its end, which is sure to come: why it came, an errno. */
static int stop_finder(struct pp_isolated_finder *f)
{
	int os = 0;

	if (f->of_other)
		pp_helper_leave(&f->process);
	else
		os = pp_helper_errno(pp_helper_stop(&f->process));
	return os ? os : EPIPE;
}

void pp_isolated_finder_free(struct pp_isolated_finder *f)
{
	if (!f)
		return;
	if (f->process.pid)
		(void)stop_finder(f);
	pp_buffer_free(&f->in);
	free(f);
}

/* Whether it is ready; else errno. */
static bool is_ready(struct pp_isolated_finder *f)
{
	uint32_t kind, why = 0;
	int fd, got;
	bool told;

	f->from.socket = f->process.socket;
	got = pp_ipc_receive(&f->from, &kind, &f->in, &fd);
	told = got > 0 && kind == PP_IPC_READY && f->in.size == sizeof(why);
	if (told)
		memcpy(&why, f->in.data, sizeof(why));
	if (told && !why)
		return true;
	errno = stop_finder(f);
	/* who starts one for another process says why that failed, unless memory was lacking for it */
	if (got < 0 || (!told && f->of_other))
		errno = ENOMEM;
	else if (told)
		errno = (int)why;
	return false;
}

static struct pp_isolated_finder *refuse_finder(struct pp_isolated_finder *f, struct pp_error *error)
{
	const int os = errno;

	pp_buffer_free(&f->in);
	free(f);
	errno = os;
	(void)pp_fail_os(error, "cannot start a process that finds files");
	return NULL;
}

struct pp_isolated_finder *pp_isolated_finder_new(const struct pp_finder_options *places,
						  struct pp_error *error)
{
	struct pp_isolated_finder *const f = calloc(1, sizeof(*f));
	int got;

	if (!f) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	f->say = places->say;
	got = pp_helper_start(&f->process, SOCK_STREAM);
	if (got > 0)
		pp_isolated_finder_serve(f->process.socket, places);
	return !got && is_ready(f) ? f : refuse_finder(f, error);
}

struct pp_isolated_finder *pp_isolated_finder_at(int socket, const struct pp_say *say, struct pp_error *error)
{
	struct pp_isolated_finder *const f = calloc(1, sizeof(*f));

	if (!f) {
		(void)close(socket);
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	*f = (struct pp_isolated_finder){ .say = *say, .of_other = true,
					  .process = { .pid = -1, .socket = socket } };
	return is_ready(f) ? f : refuse_finder(f, error);
}

int pp_isolated_finder_ask(void *finder, const struct pp_question *q, struct pp_found_file *found,
			   struct pp_error *error)
{
	struct pp_isolated_finder *const f = finder;
	const int result = f->process.pid ? pp_ipc_ask(&f->from, &f->in, &f->say, q, found, error) : -1;

	if (f->process.pid && (result >= 0 || error->os != EPIPE))
		return result;
	/* the status of another's process is not ours to read: it ends by itself where it has no memory */
	errno = !f->process.pid ? EPIPE : f->of_other ? ENOMEM : stop_finder(f);
	if (f->of_other && f->process.pid)
		(void)stop_finder(f);
	return pp_fail_os(error, "cannot ask the process that finds files");
}

bool pp_isolated_finder_gone(const struct pp_isolated_finder *f)
{
	return !f->process.pid;
}
