# process.bats - pp-inject reads ELF files and jitdump files with nothing but its streams and the folder of
# images; another process opens the files that the stream names.

setup() {
	load ../../helper
	load ../../halfway
}

teardown() { ended; }

# stream: two programs that samples hit, and a jitdump file; cut before its first sample: one and two
stream() {
	echo 'int main(void) { return 0; }' >main.c
	cc -o first main.c
	cc -O2 -o second main.c
	perl "$TESTS/jitdump.pl" >jit-7.dump <<-END
		header pid=7
		load time=10 addr=0x1000 index=1 name=first size=64
		move time=50 from=0x1000 to=0x8000 index=1 size=64
		close time=60
	END
	build >whole <<-END
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1
		mmap2 pid=7 start=0x10000 len=0x1000 prot=5 file="$PWD/first" time=1
		mmap2 pid=7 start=0x20000 len=0x1000 prot=5 file="$PWD/second" time=1
		mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file="$PWD/jit-7.dump" time=5
		round
		sample pid=7 ip=0x10010 time=20
		sample pid=7 ip=0x20010 time=55
		sample pid=7 ip=0x8010 time=60
		round
		round
	END
	cut=$(records whole | awk '$2 == "SAMPLE" { print $1; exit }')
	head -c "$cut" whole >one
	tail -c +$((cut + 1)) whole >two
}

# begin OPTION...: it stands halfway; sets opener
begin() {
	started pp-inject "$@"
	opener=$child
	[ -n "$opener" ]
}

@test "inject: who reads files has no capabilities, files and system calls; who opens them reads nothing" {
	stream
	local options
	for options in -b -B --buildid-all --mmap2-buildid-all -j '-j -b'; do
		echo "$options"
		# shellcheck disable=SC2086 # several words
		pp-inject -q $options whole >wanted
		# shellcheck disable=SC2086
		begin $options
		[ "$(cat "/proc/$opener/comm")" = pp-files ]
		[[ $(readlink "/proc/$opener/fd/0") == socket:* ]]
		[ ! -e "/proc/$opener/fd/1" ]
		grep -qx 'CapInh:	0000000000000000' "/proc/$tool/status"
		[[ $options == *j* ]] || grep -qx 'CapEff:	0000000000000000' "/proc/$tool/status"
		if grep -qx 'NoNewPrivs:	1' "/proc/$tool/status"; then
			grep -qx 'Seccomp:	2' "/proc/$tool/status"
		fi
		finish
		cmp wanted out
		[ ! -e "/proc/$opener" ]
	done
}

@test "inject: what only adds notes or merges switches starts no process" {
	stream
	started pp-inject --note a=b -s
	[ -z "$child" ]
	finish
}

@test "inject: who opens files reads nothing of them" {
	need strace
	stream
	strace -f -qq -e trace=read,pread64,mmap,execve -o calls pp-inject -q -b -j whole >out || skip "strace may not trace"
	tool=$(awk '/execve/ { print $1; exit }' calls)
	[ "$(grep -c "^$tool .*pread64(.*ELF" calls)" -ge 2 ]
	grep -q "^$tool .*pread64(.*DTiJ" calls
	run -1 grep -v "^$tool " <(grep 'ELF\|DTiJ' calls)
	tool=
}

@test "inject: images are made in their folder, whose ever it is, and nothing is left that is not whole" {
	stream
	pp-inject -q -j --jit-folder images -o out whole
	[ "$(ls -A images)" = jitted-7-1.so ]
	need_root
	need setpriv
	rm -rf images
	mkdir images
	chown 65534 images
	chmod 700 images
	pp-inject -q -j --jit-folder images -o out whole
	[ "$(ls -A images)" = jitted-7-1.so ]
}

@test "inject: a link in the place of an image is not followed" {
	stream
	perl "$TESTS/jitdump.pl" >jit-7.dump <<-END
		header pid=7
		move time=50 from=0x1000 to=0x8000 index=2 size=64
		close time=60
	END
	mkdir images
	ln -s "$PWD/first" images/jitted-7-2.so
	run -4 --separate-stderr pp-inject -j --jit-folder images -o out whole
	[[ $stderr == *"cannot read $PWD/images/jitted-7-2.so: "* ]]
}

@test "inject: without who opens files it ends, and says why" {
	stream
	begin -b
	kill -KILL "$opener"
	finish 4
	grep -q '^pp-inject: pipe: .*cannot ask the process that finds files: Broken pipe$' err
}

@test "inject: large tails wait in a file that was made before" {
	build >traced <<-END
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		auxtrace bytes=1048576
		sample pid=7 ip=0x10010 time=20
		round
		auxtrace bytes=1048576
		round
	END
	pp-inject -q -b traced >out
	cmp traced out
}
