# damage.bats - pp-check of streams that are cut, altered or followed by another: of a sealed one
# each cut and each changed byte is found.

setup() {
	load ../../helper
	load check
}

# each STEP CODE [COMMAND...]: `N STATUS` a line for each N from the length of ./in down, by STEP
# bytes, where CODE makes of $in and $n what pp-check is given (variants.pl)
each() {
	local step=$1 code=$2
	shift 2
	[ $# -gt 0 ] || set -- pp-check -q changed
	perl "$TESTS/variants.pl" in "$step" "$code" "$@" | cut -d' ' -f1,2
}
cuts() { each "$1" 'substr $in, 0, $n'; }
flips() { each "$1" '$n < length $in ? substr($in, 0, $n) . chr(ord(substr $in, $n, 1) ^ (1 << $n % 8)) . substr($in, $n + 1) : $in'; }

@test "a stream that is cut is sound at the end of a record and nowhere else" {
	few >in
	cuts 1 >got
	{ records in | awk 'NR > 1 { print $1 }'; stat -c %s in; } >ends
	awk 'NR == FNR { ends[$1]; next } { print $1, $1 in ends ? 0 : 3 }' ends got >expected
	diff expected got
}

@test "a sealed stream that is cut anywhere is not sound" {
	few | pp-decompress --seal >in
	run -0 pp-check in
	size=$(stat -c %s in)
	cuts 1 | awk '$2 != 3 { print $1 }' >got
	assert_equal "$(cat got)" "$size"
}

@test "a sealed stream of which any byte was changed is not sound" {
	few | pp-decompress --seal >in
	flips 1 | awk '$1 != size && $2 != 3' size="$(stat -c %s in)" >got
	[ ! -s got ]
}

@test "the same, compressed" {
	with | pp-compress --seal >in
	run -0 pp-check in
	assert_output --partial ", 2 samples"
	cuts 3 | awk '$2 != 3 { print $1 }' >got
	assert_equal "$(cat got)" "$(stat -c %s in)"
}

@test "no changed byte of an unsealed stream ends it otherwise than with 0 or 3" {
	few >in
	flips 3 | awk '$2 != 0 && $2 != 3' >got
	[ ! -s got ]
}

@test "bytes after the last seal are a fault" {
	with | pp-decompress --seal >in
	with >second
	tail -c 8 second >>in
	faults seal "bytes follow the last seal"
}

@test "bytes behind the last record are a fault" {
	with >in
	printf x >>in
	faults cut "need 8 bytes, have 1"
	with >in
	with >>in
	faults value "another stream begins here"
}

@test "a sealed stream rewritten by a tool that does not know seals is not sound" {
	with | pp-decompress --seal >sealed
	records sealed | awk '$2 == "SAMPLE" { print $1, $4; exit }' >where
	read -r at size <where
	{ head -c "$at" sealed; tail -c +$((at + size + 1)) sealed; } >in
	faults seal "a tool that does not know seals rewrote the stream"
	run -0 pp-check --no-verify in
	assert_output "sound: 7 records, 1 sample"
}

@test "what an earlier stage has met is a fault" {
	with 'bytes 0900000000000400' >in
	run -3 pp-filter -i in -o out
	cp out in
	faults seal "an earlier stage met damage"
}

@test "a stream that was damaged and one that was not are told apart to the end of a pipeline" {
	with >in
	head -c -1 in >cut
	run -3 bash -c 'pp-sort -i cut 2>sort.err | pp-filter 2>filter.err | pp-check'
	run -0 bash -c 'pp-sort -i in | pp-filter | pp-check'
}

@test "every finding of damaged inputs is JSON" {
	build <"$TESTS/streams/every.txt" >in
	each 97 '$n > 16 && $n < $size ? substr($in, 0, $n) . (substr($in, $n, 1) ^ chr($n % 9 * 16 + 1)) . substr($in, $n + 1) : undef' \
		pp-check --json changed >got
	[ "$(awk '$2 != 0 && $2 != 3' got)" = "" ]
	# each said one verdict, that of its status, in lines that are JSON
	jq -r 'select(.verdict) | .verdict' said >verdicts
	awk '{ print $2 == 0 ? "sound" : "not sound" }' got | diff - verdicts
	grep -q '^not' verdicts
}

@test "inputs that crashed other readers end in 0 or 3" {
	corpus fuzz
	for file in "$CORPUS"/fuzz/*; do
		echo "$file"
		run timeout 60 pp-check --json --max 1000 "$file"
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "a stream that follows another is no record, however much is read at once" {
	pp-gen --samples 3000 --no-seal -o one
	pp-gen --samples 3000 -o sealed
	for file in one sealed; do
		cat $file one >in
		for size in 16 5000 70000; do
			run -3 bash -c "perl '$TESTS/trickle.pl' in $size | pp-check -q 2>&1"
			[[ "$output" == *"at byte $(stat -c %s $file): "*"another stream begins here, which is not read: pp-merge combines several" ]]
		done
		run -3 pp-check in
		[[ "$output" == *"not sound: 1 fault in "*" 3000 samples"* ]]
		run -3 --separate-stderr pp-sort -i in -o out
		[ "$(records -s out | wc -l)" -eq 3000 ]
	done
}
