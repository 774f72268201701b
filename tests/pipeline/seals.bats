#!/usr/bin/env bats
# seals.bats - sealed rounds: what a stream owes whoever reads it, and what they find out.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

plain() {
	build <<-'END'
		header
		attr id=1
		comm pid=7 comm=nginx
		repeat 3 {
		sample pid=7 time=$(i*100+1000)
		sample pid=8 time=$(i*100+1050)
		round
		}
		sample pid=7 time=2000
	END
}

sealed() { plain | pp-decompress --seal; }

# seals FILE: number, bytes covered, distance found and flags of each seal, by a walk of its own
seals() {
	perl -e '
		local $/;
		my $s = <STDIN>;
		my ($at, $last) = (16, 0);
		while ($at < length $s) {
			my ($type, $misc, $size) = unpack "VvV", substr($s, $at, 6) . substr($s, $at + 6, 2) . "\0\0";
			if ($type == 68 && $size == 48 && substr($s, $at + 8, 8) eq "PPSEAL1\0") {
				my ($number, $bytes, $hash, $flags) = unpack "QQQV", substr $s, $at + 16, 28;
				printf "%d %d %d %d\n", $number, $bytes, $at - $last, $flags;
				$last = $at + $size;
			}
			$at += $size;
		}' <"$1"
}

# flip FILE BYTE: the file with one bit of this byte turned
flip() {
	perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0], 1) ^= "\x10"; print' "$2" <"$1"
}

# the value of the seal that stands last
last_flags() { seals "$1" | tail -n 1 | cut -d' ' -f4; }

@test "a sealed stream is what the definition says, down to the hashes" {
	printf 'header\ninit\n' | build >in
	pp-decompress --seal -i in >once
	# the same from a sealed input, so that nothing before is known to be unsealed; the hashes
	# were computed by another program
	build >expected <<-'END'
		header
		record 68 0 50505345414c310000000000000000001000000000000000232d909e2f873ebb0000000000000000
		init
		record 68 0 50505345414c310001000000000000000800000000000000217df0d8c5e94d590100000000000000
	END
	run -0 pp-decompress -i expected -o out
	same_bytes expected out
	cmp -n 64 once expected
}

@test "seal 0 comes first, END last, and every round between is a seal" {
	sealed >out
	[ "$(head -c 18 out | tail -c 2 | od -An -tx1 | tr -d ' ')" = 4400 ]
	[ "$(seals out | wc -l)" -eq 5 ]
	[ "$(seals out | cut -d' ' -f1 | tr '\n' ' ')" = "0 1 2 3 4 " ]
	[ "$(seals out | awk '$2 != $3' | wc -l)" -eq 0 ]
	[ "$(records out | tail -n 1 | cut -d' ' -f2,4)" = "FINISHED_ROUND 48" ]
	[ "$(records out | grep -c 'FINISHED_ROUND 0 8 ')" -eq 0 ]
}

@test "a stream without rounds gets seal 0 and END alone" {
	printf 'header\nattr id=1\nsample time=5\n' | build | pp-decompress --seal >out
	[ "$(seals out | wc -l)" -eq 2 ]
	[ "$(last_flags out)" -eq 3 ]
}

@test "what was unsealed before is told by a flag, and stays told" {
	sealed >out
	[ "$(last_flags out)" -eq 3 ]
	pp-decompress -i out >again
	[ "$(last_flags again)" -eq 3 ]
}

@test "a sealed stream passes unchanged, however it is cut into pieces" {
	sealed >in
	pp-decompress -i in >out
	same_bytes in out
	trickle in 1 | pp-decompress >out
	same_bytes in out
	trickle in 61 | pp-decompress >out
	same_bytes in out
}

@test "a long sealed stream passes unchanged, and what is left out of it is left out of its seals" {
	pp-gen --samples 60000 --rounds 70 >in
	[ "$(stat -c %s in)" -gt $((3 << 20)) ]
	for command in pp-cat pp-decompress "pp-filter 'pid > 1'"; do
		bash -c "$command <in >out"
		same_bytes in out
	done
	# all that is left out comes late, and a seal after it
	pp-filter --drop COMM 'time < 1020s || time > 1021s' <in >less
	[ "$(stat -c %s less)" -lt "$(stat -c %s in)" ]
	run -0 --separate-stderr pp-check less
	[ -z "$stderr" ]
	pp-filter --no-seal --drop COMM 'time < 1020s || time > 1021s' <in >less2
	pp-decompress --no-seal <less >out
	same_bytes less2 out
}

@test "no seal that is wrong, or was made otherwise than here, is passed on as it is" {
	pp-gen --samples 30000 --rounds 50 >in
	# a byte of a sample; the number, the bytes, the hash, zeroes of a seal; the misc of its header
	local at
	at=$(records in | awk '$4 == 48 && ++n == 40 { print $1; exit }')
	for byte in $((at - 20)) $((at + 17)) $((at + 25)) $((at + 33)) $((at + 45)) $((at + 5)); do
		flip in "$byte" >changed
		run -3 --separate-stderr pp-cat -o out changed
		[[ "$stderr" == *"the stream was altered: seal 39 "* ]]
		run -3 --separate-stderr pp-cat -o out2 out
		[[ "$stderr" == *"damaged before it came here"* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		same_bytes out out2
	done
}

@test "without its seals a stream is what it was before" {
	plain >in
	pp-decompress --seal -i in | pp-decompress --no-seal >out
	same_bytes in out
	pp-decompress --seal -i in | pp-decompress --no-verify >out
	same_bytes in out
}

@test "recorded streams come through sealing and unsealing" {
	for in in "$TESTS"/streams/*.pipe; do
		pp-decompress -i "$in" >plain
		pp-decompress --seal -i "$in" >sealed
		pp-decompress -i sealed >passed
		same_bytes sealed passed
		pp-decompress --no-seal -i sealed >out
		same_bytes plain out
	done
}

@test "perf prints the same of a sealed stream" {
	need_perf
	for in in plain tracepoint switch group; do
		perf_quiet script -i "$TESTS/streams/$in.pipe" >expected
		pp-decompress --seal -i "$TESTS/streams/$in.pipe" >sealed
		perf_quiet script -i sealed >got
		[ -s expected ]
		same_bytes expected got
	done
}

@test "a sealed stream that stops before END is cut, though every record is whole" {
	sealed >in
	records in >list
	[ "$(wc -l <list)" -gt 10 ]
	# behind seal 0 it shows itself; the last line is the END seal
	for at in $(tail -n +3 list | cut -d' ' -f1); do
		head -c "$at" in >cut
		run -3 --separate-stderr pp-decompress -i cut -o out
		[[ "$stderr" =~ "at byte $at: the stream is cut" ]]
		# what was good is there, and the next stage learns of it
		cmp -n "$at" in out
		run -3 --separate-stderr pp-decompress -i out -o out2
		[[ "$stderr" =~ "damaged before it came here" ]]
	done
}

@test "every changed byte of a sealed stream is met" {
	sealed >in
	# all of the last two seals, and every fifth byte of the rest
	perl "$TESTS/variants.pl" in 1 '
		return unless $n < $size && ($n >= $size - 200 || $n % 5 == 0);
		substr($in, $n, 1) ^= "\x10";
		$in' pp-decompress -i changed -o out >got
	[ "$(awk '$2 != 3 || !$4' got)" = "" ]
	[ "$(wc -l <got)" -gt 20 ]
}

@test "a changed byte is told with the seal that found it, and the rest is still delivered" {
	sealed >in
	# a byte of the sample before the second seal
	at=$(records in | awk '$2 == "SAMPLE" { at = $1 } $4 == 48 && at { print at + 20; exit }')
	flip in "$at" >changed
	run -3 --separate-stderr pp-decompress -i changed -o out
	[[ "$stderr" =~ "(FINISHED_ROUND): the stream was altered: seal 1 " ]]
	[ "$(records out | grep -c SAMPLE)" -eq "$(records in | grep -c SAMPLE)" ]
	[ "$(last_flags out)" -eq 7 ]
}

@test "a seal that was taken out is missed" {
	sealed >in
	perl -e 'local $/; $_ = <STDIN>; my $n = 0; s/D\0{5}0\0PPSEAL1\0.{32}/++$n == 3 ? "" : $&/gse; print' <in >less
	[ "$(seals less | wc -l)" -eq 4 ]
	run -3 --separate-stderr pp-decompress -i less -o out
	[[ "$stderr" =~ "seal 2 is missing" ]]
}

@test "bytes after the last seal are damage" {
	sealed >in
	printf 'init\n' | build >more
	cat in more >long
	run -3 --separate-stderr pp-decompress -i long -o out
	[[ "$stderr" =~ "at byte $(stat -c %s in): the stream was altered: bytes follow the last seal" ]]
	[ "$(records out | grep -c FINISHED_INIT)" -eq 1 ]
	# samples are read otherwise, where they come many at a time
	read -r at size < <(records in | awk '$2 == "SAMPLE" { print $1, $4; exit }')
	tail -c +$((at + 1)) in | head -c "$size" | cat in - >long
	run -3 --separate-stderr pp-cat -i long -o out
	[[ "$stderr" =~ "at byte $(stat -c %s in): the stream was altered: bytes follow the last seal" ]]
	[ "$(records out | grep -c SAMPLE)" -eq $(($(records in | grep -c SAMPLE) + 1)) ]
}

@test "a stream rewritten by a tool that does not know seals goes on as unsealed" {
	sealed >in
	# a record more, whose bytes no seal knows of
	printf 'init\n' | build >more
	at=$(records in | awk '$2 == "SAMPLE" { print $1; exit }')
	{ head -c "$at" in; cat more; tail -c +$((at + 1)) in; } >rewritten
	run -0 --separate-stderr pp-decompress -i rewritten -o out
	[ "$(grep -c 'rewrote the stream' <<<"$stderr")" -eq 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ "$(records out | grep -c FINISHED_INIT)" -eq 1 ]
}

@test "perf inject rewrites a sealed stream, which is said once" {
	need_perf
	pp-decompress --seal -i "$TESTS/streams/plain.pipe" >in
	perf inject -b <in >injected 2>perf.err
	run -0 --separate-stderr pp-decompress -i injected -o out
	[ "$(grep -c 'rewrote the stream' <<<"$stderr")" -eq 1 ]
	perf_quiet script -i "$TESTS/streams/plain.pipe" >expected
	perf_quiet script -i out >got
	same_bytes expected got
}

@test "--no-verify looks at no seal" {
	sealed >in
	flip in 400 >changed
	run -0 --separate-stderr pp-decompress --no-verify -i changed -o out
	[ -z "$stderr" ]
	[ "$(seals out | wc -l)" -eq 0 ]
	head -c -48 in >cut
	run -0 pp-decompress --no-verify -i cut -o out
}

@test "--seal and --no-seal exclude each other" {
	plain >in
	run -2 --separate-stderr pp-decompress --seal --no-seal -i in
}

@test "damage travels down a pipeline of unsealed streams" {
	plain >in
	head -c -4 in >cut
	run -3 --separate-stderr bash -c 'pp-decompress <cut | pp-compress | pp-decompress >out'
	[ "$(grep -c 'the stream ends inside a record' <<<"$stderr")" -eq 1 ]
	[ "$(grep -c 'damaged before it came here' <<<"$stderr")" -eq 2 ]
	# what comes after the whole records is one seal that vouches for nothing: END, UNSEALED, DAMAGED
	[ "$(seals out | wc -l)" -eq 1 ]
	[ "$(seals out | cut -d' ' -f1,2,4)" = "0 0 7" ]
	run -3 --separate-stderr pp-decompress --no-seal -i out -o out2
	[ "$(last_flags out2)" -eq 7 ]
}

@test "a changed byte in the seal that tells of damage is met" {
	plain | head -c -4 >cut
	run -3 pp-decompress -i cut -o out
	for back in 2 8 12 20 28; do
		flip out $(($(stat -c %s out) - back)) >changed
		run -3 pp-decompress -i changed -o out2
	done
}

@test "nothing may follow the seal that tells of damage" {
	plain | head -c -4 >cut
	run -3 pp-decompress -i cut -o out
	printf 'init\n' | build | cat out - >long
	run -3 --separate-stderr pp-decompress -i long -o out2
	[[ "$stderr" =~ "bytes follow the last seal" ]]
}

@test "notes pass, and are no rounds" {
	# one note: a key of 1 byte and a value of 2
	build >in <<-'END'
		header
		round hex=50504e4f5445310001000000000000000100000002000000616263000000
		attr id=1
		sample time=1000
		round
		sample time=2000
	END
	pp-decompress -i in >out
	same_bytes in out
	pp-decompress --seal -i in >sealed
	[ "$(seals sealed | wc -l)" -eq 3 ]
	[ "$(grep -ac PPNOTE1 sealed)" -eq 1 ]
	pp-decompress --no-seal -i sealed >out
	same_bytes in out
}

@test "what else rides in a round passes" {
	printf 'header\nattr id=1\nsample time=1\nround hex=0102030405060708\n' | build >in
	pp-decompress -i in >out
	same_bytes in out
	pp-decompress --seal -i in | pp-decompress --no-seal >out
	same_bytes in out
}

@test "tails and compressed records are under seal as they stand" {
	build >in <<-'END'
		header
		attr id=1
		tracing bytes=100000
		sample time=1000
		round
		auxtrace bytes=3000
		sample time=2000
		round
	END
	pp-decompress --seal -i in >sealed
	pp-decompress -i sealed >out
	same_bytes sealed out
	flip sealed 60000 >changed
	run -3 --separate-stderr pp-decompress -i changed -o out
	[[ "$stderr" =~ "seal 1 does not match the bytes" ]]
	pp-compress -i sealed >z
	pp-decompress -i z >out
	same_bytes sealed out
	flip z $(($(stat -c %s z) - 60)) >changed
	run -3 --separate-stderr pp-decompress -i changed -o out
	[[ "$stderr" =~ "the stream was altered" ]]
}

# bats test_tags=nightly
@test "what perf inject --mmap2-buildid-all changes in place is told with its cure, which works" {
	need_perf_events
	need_newer_perf 6.12
	perf_quiet record -q -o - -e cpu-clock -- "${WORK[@]}" | pp-cat --seal >in
	"$(newer_perf 6.12)" inject --mmap2-buildid-all -i - -o - <in >out 2>perf.err
	[ "$(stat -c %s in)" -eq "$(stat -c %s out)" ]
	run -3 --separate-stderr pp-check -q out
	[[ "$stderr" == *"perf inject --mmap2-buildid-all changes them too; --no-verify ignores seals"* ]]
	run -0 --separate-stderr pp-sort --no-verify -i out -o sorted
	[ -z "$stderr" ]
	pp-cat --no-verify --seal out | pp-check
	# a build-id is there, and pp-inject -b adds one to a sealed stream without breaking a seal
	[ "$(json out 2>/dev/null | jq -c 'select(.type == "MMAP2" and .fields.build_id)' | wc -l)" -gt 0 ]
	pp-inject -b -i in | pp-check
}

@test "a map that was changed in place is met, whatever it was changed to" {
	build <<-'END' | pp-cat --seal >in
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=7 start=0x10000 len=0x10000 file=/bin/x maj=8 min=1 ino=5 time=1
		sample pid=7 ip=0x10010 time=2
		round
	END
	perl -e 'local $/; $_ = <STDIN>; my $at = index($_, "/bin/x") - 32; substr($_, $at, 24) = pack("C4 a20", 20, 0, 0, 0, "i" x 20);
		print' <in >changed
	! cmp -s in changed
	run -3 pp-check -q changed
}
