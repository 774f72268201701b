# files.bats - the file that pp-inject reads a build-id from: which of several of a name, in whose
# root, and what becomes of files that cannot be read or have none.

setup() {
	load ../../helper
	load inject
}

# ---- which of several files of a name

# identity FILE: maj, min and ino, as a kernel's MMAP2 record has them
identity() {
	perl -e '@s = stat shift or die; $d = $s[0];
		printf "maj=%d min=%d ino=%d", $d >> 8 & 0xfff, $d & 0xff | $d >> 12 & 0xfff00, $s[1]' "$1"
}

# mapped PID NAME IDENTITY...: a stream in which the process maps the file and hits it; more may follow
mapped() {
	local n=0
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		while [ $# -gt 0 ]; do
			n=$((n + 1))
			echo "mmap2 pid=$1 start=$((n * 0x10000)) len=0x10000 file=\"$2\" $3 time=$((n * 10))"
			echo "sample pid=$1 ip=$((n * 0x10000 + 8)) time=$((n * 10 + 5))"
			shift 3
		done
		echo round
	} | build
}

@test "the file that was mapped is read, not another one that stands at its path" {
	elf one id=1111111111111111111111111111111111111111
	elf two id=2222222222222222222222222222222222222222
	mapped 999999 "$PWD/one" "$(identity one)" 999999 "$PWD/two" "$(identity one)" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "1111111111111111111111111111111111111111 $PWD/one" ]
	[ "$stderr" = "pp-inject: 1 file left out: there is another file at the path now (-v names each)" ]
	run -0 --separate-stderr pp-inject -b -v -i in -o out
	[[ $stderr == *"$PWD/two: the file on disk is not the one that was recorded"* ]]
	# of another device
	mapped 999999 "$PWD/one" "$(identity one | sed 's/maj=[0-9]*/maj=4095/')" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$(names out)" ]
	# replaced since then
	mapped 999999 "$PWD/one" "$(identity one)" >in
	mv two one
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$(names out)" ]
	# one who knows better says so
	run -0 --separate-stderr pp-inject -b --root / -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "2222222222222222222222222222222222222222 $PWD/one" ]
	[ -z "$stderr" ]
	# without an inode, as an old kernel tells it, there is nothing to compare
	mapped 999999 "$PWD/one" "maj=0 min=0 ino=0" >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/one" ]
}

# bats test_tags=T3-A1
@test "a map's own build-id is that of no other file of its path" {
	elf one id=1111111111111111111111111111111111111111
	elf two id=2222222222222222222222222222222222222222
	# what ran before was another file, which is gone
	mapped 999999 "$PWD/two" build_id=1111111111111111111111111111111111111111 999998 "$PWD/two" "$(identity two)" \
		999997 "$PWD/two" "$(identity one)" >in
	for how in -B --mmap2-buildid-all; do
		pp-inject -q $how -i in -o out
		run bash -c 'pp-dump --json out | jq -r "select(.type == \"MMAP2\").fields | \"\(.pid) \(.build_id)\""'
		assert_output "999999 1111111111111111111111111111111111111111
999998 2222222222222222222222222222222222222222
999997 null"
	done
}

@test "what a task in a chroot has mapped is read in its root while it lives, and else left out" {
	need_root
	mkdir -p "c/$PWD"
	elf prog id=1111111111111111111111111111111111111111
	elf "c/$PWD/prog" id=2222222222222222222222222222222222222222
	perl -e 'chroot "c" or exit 1; chdir "/"; open F, ">", "/ready"; close F; sleep 600' 3>&- &
	pid=$!
	until [ -e c/ready ]; do kill -0 $pid && sleep 0.05 || skip "chroot is refused here"; done
	mapped $pid "$PWD/prog" "$(identity "c/$PWD/prog")" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "2222222222222222222222222222222222222222 $PWD/prog" ]
	[ -z "$stderr" ]
	# no link in it leads out
	mv "c/$PWD/prog" "c/$PWD/aside"
	ln -s "$PWD/aside" "c/$PWD/prog"
	pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "2222222222222222222222222222222222222222 $PWD/prog" ]
	kill $pid
	wait $pid || true
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$(names out)" ]
	[[ $stderr == *"1 file left out: there is another file at the path now"* ]]
}

@test "what a task in a mount namespace has mapped is read there" {
	need_root
	need unshare mount
	unshare -m true 2>unshare.err || skip "mount namespaces are refused here"
	mkdir a b
	elf a/prog id=1111111111111111111111111111111111111111
	elf b/prog id=2222222222222222222222222222222222222222
	unshare -m sh -c 'mount --bind b a && : >ready && exec sleep 600' 3>&- &
	pid=$!
	until [ -e ready ]; do kill -0 $pid && sleep 0.05 || skip "a bind mount is refused here"; done
	# another task has the file that is there for all
	mapped $pid "$PWD/a/prog" "$(identity b/prog)" >in
	pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "2222222222222222222222222222222222222222 $PWD/a/prog" ]
	# of two files of one name each has its own, which says of which it is
	mapped $pid "$PWD/a/prog" "$(identity b/prog)" $$ "$PWD/a/prog" "$(identity a/prog)" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	build_ids out | cut -d' ' -f4- | diff - <(
		echo "2222222222222222222222222222222222222222 $PWD/a/prog"
		echo "1111111111111111111111111111111111111111 $PWD/a/prog"
	)
	pp-dump --json -i out | jq -r 'select(.type == "HEADER_BUILD_ID") | .fields.identity.ino' |
		diff - <(stat -c %i b/prog a/prog)
	kill $pid
	wait $pid || true
}

@test "files of overlayfs are found, whichever device the kernel tells" {
	need_root
	mkdir lower upper work all
	elf lower/prog
	unshare -m sh -c 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work all' 2>mount.err ||
		skip "overlayfs cannot be mounted here"
	# that of the file below, or of the whole
	unshare -m bash -c "$(declare -f identity)"'
		mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work all
		identity all/prog' >whole
	for identity in "$(identity lower/prog)" "$(cat whole)"; do
		mapped 999999 "$PWD/all/prog" "$identity" >in
		unshare -m sh -c 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work all
			exec pp-inject -b -i in -o out'
		[ "$(names out)" = "$PWD/all/prog" ]
	done
}

@test "--root reads files beneath a folder, out of which no link leads" {
	mkdir -p "sys/$PWD" sys/lib
	elf "sys/$PWD/prog" id=3333333333333333333333333333333333333333
	elf prog id=1111111111111111111111111111111111111111
	elf sys/lib/real id=4444444444444444444444444444444444444444
	ln -s /lib/real "sys/$PWD/link"
	elf link id=1111111111111111111111111111111111111111
	mapped 999999 "$PWD/prog" "$(identity prog)" 999999 "$PWD/link" "$(identity link)" 999999 "/../../..$PWD/only" "$(identity prog)" >in
	elf only
	run -0 --separate-stderr pp-inject -b --root sys -i in -o out
	diff <(build_ids out | cut -d' ' -f4-) - <<-END
		3333333333333333333333333333333333333333 $PWD/prog
		4444444444444444444444444444444444444444 $PWD/link
	END
	[[ $stderr == *"No such file"* ]]
}

# ---- files that have none

@test "what the kernel makes up as it is read is not opened, though it claims to be a file" {
	[ -r /proc/self/mem ] || skip "no /proc here"
	hits /proc/kmsg /proc/self/mem /proc/self/maps /sys/kernel/notes /sys/kernel/tracing/trace_pipe \
		/sys/kernel/debug/tracing/trace_pipe /sys/kernel/tracing/README >in
	run -0 --separate-stderr timeout 60 pp-inject -b -i in -o out
	same_bytes in out
	[[ $stderr == *"cannot read the build-id of /proc/kmsg: not a regular file"* ]]
	[[ $stderr == *"cannot read the build-id of /proc/self/mem: not a regular file"* ]]
	need strace
	strace -f -o calls -e trace=open,openat,openat2 pp-inject -q -b -i in -o out || skip "strace is refused here"
	grep -E '"/(proc/(kmsg|self/m)|sys/)' calls >opened
	[ -s opened ]
	run -1 grep -v O_PATH opened
}

@test "a file that may not be read is told; one for which the system lacks the means ends it" {
	elf one
	elf two
	hits "$PWD/one" "$PWD/two" >in
	for ((n = 4; n < 20; n++)); do
		rm -f out
		status=0
		(ulimit -n $n; exec pp-inject -b -i in -o out) 2>err || status=$?
		echo "$n: $status $(cat err)"
		[ "$status" -ne 0 ] || break
		[ ! -e out ]
		! grep -q "^pp-inject: .*Too many open files$" err || reached=$status
	done
	[ "$reached" -eq 4 ]
	[ "$(names out | wc -l)" -eq 2 ]
	need_root
	need setpriv
	chmod 0 one
	chown 65534 one
	# who is root without root's capabilities
	run -0 --separate-stderr setpriv --bounding-set=-all pp-inject -b -i in -o out
	[ "$stderr" = "pp-inject: cannot read the build-id of $PWD/one: Permission denied" ]
	[ "$(names out)" = "$PWD/two" ]
}

@test "a file that is gone is told once and passed over" {
	elf there
	hits "$PWD/gone" "$PWD/there" "$PWD/gone" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$stderr" = "pp-inject: cannot read the build-id of $PWD/gone: No such file or directory" ]
	[ "$(names out)" = "$PWD/there" ]
	without_build_ids out >rest
	same_bytes in rest
	run -0 --separate-stderr pp-inject -b -q -i in -o out
	[ -z "$stderr" ]
}

@test "only regular files are opened: a fifo and a folder are told, and nothing waits" {
	mkfifo fifo
	mkdir folder
	hits "$PWD/fifo" "$PWD/folder" >in
	run -0 --separate-stderr timeout 60 pp-inject -b -i in -o out
	[[ ${stderr_lines[0]} == "pp-inject: cannot read the build-id of $PWD/fifo: "* ]]
	[ "${stderr_lines[1]}" = "pp-inject: cannot read the build-id of $PWD/folder: not a regular file" ]
	same_bytes in out
}

@test "a file without a build-id is told with -v only" {
	echo '#!/bin/sh' >script
	hits "$PWD/script" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	same_bytes in out
	run -0 --separate-stderr pp-inject -b -v -i in -o out
	[[ $stderr == *"no build-id: $PWD/script"* ]]
}

@test "memory that is no file is passed over in silence" {
	hits //anon '[heap]' '[stack]' '[anon:x]' '[vsyscall]' '[uprobes]' '/dev/zero (deleted)' \
		'/memfd:x (deleted)' '/SYSV00000000 (deleted)' '/anon_hugepage (deleted)' '' >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	same_bytes in out
}

@test "every cut of an ELF file, and every byte that is wrong, does no harm" {
	elf whole
	size=$(stat -c %s whole)
	perl -e '
		local $/;
		open my $f, "<:raw", "whole" or die;
		my $s = <$f>;
		for my $n (0 .. length($s) - 1) {
			open my $cut, ">:raw", "cut$n" or die;
			print $cut substr $s, 0, $n;
			for my $byte (0xff, 0x80) {
				my $t = $s;
				substr($t, $n, 1) = chr $byte;
				open my $bad, ">:raw", "bad$byte-$n" or die;
				print $bad $t;
			}
		}'
	hits "$PWD"/cut* "$PWD"/bad* >in
	run -0 pp-inject -b -i in -o out
	[ "$(build_ids out | grep -c "/cut")" -eq 0 ]
	without_build_ids out >rest
	same_bytes in rest
}

@test "an ELF file that claims to have millions of sections is not believed" {
	perl -e '
		print "\x7fELF", pack("C4", 2, 1, 1, 0), "\0" x 8,
			pack("S2 L Q3 L S6", 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, 0, 0),
			pack("L2 Q4 L2 Q2", 0, 0, 0, 0, 0, 60e6, 0, 0, 0, 0)' >sparse
	truncate -s 5G sparse || skip "no sparse files here"
	hits "$PWD/sparse" >in
	pp-inject -b -i in -o out
	same_bytes in out
}
