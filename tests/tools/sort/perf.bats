# perf.bats - pp-sort: perf shows a sorted stream as it shows the stream.

setup() {
	load ../../helper
	load sort
}

@test "perf script shows a sorted recording as it shows the recording" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	pp-sort -i in -o out 2>err
	perf_quiet script -i in -F tid,time,event,ip >before
	perf_quiet script -i out -F tid,time,event,ip >after
	[ -s before ]
	# where a record was late perf gets it late from the original, but not from what we wrote
	if [ -s err ]; then
		sort -o before before
		sort -o after after
	fi
	same_bytes before after
	[ -s err ] || pp-sort --check -i out
}

# bats test_tags=nightly
@test "perf script shows sorted tracepoints of all CPUs as it shows the recording" {
	need_tracepoints
	need_system_wide
	perf_quiet record -a -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	pp-sort -i in -o out 2>err
	perf_quiet script -i in -F tid,cpu,time,event,trace >before
	perf_quiet script -i out -F tid,cpu,time,event,trace >after
	[ -s before ]
	if [ -s err ]; then
		sort -o before before
		sort -o after after
	fi
	same_bytes before after
}

@test "perf script shows sorted streams of the corpus in the order it was told" {
	need_perf
	corpus perf-6.1
	for file in "$CORPUS"/perf-6.1/*.pipe.data "$CORPUS"/perf-6.1/*.pipe; do
		[ -f "$file" ] || continue
		echo "$file"
		pp-sort -q -i "$file" -o out || continue
		perf script -i "$file" -F tid,time,event 2>err-before >before || continue
		perf script -i out -F tid,time,event 2>err-after >after
		same_bytes before after
	done
}

# quiet_script FILE: what perf script shows of it; fails where perf finds it out of order
quiet_script() {
	perf_quiet script -i "$1" -F comm,tid,time,event,ip,sym,dso || return
	! grep -i "out of order" perf.err >&2
}

@test "perf script shows what was sorted as a whole, or by CPU, as it shows the stream" {
	need_perf
	pp-gen --samples 3000 --cpus 3 --disorder 1ms --comms 4 --forks 2 -o in
	quiet_script in >before
	[ -s before ]
	pp-sort --all --rounds 100 -i in -o out
	quiet_script out >after
	same_bytes before after
	for by in cpu pid tid; do
		pp-sort --by $by -i in -o out
		quiet_script out >after
		same_bytes before after
	done
}

@test "perf has nothing to say of a stream with broken rounds once it is sorted as a whole" {
	need_perf
	pp-gen --samples 3000 --break-rounds --seed 3 -o in
	perf script -i in >before 2>err
	grep -q "out of order" err
	pp-sort --all --rounds 100 -i in -o out
	quiet_script out >after
	[ -s after ]
}

@test "what perf inject -b and -j wrote comes out with true rounds, and reads the same" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	for how in -b -j; do
		perf inject $how <in >injected 2>err || continue
		pp-sort --all --rounds 10 -i injected -o out
		pp-sort --check -i out
		quiet_script injected >before
		quiet_script out >after
		[ -s before ]
		same_bytes before after
	done
}

@test "perf report says the same of what perf inject -b wrote once it is sorted as a whole" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	perf inject -b <in >injected 2>err || skip "perf inject -b does not read a pipe here"
	pp-sort --all --rounds 10 -i injected -o out
	perf_quiet report --stdio -i injected | grep -v '(Tip:' >before
	perf_quiet report --stdio -i out | grep -v '(Tip:' >after
	run cat perf.err
	refute_output --partial "out of order"
	[ -s before ]
	same_bytes before after
}

@test "perf script shows streams of the corpus that were sorted as a whole as it shows them" {
	need_perf
	corpus perf-6.1
	for file in "$CORPUS"/perf-6.1/{rec,group,stat,tp}.pipe.data "$CORPUS"/perf-6.1/*inject-b.data; do
		echo "$file"
		pp-sort --all -q -i "$file" -o out 2>err || continue
		perf script -i "$file" -F tid,time,event 2>err-before >before || continue
		perf script -i out -F tid,time,event 2>err-after >after
		same_bytes before after
		run cat err-after
		refute_output --partial "out of order"
	done
}
