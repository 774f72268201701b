/* events.h - the events that were asked for, their filters, and a list of what there is. */
#ifndef MEASURE_EVENTS_H
#define MEASURE_EVENTS_H

#include "shared/cli.h"

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
/* If one of them is no event of this machine: shows where the mistake is, and exits. */
void refuse_events(const struct asked_events *);
/* Prints the events that there are, of which a pattern matches; all if there are none.  Returns the
 * exit status. */
int list_events(char *const *patterns, bool json);

#endif
