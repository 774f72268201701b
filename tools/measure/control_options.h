/* control_options.h - values of the options that say when measuring starts and ends. */
#ifndef PP_CONTROL_OPTIONS_H
#define PP_CONTROL_OPTIONS_H

const char *parse_delay(void *ns, const char *value);           /* PP_DELAY_FOREVER: -1 */
const char *parse_duration(void *ns, const char *value);
const char *parse_most(void *u64, const char *value);
const char *parse_most_bytes(void *u64, const char *value);

#endif
