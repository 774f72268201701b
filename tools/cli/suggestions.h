/* suggestions.h - what a word that is refused was perhaps meant to be. */
#ifndef PP_SUGGESTIONS_H
#define PP_SUGGESTIONS_H

#include <stddef.h>

/*
 * `why`, the end of a sentence that refuses the list of names `value`, and after it "; did you mean
 * NAME?" if the first name in it that there is not is near to some that `name` gives: the i-th, NULL past
 * the last; or else `otherwise`.  A name in the list is of letters, digits, _ and -.  Valid until the
 * next call.
 */
const char *suggest_in_list(const char *why, const char *value, const char *(*name)(size_t i),
			    const char *otherwise);

/*
 * What to do where `option` of perf ("time", or "C" of a letter) is not one of the tool: "; ...", or "" if
 * there is nothing that would be known.
 */
const char *cure_of(const char *tool, const char *option);

#endif
