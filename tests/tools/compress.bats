#!/usr/bin/env bats
# compress.bats - pp-compress and pp-decompress: there and back, and readable by perf.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

plain() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER
		feature HOSTNAME string "a-host"
		mmap pid=-1 start=0 len=0x1000 file=[kernel.kallsyms]_text synthesized
		comm pid=7 comm=nginx synthesized
		init
		repeat 40 {
		sample pid=7 time=$(i*1000+1000) ip=0x1234 raw=0102030405060708
		sample pid=8 time=$(i*1000+1500) ip=$(i*64) raw=0102030405060708
		}
		round
		auxtrace bytes=40
		sample pid=9 time=70000 raw=00
		round
		lost id=1 lost=3 time=80000
	END
}

# noise COUNT: a stream of COUNT samples with 8000 bytes each that cannot be compressed
noise() {
	perl -e '
		srand 42;
		print "header\nattr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER\n";
		for my $i (1 .. shift) {
			my $raw = join "", map { sprintf "%08x", rand 4294967296 } 1 .. 2000;
			print "sample pid=7 time=", $i * 1000, " raw=$raw\n";
		}
		print "round\n"' "$1" | build
}

types() { records "$1" | cut -d' ' -f2 | sort -u | tr '\n' ' '; }

@test "what was compressed comes back, byte for byte" {
	plain >in
	for options in "" -1 -19 -22 --level=7 --format=1 --format=2 "-9 --format=2"; do
		# shellcheck disable=SC2086
		pp-compress $options -i in >z
		pp-decompress -i z >out
		same_bytes in out
	done
}

@test "kernel records are compressed, and all others stay in their place" {
	plain >in
	pp-compress -i in >z
	[ "$(types z)" = "AUXTRACE COMPRESSED FINISHED_INIT FINISHED_ROUND HEADER_ATTR HEADER_FEATURE " ]
	[ "$(records z | cut -d' ' -f2 | uniq | tr '\n' ' ')" = \
		"HEADER_ATTR HEADER_FEATURE COMPRESSED FINISHED_INIT COMPRESSED FINISHED_ROUND AUXTRACE COMPRESSED FINISHED_ROUND COMPRESSED " ]
	[ "$(stat -c %s z)" -lt "$(stat -c %s in)" ]
}

@test "the feature COMPRESSED is added once, and taken out again" {
	plain >in
	pp-compress -6 -i in >z
	# feature 27: version 0, type 1, level 6, ratio 0
	records -v z | grep -c 'hex=1b000000000000000000000001000000060000000000000' >count || true
	[ "$(cat count)" -eq 1 ]
	[ "$(records z | grep -c HEADER_FEATURE)" -eq 2 ]
	pp-decompress -i z >out
	[ "$(records out | grep -c HEADER_FEATURE)" -eq 1 ]
}

@test "it is there before samples too that nothing but their event precedes" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER
		repeat 3 {
		sample pid=7 time=$(i*1000+1000) ip=0x1234 raw=0102030405060708
		}
	END
	pp-compress -i in >z
	[ "$(records z | cut -d' ' -f2 | tr '\n' ' ')" = "HEADER_ATTR HEADER_FEATURE COMPRESSED " ]
	pp-decompress -i z >out
	same_bytes in out
}

@test "a stream without kernel records stays as it is" {
	printf 'header\nattr id=1\ninit\nround\n' | build >in
	pp-compress -i in >out
	same_bytes in out
}

@test "--format=2 writes records of a multiple of 8 bytes, as newer perf asks" {
	plain >in
	pp-compress --format=2 -i in >z
	[ "$(records z | grep -c COMPRESSED2)" -gt 0 ]
	[ "$(records z | grep -c 'COMPRESSED ')" -eq 0 ]
	[ "$(records z | awk '$2 == "COMPRESSED2" && $4 % 8' | wc -l)" -eq 0 ]
}

@test "what cannot be compressed is split into records all the same" {
	noise 60 >in
	for format in 1 2; do
		pp-compress --format=$format -i in >z
		[ "$(records z | grep -c 'COMPRESSED')" -gt 5 ]
		pp-decompress -i z >out
		same_bytes in out
	done
}

@test "a stream of more than one frame comes back" {
	noise 620 >in
	pp-compress -1 -i in >z
	# the second frame has its magic number as the first has
	[ "$(perl -e 'local $/; print scalar(() = <STDIN> =~ /\x28\xb5\x2f\xfd/g)' <z)" -ge 2 ]
	pp-decompress -i z >out
	same_bytes in out
}

@test "perf reads what was compressed as it reads the plain stream" {
	need_perf
	build >in <<-'END'
		header
		attr id=1
		mmap pid=-1 start=0 len=0x1000 file=[kernel.kallsyms]_text synthesized
		comm pid=7 comm=nginx synthesized
		init
		repeat 40 {
		sample pid=7 time=$(i*1000+1000) ip=0x1234
		sample pid=8 time=$(i*1000+1500) ip=$(i*64)
		}
		round
		sample pid=9 time=70000
		round
	END
	for level in 1 3 19; do
		perf_quiet script -F comm,pid,tid,cpu,time,ip,event,period --ns -i in >expected
		pp-compress -$level -i in >z
		perf_quiet script -F comm,pid,tid,cpu,time,ip,event,period --ns -i z >got
		[ -s expected ]
		same_bytes expected got
	done
	noise 60 >in
	perf_quiet script -F pid,time --ns -i in >expected
	pp-compress -i in >z
	perf_quiet script -F pid,time --ns -i z >got
	[ "$(wc -l <got)" -eq 60 ]
	same_bytes expected got
}

# Of a carrier in which no block of zstd ends nothing comes, and every perf gives up.
@test "perf of every version reads what hardly compresses" {
	need_perf
	local perf level
	local perfs=(perf)
	for level in 6.12 7.3; do perf=$(newer_perf $level) && perfs+=("$perf"); done
	pp-gen --seed=46 --samples=300 --cpus=3 --tracepoints=1 --events=0 --callchain=16 --stack=632 --rounds=0 -o in
	for level in 1 3 9 19; do
		pp-compress -$level -i in >z
		pp-decompress -i z | cmp - in
		for perf in "${perfs[@]}"; do
			echo "$perf, level $level"
			[ "$("$perf" script -F tid,event -G -i z 2>err | grep -c gen:tp0)" -eq 300 ]
		done
	done
}

@test "perf reads recorded streams that were compressed" {
	need_perf
	for in in plain dwarf group tracepoint switch; do
		perf_quiet script -i "$TESTS/streams/$in.pipe" >expected
		pp-compress -i "$TESTS/streams/$in.pipe" >z
		perf_quiet script -i z >got
		[ -s expected ]
		same_bytes expected got
	done
}

@test "perf reads what pp-compress makes of a recording, through pipes" {
	need_perf_events
	perf_quiet record -e cpu-clock -o - -- "${WORK[@]}" >in
	perf_quiet script -i in >expected
	[ -s expected ]
	pp-compress <in | perf script -i - >got 2>perf.err
	same_bytes expected got
	pp-compress <in | pp-decompress >out
	same_bytes in out
}

@test "what perf compressed is what perf prints of it" {
	need_perf
	perf_quiet script -i "$TESTS/streams/zstd.pipe" >expected
	pp-decompress -i "$TESTS/streams/zstd.pipe" >plain
	[ "$(records plain | grep -c COMPRESSED)" -eq 0 ]
	perf_quiet script -i plain >got
	[ -s expected ]
	same_bytes expected got
}

@test "what is compressed already is compressed once" {
	plain >in
	pp-compress -9 -i in >expected
	pp-compress -1 -i in | pp-compress -9 >z
	same_bytes expected z
	pp-compress --format=2 -i in | pp-compress -9 >z
	same_bytes expected z
}

@test "the same input gives the same bytes, however it is cut into pieces" {
	plain >in
	pp-compress -i in >expected
	trickle in 1 | pp-compress >z
	same_bytes expected z
	trickle in 100 | pp-compress >z
	same_bytes expected z
	trickle expected 1 | pp-decompress >out
	same_bytes in out
}

@test "records and frames may straddle compressed records anywhere" {
	build >expected <<-'END'
		header
		attr id=1
		repeat 30 {
		sample pid=7 time=$(i*10+1000) ip=$(i*4096)
		}
		round
		sample pid=7 time=2000
		round
	END
	for type in compressed compressed2; do
		for split in 1 2 3 7 8 50 65504; do
			build >z <<-END
				header
				attr id=1
				feature COMPRESSED
				$type split=$split {
				repeat 30 {
				sample pid=7 time=\$(i*10+1000) ip=\$(i*4096)
				}
				}
				round
				$type level=19 split=$split {
				sample pid=7 time=2000
				}
				round
			END
			pp-decompress -i z >out
			same_bytes expected out
		done
	done
}

@test "records may straddle compressed records around a plain one" {
	# one frame in three pieces, with a round between two of them
	build >pieces <<-'END'
		header
		attr id=1
		compressed split=20 {
		sample pid=7 time=1000 ip=0x123456789
		sample pid=8 time=1001 ip=0x987654321
		}
	END
	[ "$(records pieces | grep -c COMPRESSED)" -ge 3 ]
	at=$(records pieces | awk '$2 == "COMPRESSED" && ++n == 2 { print $1 }')
	printf 'round\n' | build >round
	{ head -c "$at" pieces; cat round; tail -c +$((at + 1)) pieces; } >z
	run -0 pp-decompress -i z -o out
	[ "$(records out | grep -c SAMPLE)" -eq 2 ]
	[ "$(records out | grep -c FINISHED_ROUND)" -eq 1 ]
}

@test "chains of COMPRESSED2 with the sizes that perf 6.16 gave them are read" {
	noise 60 >in
	# one frame in records of 65519 bytes of it, as perf's COMPRESSED2 had
	{ echo header; echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER'; } | build >head
	tail -c +$(($(stat -c %s head) + 1)) in | head -c -8 | zstd -q -c --no-check >frame
	bad_chain <frame >chain
	[ "$(stat -c %s chain)" -gt 200000 ]
	printf 'round\n' | build >round
	cat head chain round >z
	run -0 --separate-stderr pp-decompress -i z -o out
	[ -z "$stderr" ]
	same_bytes in out
	# a single one that just does not fit: its size is 0
	head -c 65515 frame >part
	perl -e 'local $/; my $p = <STDIN>; print pack("VvvQ", 83, 0, 0, length $p), $p' <part >single
	cat head single round >z
	run --separate-stderr pp-decompress -i z -o out
	[ "$(records out | grep -c FINISHED_ROUND)" -ge 1 ]
	[ "$(records out | grep -c SAMPLE)" -ge 1 ]
}

@test "recorded streams of other versions expand to what these versions print" {
	need_perf
	for version in 6.12 7.3; do
		corpus "perf-$version/rec.z.pipe.data"
		pp-decompress -i "$CORPUS/perf-$version/rec.z.pipe.data" >plain
		# the lines of the samples; perf of today may find other symbols
		perf_quiet script --ns -F comm,pid,tid,time,period,event,ip -i plain | grep cpu-clock: | tr -s ' ' | sed 's/^ //' >got
		grep cpu-clock: "$CORPUS/perf-$version/rec.z.pipe.data.script.txt" | tr -s ' ' | sed 's/^ //' >expected
		[ -s expected ]
		diff expected got
	done
}

@test "streams of type 81 and 83 of another workload hold what perf prints" {
	corpus linux-perf-data/sleep.compressed.pipe.data
	run -0 pp-decompress -i "$CORPUS/linux-perf-data/sleep.compressed.pipe.data" -o out
	[ "$(records out | grep -c SAMPLE)" -ge 1 ]
	# perf's messages stand behind this one
	run -3 pp-decompress -i "$CORPUS/linux-perf-data/sleep.compressed2.pipe.data" -o out
	[ "$(records out | grep -c SAMPLE)" -ge 1 ]
}

@test "samples are not held back beyond their round" {
	plain >in
	at=$(records in | awk '$2 == "FINISHED_ROUND" { print $1 + 8; exit }')
	mkfifo a b
	pp-compress <a >b 2>/dev/null 3>&- &
	exec 8>a 9<b
	head -c "$at" in >&8
	# all up to the round arrives while the input is still open
	pp-compress -i <(head -c "$at" in) -o expected
	head -c "$(stat -c %s expected)" <&9 >got
	same_bytes expected got
	exec 8>&- 9<&-
	wait
}

@test "wrong levels and formats are refused" {
	plain >in
	run -2 pp-compress -23 -i in
	run -2 pp-compress --level=0 -i in
	run -2 pp-compress --format=3 -i in
}

@test "what a carrier holds in front of the place where it cannot be expanded arrives" {
	build >in <<-'END'
		header
		attr id=1
		feature COMPRESSED
		compressed {
		repeat 6000 {
		sample pid=7 time=$(i*10+10000) ip=0x1000
		}
		}
		round
	END
	# the third block of the frame becomes one of a kind that there is none of
	perl -0777 -e '
		my $b = <STDIN>;
		my $at = index($b, "\x28\xb5\x2f\xfd") + 4;
		my $says = ord substr $b, $at, 1;
		$at += 1 + ($says & 0x20 ? 0 : 1) + (0, 1, 2, 4)[$says & 3];
		$at += (($says & 0x20 ? 1 : 0), 2, 4, 8)[$says >> 6];
		for (1 .. 2) {
			my $head = unpack "V", substr($b, $at, 3) . "\0";
			$at += 3 + (($head >> 1 & 3) == 1 ? 1 : $head >> 3);
		}
		substr($b, $at, 1) |= "\x06";
		print $b' <in >damaged
	run -3 --separate-stderr pp-dump -i damaged
	[[ "$stderr" =~ "cannot expand" ]]
	[ "$(grep -c SAMPLE <<<"$output")" -gt 4000 ]
	run -3 --separate-stderr pp-mend -i damaged -o mended
	pp-check -q mended
	[ "$(json mended | grep -c '"type":"SAMPLE"')" -gt 4000 ]
}
