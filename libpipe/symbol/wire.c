/* wire.c - messages between a process and its helper: whole ones, of bounded size, with a descriptor;
 * what they say is left to both. */
#include "symbol/helper.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 1 << 20 };              /* bytes of a message */

struct head { uint32_t kind, size; };

union control { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; };

/* Takes what was sent off the parts. */
static void advance(struct msghdr *m, size_t done)
{
	while (m->msg_iovlen && done >= m->msg_iov->iov_len) {
		done -= m->msg_iov->iov_len;
		m->msg_iov++;
		m->msg_iovlen--;
	}
	if (m->msg_iovlen) {
		m->msg_iov->iov_base = (char *)m->msg_iov->iov_base + done;
		m->msg_iov->iov_len -= done;
	}
	m->msg_control = NULL;
	m->msg_controllen = 0;
}

int pp_wire_send(int socket, enum pp_wire kind, const struct pp_wire_part parts[PP_WIRE_PARTS], int fd)
{
	struct head head = { .kind = kind };
	union control control = { { 0 } };
	struct iovec pieces[1 + PP_WIRE_PARTS] = { { &head, sizeof(head) } };
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 1 };

	for (size_t i = 0; i < PP_WIRE_PARTS && parts[i].size; i++) {
		pieces[message.msg_iovlen++] = (struct iovec){ (void *)(uintptr_t)parts[i].data,
							       parts[i].size };
		head.size += (uint32_t)parts[i].size;
	}
	if (fd >= 0) {
		control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						   .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	while (message.msg_iovlen) {
		const ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);

		if (n >= 0)
			advance(&message, (size_t)n);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

/* 1; 0: the end, or a failure. */
static int receive(int socket, void *to, size_t size, int *fd)
{
	union control control;
	struct iovec piece = { to, size };

	while (piece.iov_len) {
		struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
					  .msg_controllen = sizeof(control) };
		const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
		const struct cmsghdr *const sent = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

		if (sent && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS) {
			if (*fd >= 0)
				close(*fd);
			memcpy(fd, CMSG_DATA(sent), sizeof(*fd));
		}
		if (n > 0) {
			piece.iov_base = (char *)piece.iov_base + n;
			piece.iov_len -= (size_t)n;
		} else if (!n || errno != EINTR) {
			return 0;
		}
	}
	return 1;
}

int pp_wire_receive(int socket, uint32_t *kind, struct pp_buffer *to, int *fd)
{
	struct head head;

	*fd = -1;
	to->size = 0;
	if (!receive(socket, &head, sizeof(head), fd) || head.size > MOST)
		return 0;
	if (!pp_buffer_room(to, head.size + 1, NULL))
		return -1;
	if (!receive(socket, to->data, head.size, fd))
		return 0;
	to->size = head.size;
	to->data[to->size] = '\0';
	*kind = head.kind;
	return 1;
}

const char *pp_wire_text(const struct pp_buffer *from, size_t *at)
{
	const char *const text = (const char *)from->data + *at;

	if (*at >= from->size)
		return NULL;
	*at += strlen(text) + 1;
	return *at <= from->size ? text : NULL;
}
