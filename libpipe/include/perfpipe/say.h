/* say.h - what is worth knowing but is not a failure: lines for people, passed to the caller. */
#ifndef PERFPIPE_SAY_H
#define PERFPIPE_SAY_H

#include <perfpipe/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `line` is called with one line of text, without a line feed, which is borrowed, and what would help;
 * NULL: it is dropped.  `lost` is called instead where the result lacks something because of what a file or
 * its owner did, which also those want to know who want no warnings; NULL: `line` is.
 */
struct pp_say {
	void (*line)(void *arg, const char *text, enum pp_hint);
	void *arg;
	void (*lost)(void *arg, const char *text, enum pp_hint);
};

#ifdef __cplusplus
}
#endif

#endif
