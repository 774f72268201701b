/* event_options.h - the events that were asked for, their filters, and a list of what there is. */
#ifndef PP_EVENT_OPTIONS_H
#define PP_EVENT_OPTIONS_H

#include "cli/cli.h"

#include <perfpipe/perfpipe.h>

enum { FILTERS_MOST = 64, PFM_MOST = 64 };
struct asked_events {
	struct cli_list texts;        /* of each -e and --pfm-events */
	size_t pfm[PFM_MOST], n_pfm;  /* which of them are of the latter */
	struct pp_event_filter filters[FILTERS_MOST];
	size_t n_filters;
};

const char *parse_pfm(void *asked_events, const char *value);
const char *parse_filter(void *asked_events, const char *value);
const char *parse_exclude_self(void *asked_events, const char *value);
/* The rows of options that add to an `asked`; `otherwise`: what there is without -e. */
#define OPT_EVENTS(asked, otherwise) \
	OPT_LIST('e', "event", "EVENT", &(asked).texts, \
		 "event, {group} or pattern such as sched:*; may be repeated (default: " otherwise ")"), \
	OPT_CALL(0, "pfm-events", "EVENTS", &(asked), parse_pfm, \
		 "events or {groups} by libpfm4's names of them"), \
	OPT_CALL(0, "filter", "FILTER", &(asked), parse_filter, \
		 "only hits of the --event before it that match, such as 'prev_pid == 3'")

/* If one of them is no event of this machine: shows where the mistake is, and exits. */
void refuse_events(const struct asked_events *);
/* Prints the events that there are, of which a pattern matches; all if there are none.  Returns the
 * exit status. */
int list_events(char *const *patterns, bool json);

#endif
