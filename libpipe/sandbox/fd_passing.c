/* fd_passing.c - SCM_RIGHTS of unix(7). */
#include "sandbox/fd_passing.h"

#include <string.h>

void pp_pass(struct msghdr *m, union pp_passing *with, int fd)
{
	if (fd < 0)
		return;
	memset(with, 0, sizeof(*with));
	with->header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)), .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&with->header), &fd, sizeof(fd));
	m->msg_control = with;
	m->msg_controllen = sizeof(*with);
}

int pp_passed(struct msghdr *m)
{
	const struct cmsghdr *const sent = CMSG_FIRSTHDR(m);
	int fd;

	if (!sent || sent->cmsg_level != SOL_SOCKET || sent->cmsg_type != SCM_RIGHTS ||
	    sent->cmsg_len < CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(sent), sizeof(fd));
	return fd;
}
