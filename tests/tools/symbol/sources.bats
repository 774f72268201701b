# sources.bats - where names come from: files by their path or build-id, what a process left, the
# running kernel; and which files are not used.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

@test "symbol: a file with another build-id is not used, which is said once" {
	program prog
	hit "$PWD/prog" "$(printf '%040d' 12)" "$(at prog work)" "$(at prog main)" >in
	run -0 --separate-stderr pp-symbol in -o out
	[ "$stderr" = "pp-symbol: $PWD/prog: not used: its build-id is not the one that was recorded" ]
	[ -z "$(frames out)" ]
	cmp in out
}

@test "symbol: fifos, devices and files of the kernel are passed over, which is said" {
	mkfifo pipe
	for file in "$PWD/pipe" /dev/zero /proc/self/mem; do
		hit "$file" - 0x1000 >in
		run -0 --separate-stderr timeout 60 pp-symbol in -o out
		if [ "$file" != /dev/zero ]; then
			[ "$stderr" = "pp-symbol: $file: not used: not a regular file" ]
		fi
		cmp in out
	done
}

@test "symbol: --root, and links that lead out of it" {
	program prog
	mkdir -p root/usr/bin
	cp prog root/usr/bin/tool
	ln -s ../../../prog root/usr/bin/link
	hit /usr/bin/tool "$(id_of prog)" "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	hit /usr/bin/link - "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ -z "$(frames out)" ]
}

@test "symbol: files by build-id: debug folders and perf's cache" {
	program prog
	id=$(id_of prog)
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
	cp prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}"
	hit /gone "$id" "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp prog "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
	HOME=$PWD/home pp-symbol in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
}

@test "symbol: names of code that a process made, from /tmp/perf-PID.map" {
	mkdir -p root/tmp
	printf '10000 100 first\n10100 80 second one\nrubbish\n' >root/tmp/perf-7.map
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo 'mmap2 pid=7 start=0x10000 len=0x1000 file="//anon" time=1'
		echo 'sample pid=7 ip=0x10010 misc=2 time=11'
		echo 'sample pid=7 ip=0x10110 misc=2 time=12'
		echo 'sample pid=7 ip=0x10f00 misc=2 time=13'
		echo round
	} | build >in
	run -0 frames <(pp-symbol --root root in)
	assert_output "$(printf 'first\nsecond one')"
}

@test "symbol: a kernel that is not the running one gives no names, which is said" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=0xffffffff81000000 len=0x1000000 misc=0x4001 file=\"[kernel.kallsyms]_text\" build_id=$(printf '%040d' 7) time=0"
		echo 'sample pid=7 ip=0xffffffff81000100 misc=1 time=11'
		echo round
	} | build >in
	run -0 --separate-stderr pp-symbol in -o out
	[ "$stderr" = "pp-symbol: the running kernel is not the one that was recorded: its names are not used" ]
	[ -z "$(frames out)" ]
}

@test "symbol: names of the running kernel are those of kallsyms" {
	id=$(perl -e 'local $/; open F, "/sys/kernel/notes" or exit; $_ = <F>; print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s')
	[ -n "$id" ] || skip "the kernel has no build-id"
	read -r text _ < <(grep ' _text$' /proc/kallsyms)
	[ -n "$text" ] && [ "$((0x$text))" -ne 0 ] || skip "the kernel's addresses are hidden"
	read -r address _ name < <(grep -m 1 ' T vfs_read$' /proc/kallsyms)
	[ -n "$name" ] || skip "the kernel has no such function"
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=0x$text len=0x4000000 misc=0x4001 file=\"[kernel.kallsyms]_text\" build_id=$id time=0"
		echo "sample pid=7 ip=0x$address misc=1 time=11"
		echo round
	} | build >in
	[ "$(pp-symbol in | frames -)" = vfs_read ]
}
