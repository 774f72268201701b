/*
 * regex.h - extended regular expressions of POSIX, of which only is asked whether they match.  A match takes
 * time in proportion to the text, times the size of the pattern at worst, whatever the two are.
 */
#ifndef PP_REGEX_H
#define PP_REGEX_H

#include <stdbool.h>

struct pp_regex;

/*
 * Compiles a pattern for bytes: the C locale's.  Beside POSIX it knows \w \W \s \S \b \B \< \> \` \' as
 * the C library does, but no back-references.  NULL: *why says what is wrong with the pattern, or is
 * NULL where there is no memory.
 */
struct pp_regex *pp_regex_new(const char *pattern, const char **why);
void pp_regex_free(struct pp_regex *);          /* NULL is fine */
/* Whether it matches anywhere in a text.  Cannot fail; keeps what it finds out for the next call. */
bool pp_regex_match(struct pp_regex *, const char *text);

#endif
