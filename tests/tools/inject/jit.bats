# jit.bats - pp-inject --jit: which maps and images come of jitdump files, when, and what of hostile
# ones; perf inject -j as the oracle, of made files and of node.

setup() { load ../../helper; }

jitdump() { perl "$TESTS/jitdump.pl"; }

# run_of LINES: a stream of process 7 that maps jit-7.dump here at 5; LINES follow, and a round
run_of() {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1
		echo comm pid=7 comm=vm time=1
		echo "mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file=\"$PWD/jit-7.dump\" time=5"
		printf '%s\n' "$@"
		echo round
	} | build
}

# two_pieces [big]: a jitdump file with two functions, of which the second takes the first's place later, and
# then moves
two_pieces() {
	jitdump <<-END
		header pid=7 $*
		load time=10 addr=0x1000 index=1 name=first size=64
		load time=30 addr=0x1000 index=2 name=second size=96
		move time=50 from=0x1000 to=0x8000 index=2 size=96
		close time=60
	END
}

samples=('sample pid=7 ip=0x1010 time=20' 'sample pid=7 ip=0x1010 time=40' 'sample pid=7 ip=0x8020 time=55')

# maps FILE: `time start length offset name` a line of the maps of images
maps() {
	pp-dump --json -i "$1" | jq -r 'select(.type == "MMAP2") | .fields | select(.filename | test("jitted-"))
		| "\(.sample_id.time) \(.start) \(.len) \(.pgoff) \(.filename | sub(".*/"; ""))"'
}

@test "code is mapped at its birth and where it moves, the map that marks the file is left out" {
	two_pieces >jit-7.dump
	run_of "${samples[@]}" >in
	run -0 --separate-stderr pp-inject -j -i in -o out
	[ -z "$stderr" ]
	maps out >got
	diff - got <<-END
		10 0x1000 0x40 0x80 jitted-7-1.so
		30 0x1000 0x60 0x80 jitted-7-2.so
		50 0x8000 0x60 0x80 jitted-7-2.so
	END
	run -0 pp-dump --json -i out
	[[ $output != *jit-7.dump* ]]
	[ "$(ls jitted)" = "$(printf 'jitted-7-1.so\njitted-7-2.so')" ]
	pp-check -i out
}

@test "the same comes of a file of the other byte order, its images in that order" {
	two_pieces big >jit-7.dump
	run_of "${samples[@]}" >in
	pp-inject -j -i in -o out
	[ "$(maps out | wc -l)" -eq 3 ]
	[ "$(head -c 6 jitted/jitted-7-1.so | od -An -tx1 | tr -d ' ')" = 7f454c460202 ]
}

@test "anonymous maps of such a process are left out from then on, those of others pass" {
	two_pieces >jit-7.dump
	run_of 'mmap2 pid=7 start=0x1000 len=0x1000 file="//anon" time=15' \
		'mmap2 pid=8 start=0x1000 len=0x1000 file="//anon" time=15' >in
	pp-inject -j -i in -o out
	[ "$(pp-dump --json -i out | jq -c 'select(.fields.filename == "//anon") | .fields.pid')" = 8 ]
}

@test "build-ids are in the maps and in the images, and the same each time" {
	two_pieces >jit-7.dump
	run_of "${samples[@]}" >in
	pp-inject -j -i in -o one
	pp-inject -j -i in -o two
	same_bytes one two
	pp-inject -j -b --jit-folder other -i in -o three
	[ "$(pp-dump --json -i three | jq -c 'select(.type == "HEADER_BUILD_ID")' | wc -l)" -eq 2 ]
	same_bytes jitted/jitted-7-1.so other/jitted-7-1.so
}

@test "perf inject -j and perf script say the same of a made file, in either byte order" {
	need_perf
	for order in '' big; do
		# shellcheck disable=SC2086
		two_pieces $order >jit-7.dump
		run_of "${samples[@]}" >in
		pp-inject -j -i in -o ours
		perf_quiet script -F pid,time,ip,sym -i ours >ours.txt
		grep -q first ours.txt
		[ "$(grep -c second ours.txt)" -eq 2 ]
		perf inject -j <in >theirs 2>perf.err
		perf_quiet script -F pid,time,ip,sym -i theirs >theirs.txt
		diff ours.txt theirs.txt
	done
}

@test "source lines are found by DWARF in the image" {
	need addr2line
	jitdump >jit-7.dump <<-END
		header pid=7
		lines time=9 addr=0x1000 0:/src/a.js:3 16:=:5 32:/src/b.js:700
		load time=10 addr=0x1000 index=1 name=first size=64
		load time=11 addr=0x2000 index=2 name=second size=64
	END
	run_of "${samples[@]}" >in
	pp-inject -j -i in -o out
	addr2line -f -e jitted/jitted-7-1.so 0x80 0x8f 0x90 0xa1 >got
	diff - got <<-END
		first
		/src/a.js:3
		first
		/src/a.js:3
		first
		/src/a.js:5
		first
		/src/b.js:700
	END
	[[ $(addr2line -e jitted/jitted-7-2.so 0x80) == '??:'* ]]
}

@test "unwinding information follows the code, and widens its map where it is mapped" {
	need readelf
	jitdump >jit-7.dump <<-END
		header pid=7
		unwind time=9 header=4 mapped=24 hex=0102030405060708aabbccdd
		load time=10 addr=0x1000 index=1 name=first size=60
	END
	run_of "${samples[@]}" >in
	pp-inject -j -i in -o out
	[ "$(maps out)" = '10 0x1000 0x58 0x80 jitted-7-1.so' ]
	readelf -SW jitted/jitted-7-1.so >sections
	grep -qE '\.eh_frame +PROGBITS +0+c0 0000c0 000008' sections
	grep -qE '\.eh_frame_hdr +PROGBITS +0+c8 0000c8 000004' sections
}

@test "a stream of another clock, or without the clock of a file's cycles, gets none, which is said" {
	two_pieces >jit-7.dump
	run_of "${samples[@]}" >in
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file=\"$PWD/jit-7.dump\" time=5"
		echo round
	} | build >other
	run -0 --separate-stderr pp-inject -j -i other -o out
	[[ $stderr == *"jit-7.dump: the stream has the times of another clock (record with -k monotonic): it is left out" ]]
	same_bytes other out
	two_pieces cycles >jit-7.dump
	run -0 --separate-stderr pp-inject -j -i other -o out
	[[ $stderr == *'cycles of a counter, which the stream does not explain'* ]]
}

@test "cycles become times as TIME_CONV says" {
	two_pieces cycles >jit-7.dump
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo time_conv time_shift=1 time_mult=4 time_zero=100
		echo "mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file=\"$PWD/jit-7.dump\" time=5"
		echo sample pid=7 ip=0x1010 time=300
		echo round
	} | build >in
	pp-inject -j -i in -o out
	# 100 + time * 4 / 2
	[ "$(maps out | cut -d' ' -f1 | tr '\n' ' ')" = '120 160 200 ' ]
}

@test "only regular files are opened, below --root if that is given" {
	mkfifo jit-7.dump
	run_of "${samples[@]}" >in
	run -0 --separate-stderr timeout 60 pp-inject -j -i in -o out
	[[ $stderr == *'jit-7.dump: not a regular file' ]]
	same_bytes in out
	rm jit-7.dump
	run -0 --separate-stderr pp-inject -j -i in -o out
	[[ $stderr == *'jit-7.dump: No such file or directory' ]]
	mkdir -p "root$PWD"
	two_pieces >"root$PWD/jit-7.dump"
	run -0 --separate-stderr pp-inject -j --root root -i in -o out
	[ "$(maps out | wc -l)" -eq 3 ]
}

# bats test_tags=T3-B11
@test "images go into no folder that others may write, unless it is asked for, and through no link of theirs" {
	need_root
	two_pieces >jit-7.dump
	run_of "${samples[@]}" >in
	mkdir target
	ln -s "$PWD/target" jitted
	chown -h 65534 jitted
	for how in '-j' '-j --jit-folder jitted' '-j --jit-folder jitted/'; do
		run -4 --separate-stderr pp-inject $how -i in -o out
		[[ $stderr == "pp-inject: cannot write to jitted"*": the symbolic link jitted is another user's" ]]
	done
	[ -z "$(ls -A target)" ]
	rm jitted
	for mode in '65534 755' '0 777'; do
		mkdir jitted
		chown "${mode% *}" jitted
		chmod "${mode#* }" jitted
		run -4 --separate-stderr pp-inject -j -i in -o out
		[ "$stderr" = "pp-inject: cannot write to jitted: others may write to this folder, too: name one with --jit-folder" ]
		[ -z "$(ls -A jitted)" ]
		pp-inject -j --jit-folder jitted -i in -o out
		[ "$(ls jitted | wc -l)" -eq 2 ]
		rm -r jitted
	done
	ln -s target jitted
	pp-inject -j -i in -o out
	[ "$(ls target | wc -l)" -eq 2 ]
}

# bats test_tags=T3-B11
@test "a file of another user's counts if the process mapped this very one" {
	need_root
	two_pieces >jit-7.dump
	chown 65534 jit-7.dump
	run_of "${samples[@]}" >in
	run -0 --separate-stderr pp-inject -j -i in -o out
	[ "$stderr" = "pp-inject: $PWD/jit-7.dump: left out: it is another user's" ]
	[ -z "$(maps out)" ]
	read -r ino device < <(stat -c '%i %d' jit-7.dump)
	run_of "${samples[@]}" | pp-dump --json |
		jq -c "if .type == \"MMAP2\" then .fields.ino = $ino | .fields.maj = $((device >> 8 & 0xfff)) |
			.fields.min = $((device & 0xff | device >> 12 & 0xfff00)) else . end" | pp-undump >in
	run -0 --separate-stderr pp-inject -j -i in -o out
	[ -z "$stderr" ]
	[ "$(maps out | wc -l)" -eq 3 ]
}

@test "damaged files give what they can, status 3 and a reason" {
	run_of "${samples[@]}" >in
	two_pieces >whole
	head -c $(($(stat -c %s whole) - 90)) whole >jit-7.dump
	run -3 --separate-stderr pp-inject -j -i in -o out
	[[ $stderr == *'bytes at the end are no record'* ]]
	[ "$(maps out | wc -l)" -ge 1 ]
	echo this is not a jitdump file, though it is called one >jit-7.dump
	run -3 --separate-stderr pp-inject -j -i in -o out
	[[ $stderr == *'no jitdump file'* ]]
	# a size that says more than the record has; a code that is longer than all
	{
		jitdump <<<'header pid=7'
		perl -e 'print pack("L2Q", 0, 80, 10), pack("L2Q4", 7, 7, 0x1000, 0x1000, 1 << 60, 1), "x\0" x 12'
		printf 'load time=12 addr=0x1000 index=2 name=good\n' | jitdump
	} >jit-7.dump
	run -3 --separate-stderr pp-inject -j -i in -o out
	[ "$(maps out | cut -d' ' -f1)" = 12 ]
}

@test "a sparse file makes no images of nothing" {
	run_of "${samples[@]}" >in
	jitdump <<<'header pid=7' >jit-7.dump
	perl -e '
		open my $f, "+<:raw", "jit-7.dump" or die;
		my ($at, $size) = (40, 15 << 20);
		for (1 .. 40) {
			seek $f, $at, 0;
			print $f pack("L2Q", 0, 16 + 40 + 2 + $size, 10), pack("L2Q4", 7, 7, 0x1000, 0x1000, $size, $_), "x\0";
			$at += 16 + 40 + 2 + $size;
		}
		truncate $f, $at'
	run -3 --separate-stderr pp-inject -j -i in -o out
	[[ $stderr == *'claims more code than it holds'* ]]
	[ "$(ls jitted | wc -l)" -lt 30 ]
}

@test "every cut of a jitdump file ends in 0 or 3, with a sound stream" {
	run_of "${samples[@]}" >in
	two_pieces >whole
	for ((n = 0; n < $(stat -c %s whole); n += 7)); do
		head -c $n whole >jit-7.dump
		run --separate-stderr pp-inject -q -j -i in -o out
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		run pp-check -i out
		[ "$status" -eq 0 ] || [[ $output == *'an earlier stage met damage'* ]]
	done
}

@test "what cannot be written ends the run" {
	two_pieces >jit-7.dump
	run_of "${samples[@]}" >in
	touch file
	run -4 --separate-stderr pp-inject -j --jit-folder file -i in -o out
	[[ $stderr == 'pp-inject: cannot '*file* ]]
}

# bats test_tags=nightly
@test "node: perf inject -j and perf script say the same" {
	need node
	need_perf
	cat >work.js <<-'END'
		function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s }
		let r = 0
		for (let i = 0; i < 300; i++) r ^= hot(20000 + i)
		console.log(r)
	END
	perf record -k mono -e cpu-clock -c 500000 -o - -- node --perf-prof work.js 2>perf.err >in ||
		skip "perf records nothing here"
	[ -f jit-*.dump ] || skip "this node writes no jitdump file"
	for perf in perf "$(newer_perf 7.0 || true)"; do
		[ -n "$perf" ] || continue
		# perf writes images of the same names
		pp-inject -j --jit-folder "$PWD" -i in -o ours
		"$perf" script -F comm,tid,time,ip,sym,dso -i ours >ours.txt 2>perf.err
		"$perf" inject -j <in >theirs 2>perf.err
		"$perf" script -F comm,tid,time,ip,sym,dso -i theirs >theirs.txt 2>perf.err
		grep -q 'hot.*jitted-' ours.txt
		diff ours.txt theirs.txt
	done
}

# bats test_tags=T3-C9
@test "a stream without a jitdump file is said to have none" {
	run -0 --separate-stderr pp-inject -j -i "$TESTS/streams/plain.pipe" -o out
	assert_equal "$stderr" 'pp-inject: --jit: the stream has no map of a jitdump file, jit-PID.dump: the program has to write one, as node --perf-prof does'
	same_bytes "$TESTS/streams/plain.pipe" out
}
