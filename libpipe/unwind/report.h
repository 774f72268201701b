/* report.h - the files in which stacks ended otherwise than properly. */
#ifndef UNWIND_REPORT_H
#define UNWIND_REPORT_H

#include "unwind/modules.h"

/* As pp_unwind_files(). */
int pp_unwind_modules_report(const struct modules *, pp_unwind_file_fn *, void *arg, struct pp_error *);

#endif
