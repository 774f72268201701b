# expressions.bats - the table expressions.txt: pp-filter keeps what jq selects, of recordings made
# here and of streams that others made.

bats_require_minimum_version 1.5.0

# Each is recorded once; where that is refused its tests are skipped.
setup_file() {
	load ../helper
	cd "$BATS_FILE_TMPDIR" || return
	command -v perf >/dev/null || return 0
	local count='$i++ while $i < 2e6' children='for (1 .. 12) { $p = fork or exec "true"; waitpid $p, 0; $p = fork or exit; waitpid $p, 0 }'
	record() { perf record -o - "${@:2}" >"$1" 2>/dev/null </dev/null 3>&- || rm -f "$1"; }
	record chain -g -F 2000 -e cpu-clock -- perl -e "$count"
	record group --buildid-mmap -F 2000 -e '{cpu-clock,page-faults}:S' -- perl -e "$count"
	record memory -d -W -c 1 -e page-faults -- perl -e "$count"
	record cgroup --all-cgroups --switch-events -F 2000 -e cpu-clock -- perl -e "$count"
	record trace -e sched:sched_switch -e sched:sched_process_fork -e syscalls:sys_enter_openat -- "${CALLS[@]}"
	record namespaces --namespaces -c 16 -e page-faults -- unshare -m -u perl -e "$children"
	record storm -c 16 -e page-faults -- perl -e "$children"
}

setup() { load ../helper; }

# table STREAM FAMILY...: the rows of these families hold for the stream
table() {
	[ -f "$1" ] || skip "cannot be recorded here"
	need jq
	cp "$1" in
	perl "$TESTS/filter/expressions.pl" "$TESTS/filter/expressions.txt" in "${@:2}"
}

@test "samples with call chains" { table "$BATS_FILE_TMPDIR/chain" every chain; }
@test "samples of groups" { table "$BATS_FILE_TMPDIR/group" every group ids; }
@test "samples with addresses, weights and sources of data" { table "$BATS_FILE_TMPDIR/memory" every memory; }
@test "samples with control groups, between context switches" { table "$BATS_FILE_TMPDIR/cgroup" cgroup; }
@test "samples of tracepoints" { table "$BATS_FILE_TMPDIR/trace" every trace; }
@test "samples of tasks in namespaces of their own" { table "$BATS_FILE_TMPDIR/namespaces" kin spaces side; }
@test "samples in a storm of forks and execs" { table "$BATS_FILE_TMPDIR/storm" every kin side; }

@test "streams that are in the tree" {
	for stream in demo tracepoint; do
		table "$TESTS/streams/$stream.pipe" every
	done
}

@test "streams of others" {
	local file
	local files=(quipper/perf.data.branch-4.14 linux-tracepoints/pipe.data quipper/perf.data.hybrid_topology)
	corpus "${files[@]}"
	for file in "${files[@]}"; do
		echo "$file"
		pp-cat -i "$CORPUS/$file" >plain
		table plain every
	done
}
