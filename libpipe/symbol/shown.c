/* shown.c - cuts names that are too long to be shown. */
#include "symbol/shown.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void pp_shown_cut(char to[PP_SHOWN_ROOM], const char *name, size_t length)
{
	size_t n = PP_SHOWN_MOST < length ? PP_SHOWN_MOST : length;

	/* not within a character of UTF-8 */
	while (n < length && n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;
	memcpy(to, name, n);
	to[n] = 0;
	if (n < length)
		(void)snprintf(to + n, PP_SHOWN_ROOM - n, "...#%08x", (unsigned)XXH3_64bits(name, length));
}
