/*
 * confine.c - what a running recording gives up, and the one list of system calls that it keeps; how
 * that is enforced is left to base/confine.c.
 */
#include "base/confine.h"
#include "capture/capture.h"

#include <asm/termbits.h>
#include <asm/ioctls.h>
#include <errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ANY(name, because) { .number = SYS_##name, .why = because }
#define IF(name, which, bits, wanted, because) \
	{ .number = SYS_##name, .why = because, .argument = which, .mask = bits, .value = wanted }
#define NOT(name, os, because) { .number = SYS_##name, .why = because, .refused = os }

/* ioctl(2): the second byte of a request says whose it is. */
#define IOCTL_OF 0xff00
#if defined(__s390x__)
enum { CLONE_FLAGS = 1 };             /* which argument of clone(2) they are */
#else
enum { CLONE_FLAGS = 0 };
#endif

/* None of these opens a file, starts a program, or reaches another process but by a descriptor or a
 * signal.  The most frequent come first. */
static const struct pp_call kept[] = {
	ANY(writev, "the stream"),
	ANY(ppoll, "waiting for the kernel's buffers"),
	ANY(write, "the stream where it is compressed, messages, the progress line"),
	IF(ioctl, 1, IOCTL_OF, '$' << 8, "perf: enable, disable, period, output, pause"),
	ANY(read, "counters, --control, whether the command could be executed"),
	ANY(wait4, "the end of the command"),
	ANY(waitid, "the same"),
#ifdef SYS_poll
	ANY(poll, "a standard output that does not block"),
#endif
	ANY(membarrier, "waiting for records that the kernel is writing, before a snapshot"),
	ANY(pread64, "what is read at a place"),
	ANY(close, "descriptors at the end"),
	ANY(lseek, "where an output file ends"),
	ANY(fstat, "an output file at the end"),
#ifdef SYS_newfstatat
	IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, "the same, of a descriptor, by other libraries"),
#endif
	ANY(fcntl, "a pipe's size and flags"),
	IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ, "the width of a terminal"),
	IF(ioctl, 1, UINT32_MAX, TCGETS, "whether a descriptor is a terminal"),

	/* the command, and the helper that keeps what this process gives up */
	ANY(sendto, "lets the command go"),
	ANY(sendmsg, "questions to the helper"),
	ANY(recvmsg, "its answers, which are descriptors"),
	ANY(getdents64, "threads of a process, by such a descriptor"),
	ANY(kill, "ends the command"),
	ANY(shutdown, "the end of the helper"),
#ifdef SYS_socketcall
	/* all of these where the C library is built for kernels before 4.3, as Debian's for s390x */
	IF(socketcall, 0, UINT32_MAX, SYS_SEND, "lets the command go"),
	IF(socketcall, 0, UINT32_MAX, SYS_SENDTO, "the same"),
	IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "questions to the helper"),
	IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "its answers"),
	IF(socketcall, 0, UINT32_MAX, SYS_SHUTDOWN, "the end of the helper"),
#endif

	/* time and signals */
	ANY(clock_gettime, "clocks, where the kernel's page does not have them"),
	ANY(clock_getres, "the same"),
	ANY(gettimeofday, "the same"),
	ANY(clock_nanosleep, "waiting"),
	ANY(nanosleep, "the same"),
	ANY(setitimer, "the progress line's timer"),
#ifdef SYS_timerfd_settime
	ANY(timerfd_settime, "other timers"),
#endif
	ANY(rt_sigaction, "signals, at the end"),
	ANY(rt_sigprocmask, "signals around waits and threads"),
	ANY(rt_sigsuspend, "waiting for the end of the command"),
	ANY(rt_sigreturn, "the end of a handler"),
#ifdef SYS_sigreturn
	ANY(sigreturn, "the same, where it was not asked for details (s390x)"),
#endif
	ANY(rt_sigtimedwait, "signals that a thread takes"),
	ANY(restart_syscall, "a wait that a stop interrupted"),
	ANY(getrusage, "what the recording itself cost"),

	/* memory */
	ANY(brk, "more memory"),
#if defined(__s390x__)
	ANY(mmap, "more memory and buffers; its arguments are in memory, where no filter sees them"),
#else
	IF(mmap, 2, PROT_EXEC, 0, "more memory and buffers; nothing that can be executed"),
#endif
	IF(mprotect, 2, PROT_EXEC, 0, "stacks of threads; nothing that can be executed"),
	ANY(munmap, "less memory"),
	ANY(mremap, "memory that grows"),
	ANY(madvise, "memory that is given back"),
	ANY(sysinfo, "how much there is, for qsort()"),

	/* threads, of this process alone */
	IF(clone, CLONE_FLAGS, CLONE_THREAD, CLONE_THREAD, "threads"),
	NOT(clone3, ENOSYS, "its flags are in memory, where no filter sees them: libraries try clone"),
	ANY(futex, "locks"),
	ANY(set_robust_list, "a new thread"),
#ifdef SYS_rseq
	ANY(rseq, "a new thread"),
#endif
	ANY(gettid, "a thread itself"),
	ANY(getpid, "abort(), messages"),
	ANY(tgkill, "abort(), and signals between threads"),
	ANY(sigaltstack, "the end of a thread"),
	ANY(sched_yield, "locks"),
	ANY(sched_setaffinity, "threads that read the buffers of their CPU"),
	ANY(sched_getaffinity, "the same"),
	ANY(getcpu, "the same"),
	IF(prctl, 0, UINT32_MAX, PR_SET_NAME, "names of threads"),
	IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_ENABLE, "counters of its own"),
	IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_DISABLE, "the same"),
	IF(prlimit64, 2, UINT32_MAX, 0, "limits: looked at, not changed"),
	ANY(getrandom, "seeds of libraries"),
	ANY(exit, "the end of a thread"),
	ANY(exit_group, "the end"),
};

int pp_capture_confine(struct pp_capture *c, struct pp_error *error)
{
	const bool late = c->options.sideband == PP_SIDEBAND_LATE;

	if (pp_keeper_start(&c->keeper, late, c->target.command, error) ||
	    pp_confine_capabilities(0, error))
		return -1;
	return pp_confine_calls(kept, sizeof(kept) / sizeof(kept[0]), error);
}
