/* record_here.h - what pp-top shows if it is given no stream: what pp-record, started by it, records. */
#ifndef PP_RECORD_HERE_H
#define PP_RECORD_HERE_H

#include "cli/cli.h"

/* What pp-record is asked for, as on its own command line: it says what is wrong with that. */
extern struct record_here {
	const char *pids, *tids, *cpus, *rate, *chains;
	bool all, callchains;
} record_here;

#define OPT_RECORD_HERE \
	OPT_STRING('p', "pid", "PIDS", &record_here.pids, "record these processes"), \
	OPT_STRING('t', "tid", "TIDS", &record_here.tids, "record these threads"), \
	OPT_SWITCH('a', "all-cpus", &record_here.all, \
		   "record all CPUs, as without any of these where standard input is a terminal"), \
	OPT_STRING('C', "cpu", "CPUS", &record_here.cpus, "record these CPUs, such as 0-3,8"), \
	OPT_STRING(0, "freq", "HZ", &record_here.rate, \
		   "take HZ samples a second, or max (default: 4000)"), \
	OPT_SWITCH('g', "callchains", &record_here.callchains, \
		   "record call chains, by frame pointers"), \
	OPT_STRING(0, "call-graph", "fp|dwarf|lbr", &record_here.chains, \
		   "record call chains in this way")

/* Whether it is to be recorded what is shown: an option of these, or a command, says so, or there is nothing
 * to read.  Ends the process where a file is to be read as well. */
bool record_here_is_asked(void);
/* Starts that, of these events (NULL: pp-record's own choice); `screen`: messages are shown there. */
void record_here_start(const char *events, bool screen);

#endif
