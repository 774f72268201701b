/* terminal_text.h - text in the cells of a terminal. */
#ifndef PP_TERMINAL_TEXT_H
#define PP_TERMINAL_TEXT_H

#include <stddef.h>

/* Writes text at a place of the screen, in at most `width` cells, and blanks after it: bytes that are no
 * text here as \xNN.  `style` is an attribute of curses. */
void cells_put(int y, int x, int width, int style, const char *text, size_t length);

#endif
