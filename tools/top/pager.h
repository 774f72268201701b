/* pager.h - a text of many lines on a screen: the lines of a function. */
#ifndef PP_PAGER_H
#define PP_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Shows a text, which it frees, with the line in sight that has the largest share at its start. */
void pager_open(char *text, size_t rows);
bool pager_is_open(void);
void pager_close(void);
/* Whether a key moved the text, which has so many rows. */
bool pager_key(bool function, wint_t key, size_t rows);
void pager_draw(int y, size_t rows);

#endif
