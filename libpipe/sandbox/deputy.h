/* deputy.h - a process that does what a stage has given up, as the stage knows it. */
#ifndef PP_DEPUTY_H
#define PP_DEPUTY_H

#include "sandbox/helper_process.h"

#include <perfpipe/sandbox.h>
#include <stdbool.h>

struct pp_deputy {
	struct pp_helper process;
	bool reads;                   /* it opens files for functions of this library (base/procfs.h) */
};

#endif
