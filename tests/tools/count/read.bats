# pp-count: read by every perf, of every target, and beside perf stat.

setup() {
	load ../../helper
	load counting
	need jq
	need_counts
	need_perf
}

# reads WORDS OPTION...: each perf shows these words of what is counted so, from the pipe and out of pp-save's file
reads() {
	local words=$1 perf way
	shift
	echo "$*"
	pp-count "$@" -o out -- sh -c 'sleep 0.05'
	pp-check -q out
	rm -f file
	pp-save -q -i out -o file
	for perf in $(perfs); do
		for way in - file; do
			"$perf" stat report -i $way <out >said 2>&1
			grep -E -- "$words" said || { cat said; return 1; }
		done
	done
}

@test "of a command, threads and processes" {
	reads ' [1-9][0-9]* +page-faults' -e page-faults
	reads ' [1-9][0-9]* +page-faults' -i -e page-faults
	reads ' [1-9][0-9]* +page-faults' -r 2 -e page-faults
	reads ' [0-9]+ +page-faults' -I 10 -e page-faults
	reads 'task-clock' -p $$ -e task-clock
	reads 'task-clock' -t $$ -e task-clock
	reads 'task-clock' --per-thread -p $$ -e task-clock
	reads 'task-clock' -D 10 -e task-clock
	reads 'duration_time' -e duration_time,cs
	reads ' [1-9][0-9]* +page-faults' -e '{page-faults,cs}'
}

@test "of CPUs" {
	need_all_counts
	reads '[1-9][0-9]* +page-faults' -a -e page-faults
	reads '[1-9][0-9]* +page-faults' -a -I 10 -e page-faults
	reads 'cpu-clock' -C 0 -e cpu-clock
	reads 'cpu-clock' -a -r 2 -e cpu-clock
}

@test "of control groups" {
	need_all_counts
	once pp_groups pp-count -a -G / -e cpu-clock -o probe -- true || skip "there are no control groups here"
	reads 'cpu-clock' -a -G / -e cpu-clock
	reads 'cpu-clock' -a --for-each-cgroup / -e cpu-clock
}

# theirs EVENT: what perf stat counted
theirs() { sed -n "s/^\([0-9.]*\),[^,]*,$1\(:[a-zA-Z]*\)\?,.*/\1/p" theirs; }

# bats test_tags=nightly
@test "nested in perf stat, what both count in the same time is the same" {
	need_tracepoints
	# perf stat counts pp-count's command with pp-count around it: what only the command does is exact
	events=syscalls:sys_enter_chdir,syscalls:sys_enter_sched_yield,sched:sched_process_exec
	perf stat -x, -e $events -o theirs -- pp-count -e $events -o out -- \
		perl -e 'for (1 .. 1234) { chdir "/" } for (1 .. 3) { system "true" }'
	[ "$(last syscalls:sys_enter_chdir out)" -eq 1234 ]
	[ "$(theirs syscalls:sys_enter_chdir)" -eq 1234 ]
	# of programs one more: pp-count itself
	[ "$(($(last sched:sched_process_exec out) + 1))" -eq "$(theirs sched:sched_process_exec)" ]
}

# waiting PID: it sleeps, whenever one looks
waiting() {
	local _
	for _ in {1..5}; do
		grep -q '^State:.S' /proc/$1/status || return
		sleep 0.02
	done
}

@test "software events of a process are exactly those that perf stat counts, and its clocks are those of perf stat" {
	need_kernel
	# both count the same process at the same time, each with counters of its own, from before its work until after it
	mkfifo go
	perl -e 'open my $ready, ">", "ready"; close $ready; open my $go, "<", "go"; <$go>; my $x = "x" x (4096 * 3000); my $n = 0; $n += $_ for 1 .. 3e6;
		open my $end, ">", "worked"; close $end; sleep 100' &
	worker=$!
	# it waits, without a switch, until both count
	for _ in {1..1200}; do [ -e ready ] && waiting $worker && break; sleep 0.05; done
	events=page-faults,minor-faults,major-faults,context-switches,cpu-migrations,alignment-faults,emulation-faults
	perf stat -x, -p $worker -e $events,task-clock,cpu-clock -o theirs &
	perf=$!
	pp-count -p $worker -e $events,task-clock,cpu-clock -I 20 -o out &
	ours=$!
	# both wait for it to work: their counters are there when its task has them
	for _ in {1..1200}; do
		[ "$(find /proc/$perf/fd /proc/$ours/fd -lname '*perf_event*' | wc -l)" -ge 18 ] && [ -s out ] &&
			waiting $perf && waiting $ours && break
		sleep 0.05
	done
	sleep 0.2
	echo >go
	for _ in {1..1200}; do [ -e worked ] && waiting $worker && break; sleep 0.05; done
	kill -INT $ours $perf
	wait $ours || :
	wait $perf || :
	kill $worker
	for event in ${events//,/ }; do
		[ "$(last $event out)" = "$(theirs $event)" ]
	done
	[ "$(last page-faults out)" -gt 0 ]
	for clock in task-clock cpu-clock; do
		perl -e 'my ($ours, $theirs) = @ARGV; exit !(abs($ours / 1e6 - $theirs) <= 0.02 * $theirs)' \
			"$(last $clock out)" "$(theirs $clock)"
	done
}
