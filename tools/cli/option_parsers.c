/* option_parsers.c - what the arguments of options say: numbers, sizes, times, lists. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

const char *cli_switch(void *target, const char *value)
{
	(void)value;
	*(bool *)target = true;
	return NULL;
}

const char *cli_string(void *target, const char *value)
{
	*(const char **)target = value;
	return NULL;
}

const char *cli_folder(void *target, const char *value)
{
	return cli_string(target, value);
}

/* Reads decimal digits and steps over them; false where there are none, or too many. */
static bool digits(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	}
	if (p == *at)
		return false;
	*at = p;
	*number = n;
	return true;
}

/* Why digits() read none of this: there are none, or too many. */
static const char *no_digits(const char *value, const char *wrong)
{
	return *value >= '0' && *value <= '9' ? "is too large" : wrong;
}

const char *cli_u64(void *target, const char *value)
{
	const char *at = value;
	uint64_t number;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		const size_t length = strlen(at + 2);

		if (!length || strspn(at + 2, "0123456789abcdefABCDEF") != length)
			return "is not a number";
		if (length > 16)
			return "is too large";
		number = strtoull(at + 2, NULL, 16);
	} else if (!digits(&at, &number)) {
		return no_digits(at, "is not a number");
	} else if (*at) {
		return "is not a number";
	}
	*(uint64_t *)target = number;
	return NULL;
}

const char *cli_size(void *target, const char *value)
{
	static const char units[] = "kmgt";
	const char *at = value;
	uint64_t number;

	if (!digits(&at, &number))
		return no_digits(at, "is not a size such as 4096, 64k, 256M or 2G");
	if (*at) {
		const char *const unit = strchr(units, *at | 0x20);
		const unsigned int shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;

		if (!unit || at[1])
			return "is not a size such as 4096, 64k, 256M or 2G";
		if (number > UINT64_MAX >> shift)
			return "is too large";
		number <<= shift;
	}
	*(uint64_t *)target = number;
	return NULL;
}

const char *cli_time(void *target, const char *value)
{
	static const char wrong[] = "is not a time in seconds, or in ns, us or ms";
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	const char *at = value, *point;
	uint64_t whole = 0, ns = 0, unit = 0;
	const bool begun = digits(&at, &whole);

	if (!begun && *at >= '0' && *at <= '9')
		return "is too large";
	point = *at == '.' ? at++ : at;
	at += strspn(at, "0123456789");
	if (!begun && at - point < 2)
		return wrong;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		unit = strcmp(at, units[i].name) ? unit : units[i].ns;
	if (!unit)
		return wrong;
	if (whole > UINT64_MAX / unit - 1)
		return "is too late";
	whole *= unit;
	while (point < at && ++point < at) {
		unit /= 10;
		if (!unit)
			return "is finer than a nanosecond";
		ns += (uint64_t)(*point - '0') * unit;
	}
	*(uint64_t *)target = whole + ns;
	return NULL;
}

const char *cli_add(void *target, const char *value)
{
	struct cli_list *const list = target;

	list->items = cli_grow(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = value;
	return NULL;
}

const char *cli_key_value(void *target, const char *value)
{
	const char *const equals = strchr(value, '=');

	return equals && equals > value ? cli_add(target, value) : "is not KEY=VALUE";
}

const char *cli_percent(void *target, const char *value)
{
	char *end;
	const double percent = strtod(value, &end);

	if (end != value && *end == '%')
		end++;
	if (end == value || *end || !(percent >= 0 && percent <= 1e6))
		return "is not a number of per cent, 0 or more";
	*(double *)target = percent;
	return NULL;
}

const char *cli_ranges(void *target, const char *value)
{
	struct cli_ranges *const ranges = target;
	const char *at = value;

	for (;;) {
		uint64_t first, last;

		if (!digits(&at, &first))
			break;
		last = first;
		if (*at == '-') {
			at++;
			if (!digits(&at, &last))
				break;
		}
		if (last < first || last > UINT32_MAX)
			break;
		ranges->items = cli_grow(ranges->items, ranges->count + 1, sizeof(*ranges->items));
		ranges->items[ranges->count++] = (struct cli_range){
			.first = (uint32_t)first, .last = (uint32_t)last
		};
		if (!*at)
			return NULL;
		if (*at++ != ',')
			break;
	}
	return "is not a list of numbers such as 0-3,8";
}

const char *cli_zstd_level(void *target, const char *value)
{
	char *end;
	long n = 1;

	if (value) {
		n = strtol(value, &end, 10);
		if (end == value || *end || n < 1 || n > 22)
			return "is not a level from 1 to 22";
	}
	*(int *)target = (int)n;
	return NULL;
}

bool cli_ranges_have(const struct cli_ranges *ranges, uint32_t number)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (number >= ranges->items[i].first && number <= ranges->items[i].last)
			return true;
	}
	return false;
}

const char *cli_int(const struct option_spec *spec, const char *value)
{
	static char range[64];
	const char *at = value;
	uint64_t size = 0;
	bool negative;
	int64_t number;

	if (!value)
		return "needs a number";
	negative = *at == '-';
	at += negative;
	if (!at[strspn(at, "0123456789")] && *at && !digits(&at, &size)) {
		size = UINT64_MAX;
		at += strlen(at);
	}
	if (*at || at == value + negative)
		return "is not a number";
	number = size > INT32_MAX ? INT32_MAX : (int64_t)size;
	if (negative)
		number = -number;
	if (size > INT32_MAX || number < spec->low || number > spec->high) {
		snprintf(range, sizeof(range), "is not between %d and %d", spec->low, spec->high);
		return range;
	}
	*(int *)spec->target = (int)number;
	return NULL;
}
