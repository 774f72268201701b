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
	PP_STAGE_TALKS  = 1 << 2,     /* it asks such a process for what files say, and reads none itself */
	PP_STAGE_FORKS  = 1 << 3,     /* until pp_sandbox_narrow() it may start a process that asks for files,
				       * which has the rights of this one and no others */
	PP_STAGE_THREADS = 1 << 4,    /* it starts threads */
	PP_STAGE_DEPUTY = 1 << 5,     /* a deputy does for it whatever takes a path */
	PP_STAGE_REMAKES = 1 << 6,    /* it makes its output, in `output`, anew now and then */
	PP_STAGE_SCREEN = 1 << 7,     /* it draws on a terminal */
	PP_STAGE_SIGNALS = 1 << 8,    /* it sends signals to processes of which it has a pidfd */
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
/* After pp_sandbox_enter() with PP_STAGE_FORKS: gives up starting processes.  `asks` is for the process that
 * was started, whose libraries may still look for files by name, in vain; without it such a call kills.  0,
 * or -1 and *error. */
PP_API PP_MUST_CHECK int pp_sandbox_narrow(bool asks, struct pp_error *);

/*
 * A process that does for a stage what the stage gives up, such as opening files to write.  It is started
 * before pp_sandbox_enter(), keeps all its rights, and gets no bytes of a stream but those in questions.
 * Signals that can be blocked do not reach it; it ends when the stage does.
 */
struct pp_deputy;
enum { PP_DEPUTY_MOST = 8192 };       /* bytes of a question, and of the text of an answer */
struct pp_deputy_answer {
	int number;                   /* this and the text mean what both sides have agreed on */
	int fd;                       /* a descriptor, which the deputy closes once it is sent; -1: none */
	size_t length;                /* of the text */
	char text[PP_DEPUTY_MOST];
};
/* In the deputy: answers a question, and trusts nothing in it, since a stream may have taken over the stage.
 * Before the call the answer has number 0, no descriptor and no text. */
typedef void pp_deputy_fn(void *arg, const void *question, size_t size, struct pp_deputy_answer *);
/* Starts one that has `act` answer.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_deputy *pp_deputy_start(pp_deputy_fn *act, void *arg, struct pp_error *);
/* Asks, and waits: 0 and the answer, whose descriptor is the caller's; -1 and errno, ESRCH where there is no
 * such process any more, EMFILE where no more descriptors fit. */
PP_API PP_MUST_CHECK int pp_deputy_ask(struct pp_deputy *, const void *question, size_t size,
				       struct pp_deputy_answer *);
/*
 * One that opens files for reading, and folders, at or below these paths and no others: the functions of this
 * library that read files of metrics, and how CPUs are joined, ask it for them until it is stopped.  NULL and
 * *error.
 */
PP_API PP_MUST_CHECK struct pp_deputy *pp_deputy_reading(const char *const *below, size_t n,
							 struct pp_error *);
PP_API void pp_deputy_stop(struct pp_deputy *);        /* waits for its end; NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
