/* header_lines.h - what a recording says of itself, above what a tool prints: --header as in perf. */
#ifndef PP_HEADER_LINES_H
#define PP_HEADER_LINES_H

#include "shared/run.h"

extern struct header_lines {
	bool first, only;             /* show them first; and nothing else */
	struct pp_header_words words;
} header_lines;

#define OPT_HEADER_LINES \
	OPT_SWITCH(0, "header", &header_lines.first, "first show what the recording says of itself"), \
	OPT_SWITCH(0, "header-only", &header_lines.only, "show that alone"), \
	OPT_SWITCH('I', "show-info", &header_lines.words.full, \
		   "show its long parts, too: processors, nodes, caches")

/* Whether any are asked for. */
bool header_lines_wanted(void);
/* The sink's `opened`: where lines are asked for, finds out when the input was written.  0, or -1 and
 * run->error. */
int header_lines_opened(struct run *);
/* Before the first record; pp_header_words_note() and pp_header_words_end() of header_lines.words follow.
 * `old`: in the words of perf 6.1.  0, or -1 and run->error. */
int header_lines_start(struct run *, bool old);

#endif
