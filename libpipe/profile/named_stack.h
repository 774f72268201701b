/* named_stack.h - a stack on its way into a profile: which frames the name of a function makes, what those
 * without a name are called, and of which kind they are. */
#ifndef PP_NAMED_STACK_H
#define PP_NAMED_STACK_H

#include <perfpipe/flame.h>
#include <perfpipe/fold.h>

#include "base/array.h"
#include "symbol/strings.h"

struct pp_named_stack {
	const struct pp_fold_options *how;  /* the caller's */
	struct pp_profile *profile;
	uint32_t *frames;             /* the innermost first */
	size_t n;
	bool cut;                     /* it was deeper than PP_PROFILE_DEEPEST */
	const char *object;           /* the file of what is added next */
	struct pp_strings objects;    /* the files that frames are of, and of what kind these are */
	struct pp_buffer text;
};

/* 0, or -1: no memory.  It may be closed in any case. */
int pp_named_stack_open(struct pp_named_stack *, const struct pp_fold_options *, struct pp_profile *);
void pp_named_stack_close(struct pp_named_stack *);

/* The enum pp_flame_kind of the frames of a file in a cpumode. */
unsigned pp_named_stack_kind(const char *dso, unsigned mode);
/* The frame that the stacks of a task begin with; `pid` and `tid` as text, or "?".  0, or -1 and *error. */
int pp_named_stack_task(struct pp_named_stack *, const char *comm, size_t length, const char *pid,
			const char *tid, uint32_t *frame, struct pp_error *);
/* Adds the frames of a function, whose callers are added after it.  0, or -1 and *error. */
int pp_named_stack_add(struct pp_named_stack *, const char *function, unsigned kind, struct pp_error *);
/* Adds a frame of a place that is called by its line.  0, or -1 and *error. */
int pp_named_stack_add_line(struct pp_named_stack *, const struct pp_location *, size_t frame, unsigned kind,
			    struct pp_error *);
/* Adds the frame of an address that has no name; `by_line`: of a place in its file. */
int pp_named_stack_add_unnamed(struct pp_named_stack *, uint64_t address, unsigned kind, struct pp_error *);
/* From a node on, calls the frames.  0, or -1 and *error. */
int pp_named_stack_call(struct pp_named_stack *, uint32_t *node, struct pp_error *);

#endif
