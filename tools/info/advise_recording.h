/* advise_recording.h - counts what the rules of advice judge, of a whole stream. */
#ifndef PP_ADVISE_RECORDING_H
#define PP_ADVISE_RECORDING_H

#include "shared/run.h"

/* What pp-info --advice does: a line for each rule that has something to say, which is status 1.  `json`: one
 * object instead. */
int advise_recording(const struct tool *, bool json);

#endif
