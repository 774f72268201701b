/*
 * reader_sandbox.c - what a process gives up that reads files which others found for it, and the one
 * list of system calls that it keeps.
 */
#include "elf/elfutils.h"
#include "sandbox/sandbox.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/net.h>
#include <perfpipe/opener.h>
#include <perfpipe/symbol.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* None of these but the first opens a file, starts a program, or reaches another process but by a
 * descriptor.  The most frequent come first. */
static const struct pp_call kept[] = {
	PP_CALL(openat, "files in the folder that is written to; where there is none this row is left out"),
	PP_CALL(read, "the stream"),
	PP_CALL(writev, "the stream"),
	PP_CALL(write, "the stream, messages, the progress line"),
	PP_CALL(pread64, "sections of a file, and streams that are files"),
	PP_CALL(pwrite64, "images of code, and records that wait in a file"),
	PP_CALL(ftruncate, "these"),
	PP_CALL(fallocate, "the same"),
#ifdef SYS_poll
	PP_CALL(poll, "streams that do not block"),
#endif
	PP_CALL(ppoll, "the same"),

	/* files, which another process finds */
	PP_CALL(sendmsg, "questions"),
	PP_CALL(recvmsg, "its answers, which are descriptors"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "questions"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "its answers"),
#endif
	PP_CALL(close, "files that were read"),
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
	PP_CALL(wait4, "the end of the other process"),

	/* names of files, in the folders that Landlock leaves */
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

	/* time and signals */
	PP_CALL(clock_gettime, "clocks, where the kernel's page does not have them"),
	PP_CALL(gettimeofday, "the same"),
	PP_CALL(clock_nanosleep, "waiting"),
	PP_CALL(setitimer, "the progress line's timer"),
	PP_CALL(rt_sigaction, "signals, at the end"),

#include "sandbox/syscalls.def"
	PP_CALL_IF(prlimit64, 2, UINT32_MAX, 0, "limits: looked at, not changed"),
#ifdef SYS_open
	PP_CALL_NOT(open, ENOENT, "libraries that look for more files"),
#endif
	PP_CALL_NOT(openat, ENOENT, "the same"),
};
#define N_KEPT (sizeof(kept) / sizeof(kept[0]))

int pp_reader_confine(const char *output, const char *written, unsigned *isolated, struct pp_error *error)
{
	const struct pp_left_folder folders[] = { { output, false }, { written, true } };
	const struct pp_call *const calls = written ? kept : kept + 1;
	/* without these root could not make or rename what is in another user's folder */
	const uint64_t renaming = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_FOWNER;
	int files, filtered;

	if (pp_elfutils_load(error))
		return -1;
	if (pp_sandbox_capabilities(output || written ? renaming : 0, error))
		return -1;
	files = PP_SEEKS_LEAKS ? 0 : pp_sandbox_files(folders, 2, error);
	filtered = files < 0 ? -1 : pp_sandbox_calls(calls, (size_t)(kept + N_KEPT - calls), error);
	if (filtered < 0)
		return -1;
	*isolated = PP_ISOLATED_PROCESS | (files ? PP_ISOLATED_FILES : 0) |
		    (filtered ? PP_ISOLATED_CALLS : 0);
	return 0;
}
