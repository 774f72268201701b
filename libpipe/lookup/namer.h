/* namer.h - questions to the process that names offsets in files for one that has given up files. */
#ifndef PP_NAMER_H
#define PP_NAMER_H

#include <perfpipe/symbol.h>

#include "lookup/isolated.h"
#include "sandbox/helper_process.h"

struct pp_namer {
	struct pp_helper process;
	struct pp_ipc_source from;
	struct pp_buffer in;
	int os;                       /* why the process is gone; 0: it runs */
};

/* ---- namer.c ---- */

/* Of the process since it began: files that it found, and PP_ISOLATED_. */
struct pp_named_so_far { uint64_t files; unsigned isolated, zero; };

/* Has the process begin a resolver with these options, but the texts of pp_namer_new(); and end that.  What
 * goes wrong there is the error of the next question. */
void pp_namer_begin(struct pp_namer *, const struct pp_symbols_options *);
void pp_namer_end(struct pp_namer *);
/* Where the recorded kernel was, as far as that is known. */
void pp_namer_kernel(struct pp_namer *, uint64_t text);
/* Whether the kernel with this build-id runs here; of an empty one, whether one at that place does. */
bool pp_namer_runs(struct pp_namer *, const struct pp_id *);
/* As pp_image_cache_names(), also of kernels and processes; `say` gets what is said of files. */
int pp_namer_names(struct pp_namer *, const struct pp_asked *, const struct pp_answered *,
		   const struct pp_say *, struct pp_named_so_far *, struct pp_error *);

/* ---- messages, in which nothing lies between the members ---- */

struct pp_ipc_how {
	uint64_t memory;
	uint32_t deadline, seconds, demangle;
	uint8_t debuginfod, no_inline, lines, lines_of_files, data, whole_paths, zero[6];
};
struct pp_ipc_hinted { uint32_t hint, lost; };

#endif
