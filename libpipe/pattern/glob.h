/* glob.h - shell patterns. */
#ifndef PP_GLOB_H
#define PP_GLOB_H

#include <stdbool.h>

/* A glob matches the whole text: * any bytes, ? one, [a-z] one of them, [!a-z] one other, \ takes
 * the next literally. */
bool pp_query_glob(const char *glob, const char *text);

#endif
