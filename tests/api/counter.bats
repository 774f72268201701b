#!/usr/bin/env bats
# counter.bats - counting as a program asks for it: itself, a thread, a command; by each way of reading;
# and beside perf stat of the same run.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load api
	installed
}

# need_breakpoints: says aloud, and to the programs, if this machine takes breakpoints that never count
need_breakpoints() {
	cat >fires.c <<-'END'
		#include <linux/hw_breakpoint.h>
		#include <linux/perf_event.h>
		#include <stdint.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static volatile long watched;
		int main(void)
		{
			struct perf_event_attr a = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(a), .bp_type = HW_BREAKPOINT_W,
				.bp_addr = (uintptr_t)&watched, .bp_len = HW_BREAKPOINT_LEN_8, .exclude_kernel = 1 };
			const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
			uint64_t count = 0;
			watched = 1;
			return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) && !count;
		}
	END
	"${CC:-cc}" -o fires fires.c
	./fires || { export NO_BREAKPOINTS=1; echo "# breakpoints are taken here, and never count: they are left out" >&3; }
}

# counts: perf_event_open() is allowed to this user
counts() {
	need_perf
	perf stat -e page-faults true 2>probe.txt || skip "nothing can be counted here"
}

@test "a thread, its children and mistakes are counted and named, in C and C++" {
	need_kernel
	counts
	need_breakpoints
	cp "$ROOT/tests/api/count.c" count.cc
	everyway count.cc ./program
	everyway "$ROOT/tests/api/count.c" ./program
}

@test "what a program counts of itself is what perf stat counts of it, but for its start and end" {
	need_kernel
	counts
	links "$ROOT/tests/api/count.c" program
	run -0 perf stat -x , -o perf.csv -e page-faults,context-switches,task-clock ./program self
	while read -r event own; do
		all=$(awk -F , -v event="$event" '$3 ~ event { print int($2 == "msec" ? $1 * 1e6 : $1) }' perf.csv)
		echo "$event: own $own, perf $all"
		[ "$own" -gt 0 ]
		[ "$own" -le "$all" ]
	done <<<"$output"
	# of 15000 pages a third was touched while the counters were enabled; the rest is the program's
	faults=$(awk -F , '/page-faults/ { print $1 }' perf.csv)
	own=$(awk '/page-faults/ { print $2 }' <<<"$output")
	[ $((faults - own)) -ge 10000 ]
	[ $((faults - own)) -le 10500 ]
}

@test "a command is counted as perf stat counts it" {
	counts
	links "$ROOT/tests/api/count.c" program
	run -0 ./program command ./program work
	run -3 perf stat -x , -o perf.csv -e page-faults ./program work
	faults=$(awk -F , '/page-faults/ { print $1 }' perf.csv)
	own=$(./program command ./program work)
	echo "own $own, perf $faults"
	[ "$own" -ge 5000 ]
	[ $((own - faults)) -le 100 ]
	[ $((faults - own)) -le 100 ]
	run -4 ./program command /nonexistent/command
	[[ "$output" == *"cannot run /nonexistent/command"* ]]
}

# As an answer of the kernel, not of this machine: the fake one logs what it is asked.
@test "all that can be asked of counters is asked as it should be" {
	links "$ROOT/tests/api/control.c" program
	FAKE_COUNT=321 FAKE_LOG=$PWD/log LD_PRELOAD=$BIN/tests/fake/kernel.so run -0 ./program
	[ "$output" = '321 321 1000000000' ]
	grep '^ioctl' log | sed -E 's/(QUERY_BPF) [0-9]+/\1/' >asked
	diff asked - <<-'END'
		ioctl 1 ENABLE 0
		ioctl 3 ENABLE 0
		ioctl 2 ENABLE 0
		ioctl 1 DISABLE 0
		ioctl 3 DISABLE 0
		ioctl 3 DISABLE 0
		ioctl 1 RESET 1
		ioctl 3 RESET 1
		ioctl 2 RESET 0
		ioctl 3 REFRESH 7
		ioctl 3 PERIOD 12345678901
		ioctl 1 PAUSE_OUTPUT 1
		ioctl 1 PAUSE_OUTPUT 0
		ioctl 3 SET_FILTER a == 1 && b > 2
		ioctl 3 SET_BPF 99
		ioctl 3 QUERY_BPF
		ioctl 2 SET_OUTPUT 1
		ioctl 2 SET_OUTPUT 0
	END
}

# bats test_tags=T3-A23
@test "an empty name of a folder that takes the place of /proc is none" {
	cat >roots.c <<-'END'
		#define PP_UNSTABLE
		#include <perfpipe/roots.h>
		#include <perfpipe/selftest.h>
		#include <string.h>
		static void show(void *arg, const struct pp_check_result *r)
		{
			if (r->by && !strcmp(r->by, "proc"))
				*(int *)arg = 1;
		}
		int main(void)
		{
			int lacking = 0;
			pp_roots_set(&(struct pp_roots){ "", "", "" });
			(void)pp_self_test(show, &lacking);
			return lacking;
		}
	END
	links roots.c roots
	./roots
}

# Of the calling thread's events those that are sampled have rings, and can send their samples elsewhere.
# bats test_tags=T3-A23
@test "each request to counters does what it is for, one by one" {
	counts
	need_breakpoints
	cp "$ROOT/tests/api/effects.c" effects.cc
	local how
	for how in "$ROOT/tests/api/effects.c" effects.cc; do
		links "$how" program
		./program >effects
		run cat effects
		refute_line --partial fails
		run awk '{ print $1 }' effects
		assert_output "$(printf '%s\n' ENABLE DISABLE REFRESH RESET PERIOD SET_OUTPUT SET_FILTER ID SET_BPF PAUSE_OUTPUT \
			QUERY_BPF MODIFY_ATTRIBUTES PR_TASK_PERF_EVENTS_ENABLE PR_TASK_PERF_EVENTS_DISABLE)"
	done
	! grep -q refused effects || skip "not to be tried here: $(awk '/refused/ { print $1 }' effects | tr '\n' ' ')"
}
