# runs.bats - pp-count: how often the command runs, when counting starts, and what ends it.

setup() {
	load ../../helper
	load counting
	need jq
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
	need_kernel
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
	need_kernel
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

# bats test_tags=T3-A20
@test "what --pre and --post print is no part of a stream on standard output" {
	need_kernel
	local to
	need_counts
	for to in '' '-o -' '-o /dev/stdout'; do
		# shellcheck disable=SC2086 # no option, or two words
		run -0 --separate-stderr bash -c 'pp-count $1 -r 2 -e page-faults --pre "echo pre" \
			--post "exit 0 | cat; echo post" -- sh -c "echo run" | tee out | pp-stat -x,' - "$to"
		[[ $output == *,page-faults,* ]]
		assert_equal "$stderr" $'pre\nrun\npost\npre\nrun\npost'
		pp-check out
	done
	pp-count --compare -r 1 -e page-faults --pre 'echo pre' --post 'echo post' 'echo a' 'echo b' >out 2>said
	pp-check out
	[ "$(paste -sd' ' said)" = 'pre a post pre b post' ]
	# a file takes nothing away from anybody's standard output
	[ "$(pp-count -e page-faults -o out --pre 'echo pre' --post 'echo post' -- echo run | paste -sd' ')" = 'pre run post' ]
}

@test "a run that cannot be prepared is not made, and those before it are whole" {
	need_kernel
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

# bats test_tags=T3-A22
@test "of a command that cannot be run nothing is written, or a stream that says so" {
	need_kernel
	need_counts
	run -4 --separate-stderr bash -c 'pp-count -e page-faults -- /etc >out'
	assert_equal "$stderr" 'pp-count: cannot run /etc: Permission denied'
	[ ! -s out ]
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -4 --separate-stderr pp-count -e page-faults -o out -- ./script
	assert_equal "$stderr" 'pp-count: cannot run ./script: No such file or directory; out is incomplete'
	run -3 pp-check -q out
	# one of several runs alone
	printf '#!/bin/sh\necho run >>log\nprintf "#!/no/such/interpreter\\n" >next\nchmod +x next\nmv next script\n' >script
	run -4 --separate-stderr pp-count -r 3 -e page-faults -o out -- ./script
	assert_equal "$stderr" 'pp-count: cannot run ./script: No such file or directory; out is incomplete'
	[ "$(wc -l <log)" -eq 1 ]
	run -3 pp-check -q out
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

@test "that the command was killed is said, as by perf stat, but not where it was ended" {
	need_kernel
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
	need_kernel
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

# bats test_tags=T3-E5
@test "options may follow the two commands that are compared" {
	need_counts
	pp-count --compare true false -r 1 -o out -e page-faults
	[ "$(note count.run out | jq .side | paste -sd '')" = 01 ]
	rm out
	run -2 pp-count -o out --compare sleep 1 sleep 2
	assert_line --index 0 --partial 'each as one word, and has 4'
	[ ! -e out ]
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

@test "--sync asks the system to write out what it holds back, before each run" {
	need_counts
	need strace
	strace -f -o calls -e trace=sync,execve pp-count --sync -r 3 -e page-faults -o out -- "$(type -P true)" || skip "strace is refused here"
	grep -oE '(sync|execve)\(' calls | sed 1d >order
	[ "$(cat order)" = $'sync(\nexecve(\nsync(\nexecve(\nsync(\nexecve(' ]
	strace -f -o calls -e trace=sync pp-count -e page-faults -o out -- true
	! grep -q 'sync(' calls
}
