/* metric_rows.h - the metrics of -M, from the counts of a table. */
#ifndef PP_METRIC_ROWS_H
#define PP_METRIC_ROWS_H

#include "measure/metric_options.h"
#include "stat/cgroup_events.h"

#include <perfpipe/perfpipe.h>

/* All zero, but for what the options say. */
struct shown_metrics {
	struct asked_metrics asked;
	struct pp_metric_machine machine;     /* that was counted */
	bool mixed;                   /* also of events that were never counted at one time */
	struct pp_metric_count *counts;       /* of each event of a control group */
	struct pp_metric_event *events;
	size_t bound;                 /* the control group that they are bound to, or one like it */
	bool *has;                    /* [group * n + i]: metric i has an event there; last: anywhere */
	size_t n;                     /* metrics */
};

struct shown_metric {
	const struct pp_metric *metric;
	const struct pp_count_row *row;       /* the first that its control group has in the place */
	bool elsewhere;               /* its events are those of other control groups */
	struct pp_metric_value value;
	enum pp_metric_state state;
};

/* Finds the metrics, by files for the processor of the stream; `said`: as it names them, or NULL. */
void metrics_open(struct shown_metrics *, const char *said);
/* Another table comes, whose events the groups have: to be called before the next. */
void metrics_start(struct shown_metrics *, const struct pp_count_table *, const struct cgroups *);
/* Calls `fn` with each metric of one control group in one place of the table.  `wall`: ns, 0: not known; the
 * run, if it is known, says what the command took. */
typedef void metric_fn(void *arg, const struct shown_metric *);
void metrics_each(struct shown_metrics *, const struct pp_count_table *, const struct cgroups *, size_t group,
		  size_t place, double wall, const struct pp_count_run *, metric_fn *, void *arg);
void metrics_close(struct shown_metrics *);
/* Why there is no value, for people: "cycles was not counted". */
void metrics_why(const struct shown_metric *, char *text, size_t size);

#endif
