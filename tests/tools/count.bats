# count.bats - pp-count: counts of this machine's events as a stream: of which events, tasks and
# CPUs, and what is refused.

setup() {
	load ../helper
	load count/counting
	need jq
}

@test "perf stat report reads it from the pipe, and out of pp-save's file" {
	need_counts
	need_perf
	pp-count -o out -- sleep 0.01
	pp-check out
	perf stat report -i - <out >piped 2>&1
	grep -E '^ +[0-9]+ +page-faults' piped
	grep -E '^ +<not supported> +cycles|^ +[0-9,]+ +cycles' piped
	pp-save -i out -o file
	perf stat report -i file >filed 2>&1
	[ "$(grep -E 'clock|faults|switches|elapsed' filed)" = "$(grep -E 'clock|faults|switches|elapsed' piped)" ]
}

@test "newer versions of perf read it, too" {
	need_counts
	need_newer_perf 6.12
	need_newer_perf 7.3
	pp-count -o out -- true
	for version in 6.12 7.3; do
		perf=$(newer_perf "$version")
		"$perf" stat report -i - <out >said 2>&1
		grep -E '^ +[0-9]+ +page-faults' said
	done
}

@test "the same is counted as by perf stat: calls of a program are as many as they are" {
	need_counts
	need_perf
	need_tracepoints
	work=(perl -e 'for (1 .. 321) { opendir my $d, "/none" } for (1 .. 7) { system "true" }')
	events=syscalls:sys_enter_chdir,sched:sched_process_fork,sched:sched_process_exit
	perf stat -x, -e $events -o theirs -- "${work[@]}"
	pp-count -e $events -o out -- "${work[@]}"
	for event in ${events//,/ }; do
		[ "$(last $event out)" = "$(sed -n "s/^\([0-9]*\),,$event.*/\1/p" theirs)" ]
	done
	[ "$(last sched:sched_process_fork out)" -eq 7 ]
}

# 20,000 of them, or 40 of huge pages; some are up to where libraries come to lie
@test "page faults of a program that touches pages are, within 2 % and 50, those that perf stat counts" {
	need_kernel
	need_counts
	need_perf
	work=(perl -e '$x = "x" x (4096 * 20000)')
	perf stat -x, -e page-faults -o theirs -- "${work[@]}"
	pp-count -e page-faults -o out -- "${work[@]}"
	theirs=$(sed -n 's/^\([0-9]*\),,page-faults.*/\1/p' theirs) ours=$(last page-faults out)
	echo "$ours, perf $theirs"
	[ $((ours * 50)) -le $((theirs * 51 + 2500)) ] && [ $((theirs * 50)) -le $((ours * 51 + 2500)) ]
}

@test "children are counted, or left out by -i" {
	need_counts
	need_tracepoints
	work=(perl -e 'for (1 .. 3) { fork or exit } 1 while wait > 0')
	pp-count -e sched:sched_process_exit -o all -- "${work[@]}"
	pp-count -i -e sched:sched_process_exit -o alone -- "${work[@]}"
	[ "$(last sched:sched_process_exit alone)" -eq 1 ]
	[ "$(last sched:sched_process_exit all)" -eq 4 ]
}

@test "counts are written every interval, each as a round, and the last when the command ends" {
	need_kernel
	need_counts
	pp-count -e task-clock -I 20 -o out -- sleep 0.5
	run jq -r 'select(.type == "STAT_ROUND").fields.type' < <(json out)
	[ "${#lines[@]}" -ge 2 ]
	refute_output -p 1
	[ "$(json out | jq -s 'map(select(.type == "STAT_ROUND").fields.time) | . == sort')" = true ]
	[ "$(json out | jq -s 'map(select(.type == "STAT").fields.val) | . == sort')" = true ]
	run jq -c . < <(note count out)
	assert_output -p '"interval":20000000'
	run jq -c .rounds < <(note count.run out)
	assert_output "[0,$(($(json out | jq -c 'select(.type == "STAT_ROUND")' | wc -l) - 1))]"
	# of each run
	pp-count -e page-faults -r 3 -I 600000 -o out -- true
	[ "$(pp-stat -x, out | cut -d, -f4,6)" = $'page-faults,100.00\npage-faults,100.00\npage-faults,100.00' ]
}

@test "a command that is not UTF-8 is shown with its other characters" {
	local name=$'a "\\\xff\e[1mb'
	cp "$(type -P true)" "$name"
	pp-count -n -o out -- "./$name" ü
	run -0 pp-stat out
	[[ $output == *" Performance counter stats for './a \"\\\\xff\\x1b[1mb ü':"* ]]
	pp-stat --json out | jq -r 'select(.schema) | .title' >got
	[ "$(cat got)" = "'./a \"\\\\xff\\x1b[1mb ü'" ]
}

@test "a CPU that goes off line keeps what was counted there, and that is said once" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	mkdir -p sys/devices/system/cpu
	echo 0-1 >sys/devices/system/cpu/online
	FAKE_GONE=1:gone FAKE_COUNT=77 SYSFS_PATH=$PWD/sys LD_PRELOAD=$BIN/tests/fake/kernel.so run -0 --separate-stderr \
		pp-count -a -r 3 -e 'faults,{cs,migrations}' -o out -- sh -c '[ ! -e next ] || { touch gone; echo 0 >sys/devices/system/cpu/online; }; touch next'
	assert_equal "$stderr" 'pp-count: CPU 1 has gone off line: nothing more of it is counted, even when it returns'
	[ "$(json out | jq -c 'select(.type == "STAT").fields | [.cpu, .val]' | sort | uniq -c | sed 's/^ *//' | paste -sd' ')" = \
		'9 [0,77] 9 [1,77]' ]
	pp-check out
}

@test "a CPU that goes off line is reported when intervals are written, also if it comes back" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	mkdir -p sys/devices/system/cpu
	for interval in 50 5; do
		echo 0-1 >sys/devices/system/cpu/online
		FAKE_COUNT=77 SYSFS_PATH=$PWD/sys LD_PRELOAD=$BIN/tests/fake/kernel.so run -0 --separate-stderr \
			pp-count -a -I $interval -e cs -- sh -c 'cd sys/devices/system/cpu; echo 0 >online; sleep 0.3; echo 0-1 >online'
		assert_equal "$stderr" 'pp-count: CPU 1 has gone off line: nothing more of it is counted, even when it returns'
	done
}

@test "of a CPU that goes off line the members of groups are read, too, which the kernel takes apart" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	mkdir -p sys/devices/system/cpu
	echo 0-1 >sys/devices/system/cpu/online
	for events in faults,cs,migrations '{faults,cs,migrations}'; do
		rm -f gone
		FAKE_APART=1:gone FAKE_COUNT=77 SYSFS_PATH=$PWD/sys LD_PRELOAD=$BIN/tests/fake/kernel.so \
			pp-count -a -I 60 -e "$events" -o out -- sh -c 'touch gone; sleep 0.1'
		pp-check -q out
		[ "$(json out | jq 'select(.type == "STAT").fields.val' | sort | uniq -c | awk '{ print $1 % 6, $2 }')" = '0 77' ]
	done
}

@test "nothing but the time is taken with -n" {
	pp-count -n -o out -- true
	[ "$(json out | jq -c 'select(.type == "HEADER_ATTR")' | wc -l)" -eq 0 ]
	[ "$(note count out | jq .null)" = true ]
	[ "$(note count.run out | jq '.elapsed > 0')" = true ]
}

@test "all CPUs, some CPUs, processes and threads are counted" {
	need_all_counts
	pp-count -a -e cpu-clock -o out -- true
	cpus=$(getconf _NPROCESSORS_ONLN)
	[ "$(json out | jq -c 'select(.type == "STAT").fields.cpu' | wc -l)" -eq "$cpus" ]
	[ "$(note count out | jq .all)" = true ]
	pp-count -C 0 -e cpu-clock -o out -- true
	[ "$(json out | jq -c 'select(.type == "STAT").fields.cpu')" = 0 ]
	[ "$(note count out | jq -r .cpus)" = 0 ]
	pp-count -p $$ -e cpu-clock -o out -- true
	[ "$(json out | jq -c 'select(.type == "THREAD_MAP").fields.entries[0].pid')" = $$ ]
	pp-count -t $$ -e cpu-clock --per-thread -o out -- true
	[ "$(note count out | jq -c '[.thread, .tids]')" = "[true,[$$]]" ]
}

@test "it ends when the processes have ended that are counted" {
	need_counts
	sleep 0.2 &
	pp-count -p $! -e task-clock -o out
	[ "$(json out | jq -c 'select(.type == "STAT_ROUND").fields.type')" = 1 ]
}

# What is read by other threads, or by one call, is what would be read one by one: of one time to the nanosecond, and
# each event's own.  Only what nobody else does, and not while it is read, is certain to the last hit: of what a CPU
# goes on counting the kernel may add one more to the second of two like events than to the first.
@test "many events on all CPUs are read at one time where they are joined or in a group, and each is its own" {
	need_all_counts
	need_tracepoints
	need taskset
	close=syscalls:sys_enter_close
	options=(-e task-clock,cs,cs,page-faults,page-faults)
	for fd in 7000001 7000001 7000002 7000002; do
		options+=(-e $close --filter "fd == $fd")
	done
	options+=(-e "{$close,$close}" --filter 'fd == 7000003' -e '{cs,cs},{migrations,migrations},{minor-faults,minor-faults}')
	at=$(taskset -pc $$ | sed 's/.*[^0-9]//')
	pp-count -a -I 5 "${options[@]}" -o out -- taskset -c "$at" perl -e '
		use POSIX; for (1 .. 99) { POSIX::close(7000000 + $_) for 1, 2, 2, 3, 3, 3; wait if fork || exit }'
	# each round's lists of counts, a CPU a line
	json out | jq -cn 'reduce (inputs | select(.type == "STAT" or .type == "STAT_ROUND")) as $r ({round: 0};
		if $r.type == "STAT_ROUND" then .round += 1 else
			.of["\(.round)"]["\($r.fields.cpu)"] += [$r.fields | {val, ena, run}] end) |
		.of[] | to_entries | map({cpu: .key, of: .value})' >rounds
	[ "$(jq length rounds | sort -u)" = "$(getconf _NPROCESSORS_ONLN)" ]
	# of 9 that are joined, and of each group, the times are one
	jq -c 'def times: map([.ena, .run]) | unique | length; .[].of |
		[length, (.[:9] | times), (.[9:11] | times), (.[11:13] | times), (.[13:15] | times), (.[15:] | times)]' rounds >times
	[ "$(sort -u times)" = '[17,1,1,1,1,1]' ]
	# no count goes back
	[ "$(jq -cs 'transpose | map(map(.of | map(.val)) | transpose | map(. == sort) | all) | all' rounds)" = true ]
	# of what the command alone does all is counted, where it does it
	tail -n 1 rounds >last
	[ "$(jq -c --arg at "$at" '.[] | select(.cpu == $at).of[5:11] | map(.val)' last)" = '[99,99,198,198,297,297]' ]
	[ "$(jq -c --arg at "$at" '[.[] | select(.cpu != $at).of[5:11][].val] | add // 0' last)" = 0 ]
	# of two alike no more is missing than what was under way when they were stopped: one in each context of the kernel
	[ "$(jq -c '[.[].of | range(1; 17; 2) as $i | .[$i].val - .[$i + 1].val | . <= 4 and . >= -4] | all' last)" = true ]
	# and each has its own: a fork takes several faults, and more time
	[ "$(last page-faults out)" -gt 99 ]
	[ "$(last task-clock out)" -gt "$(last page-faults out)" ]
	run jq -c 'map(.leader // "-")' < <(note count.events out)
	assert_output '["-","-","-","-","-","-","-","-","-","-",9,"-",11,"-",13,"-",15]'
	[ "$(json out | jq -c 'select(.type == "HEADER_ATTR").fields.attr.read_format' | head -n 9 | sort -u)" = '"0x3"' ]
}

@test "events are counted in control groups, by names and by patterns" {
	need_all_counts
	need_root
	group=$(grep -m1 -oE '^\S+ \S+ cgroup2' /proc/self/mounts | cut -d' ' -f2)
	[ -n "$group" ] && ! grep -q 'perf_event' <(grep ' cgroup ' /proc/self/mounts) || skip "no control groups of version 2"
	mkdir "$group/pp-count-$$-a" "$group/pp-count-$$-b" 2>/dev/null || skip "no control group can be made"
	pp-count -a -e faults,cs --for-each-cgroup "pp-count-$$-a,pp-count-$$-b" -o names -- true &&
		pp-count -a -e faults,cs --for-each-cgroup "pp-count-$$-[ab]" -o patterns -- true &&
		pp-count -a -e faults,cs -G "pp-count-$$-a,pp-count-$$-b" -o pairs -- true && done=yes
	run -2 pp-count -a -e faults --for-each-cgroup "^none-$$" -o none -- true
	rmdir "$group/pp-count-$$-a" "$group/pp-count-$$-b"
	[ "$done" = yes ]
	assert_output -p "no control group matches '^none-$$'"
	want='["a","a","b","b"]'
	for file in names patterns; do
		[ "$(note count.events $file | jq -c 'map(.cgroup[-1:])')" = "$want" ]
	done
	[ "$(note count.events pairs | jq -c 'map(.cgroup[-1:])')" = '["a","b"]' ]
}

@test "--filter counts only hits that match" {
	need_counts
	need_tracepoints
	work=(perl -e 'use POSIX; for (1 .. 5) { POSIX::close(77) } POSIX::close(78)')
	pp-count -e syscalls:sys_enter_close --filter 'fd == 77' -o out -- "${work[@]}"
	[ "$(last syscalls:sys_enter_close out)" -eq 5 ]
}

@test "what this machine lacks is counted nowhere, and a note says why" {
	need_counts
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	FAKE_LACKS='type=4' LD_PRELOAD=$BIN/tests/fake/kernel.so pp-count -e r1a8,faults -o out -- true
	[ "$(note count.events out | jq -c .)" = '[{"name":"r1a8","why":"cannot be counted: this machine has no such counter"},{}]' ]
	[ "$(json out | jq -c 'select(.type == "STAT")' | wc -l)" -eq 1 ]
}

@test "a weak group that is too large is broken up, and percore is noted" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	FAKE_LACKS='group=2' LD_PRELOAD=$BIN/tests/fake/kernel.so run -0 --separate-stderr \
		pp-count -e '{cycles,instructions,branches}:W' -o out -- true
	assert_regex "$stderr" 'each by itself, as W permits'
	[ "$(note count.events out | jq -c .)" = '[{},{},{}]' ]
	FAKE_COUNT=77 LD_PRELOAD=$BIN/tests/fake/kernel.so pp-count -q -a -e 'cycles/percore/' -o out -- true
	[ "$(note count.events out | jq -c '.[0].percore')" = true ]
	[ "$(json out | jq -c 'select(.type == "STAT").fields.val' | sort -u)" = 77 ]
}

@test "what cannot be is refused, and nothing is written" {
	for options in '--bpf-counters' '-b 7' '--bpf-attr-map x' '--interval-count 3' '-a -p 1' '-I 0' '--timeout 0' \
		'--all-user --all-kernel' '-G a' '-G a --for-each-cgroup b -e cs' '--td-level 1' '-d -d -d -d' '-e none'; do
		echo "$options"
		run -2 pp-count $options -o none -- true
		[ ! -e none ]
	done
	for options in '-r 3' '--pre true' '--per-thread -C 0' '--per-thread -a -G a -e cs' '--until-ci 1%'; do
		run -2 pp-count $options -o none
	done
	# what is to be had is shown by a tool that has such an option
	run -2 --separate-stderr pp-count -e nosuch -o none -- true
	[[ ${stderr_lines[0]} == "pp-count: no event is called 'nosuch'; pp-record --list shows all"* ]]
	for options in --bpf-counters '-b 7' '--bpf-prog=7,8' '--bpf-attr-map x'; do
		run -2 --separate-stderr pp-count $options -o none -- true
		[[ $stderr == 'pp-count: counting by BPF programs is not supported: use -e with -p, -t or -a, which need none'* ]]
	done
	run -4 pp-count -e task-clock -o none -- /none/such
	[ ! -e none ]
}

@test "-v says of each event that cannot be counted why; -q says nothing" {
	need_kernel
	need_counts
	# no kernel has this software event
	run -0 --separate-stderr pp-count -e software/config=0x7777/,page-faults -o plain -- true
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-count -v -e software/config=0x7777/,page-faults -o out -- true
	[ "$stderr" = 'pp-count: software/config=0x7777/ cannot be counted: this machine has no such counter' ]
	pp-stat out | grep -qE '<not supported> +software/config=0x7777/'
	run -0 --separate-stderr pp-count -q -v -e software/config=0x7777/,page-faults -o out -- true
	[ -z "$stderr" ]
}

@test "events by libpfm4's names are counted as those of -e" {
	need_counts
	printf '#include <perfmon/pfmlib_perf_event.h>\n' | "${CC:-cc}" -E -x c -o /dev/null - 2>/dev/null ||
		skip "libpfm4-dev is not installed"
	pp-count -e page-faults --pfm-events 'PERF_COUNT_SW_PAGE_FAULTS,{PERF_COUNT_SW_PAGE_FAULTS_MIN,PERF_COUNT_SW_PAGE_FAULTS_MAJ}' \
		-o out -- "${CALLS[@]}"
	pp-dump --json out | jq -r 'select(.type == "HEADER_ATTR").fields.attr | "\(.type) \(.config)"' >attrs
	[ "$(cat attrs)" = $'1 0x2\n1 0x2\n1 0x5\n1 0x6' ]
	pp-stat --json out | jq -se 'map(select(.kind == "count").value) | .[0] > 0 and .[0] == .[1] and .[1] == .[2] + .[3]'
}
