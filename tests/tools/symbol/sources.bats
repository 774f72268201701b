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
	[ "$stderr" = "pp-symbol: no symbols for $PWD/prog: its build-id is not the one that was recorded" ]
	[ -z "$(frames out)" ]
	cmp in out
}

@test "symbol: of many files that are not used the first are named, with -v all" {
	program prog
	{
		printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME flags=sample_id_all'
		for n in {10..21}; do
			cp prog "prog$n"
			echo "mmap2 pid=7 start=0x1${n}000000 len=0x1000000 file=\"$PWD/prog$n\" build_id=$(printf '%040d' $n) time=1"
			echo "sample pid=7 ip=0x1${n}001000 misc=2 time=$n"
		done
		echo round
	} | build >in
	for tool in 'pp-symbol -o out' pp-script pp-report pp-fold 'pp-flame -o out'; do
		run -0 --separate-stderr $tool -i in
		[ "$(wc -l <<<"$stderr")" -eq 9 ]
		[ "$(grep -c "no symbols for $PWD/prog.*: its build-id" <<<"$stderr")" -eq 8 ]
		[ "$(tail -n 1 <<<"$stderr")" = "${tool%% *}: no symbols for more files: -v names them all" ]
		run -0 --separate-stderr $tool -v -i in
		[ "$(grep -c "no symbols for $PWD/prog.*: its build-id" <<<"$stderr")" -eq 12 ]
		run -0 --separate-stderr $tool -q -i in
		[ -z "$stderr" ]
	done
}

@test "symbol: fifos, devices and files of the kernel are passed over, which is said" {
	mkfifo pipe
	for file in "$PWD/pipe" /dev/zero /proc/self/mem; do
		hit "$file" - 0x1000 >in
		run -0 --separate-stderr timeout 60 pp-symbol in -o out
		if [ "$file" != /dev/zero ]; then
			[ "$stderr" = "pp-symbol: no symbols for $file: it is not a regular file" ]
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

# bats test_tags=T3-B6
@test "symbol: perf's cache of another user says nothing" {
	need_root
	program prog
	id=$(id_of prog)
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp prog "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
	hit /gone "$id" "$(at prog work)" >in
	chown 65534 home/.debug
	HOME=$PWD/home pp-symbol in -o out
	[ -z "$(frames out)" ]
	mv home/.debug there
	chown 0 there
	ln -s ../there home/.debug
	HOME=$PWD/home pp-symbol in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	chown -h 65534 home/.debug
	HOME=$PWD/home pp-symbol in -o out
	[ -z "$(frames out)" ]
}

# code_of PID [OPTION...]: what pp-symbol calls the code without a file that it runs, and what it says, in $got
code_of() {
	build <<-END >in
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=$1 start=0x10000 len=0x1000 file="//anon" time=1
		sample pid=$1 ip=0x10010 misc=2 time=11
		round
	END
	run -0 --separate-stderr pp-symbol in -o out "${@:2}"
	got=$(frames out)$stderr
}

# bats test_tags=T3-B5
@test "symbol: perf-PID.map speaks for a process if it is of its owner, the user or root, and no link" {
	need_root
	need setpriv
	setpriv --reuid=65534 --clear-groups sleep 1000 3>&- &
	theirs=$!
	sleep 1000 3>&- &
	ours=$!
	until grep -q '^Uid:.65534.65534' "/proc/$theirs/status"; do kill -0 "$theirs"; done
	ended=$(($(cat /proc/sys/kernel/pid_max) + 7))
	for row in "$theirs 65534 used" "$theirs 0 used" "$theirs 1 refused" "$theirs link refused" \
		"$ours 65534 refused" "$ours 0 used" "$ours link refused" "$ended 65534 refused" "$ended 0 used"; do
		echo "$row"
		read -r pid owner what <<<"$row"
		map=/tmp/perf-$pid.map
		echo '10000 100 jitted' >"$PWD/list"
		rm -f "$map"
		case $owner in
		link) chown 65534 list; ln -s "$PWD/list" "$map"; chown -h 65534 "$map" ;;
		*) cp list "$map"; chown "$owner" "$map" ;;
		esac
		code_of "$pid"
		rm -f "$map" list
		if [ $what = used ]; then
			[ "$got" = jitted ]
		elif [ "$owner" = link ]; then
			[ "$got" = "pp-symbol: no symbols for $map: it is not a regular file" ]
		else
			[ "$got" = "pp-symbol: no symbols for $map: it is another user's, or too long" ]
		fi
	done
}

# bats test_tags=T3-B5
@test "symbol: below --root, perf-PID.map has to be of the user or of root, whatever process has the number here" {
	need_root
	mkdir -p root/tmp
	sleep 1000 3>&- &
	ours=$!
	for owner in 65534 0; do
		echo '10000 100 jitted' >"root/tmp/perf-$ours.map"
		chown "$owner" "root/tmp/perf-$ours.map"
		code_of "$ours" --root root
		[[ $owner == 0 && $got == jitted || $owner != 0 && $got == *": it is another user's, or too long" ]]
	done
}

teardown() {
	kill ${theirs:+"$theirs"} ${ours:+"$ours"} 2>/dev/null || true
	[ -z "${map:-}" ] || rm -f "$map"
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
