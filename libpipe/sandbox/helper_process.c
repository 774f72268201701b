/* helper_process.c - starts a process with a socket to it, and ends it. */
#include "sandbox/helper_process.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int pp_helper_start(struct pp_helper *h, int type)
{
	int ends[2], os;

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends))
		return -1;
	h->pid = fork();
	if (!h->pid) {
		/* while this process had it open, the end of the other one would go unseen */
		(void)close(ends[0]);
		h->socket = ends[1];
		return 1;
	}
	os = errno;
	(void)close(ends[1]);
	h->socket = ends[0];
	if (h->pid > 0)
		return 0;
	(void)close(ends[0]);
	*h = (struct pp_helper){ .pid = 0 };
	errno = os;
	return -1;
}

void pp_helper_leave(struct pp_helper *h)
{
	(void)close(h->socket);
	h->pid = 0;
}

int pp_helper_stop(struct pp_helper *h)
{
	const pid_t pid = h->pid;
	int status = -1;

	pp_helper_leave(h);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int pp_helper_errno(int status)
{
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}
