/* priority.c - how soon the recorder runs when there is something to read. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/priority.h"
#include "cli/cli.h"

enum {
	SLICE = 100 * 1000,           /* ns: the shortest that kernels have */
};

/* As sched_setattr(2) takes it.  <linux/sched/types.h> and <sched.h> do not go together everywhere. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/*
 * Who asks for short slices is run earlier than others (Linux 6.12 and later), without a larger share.
 * With the usual ones a recorder that was woken waits until the slice of what runs there ends, some
 * milliseconds, in which a busy CPU fills its buffer.  It is no harm where this cannot be had.
 */
static void shorten_slices(void)
{
	struct attributes a = { .size = sizeof(a) };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_OTHER)
		return;
	a.runtime = SLICE;
	(void)syscall(SYS_sched_setattr, 0, &a, 0);
}

/* Not of the command, which was forked before, nor, where there are no threads, of what is forked
 * later. */
void take_priority(int realtime, bool threads)
{
	const struct sched_param param = { .sched_priority = realtime };
	const int policy = threads ? SCHED_FIFO : SCHED_FIFO | SCHED_RESET_ON_FORK;

	if (!realtime)
		shorten_slices();
	else if (sched_setscheduler(0, policy, &param))
		cli_die_os("cannot take real-time priority %d (root, CAP_SYS_NICE or ulimit -r may)",
			   realtime);
}
