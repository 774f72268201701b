# process.bats - pp-unwind has nothing but its streams when it reads files, which another process finds.

setup() {
	load ../../helper
	load ../../halfway
	load stacks
	command -v readelf >/dev/null || skip "binutils is not installed"
}

teardown() { ended; }

# in_two: a stream whose stacks are in a program of the test's, cut before its first sample; one and two
in_two() {
	echo 'int main(void) { return 0; }' >main.c
	cc -g -o main main.c
	id=$(readelf -n main | sed -n 's/.*Build ID: //p')
	start=$(readelf -sW main | awk '$8 == "main" { print "0x" $2 }')
	build >whole <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all sample_regs_user=0x1c0 sample_stack_user=64 config=0
		feature ARCH string "x86_64"
		mmap2 pid=7 start=0 len=0x100000 pgoff=0 file="$PWD/main" build_id=$id time=1
		round
		sample pid=7 time=1000 ip=$start callchain= regs_user=2:0x8000,0x8000,$start stack_user=$(printf '%0128d' 0):64
		round
		round
	END
	cut=$(records whole | awk '$2 == "SAMPLE" { print $1; exit }')
	head -c "$cut" whole >one
	tail -c +$((cut + 1)) whole >two
}

has_begun() { [ -s out ] || [ -n "$(find there -size +0 2>/dev/null)" ]; }

# begin [OPTION...]: it stands halfway; sets finder
begin() {
	started pp-unwind "$@"
	finder=$child
	[ -n "$finder" ]
}

@test "unwind: who reads files has no capabilities, files and system calls; who finds them reads nothing" {
	in_two
	begin
	[ "$(cat "/proc/$finder/comm")" = pp-files ]
	[[ $(readlink "/proc/$finder/fd/0") == socket:* ]]
	[ ! -e "/proc/$finder/fd/1" ]
	grep -qx 'CapEff:	0000000000000000' "/proc/$tool/status"
	grep -qx 'NoNewPrivs:	1' "/proc/$tool/status" || skip "this kernel has no filters of system calls"
	grep -qx 'Seccomp:	2' "/proc/$tool/status"
	finish
	grep -q '1 stack' err
	[ "$(json out | jq -c 'select(.type == "SAMPLE") | .fields.callchain')" = \
	  "$(pp-unwind -q whole | json - | jq -c 'select(.type == "SAMPLE") | .fields.callchain')" ]
	[ ! -e "/proc/$finder" ]
}

@test "unwind: who finds files only opens them" {
	need strace
	in_two
	strace -f -qq -e trace=read,pread64,mmap,execve -o calls pp-unwind -q whole >out || skip "strace may not trace"
	tool=$(awk '/execve/ { print $1; exit }' calls)
	grep -q "^$tool .*pread64(.*ELF" calls
	run -1 grep -v "^$tool " <(grep ELF calls)
	tool=
}

@test "unwind: an output gets its name in the folder where it is made, or goes" {
	in_two
	mkdir there
	cat one two | pp-unwind -q -o there/out
	cmp there/out <(pp-unwind -q whole)
	(cd there && pp-unwind -q ../whole -o out)
	cmp there/out <(pp-unwind -q whole)
	rm -f there/out out
	begin -o there/out
	kill -TERM "$tool"
	kill -TERM "$tool" 2>/dev/null || true
	exec 9>&-
	wait "$tool" || true
	tool=
	[ -z "$(ls -A there | grep -v '^out$')" ]
}

@test "unwind: without who finds files it ends, and says why" {
	in_two
	begin
	kill -KILL "$finder"
	finish 4
	grep -q '^pp-unwind: pipe: .*cannot ask the process that finds files: Broken pipe$' err
}

@test "unwind: signals that go to all processes of a job do not end the one that finds files" {
	in_two
	begin
	for signal in INT TERM HUP; do kill -$signal "$finder"; done
	finish
	grep -q '1 stack' err
	cmp out <(pp-unwind -q whole)
}

@test "unwind: large tails wait in a file that was made before" {
	build >traced <<-END
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		auxtrace bytes=1048576
		sample pid=7 ip=0x10010 time=20
		round
		auxtrace bytes=1048576
		round
	END
	pp-unwind -q traced >out
	cmp traced out
}
