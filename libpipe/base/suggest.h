/* suggest.h - the names that were perhaps meant, where there is none as it was written. */
#ifndef PP_SUGGEST_H
#define PP_SUGGEST_H

#include <stddef.h>

enum { PP_NEAREST = 3, PP_NEAREST_NAME = 192 };
struct pp_nearest {                   /* all empty but `wanted` at first */
	const char *wanted;
	char names[PP_NEAREST][PP_NEAREST_NAME];
	size_t distance[PP_NEAREST];
};
/* Takes note of a name that there is, if it is near.  That `part` of it which is nearer, if any,
 * is what counts; NULL: it has none. */
void pp_nearest_consider(struct pp_nearest *, const char *name, const char *part);
/* "a, b, c", or nothing. */
void pp_nearest_list(const struct pp_nearest *, char *text, size_t size);

#endif
