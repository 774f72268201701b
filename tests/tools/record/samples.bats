# pp-record: what samples carry, as this kernel gives it, and as perf and pp-check read it.

setup() {
	load ../../helper
	once pp_events pp-record -e cpu-clock -- true || skip "perf_event_open is refused here"
}

# page faults: a program that touches much memory
FAULTS=(perl -e '$x = "x" x 4e6; $y .= $x for 1 .. 3')
# a program that starts others and waits for them
FORKS=(perl -e 'for (1 .. 5) { $p = fork or do { $i++ while $i < 1e5; exit }; waitpid $p, 0 }')

# readable FILE: perf script and perf report read it, and pp-check finds nothing wrong
readable() {
	pp-check "$1" >checked
	need_perf
	perf_quiet script -i "$1" >script
	[ -s script ]
	perf_quiet report -i "$1" --stdio >report
	grep -q '%' report
}

# of FILE FILTER: what jq's filter finds in each sample, each once
of() { json "$1" | jq -c "select(.type == \"SAMPLE\").fields | $2" | sort -u; }

# have FILE FILTER: the filter is true of some record
have() {
	json "$1" | jq -e -n "any(inputs; $2)" >/dev/null && return
	echo "no record has: $2"
	return 1
}

@test "-d records the addresses that perf script prints, and maps of data" {
	need_perf
	pp-record -e page-faults -c 1 -d -o out -- "${FAULTS[@]}"
	of out '.addr' | tr -d '"' | sed 's/^0x//' | sort -u >ours
	perf_quiet script -i out -F addr | tr -d ' ' | sort -u >theirs
	same_bytes theirs ours
	[ "$(wc -l <ours)" -gt 100 ]
	have out '.type == "MMAP2" and .fields.prot == "0x3"'
}

@test "samples have the fields that were asked for, and no others" {
	need_kernel
	for pair in '--phys-data phys_addr' '--data-page-size data_page_size' '--code-page-size code_page_size' \
		'-W weight' '--transaction transaction' '-R raw' '-g callchain' '-d data_src' '-d addr' \
		'--user-regs regs_user' '-I regs_intr' '--all-cgroups cgroup'; do
		echo "$pair"
		pp-record -e page-faults -c 1 "${pair% *}" -o out -- true
		run of out "has(\"${pair#* }\")"
		assert_output true
		pp-record -e page-faults -c 1 -o out -- true
		run of out "has(\"${pair#* }\")"
		assert_output false
	done
}

@test "registers of user space are those of the list, in the architecture's order" {
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	pp-record -e page-faults:u -c 1 --user-regs=ip,sp -o out -- "${FAULTS[@]}"
	run of out '[(.regs_user.regs | length), .regs_user.regs[1] == .ip]'
	assert_output '[2,true]'
	pp-record -e page-faults -c 1 --user-regs -o out -- true
	run of out '.regs_user.regs | length'
	assert_output 20
	run -0 pp-record '--user-regs=?'
	assert_line --index 8 ip
	refute_line xmm0
	run -0 pp-record '--intr-regs=?'
	assert_line xmm15
}

@test "call chains keep to the side that was asked for" {
	pp-record -e page-faults -c 1 -g -o both -- "${FAULTS[@]}"
	pp-record -e page-faults -c 1 -g --user-callchains -o user -- "${FAULTS[@]}"
	pp-record -e page-faults -c 1 -g --kernel-callchains -o kernel -- "${FAULTS[@]}"
	# the marks of the kernel's part and of the program's: -128 and -512
	local marks='[.callchain[]? | select(. == "0xffffffffffffff80" or . == "0xfffffffffffffe00")] | unique'
	of both "$marks" | grep -q fffe00
	run of user "$marks | contains([\"0xffffffffffffff80\"])"
	assert_output false
	run of kernel "$marks | contains([\"0xfffffffffffffe00\"])"
	assert_output false
	run -2 --separate-stderr pp-record -g --user-callchains --kernel-callchains -- true
	assert_regex "$stderr" 'user space alone and of the kernel alone cannot both be asked for'
	assert_output ''
}

@test "-s records what each task that ends has counted" {
	pp-record -e task-clock -s -o out -- "${FORKS[@]}"
	run jq -s '[.[] | select(.type == "READ" and .fields.read.value > 0).fields.tid] | unique | length' < <(json out)
	assert_output 5
	have out '.type == "READ" and .fields.read.time_running > 0'
}

@test "-s says no less of what was lost" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	local option
	for option in '' -s; do
		# shellcheck disable=SC2086
		FAKE_LOST=7 LD_PRELOAD=$BIN/tests/fake/kernel.so pp-record -e cycles $option -o out -- true
		run jq -s '[.[] | select(.type == "LOST_SAMPLES").fields.lost] | unique' -c < <(json out)
		assert_output '[7]'
	done
}

@test "each event of a group that is read at once says what it lost" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	FAKE_LOST=7 LD_PRELOAD=$BIN/tests/fake/kernel.so pp-record -e '{cycles,instructions,branches}:S' -C 0 -o out -- true
	run jq -r 'select(.type == "LOST_SAMPLES" and .event != "dummy") | "\(.event) \(.fields.lost)"' < <(json out)
	assert_output $'cycles 7\ninstructions 7\nbranches 7'
}

# bats test_tags=T3-A5
@test "a group that is read at once is recorded in what the command starts, too" {
	need_kernel
	need_perf_events
	run -0 --separate-stderr pp-record -e '{task-clock,page-faults}:S' -o out -- sh -c '"$@"; :' - "${WORK[@]}"
	[[ $stderr != *"this kernel cannot record events with :S"* ]] || skip "this kernel cannot"
	have out '.type == "SAMPLE" and .event == "task-clock" and .fields.pid != '"$(json out |
		jq -s 'map(select(.type == "COMM" and .fields.comm == "sh"))[0].fields.pid')"
	# each thread counts from its own start
	run -0 bash -c "pp-script -F event,period out | awk '\$1 == \"task-clock:\" && \$2 > 1e12' | wc -l"
	assert_output 0
	pp-check out
	pp-record -i -q -e '{task-clock,page-faults}:S' -o out -- true
	run jq -c 'select(.type == "HEADER_ATTR" and .event != "dummy").fields.attr.flags.inherit' < <(json out)
	assert_output -p null
	refute_output -p 1
}

# bats test_tags=T3-A5
@test "a kernel that cannot read groups of tasks that are started leaves these out, and that is said" {
	local fake=$BIN/tests/fake/kernel.so event
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	for event in '{cycles,instructions}:S' cycles:S; do
		FAKE_LACKS='inherited_reads=0x10' LD_PRELOAD=$fake run -0 --separate-stderr \
			pp-record -e "$event" -e branches -o out -- true
		assert_equal "$(grep -c 'this kernel cannot record events with :S in tasks that the recorded ones start (Linux 6.13 can): leaving those tasks out' <<<"$stderr")" 1
		run jq -r 'select(.type == "HEADER_FEATURE").fields.data.events[]? | "\(.name) \(.attr.flags.inherit)"' < <(json out)
		assert_output -p 'branches 1'
		assert_output -e '(^|
)cycles[^ ]* null'
		# what is on a CPU is started by nobody
		FAKE_LACKS='inherited_reads=0x10' LD_PRELOAD=$fake run -0 --separate-stderr pp-record -e "$event" -C 0 -o out -- true
		refute_regex "$stderr" 'cannot'
	done
}

@test "--switch-events records each switch, out and in" {
	pp-record -e cpu-clock --switch-events -o out -- "${FORKS[@]}"
	have out '.type == "SWITCH" and .misc == 0'
	have out '.type == "SWITCH" and .misc == 8192'
	pp-record -e cpu-clock --latency -o same -- "${FORKS[@]}"
	have same '.type == "SWITCH"'
	need_perf
	perf_quiet script -i out --show-switch-events >script
	grep -q PERF_RECORD_SWITCH script
	run -2 --separate-stderr pp-record --latency -a -- true
	assert_regex "$stderr" '--latency cannot be combined with --all-cpus'
}

@test "--switch-events -a names the task before and after" {
	once pp_all pp-record -e cpu-clock -a -- true || skip "system-wide recording is refused here"
	pp-record -e cpu-clock --switch-events -a -o out -- "${FORKS[@]}"
	have out '.type == "SWITCH_CPU_WIDE" and .fields.next_prev_tid > 0'
}

@test "--off-cpu records where a task leaves its CPU, and when it is back" {
	need_kernel
	pp-record -e cpu-clock --off-cpu -o out -- sh -c 'sleep 0.2; perl -e "\$i++ while \$i < 1e5"'
	have out '.type == "SAMPLE" and .event == "context-switches" and (.fields.callchain | length) > 2'
	have out '.type == "SWITCH" and .misc == 8192'
	# the longest time between a thread's switch out and its next in: that of sleep
	run jq -s '[.[] | select(.type == "SWITCH") | {out: (.misc >= 8192)} + .fields.sample_id] | group_by(.tid) |
		[.[] | sort_by(.time) | . as $s | range(1; length) | select($s[. - 1].out and ($s[.].out | not)) |
			$s[.].time - $s[. - 1].time] | max > 150000000' < <(json out)
	assert_output true
	# no sample is without its switch
	[ "$(json out | jq -s '[.[] | select(.event == "context-switches" and .type == "SAMPLE")] | length')" -le \
		"$(json out | jq -s '[.[] | select(.type == "SWITCH" and .misc >= 8192)] | length')" ]
	readable out
	grep -q context-switches report
}

@test "--off-cpu=wakers also records who wakes a task, each time, with call chains" {
	need_kernel
	run -2 --separate-stderr pp-record --off-cpu=sleepers -- true
	assert_regex "$stderr" "--off-cpu: 'sleepers' is not wakers"
	once pp_points pp-record -e sched:sched_process_exec -- true || skip "no tracepoints here"
	local event
	for event in cpu-clock sched:sched_waking,cpu-clock; do
		# each time, however seldom other events are sampled
		pp-record -e $event -c 1000000 --off-cpu=wakers -o out -- sh -c '{ sleep 0.05; echo; } | cat >/dev/null'
		[ "$(pp-info out | grep -c 'name = sched:sched_waking')" -eq 1 ]
		have out '.type == "SAMPLE" and .event == "sched:sched_waking" and (.fields.callchain | length) > 2'
		have out '.type == "SAMPLE" and .event == "context-switches" and (.fields.callchain | length) > 2'
		# the shell, which writes, wakes cat
		pp-span off-cpu -q --wakers out >waits
		have waits '.type == "SAMPLE" and .event == "offcpu-waker" and .fields.period > 40000000 and .fields.weight > 0'
	done
}

@test "--namespaces records a task that enters one" {
	unshare -n true || skip "network namespaces cannot be made here"
	pp-record -e cpu-clock --namespaces -o out -- unshare -n true
	run jq -s '[.[] | select(.type == "NAMESPACES").fields.namespaces[0].ino] | unique | length' < <(json out)
	[ "$output" -ge 2 ]
}

@test "--all-cgroups records the group of each sample" {
	pp-record -e cpu-clock --all-cgroups -o out -- "${WORK[@]}"
	run of out '.cgroup > 0'
	assert_output true
}

@test "-i leaves out what the recorded task starts" {
	pp-record -e task-clock -i -o out -- "${FORKS[@]}"
	run jq -s '[.[] | select(.type == "SAMPLE").fields.tid] | unique | length' < <(json out)
	[ "$output" -le 1 ]
}

@test "what is asked of branches is refused where there is no such hardware, before anything is written" {
	need_kernel
	for option in -b '-j any,u' '--call-graph lbr'; do
		# shellcheck disable=SC2086
		run -4 --separate-stderr pp-record -e cpu-clock $option -- true
		assert_regex "$stderr" 'cannot record branches with cpu-clock: its PMU has no such records'
		assert_output ''
	done
}

@test "unknown branch filters and registers are misuse, and the message has those there are" {
	run -2 --separate-stderr pp-record -j any,often -- true
	assert_regex "$stderr" "'any,often' is not a list of branch filters: use u, k, hv, any, "
	assert_output ''
	run -2 --separate-stderr pp-record -j '' -- true
	run -2 --separate-stderr pp-record --user-regs=ip,xyz -- true
	assert_regex "$stderr" "'ip,xyz' is not a list of registers: use "
	assert_output ''
	[ "$(uname -m)" = x86_64 ] || return 0
	run -2 --separate-stderr pp-record --user-regs=xmm0 -- true
	assert_regex "$stderr" 'only those at an interrupt'
	assert_output ''
}

@test "perf 7 reports latency by a recording with --latency, once it is a file" {
	newer=$(ls -d "$PERF_NEWER"/perf-7.* 2>/dev/null | head -n 1)
	[ -n "$newer" ] || skip "perf 7 is not here to read it"
	pp-record -q -e cpu-clock --latency -o out -- perl -e '$i++ while $i < 1e6; for (1 .. 3) { fork or do { $i++ while $i < 3e6; exit } } wait for 1 .. 3'
	pp-save -i out -o out.data
	run -0 bash -c '"$0" report -i out.data --latency --stdio 2>/dev/null' "$newer"
	assert_line --regexp '^# +Latency +Overhead'
	assert_line --regexp '^ +[0-9.]+% +[0-9.]+% +perl '
	run -0 bash -c '"$0" report -i out.data --stdio -s parallelism 2>/dev/null' "$newer"
	assert_line --regexp '^ +[0-9.]+%.* 1 *$'
}
