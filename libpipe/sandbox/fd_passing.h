/* fd_passing.h - a descriptor that goes through a socket along with bytes of a message. */
#ifndef PP_FD_PASSING_H
#define PP_FD_PASSING_H

#include <sys/socket.h>

/* Room for it, beside the message. */
union pp_passing { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; };

/* Puts `fd`, unless it is negative, into a message that will be sent. */
void pp_pass(struct msghdr *, union pp_passing *, int fd);
/* The descriptor of a message that was received into such room, or -1. */
int pp_passed(struct msghdr *);

#endif
