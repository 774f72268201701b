/* ring_control.h - commands that pp-ring takes while it runs. */
#ifndef PP_RING_CONTROL_H
#define PP_RING_CONTROL_H

#include <stddef.h>

#include "cli/control_channel.h"

enum ring_command { RING_NO_COMMAND, RING_DUMP, RING_STATUS, RING_PING };

struct ring_control {
	struct control channel;
	char line[256];               /* the beginning of the next one */
	size_t n;
};

/* The value of --control: a fifo, and maybe another one for answers. */
const char *parse_ring_control(void *ring_control, const char *value);
/* The next command that has arrived whole; unknown ones are reported.  Does not wait. */
enum ring_command ring_control_next(struct ring_control *);
/* Says that the command was taken, as perf record does, or, with `text`, what it asked for: a line; on
 * standard error where there is no fifo for that.  Where there is no room it is not said. */
void ring_control_answer(const struct ring_control *, const char *text);

#endif
