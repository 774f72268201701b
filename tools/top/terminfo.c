/* terminfo.c - whether this machine has a description of a terminal; apart from the screen, since names there
 * are macros of <term.h>. */
#include "top/screen.h"

#include <curses.h>
#include <term.h>
#include <unistd.h>

bool screen_is_described(const char *name)
{
	int status;

	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return false;
	(void)del_curterm(cur_term);
	return true;
}
