/*
 * capture_sandbox.c - what a running recording gives up, and the one list of system calls that it
 * keeps.
 */
#include "sandbox/sandbox.h"
#include "record/capture.h"

#include <asm/termbits.h>
#include <asm/ioctls.h>
#include <errno.h>
#include <linux/fcntl.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

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
	PP_CALL(writev, "the stream"),
	PP_CALL(ppoll, "waiting for the kernel's buffers"),
	PP_CALL(write, "the stream where it is compressed, messages, the progress line"),
	PP_CALL_IF(ioctl, 1, IOCTL_OF, '$' << 8, "perf: enable, disable, period, output, pause"),
	PP_CALL(read, "counters, the descriptor of commands, whether the command could be executed"),
	PP_CALL(wait4, "the end of the command"),
	PP_CALL(waitid, "the same"),
#ifdef SYS_poll
	PP_CALL(poll, "a standard output that does not block"),
#endif
	PP_CALL(membarrier, "waiting for records that the kernel is writing, before a snapshot"),
	PP_CALL(pread64, "what is read at a place"),
	PP_CALL(close, "descriptors at the end"),
	PP_CALL(lseek, "where an output file ends"),
	PP_CALL(fstat, "an output file at the end, mapped files"),
	PP_CALL(fstatfs, "whose clock the times of a mapped file are of"),
#ifdef SYS_newfstatat
	PP_CALL_IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH,
		   "the same, of a descriptor, by other libraries"),
#endif
	PP_CALL(fcntl, "a pipe's size and flags"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ, "the width of a terminal"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, TCGETS, "whether a descriptor is a terminal"),

	/* the command, and the helper that keeps what this process gives up */
	PP_CALL(sendto, "lets the command go"),
	PP_CALL(sendmsg, "questions to the helper"),
	PP_CALL(recvmsg, "its answers, which are descriptors"),
	PP_CALL(getdents64, "threads of a process, by such a descriptor"),
	PP_CALL(kill, "ends the command"),
	PP_CALL(shutdown, "the end of the helper"),
#ifdef SYS_socketcall
	/* all of these where the C library is built for kernels before 4.3, as Debian's for s390x */
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SEND, "lets the command go"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDTO, "the same"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "questions to the helper"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "its answers"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SHUTDOWN, "the end of the helper"),
#endif

	/* time and signals */
	PP_CALL(clock_gettime, "clocks, where the kernel's page does not have them"),
	PP_CALL(clock_getres, "the same"),
	PP_CALL(gettimeofday, "the same"),
	PP_CALL(clock_nanosleep, "waiting"),
	PP_CALL(nanosleep, "the same"),
	PP_CALL(setitimer, "the progress line's timer"),
#ifdef SYS_timerfd_settime
	PP_CALL(timerfd_settime, "other timers"),
#endif
	PP_CALL(rt_sigaction, "signals, at the end"),
	PP_CALL(rt_sigsuspend, "waiting for the end of the command"),
	PP_CALL(rt_sigtimedwait, "signals that a thread takes"),
	PP_CALL(getrusage, "what the recording itself cost"),

#include "sandbox/syscalls.def"

	/* threads, of this process alone */
	PP_CALL_IF(clone, CLONE_FLAGS, CLONE_THREAD, CLONE_THREAD, "threads"),
	PP_CALL_NOT(clone3, ENOSYS,
		    "its flags are in memory, where no filter sees them: libraries try clone"),
	PP_CALL(set_robust_list, "a new thread"),
#ifdef SYS_rseq
	PP_CALL(rseq, "a new thread"),
#endif
	PP_CALL(sigaltstack, "the end of a thread"),
	PP_CALL(sched_yield, "locks"),
	PP_CALL(sched_setaffinity, "threads that read the buffers of their CPU"),
	PP_CALL(sched_getaffinity, "the same"),
	PP_CALL(getcpu, "the same"),
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_SET_NAME, "names of threads"),
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_ENABLE, "counters of its own"),
	PP_CALL_IF(prctl, 0, UINT32_MAX, PR_TASK_PERF_EVENTS_DISABLE, "the same"),
	PP_CALL_IF(prlimit64, 2, UINT32_MAX, 0, "limits: looked at, not changed"),
	PP_CALL(exit, "the end of a thread"),
};

int pp_capture_confine(struct pp_capture *c, struct pp_error *error)
{
	const bool asks = c->options.sideband == PP_SIDEBAND_LATE || c->rings.learns;

	if (pp_keeper_start(&c->keeper, asks, c->target.command, error) ||
	    pp_sandbox_capabilities(0, error))
		return -1;
	return pp_sandbox_calls(kept, sizeof(kept) / sizeof(kept[0]), error);
}
