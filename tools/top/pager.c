/* pager.c - a text of many lines on a screen. */
#define NCURSES_WIDECHAR 1
#include "top/pager.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "top/terminal_text.h"

static struct {
	char *text;
	char **lines;
	size_t count, first;
	size_t heaviest;
} pager;

/* The share at the start of a line; below 0: there is none. */
static double share_of(const char *line)
{
	char *end;
	const double share = strtod(line, &end);

	return end - line == 7 && strchr(line, '.') ? share : -1;
}

static void look_at(size_t line, size_t rows)
{
	const size_t last = pager.count > rows ? pager.count - rows : 0;

	pager.first = line > rows / 2 ? line - rows / 2 : 0;
	if (pager.first > last)
		pager.first = last;
}

void pager_open(char *text, size_t rows)
{
	double most = 0;

	pager_close();
	pager.text = text;
	for (char *line = text, *next; *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else
			next = line + strlen(line);
		pager.lines = cli_grow(pager.lines, pager.count + 1, sizeof(*pager.lines));
		pager.lines[pager.count] = line;
		if (share_of(line) > most) {
			most = share_of(line);
			pager.heaviest = pager.count;
		}
		pager.count++;
	}
	/* the head of the text stays, where all is in sight with it */
	if (pager.heaviest >= rows)
		look_at(pager.heaviest, rows);
}

bool pager_is_open(void)
{
	return pager.text;
}

void pager_close(void)
{
	free(pager.text);
	free(pager.lines);
	pager.text = NULL;
	pager.lines = NULL;
	pager.count = pager.first = pager.heaviest = 0;
}

static void move_text(ptrdiff_t by, size_t rows)
{
	const size_t last = pager.count > rows ? pager.count - rows : 0;
	const size_t far = (size_t)(by < 0 ? -by : by);

	if (by < 0)
		pager.first -= far < pager.first ? far : pager.first;
	else
		pager.first += far;
	if (pager.first > last)
		pager.first = last;
}

bool pager_key(bool function, wint_t key, size_t rows)
{
	const ptrdiff_t page = (ptrdiff_t)rows, all = (ptrdiff_t)pager.count;

	if (!function)
		return false;
	switch (key) {
	case KEY_UP:
	case KEY_DOWN:
		move_text(key == KEY_UP ? -1 : 1, rows);
		return true;
	case KEY_PPAGE:
	case KEY_NPAGE:
		move_text(key == KEY_PPAGE ? -page : page, rows);
		return true;
	case KEY_HOME:
	case KEY_END:
		move_text(key == KEY_HOME ? -all : all, rows);
		return true;
	}
	return false;
}

void pager_draw(int y, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		const size_t at = pager.first + i;
		const char *const line = at < pager.count ? pager.lines[at] : "";

		cells_put(y + (int)i, 0, COLS, at == pager.heaviest && at < pager.count ? A_BOLD : A_NORMAL,
			  line, strlen(line));
	}
}
