/* frame_suffixes.h - what the names of some kinds of frames end in, where they are marked. */
#ifndef PP_FRAME_SUFFIXES_H
#define PP_FRAME_SUFFIXES_H

#include <perfpipe/flame.h>

enum { PP_MARK_LENGTH = 4 };

/* By enum pp_flame_kind; "": names of this kind are not marked. */
static const char pp_marks[PP_FLAME_KINDS][PP_MARK_LENGTH + 1] = {
	[PP_FLAME_KERNEL] = "_[k]", [PP_FLAME_JIT] = "_[j]", [PP_FLAME_INLINED] = "_[i]",
};

#endif
