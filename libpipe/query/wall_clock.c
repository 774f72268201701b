/* wall_clock.c - times of the wall clock as people write them. */
#include <time.h>

#include "query/query.h"

static const uint64_t SECOND = 1000000000;

/* ".5" in ns, as far as there are nine digits; *text moves past it. */
static uint64_t fraction(const char **text)
{
	uint64_t ns = 0, unit = SECOND;

	if (**text != '.')
		return 0;
	for (++*text; **text >= '0' && **text <= '9'; ++*text) {
		unit /= 10;
		ns += unit * (uint64_t)(**text - '0');
	}
	return ns;
}

/* "Z", "+02:00" or "+0200": seconds east of Greenwich. */
static bool zone(const char *text, long *east)
{
	struct tm offset = { .tm_sec = 0 };
	const char *end;

	*east = 0;
	if (!strcmp(text, "Z"))
		return true;
	if (*text != '+' && *text != '-')
		return false;
	end = strptime(text + 1, strchr(text, ':') ? "%H:%M" : "%H%M", &offset);
	*east = (offset.tm_hour * 60L + offset.tm_min) * (*text == '-' ? -60 : 60);
	return end && !*end;
}

static bool since_epoch(const char *text, uint64_t *ns)
{
	uint64_t seconds = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		seconds = seconds * 10 + (uint64_t)(*text - '0');
		if (seconds > UINT64_MAX / SECOND - 1)
			return false;
	}
	*ns = seconds * SECOND + fraction(&text);
	return !*text;
}

bool pp_query_wall_clock(const char *text, uint64_t *ns)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *rest;
	uint64_t below = 0;
	time_t seconds;
	long east = 0;

	if (*text == '@')
		return since_epoch(text + 1, ns);
	rest = strptime(text, "%Y-%m-%d", &tm);
	if (rest && (*rest == 'T' || *rest == ' '))
		rest = strptime(rest + 1, "%H:%M", &tm);
	if (rest && *rest == ':') {
		rest = strptime(rest + 1, "%S", &tm);
		below = rest ? fraction(&rest) : 0;
	}
	if (!rest || (*rest && !zone(rest, &east)))
		return false;
	seconds = *rest ? timegm(&tm) - east : mktime(&tm);
	if (seconds < 0 || (uint64_t)seconds > UINT64_MAX / SECOND - 1)
		return false;
	*ns = (uint64_t)seconds * SECOND + below;
	return true;
}
