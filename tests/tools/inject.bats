# inject.bats - pp-inject: which build-ids it adds, where they come from and where they stand.

setup() {
	load ../helper
	load inject/inject
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
