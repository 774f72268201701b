/* sample_filter.h - which samples of a stream that is still being read are shown: those that an expression in
 * the language of pp-filter(1) lets through, and those of some times. */
#ifndef PP_SAMPLE_FILTER_H
#define PP_SAMPLE_FILTER_H

#include "shared/run.h"

#define OPT_MATCHING(variable, help) OPT_STRING(0, "filter", "EXPRESSION", variable, help)

/* Lets through what matches from now on; "": all.  False, and what is wrong with it: all stays as it was. */
bool matching_set(const char *expression, struct pp_error *);
/* The same of the command line (NULL: all), whose mistakes end the program. */
void matching_demand(const char *expression);
/* The first and the last time of a stream are those of this record, too; *known: there were others. */
void matching_widen(struct pp_query_facts *, bool *known, const struct pp_record *);
/* What pp_tasks_new() has to keep for any expression. */
enum {
	MATCHING_TASKS = PP_TASKS_MAPS | PP_TASKS_BUILD_IDS | PP_TASKS_KIN | PP_TASKS_NAMESPACES |
			 PP_TASKS_CGROUPS,
};
/* 0, or -1 and run->error.  Records go into the tasks and symbols by the caller. */
int matching_start(struct run *, struct pp_tasks *, struct pp_symbols *);
/* The stream can be read again, from its start, where matching_again() says so: an expression may then ask
 * for its end. */
void matching_rereads(void);
/* It is read again: as before the start, but for the expression.  0, or -1 and run->error. */
int matching_again(struct run *);
/* Whether symbols are to have lines. */
bool matching_needs_lines(void);
/* Whether there have to be tasks and, besides, symbols. */
bool matching_needs_tasks(void);
bool matching_needs_names(void);
/* Whether it is about records of this type: samples, and others if it asks for fields that only they have. */
bool matching_judges(uint32_t type);
/* Each record, a sample before it is judged. */
void matching_note(const struct pp_record *);
/* Whether a sample, or another record that it is about, passes: 1, 0, or -1 and run->error. */
int matching_judge(struct run *, const struct pp_record *);
/* The expression; NULL: there is none. */
const char *matching_text(void);
void matching_free(void);

/* ---- times ---- */

extern struct shown_times {
	bool asked;                   /* else all */
	uint64_t from, to;
	bool no_index;
} shown_times;

const char *shown_times_parse(void *target, const char *value);

#define OPT_SHOWN_TIMES \
	OPT_CALL(0, "time", "FROM,TO", &shown_times, shown_times_parse, \
		 "samples of these times alone, in seconds; either may be missing"), \
	OPT_SWITCH(0, "no-index", &shown_times.no_index, \
		   "read all for --time, even where an index says what is needed")

/* Refuses the options where what is read is no stream, or there are several. */
void shown_times_refuse(const char *what);
/* Has the reader of a run, of which only the header was read, hand out these times.  0, or -1 and
 * run->error. */
int shown_times_start(struct run *, struct pp_time_span **);
/* Says what was left out; NULL is fine. */
void shown_times_end(const char *name, const struct pp_time_span *);

#endif
