# pp-count: counts of this machine's events as a stream.

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

@test "--interval-count, --timeout, --duration and signals end it, and its command" {
	need_counts
	run -0 pp-count -e task-clock -I 5 --interval-count 3 -o out -- sleep 100
	[ "$(json out | jq -c 'select(.type == "STAT_ROUND")' | wc -l)" -eq 3 ]
	[ "$(note count.run out | jq .signal)" = 15 ]
	run -0 pp-count -e task-clock --timeout 20 -o out -- sleep 100
	[ "$(note count.run out | jq .signal)" = 15 ]
	run -0 pp-count -e task-clock --duration 20ms -o out -- sleep 100
	[ "$(note count.run out | jq .signal)" = 15 ]
	run -0 pp-count -e task-clock -o out -- sh -c 'kill -INT $PPID; exec sleep 100'
	[ "$(note count.run out | jq .signal)" = 15 ]
	pp-check out
}

@test "events start late with -D, or not at all with -D -1" {
	need_counts
	pp-count -e task-clock -D -1 -o out -- true
	[ "$(last task-clock out)" = 0 ]
	[ "$(note count out | jq .delay)" = -1 ]
	pp-count -e task-clock -D 30 -o out -- sleep 0.1
	[ "$(last task-clock out)" -lt 100000000 ]
	[ "$(note count out | jq .delay)" = 30 ]
	# of a command that ended before they start there is an interval, in which they were not counted
	pp-count -I 1000 -D 600000 -e task-clock,page-faults -o out -- true
	[ "$(pp-stat -x, out | cut -d, -f2,4)" = $'<not counted>,task-clock\n<not counted>,page-faults' ]
}

@test "--control starts and stops events, and ends it" {
	need_counts
	mkfifo commands acks
	exec 8<>commands 9<>acks
	pp-count -e task-clock,page-faults -D -1 --control fifo:commands,acks -o out -- \
		sh -c 'printf "enable page-faults\n" >&8; head -n 1 <&9 >/dev/null
			perl -e "\$x = q(x) x 400_000"; printf "evlist\nstop\n" >&8; exec sleep 100' 2>said
	exec 8>&- 9>&-
	[ "$(last page-faults out)" -gt 100 ]
	[ "$(last task-clock out)" = 0 ]
	grep -x page-faults said
}

@test "--control takes open descriptors, too, and counts between enable and disable alone" {
	need_counts
	need_tracepoints
	mkfifo commands acks
	exec 8<>commands 9<>acks
	pp-count -D -1 -e syscalls:sys_enter_chdir --control fd:8,9 -o out -- perl -e '
		sub say_it { open my $to, ">", "commands"; print $to "$_[0]\n"; close $to; open my $from, "<", "acks"; <$from> }
		chdir "." for 1 .. 3; say_it("enable"); chdir "." for 1 .. 5; say_it("disable"); chdir "." for 1 .. 7'
	exec 8>&- 9>&-
	[ "$(last syscalls:sys_enter_chdir out)" -eq 5 ]
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

@test "the command runs -r times, with --pre and --post, and a note says of each how it ended" {
	need_counts
	pp-count -r 3 --sync --pre 'echo pre >>log' --post 'echo post >>log' -e page-faults -o out -- sh -c 'echo run >>log; exit 7'
	[ "$(paste -sd, log)" = pre,run,post,pre,run,post,pre,run,post ]
	[ "$(note count.run out | jq -c .rounds | paste -sd' ')" = '[0,0] [1,1] [2,2]' ]
	[ "$(note count.run out | jq .status | sort -u)" = 7 ]
	[ "$(json out | jq -c 'select(.type == "STAT_ROUND").fields.type' | paste -sd' ')" = '0 0 1' ]
	[ "$(json out | jq -s 'map(select(.type == "STAT").fields.val) | . == sort and length == 3 and .[0] < .[2]')" = true ]
	[ "$(note count out | jq .repeat)" = 3 ]
	run -7 pp-count -r 2 --exit-status -e page-faults -o out -- sh -c 'exit 7'
}

@test "a run that cannot be prepared is not made, and those before it are whole" {
	local before
	need_counts
	for before in 0 2; do
		: >log
		run -4 --separate-stderr pp-count -r 4 --pre "[ \$(wc -l <log) -lt $before ]" -e page-faults -o out -- \
			sh -c 'echo run >>log'
		assert_equal "$stderr" "pp-count: --pre: '[ \$(wc -l <log) -lt $before ]' ended with status 1: nothing more is counted"
		[ "$(wc -l <log)" -eq "$before" ]
		pp-check -q out
		[ "$(json out | jq 'select(.type == "STAT_ROUND").type' | wc -l)" -eq "$before" ]
	done
	run -0 pp-stat out
	[[ $output == *"(2 runs)"* ]]
}

@test "of runs on all CPUs each adds what it counted itself" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	# counters that stand still after the first run
	FAKE_COUNT=77 LD_PRELOAD=$BIN/tests/fake/kernel.so pp-count -r 4 -C 0 -e cycles -o out -- true
	[ "$(json out | jq -c 'select(.type == "STAT").fields | [.val, .ena]' | paste -sd' ')" = \
		'[77,1000000000] [77,1000000000] [77,1000000000] [77,1000000000]' ]
	# of a command's own each begins anew
	FAKE_COUNT=77 LD_PRELOAD=$BIN/tests/fake/kernel.so pp-count -r 3 -e cycles -o out -- true
	[ "$(json out | jq -c 'select(.type == "STAT").fields.val' | paste -sd' ')" = '77 154 231' ]
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

@test "that the command was killed is said, as by perf stat, but not where it was ended" {
	need_counts
	run -0 --separate-stderr pp-count -r 2 -e page-faults -o out -- sh -c 'kill -ABRT $$'
	[ "$stderr" = $'pp-count: the command was killed by a signal: Aborted\npp-count: the command was killed by a signal: Aborted' ]
	[ "$(note count.run out | jq .signal | paste -sd' ')" = '6 6' ]
	run -0 --separate-stderr pp-count -q -e page-faults -o out -- sh -c 'kill -ABRT $$'
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-count --timeout 50 -e page-faults -o out -- sleep 10
	[ -z "$stderr" ]
}

@test "-r 0 runs it until a signal comes" {
	need_counts
	pp-count -r 0 -e page-faults -o out -- sh -c 'echo run >>log; [ "$(wc -l <log)" -lt 4 ] || kill -TERM $PPID'
	[ "$(note count.run out | wc -l)" -eq 4 ]
	pp-check out
	# of these the last was not let to its end: it is no measure of the others
	[ "$(note count.run out | jq -c .cut | paste -sd' ')" = 'null null null true' ]
	run -0 --separate-stderr pp-stat out
	assert_output -p '(3 runs)'
	[ "$stderr" = 'pp-stat: out: the last run was ended early: it is left out of the means' ]
	pp-stat -q --json out >said
	[ "$(jq -c 'select(.name == "elapsed").runs' said)" = 3 ]
	[ "$(jq -c 'select(.event == "page-faults").raw' said)" -eq \
		"$(json out | jq -n '[inputs | select(.type == "STAT").fields.val][2]')" ]
	# nor is it where one alone was whole, or of two streams
	rm log
	pp-count -r 0 -e page-faults -o two -- sh -c 'echo run >>log; [ "$(wc -l <log)" -lt 2 ] || kill -TERM $PPID; sleep 0.1'
	pp-stat -q --json two >said
	[ "$(jq -c 'select(.event == "page-faults").value' said)" -eq \
		"$(json two | jq -n '[inputs | select(.type == "STAT").fields.val][0]')" ]
	[ "$(pp-stat -q --json two out | jq -c 'select(.event == "page-faults") | .before')" -eq "$(jq -c 'select(.event == "page-faults").value' said)" ]
	# a single one is what there is
	pp-count --timeout 50 -e page-faults -o one -- sleep 10
	run -0 --separate-stderr pp-stat one
	[ -z "$stderr" ]
}

@test "two commands are compared in the order A B B A" {
	need_counts
	pp-count -r 3 -o out -e page-faults --compare 'echo a >>log' 'echo b >>log'
	[ "$(paste -sd '' log)" = abbaab ]
	[ "$(note count.run out | jq .side | paste -sd '')" = 011001 ]
	[ "$(note count out | jq -c .sides)" = '["echo a >>log","echo b >>log"]' ]
	run -2 pp-count -o out --compare 'true'
	assert_output -p 'needs two commands'
}

@test "--until-ci repeats until the mean is known that well, and says so if it never is" {
	need_counts
	need_tracepoints
	run -0 pp-count -v --until-ci 1%,sched:sched_process_exit -e sched:sched_process_exit -o out -- true
	assert_output -p 'sched:sched_process_exit within 0.00 % after 3 runs'
	[ "$(note count.run out | wc -l)" -eq 3 ]
	run -0 pp-count --until-ci 1%,page-faults -r 4 -e page-faults -o out -- \
		sh -c 'echo run >>more; perl -e "\$x = q(x) x (1e7 * -s q(more))"'
	assert_output --regexp 'page-faults is known within [0-9.]+ % only, after 4 runs'
	run -4 pp-count --until-ci 1%,nothing -e page-faults -o out -- true
	run -2 pp-count --until-ci 1 -o out -- true
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

@test "--sync asks the system to write out what it holds back, before each run" {
	need_counts
	need strace
	strace -f -o calls -e trace=sync,execve pp-count --sync -r 3 -e page-faults -o out -- "$(type -P true)" || skip "strace is refused here"
	grep -oE '(sync|execve)\(' calls | sed 1d >order
	[ "$(cat order)" = $'sync(\nexecve(\nsync(\nexecve(\nsync(\nexecve(' ]
	strace -f -o calls -e trace=sync pp-count -e page-faults -o out -- true
	! grep -q 'sync(' calls
}
