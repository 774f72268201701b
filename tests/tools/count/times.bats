# pp-count: times as events, which no counter has.

setup() {
	load ../../helper
	load counting
	need jq
	need_counts
}

# sum KEY FILE: of the notes of all runs
sum() { note count.run "$2" | jq -s --arg key "$1" 'map(.[$key]) | add'; }

@test "duration_time, user_time and system_time are what the notes of the runs say" {
	need_kernel
	work=(perl -e 'for (1 .. 3e5) { $x += $_ } opendir my $d, "/" for 1 .. 3000')
	pp-count -e duration_time,user_time,system_time,task-clock -o out -- "${work[@]}"
	[ "$(last duration_time out)" = "$(sum elapsed out)" ]
	[ "$(last user_time out)" = "$(sum user out)" ]
	[ "$(last system_time out)" = "$(sum sys out)" ]
	[ $(($(last user_time out) + $(last system_time out))) -gt 0 ]
	pp-count -r 3 -I 5 -e '{duration_time,cs},tool/user_time/,system_time' -o out -- "${work[@]}"
	[ "$(last duration_time out)" = "$(sum elapsed out)" ]
	[ "$(last user_time out)" = "$(sum user out)" ]
	[ "$(last system_time out)" = "$(sum sys out)" ]
	# no time goes backwards
	[ "$(json out | jq -s 'map(select(.type == "STAT").fields) | group_by(.id) | map(map(.val) | . == sort) | all')" = true ]
}

@test "they begin when counting begins" {
	need_kernel
	pp-count -D -1 -e duration_time,user_time -o out -- true
	[ "$(last duration_time out)" = 0 ]
	[ "$(last user_time out)" = 0 ]
	pp-count -D 30 -p $$ -e duration_time,user_time -o out -- sleep 0.1
	[ "$(last duration_time out)" = "$(sum elapsed out)" ]
}

@test "on all CPUs it is the time of each that /proc/stat says" {
	need_all_counts
	mkdir proc
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do echo "cpu$cpu 100 10 1000 5 5"; done >rest
	{ echo "cpu  1 1 1 1"; cat rest; echo "intr 1"; } >proc/stat
	sed 's/^cpu0 .*/cpu0 107 11 1003 9 9/' proc/stat >later
	PROCFS_PATH=$PWD/proc pp-count -r 2 --pre 'mv later proc/stat 2>/dev/null; :' -a -e user_time,system_time,duration_time \
		-o out -- sh -c 'sed "s/^cpu0 107 11 1003/cpu0 117 12 1024/" proc/stat >new; mv new proc/stat'
	[ "$(last user_time out)" = 110000000 ]
	[ "$(last system_time out)" = 210000000 ]
	[ "$(last duration_time out)" = "$(sum elapsed out)" ]
	# of the time that passes there is one count
	[ "$(json out | jq -s 'map(select(.type == "STAT")) | length')" -eq $((2 * (2 * $(getconf _NPROCESSORS_ONLN) + 1))) ]
}

@test "perf stat report shows them" {
	need_kernel
	need_perf
	pp-count -e duration_time,user_time,cs -o out -- true
	perf stat report -i - <out >said 2>&1
	grep -E "^ +$(last duration_time out) ns +duration_time" said
	pp-count -a -e duration_time,cpu-clock -o out -- true
	perf stat report -A -i - <out >said 2>&1
	# of the other CPUs perf 6.1 says nothing, and 6.12 that they did not count
	[ "$(grep duration_time said | grep -vc '<not counted>')" -eq 1 ]
	grep -E "^CPU0 +$(last duration_time out) ns +duration_time" said
}

@test "they are not sampled, and a kernel's counters are not asked for them" {
	run -2 pp-record -e duration_time -o none -- true
	assert_output -p 'duration_time has no counter: only pp-count counts it'
	[ ! -e none ]
	run -2 pp-count -e tool/none/ -o none -- true
	run -2 pp-count -e 'duration_time,none' -o none -- true
	[ ! -e none ]
}
