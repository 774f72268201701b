/*
 * deputy.c - a process that does what a stage has given up, and the stage's side of it: questions and answers
 * are messages of one socket.
 */
#include "base/procfs.h"
#include "sandbox/deputy.h"
#include "sandbox/fd_passing.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* What goes before the text of an answer. */
struct answer_head {
	int number;
	int passes;                   /* a descriptor comes with it */
};

/* ---- the deputy ---- */

/* Sends it, and closes its descriptor, of which the stage then has the only one. */
static bool send_answer(int socket, struct pp_deputy_answer *answer)
{
	struct answer_head head = { answer->number, answer->fd >= 0 };
	struct iovec parts[] = { { &head, sizeof(head) }, { answer->text, answer->length } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	union pp_passing passing;
	bool sent;

	pp_pass(&message, &passing, answer->fd);
	sent = sendmsg(socket, &message, MSG_NOSIGNAL) > 0;
	if (answer->fd >= 0)
		(void)close(answer->fd);
	return sent;
}

/* Only the stage's end ends it: signals of the terminal wait for ever. */
static _Noreturn void serve_stage(int socket, pp_deputy_fn *act, void *arg)
{
	static struct pp_deputy_answer answer;
	static char question[PP_DEPUTY_MOST];
	sigset_t all;
	ssize_t size;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	while ((size = recv(socket, question, sizeof(question), 0)) > 0 || (size < 0 && errno == EINTR)) {
		if (size < 0)
			continue;
		answer.number = 0;
		answer.fd = -1;
		answer.length = 0;
		act(arg, question, (size_t)size, &answer);
		if (!send_answer(socket, &answer))
			break;
	}
	_exit(0);
}

/* ---- who asks it ---- */

struct pp_deputy *pp_deputy_start(pp_deputy_fn *act, void *arg, struct pp_error *error)
{
	struct pp_deputy *const d = calloc(1, sizeof(*d));
	int got;

	if (!d) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	got = pp_helper_start(&d->process, SOCK_SEQPACKET);
	if (!got)
		return d;
	if (got > 0)
		serve_stage(d->process.socket, act, arg);
	(void)pp_fail_os(error, "cannot start a process that opens files");
	free(d);
	return NULL;
}

static bool send_question(int socket, const void *question, size_t size)
{
	struct iovec part = { (void *)(uintptr_t)question, size };
	const struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent > 0;
}

int pp_deputy_ask(struct pp_deputy *d, const void *question, size_t size, struct pp_deputy_answer *answer)
{
	struct answer_head head;
	struct iovec parts[] = { { &head, sizeof(head) }, { answer->text, sizeof(answer->text) } };
	union pp_passing passing;
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2, .msg_control = &passing,
				  .msg_controllen = sizeof(passing) };
	ssize_t got;

	if (!send_question(d->process.socket, question, size))
		return -1;
	do
		got = recvmsg(d->process.socket, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)sizeof(head)) {
		errno = got < 0 ? errno : ESRCH;
		return -1;
	}
	answer->number = head.number;
	answer->length = (size_t)got - sizeof(head);
	answer->fd = pp_passed(&message);
	if (!head.passes || answer->fd >= 0)
		return 0;
	/* the kernel drops a descriptor without an error where this process has as many as it may */
	errno = EMFILE;
	return -1;
}

void pp_deputy_stop(struct pp_deputy *d)
{
	if (!d)
		return;
	if (d->reads)
		pp_files_open_by(NULL, NULL);
	(void)pp_helper_stop(&d->process);
	free(d);
}
