/* completion_values.h - what may be given for the argument of an option, for the shells' completions. */
#ifndef PP_COMPLETION_VALUES_H
#define PP_COMPLETION_VALUES_H

/*
 * Prints the values of what an option table calls `arg`, such as EVENT or TYPES, a line each: the
 * value, and where there is more to say of it a tab and that.  Nothing for a name without a list.
 */
void values_print(const char *arg);

#endif
