/* outcomes.h - the files in which stacks ended otherwise than properly. */
#ifndef PP_OUTCOMES_H
#define PP_OUTCOMES_H

#include "unwind/unwind_modules.h"

/* As pp_unwind_files(). */
int pp_unwind_modules_report(const struct modules *, pp_unwind_file_fn *, void *arg, struct pp_error *);

#endif
