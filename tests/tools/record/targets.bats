# pp-record: whom it records, and where; what it says where that cannot be.

setup() {
	load ../../helper
	load recorder
	worker= open=
}

teardown() {
	touch stop
	[ -z "$worker" ] || kill "$worker" 2>/dev/null || :
	[ -z "$open" ] || rm -rf "$open"
}

# privately COMMAND: a shell with mounts of its own
privately() { unshare -m --propagation private sh -c "$1"; }

need_privacy() {
	need unshare
	need_root
	once privacy unshare -m --propagation private true || skip "no mount namespace can be made here"
}

# refused STATUS TEXT COMMAND...: it ends with the status, says the text, and writes nothing
refused() {
	local status=$1 text=$2
	shift 2
	run "-$status" --separate-stderr "$@"
	assert_output ''
	[[ $stderr == *"$text"* ]] || { echo "$stderr"; return 1; }
}

# threads N: a program that starts N threads, which wait, or with N 0 starts and ends them all the
# time, until there is a file called stop
threads() {
	need cc
	cat >threads.c <<-'EOF'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>

		static void *wait_here(void *unused) { pause(); return unused; }
		static void *work(void *unused) { for (volatile int i = 0; i < 20000; i++) ; return unused; }

		int main(int argc, char **argv)
		{
			const int n = argc > 1 ? atoi(argv[1]) : 0;
			pthread_attr_t small;
			pthread_t id;

			pthread_attr_init(&small);
			pthread_attr_setstacksize(&small, 16384);
			for (int i = 0; i < n; i++)
				if (pthread_create(&id, &small, wait_here, NULL))
					return 1;
			puts("ready");
			fflush(stdout);
			while (access("stop", F_OK)) {
				if (n) {
					usleep(10000);
				} else if (!pthread_create(&id, &small, work, NULL)) {
					pthread_detach(id);
					usleep(50);
				}
			}
			_exit(0);
		}
	EOF
	cc -O1 -pthread -o threads threads.c
	./threads "$1" >ready 3>&- &
	worker=$!
	for _ in {1..600}; do
		[ ! -s ready ] || return 0
		kill -0 $worker 2>/dev/null || skip "so many threads cannot be started here"
		sleep 0.1
	done
	return 1
}

# ---- threads and processes

@test "--per-thread has one counter for each thread, on no CPU, as perf does" {
	need_events
	need perf
	threads 7
	pp-record --per-thread -e cpu-clock -p $worker --duration 0.1 >ours
	pp-check ours
	perf record --per-thread -e cpu-clock -p $worker -o - -- sleep 0.1 >theirs 2>err
	for who in ours theirs; do
		json $who | jq -c 'select(.type == "ID_INDEX") | .fields.entries[] | [.idx, .cpu, .tid]' |
			sort -u -t, -k3 | head -8 >$who.index
		json $who | jq -c 'select(.type == "CPU_MAP") | .fields.map' >$who.cpus
	done
	same_bytes theirs.cpus ours.cpus
	run jq -c '.[1]' ours.index
	assert_output "$(printf '%s\n' -1 -1 -1 -1 -1 -1 -1 -1)"
	jq '.[2]' ours.index | sort >ours.tids
	ls /proc/$worker/task | sort >tids
	same_bytes tids ours.tids
	same_bytes <(jq '.[2]' theirs.index | sort) ours.tids
}

@test "--per-thread records a command, without what it starts, in a stream that perf reads" {
	need_events
	need_perf
	pp-record --per-thread -e cpu-clock -- perl -e 'unless (fork) { $i++ while $i < 3e6; exit } wait; $i++ while $i < 3e6' >out
	pp-check out
	perf_quiet script -i out -F comm,pid,tid >script
	run wc -l < <(sort -u script)
	assert_output 1
}

# bats test_tags=T3-C5
@test "-a wins over --per-thread, with a warning, as in perf" {
	need_events
	run -0 --separate-stderr pp-record -q -e cpu-clock -a --per-thread --duration 0.1 -o out
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-record -e cpu-clock -a --per-thread --duration 0.1 -o out
	assert_regex "$stderr" 'pp-record: .*--per-thread'
	pp-dump --json --type header_attr out >attrs
	grep -q '"inherit":\(true\|1\)' attrs || grep -q inherit attrs
}

@test "--per-thread keeps several events of many threads apart" {
	need_events
	threads 40
	pp-record --per-thread -e cpu-clock,page-faults -p $worker --duration 0.1 >out
	pp-check out
	[ "$(json out | jq -c 'select(.type == "ID_INDEX") | .fields.entries[] | .idx' | sort -un | wc -l)" -eq 41 ]
}

@test "threads that start and end all the time are no failure" {
	need_events
	threads 0
	local i how
	for i in 1 2 3; do
		for how in "" --per-thread; do
			# shellcheck disable=SC2086 # none or one
			pp-record -e cpu-clock $how -p $worker --max-samples 20 --duration 20 >out
			pp-check out
		done
	done
}

@test "ten thousand threads are refused at once where files are few, with what would do" {
	need_limits
	need_root
	[ "$(cat /sys/devices/system/cpu/online)" != 0 ] || skip "two CPUs are taken for granted"
	threads 10000
	refused 4 'ulimit -n 20' prlimit --nofile=300:300 setpriv --bounding-set=-sys_resource \
		--inh-caps=-sys_resource pp-record -C 0,1 -e cpu-clock -p $worker --duration 0.1
	[[ $stderr == *'10001 threads on 2 CPUs: 300 files may be open'* ]]
}

# bats test_tags=nightly
@test "ten thousand threads are recorded by --per-thread, once the limit on files is raised" {
	need_limits
	need_events
	[ "$(ulimit -Hn)" -gt 10100 ] || skip "so many files may not be open here"
	threads 10000
	prlimit --nofile=64:"$(ulimit -Hn)" pp-record --per-thread -e cpu-clock -p $worker --duration 0.1 >out
	pp-check out
	[ "$(json out | jq 'select(.type == "THREAD_MAP") | .fields.entries | length' | awk '{ n += $1 } END { print n }')" -eq 10001 ]
}

# reported FILE: how many records name tasks that were there before, or their parents
reported() { json "$1" | jq -c 'select(.type == "FORK" or .type == "COMM") | .fields | select((.sample_id.time // .time) == 0) | 1' | wc -l; }

# looked_up: how many files of processes were opened under strace
looked_up() { grep -c '"/proc/[0-9]*/\|"[0-9]*/\(stat\|comm\|maps\|status\)"' "$1" || :; }

# As records and as files, since times and sizes depend on what else is here.
# bats test_tags=nightly
@test "of ten thousand threads lazy writes a tenth of the names, and late reads a tenth of the files" {
	need_limits
	need_all_cpus
	need strace
	once pp_strace strace -o /dev/null true || skip "nothing can be traced here"
	threads 10000
	local mode
	for mode in all lazy late; do
		strace -f -qq -e trace=open,openat,openat2,newfstatat -o $mode.calls \
			pp-record -q --no-sandbox -a -e cpu-clock --sideband=$mode --max-samples 20 -o $mode
		pp-check -q $mode
	done
	[ "$(reported all)" -gt 20000 ]
	[ "$(reported lazy)" -lt "$(($(reported all) / 10))" ]
	[ "$(reported late)" -lt "$(($(reported all) / 10))" ]
	[ "$(looked_up all.calls)" -gt 10000 ]
	[ "$(looked_up late.calls)" -lt "$(($(looked_up all.calls) / 10))" ]
}

@test "several events of ten thousand threads are refused, with what would do" {
	need_limits
	need_events
	threads 10000
	refused 2 'record one event, or fewer threads' pp-record --per-thread -e cpu-clock,task-clock -p $worker
}

# bats test_tags=nightly
@test "-u records the processes of a user, by name and by number" {
	need_events
	need_root
	need setpriv
	setpriv --reuid 65534 --regid 65534 --clear-groups perl -e '$i++ while 1' 3>&- &
	worker=$!
	until_true grep -q '^Uid:.65534' /proc/$worker/status
	local user
	for user in 65534 "$(id -nu 65534)" "0x7ffffff0,65534"; do
		# enough that ours is among them, whoever else is nobody
		pp-record -e cpu-clock -u "$user" --max-samples 2000 >out
		pp-check out
		run jq -c 'select(.type == "SAMPLE") | .fields.pid' <(json out)
		assert_line "$worker"
	done
	refused 4 'cannot measure user 2147483632: No such process' pp-record -e cpu-clock -u 0x7ffffff0
	refused 2 'is not a user' pp-record -e cpu-clock -u nobody-of-this-name
	refused 2 'is not a user' pp-record -e cpu-clock -u 0,
}

# ---- control groups

# bats test_tags=nightly
@test "--cgroup records an event in its group, and others everywhere" {
	need_all_cpus
	need_privacy
	privately 'mkdir groups && mount -t cgroup2 none groups && mkdir groups/pp-record-test' ||
		skip "no control group can be made here"
	run privately '
		mount -t cgroup2 none groups
		[ "$(grep -c " cgroup .*perf_event" /proc/self/mounts)" -eq 0 ] || exit 77
		# the first of version 2 counts
		root=$(awk "\$3 == \"cgroup2\" { print \$2; exit }" /proc/self/mounts)
		(echo 0 >groups/pp-record-test/cgroup.procs && exec perl -e "\$i++ until -e q(stop)") &
		worker=$!
		until grep -q perl /proc/$worker/comm; do sleep 0.05; done
		# seconds, so that it has its turn, with few samples
		pp-record -a -F 199 -e cpu-clock,task-clock -G pp-record-test, --duration 3 >out
		pp-record -a -e cpu-clock,task-clock -G pp-record-test --max-samples 50 --duration 20 >both
		pp-record -a -e cpu-clock,task-clock -G pp-record-test,a,b >many 2>many.err
		echo $? >many.status
		pp-record -a -e cpu-clock/cgroup=pp-record-test/,task-clock --max-samples 2000 --duration 20 >term
		pp-record -a -e cpu-clock -G nowhere >none 2>none.err
		echo $? >none.status
		touch stop
		wait
		rmdir groups/pp-record-test
		echo $worker >worker
	' 3>&-
	[ "$status" -ne 77 ] || skip "perf_event is a controller of version 1 here"
	local of
	for of in out term; do
		pp-check $of
		json $of | jq -c --argjson pid "$(cat worker)" 'select(.type == "SAMPLE") | [.event, .fields.pid == $pid]' | sort -u >who
		run cat who
		refute_line --regexp '^\["cpu-clock[^,]*,false\]'
		assert_line --regexp '^\["cpu-clock[^,]*,true\]'
	done
	pp-check both
	run jq -c --argjson pid "$(cat worker)" 'select(.type == "SAMPLE" and .fields.pid != $pid) | .event' <(json both)
	assert_output ''
	[ "$(cat many.status) $(cat none.status)" = "2 2" ]
	[ ! -s many ] && [ ! -s none ]
	grep -q 'there are 3 control groups, but only 2 events' many.err
	grep -q "there is no control group 'nowhere' in" none.err
}

# ---- CPUs

# bats test_tags=nightly
@test "a CPU that goes off line meanwhile is said, once, and the rest is recorded" {
	need_all_cpus
	mkdir -p sys/devices/system/cpu
	cp /sys/devices/system/cpu/online sys/devices/system/cpu/
	[ "$(cat sys/devices/system/cpu/online)" = 0-1 ] || skip "two CPUs are taken for granted"
	mkfifo commands acks
	exec 7<>commands 8<>acks
	SYSFS_PATH=$PWD/sys pp-record -a -e cpu-clock --control fd:7,8 -o out 2>err 3>&- &
	worker=$!
	echo ping >&7
	timeout 60 head -c 5 <&8 >/dev/null
	echo 0 >sys/devices/system/cpu/online
	for _ in {1..300}; do
		! grep -q 'CPU 1 has gone off line' err || break
		sleep 0.1
	done
	sleep 2
	echo stop >&7
	wait $worker
	worker=
	[ "$(grep -c 'CPU 1 has gone off line: nothing more of it is recorded' err)" -eq 1 ]
	pp-check out
}

@test "CPUs that are not there are refused, with those that are" {
	refused 2 "CPU 4095 is not online; online: $(cat /sys/devices/system/cpu/online)" \
		pp-record -e cpu-clock -C 4095 -- true
	refused 2 'is not' pp-record -e cpu-clock -C x -- true
	refused 2 'is not' pp-record -e cpu-clock -C 3-1 -- true
}

# ---- what cannot be

@test "events that are not there are refused" {
	local event
	for event in nosuch cycles:x sched:nosuch nosuch/x/ '{cpu-clock' cpu-clock,, ''; do
		run --separate-stderr pp-record -e "$event" -- true
		[ "$status" -eq 2 ] || { [ "$status" -eq 4 ] && [[ $event == sched:* ]]; }
		assert_output ''
	done
}

@test "tasks that are not there are refused" {
	local gone
	true &
	gone=$!
	wait $gone
	refused 4 "cannot measure process $gone: No such process" pp-record -e cpu-clock -p $gone
	refused 4 "cannot measure thread $gone: No such process" pp-record -e cpu-clock -t $gone
	refused 4 "cannot measure process $gone" pp-record -e cpu-clock -p $$,$gone --duration 1
	refused 4 "cannot run ./nothing: No such file" pp-record -e cpu-clock -- ./nothing
}

@test "targets that exclude each other are refused" {
	refused 2 'cannot be combined' pp-record -e cpu-clock -a -p 1
	refused 2 'cannot be combined' pp-record -e cpu-clock -a -u 0
	refused 2 '--per-thread needs' pp-record -e cpu-clock --per-thread
	refused 2 '--cgroup needs events' pp-record -a -G a
	refused 2 'use -a or -C' pp-record -e cpu-clock -G a -- true
}

@test "what nobody may record is refused, with what would do" {
	need_events
	need_nobody
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "everybody may record everything here"
	local pp=$open/pp-record
	refused 4 'needs root, CAP_PERFMON or kernel.perf_event_paranoid of at most 0' as_nobody "$pp" -e cpu-clock -a
	refused 4 'needs root, CAP_PERFMON or kernel.perf_event_paranoid of at most 0' as_nobody "$pp" -e cpu-clock -C 0
	refused 4 "thread 1, which is another user's: needs root, or CAP_PERFMON and CAP_SYS_PTRACE" \
		as_nobody "$pp" -e cpu-clock -p 1
}

@test "buffers that may not be locked are smaller, for all CPUs alike" {
	need_events
	need_nobody
	[ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -eq 516 ] || skip "the usual limit is taken for granted"
	local size
	# what others hold who are nobody is of the same limit
	for size in 1M 16M; do
		setpriv --reuid $((20000 + $$ % 40000)) --clear-groups prlimit --memlock=0 "$open/pp-record" -e cpu-clock:u -m $size -- true >out 2>err
		pp-check out
		grep -qE 'using buffers of (512|256) KiB for each CPU: more memory is not permitted' err
	done
}

@test "without tracefs tracepoints are refused, with what would do" {
	need_privacy
	refused 4 'mount -t tracefs nodev /sys/kernel/tracing' privately '
		mount -t tmpfs none /sys/kernel/tracing 2>/dev/null
		mount -t tmpfs none /sys/kernel/debug 2>/dev/null
		exec pp-record -e sched:sched_switch -- true'
}

@test "without /proc everything is refused, with what would do" {
	! sanitized || skip "sanitizers need /proc themselves"
	need_privacy
	need_events
	local how
	for how in '-- true' '-a -- true' '-p 1' '-t 1' '-u 0' '--per-thread -- true'; do
		refused 4 'cannot read /proc/self/stat: as root, mount -t proc proc /proc' \
			privately "mount -t tmpfs none /proc; exec pp-record -e cpu-clock $how"
	done
}

@test "without /sys everything is refused" {
	need_privacy
	refused 4 'cannot read /sys/devices/system/cpu/online' \
		privately 'mount -t tmpfs none /sys; exec pp-record -e cpu-clock -- true'
}

# bats test_tags=T3-C5
@test "--per-thread with whole CPUs is passed over with a warning, as by perf" {
	need_events
	for where in --all-cpus --cpu=0; do
		run -0 --separate-stderr pp-record $where --per-thread -e cpu-clock -o out -- "${WORK[@]}"
		assert_regex "${stderr_lines[0]}" "^pp-record: --per-thread is passed over: with ${where%=*} whole CPUs are recorded"
		pp-check -q out
		[ "$(json out | jq 'select(.type == "SAMPLE")' | wc -l)" -gt 0 ]
	done
	perf record -a --per-thread -e cpu-clock -o perf.data -- true
}
