# batches.bats - samples in batches beside records one by one (batches.c): streams of every kind, whole, cut
# and changed.

setup() {
	load ../helper
	replay=$BIN/tests/fuzz/replay-batches
	[ -x "$replay" ] || skip "no fuzz targets were built"
}

# kinds FILE: the stream as it is, sealed, compressed and in the other byte order, in files here
kinds() {
	local name=${1##*/}
	cp "$1" "$name.plain" || return
	pp-cat -q --seal "$1" >"$name.sealed" 2>/dev/null || true
	pp-compress -q "$name.sealed" >"$name.zstd" 2>/dev/null || true
	pp-cat -q --big-endian "$1" >"$name.big" 2>/dev/null || true
}

# variants EACH FILE...: so many of each, cut at any place or changed in up to five bytes, as variant-N
variants() {
	perl -e '
		my ($each, @files) = @ARGV;
		my $n = 0;
		for my $file (@files) {
			open my $f, "<:raw", $file or die "$file: $!\n";
			my $whole = do { local $/; <$f> };
			next if length $whole < 16;
			for my $seed (1 .. $each) {
				srand $seed * 7919 + length $whole;
				my $bytes = $whole;
				substr($bytes, 16 + rand(length($bytes) - 16), 1) = chr rand 256 for 1 .. $seed % 6;
				$bytes = substr $bytes, 0, 1 + rand length $bytes if $seed % 3 == 0;
				open my $t, ">:raw", "variant-" . $n++ or die "$!\n";
				print $t $bytes;
			}
		}' "$@"
}

@test "batches hand out what the reader does one by one: of every kind of stream, cut and changed" {
	build <"$TESTS/streams/every.txt" >every
	pp-gen --samples 3000 --events 3 >many
	build >strangers <<-'STREAM'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=1 time=5 id=1
		sample pid=1 time=4 id=9
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=1 time=0 id=1
		sample pid=1 time=2 id=9
		sample pid=1 time=6 id=0
		sample pid=1 time=0xffffffffffffffff id=2
		record 9 7 01000000000000000000000000000000010000000100000007000000000000000000000000
		sample pid=1 time=8 id=2
		round hex=50504e4f5445310001000000000000000100000002000000616263000000
		sample pid=1 time=9 id=2
		sample pid=1 time=9 id=2
	STREAM
	for stream in every many strangers "$TESTS"/streams/*.pipe; do kinds "$stream"; done
	"$replay" ./*.plain ./*.sealed ./*.zstd ./*.big
	variants 12 ./*.plain ./*.sealed ./*.zstd ./*.big
	"$replay" variant-*
}

@test "batches hand out what the reader does one by one: of other tools' files, cut and changed" {
	corpus perf-6.1
	mapfile -t files < <(find "$CORPUS" -type f -size -200k ! -name '*.md' ! -name '*.tsv' | sort)
	"$replay" "${files[@]}"
	variants 3 "${files[@]}"
	"$replay" variant-*
}

@test "batches go on where the buffer was moved" {
	pp-gen --samples 30000 >many
	[ "$(stat -c %s many)" -gt $((1 << 20)) ]
	"$replay" many
	head -c $(((1 << 20) + 21)) many >cut
	"$replay" cut
}

@test "batches that wait for their time are let go in the order of records one by one" {
	for seed in 1 2 3; do
		pp-gen --seed $seed --samples 9000 --cpus 4 --rounds 40 --pids 99 --mmaps 5 --forks 90 --exits 90 --comms 300 >rounds
		pp-gen --seed $seed --samples 8000 --cpus 8 --rounds 9 --pids 9 --mmaps 9 --comms 500 --disorder 0.001 >late
		pp-gen --seed $seed --samples 9000 --rounds 0 --pids 50 --forks 40 --exits 40 --comms 200 >whole
		pp-compress -q rounds >packed
		"$replay" rounds late whole packed
	done
	# many at one time
	perl -e '
		print "header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all\n";
		for my $n (0 .. 399) {
			my $time = 1000 + 10 * int($n / 40);
			my $count = 9 + $n % 9;
			print "sample id=1 pid=1 time=", $time + int($_ / 5), "\n" for 0 .. $count;
			print "comm pid=1 comm=c$n time=", $time + ($n % 2 ? int($count / 5) : $n % 4), "\n";
			print "round\n" if $n % 40 == 39;
		}' | build >ties
	# CPUs that take turns, at times at one time, with other records between
	perl -e '
		srand 5;
		print "header\nattr id=1 sample_type=IP,TID,TIME,CPU flags=sample_id_all\n";
		my $time = 1000;
		for my $n (0 .. 39) {
			for my $cpu (0 .. 1 + $n % 3) {
				my $at = $time + int rand 5;
				for (0 .. 11 + int rand 20) {
					print "sample id=1 pid=1 cpu=$cpu time=$at\n";
					$at += int rand 3;
				}
				print "comm pid=1 comm=c time=", $time + int rand 30, "\n" if $n % 4 == 1;
				print "comm pid=1 comm=x synthesized\n" if $n % 5 == 2;
			}
			$time += 20 + int rand 30;
			print "round\n" if $n % 2;
		}' | build >turns
	"$replay" ties turns
}

@test "what pp-check finds in a batch it finds in records one by one, and each kind of it" {
	build >many <<-'STREAM'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN,RAW,WEIGHT flags=sample_id_all,comm
		attr id=3 sample_type=IP,TID,TIME,IDENTIFIER,STACK_USER
		attr id=4 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW type=1 config=10
		feature NRCPUS u32 3 u32 3
		comm pid=7 comm=work synthesized
		round
		sample id=1 pid=7 cpu=0 time=3000000000 callchain=0x1000,0x2000 raw=01020304
		sample id=2 pid=7 cpu=1 time=3000000100 callchain= raw=
		sample id=3 pid=7 time=3000000200
		sample id=4 pid=7 cpu=2 time=3000000300 raw=0102030405060708090a0b0c0d0e0f10
		sample id=1 pid=8 tid=9 cpu=0 time=3000000400 callchain=0x1000 raw=01020304
		sample id=1 pid=0 tid=0 cpu=0 time=3000000400 callchain=0x1000 raw=01020304
		sample id=2 pid=7 cpu=0 time=1000000000 callchain=0x1000 raw=01020304
		sample id=2 pid=7 cpu=3 time=3000000500 callchain=0x1000 raw=01020304
		sample id=1 pid=7 cpu=0 time=3000000600 misc=7 callchain=0x1000 raw=01020304
		sample id=1 pid=7 cpu=0 time=0 callchain=0x1000 raw=01020304
		sample id=1 pid=-1 tid=-1 cpu=0 time=3000000700 callchain=0x1000 raw=01020304
		event_update id=4 name=offcpu-time
		sample id=4 pid=7 cpu=2 time=3000000800 raw=0102030405060708090a0b0c0d0e0f10
		round
		round
		sample id=1 pid=7 cpu=0 time=100 callchain=0x1000 raw=01020304
		sample id=2 pid=7 cpu=0 time=2999999999 callchain=0x1000 raw=01020304
		sample id=4 pid=7 cpu=1 time=4000000000 raw=01020304
	STREAM
	build >single <<-'STREAM'
		header
		attr id=1,2 sample_type=IP,TID,TIME,ID,CPU,PERIOD
		comm pid=7 comm=work synthesized
		sample id=1 pid=7 cpu=0 time=10
		sample id=2 pid=7 cpu=1 time=20
		sample id=0 pid=7 cpu=0 time=30
		sample id=9 pid=7 cpu=0 time=40
		sample id=8 pid=7 cpu=0 time=50
	STREAM
	for kind in cpu id order round task time value; do
		{ pp-check --json many || true; pp-check --json single; } 2>/dev/null | grep "\"kind\":\"$kind\""
	done
	# each byte of the first samples in turn is another one
	perl -e '
		for my $file (@ARGV) {
			open my $f, "<:raw", $file or die "$!\n";
			my $whole = do { local $/; <$f> };
			my $from = index $whole, pack "L<S<", 9, 2; # type and mode
			for my $at ($from .. $from + 199) {
				my $bytes = $whole;
				substr($bytes, $at, 1) ^= $at % 2 ? "\x01" : "\x08";
				open my $t, ">:raw", "changed-$file-$at" or die "$!\n";
				print $t $bytes;
			}
		}' many single
	"$replay" many single changed-*
}

@test "samples that need nothing new are pruned in batches as one by one" {
	# few threads and addresses, whose names, maps and ends come in between
	perl -e '
		print "header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all\n";
		for my $n (0 .. 299) {
			my ($pid, $time) = (1 + $n % 3, 1000 + 100 * $n);
			print "comm pid=$pid tid=$pid comm=c$n time=$time\n" if $n % 2;
			print "mmap2 pid=$pid start=0x1000 len=0x1000 file=/bin/p$n time=$time\n" if $n % 5 < 2;
			print "exit pid=$pid tid=$pid time=$time\n" if $n % 7 == 6;
			for my $i (0 .. 19) {
				my ($tid, $ip, $now) = (1 + $i % 3, 0x1000 + $i % 2, $time + 1 + $i);
				print "sample id=1 pid=$tid tid=$tid ip=$ip time=$now\n";
			}
			print "round\n" if $n % 40 == 39;
		}' | build >needed
	"$replay" needed
}
