/* deputy.h - a process that does what a stage has given up, as the stage knows it. */
#ifndef PP_DEPUTY_H
#define PP_DEPUTY_H

#include "sandbox/helper_process.h"

#include <perfpipe/sandbox.h>
#include <stdbool.h>

struct pp_deputy {
	struct pp_helper process;
	bool reads;                   /* files of this library are opened by it (base/procfs.h) */
};

#endif
