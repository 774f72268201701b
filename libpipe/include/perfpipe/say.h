/* say.h - what is worth knowing but is not a failure: lines for people, passed to the caller. */
#ifndef PERFPIPE_SAY_H
#define PERFPIPE_SAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* `line` is called with one line of text, without a line feed, which is borrowed; NULL: it is
 * dropped. */
struct pp_say {
	void (*line)(void *arg, const char *text);
	void *arg;
};

#ifdef __cplusplus
}
#endif

#endif
