/* screen.c - what is going on, on a terminal: drawing, keys, and the terminal as it was. */
#define NCURSES_WIDECHAR 1
#include "top/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "top/earlier_stage.h"
#include "top/terminal_text.h"
#include "top/prompt.h"
#include "top/live_profile.h"
#include "top/pager.h"
#include "top/reread.h"

enum { TOP = 2, BOTTOM = 1, KEPT = 20, CELL = 256 };

static struct {
	SCREEN *terminal;
	FILE *keys;
	struct lines_how *how;
	struct columns *columns;
	const struct top_line *lines;
	size_t count;
	size_t first, chosen;         /* lines: at the top, and under the bar */
	uint64_t due;                 /* when the next look is */
	bool paused, ended, help, over;
	wint_t asks_for;              /* the key that opened the prompt */
	bool recorded;                /* the input is a file, which can be read again for what is asked */
	struct run *run;              /* once it has ended */
	bool code;                    /* functions are shown by instruction */
	struct column fitted[COLUMNS_MOST];     /* as wide as what they hold */
	char annotated[CELL];         /* which function */
	char said[512];               /* the last message */
	char *kept[KEPT];             /* those to be written in the end */
	size_t n_kept;
	struct pp_out cell;
} s;

static volatile sig_atomic_t asked_by;  /* the signal that asks for the end */
static volatile sig_atomic_t asked_to_stop;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- messages ---- */

static void keep_message(const char *text, size_t length)
{
	const size_t name = strlen(cli_name());
	const size_t begin = length > name + 2 && !strncmp(text, cli_name(), name) ? name + 2 : 0;

	length -= length > 0;
	if (length > begin)
		snprintf(s.said, sizeof(s.said), "%.*s", (int)(length - begin), text + begin);
	/* a file that is read again has the same to say again */
	for (size_t i = 0; i < s.n_kept; i++)
		if (s.kept[i] && !strncmp(s.kept[i], text, length + 1) && !s.kept[i][length + 1])
			return;
	if (s.n_kept < KEPT)
		s.kept[s.n_kept++] = strndup(text, length + 1);
}

static void write_messages(void)
{
	for (size_t i = 0; i < s.n_kept; i++) {
		if (s.kept[i])
			fputs(s.kept[i], stderr);
		free(s.kept[i]);
	}
	s.n_kept = 0;
}

/* ---- the terminal ---- */

static void on_signal(int number)
{
	asked_by = number;
}

static void on_stop(int number)
{
	(void)number;
	asked_to_stop = true;
}

static void set_handler(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		set_handler(numbers[i], on_signal);
	set_handler(SIGTSTP, on_stop);
}

/* ^Z: the shell has the terminal until this process goes on.  (ncurses would call kill(), which the sandbox
 * does not leave.) */
static void stop_here(void)
{
	asked_to_stop = false;
	endwin();
	set_handler(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	set_handler(SIGTSTP, on_stop);
	clearok(curscr, TRUE);
	refresh();
}

bool screen_is_away(void)
{
	const int fd = isatty(STDOUT_FILENO) ? open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC) : -1;
	const pid_t group = fd < 0 ? -1 : tcgetpgrp(fd);

	if (fd >= 0)
		(void)close(fd);
	return group >= 0 && group != getpgrp();
}

bool screen_is_possible(void)
{
	const char *const name = getenv("TERM");
	static bool asked, described;

	if (!isatty(STDOUT_FILENO) || !name || !*name || !strcmp(name, "dumb") || screen_is_away())
		return false;
	if (!asked) {
		described = screen_is_described(name);
		if (!described)
			cli_warn("the terminal %s has no entry in terminfo here: plain text is shown", name);
	}
	asked = true;
	return described;
}

/* newterm() takes signals, which are to do until screen_begin() what they did before. */
static SCREEN *open_terminal(void)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGTSTP };
	struct sigaction before[sizeof(taken) / sizeof(*taken)];
	SCREEN *terminal;

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaction(taken[i], NULL, &before[i]);
	terminal = newterm(NULL, stdout, s.keys);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaction(taken[i], &before[i], NULL);
	return terminal;
}

bool screen_open(struct lines_how *how, struct columns *columns)
{
	if (!screen_is_possible())
		return false;
	s.keys = fopen("/dev/tty", "r+e");
	if (!s.keys)
		return false;
	setlocale(LC_CTYPE, "");
	/* what converts characters may be in a library of its own */
	(void)btowc('x');
	s.terminal = open_terminal();
	if (!s.terminal || pp_out_open(&s.cell, -1)) {
		fclose(s.keys);
		return false;
	}
	s.how = how;
	s.columns = columns;
	atexit(screen_close);
	endwin();
	return true;
}

void screen_begin(bool recorded)
{
	s.recorded = recorded;
	catch_signals();
	messages.instead = keep_message;
	set_escdelay(50);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
}

bool screen_is_open(void)
{
	return s.terminal;
}

void screen_close(void)
{
	if (!s.terminal)
		return;
	endwin();
	delscreen(s.terminal);
	s.terminal = NULL;
	fclose(s.keys);
	messages.instead = NULL;
	write_messages();
	prompt_close();
	pager_close();
	(void)pp_out_close(&s.cell);
	if (asked_by && asked_by != SIGINT) {
		signal(asked_by, SIG_DFL);
		raise(asked_by);
	}
}

/* ---- drawing ---- */

static size_t height(void)
{
	return LINES > TOP + BOTTOM ? (size_t)(LINES - TOP - BOTTOM) : 0;
}

static void CLI_PRINTF(3, 4) put(int y, int style, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cells_put(y, 0, COLS, style, text, strlen(text));
}

/* What a line of the table of columns says. */
static void put_cells(int y, int style)
{
	cells_put(y, 0, COLS, style, s.cell.buf, s.cell.at - (s.cell.at > 0));
}

static void draw_head(void)
{
	const struct weighed *const is = weigh_state();
	char text[512], more[256];

	snprintf(text, sizeof(text), "pp-top: %" PRIu64 " sample%s of %s in ", is->samples,
		 cli_plural(is->samples), is->event ? is->event : "no event yet");
	snprintf(more, sizeof(more), "%" PRIu64 ".%" PRIu64 " s, %" PRIu64 " lost%s%s%s",
		 (is->last - is->first) / 1000000000, (is->last - is->first) / 100000000 % 10, is->lost,
		 is->left_out ? ", light stacks left out" : "", s.paused ? ", paused" : "",
		 s.ended ? ", ended" : "");
	put(0, A_BOLD, "%s%s%s%s", text, more, is->filter ? ", of those where " : "",
	    is->filter ? is->filter : "");
	if (pager_is_open()) {
		put(1, A_REVERSE, "%s", s.annotated);
		return;
	}
	s.cell.at = 0;
	columns_head(&s.cell, s.columns);
	put_cells(1, A_REVERSE);
}

/* A name is cut to its column, so that the others stay where they are. */
static const char *cut(char room[CELL], const char *text, int width)
{
	size_t n = 0;

	for (int cells = 0; text[n] && n < CELL - 8; n++) {
		cells += ((unsigned char)text[n] & 0xc0) != 0x80;
		if (cells > width)
			break;
		room[n] = text[n];
	}
	room[n] = '\0';
	return room;
}

static void draw_line(int y, const struct top_line *line, bool chosen)
{
	struct top_line shown = *line;
	static char cells[CELLS_MOST][CELL];

	for (size_t i = 0; i + 1 < s.columns->count; i++) {
		const struct column *const column = s.columns->items[i];
		const size_t at = (column->at - offsetof(struct top_line, cells)) / sizeof(*shown.cells);

		if (shown.cells[at])
			shown.cells[at] = cut(cells[i], shown.cells[at], abs(column->width));
	}
	s.cell.at = 0;
	columns_row(&s.cell, s.columns, &shown);
	put_cells(y, chosen ? A_REVERSE : line->is_open ? A_BOLD : A_NORMAL);
}

/* As wide as what they hold, of a table that stays as it is, but for the last one, and for what would leave
 * no room for it. */
static void fit_columns(void)
{
	int left = COLS - 24;

	for (size_t i = 0; i + 1 < s.columns->count; i++) {
		const struct column *const column = s.columns->items[i];
		const size_t at = (column->at - offsetof(struct top_line, cells)) / sizeof(*s.lines->cells);
		size_t width = strlen(column->name);

		for (size_t j = 0; j < s.count; j++) {
			const size_t length = s.lines[j].cells[at] ? strlen(s.lines[j].cells[at]) : 0;

			width = length > width ? length : width;
		}
		if ((int)width > left / 2 && (int)width > abs(column->width))
			width = (size_t)(left / 2 > abs(column->width) ? left / 2 : abs(column->width));
		left -= (int)width + 1;
		s.fitted[i] = *column;
		s.fitted[i].width = column->width < 0 ? -(int)width : (int)width;
		s.columns->items[i] = &s.fitted[i];
	}
}

static void draw_help(void)
{
	static const char *const recorded[] = {
		"  up, down, page up, page down, home, end   move",
		"  enter, right, left    show or hide callers; in the tree, what is called",
		"  a   the lines of the function under the bar; again: its instructions; left: back",
		"  /   filter, in the language of pp-filter(1): cpu == 0 && comm != \"swapper\"",
		"  t   a span of time, as pp-filter --time has it: +1.5,+2 or 10%-20%; none: all",
		"  k   keys of the lines, of pp-report(1): comm,cpu; none: functions",
		"  s   sort by the next column      T   table of functions, tree of calls",
		"  c   lines for each task, or for all      ?   this help      q   leave",
	};
	static const char *const help[] = {
		"", "  up, down, page up, page down, home, end   move",
		"  enter, right, left    show or hide callers; in the tree, what is called",
		"  t   table of functions, tree of calls",
		"  s   sort by the next column",
		"  k   keys of the lines, of pp-report(1): comm,cpu; none: functions",
		"  c   lines for each task, or for all",
		"  /   filter, in the language of pp-filter(1): cpu == 0 && comm != \"swapper\"",
		"  p   pause, and go on", "  z   begin at zero", "  h   this help", "  q   leave", "",
	};

	const char *const *const lines = s.recorded ? recorded : help;
	const size_t n = s.recorded ? sizeof(recorded) / sizeof(*recorded) : sizeof(help) / sizeof(*help);

	for (size_t i = 0; i < height(); i++)
		put(TOP + (int)i, A_NORMAL, "%s", i < n ? lines[i] : "");
}

static void draw_bottom(void)
{
	if (prompt_is_open())
		prompt_draw(LINES - 1);
	else if (*s.said)
		put(LINES - 1, A_BOLD, "%s", s.said);
	else if (pager_is_open())
		put(LINES - 1, A_NORMAL, "q back  a %s  up, down, page up, page down move",
		    s.code ? "lines" : "instructions");
	else if (s.recorded)
		put(LINES - 1, A_NORMAL,
		    "q leave  ? help  a annotate  / filter  t times  k keys  s sort: %s  enter open",
		    lines_sort_name(s.how));
	else
		put(LINES - 1, A_NORMAL,
		    "q leave  h help  / filter  k keys  enter open  t %s  s sort: %s  p %s",
		    s.how->view == LINES_TREE ? "table" : "tree", lines_sort_name(s.how),
		    s.paused ? "go on" : "pause");
}

static void draw(void)
{
	erase();
	draw_head();
	if (s.help)
		draw_help();
	else if (pager_is_open())
		pager_draw(TOP, height());
	for (size_t i = 0; !s.help && !pager_is_open() && i < height() && s.first + i < s.count; i++)
		draw_line(TOP + (int)i, &s.lines[s.first + i], s.first + i == s.chosen);
	draw_bottom();
	refresh();
}

/* ---- which lines ---- */

/* The bar is always to be seen. */
static void follow(void)
{
	const size_t rows = height() ? height() : 1;

	if (s.chosen >= s.count)
		s.chosen = s.count ? s.count - 1 : 0;
	if (s.chosen < s.first)
		s.first = s.chosen;
	if (s.chosen >= s.first + rows)
		s.first = s.chosen - rows + 1;
}

/* The bar stays on its line, unless it is on the first: that is where the most is going on. */
static void make_lines(void)
{
	const uint64_t key = s.chosen && s.chosen < s.count ? s.lines[s.chosen].key : 0;

	if (s.over)
		return;
	s.how->report = weigh_report();
	s.how->event = weigh_state()->event;
	if (!lines_sort_name(s.how))
		s.how->sort = 0;
	lines_choose(s.columns, s.how);
	s.lines = lines_make(weigh_profile(), s.how, &s.count);
	for (size_t i = 0; key && i < s.count; i++)
		if (s.lines[i].key == key)
			s.chosen = i;
	if (s.recorded && s.ended)
		fit_columns();
	follow();
}

static void turn_line(int open)
{
	const struct top_line *const line = s.chosen < s.count ? &s.lines[s.chosen] : NULL;

	if (!line || !line->opens || (open >= 0 && line->is_open == !!open))
		return;
	lines_toggle(s.how->open, line->key);
	make_lines();
}

static void move_bar(ptrdiff_t by)
{
	const size_t far = (size_t)(by < 0 ? -by : by);

	if (by < 0)
		s.chosen -= far < s.chosen ? far : s.chosen;
	else
		s.chosen += far;
	follow();
}

/* ---- keys ---- */

/* While it is read again. */
static bool goes_on(void)
{
	return !asked_by;
}

/* What cannot be read any more ends the screen. */
static void give_up(void)
{
	run_report(s.run);
	s.over = true;
}

static void say_reading(void)
{
	s.lines = NULL;
	s.count = 0;
	put(LINES - 1, A_BOLD, "reading %s ...", s.run->stream->name);
	refresh();
}

/* The heaviest come first. */
static void show_again(void)
{
	prompt_close();
	*s.said = '\0';
	s.first = s.chosen = 0;
	say_reading();
	if (reread_all(s.run, goes_on)) {
		give_up();
		return;
	}
	make_lines();
}

static void show_annotated(uint64_t key, char *text)
{
	make_lines();
	for (size_t i = 0; i < s.count; i++)
		if (s.lines[i].key == key)
			s.chosen = i;
	follow();
	if (*text) {
		pager_open(text, height());
		return;
	}
	free(text);
	snprintf(s.said, sizeof(s.said), "in no file is a sample of %s itself", s.annotated);
}

static void annotate(void)
{
	const struct top_line *const line = s.chosen < s.count ? &s.lines[s.chosen] : NULL;
	const uint64_t key = line ? line->key : 0;
	char *function, *object, *text;

	if (!s.recorded || !s.run || !line || !line->function) {
		snprintf(s.said, sizeof(s.said), !s.recorded ? "only functions of a file are annotated: "
			 "pp-annotate" : !s.run ? "it is still read" : "there is no function on this line");
		return;
	}
	if (!reread_can(s.run, s.said, sizeof(s.said)))
		return;
	snprintf(s.annotated, sizeof(s.annotated), "%s", line->function);
	function = strdup(line->function);
	object = line->object ? strdup(line->object) : NULL;
	if (!function || (line->object && !object))
		cli_no_memory();
	say_reading();
	text = reread_annotate(s.run, function, object, s.code, goes_on);
	free(function);
	free(object);
	if (text)
		show_annotated(key, text);
	else
		give_up();
}

static void set_keys(const char *keys)
{
	const char *const wrong = weigh_keys(keys, s.run);

	if (wrong) {
		prompt_refuse(wrong, SIZE_MAX);
		return;
	}
	prompt_close();
	*s.said = '\0';
	s.how->view = LINES_TABLE;
	s.how->sort = s.first = s.chosen = 0;
	if (s.run)
		show_again();
	else
		make_lines();
}

/* What is new begins with what comes; of a recording with its start. */
static void ask(wint_t key)
{
	const bool for_keys = key == 'k';
	const char *const filter = s.recorded ? reread_filter_text() : weigh_state()->filter;

	s.asks_for = key;
	if (s.recorded && !s.run)
		snprintf(s.said, sizeof(s.said), "it is still read");
	else if (s.recorded && reread_can(s.run, s.said, sizeof(s.said)))
		prompt_open(for_keys ? "keys" : key == 't' ? "times FROM,TO" : "filter",
			    for_keys ? weigh_options.report.sort :
			    key == 't' ? reread_span_text() : filter);
	else if (s.ended && !s.recorded)
		snprintf(s.said, sizeof(s.said), "the input has ended, and %s is for what comes: %s is for "
			 "all of it", for_keys ? "a key" : "a filter", for_keys ? "--sort" : "--filter");
	else if (!s.recorded)
		prompt_open(for_keys ? "keys" : "filter", for_keys ? weigh_options.report.sort : filter);
}

/* Of a recording. */
static void choose_samples(const char *text)
{
	size_t at = SIZE_MAX;
	const char *const wrong = s.asks_for == 't' ? reread_span(text) : reread_filter(text, &at);

	if (wrong)
		prompt_refuse(wrong, at);
	else
		show_again();
}

static void set_filter(const char *expression)
{
	struct pp_error wrong;

	if (weigh_filter(expression, &wrong)) {
		prompt_close();
		*s.said = '\0';
		make_lines();
	} else {
		prompt_refuse(wrong.code == PP_E_NOMEM ? "out of memory" : cli_cured(&wrong).detail,
			      wrong.at);
	}
}

static void look_otherwise(wint_t key)
{
	struct pp_error error;

	switch (key) {
	case 't':
	case 'T':
		s.how->view = s.how->view == LINES_TREE ? LINES_TABLE : LINES_TREE;
		s.first = s.chosen = 0;
		break;
	case 's':
		s.how->sort++;
		break;
	case 'c':
		if (s.how->report && s.how->view == LINES_TABLE)
			snprintf(s.said, sizeof(s.said), "k has other keys: comm is one");
		s.how->by_comm = !s.how->by_comm;
		break;
	case 'z':
		if (!s.recorded && weigh_reset(&error))
			cli_no_memory();
		break;
	default:
		return;
	}
	make_lines();
}

static void on_letter(wint_t key)
{
	switch (key) {
	case 'q':
		s.over = true;
		break;
	case '/':
	case 'k':
		ask(key);
		break;
	case 'a':
		annotate();
		break;
	case 't':
		if (s.recorded)
			ask(key);
		else
			look_otherwise(key);
		break;
	case 'h':
	case '?':
		s.help = true;
		break;
	case 'p':
		if (!s.recorded)
			s.paused = weigh_pause();
		break;
	case '\r':
	case '\n':
		turn_line(-1);
		break;
	case 'L' & 31:
		clearok(curscr, TRUE);
		break;
	case '+':
		turn_line(1);
		break;
	case '-':
		turn_line(0);
		break;
	default:
		look_otherwise(key);
	}
}

static void on_function_key(wint_t key)
{
	const ptrdiff_t page = (ptrdiff_t)height();

	switch (key) {
	case KEY_UP:
	case KEY_DOWN:
		move_bar(key == KEY_UP ? -1 : 1);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		move_bar(key == KEY_PPAGE ? -page : page);
		break;
	case KEY_HOME:
	case KEY_END:
		move_bar(key == KEY_HOME ? -(ptrdiff_t)s.count : (ptrdiff_t)s.count);
		break;
	case KEY_RIGHT:
	case KEY_LEFT:
		turn_line(key == KEY_RIGHT);
		break;
	case KEY_ENTER:
		turn_line(-1);
		break;
	case KEY_F(1):
		s.help = true;
		break;
	case KEY_F(10):
		s.over = true;
		break;
	case KEY_RESIZE:
		follow();
		break;
	}
}

/* All others leave it, or are about how it is shown. */
static void on_pager_key(bool function, wint_t key)
{
	*s.said = '\0';
	if (pager_key(function, key, height()))
		return;
	if (!function && key == 'a') {
		s.code = !s.code;
		annotate();
	} else if (!function && (key == 'h' || key == '?')) {
		s.help = true;
	} else if (!function && key == ('L' & 31)) {
		clearok(curscr, TRUE);
	} else {
		pager_close();
		s.code = false;
	}
}

static void on_key(int got, wint_t key)
{
	char *expression;

	if (prompt_is_open() && !(got == KEY_CODE_YES && key == KEY_RESIZE)) {
		expression = prompt_key(got == KEY_CODE_YES, key);
		if (expression && s.asks_for == 'k')
			set_keys(expression);
		else if (expression && s.recorded)
			choose_samples(expression);
		else if (expression)
			set_filter(expression);
		free(expression);
	} else if (s.help && !(got == KEY_CODE_YES && key == KEY_RESIZE)) {
		s.help = false;
	} else if (pager_is_open() && !(got == KEY_CODE_YES && key == KEY_RESIZE)) {
		on_pager_key(got == KEY_CODE_YES, key);
	} else {
		*s.said = '\0';
		if (got == KEY_CODE_YES)
			on_function_key(key);
		else
			on_letter(key);
	}
}

/* Whether there were any. */
static bool take_keys(void)
{
	bool any = false;
	wint_t key;
	int got;

	while ((got = get_wch(&key)) != ERR) {
		on_key(got, key);
		any = true;
	}
	return any;
}

/* ---- looking ---- */

/* How long to wait, in ms, for what is due then. */
static int wait_for(uint64_t due)
{
	const uint64_t t = now();

	return due <= t ? 0 : due - t > 1000000000 ? 1000 : (int)((due - t + 999999) / 1000000);
}

/* False: the terminal has gone.  A hang-up is said together with POLLIN, since there is an end to read. */
static bool wait_for_keys(int fd, int timeout, bool *input)
{
	struct pollfd fds[] = {
		{ .fd = fileno(s.keys), .events = POLLIN }, { .fd = fd, .events = POLLIN },
		{ .fd = earlier_stage_words(), .events = POLLIN },
	};
	const int got = poll(fds, sizeof(fds) / sizeof(*fds), timeout);

	*input = got > 0 && fds[1].revents;
	if (got > 0 && fds[2].revents) {
		earlier_stage_listen();
		draw();
	}
	return !(got > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool screen_look(int fd, uint64_t every)
{
	for (;;) {
		const bool due = now() >= s.due;
		bool input = false;

		if (asked_to_stop)
			stop_here();
		if (due) {
			make_lines();
			s.due = now() + every;
		}
		if (take_keys() || due)
			draw();
		if (asked_by || s.over)
			return false;
		if (fd == -1)
			return true;
		if (!wait_for_keys(fd < 0 ? -1 : fd, wait_for(s.due), &input))
			return false;
		if (input)
			return true;
	}
}

void screen_stay(struct run *run)
{
	s.ended = true;
	s.run = s.recorded ? run : NULL;
	s.due = 0;
	while (screen_look(-2, UINT64_C(3600000000000)))
		;
}
