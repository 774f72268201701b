/* control_channel.h - where a running tool takes commands from: the value of --control. */
#ifndef PP_CONTROL_CHANNEL_H
#define PP_CONTROL_CHANNEL_H

#include <stdbool.h>

/* Where commands come from, and where they are acknowledged; -1: nowhere. */
struct control {
	const char *value;            /* of the option; NULL: not given */
	int fd, ack;
	bool is_fifo;
};

const char *parse_control(void *control, const char *value);
/* Opens the fifos, or looks whether the descriptors are open.  Exits where they are not. */
void control_open(struct control *);

#endif
