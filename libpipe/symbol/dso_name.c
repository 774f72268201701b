/* dso_name.c - finds the names of modules in the paths of their files. */
#include "symbol/dso_name.h"

#include "format/format.h"
#include "image/kernel_symbols.h"

#include <stdio.h>
#include <string.h>

/* ".ko", and how it may be compressed. */
static bool is_module_file(const char *base)
{
	static const char *const packed[] = { "", ".gz", ".xz", ".zst" };
	const char *const end = strstr(base, ".ko");

	for (unsigned i = 0; end && i < sizeof(packed) / sizeof(*packed); i++)
		if (!strcmp(end + 3, packed[i]))
			return true;
	return false;
}

bool pp_dso_module(const char *dso, unsigned mode, char shown[PP_DSO_MODULE_ROOM])
{
	const char *const slash = dso ? strrchr(dso, '/') : NULL;
	char name[PP_DSO_MODULE_ROOM - 2];

	if (!dso || *dso == '[' || (mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL) ||
	    !is_module_file(slash ? slash + 1 : dso) || !pp_module_name(dso, name, sizeof(name)))
		return false;
	snprintf(shown, PP_DSO_MODULE_ROOM, "[%s]", name);
	return true;
}
