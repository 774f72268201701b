/* log.c - lines for people who watch. */
#include "base/log.h"
#include "base/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say_line(void (*line)(void *arg, const char *text, enum pp_hint), void *arg, enum pp_hint hint,
		     const char *format, va_list args)
{
	char text[PATH_MAX + 256];

	if (!line)
		return;
	(void)vsnprintf(text, sizeof(text), format, args);
	line(arg, text, hint);
}

void pp_say(const struct pp_say *say, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(say->line, say->arg, PP_HINT_NONE, format, args);
	va_end(args);
}

void pp_say_hint(const struct pp_say *say, enum pp_hint hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(say->line, say->arg, hint, format, args);
	va_end(args);
}

void pp_say_lost(const struct pp_say *say, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(say->lost ? say->lost : say->line, say->arg, PP_HINT_NONE, format, args);
	va_end(args);
}

int pp_looked(const struct pp_say *say, const char *at, struct pp_error *error)
{
	char reason[128];

	if (errno != EIO && pp_lacking(errno))
		return pp_fail_os(error, "cannot read %s", at);
	if (errno == EIO)
		pp_say(say, "cannot read %s: %s", at, strerror_r(EIO, reason, sizeof(reason)));
	return 0;
}
