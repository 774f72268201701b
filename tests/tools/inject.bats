# inject.bats - pp-inject: which build-ids it adds, where they come from and where they stand;
# notes; perf inject -b as the oracle.

setup() { load ../helper; }

# elf FILE [class=32|64] [order=little|big] [in=segment|section] [id=HEX] [align=4|8]: an ELF file
# that is nothing but its header, one table and notes, the build-id behind another note
elf() {
	perl -e '
		my ($file, %o) = ($ARGV[0], class => 64, order => "little", in => "segment", id => "ab" x 20,
			align => 4, map { split /=/, $_, 2 } @ARGV[1 .. $#ARGV]);
		my $e = $o{order} eq "big" ? ">" : "<";
		my $wide = $o{class} == 64;
		my $word = $wide ? "Q$e" : "L$e";
		my $note = sub {
			my ($name, $type, $desc) = @_;
			my $n = pack("L${e}3", length($name) + 1, length $desc, $type) . "$name\0";
			$n .= "\0" while length($n) % $o{align};
			$n .= $desc;
			$n .= "\0" while length($n) % $o{align};
			$n;
		};
		my $notes = $note->("ABC", 3, "other") . $note->("GNU", 1, "x" x 16) .
			$note->("GNU", 3, pack "H*", $o{id});
		my ($head, $entry) = $wide ? (64, $o{in} eq "segment" ? 56 : 64) :
			(52, $o{in} eq "segment" ? 32 : 40);
		my $at = $head + 2 * $entry;
		my $row = sub {
			my ($type, $offset, $size) = @_;
			$o{in} eq "section" ?
				pack("L${e}2 ($word)4 L${e}2 ($word)2", 0, $type, 0, 0, $offset, $size, 0, 0, $o{align}, 0) :
			$wide ? pack("L${e}2 Q${e}6", $type, 4, $offset, 0, 0, $size, $size, $o{align}) :
				pack("L${e}8", $type, $offset, 0, 0, $size, $size, 4, $o{align});
		};
		my $type = $o{in} eq "segment" ? 4 : 7;
		my @tables = $o{in} eq "segment" ? ($head, 0, $entry, 2, 0, 0) : (0, $head, 0, 0, $entry, 2);
		open my $f, ">:raw", $file or die;
		print $f "\x7fELF", pack("C4", $wide ? 2 : 1, $o{order} eq "big" ? 2 : 1, 1, 0), "\0" x 8,
			pack("S${e}2 L$e ($word)3 L$e S${e}6", 3, 62, 1, 0, @tables[0, 1], 0, $head, @tables[2 .. 5], 0),
			$row->(1, 0, 0), $row->($type, $at, length $notes), $notes' "$@"
}

# hits NAME...: a stream in which process 7 maps each of these files and a sample hits it
hits() {
	local n=0 name
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for name; do
			n=$((n + 1))
			echo "mmap2 pid=7 start=$((n * 0x10000)) len=0x10000 file=\"$name\" time=$((n * 10))"
			echo "sample pid=7 ip=$((n * 0x10000 + 8)) time=$((n * 10 + 5))"
		done
		echo round
	} | build
}

# build_ids FILE: `misc pid size-of-record id name` a line, for every HEADER_BUILD_ID
build_ids() {
	records -v "$1" | perl -ne '
		next unless /^\d+ HEADER_BUILD_ID (\d+) (\d+) .* hex=(\S+)/;
		my ($misc, $size, $body) = ($1, $2, pack "H*", $3);
		my ($pid, $id, $length, $name) = unpack "l a20 C x3 Z*", $body;
		$id = substr $id, 0, $length if $misc & 0x8000;
		printf "%#x %d %d %s %s\n", $misc, $pid, $size, unpack("H*", $id), $name'
}

# names FILE: of the files that have a HEADER_BUILD_ID
names() { build_ids "$1" | cut -d' ' -f5-; }

# without_build_ids FILE: the stream, less its HEADER_BUILD_ID records
without_build_ids() {
	perl -e '
		local $/;
		open my $f, "<:raw", $ARGV[0] or die;
		my $s = <$f>;
		my $at = 16;
		print substr $s, 0, 16;
		while ($at < length $s) {
			my ($type, $misc, $size) = unpack "LSS", substr $s, $at, 8;
			$size += unpack "L", substr $s, $at + 8, 4 if $type == 66;
			print substr $s, $at, $size if $type != 67;
			$at += $size;
		}' "$1"
}

# notes FILE: `offset key value` a line, pieces of long values joined; `offset round` for rounds
notes() {
	perl -e '
		local $/;
		open my $f, "<:raw", $ARGV[0] or die;
		my $s = <$f>;
		my $more;
		for (my $at = 16; $at < length $s;) {
			my ($type, $misc, $size) = unpack "LSS", substr $s, $at, 8;
			my $body = substr $s, $at + 8, $size - 8;
			die "record of $size bytes\n" if $size < 8;
			if ($type == 68 && substr($body, 0, 8) eq "PPNOTE1\0") {
				my ($count, $flags) = unpack "x8 L2", $body;
				my $p = 16;
				die "size $size\n" if $size % 8;
				for (1 .. $count) {
					my ($k, $v) = unpack "L2", substr $body, $p, 8;
					my ($key, $value) = (substr($body, $p + 8, $k), substr $body, $p + 8 + $k, $v);
					$p += 8 + $k + $v;
					if ($more) {
						die "key $key in a piece\n" if $k;
						print $value;
					} else {
						print "$at $key $value";
					}
					$more = $_ == $count && $flags & 1;
					print "\n" unless $more;
				}
				die "padding\n" if $p > length $body || substr($body, $p) =~ /[^\0]/;
			} else {
				print "$at ", $type == 68 ? "round" : $type, "\n";
			}
			$at += $size;
		}' "$1"
}

# ---- where build-ids come from

@test "build-ids are read from segments and sections, of both classes and byte orders" {
	names=()
	for class in 32 64; do
		for order in little big; do
			for in in segment section; do
				elf "$class$order$in" class=$class order=$order in=$in id="$(printf '%s' "$class$order$in" | md5sum | cut -c1-32)00112233"
				names+=("$PWD/$class$order$in")
			done
		done
	done
	hits "${names[@]}" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	for name in "${names[@]}"; do
		echo "$(printf '%s' "${name##*/}" | md5sum | cut -c1-32)00112233 $name"
	done >expected
	build_ids out | cut -d' ' -f4- >got
	diff expected got
}

@test "notes may be aligned to 8, and ids be shorter than 20 bytes" {
	elf eight align=8
	elf short id=0102030405060708
	elf long id="$(printf 'cd%.0s' {1..32})"
	hits "$PWD/eight" "$PWD/short" "$PWD/long" >in
	pp-inject -b -i in -o out
	build_ids out | cut -d' ' -f4 >got
	[ "$(sed -n 1p got)" = "$(printf 'ab%.0s' {1..20})" ]
	[ "$(sed -n 2p got)" = 0102030405060708 ]
	[ "$(sed -n 3p got)" = "$(printf 'cd%.0s' {1..20})" ]
}

@test "readelf agrees on the build-id of a real program" {
	need readelf
	file=$(readlink -f "$(command -v perl)")
	id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "perl here has no build-id"
	hits "$file" >in
	pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "$id $file" ]
}

@test "a record has the form that old and new perf read" {
	elf program
	elf longer
	hits "$PWD/program" "$PWD/longer" >in
	pp-inject -b -i in -o out
	while read -r misc pid size id name; do
		echo "$misc $pid $size $id $name"
		[ "$misc" = 0x8002 ]
		[ "$pid" = -1 ]
		[ "$size" -eq $(((36 + ${#name} + 1 + 7) / 8 * 8)) ]
	done < <(build_ids out)
	[ "$(build_ids out | wc -l)" -eq 2 ]
}

@test "an id that the map tells is used, and no file is read" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo mmap2 pid=7 start=0x1000 len=0x1000 file=/nowhere/at/all build_id=0123456789abcdef0123456789abcdef01234567 time=1
		echo sample pid=7 ip=0x1010 time=2
	} | build >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	[ "$(build_ids out)" = "0x8002 -1 56 0123456789abcdef0123456789abcdef01234567 /nowhere/at/all" ]
}

@test "the kernel's build-id is that of /sys/kernel/notes" {
	[ -r /sys/kernel/notes ] || skip "/sys/kernel/notes cannot be read"
	id=$(perl -e 'local $/; $_ = <STDIN>; print unpack "H*", $1 if /\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s' </sys/kernel/notes)
	[ -n "$id" ] || skip "this kernel has no build-id of 20 bytes"
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo 'feature OSRELEASE string "'"$(uname -r)"'"'
		echo 'mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file="[kernel.kallsyms]_text" misc=1 synthesized'
		echo sample pid=7 ip=0xffffffff81000010 time=2 misc=1
	} | build >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	[ "$(build_ids out)" = "0x8001 -1 56 $id [kernel.kallsyms]" ]
}

@test "a kernel module that is not loaded has the build-id of its file" {
	elf no_such_module.ko
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap pid=-1 tid=0 start=0xffffffffc0000000 len=0x10000 file=$PWD/no_such_module.ko misc=1 synthesized"
		echo sample pid=7 ip=0xffffffffc0000010 time=2 misc=1
	} | build >in
	pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f1,2,4-)" = "0x8001 -1 $(printf 'ab%.0s' {1..20}) $PWD/no_such_module.ko" ]
}

@test "a stream of another kernel does not get this one's build-ids" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo 'feature OSRELEASE string 2.6.32-1-other'
		echo 'mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 file="[kernel.kallsyms]_text" misc=1 synthesized'
		echo mmap2 pid=7 start=0x7fff00001000 len=0x2000 file=[vdso] time=1
		echo sample pid=7 ip=0xffffffff81000010 time=2 misc=1
		echo sample pid=7 ip=0x7fff00001010 time=3
	} | build >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$(names out)" = "" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "pp-inject: recorded on kernel 2.6.32-1-other: "* ]]
}

@test "[vdso] has the build-id of the vdso" {
	id=$(perl -e '
		open my $maps, "<", "/proc/self/maps" or exit;
		my ($from, $to) = map { /^(\w+)-(\w+) .*\[vdso\]/ ? (hex $1, hex $2) : () } <$maps>;
		open my $mem, "<:raw", "/proc/self/mem" or exit;
		$from && seek $mem, $from, 0 or exit;
		read $mem, $_, $to - $from;
		print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s' 2>/dev/null)
	[ -n "$id" ] || skip "no vdso with a build-id can be read here"
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo mmap2 pid=7 start=0x7fff00001000 len=0x2000 file=[vdso] time=1
		echo sample pid=7 ip=0x7fff00001010 time=3
	} | build >in
	pp-inject -b -i in -o out
	[ "$(build_ids out)" = "0x8002 -1 48 $id [vdso]" ]
}

@test "the vdso of a 32-bit process is another one" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo mmap2 pid=7 start=0xf7f00000 len=0x2000 file=[vdso] time=1
		echo sample pid=7 ip=0xf7f00010 time=3
	} | build >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -z "$stderr" ]
	same_bytes in out
}

@test "the host that files were recorded on is told once if it is another one" {
	elf one
	elf two
	hits "$PWD/one" "$PWD/two" >plain
	{ head -c 16 plain; { echo header; echo 'feature HOSTNAME string "not this host"'; } | build | tail -c +17; tail -c +17 plain; } >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[[ $stderr == "pp-inject: recorded on not this host: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ "$(names out | wc -l)" -eq 2 ]
	run -0 --separate-stderr pp-inject -b -q -i in -o out
	[ -z "$stderr" ]
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
	[[ $stderr == *"$PWD/two: there is another file at this path now"* ]]
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
	# a build-id goes by the name: of two the first is added, and the other told
	mapped $pid "$PWD/a/prog" "$(identity b/prog)" $$ "$PWD/a/prog" "$(identity a/prog)" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$(build_ids out | cut -d' ' -f4-)" = "2222222222222222222222222222222222222222 $PWD/a/prog" ]
	[ "$stderr" = "pp-inject: 1 file left out: another file of the same name has a different build-id (-v names each)" ]
	# the same program twice is no matter
	cp b/prog a/prog
	mapped $pid "$PWD/a/prog" "$(identity b/prog)" $$ "$PWD/a/prog" "$(identity a/prog)" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ "$(build_ids out | wc -l)" -eq 1 ]
	[ -z "$stderr" ]
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

# ---- which files, and where the records stand

@test "only files that are hit get a build-id, once, with -b again nothing is added" {
	elf one
	elf two
	{
		hits "$PWD/one"
		{
			echo header
			echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			echo "mmap2 pid=7 start=0x900000 len=0x1000 file=$PWD/two time=100"
			echo sample pid=7 ip=0x10010 time=200
			echo sample pid=8 ip=0x900010 time=201
			echo sample pid=7 ip=0x901000 time=202
			echo sample pid=7 ip=0x8fffff time=203
			echo round
		} | build | tail -c +161
	} >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/one" ]
	pp-inject -b -i out -o again
	same_bytes out again
}

@test "addresses of the call chain count, each by the mode that it stands in" {
	elf caller
	elf library
	elf other
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x1000 file=$PWD/caller time=1"
		echo "mmap2 pid=7 start=0x20000 len=0x1000 file=$PWD/library time=1"
		echo "mmap2 pid=7 start=0x30000 len=0x1000 file=$PWD/other time=1"
		# kernel, then user addresses; one of "other" stands where the kernel's do
		echo sample pid=7 misc=1 ip=0xffffffff81000000 time=2 callchain=-128,0xffffffff81000000,0x30010,-512,0x20010,0x10010
	} | build >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/library
$PWD/caller" ]
}

@test "a call chain behind counter values is found as well" {
	elf caller
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,READ,CALLCHAIN read_format=ID,GROUP flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x1000 file=$PWD/caller time=1"
		echo sample pid=7 ip=0x5000 time=2 values=3:1,4:2,5:3 callchain=-512,0x5000,0x10010
	} | build >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/caller" ]
}

@test "deferred call chains count" {
	elf caller
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x1000 file=$PWD/caller time=1"
		echo callchain_deferred cookie=5 ips=-512,0x10010 misc=2 s_pid=7 s_tid=7 time=4
	} | build >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/caller" ]
}

@test "a sample hits what was mapped at its time, wherever it stands in the round" {
	elf early
	elf late
	elf child
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x1000 file=$PWD/early time=10"
		echo "mmap2 pid=7 start=0x10000 len=0x1000 file=$PWD/late time=30"
		echo sample pid=7 ip=0x10010 time=20
		# the child has the maps that its parent had at the fork
		echo sample pid=9 ip=0x20010 time=60
		echo "fork pid=9 ppid=7 tid=9 ptid=7 time=50"
		echo "mmap2 pid=7 start=0x20000 len=0x1000 file=$PWD/child time=40"
		echo round
	} | build >in
	pp-inject -b -i in -o out
	[ "$(names out)" = "$PWD/early
$PWD/child" ]
}

@test "each record stands before the samples of its round, and behind rounds before that" {
	for n in 1 2 3 4 5; do
		elf file$n
	done
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for n in 1 2 3 4 5; do
			echo "mmap2 pid=7 start=$((n * 0x10000)) len=0x10000 file=$PWD/file$n time=$((n * 10))"
			echo "sample pid=7 ip=$((n * 0x10000 + 8)) time=$((n * 10 + 5))"
			echo round
		done
	} | build >in
	pp-inject -b -i in -o out
	records -v out | awk '
		$2 == "HEADER_BUILD_ID" { known++ }
		$2 == "SAMPLE" { samples++; if (known < samples) print "sample", samples, "before its build-id" }
		$2 == "FINISHED_ROUND" { rounds++; if (known > rounds + 2) print known, "build-ids after", rounds, "rounds" }
		END { if (known != 5 || samples != 5 || rounds != 5) print known, samples, rounds }' >wrong
	cat wrong
	[ ! -s wrong ]
	without_build_ids out >rest
	same_bytes in rest
}

@test "build-ids come while the stream is still being written" {
	elf program
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x10000 file=$PWD/program time=10"
		for n in 2 3 4 5; do
			echo "sample pid=7 ip=0x10008 time=${n}0"
			echo round
		done
	} | build >in
	mkfifo fifo
	pp-inject -b <fifo >out 3>&- &
	pid=$!
	exec 4>fifo
	cat in >&4
	# the input stays open: what is here now was not held until its end
	for ((tries = 0; tries < 600; tries++)); do
		records out >now 2>/dev/null || true
		! grep -q SAMPLE now || break
		sleep 0.1
	done
	grep -q SAMPLE now
	[ "$(grep -c HEADER_BUILD_ID now)" -eq 1 ]
	exec 4>&-
	wait $pid
}

@test "the output does not depend on the pieces that the input comes in" {
	elf one
	elf two
	hits "$PWD/one" "$PWD/two" >in
	pp-inject -b --note a=b -i in -o expected
	for size in 1 7 64; do
		trickle in $size | pp-inject -b --note a=b >out
		same_bytes expected out
	done
}

@test "a stream of the other byte order gets its build-ids in ours" {
	elf one
	{
		echo header big
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x10000 file=$PWD/one time=10"
		echo sample pid=7 ip=0x10008 time=15
		echo round
	} | build >in
	pp-inject -b -i in -o out
	[ "$(build_ids out)" = "$(hits "$PWD/one" >host && pp-inject -b -i host -o host.out && build_ids host.out)" ]
}

@test "a damaged sample is passed on as it is" {
	elf one
	{
		hits "$PWD/one" | head -c -8
		{ echo header; echo attr id=1; echo record 9 2 10000100000000000700000007000000; echo round; } | build | tail -c +161
	} >in
	pp-inject -b -i in -o out || [ $? -eq 3 ]
	[ "$(names out)" = "$PWD/one" ]
}

# ---- notes

@test "a note is the first record, and the rest is as it was" {
	hits /x >in
	pp-inject --note commit=4f2a9c1 -i in -o out
	notes out >got
	[ "$(sed -n 1p got)" = "16 commit 4f2a9c1" ]
	size=$(records out | awk 'NR == 1 { print $4 }')
	{ head -c 16 out; tail -c +$((17 + size)) out; } >rest
	same_bytes in rest
}

@test "notes come behind those that there are, with and without build-ids" {
	elf one
	hits "$PWD/one" >in
	pp-inject --note a=1 --note b=2 -i in -o first
	for options in '' -b; do
		pp-inject $options --note a=3 --note c= -i first -o out
		notes out | head -n 4 | cut -d' ' -f2- >got
		printf '%s\n' 'a 1' 'b 2' 'a 3' 'c ' >expected
		diff expected got
	done
	[ "$(names out)" = "$PWD/one" ]
}

@test "notes stand behind the first seal, and the seals hold" {
	elf one
	hits "$PWD/one" >in
	pp-inject --seal --note a=1 -i in -o sealed
	notes sealed | head -n 2 >got
	[[ "$(sed -n 1p got)" == "16 round" ]]
	[[ "$(sed -n 2p got)" == *" a 1" ]]
	run -0 --separate-stderr pp-inject -b --note b=2 -i sealed -o out
	[ -z "$stderr" ]
	notes out | head -n 3 | cut -d' ' -f2- >got
	printf '%s\n' 'round' 'a 1' 'b 2' >expected
	diff expected got
	# read again, with seals verified
	run -0 --separate-stderr pp-inject --no-seal --note c=3 -i out -o plain
	[ -z "$stderr" ]
}

@test "a value of any size goes on in further records" {
	hits /x >in
	value=$(perl -e 'print "x$_," for 1 .. 18000')
	[ "${#value}" -gt 100000 ]
	pp-inject --note "long=$value" --note after=it -i in -o out
	notes out | head -n 2 | cut -d' ' -f2- >got
	printf '%s\n' "long $value" 'after it' >expected
	cmp expected got
	[ "$(records out | head -n 4 | awk '$2 == "FINISHED_ROUND" { n++ } END { print n }')" -eq 3 ]
	for length in 65487 65488 65489 65490; do
		value=$(head -c $length /dev/zero | tr '\0' v)
		pp-inject --note "key=$value" -i in -o out
		[ "$(notes out | sed -n 1p | cut -d' ' -f3)" = "$value" ]
	done
}

@test "an equals sign in a value, and a stream without any record but notes" {
	{ echo header; } | build >empty
	hits /x >in
	pp-inject --note a=b=c -i in -o out
	[ "$(notes out | sed -n 1p | cut -d' ' -f2-)" = 'a b=c' ]
	run pp-inject --note a=1 -i empty -o out
	[ "$(notes out | sed -n 1p)" = '16 a 1' ]
}

@test "what is no note, and nothing at all to add, is misuse" {
	hits /x >in
	for note in x =x ''; do
		run -2 --separate-stderr pp-inject --note "$note" -i in -o out
		[[ ${stderr_lines[0]} == "pp-inject: "*"'$note' is not KEY=VALUE" ]]
	done
	run -2 --separate-stderr pp-inject -i in -o out
	[ "${stderr_lines[0]}" = "pp-inject: nothing to add: give --build-ids, --mmap2-buildids, --jit, --sched-stat or --note" ]
	[ ! -e out ]
}

# ---- perf

# recording [OPTION...]: real samples of a workload, in `in`
recording() { perf_quiet record -o - "$@" -- "${WORK[@]}" >in; }

# of_files FILE: ids and names of the build-ids that perf reads from files too
of_files() { build_ids "$1" | cut -d' ' -f4- | awk '$2 ~ /^\// && $2 !~ /perf-vdso/' | sort; }

@test "the files and ids are those of perf inject -b" {
	need_perf_events
	recording --no-buildid-mmap -e cpu-clock # perf 7 puts build-ids into maps, and adds none to them
	perf inject -b <in >theirs
	pp-inject -b -i in -o ours
	of_files theirs >expected
	of_files ours >got
	[ -s got ]
	diff expected got
}

# shown FILE: its samples; functions of the vdso without their names, since perf finds those of a
# vdso that has a build-id in its cache only
shown() { perf_quiet script -i "$1" | sed -E 's/^(\s+[0-9a-f]+) .* \(\[vdso\]\)$/\1 [vdso]/'; }

@test "perf reads what we add, and shows the same samples" {
	need_perf_events
	perf_quiet record -e cpu-clock -g -o - -- perl -e '$i += time & 1 while $n++ < 2e6' >in
	pp-inject -b --note a=b -i in -o out
	[ -n "$(names out)" ]
	shown in >expected
	shown out >got
	[ -s got ]
	cmp expected got
	perf_quiet report --stdio -i out >report
	grep -q perl report
	# perf lists what samples hit by their own address, and that is among ours
	perf_quiet buildid-list -i out | grep -E '^[0-9a-f]+ /' | sort -u >list
	grep perl list
	build_ids out | cut -d' ' -f4- | sort >ours
	[ "$(comm -23 list ours)" = "" ]
}

@test "nothing of a real recording is changed, and a second -b adds nothing" {
	need_perf_events
	recording -e cpu-clock -g
	pp-inject -b -i in -o out
	without_build_ids out >rest
	same_bytes in rest
	pp-inject -b -i out -o again
	same_bytes out again
}

@test "files that perf inject -b gave a build-id get no other one" {
	need_perf_events
	recording --no-buildid-mmap -e cpu-clock # perf 7 puts build-ids into maps, and adds none to them
	perf inject -b <in >theirs
	pp-inject -b -i theirs -o both
	[ -n "$(of_files theirs)" ]
	[ "$(of_files both)" = "$(of_files theirs)" ]
}

@test "every record that we add is a multiple of 8 long, which perf 7 asks for" {
	need_perf_events
	recording -e cpu-clock
	pp-inject -b --seal --note a=bc -i in -o out
	records out | awk '($2 == "HEADER_BUILD_ID" || $2 == "FINISHED_ROUND") && $4 % 8' >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "build-ids go into streams with tracepoints, where those of perf inject do not" {
	need_tracepoints
	perf_quiet record -o - -e syscalls:sys_enter_openat -e cpu-clock -- "${WORK[@]}" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -n "$(names out)" ]
	without_build_ids out >rest
	same_bytes in rest
	perf_quiet script -i in >expected
	perf_quiet script -i out >got
	[ -s got ]
	cmp expected got
}

@test "compressed streams get their build-ids too" {
	need_perf_events
	recording -e cpu-clock -z
	pp-inject -b -i in -o out
	[ -n "$(names out)" ]
	perf_quiet script -i in >expected
	perf_quiet script -i out >got
	cmp expected got
}

@test "recorded streams of other versions of perf are kept as they are" {
	for version in 6.1 6.12 7.3; do
		for name in rec group dwarf stat tp; do
			file=perf-$version/$name.pipe.data
			corpus $file
			echo "$file"
			pp-inject -b -q -i "$CORPUS/$file" -o out
			without_build_ids out >rest
			same_bytes "$CORPUS/$file" rest
		done
	done
}

@test "build-ids that perf 7 put into maps become records" {
	corpus perf-7.3/buildid-mmap.pipe.data
	file=$CORPUS/perf-7.3/buildid-mmap.pipe.data
	pp-inject -b -q -i "$file" -o out
	build_ids out | cut -d' ' -f4- | grep ' /' | sort >got
	[ -s got ]
	records -v "$file" | perl -ne 'print "$1 $2\n" if / MMAP2 .*build_id=(\w+) .*filename=(\S+)/' |
		sort -u >maps
	[ "$(comm -23 got maps)" = "" ]
}
