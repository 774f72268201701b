/* earlier_stage.h - another of these tools, which this one starts as the stage before it. */
#ifndef PP_EARLIER_STAGE_H
#define PP_EARLIER_STAGE_H

#include <stdbool.h>

/*
 * Starts the tool words[0] with these words, out of the folder of this program, or else of PATH; its stream
 * becomes standard input.  Returns once the stream has begun.  If the tool ends before that, so does this
 * process, with its exit status: the tool said why.  Exits with EXIT_SYSTEM if it cannot be started.
 *
 * It ends with this process at the latest.  If that exits, it is asked to end, and what it still says is
 * passed on; if that is killed, it finds that its output has no reader.
 *
 * `listen`: what it writes to standard error, and what a command of its own writes there, is passed on by
 * earlier_stage_listen(), for who has a screen; otherwise it goes where this process's own messages go.
 */
void earlier_stage_start(char *const *words, bool listen);

/* Whether it can be ended by a pidfd, which is that of no other process. */
bool earlier_stage_is_held(void);

/* What to poll() for words of it; -1: nothing. */
int earlier_stage_words(void);
/* Passes on what it said until now. */
void earlier_stage_listen(void);

/* Asks it to end, if it has not ended, and waits for that.  Its exit status; 0 if none was started. */
int earlier_stage_end(void);

#endif
