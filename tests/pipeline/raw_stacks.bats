# raw_stacks.bats - raw user stacks, as of --call-graph dwarf: what shows call chains unwinds them by itself, in a
# process of its own, and shows what it shows of what pp-unwind made of them.

setup() {
	load ../helper
	load ../halfway
}

teardown() { ended; }

SHOWS=(pp-script pp-report pp-fold pp-flame 'pp-top --once')

# stacks: samples with raw stacks in which frame pointers lead from caller to caller, one without a copy, and one
# whose user chain came later
stacks() {
	local stack=0000000000000000000000000000000020800000000000000020000000000000000000000000000000300000000000000000000000000000000000000000000000
	build <<-END
		header${1:+ $1}
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER,IDENTIFIER flags=sample_id_all,exclude_callchain_user sample_regs_user=0x1c0 sample_stack_user=64 config=0
		attr id=2 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,defer_callchain config=0
		feature ARCH string "x86_64"
		comm pid=7 comm=nginx time=50000000 event=1
		mmap2 pid=7 start=0x1000 len=0x4000 pgoff=0 file=//anon prot=7 time=60000000 event=1
		sample id=1 pid=7 time=100000000 misc=2 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000 regs_user=2:0x8010,0x8000,0x1000 stack_user=$stack:64
		sample id=1 pid=7 time=110000000 misc=2 ip=0x1000 callchain= regs_user=0:
		round
		sample id=1 pid=7 time=120000000 misc=2 ip=0x1500 callchain= regs_user=2:0x8010,0x8000,0x1500 stack_user=$stack:64
		sample id=2 pid=7 time=121000000 misc=1 ip=0xffffffff81000010 callchain=0xffffffffffffff80,0xffffffff81000010,0xfffffffffffffd80,99
		callchain_deferred event=2 cookie=99 ips=0xfffffffffffffe00,0x4000,0x5000 time=123000000 s_pid=7 s_tid=7
		round
		sample id=1 pid=7 time=130000000 misc=2 ip=0x1000 callchain= regs_user=2:0x8010,0x8000,0x1000 stack_user=$stack:32
		round
	END
}

# same FILE...: each tool shows the same of it as after pp-unwind, with the same status, and says the same of its
# stacks, once
same() {
	local file tool status due
	for file; do
		for tool in "${SHOWS[@]}" 'pp-script --csv' 'pp-report --json -s comm,symbol'; do
			status=0 due=0
			pp-unwind -i "$file" -o unwound 2>due.err || due=$?
			$tool -q <unwound >due.out || [ $? -eq "$due" ]
			$tool -i "$file" >out 2>err || status=$?
			[ "$status" -eq "$due" ] && cmp due.out out &&
				diff <(sed "s/^pp-unwind/${tool%% *}/" due.err) \
					<(grep -e ' stacks*: ' -e deferred err) || { echo "$tool of $file"; return 1; }
		done
	done
}

# bats test_tags=T3-E4
@test "raw stacks: what shows call chains unwinds them, in either byte order, and with chains that came later" {
	stacks >little
	stacks big >big
	same little big
	[ "$(pp-script -q -F ip little | grep -o '[0-9a-f]\{4,\}' | tr '\n' ' ')" = \
		'ffffffff81000000 1000 1fff 2fff 1500 1fff 2fff ffffffff81000010 4000 5000 1000 1fff ' ]
}

# bats test_tags=T3-E4
@test "raw stacks: of a file, of a compressed stream and file, through a pipe and byte by byte" {
	stacks >in
	pp-save -q in -o in.data
	pp-compress -q in >in.z
	zstd -q in -o in.zst
	same in.data in.z in.zst
	pp-unwind -q in | pp-script >due
	trickle in 1 | pp-script -q >out
	cmp due out
}

# bats test_tags=T3-E4
@test "raw stacks: recordings of this machine and of others" {
	local file here=()
	need_perf_events
	pp-record -q -e cpu-clock:u --call-graph dwarf,4096 -o live -- "${WORK[@]}"
	same live
	[ "$(pp-script -F ip live 2>/dev/null | awk 'NF { n++ } !NF { if (n > most) most = n; n = 0 } END { print (most > 3) }')" = 1 ]
	for file in perf-{6.1,6.12,7.3}/dwarf.pipe.data simpleperf/perf_g_fp.data; do
		[ ! -f "$CORPUS/$file" ] || here+=("$CORPUS/$file")
	done
	for file in "${here[@]}"; do
		for tool in "${SHOWS[@]}"; do
			$tool -q "$file" >out
			pp-unwind -q "$file" | $tool -q | cmp - out
		done
	done
}

# bats test_tags=T3-E4
@test "raw stacks: what pp-unwind --keep left is shown by its chains, and not unwound again" {
	stacks >in
	pp-unwind -q --keep in >kept
	for tool in "${SHOWS[@]}"; do
		pp-unwind -q in | $tool >due
		run -0 --separate-stderr $tool -i kept -o out
		[ -z "$stderr" ]
		cmp due out
	done
}

# bats test_tags=T3-E4
@test "raw stacks: how they ended is said once, by files with -v, and not with -q" {
	stacks >in
	for tool in "${SHOWS[@]}"; do
		run -0 --separate-stderr $tool -o out in
		[ "$(grep -v deferred <<<"$stderr")" = "${tool%% *}: in: 3 stacks: 2 complete, 1 in code without a file" ] || { echo "$stderr"; false; }
		run -0 --separate-stderr $tool -q -o out in
		[ -z "$stderr" ]
	done
	pp-unwind -v in 2>due >unwound
	pp-script -v in 2>err >out
	grep -x "$(grep '//anon' due | sed 's/^pp-unwind/pp-script/')" err
}

# bats test_tags=T3-E4
@test "raw stacks: registers that are asked for stay, and a profile is compared with another" {
	stacks >in
	[ "$(pp-script -q -F uregs in | grep -c 'ABI:2    BP:0x')" -eq 3 ]
	run -0 --separate-stderr pp-script -F uregs -o out in
	run -1 grep "not unwound here" <<<"$stderr"
	run -0 --separate-stderr pp-script --header-only -o out in
	[ -z "$stderr" ]
	pp-unwind -q in >unwound
	pp-flame -q --diff in in >out
	pp-flame -q --diff unwound unwound | cmp - out
	pp-report -q --filter 'time >= 50%' -s symbol in >out
	pp-report -q --filter 'time >= 50%' -s symbol unwound | cmp - out
}

# bats test_tags=T3-E4
@test "raw stacks: an event that comes after the first sample is not unwound, which is said" {
	local stack
	stack=$(printf '%0128d' 0)
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample id=1 pid=7 time=900 misc=2 ip=0x1000
		attr id=2 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER,IDENTIFIER flags=sample_id_all sample_regs_user=0x1c0 sample_stack_user=64
		sample id=2 pid=7 time=1000 misc=2 ip=0x10 callchain= regs_user=2:0x8000,0x8000,0x10 stack_user=$stack:64
		round
	END
	for tool in "${SHOWS[@]}"; do
		run -0 --separate-stderr $tool -o out in
		grep -qx "${tool%% *}: in: stacks of an event that came late are not unwound here: pp-unwind makes call chains of them" <<<"$stderr"
	done
}

# bats test_tags=T3-E4
@test "raw stacks: damage is said once, and ends in 3, as after pp-unwind" {
	local cut tool
	stacks >in
	cut=$(records in | awk '$2 == "SAMPLE" { at = $1 } END { print at + 20 }')
	head -c "$cut" in >cut
	for tool in "${SHOWS[@]}"; do
		pp-unwind -q cut 2>/dev/null | $tool -q >due 2>/dev/null || true
		run -3 --separate-stderr $tool -q cut
		[ "$(grep -c . <<<"$stderr")" -eq 1 ]
		[[ $stderr == "${tool%% *}: cut: record "* ]]
		# the page of pp-flame says that there is damage, too
		[ "$tool" = pp-flame ] || [ "$output" = "$(cat due)" ]
	done
}

# ---- the process

# children PID: the processes that it started
children() { cat "/proc/$1/task/$1/children" 2>/dev/null || true; }

# called NAME PID...: the processes among these that have this name
called() {
	local pid
	for pid in "${@:2}"; do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] || echo "$pid"
	done
}

has_begun() {
	local pid
	pid=$(called pp-unwind $(children "$tool"))
	[ -n "$pid" ] && grep -q '^NoNewPrivs:	1' "/proc/$pid/status"
}

# started_unwinding COMMAND...: as started(); child is the process that unwinds, finder the one that opens files for it
started_unwinding() {
	started "$@"
	finder=$(called pp-files $child)
	child=$(called pp-unwind $child)
	finder=$(called pp-files $(children "$finder"))
	[ -n "$child" ] && [ -n "$finder" ]
}

# halves [N]: `whole`, and it cut before its fourth or Nth sample, in the second round; the fifth is in the third
halves() {
	local cut
	stacks >whole
	cut=$(records whole | awk -v n="${1:-4}" '$2 == "SAMPLE" { at[++i] = $1 } END { print at[n] }')
	head -c "$cut" whole >one
	tail -c +$((cut + 1)) whole >two
}

# bats test_tags=T3-E4
@test "raw stacks: who unwinds has no capabilities, files and system calls, and only a finder of files" {
	need_seccomp() { grep -q '^Seccomp:' /proc/self/status || skip "this kernel has no filters of system calls"; }
	need_seccomp
	! sanitized || skip "sanitizers need system calls of their own"
	halves
	started_unwinding pp-report
	grep -qx 'CapEff:	0000000000000000' "/proc/$child/status"
	grep -qx 'Seccomp:	2' "/proc/$child/status"
	[ -z "$(children "$child")" ]
	finish
	[ "$(grep -c ' stacks: ' err)" -eq 1 ]
	pp-unwind -q whole | pp-report | cmp - out
	[ ! -e "/proc/$child" ]
}

# bats test_tags=T3-E4
@test "raw stacks: without stacks no such process is started" {
	build >one <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		comm pid=7 comm=nginx time=500
		sample pid=7 time=1000 ip=0x1000 callchain=0xfffffffffffffe00,0x1000
		round
		round
		sample pid=7 time=2000 ip=0x1000 callchain=0xfffffffffffffe00,0x1000
	END
	: >two
	has_begun() { [ -s out ]; }
	started pp-script --root /nowhere
	for child in $child; do
		[ "$(cat "/proc/$child/comm")" != pp-unwind ]
	done
	finish
}

# bats test_tags=T3-E4
@test "raw stacks: who unwinds is killed: status 4, the signal is said, and a file is not left half" {
	for tool in "${SHOWS[@]}"; do
		halves
		started_unwinding $tool -o shown
		kill -SEGV "$child"
		finish 4
		grep -qx 'pp-[a-z]*: pipe: unwinding its stacks ended in signal 11: Segmentation fault' err
		[ "$(grep -c . err)" -eq 1 ]
		[ ! -e shown ]
		[ -z "$(ls -A | grep shown)" ]
	done
}

# bats test_tags=T3-E4
@test "raw stacks: who unwinds does not outlive the tool, whatever ends that" {
	halves
	for signal in KILL TERM; do
		started_unwinding pp-report -o shown
		kill -$signal "$tool"
		# one is let pass: the source may have got it, too
		while kill -$signal "$tool" 2>/dev/null; do sleep 0.05; done
		wait "$tool" || true
		tool=
		for ((tries = 0; tries < 600; tries++)); do
			[ -e "/proc/$child" ] || [ -e "/proc/$finder" ] || break
			sleep 0.1
		done
		[ ! -e "/proc/$child" ] && [ ! -e "/proc/$finder" ]
		exec 9>&-
	done
}

# bats test_tags=T3-E4
@test "raw stacks: what comes live is shown round by round" {
	has_begun() { [ -s out ]; }
	# as without stacks, a round is let go by the end of the next one
	halves 5
	started pp-script
	grep -q ' 1fff ' out
	finish
	pp-unwind -q whole | pp-script | cmp - out
}

# bats test_tags=T3-E4
@test "raw stacks: who has enough waits for nothing" {
	halves 5
	mkfifo pipe
	pp-top -q --once --interval 10ms pipe >out 3>&- &
	tool=$!
	exec 9>pipe
	cat one >&9
	wait "$tool"
	exec 9>&-
	tool=
	pp-unwind -q whole | pp-top -q --once --interval 10ms | cmp - out
}
