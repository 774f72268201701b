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

# scheduled NAME=ID...: samples of these tracepoints of sched, each of thread 7 with pid=7 in its data, twice
scheduled() {
	perl -e '
		my (@formats, @attrs, @samples);
		for (@ARGV) {
			my ($name, $id) = split /=/;
			my $text = "name: $name\nID: $id\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" .
				"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"pid=%d\", REC->pid\n";
			push @formats, pack("Q<", length $text) . $text;
			push @attrs, "attr id=$id type=2 config=$id sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW\nevent_update id=$id name=sched:$name\n";
			push @samples, map { sprintf "sample id=$id pid=7 tid=7 time=%d period=%d raw=%s\n", 1000 + $id + 50 * $_, $id,
				unpack "H*", pack "S< x6 L< x4", $id, 7 } 0, 1;
		}
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CCL<", 0, 8, 4096) . "header_page\0" . pack("Q<", 0)
			. "header_event\0" . pack("Q<", 0) . pack("L<2", 0, 1) . "sched\0" . pack("L<", scalar @formats)
			. join("", @formats) . pack("L<2Q<", 0, 0, 0);
		print "header\n", @attrs, "tracing hex=", unpack("H*", $data), "\n", @samples, "round\n"' "$@" | build
}

# bats test_tags=T3-A10
@test "sched-stat: what cannot be merged is kept, and it is said what to record" {
	scheduled sched_switch=11 sched_process_exit=12 >in
	run -0 --separate-stderr pp-inject -s -i in -o out
	same_bytes in out
	[[ $stderr == 'pp-inject: sched_stat_* is not recorded: nothing is merged, and all is kept: use pp-record -a -e '*' with sysctl kernel.sched_schedstats=1' ]]
	scheduled sched_stat_sleep=13 sched_process_exit=12 >in
	run -0 --separate-stderr pp-inject -s -i in -o out
	same_bytes in out
	[[ $stderr == 'pp-inject: sched_switch is not recorded: '* ]]
	# with both there is nothing to say
	scheduled sched_switch=11 sched_stat_sleep=13 >in
	run -0 --separate-stderr pp-inject -q -s -i in -o out
	[ -z "$stderr" ]
	[ "$(records -s out | cut -d' ' -f5 | paste -sd' ')" = '1013 1063' ]
	[ "$(pp-script -F event,period out | xargs)" = '13 sched:sched_switch: 13 sched:sched_switch:' ]
}

# bats test_tags=T3-A10
@test "sched-stat: that no statistic came is said" {
	scheduled sched_switch=11 sched_stat_sleep=13 | pp-filter 'event == "sched:sched_switch"' >in
	run -0 --separate-stderr pp-inject -s -i in -o out
	[ "${stderr_lines[0]}" = 'pp-inject: no statistic came: all 2 switches are left out: record with sysctl kernel.sched_schedstats=1' ]
}
