/* prompt.h - a line that asks for an expression. */
#ifndef PROMPT_H
#define PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Asks for what a label names; begins with this text; NULL: with nothing. */
void prompt_open(const char *label, const char *text);
bool prompt_is_open(void);
void prompt_close(void);
/* Takes a key, or one that has no character.  What was typed once it is asked for, to be freed; NULL: not
 * yet, or given up (then it is closed). */
char *prompt_key(bool function, wint_t key);
/* Says what is wrong with it, at this byte; SIZE_MAX: in all of it. */
void prompt_refuse(const char *why, size_t at);
void prompt_draw(int y);

#endif
