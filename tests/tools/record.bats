# record.bats - pp-record: what perf shows of a recording, its clocks, and how the stream is made.

setup() {
	load ../helper
	load record/recorder
}

# ---- what perf makes of it

@test "perf script reads a recording of a command" {
	need_kernel
	need_perf
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out
	perf_quiet script -i out -F comm,event >script
	run sort -u script
	assert_line --regexp '^ *perl +cpu-clock: *$'
}

@test "perf script and perf report read it from a pipe" {
	need_perf
	need_events
	pp-record -e cpu-clock -g -- "${WORK[@]}" | perf script -i - -F comm,ip,sym >script 2>err
	run grep -c perl script
	assert_success
	pp-record -e cpu-clock -g -- "${WORK[@]}" | perf report -i - --stdio >report 2>err
	run grep -E '% .*perl' report
	assert_success
}

@test "perf shows the samples of each event of several under its name" {
	need_perf
	need_events
	pp-record -e cpu-clock,page-faults -e task-clock -- "${WORK[@]}" >out
	perf_quiet script -i out -F event >script
	run sort -u script
	assert_line --regexp 'cpu-clock:'
	assert_line --regexp 'page-faults:'
	assert_line --regexp 'task-clock:'
}

@test "perf script prints the fields of tracepoints" {
	need_perf
	need_points
	pp-record -e 'sched:sched_process_f*,sched:sched_process_exec' -- "${CALLS[@]}" >out
	perf_quiet script -i out -F event,trace >script
	run cat script
	assert_line --regexp 'sched:sched_process_exec: filename=.*perl pid='
	run grep -c 'sched:sched_process_fork: .*child_pid=' script
	assert_output 60
}

# bats test_tags=nightly
@test "as many tracepoints are hit as perf record finds" {
	need_tracepoints
	need_points
	pp-record -e sched:sched_process_fork,sched:sched_process_exit -- "${CALLS[@]}" >ours
	perf record -e sched:sched_process_fork,sched:sched_process_exit -o - -- "${CALLS[@]}" >theirs 2>err
	perf_quiet script -i ours -F event | sort | uniq -c >ours.txt
	perf_quiet script -i theirs -F event | sort | uniq -c >theirs.txt
	same_bytes theirs.txt ours.txt
}

@test "perf script and ours print the same tracepoint from both recorders" {
	need_tracepoints
	need_points
	pp-record -e sched:sched_process_exec -- "${WORK[@]}" >ours
	perf record -e sched:sched_process_exec -o - -- "${WORK[@]}" >theirs 2>err
	perf_quiet script -i ours -F comm,event,trace | sed 's/pid=[0-9]*/pid=N/g' >ours.txt
	perf_quiet script -i theirs -F comm,event,trace | sed 's/pid=[0-9]*/pid=N/g' >theirs.txt
	same_bytes theirs.txt ours.txt
}

@test "perf report shows what the header tells" {
	need_kernel
	need_perf
	need_events
	pp-record -e '{cpu-clock,task-clock}' -- true >out
	perf_quiet report --header-only -I -i out >header
	run cat header
	assert_line "# hostname : $(uname -n)"
	assert_line "# os release : $(uname -r)"
	assert_line --partial 'pp-record -e {cpu-clock,task-clock} -- true'
	assert_line --partial 'name = task-clock'
	assert_line --partial 'software = 1'
	assert_line --partial 'group: {cpu-clock,task-clock}'
}

@test "the header says of this machine what perf's does" {
	need_perf_events
	need_events
	pp-record -e cpu-clock -- true >ours
	perf record -e cpu-clock -o - -- true >theirs 2>err
	local file
	for file in ours theirs; do
		perf_quiet report --header-only -I -i $file |
			grep -E '^# (hostname|os release|arch|nrcpus|cpudesc|cpuid|total memory|sibling|CPU|node. cpu|memory nodes|  *[0-9])' >$file.txt
	done
	same_bytes theirs.txt ours.txt
}

# ---- clocks

@test "with --clockid times are of that clock, and the stream tells that of the wall" {
	need_events
	local now='printf "%.9f\n", clock_gettime(CLOCK_MONOTONIC)' before after day
	before=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e "$now")
	day=$(date -u +%s)
	pp-record -e cpu-clock -k mono -o k.pipe -- perl -e '$i++ while $i < 3e6'
	after=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e "$now")
	pp-check -q k.pipe
	[ "$(json k.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -ge 1 ]
	pp-filter --invert --time "$before,$after" -i k.pipe -o outside.pipe
	[ "$(json outside.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -eq 0 ]
	# a day on both sides, for clocks that somebody sets meanwhile
	pp-filter --invert --time "@$((day - 86400)),@$((day + 86400))" -i k.pipe -o outside.pipe
	[ "$(json outside.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -eq 0 ]
	perf_quiet report --header-only -I -i k.pipe >header
	grep -qF '# clockid: monotonic (1)' header
}

@test "times are of a clock that can be told from the wall's, unless the kernel's own is asked for" {
	need_events
	pp-record -e cpu-clock -o mono.pipe -- true
	[ "$(pp-info mono.pipe | grep -c '^# clockid: monotonic (1)')" -eq 1 ]
	pp-record -e cpu-clock -k local -o local.pipe -- true
	[ "$(pp-info local.pipe | grep -c clockid)" -eq 0 ]
}

@test "what is no clock is refused" {
	run -2 --separate-stderr pp-record -k sundial -- true
	[[ "$stderr" == *"'sundial' is not a clock: use monotonic"* ]]
	run -2 pp-record -k CLOCK_ -- true
	run -2 pp-record -k -1 -- true
	run -2 pp-record -k 1x -- true
}

# bats test_tags=T3-C5
@test "clocks have all the names that perf has for them, and numbers" {
	need_events
	need_perf
	local name
	for name in monotonic MONOTONIC CLOCK_MONOTONIC mono 1 raw monotonic_raw clock_raw 4 realtime real 0 boottime CLOCK_BOOT 7 tai 11; do
		pp-record -q -e cpu-clock -k $name -o ours -- true
		perf record -e cpu-clock -k $name -o - -- true >theirs 2>perf.err
		clock() { json "$1" | jq -c 'select(.type == "HEADER_ATTR").fields.attr.clockid' | head -n 1; }
		[ "$(clock ours)" = "$(clock theirs)" ]
		# and the name that perf has for it
		pp-info ours | grep '^# clockid' >named
		perf_quiet report --header-only -I -i ours | grep '^# clockid' | diff - named
	done
	[ "$(clock ours)" = 11 ]
}

# ---- how the stream is made

@test "records stand in the order in which perf writes them" {
	need_points
	pp-record -e sched:sched_process_exec -- true >out
	types out >types
	# what comes before the kernel's own records
	sed '/^FINISHED_INIT$/q' types | grep -vxE 'MMAP|MMAP2|KSYMBOL|BPF_EVENT' >start
	cat >want <<-END
		FINISHED_ROUND
		HEADER_ATTR
		HEADER_FEATURE
		HEADER_TRACING_DATA
		ID_INDEX
		EVENT_UPDATE
		THREAD_MAP
		CPU_MAP
		FORK
		COMM
		FINISHED_INIT
	END
	same_bytes want start
}

@test "features ascend, none is padded, and no marker ends them" {
	need_events
	pp-record -e '{cpu-clock,cs}' -- true >out
	fields out 'select(.type == "HEADER_FEATURE").fields.feat_id' >ids
	sort -n -u ids >sorted
	same_bytes sorted ids
	run head -n 5 ids
	assert_output $'3\n4\n5\n6\n7'
	run fields out 'select(.type == "HEADER_FEATURE" and (.size == 16 or (.fields.data | has("rest"))))'
	assert_output ''
}

@test "every record is as its description says" {
	need_events
	pp-record -e cpu-clock -e page-faults -g -- "${WORK[@]}" >out
	run fields out 'select(.damaged or (.fields | has("rest"))) | .type'
	assert_output ''
	run fields out 'select(.type == "SAMPLE" and .event == null)'
	assert_output ''
}

@test "the stream is sealed from its first record to its end" {
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out
	run -0 --separate-stderr pp-dump -i out
	[ "$stderr" = '' ]
	records out >list
	run awk 'NR == 1 || $2 == "FINISHED_ROUND" { print $2, $4 }' list
	refute_line --regexp ' 8$'
	head -c -48 out >cut
	run -3 --separate-stderr pp-dump -i cut
}

@test "--no-seal leaves plain rounds" {
	need_events
	pp-record -e cpu-clock --no-seal -- "${WORK[@]}" >out
	records out >list
	run -1 grep -q PPSEAL1 out
	# all but the note of what others did meanwhile
	run awk '$2 == "FINISHED_ROUND" && $4 != 8' list
	[ "${#lines[@]}" -eq "$(grep -ao PPNOTE1 out | wc -l)" ]
	run tail -n 1 list
	assert_line --partial ' FINISHED_ROUND '
}

@test "a pass that found something ends in a round, and so does the first that found nothing" {
	need_events
	pp-record -e cpu-clock --no-seal -- "${WORK[@]}" >out
	# behind the start: data, rounds, data ...; never three rounds without data, and two at the end
	records out | sed '1,/FINISHED_INIT/d' |
		awk '{ printf "%s", $2 == "FINISHED_ROUND" ? $4 == 8 ? "R" : "" : $2 == "LOST_SAMPLES" ? "" : "d" }' >shape
	run grep -E '^(d+RR?)*d+RR$' shape
	assert_success
}

@test "a sample is let through by rounds while nothing new happens" {
	need_events
	need timeout
	# the command is idle until the sample has come through pp-sort
	timeout 120 pp-record -e page-faults -c 1 -- perl -e 'select undef, undef, undef, 0.05 until -e "seen"' |
		pp-sort | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			echo "$line" >line
			cat >/dev/null
		}
	run cat line
	assert_output --partial SAMPLE
}

@test "a few samples come while the recording goes on" {
	need_events
	need timeout
	# at 20 Hz a buffer would need minutes until it is half full
	timeout 120 pp-record -e cpu-clock -F 20 -- perl -e "$busy" seen | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			echo "$line" >line
			cat >/dev/null
		}
	run cat line
	assert_output --partial SAMPLE
}

@test "the attribute is what was asked for" {
	need_events
	pp-record -e cpu-clock -F 123 -g -- true >out
	fields out 'select(.type == "HEADER_ATTR").fields.attr' >attr
	run jq -c '[.sample_period, .flags.freq, .flags.inherit, .flags.comm, .flags.mmap2, .flags.task]' attr
	assert_output '[123,1,1,1,1,1]'
	run jq -c '[.flags.sample_id_all, .flags.ksymbol, .flags.cgroup, .flags.comm_exec, .size >= 128]' attr
	assert_output '[1,1,1,1,true]'
	pp-record -e page-faults -c 7 --no-inherit -- true >out
	run fields out 'select(.type == "HEADER_ATTR").fields.attr | [.sample_period, .flags.freq, .flags.inherit]'
	assert_output '[7,null,null]'
}

@test "-c COUNT takes a sample every COUNT events" {
	need_events
	pp-record -e page-faults -c 1 -- "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.period' >periods
	run sort -u periods
	assert_output 1
}

@test "-z compresses, and perf and pp-dump read it" {
	need_perf
	need_events
	pp-record -e cpu-clock -z -- "${WORK[@]}" >out 2>err
	run count COMPRESSED out
	refute_output 0
	run count SAMPLE out
	assert_output 0
	run fields out 'select(.feature == "COMPRESSED").fields.data.level'
	assert_output ''    # a reader expands, so the feature is gone
	perf_quiet script -i out -F comm,event >script
	run grep -c cpu-clock script
	assert_output "$(sed -n 's/.*: \([0-9]*\) samples.*/\1/p' err)"
	pp-record -e cpu-clock -z19 -- "${WORK[@]}" >out 2>err
	fields out 'select(.type == "SAMPLE").type' >samples
	run wc -l <samples
	assert_output "$(sed -n 's/.*: \([0-9]*\) samples.*/\1/p' err)"
}

@test "a line at the end tells samples, bytes, rate and losses" {
	need_kernel
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out 2>err
	run cat err
	assert_output --regexp "^pp-record: $(count SAMPLE out) samples, $(stat -c %s out) bytes, .*B/s, [0-9]+ lost$"
	pp-record -q -e cpu-clock -- true >out 2>err
	run cat err
	assert_output ''
}

# ---- the whole

@test "a recording of all CPUs goes through every stage" {
	need_all_cpus
	set -o pipefail
	pp-record -e cpu-clock -a -g -F 999 -- "${WORK[@]}" | pp-filter 'comm == "perl"' | pp-sort |
		pp-inject --build-ids | pp-dump >dump
	run grep -c ' SAMPLE ' dump
	assert_success
}
