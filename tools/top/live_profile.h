/* live_profile.h - what is going on: the stacks of the samples that pass the filter, the newer the
 * heavier. */
#ifndef PP_LIVE_PROFILE_H
#define PP_LIVE_PROFILE_H

#include "shared/advice.h"
#include "shared/run.h"

extern struct weigh_options {
	struct pp_fold_options fold;
	struct pp_symbols_options symbols;
	struct pp_report_options report;      /* sort or fields: the table has these keys */
	uint64_t interval;            /* ns of the stream's time */
	int keeps;                    /* after each of them, thousandths of the older weights that are left */
	uint64_t memory;              /* bytes for stacks, and for what has keys */
} weigh_options;

/* In a profile, the second side has samples, in these parts of one, so that less than one can be left. */
enum { WEIGH_SAMPLE = 1000 };

/* Since the start, or since the table was last emptied. */
struct weighed {
	uint64_t samples, passed_over;      /* shown; kept out by the filter */
	struct advice_losses losses;  /* as the stream says */
	uint64_t lost;                /* in all */
	uint64_t first, last;         /* times of samples */
	uint64_t left_out;            /* stacks that were dropped to bound memory, by their weight */
	uint64_t intervals;           /* that have ended */
	uint64_t begun_anew;          /* how often the table by keys was emptied to bound memory */
	uint64_t others;              /* samples of other events */
	const char *event;            /* NULL: none yet */
	const char *filter;           /* NULL: none */
};

/* 0, or -1 and run->error. */
int weigh_start(struct run *);
/* A record as soon as it is read: names of what waits. */
int weigh_early(struct run *, const struct pp_record *);
/* 1: an interval ends before this record, which was not looked at; call again once that was shown.
 * 0, or -1 and run->error. */
int weigh_record(struct run *, struct pp_record *);
/* The next interval begins. */
void weigh_next(void);
/* Stops weighing, or goes on with it: whether it is stopped now.  What comes meanwhile is not counted. */
bool weigh_pause(void);
/* Empties the table. */
int weigh_reset(struct pp_error *);
/* Filters what comes by an expression, from an empty table; "": by none.  False, and what is wrong with
 * it: all stays as it was.  Also before the start. */
bool weigh_filter(const char *expression, struct pp_error *);
/* Whether a table can have the keys of options, as `-s` and `-F` have them: NULL, or what is wrong, until the
 * next call. */
const char *weigh_check_keys(const struct pp_report_options *);
/* Lines of the table have these keys, from an empty table; "": they are functions.  NULL, or what is wrong:
 * all stays as it was.  `all_comes_again`: weigh_anew() is next. */
const char *weigh_keys(const char *sort, bool all_comes_again);
/* Reads the input, which is a regular file, once more, and weighs it anew, by the filter and the keys of now;
 * `sums`, if not NULL, are shown what is weighed.  `goes_on` is asked now and then.  0, or -1 and run->error:
 * then nothing is weighed any more. */
int weigh_anew(struct run *, struct pp_annotate *sums, bool (*goes_on)(void));
const struct weighed *weigh_state(void);
/* Fills run->shown.  0, or -1 and run->error. */
int weigh_nameless(struct run *);
struct pp_profile *weigh_profile(void);
/* Entries by keys of what was weighed so far, and until it is looked at again; NULL: there are no keys.  Ends
 * the process where there is no memory. */
struct pp_report *weigh_report(void);
/* The file of a frame of this kind. */
const char *weigh_object(unsigned kind, unsigned *flame_kind);
void weigh_free(void);

#endif
