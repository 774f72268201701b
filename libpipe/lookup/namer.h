/* namer.h - what names offsets in files for a process that has given up files: how it is asked. */
#ifndef PP_NAMER_H
#define PP_NAMER_H

#include <perfpipe/symbol.h>

#include "lookup/isolated.h"
#include "sandbox/helper_process.h"

struct pp_namer {
	struct pp_helper process;
	struct pp_ipc_source from;
	struct pp_buffer in;
	int os;                       /* why it is gone; 0: it is not */
};

/* ---- namer.c ---- */

/* What it has done so far. */
struct pp_named_so_far { uint64_t files; unsigned isolated, zero; };

/* Begins there, with these options, whose strings are those of pp_namer_new(); and ends it.  What
 * goes wrong there is the error of the next question. */
void pp_namer_begin(struct pp_namer *, const struct pp_symbols_options *);
void pp_namer_end(struct pp_namer *);
/* Where the recorded kernel was, as far as that is known. */
void pp_namer_kernel(struct pp_namer *, uint64_t text);
/* Whether that is the kernel that runs here: by its build-id, or, with none, by that place. */
bool pp_namer_runs(struct pp_namer *, const struct pp_id *);
/* As pp_image_cache_names(), also of kernels and processes; `say` gets what is said of files. */
int pp_namer_names(struct pp_namer *, const struct pp_asked *, const struct pp_answered *,
		   const struct pp_say *, struct pp_named_so_far *, struct pp_error *);

/* ---- messages, in which nothing lies between the members ---- */

struct pp_ipc_how {
	uint64_t memory;
	uint32_t deadline, seconds, demangle;
	uint8_t debuginfod, no_inline, lines, lines_of_files, data, zero[7];
};
struct pp_ipc_hinted { uint32_t hint, lost; };

#endif
