/* log.h - the other end of <perfpipe/say.h>: making the lines. */
#ifndef PP_LOG_H
#define PP_LOG_H

#include <perfpipe/error.h>
#include <perfpipe/say.h>

/* Says a line, by printf rules. */
void pp_say(const struct pp_say *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and what would help. */
void pp_say_hint(const struct pp_say *, enum pp_hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of what is lost: to ->lost. */
void pp_say_lost(const struct pp_say *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * After a look at `at`, a part of this machine, that began with errno 0: what is not there, or not
 * for us to see, is left out; an I/O error is said; -1 and *error where memory or descriptors lack.
 */
int pp_looked(const struct pp_say *, const char *at, struct pp_error *);

#endif
