/* timed_names.h - names of files that have a time in them, and others where such a name is taken. */
#ifndef PP_TIMED_NAMES_H
#define PP_TIMED_NAMES_H

#include <stdint.h>
#include <time.h>

enum { SAME_NAMES = 10000 };          /* how many files of one name there are at most */

/* How a pattern is read. */
struct timed_pattern {
	const char *text;             /* for strftime(3), but for what follows */
	const char *numbers;          /* letters that give the number: "u" makes it %u, %03u */
	const char *key;              /* in the place of {}; NULL: {} is itself */
};

/* The name at a time, s since 1970, which is shown as TZ says; to be freed.  NULL and errno: ENOMEM, or
 * ENAMETOOLONG, where it has 4096 bytes or none, or EOVERFLOW: there is no such year. */
char *timed_name(const struct timed_pattern *, time_t when, uint64_t number);
/* The name of the n-th file of that name: NAME.pipe, NAME-1.pipe, NAME-2.pipe; to be freed.  NULL: out of
 * memory. */
char *timed_name_nth(const char *name, unsigned n);
/* The length of the conversion of a number at a %: "%u", "%03u"; 0: another one is there. */
size_t timed_conversion(const char *at, const char *numbers);

#endif
