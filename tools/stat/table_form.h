/* table_form.h - how counts are written: the same table, row by row, to text, CSV, JSON ... */
#ifndef PP_TABLE_FORM_H
#define PP_TABLE_FORM_H

#include "stat/metric_rows.h"

#include <perfpipe/perfpipe.h>

struct comparison;

/* What is to be written, and how: filled by pp-stat.c, read by every form. */
struct view {
	struct pp_out *out;
	struct pp_counts *counts;
	struct pp_counts_about about;
	struct pp_count_table table;
	bool interval;                /* the table is of an interval, which ended at table.to */
	bool summary;                 /* of all, after intervals */
	uint64_t number;              /* of the interval, from 0 */
	double wall;                  /* ns: of the interval, or of a run; 0: not known */
	const struct pp_spread *spread;  /* of each row over the runs; NULL: there was one run */
	const struct pp_spread *elapsed; /* of the runs, ns */
	struct pp_count_bounds *bounds;    /* of estimates; NULL: they are not known */
	struct repeats *repeats;      /* what the spreads are of; NULL: there was one run */
	size_t runs;                  /* of the command; 0 counts as 1 */
	const struct pp_count_run *run;  /* of the command, the first of them; NULL: not known */
	int side;                     /* of a stream that compares two commands; -1: of all */
	struct shown_metrics *metrics;   /* of -M; NULL: none */
	struct cgroups cgroups;       /* of the table's events */

	/* options */
	const char *separator;        /* -x */
	bool big_numbers;             /* thousands apart */
	bool no_csv_summary;
	bool table_of_runs;           /* --table */
	bool spreads;                 /* --spread */
	bool mixed;                   /* rates also of events that were never counted at one time */
	bool clear;                   /* the screen, before each interval */
	bool colours;                 /* for what is over its threshold, and for what is not */
	bool percore_threads;
	bool hide_zeros;              /* --hide-zero-events */
	bool newer;                   /* -j as perf 7.3 prints it, not as 6.1 */
};

/* A form.  Functions may be NULL.  Rows come in the order in which perf prints them. */
struct form {
	void (*start)(const struct view *);         /* once, before the first table */
	void (*head)(const struct view *);          /* before the rows of a table */
	void (*row)(const struct view *, const struct pp_count_row *);
	void (*foot)(const struct view *);          /* after them */
	/* how two sides differ; NULL: this form has no such thing */
	void (*difference)(const struct view *, const struct comparison *);
};
extern const struct form form_raw, form_text, form_separated, form_perf_json;
extern const struct form form_csv, form_json, form_prometheus, form_openmetrics;
extern const struct form form_metric_text, form_metric_separated, form_metric_json;

/* Writes the table of a report: head, rows, foot. */
void form_write(const struct form *, const struct view *);

/* How long it took, at the end of a text. */
void form_text_times(const struct view *);
/* Calls `fn` with each metric of -M of the table, and with the view: in each place, for each control group
 * that it has events in. */
void form_metrics(const struct view *, metric_fn *fn);
/* The same of one group in one place, of all metrics, with `arg`. */
void form_metrics_of(const struct view *, size_t group, size_t place, metric_fn *fn, void *arg);
/* The name of the row's control group; "": it has none. */
const char *form_cgroup(const struct pp_count_row *);

/* Whether rows come place by place, as those of cores do, or event by event, as those of CPUs. */
bool form_by_place(const struct view *);
/* "S0-D0-C1", "CPU3", "comm-12": where a row is from, as perf writes it; empty for all. */
enum { FORM_PLACE = 96 };
void form_place(const struct view *, const struct pp_count_row *, char place[FORM_PLACE]);
/* "die": what its places are, as perf calls them. */
const char *form_place_word(const struct view *, const struct pp_count_row *);
/* The members of an object of -j that say where a row is from; nothing, if it is of all. */
void form_json_place(const struct view *, const struct pp_count_row *);
/* Whether a metric is over its threshold, 1 or 0, as colours until the next call with -1. */
void form_colour(const struct view *, int over);
/* Reads how the locale writes numbers, while files may be read. */
void form_find_locale(void);
/* From here on thousands, and points of decimals, are as the locale has them: text for people starts so. */
void form_use_locale(const struct view *);
/* What it counted, in its unit. */
double form_value(const struct pp_count_row *);
/* printf()'s %*.*f, with thousands set apart where the locale sets them apart. */
void form_fixed(const struct view *, double value, int digits, unsigned width, bool thousands);
/* When the interval ended, in seconds: printf()'s %6. and nine digits. */
void form_time(const struct view *);
/* printf() to the report's output: numbers and formats, not texts of a stream. */
void form_put(const struct view *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The rates of a row, without the numbers of those that are not to be shown: how many. */
size_t form_rates(const struct view *, const struct pp_count_row *, struct pp_count_rate[PP_COUNT_RATES]);
/* Its value as its format has it, and how long that is. */
enum { FORM_RATE = 64 };
size_t form_rate(char text[FORM_RATE], const struct pp_count_rate *);
const char *form_unit(const struct pp_count_rate *);
/* Text of a stream, printable, in at least `width` columns (below 0: to the left). */
void form_text_in(const struct view *, const char *text, int width);
/* How far the runs spread, in per cent of their mean: rel_stddev_stats(). */
double form_noise(const struct view *, const struct pp_count_row *);
double form_spread(const struct pp_spread *);
/* Between which values the true one of an estimate is; false: it is not estimated, or that is unknown. */
bool form_bounds(const struct view *, const struct pp_count_row *, double *low, double *high);
/* Digits after the point of a row's value: as perf, 2 where the scale is not whole. */
int form_digits(const struct pp_count_row *);
/* What a counter that has no number has instead. */
const char *form_missing(const struct pp_count_row *);
/* Per cent of the time that the event was enabled; 100 where it never was. */
double form_running(const struct pp_count_row *);

#endif
