# sched.bats - pp-inject --sched-stat: switches get the time and the period of statistics, as perf inject
# -s makes them of files.

setup() { load ../../helper; }

@test "sched-stat: what comes of a recording is what perf makes of the same as a file, also from a pipe" {
	need_perf
	perf record -q -a -e sched:sched_switch,sched:sched_process_exit,sched:sched_stat_runtime -o in.data -- \
		"${CALLS[@]}" >/dev/null 2>perf.err || skip "perf records no scheduler here"
	perf_quiet inject -s -i in.data -o theirs.data
	pp-inject -s -i in.data -o ours
	pp-cat -i in.data | pp-inject -s | pp-check
	perf_quiet script -F comm,tid,time,event,period -i theirs.data | sort >theirs
	perf_quiet script -F comm,tid,time,event,period -i ours | sort >got
	grep -q sched_switch got
	diff theirs got
}

@test "sched-stat: a stream without tracepoints passes unchanged" {
	printf '%s\n' header 'attr sample_type=IP,TID,TIME' 'sample pid=1 time=5' round | build >in
	pp-inject -s -i in -o out
	same_bytes in out
}
