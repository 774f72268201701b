/* sized_options.c - takes options of callers who were compiled with an older or a newer header. */
#include "base/sized_options.h"

#include <string.h>

int pp_options_take(void *taken, size_t size, const void *given, struct pp_error *error)
{
	const unsigned char *const bytes = given;
	size_t has = 0;

	if (given)
		memcpy(&has, given, sizeof(has));
	if (given && has < sizeof(has))
		return pp_fail(error, PP_E_USE, "options do not begin with their own size");
	for (size_t i = size; i < has; i++)
		if (bytes[i])
			return pp_fail(error, PP_E_USE, "this library is older than an option");
	memset(taken, 0, size);
	if (given)
		memcpy(taken, given, has < size ? has : size);
	return 0;
}
