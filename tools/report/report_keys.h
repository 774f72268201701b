/* report_keys.h - what a table is to have, as -s and -F of pp-report say it. */
#ifndef PP_REPORT_KEYS_H
#define PP_REPORT_KEYS_H

#include <perfpipe/perfpipe.h>

#include <stdbool.h>

#include "shared/run.h"

/* NULL, or what is wrong with the keys, until the next call. */
const char *keys_check(const struct pp_report_options *);
/* Whether this one is among them, or among the columns: by its whole name, however it was asked for. */
bool keys_have(const struct pp_report_options *, const char *name);
/* At the end of the stream: a warning where what this mode is about is in no sample. */
void keys_say_what_is_missing(const struct pp_stream *, enum pp_report_mode);
/* Whether one of them is about lines of sources; about types of data: what pp_symbols_options ask for. */
bool keys_need_lines(const struct pp_report_options *);
bool keys_need_data(const struct pp_report_options *);
/* Whether one of the columns is a mean or a quantile: those of several rows do not add up. */
bool keys_have_no_sum(const struct pp_report_options *);

/* Whether they may want the texts of tracepoints. */
bool keys_need_traces(const struct pp_report_options *);
/* Gathers the formats of tracepoints that are in a stream, if the keys may want them.  0, or -1 and
 * run->error. */
int keys_open_traces(struct run *, struct pp_report_options *, struct pp_symbols *);

/* As tool.value: keys and fields, which are completed. */
const char *keys_value(const char *arg, size_t i, uint64_t *needs);

#endif
