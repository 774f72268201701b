# process.bats - pp-symbol reads files in a process that has nothing but what it is handed, and outlives it.

setup() {
	load ../../helper
	load ../../lacking
	load ../../halfway
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
	program prog
	program prog2 -O1
}

teardown() { ended; }

# in_two FILE...: a stream in which process 7 maps files, the first hit in two parts, the others in the
# second; makes one and two
in_two() {
	local n=0 file
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for file in "$@"; do
			n=$((n + 1))
			echo "mmap2 pid=7 start=0x${n}00000000 len=0x1000000 file=\"$PWD/$file\" build_id=$(id_of "$file") time=1"
		done
		echo "sample pid=7 ip=$((0x100000000 + $(at "$1" main))) misc=2 time=10"
		echo round
		echo "sample pid=7 ip=$((0x100000000 + $(at "$1" main))) misc=2 time=20"
		echo round
		echo "sample pid=7 ip=$((0x100000000 + $(at "$1" main))) misc=2 time=30"
		echo round
		n=0
		for file in "$@"; do
			n=$((n + 1))
			echo "sample pid=7 ip=$((n * 0x100000000 + $(at "$file" work))) misc=2 time=$((40 + n))"
		done
		echo round
	} | build >whole
	cut=$(records whole | awk '$2 == "FINISHED_ROUND" { n++ } n == 3 { print $1 + 8; exit }')
	head -c "$cut" whole >one
	tail -c +$((cut + 1)) whole >two
}

has_begun() { grep -q PPNAMES out; }

# children PID: the processes that it started
children() { cat "/proc/$1/task/$1/children" 2>/dev/null || true; }

# begin [OPTION...]: it stands halfway, with names; sets finder, which it asks, and reader, which the finder asks
begin() {
	started pp-symbol "$@"
	finder=$child
	[ -n "$finder" ]
	reader=$(children "$finder")
	reader=${reader% }
	[ -n "$reader" ]
}

@test "symbol: files are read by a process without capabilities, files and system calls" {
	in_two prog
	begin
	[ "$(cat "/proc/$reader/comm")" = pp-names ]
	grep -qx 'CapEff:	0000000000000000' "/proc/$reader/status"
	# a sanitizer says there what it finds
	nm "$BIN/pp-symbol" | grep -q __asan_init || [ "$(ls "/proc/$reader/fd")" = 0 ]
	[[ $(readlink "/proc/$reader/fd/0") == socket:* ]]
	grep -qx 'NoNewPrivs:	1' "/proc/$reader/status" || skip "this kernel has no filters of system calls"
	grep -qx 'Seccomp:	2' "/proc/$reader/status"
	finish
	[ ! -s err ]
	[ "$(frames out)" = "$(pp-symbol whole | frames -)" ]
	[ ! -e "/proc/$reader" ]
}

@test "symbol: who finds files reads nothing of them, not even their build-ids" {
	need strace
	in_two prog prog2
	strace -f -qq -e trace=read,pread64,execve,prctl -o calls pp-symbol whole >out || skip "strace may not trace"
	tool=$(awk '/execve/ { print $1; exit }' calls)
	finder=$(awk '/PR_SET_NAME, "pp-files"/ { print $1; exit }' calls)
	[ -n "$finder" ]
	grep -v "^$tool " calls | grep -v "^$finder " | grep -q 'pread64(.*ELF'
	# what the loader reads comes first
	run -1 grep -E "^($tool|$finder) .*pread64\(.*ELF.* = 64$" calls
	tool=
}

# bats test_tags=T3-B4
@test "symbol: a file that is cut after it was read keeps its names" {
	in_two prog prog2
	begin --lines
	truncate -s 4096 prog
	finish
	[ ! -s err ]
	[ "$(frames out | sort)" = "$(pp-symbol whole | frames - | sort)" ] || frames out
	[ "$(frames out | grep -c 'main$')" = 1 ]
	[ "$(frames out | grep -c 'work$')" = 2 ]
}

@test "symbol: a process that is killed while it has nothing to do is started anew" {
	in_two prog prog2
	begin
	kill -SEGV "$reader"
	finish
	[ "$(cat err)" = "pp-symbol: $PWD/prog: read anew: reading it ended in signal 11" ]
	[ "$(frames out | sort)" = "$(pp-symbol whole | frames - | sort)" ]
}

@test "symbol: signals that go to all processes of a job do not end the one that reads files" {
	in_two prog prog2
	begin
	for signal in INT TERM HUP; do kill -$signal "$reader"; done
	finish
	[ ! -s err ]
	[ "$(frames out | sort)" = "$(pp-symbol whole | frames - | sort)" ]
}

@test "symbol: a file that takes more than its time is passed over, which is said" {
	in_two prog
	begin
	kill -PROF "$reader"
	finish
	[ "$(cat err)" = "pp-symbol: $PWD/prog: passed over: it takes too long to read" ]
}

# is_confined: whether the process that finds files for $tool has one that reads them, and that is left with nothing
# else
is_confined() {
	finder=$(children "$tool")
	reader=$(children "${finder% }")
	[ -n "$finder" ] && [ -n "$reader" ] && [ "$(cat "/proc/${reader% }/comm")" = pp-names ] &&
		grep -qx 'CapEff:	0000000000000000' "/proc/${reader% }/status" &&
		[[ $(readlink "/proc/${reader% }/fd/0") == socket:* ]]
}

# Those that show samples read files in the same way.
@test "sinks: files are read by a process that has nothing else" {
	local i sink
	in_two prog prog2
	mkfifo pipe
	for sink in "pp-script" "pp-fold" "pp-flame --svg" "pp-report" "pp-top --once"; do
		# what another has kept needs no process
		rm -rf .cache
		$sink pipe >out 2>err 3>&- &
		tool=$!
		exec 9>pipe
		cat one >&9
		for ((i = 0; i < 1200; i++)); do
			! is_confined || break
			sleep 0.05
		done
		is_confined
		finish
		grep -q main out
		grep -q work out
	done
}

# Without both the process is one of its own all the same.
@test "symbol: where the kernel has no Landlock and no filters of system calls, each tool says so with -v" {
	local tool sink
	! nm "$BIN/pp-symbol" | grep -q __asan_init || skip "a sanitizer takes the calls itself"
	lacking_library
	in_two prog prog2
	for sink in "pp-symbol" "pp-unwind" "pp-script" "pp-fold" "pp-flame --svg" "pp-report" "pp-top --once"; do
		tool=${sink%% *}
		rm -rf .cache
		run -0 env LD_PRELOAD="$PWD/lacking.so" bash -c "$sink -v whole 2>&1 >out"
		[ "$(grep -cx "$tool: files are read without a filter of system calls: this kernel has none" <<<"$output")" -eq 1 ]
		[ "$(grep -cx "$tool: files are read without Landlock: this kernel has none" <<<"$output")" -eq 1 ]
		$sink -v whole 2>&1 >out | run -1 grep -F "this kernel has none"
	done
	tool=
}
