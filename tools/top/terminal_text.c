/* terminal_text.c - text in the cells of a terminal: it cannot move the cursor, nor leave its room. */
#define NCURSES_WIDECHAR 1
#include "top/terminal_text.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* The next character of a text, as it is shown, and how many cells it takes; how many bytes it was. */
static size_t next(const char *text, size_t length, wchar_t shown[8], int *cells)
{
	mbstate_t state = { 0 };
	wchar_t c;
	const size_t n = mbrtowc(&c, text, length, &state);
	char odd[8];

	/* also characters that take no cell: some of them turn the direction of what follows */
	*cells = n && n <= length ? wcwidth(c) : 0;
	if (*cells > 0) {
		shown[0] = c;
		shown[1] = L'\0';
		return n;
	}
	*cells = snprintf(odd, sizeof(odd), "\\x%02x", (unsigned)(unsigned char)*text);
	for (int i = 0; i <= *cells; i++)
		shown[i] = (wchar_t)odd[i];
	return 1;
}

void cells_put(int y, int x, int width, int style, const char *text, size_t length)
{
	int used = 0;

	if (width <= 0 || move(y, x) == ERR)
		return;
	attrset(style);
	while (length) {
		wchar_t shown[8];
		int cells;
		const size_t n = next(text, length, shown, &cells);

		if (used + cells > width)
			break;
		addwstr(shown);
		used += cells;
		text += n;
		length -= n;
	}
	for (; used < width; used++)
		addch(' ');
	attrset(A_NORMAL);
}
