/* say.c - lines for people who watch; what is shown of them, and where, is left to the caller. */
#include "base/say.h"
#include "base/procfs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pp_say(const struct pp_say *say, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!say->line)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say->line(say->arg, text);
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
