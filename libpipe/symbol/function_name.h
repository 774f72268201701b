/* function_name.h - the names of functions, shortened: one rule for all that shorten them. */
#ifndef FUNCTION_NAME_H
#define FUNCTION_NAME_H

#include <stddef.h>

/* How much of a function's name counts: up to its parameters, which are the last brackets, at its end.
 * Others belong to the name: "(anonymous namespace)", "operator()", and types in it. */
size_t pp_name_without_parameters(const char *name);
/* Of a name that a compiler at run time made, which ends in types of results and in levels: up to the
 * first bracket. */
size_t pp_name_without_signature(const char *name);

#endif
