/*
 * ipc_files.c - who reads files is in one process, who finds them in another, which hands them over as
 * descriptors; what is in them, also to tell whether it is the file that is wanted, only the first one
 * looks at.
 */
#include "lookup/isolated.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/sandbox.h"
#include "base/log.h"
#include "elf/build_id.h"
#include "image/decompress.h"

enum { ANSWER_ROOM = 16 << 10 };       /* more than a path and a message */

/* ---- Who reads ---- */

/* The build-id of a file that may be the one that is wanted. */
static int tell_identity(int socket, int fd)
{
	struct pp_ipc_identity identity = { .result = -1, .os = EBADF };

	if (fd >= 0) {
		identity.result = pp_unpacked_build_id(fd, &identity.id);
		identity.os = errno;
		(void)close(fd);
	}
	return pp_ipc_send(socket, PP_IPC_IDENTITY, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &identity, sizeof(identity) } }, -1);
}

/* Takes what was found: its result; *sound: it makes sense. */
static int take_found(struct pp_buffer *in, struct pp_found_file *found, bool *sound, struct pp_error *error)
{
	struct pp_ipc_found answer;
	size_t at = sizeof(answer);
	const char *const detail = pp_ipc_text(in, &at), *const path = pp_ipc_text(in, &at);

	*sound = path != NULL;
	if (!*sound)
		return -1;
	memcpy(&answer, in->data, sizeof(answer));
	found->id = answer.id;
	found->path = strdup(path);
	*sound = answer.id.size <= sizeof(answer.id.bytes) && answer.result <= PP_FILE_CHANGED &&
		 (answer.result != PP_FILE_FOUND || found->fd >= 0) &&
		 (answer.result >= 0 || pp_ipc_error(&answer.failure, detail, error));
	if (*sound && answer.result >= 0 && !found->path)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return answer.result;
}

static int gone(struct pp_error *error)
{
	errno = EPIPE;
	return pp_fail_os(error, "cannot ask the process that finds files");
}

int pp_ipc_ask(struct pp_ipc_source *from, struct pp_buffer *in, const struct pp_say *say,
	       const struct pp_question *q, struct pp_found_file *found, struct pp_error *error)
{
	const struct pp_ipc_question question = {
		.what = (uint32_t)q->what, .crc = q->crc, .pid = q->wanted.pid, .maj = q->wanted.maj,
		.min = q->wanted.min, .ino = q->wanted.ino,
		.ino_generation = q->wanted.ino_generation, .id_of_name = q->wanted.id_of_name,
		.recorded_by = q->wanted.recorded_by, .id = q->wanted.id, .of_id = q->of.id,
	};
	const char *const path = q->wanted.path ? q->wanted.path : "";
	const char *const of = q->of.path ? q->of.path : "";
	int result;
	bool sound;

	*found = (struct pp_found_file){ .fd = -1 };
	/* once it is asked, each message has to be answered in its turn */
	if (!pp_buffer_room(in, ANSWER_ROOM, NULL))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (pp_ipc_send(from->socket, PP_IPC_QUESTION, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &question, sizeof(question) }, { path, strlen(path) + 1 },
			{ of, strlen(of) + 1 } }, -1))
		return gone(error);
	for (;;) {
		uint32_t kind;
		const int got = pp_ipc_receive(from, &kind, in, &found->fd);

		if (got < 0)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (got && kind == PP_IPC_FOUND)
			break;
		if (got && kind == PP_IPC_SAID && in->size)
			pp_say(say, "%s", (const char *)in->data);
		else if (!got || kind != PP_IPC_IDENTIFY || tell_identity(from->socket, found->fd))
			return gone(error);
		found->fd = -1;
	}
	result = take_found(in, found, &sound, error);
	if (!sound)
		result = gone(error);
	if (result != PP_FILE_FOUND)
		pp_found_close(found);
	return result;
}

/* ---- Who finds ---- */

int pp_ipc_identify(struct pp_ipc_source *from, int fd, struct pp_id *id)
{
	struct pp_ipc_identity identity = { .result = -1, .os = EPIPE };
	struct pp_buffer in = { .size = 0 };
	uint32_t kind;
	int sent;

	if (!pp_buffer_room(&in, ANSWER_ROOM, NULL))
		identity.os = ENOMEM;
	else if (!pp_ipc_send(from->socket, PP_IPC_IDENTIFY, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ NULL, 0 } }, fd)) {
		const int got = pp_ipc_receive(from, &kind, &in, &sent);

		if (sent >= 0)
			(void)close(sent);
		if (got < 0)
			identity.os = ENOMEM;
		else if (got && kind == PP_IPC_IDENTITY && in.size == sizeof(identity))
			memcpy(&identity, in.data, sizeof(identity));
	}
	pp_buffer_free(&in);
	*id = identity.id;
	if (id->size > sizeof(id->bytes) || (identity.result == PP_ELF_FOUND) != (id->size > 0))
		*id = (struct pp_id){ .size = 0 };
	errno = identity.os;
	return identity.result < 0 ? -1 : id->size ? PP_ELF_FOUND : PP_ELF_NONE;
}

int pp_ipc_answer(struct pp_ipc_source *to, const struct pp_buffer *in, struct pp_finder *finder,
		  pp_owner_fn *may, void *arg)
{
	struct pp_ipc_question from;
	struct pp_question q = { .of.fd = -1 };
	struct pp_ipc_found answer = { .result = 0 };
	struct pp_error error = { .code = PP_OK };
	struct pp_found_file found;
	struct stat st;
	size_t at = sizeof(from);
	const char *path;
	int failed;

	if (in->size < sizeof(from))
		return -1;
	memcpy(&from, in->data, sizeof(from));
	q.wanted.path = pp_ipc_text(in, &at);
	path = q.wanted.path ? pp_ipc_text(in, &at) : NULL;
	if (!path || from.what > PP_ASK_SOURCE || from.id.size > sizeof(from.id.bytes) ||
	    from.of_id.size > sizeof(from.of_id.bytes))
		return -1;
	q.what = from.what;
	q.crc = from.crc;
	q.wanted.pid = from.pid;
	q.wanted.maj = from.maj;
	q.wanted.min = from.min;
	q.wanted.ino = from.ino;
	q.wanted.ino_generation = from.ino_generation;
	q.wanted.recorded_by = from.recorded_by;
	q.wanted.id_of_name = from.id_of_name;
	q.wanted.id = from.id;
	q.of.id = from.of_id;
	q.of.path = (char *)(uintptr_t)path;
	answer.result = pp_finder_answer(finder, &q, &found, &error);
	if (may && found.fd >= 0 && !fstat(found.fd, &st) && !may(arg, st.st_uid)) {
		pp_found_close(&found);
		answer.result = PP_FILE_MISSING;
	}
	answer.failure = pp_ipc_failure(&error);
	answer.id = found.id;
	path = found.path ? found.path : "";
	failed = pp_ipc_send(to->socket, PP_IPC_FOUND, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &answer, sizeof(answer) }, { error.detail, strlen(error.detail) + 1 },
			{ path, strlen(path) + 1 } }, found.fd);
	pp_found_close(&found);
	return failed;
}

/* ---- A process of its own ---- */

void pp_isolated_finder_ready(int socket, int os)
{
	const uint32_t why = (uint32_t)os;

	if (pp_ipc_send(socket, PP_IPC_READY, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &why, sizeof(why) } }, -1) && !os)
		_exit(ENOMEM);
}

void pp_isolated_begin(int socket, const char *name, bool speaks)
{
	int os;

	/* signals of the terminal, and to all of a job, are for who started it: its end is ours */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGUSR1, SIG_IGN);
	/* what it does about these is not for us to do */
	(void)signal(SIGQUIT, SIG_DFL);
	(void)signal(SIGALRM, SIG_IGN);
	(void)signal(SIGSEGV, SIG_DFL);
	(void)signal(SIGBUS, SIG_DFL);
	(void)signal(SIGPROF, SIG_DFL);
	(void)prctl(PR_SET_NAME, name);
	if (socket != PP_REMOTE_SOCKET && dup2(socket, PP_REMOTE_SOCKET) < 0) {
		os = errno;
		/* who asks it may not be who waits for its end */
		if (speaks)
			pp_isolated_finder_ready(socket, os);
		_exit(os);
	}
	if (speaks)
		(void)close(STDOUT_FILENO);
	closefrom(speaks || PP_SANITIZED ? STDERR_FILENO + 1 : PP_REMOTE_SOCKET + 1);
}
