# memory.bats - pp-sort: what it holds in memory, what it puts aside, and what happens where there
# is no room for that.

setup() {
	load ../../helper
	load sort
}

# ---- bounds

@test "a long stream with rounds is held for two of them only" {
	busy 500 | build >in
	run -0 bash -c 'pp-sort -v -i in -o out'
	held=$(sed -n 's/.*at most \([0-9]*\) bytes.*/\1/p' <<<"$output")
	[ "$held" -gt 0 ]
	[ "$held" -lt 20000 ]
}

@test "-S bounds what is held where no round comes, and says so" {
	build >in <<-'END'
		header
		attr
		repeat 2000 {
		sample time=$(100000+i*10-i%7*25)
		}
	END
	run -0 bash -c 'pp-sort -v -S 20k -i in -o out'
	assert_output --partial "too many records came without a round"
	refute_output --partial "came after later ones"
	held=$(sed -n 's/.*at most \([0-9]*\) bytes.*/\1/p' <<<"$output")
	[ "$held" -lt 21000 ]
	pp-sort --check -i out
}

@test "what -S lets go too early is counted, and still there" {
	build >in <<-'END'
		header
		attr
		repeat 1000 {
		sample time=$(100000+i)
		}
		repeat 10 {
		sample time=$(50000+i)
		}
	END
	run -0 bash -c 'pp-sort -S 10k -i in -o out'
	assert_output --partial "10 records came after later ones had been released"
	[ "$(records out | grep -c SAMPLE)" -eq 1010 ]
}

@test "-S of one byte still writes every record" {
	busy 3 | build >in
	run -0 bash -c 'pp-sort -q -S 1 -i in | wc -c'
	[ "$output" -eq "$(wc -c <in)" ]
}

@test "-S 0 is misuse" {
	run -2 --separate-stderr pp-sort -S 0 -i /dev/null
	[[ $stderr == *"--size"* ]]
}

@test "--all gives the same bytes with little memory, in many runs and several passes" {
	generated --samples 60000 --rounds 0 -o in
	pp-sort --all -i in -o want
	run -0 pp-sort --all -v -S 1 -i in -o out
	[[ $output =~ ([0-9]+)" sorted runs were put aside, "[0-9]+" bytes, and merged in "([0-9]+)" passes" ]]
	[ "${BASH_REMATCH[1]}" -ge 5 ]
	[ "${BASH_REMATCH[2]}" -ge 2 ]
	same_bytes want out
	run -0 pp-sort --all -v -i in -o out
	assert_output --partial " 0 sorted runs were put aside, 0 bytes"
}

# ---- where there is no room

@test "--all with no folder to put records aside in is exit 4, where it has to" {
	generated --samples 20000 -o in
	run -4 --separate-stderr env TMPDIR="$PWD/nowhere" pp-sort --all -S 1 -i in -o out
	[[ $stderr == *"cannot make a file in $PWD/nowhere: No such file"* ]]
	[ ! -e out ]
	TMPDIR=$PWD/nowhere pp-sort --all -i in -o out
}

@test "--all with a full folder is exit 4, and leaves nothing behind" {
	generated --samples 20000 -o in
	mkdir aside
	run -4 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 600 && TMPDIR=$PWD/aside pp-sort --all -S 1 -i in -o out'
	[[ $stderr == *"cannot put records aside in $PWD/aside: "* ]]
	[ ! -e out ]
	[ -z "$(ls -A aside)" ]
	run -1 grep out <(ls -A)
}

@test "--all on a full file system is exit 4, and gives all room back" {
	need_root
	need unshare
	once mount_namespace unshare -m mount -t tmpfs none /mnt || skip "cannot mount here"
	generated --samples 20000 -o in
	mkdir aside
	run -0 unshare -m bash -c '
		mount -t tmpfs -o size=600k none aside
		TMPDIR=$PWD/aside pp-sort --all -S 1 -i in -o out
		echo "exit $?"
		ls -A aside
		df --output=used aside | tail -n 1'
	[[ ${lines[0]} == *"cannot put records aside in $PWD/aside: No space left on device" ]]
	[ "${lines[1]}" = "exit 4" ]
	[ "${lines[2]// /}" = 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[ ! -e out ]
}

@test "--all leaves nothing behind when it is killed" {
	generated --samples 60000 -o in
	mkdir aside
	mkfifo to
	TMPDIR=$PWD/aside pp-sort --all -S 1 <to >out 3>&- &
	victim=$!
	exec 4>to
	cat in >&4
	# all but what fits in a pipe was taken: some of it is in a file
	ls -l "/proc/$victim/fd" | grep -q "$PWD/aside/"
	[ -z "$(ls -A aside)" ]
	kill -9 $victim
	status=0
	wait $victim || status=$?
	exec 4>&-
	[ "$status" -eq 137 ]
	[ -z "$(ls -A aside)" ]
}
