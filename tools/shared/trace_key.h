/* trace_key.h - what tracepoints say, for tables that have the key `trace`. */
#ifndef PP_TRACE_KEY_H
#define PP_TRACE_KEY_H

#include "shared/run.h"

/* Has the key say what pp-script does; nothing, before said_start(). */
void said_offer(struct pp_report_options *);
/* Gathers the formats that are in a stream, if the keys may want them.  0, or -1 and run->error. */
int said_start(struct run *, const struct pp_report_options *, struct pp_tasks *, struct pp_symbols *);
bool said_is_open(void);
void said_free(void);

#endif
