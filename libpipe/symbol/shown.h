/* shown.h - how much of a name is shown: what reads a stream prints a name for each sample, and one that has
 * 50,000 bytes, 128 times inlined into itself, is 6 MB of text then. */
#ifndef SYMBOL_SHOWN_H
#define SYMBOL_SHOWN_H

#include <stddef.h>

enum { PP_SHOWN_MOST = 4096, PP_SHOWN_ROOM = PP_SHOWN_MOST + 16 };
/* The beginning of a name that is longer, "..." and a sum of all of it, so that names which begin alike stay
 * apart: "std::tuple<...#1f0c9a3e". */
void pp_shown_cut(char to[PP_SHOWN_ROOM], const char *name, size_t length);

#endif
