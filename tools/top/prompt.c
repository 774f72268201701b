/* prompt.c - a line that asks for an expression. */
#define NCURSES_WIDECHAR 1
#include "top/prompt.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "top/terminal_text.h"

enum { ESCAPE = 27, DELETE = 127, CLEAR = 'U' & 31, BACK = 'H' & 31, MOST = 4096 };

static struct {
	bool open;
	const char *label;            /* what is asked for */
	char text[MOST];
	size_t length;
	char why[256];
} prompt;

void prompt_open(const char *label, const char *text)
{
	const size_t length = text ? strlen(text) : 0;

	prompt.open = true;
	prompt.label = label;
	prompt.length = length < MOST ? length : 0;
	memcpy(prompt.text, text ? text : "", prompt.length);
	*prompt.why = '\0';
}

bool prompt_is_open(void)
{
	return prompt.open;
}

void prompt_close(void)
{
	prompt.open = false;
}

void prompt_refuse(const char *why, size_t at)
{
	if (at == SIZE_MAX)
		snprintf(prompt.why, sizeof(prompt.why), "  (%s)", why);
	else
		snprintf(prompt.why, sizeof(prompt.why), "  (byte %zu: %s)", at, why);
}

static void erase_last(void)
{
	while (prompt.length && (prompt.text[prompt.length - 1] & 0xc0) == 0x80)
		prompt.length--;
	prompt.length -= prompt.length > 0;
}

static void add_character(wint_t key)
{
	mbstate_t state = { 0 };
	char bytes[MB_LEN_MAX];
	const size_t n = key < ' ' ? (size_t)-1 : wcrtomb(bytes, (wchar_t)key, &state);

	if (n == (size_t)-1 || n >= MOST - prompt.length)
		return;
	memcpy(prompt.text + prompt.length, bytes, n);
	prompt.length += n;
}

char *prompt_key(bool function, wint_t key)
{
	const bool back = function ? key == KEY_BACKSPACE : key == DELETE || key == BACK;
	char *text;

	if ((function && key == KEY_ENTER) || (!function && (key == '\r' || key == '\n'))) {
		text = strndup(prompt.text, prompt.length);
		if (!text)
			cli_no_memory();
		return text;
	}
	*prompt.why = '\0';
	if (!function && key == ESCAPE)
		prompt.open = false;
	else if (!function && key == CLEAR)
		prompt.length = 0;
	else if (back)
		erase_last();
	else if (!function)
		add_character(key);
	return NULL;
}

void prompt_draw(int y)
{
	char line[MOST + 300];
	const int n = snprintf(line, sizeof(line), "%s: %.*s_%s", prompt.label, (int)prompt.length,
			       prompt.text, prompt.why);

	cells_put(y, 0, COLS, A_BOLD, line, (size_t)n);
}
