/* live.h - a page that is made anew every so often while a stream comes. */
#ifndef FLAME_LIVE_H
#define FLAME_LIVE_H

#include "shared/run.h"

/* Draws what was read so far: 0, or -1 and run->error.  It may leave everything as it likes. */
typedef int live_draw(struct run *, struct pp_out *);

/* In the `start` of a sink.  Exits where the output is no file that can be replaced. */
void live_start(uint64_t every, live_draw *);
/* After a record: begins a page, if one is due. */
void live_note(struct run *);
/* Before a read that may block: begins what pages become due until there is something to be read. */
void live_wait(struct run *);
/* Before the last page: the one that is being drawn has its name. */
void live_end(void);

#endif
