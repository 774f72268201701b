/* unwound_report.h - says how the stacks of a stream ended that became call chains. */
#ifndef UNWOUND_REPORT_H
#define UNWOUND_REPORT_H

#include <perfpipe/perfpipe.h>

/* With --verbose also by files.  0, or -1 and *error. */
int unwound_report(const struct pp_stream *, struct pp_unwind *, struct pp_error *);

#endif
