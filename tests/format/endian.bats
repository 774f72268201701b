#!/usr/bin/env bats
# endian.bats - streams of the other byte order read the same, and leave in ours.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	# the twins are made big-endian: what reads them has to be the other
	[ "$(printf '\1\0' | od -An -td2 | tr -d ' ')" = 1 ] || skip "this machine is big-endian"
}

# twins: standard input in the language of build.pl, to little and big
twins() {
	cat >text
	build <text >little
	sed 's/^header$/header big/' text | build >big
}

@test "every record and every field reads the same in both byte orders" {
	for text in every newer; do
		# a plain stream carries no COMPRESSED feature
		grep -v '^feature COMPRESSED' "$TESTS/streams/$text.txt" | twins
		run -0 --separate-stderr pp-decompress -i big -o out
		[ -z "$stderr" ]
		same_bytes little out
	done
}

@test "the dump is the same in both byte orders" {
	for text in every newer; do
		twins <"$TESTS/streams/$text.txt"
		pp-dump --json -i little | tail -n +2 >expected
		pp-dump --json -i big | tail -n +2 >got
		[ -s expected ]
		same_bytes expected got
		pp-dump -v -i little >expected
		pp-dump -v -i big >got
		same_bytes expected got
	done
}

@test "a stream of the other byte order may come in any pieces" {
	grep -v '^feature COMPRESSED' "$TESTS/streams/every.txt" | twins
	trickle big 1 | pp-decompress >out
	same_bytes little out
	trickle big 333 | pp-decompress >out
	same_bytes little out
}

@test "several events without an id at a common place are found all the same" {
	twins <<-'END'
		header
		attr id=11,12 sample_type=IP,TID,TIME,ID,CPU flags=sample_id_all
		attr id=13 sample_type=IP,TID,TIME,ID,CPU,RAW type=2 flags=sample_id_all
		comm pid=7 comm=nginx time=900 event=11
		sample id=11 pid=7 cpu=1 time=1000 ip=0x1000
		sample id=13 pid=7 cpu=1 time=1100 ip=0x1000 raw=0102030405060708
		exit pid=7 time=1200 event=13
	END
	run -0 pp-decompress -i big -o out
	same_bytes little out
}

@test "compressed records expand to records of the stream's byte order" {
	twins <<-'END'
		header
		attr id=1
		comm pid=7 comm=nginx
		sample pid=7 cpu=1 time=1000
		round
		sample pid=7 cpu=1 time=1100
		sample pid=8 cpu=0 time=1150
	END
	for type in compressed compressed2; do
		sed 's/^header$/header big/' >text <<-END
			header
			attr id=1
			feature COMPRESSED
			comm pid=7 comm=nginx
			$type {
			sample pid=7 cpu=1 time=1000
			}
			round
			$type split=7 {
			sample pid=7 cpu=1 time=1100
			sample pid=8 cpu=0 time=1150
			}
		END
		build <text >z
		run -0 --separate-stderr pp-decompress -i z -o out
		[ -z "$stderr" ]
		same_bytes little out
	done
}

@test "what cannot be converted is dropped, counted and told" {
	twins <<-'END'
		header
		attr id=1
		sample time=1000
		record 113 0 0011223344556677
		sample time=2000
	END
	run -3 --separate-stderr pp-decompress -i big -o out
	[[ "$stderr" =~ "(UNKNOWN_113): cannot convert the byte order of this record" ]]
	[[ "$stderr" =~ "1 record dropped" ]]
	[ "$(records out | grep -c SAMPLE)" -eq 2 ]
	[ "$(records out | grep -c -v -e SAMPLE -e HEADER_ATTR -e FINISHED_ROUND)" -eq 0 ]
	# of our own byte order it passes
	run -0 pp-decompress -i little -o out
	same_bytes little out
}

@test "seals of a big-endian stream are verified, and made anew in our order" {
	# the hashes were computed by another program
	build >big <<-'END'
		header big
		record 68 0 50505345414c310000000000000000000000000000000010c6f5d2a19a5aecc30000000000000000
		init
		record 68 0 50505345414c310000000000000000010000000000000008bfe1afd94f6196420000000100000000
	END
	build >little <<-'END'
		header
		record 68 0 50505345414c310000000000000000001000000000000000232d909e2f873ebb0000000000000000
		init
		record 68 0 50505345414c310001000000000000000800000000000000217df0d8c5e94d590100000000000000
	END
	run -0 --separate-stderr pp-decompress -i big -o out
	[ -z "$stderr" ]
	same_bytes little out
	head -c -48 big >cut
	run -3 --separate-stderr pp-decompress -i cut -o out
	[[ "$stderr" =~ "at byte 72: the stream is cut" ]]
	sed 's/^init$/round/' >text <<-'END'
		header big
		record 68 0 50505345414c310000000000000000000000000000000010c6f5d2a19a5aecc30000000000000000
		init
		record 68 0 50505345414c310000000000000000010000000000000008bfe1afd94f6196420000000100000000
	END
	build <text >changed
	run -3 --separate-stderr pp-decompress -i changed -o out
	[[ "$stderr" =~ "seal 1 does not match the bytes" ]]
}

@test "notes of a big-endian stream are turned around, and keep their text" {
	build >big <<-'END'
		header big
		round hex=50504e4f5445310000000001000000000000000100000002616263000000
		attr id=1
		sample time=1000
	END
	build >little <<-'END'
		header
		round hex=50504e4f5445310001000000000000000100000002000000616263000000
		attr id=1
		sample time=1000
	END
	run -0 --separate-stderr pp-decompress -i big -o out
	[ -z "$stderr" ]
	same_bytes little out
}

@test "every cut of a big-endian stream ends in status 0 or 3" {
	twins <<-'END'
		header
		attr id=1
		comm pid=7 comm=nginx
		sample pid=7 time=1000
		auxtrace bytes=24
		round
	END
	perl "$TESTS/variants.pl" big 1 '$n >= 16 ? substr $in, 0, $n : undef' pp-decompress -i changed -o out >got
	[ "$(awk '$2 != 0 && $2 != 3' got)" = "" ]
	[ "$(wc -l <got)" -gt 20 ]
}

@test "a real stream of a ppc64 machine has its samples" {
	corpus big-endian/perf.data.piped.powerpc.no-google-hdr
	local in=$CORPUS/big-endian/perf.data.piped.powerpc.no-google-hdr
	run -0 pp-decompress -i "$in" -o out
	records -s out >samples
	[ "$(wc -l <samples)" -eq 9997 ]
	need_perf
	! too_strict "$in" || skip "perf here refuses BUILD_ID records that are not aligned"
	perf_quiet script -i out >printed
	[ "$(wc -l <printed)" -eq 9997 ]
}

@test "a dialect that gives known types another meaning has its samples too" {
	corpus big-endian/perf.data.piped.powerpc
	run -0 pp-decompress -i "$CORPUS/big-endian/perf.data.piped.powerpc" -o out
	[ "$(records -s out | wc -l)" -eq 9997 ]
}
