/* control_options.c - values of the options that say when measuring starts and ends. */
#include <string.h>

#include "measure/control_options.h"
#include "cli/cli.h"
#include <perfpipe/perfpipe.h>

const char *parse_delay(void *target, const char *value)
{
	uint64_t *const ns = target;
	const char *wrong;

	if (!strcmp(value, "-1")) {
		*ns = PP_DELAY_FOREVER;
		return NULL;
	}
	wrong = cli_u64(ns, value);
	if (wrong)
		return wrong;
	if (*ns > UINT32_MAX)
		return "is more than 49 days";
	*ns *= 1000000;
	return NULL;
}

static const char *not_zero(const char *wrong, uint64_t value)
{
	if (wrong)
		return wrong;
	return value ? NULL : "would end at once: use more than 0";
}

const char *parse_duration(void *target, const char *value)
{
	const char *const wrong = cli_time(target, value);

	return not_zero(wrong, *(uint64_t *)target);
}

const char *parse_most(void *target, const char *value)
{
	const char *const wrong = cli_u64(target, value);

	return not_zero(wrong, *(uint64_t *)target);
}

const char *parse_most_bytes(void *target, const char *value)
{
	const char *const wrong = cli_size(target, value);

	return not_zero(wrong, *(uint64_t *)target);
}
