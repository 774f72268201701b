/*
 * stage_sandbox.c - what a stage gives up before it reads what others made, and the one list of system calls
 * that stages keep: those of all of them, and those of what some do besides.
 */
#include "base/sized_options.h"
#include "base/spool.h"
#include "sandbox/sandbox.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/net.h>
#include <perfpipe/sandbox.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* None of these opens a file, starts a program, or reaches another process.  The most frequent come first. */
static const struct pp_call of_all[] = {
	PP_CALL(read, "the stream"),
	PP_CALL(writev, "the stream"),
	PP_CALL(write, "the stream, messages, the progress line"),
	PP_CALL(pread64, "streams that are files, and records that wait in one"),
	PP_CALL(pwrite64, "records that wait in a file, and files that are written in several places"),
	PP_CALL(ftruncate, "these"),
	PP_CALL(fallocate, "the same"),
#ifdef SYS_poll
	PP_CALL(poll, "streams that do not block"),
#endif
	PP_CALL(ppoll, "the same"),
	PP_CALL(close, "inputs that were read"),
	PP_CALL(fstat, "the size of a file"),
#ifdef SYS_newfstatat
	PP_CALL_IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, "the same"),
#endif
	PP_CALL(lseek, "where a stream that is a file is"),
	PP_CALL(fcntl, "a pipe's size and flags"),
#ifdef SYS_fadvise64
	PP_CALL(fadvise64, "a stream that is a file"),
#endif
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ, "the width of a terminal"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCGETS, "whether a descriptor is a terminal"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, FIONREAD, "what a pipe holds"),
	PP_CALL(uname, "which processor and kernel this is"),

	/* time and signals */
	PP_CALL(clock_gettime, "clocks, where the kernel's page does not have them"),
	PP_CALL(gettimeofday, "the same"),
	PP_CALL(clock_nanosleep, "waiting"),
	PP_CALL(setitimer, "the progress line's timer"),
	PP_CALL(rt_sigaction, "signals, at the end"),

#include "sandbox/syscalls.def"
	PP_CALL_IF(prlimit64, 2, UINT32_MAX, 0, "limits: looked at, not changed"),
};

/* An output has yet to get its name, in the folder that Landlock leaves. */
static const struct pp_call of_names[] = {
#ifdef SYS_rename
	PP_CALL(rename, "an output gets its name"),
#endif
#ifdef SYS_renameat
	PP_CALL(renameat, "the same"),
#endif
	PP_CALL(renameat2, "the same"),
#ifdef SYS_unlink
	PP_CALL(unlink, "an output that is not whole goes"),
#endif
	PP_CALL(unlinkat, "the same"),
};

/* To write, and through no link. */
static const struct pp_call of_remaking[] = {
	PP_CALL_IF(openat, 2, O_ACCMODE | O_NOFOLLOW | O_PATH, O_WRONLY | O_NOFOLLOW, "the output"),
	PP_CALL(fchmod, "it has the mode of what it replaces"),
};

/* Its modes, and what was typed; who may have it is not theirs to change. */
static const struct pp_call of_screens[] = {
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCSETS, "how a terminal takes keys"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCSETSW, "after what was printed"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCSETSF, "and without keys that came before"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCFLSH, "and to drop those keys"),
};

/* A pidfd can be opened no more. */
static const struct pp_call of_signals[] = {
#ifdef SYS_pidfd_send_signal
	PP_CALL(pidfd_send_signal, "the end of a process that was started before"),
#endif
	PP_CALL(wait4, "how it ended"),
};

static const struct pp_call of_spools[] = {
	PP_CALL_IF(openat, 2, O_TMPFILE, O_TMPFILE, "a file without a name"),
};

static const struct pp_call of_written[] = {
	PP_CALL(openat, "files in the folder that is written to"),
};

static const struct pp_call of_talking[] = {
	PP_CALL(sendmsg, "questions"),
	PP_CALL(recvmsg, "its answers, which may be descriptors"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "questions"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "answers"),
#endif
	PP_CALL(wait4, "the end of the other process"),
};

static const struct pp_call of_deputies[] = {
	PP_CALL(getdents64, "names in a folder that it was given"),
};

/* Who reads files does that by libraries. */
static const struct pp_call of_asking[] = {
#ifdef SYS_open
	PP_CALL_NOT(open, ENOENT, "libraries that look for more files"),
#endif
	PP_CALL_NOT(openat, ENOENT, "the same"),
};

enum {
#if defined(__s390x__)
	FORK_FLAGS = 1,               /* which argument of clone(2) */
#else
	FORK_FLAGS = 0,
#endif
	FORK = CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD,
	THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		 CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
};

/* fork() as the C library makes it, no other namespace and no thread; what the new process does about its
 * parent; and giving up these. */
static const struct pp_call of_forking[] = {
	PP_CALL_IF(clone, FORK_FLAGS, UINT32_MAX, FORK, "one more process"),
	PP_CALL(set_robust_list, "the same"),
	PP_CALL(pipe2, "what it writes"),
	PP_CALL_IF(socketpair, 0, UINT32_MAX, AF_UNIX, "what it asks"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SOCKETPAIR, "the same"),
#endif
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_SET_PDEATHSIG, "its end with this one's"),
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_SET_NAME, "its name"),
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_SET_NO_NEW_PRIVS, "giving up more"),
	PP_CALL(getppid, "whether that is there"),
	PP_CALL(seccomp, "giving up more"),
};

/* As the C library makes them. */
static const struct pp_call of_threads[] = {
	PP_CALL_IF(clone, FORK_FLAGS, UINT32_MAX, THREAD, "a thread"),
#ifdef SYS_clone3
	PP_CALL_NOT(clone3, ENOSYS, "what is in memory, where no filter sees it; then clone(2) is called"),
#endif
	PP_CALL(set_robust_list, "its start"),
#ifdef SYS_rseq
	PP_CALL(rseq, "the same"),
#endif
	PP_CALL(exit, "its end"),
};

static const struct pp_call without_forking[] = {
	PP_CALL_IF(clone, FORK_FLAGS, UINT32_MAX, THREAD, "as it was"),
	PP_CALL_NO_MORE(clone, "it was started"),
	PP_CALL_NO_MORE(pipe2, "the same"),
	PP_CALL_NO_MORE(socketpair, "the same"),
	PP_CALL_NO_MORE(prctl, "the same"),
	PP_CALL_NO_MORE(getppid, "the same"),
	PP_CALL_NO_MORE(seccomp, "there is no more to give up"),
};

/* Of one that reads no files. */
static const struct pp_call without_opening[] = {
#ifdef SYS_open
	PP_CALL_NO_MORE(open, "libraries were the other's"),
#endif
	PP_CALL_IF(openat, 2, O_TMPFILE, O_TMPFILE, "as it was"),
	PP_CALL_NO_MORE(openat, "libraries were the other's"),
};

#define LENGTH(rows) (sizeof(rows) / sizeof((rows)[0]))

struct chosen_calls {
	struct pp_call calls[LENGTH(of_all) + LENGTH(of_names) + LENGTH(of_remaking) + LENGTH(of_screens) +
			     LENGTH(of_signals) + LENGTH(of_spools) + LENGTH(of_written) +
			     LENGTH(of_talking) + LENGTH(of_deputies) + LENGTH(of_forking) +
			     LENGTH(of_threads) + LENGTH(of_asking)];
	size_t n;
};

static void add_rows(struct chosen_calls *to, const struct pp_call *rows, size_t n)
{
	memcpy(to->calls + to->n, rows, n * sizeof(*rows));
	to->n += n;
}

/* Those of what the stage does; of two for one call the first that fits counts. */
static void choose_rows(struct chosen_calls *to, const struct pp_sandbox_options *stage)
{
	to->n = 0;
	add_rows(to, of_all, LENGTH(of_all));
	if (stage->output || stage->written)
		add_rows(to, of_names, LENGTH(of_names));
	if (stage->written)
		add_rows(to, of_written, LENGTH(of_written));
	if (stage->does & PP_STAGE_REMAKES)
		add_rows(to, of_remaking, LENGTH(of_remaking));
	if (stage->does & PP_STAGE_SCREEN)
		add_rows(to, of_screens, LENGTH(of_screens));
	if (stage->does & PP_STAGE_SIGNALS)
		add_rows(to, of_signals, LENGTH(of_signals));
	if (stage->does & PP_STAGE_SPOOLS)
		add_rows(to, of_spools, LENGTH(of_spools));
	if (stage->does & PP_STAGE_DEPUTY)
		add_rows(to, of_deputies, LENGTH(of_deputies));
	if (stage->does & (PP_STAGE_ASKS | PP_STAGE_TALKS | PP_STAGE_DEPUTY))
		add_rows(to, of_talking, LENGTH(of_talking));
	if (stage->does & PP_STAGE_FORKS)
		add_rows(to, of_forking, LENGTH(of_forking));
	if (stage->does & PP_STAGE_THREADS)
		add_rows(to, of_threads, LENGTH(of_threads));
	if (stage->does & (PP_STAGE_ASKS | PP_STAGE_FORKS))
		add_rows(to, of_asking, LENGTH(of_asking));
}

/* Whether a file can be made in another user's folder by root alone. */
static bool is_private(const char *folder)
{
	struct stat st;

	return folder && !stat(folder, &st) && st.st_uid != geteuid() && !(st.st_mode & S_IWOTH);
}

int pp_sandbox_enter(const struct pp_sandbox_options *given, unsigned *holds, struct pp_error *error)
{
	/* without these root could not make or rename what is in another user's folder */
	const uint64_t writing = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_FOWNER;
	struct pp_sandbox_options stage;
	struct chosen_calls rows;
	int files, filtered;

	if (pp_options_take(&stage, sizeof(stage), given, error))
		return -1;

	const char *const spools = stage.does & PP_STAGE_SPOOLS ? pp_temporary_folder() : NULL;
	const uint64_t kept = stage.output || stage.written || is_private(spools) ? writing : 0;
	const struct pp_left_folder folders[] = {
		{ stage.output, stage.does & PP_STAGE_REMAKES ? PP_LEFT_OUTPUTS : PP_LEFT_NAMES },
		{ stage.written, PP_LEFT_FILES },
		{ spools, PP_LEFT_SPOOLS },
	};

	if (spools)
		pp_temporary_prepare();
	if (pp_sandbox_capabilities(kept, error))
		return -1;
	files = PP_SEEKS_LEAKS ? 0 : pp_sandbox_files(folders, LENGTH(folders), error);
	if (files < 0)
		return -1;
	choose_rows(&rows, &stage);
	filtered = pp_sandbox_calls(rows.calls, rows.n, error);
	if (filtered < 0)
		return -1;
	*holds = (files ? PP_SANDBOX_FILES : 0) | (filtered ? PP_SANDBOX_CALLS : 0);
	return 0;
}

int pp_sandbox_narrow(bool asks, struct pp_error *error)
{
	struct chosen_calls rows;

	rows.n = 0;
	add_rows(&rows, without_forking, LENGTH(without_forking));
	if (!asks)
		add_rows(&rows, without_opening, LENGTH(without_opening));
	return pp_sandbox_without(rows.calls, rows.n, error) < 0 ? -1 : 0;
}
