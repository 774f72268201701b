/* metric_options.h - the metrics that were asked for, and where perf's files of them are. */
#ifndef PP_METRIC_OPTIONS_H
#define PP_METRIC_OPTIONS_H

#include "cli/cli.h"

#include <perfpipe/perfpipe.h>

/* -M, --metrics: names and groups of metrics, and files and folders, which have a slash. */
struct asked_metrics {
	struct cli_list words;
	struct cli_list names;        /* of them, those that are no files */
	struct cli_list paths;        /* what is read for them, once metrics_look() was there */
	struct cli_list same;         /* words that are names of files here, though they have no slash */
	bool looked, installed;       /* ... which found that there are files for all users */
	struct pp_metrics *all;
	struct pp_metric_set *set;    /* NULL: none was asked for */
};

/* Looks for what metrics_find() will read: before it cannot look any more. */
void metrics_look(struct asked_metrics *);
/*
 * Reads the files for that machine, and finds the metrics.  What is wrong with them is shown, and the
 * program exits.  Where none was asked for it is those that a stream names, `said` or NULL: of these no
 * files are read, and those that are not known here are only reported.
 */
void metrics_find(struct asked_metrics *, const struct pp_metric_machine *, const char *said);
/* Adds the events that they need to those that are counted. */
void metrics_add_events(struct asked_metrics *, const struct pp_metric_ask *, struct cli_list *texts);
void metrics_free(struct asked_metrics *);

#endif
