# times.bats - --time of sinks: the samples of some times alone, the same whether all of a file is read or, by its
# index, what these need.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# long [OPTION...]: a stream of several blocks and states, from 1000 s on for a minute, with tasks that come and go
long() {
	pp-gen --samples 60000 --callchain 12 --pids 40 --forks 20 --exits 10 --comms 50 --lost 9 --disorder 1ms \
		--duration 60 --seed 1 "$@" | pp-cat --index
}

# span SEED: FROM,TO, mostly within that minute
span() {
	perl -e 'srand shift; $from = 999 + rand 62; $to = $from + (rand) ** 4 * 20;
		 printf "%s,%s\n", map { rand() < 0.05 ? "" : sprintf "%.9f", $_ } $from, $to' "$1"
}

# shown FILE SPAN COMMAND...: whether it shows the same, and says the same, by the index of FILE and by all of it;
# *used counts where the index was used
used=0
shown() {
	local file=$1 times=$2
	shift 2
	"$@" -v --time "$times" -i "$file" >by_index 2>said
	"$@" -v --time "$times" --no-index -i "$file" >by_all 2>said_of_all
	cmp by_index by_all || { echo "differs: $* --time $times"; return 1; }
	! grep -q 'by its index' said || used=$((used + 1))
	grep -v 'by its index\|index not used' said | diff - said_of_all
}

# random FILE FIRST LAST: those times of it
random() {
	for ((i = $2; i < $3; i++)); do
		shown "$1" "$(span "$i")" pp-script --ns --root /
	done
	echo "by the index: $used"
	[ "$used" -gt $((($3 - $2) * 2 / 3)) ]
}

@test "random times of an indexed file are shown as when all of it is read" {
	long >in
	random in 0 8
}

# bats test_tags=nightly
@test "two hundred random times of an indexed file are shown as when all of it is read" {
	long --seed 9 >in
	random in 8 108
	long --samples 90000 --pids 400 --forks 200 --exits 190 --threads 3 >in
	random in 108 208
}

@test "every sink that has --time shows the same by an index" {
	long >in
	for sink in 'pp-report --stdio' 'pp-report -s pid,comm,dso,sym --json' 'pp-fold --tid' 'pp-fold --weight=time' \
		'pp-flame --svg' pp-flame 'pp-export --to pprof' 'pp-export --to firefox' 'pp-export --to speedscope' \
		'pp-annotate --asm' 'pp-script --json' 'pp-script --header'; do
		shown in 1020.5,1021 $sink --root /
		shown in 1055,1055.25 $sink --root /
	done
	[ "$used" -eq 24 ]
}

@test "times are those of pp-filter --time, of every kind of input" {
	pp-gen --samples 3000 --pids 9 --forks 4 --exits 4 --comms 9 --events 2 --duration 6 --seed 3 >plain
	pp-gen --samples 3000 --pids 9 --forks 4 --exits 4 --comms 9 --events 2 --duration 6 --seed 3 -z >packed
	pp-gen --samples 3000 --pids 9 --events 2 --duration 6 --seed 4 --big-endian >big
	pp-save -i plain -o file
	for in in plain packed big file; do
		for times in 1001.5,1002 ,1001 1004.25, 1,2; do
			pp-filter -q --time $times -i $in | pp-script -q --root / >wanted
			pp-script -q --root / --time $times -i $in >got
			cmp wanted got
			pp-script -q --root / --time $times <$in | cmp wanted -
			pp-script -q --root / --time $times < <(cat $in) | cmp wanted -
		done
		[ "$(pp-script -q --root / --time 1001.5,1002 -i $in | wc -l)" -gt 100 ]
	done
}

# spoilt FIRST LAST: cuts and changes of the index, from the one to before the other
spoilt() {
	local size from at
	long --samples 40000 >in
	size=$(stat -c %s in)
	from=$(pp-dump in | tail -3 | sed -n 's/.*index=section:\([0-9]*\).*/\1/p')
	pp-script --root / --no-index --time 1030,1030.1 -o wanted in
	test -s wanted
	for ((turn = $1; turn < $2; turn++)); do
		at=$(perl -e 'srand $ARGV[0]; ($from, $size) = @ARGV[1, 2]; $from = $size - 180 if $ARGV[0] % 2;
			      print int($from + rand($size - $from))' "$turn" "$from" "$size")
		head -c "$at" in >cut
		run -3 pp-script -v --root / --time 1030,1030.1 -o got cut
		refute_output --partial 'by its index'
		cmp wanted got
		cp in changed
		perl -e 'open F, "+<", $ARGV[0]; seek F, $ARGV[1], 0; read F, $byte, 1; seek F, $ARGV[1], 0;
			 print F chr(ord($byte) ^ (1 << $ARGV[1] % 8))' changed "$at"
		pp-script -q --root / --time 1030,1030.1 -o got changed 2>/dev/null || [ $? -eq 3 ]
		cmp wanted got
	done
}

@test "an index that is cut or changed changes nothing of what is shown" {
	spoilt 0 6
}

# bats test_tags=nightly
@test "an index that is cut or changed at a hundred places changes nothing of what is shown" {
	spoilt 6 106
}

@test "an index of another stream, and one of a damaged stream, are not used, as is said with -v" {
	long --seed 2 >other
	long >in
	from=$(pp-dump in | sed -n 's/.*index=section:\([0-9]*\).*/\1/p')
	# as long as the one before which it is put
	pp-gen -i other --damage --cut "$from" -o mixed
	tail -c +$((from + 1)) in >>mixed
	run pp-script -v --root / --time 1030,1030.1 -o got mixed
	assert_output --partial 'mixed: index not used: it is of another stream'
	# the last bytes of a sealed part that is not read by an index
	cp in damaged
	printf XXXXXXXX | dd of=damaged bs=1 seek=$((from - 200)) conv=notrunc status=none
	run -0 pp-script -v --root / --time 1010,1010.1 -o got damaged
	assert_output --partial 'by its index'
	run -3 pp-script --no-index --root / --time 1010,1010.1 -o got damaged
	run -3 pp-check damaged
	# in what is read it is seen
	printf XXXXXXXX | dd of=damaged bs=1 seek=$((from - 2000000)) conv=notrunc status=none
	run -3 pp-script -q --root / --time 1030,1060 -o got damaged
	# standard input may be a file, too
	run -0 pp-script -v --root / --time 1010,1010.1 -o got <in
	assert_output --partial 'by its index'
	cat in | pp-script -v --root / --time 1010,1010.1 2>said >/dev/null
	run -1 grep -F index said
}

@test "a second of a minute needs few bytes of the file" {
	need strace
	long --samples 150000 --callchain 24 >in
	size=$(stat -c %s in)
	# a sanitizer cannot look for leaks where the process is traced
	ASAN_OPTIONS=detect_leaks=0 strace -f -P in -e trace=read,pread64,readv,preadv,mmap -o calls \
		pp-script -q --root / --time 1030,1031 in >out
	[ "$(grep -c '^[^ \t]' out)" -gt 2000 ]
	run -1 grep mmap calls
	read=$(awk '/ = [0-9]+$/ { sum += $NF } END { print sum }' calls)
	echo "$read of $size"
	# the first block, at most 4 MiB between two states, and the blocks of that second
	[ "$read" -lt $((9 << 20)) ]
	[ "$size" -gt $((3 * read)) ]
}

@test "names and notes that come late are read, wherever they stand" {
	long >in
	pp-inject --note a=b in | pp-symbol -q --root / | pp-cat --index >noted
	shown noted 1020.5,1021 pp-report --header --root /
	shown noted 1020.5,1021 pp-flame --root /
	[ "$used" -gt 0 ]
}

@test "losses at other times do not count" {
	long >in
	pp-dump --type lost in >lost
	head -3 lost
	run -0 pp-report --root / --time 1000,1060 -o got in
	assert_output --partial ' lost'
	run -0 pp-report --root / --time 1000,1000.01 -o got in
	refute_output --partial ' lost'
}

@test "samples without a time are left out, as is said" {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,PERIOD,IDENTIFIER
		sample pid=7 ip=0x10 id=1
		round
	END
	run -0 pp-script --root / --time 1,2 in
	assert_output --partial ': 1 sample has no time, and is left out: --time'
}

@test "what is no span of time, and what has no times, is refused" {
	for wrong in 1 , a,2 1,b 2,1 1,2,3; do
		run -2 pp-script --time $wrong /dev/null
		assert_output --partial --time
	done
	echo 'a;b 1' >folded
	run -2 pp-fold --time 1,2 folded
	run -2 pp-flame --time 1,2 folded
	run -2 pp-flame --time 1,2 --diff folded folded
}
