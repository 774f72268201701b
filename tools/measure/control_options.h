/* control_options.h - values of the options that say when measuring starts, ends, and who commands it. */
#ifndef PP_CONTROL_OPTIONS_H
#define PP_CONTROL_OPTIONS_H

#include <stdbool.h>

/* Where commands come from, and where they are acknowledged; -1: nowhere. */
struct control {
	const char *value;            /* of the option; NULL: not given */
	int fd, ack;
	bool is_fifo;
};

const char *parse_delay(void *ns, const char *value);           /* PP_DELAY_FOREVER: -1 */
const char *parse_duration(void *ns, const char *value);
const char *parse_most(void *u64, const char *value);
const char *parse_most_bytes(void *u64, const char *value);
const char *parse_control(void *control, const char *value);

/* Opens the fifos, or looks whether the descriptors are open.  Exits where they are not. */
void control_open(struct control *);

#endif
