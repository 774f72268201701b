/*
 * sandbox.h - what a program gives up before it reads what others made: files, capabilities, and all system
 * calls but those that its work takes.
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/reader.h>
 *	#include <perfpipe/sandbox.h>
 *	#include <stdio.h>
 *
 *	static int enter(void *arg, int fd, struct pp_error *error)
 *	{
 *		static const struct pp_sandbox_options stage = { .size = sizeof(stage) };
 *		unsigned *const holds = arg;
 *
 *		(void)fd;
 *
 *		return pp_sandbox_enter(&stage, holds, error);
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		unsigned holds = 0;
 *		const struct pp_reader_options options = {
 *			.size = sizeof(options), .opened = enter, .arg = &holds,
 *		};
 *		struct pp_error error;
 *		struct pp_reader *const in = pp_reader_open(argc > 1 ? argv[1] : "-", &options, &error);
 *		struct pp_record record;
 *		unsigned long n = 0;
 *		int status;
 *
 *		if (!in)
 *			return pp_error_status(&error);
 *		while (pp_reader_next(in, &record, &error) == PP_MORE)
 *			n++;
 *		printf("%lu records, read in a sandbox: %s\n", n, holds ? "yes" : "no");
 *		status = pp_reader_status(in);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_SANDBOX_H
#define PERFPIPE_SANDBOX_H

#ifndef PP_UNSTABLE
#error "<perfpipe/sandbox.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a stage does besides reading and writing the descriptors that it has. */
enum {
	PP_STAGE_SPOOLS = 1 << 0,     /* it puts bytes aside, in files without a name in $TMPDIR or /tmp */
	PP_STAGE_ASKS   = 1 << 1,     /* it asks another process, which it started before, for files */
	PP_STAGE_TALKS  = 1 << 2,     /* it asks such a process for what is in files, and reads none itself */
	PP_STAGE_FORKS  = 1 << 3,     /* it may start a process, which has no other rights, until
				       * pp_sandbox_narrow(): one that asks for files */
	PP_STAGE_THREADS = 1 << 4,    /* it starts threads */
};

struct pp_sandbox_options {
	size_t size;                  /* of this struct: what a caller sets first */
	unsigned does;                /* PP_STAGE_ */
	const char *output;           /* the folder where an output has yet to get its name, or NULL */
	const char *written;          /* the folder below which it opens and makes files, or NULL */
};

/* What holds from then on. */
enum {
	PP_SANDBOX_CALLS = 1 << 0,    /* a filter of system calls (seccomp) */
	PP_SANDBOX_FILES = 1 << 1,    /* no way to files (Landlock) */
};

/*
 * Gives up for good, in this thread and those that it starts, whatever the stage does not need: capabilities,
 * files that are not open yet (Landlock), and all system calls but those for memory, signals and the
 * descriptors that there are (seccomp).  A call that is not left kills the process.  Where the kernel has no
 * Landlock, a stage that has `written` can open files anywhere.  *holds: PP_SANDBOX_ of what this kernel has;
 * a program that was built with a sanitizer, which needs calls of its own, has neither.  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_sandbox_enter(const struct pp_sandbox_options *, unsigned *holds,
					  struct pp_error *);
/* Gives up the rest, where that `does` PP_STAGE_FORKS: no process is started from now on; and, unless `asks`,
 * which is for the one that was started, no file that has a name is asked for: such a call kills it, too.  0,
 * or -1 and *error. */
PP_API PP_MUST_CHECK int pp_sandbox_narrow(bool asks, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
