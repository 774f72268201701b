# restored.bats - what pp-mend puts back: rounds, events by their descriptions, and attributes
# that come last.

setup() {
	load ../../helper
	load mend
}

# rounds_of N...: a stream of rounds with so many samples each; of another CPU's buffer, behind twenty
# in a round, they are from the round before
rounds_of() {
	local round=0 n i
	echo header
	echo 'attr id=1'
	for n in "$@"; do
		round=$((round + 1))
		for ((i = 1; i <= n; i++)); do
			echo "sample pid=7 time=$((round * 1000000 + i * 1000 - (i > 20 ? 1019000 : 0))) ip=0x1000"
		done
		echo round
	done
}

# blank FIRST LAST: the samples of ./whole with these numbers become zeros, and what is between, as ./in
blank() {
	local from to
	from=$(records -s whole | sed -n "$1p" | cut -d' ' -f1)
	to=$(records -s whole | sed -n "$(($2 + 1))p" | cut -d' ' -f1)
	pp-gen -i whole --zero="$((to - from))@$from" -o in
}

rounds_in() { json "$1" | jq -c 'select(.type == "FINISHED_ROUND" and .fields == {})' | wc -l; }

@test "where rounds were lost one is restored" {
	rounds_of 9 9 9 9 9 9 9 9 9 9 | build >whole
	[ "$(rounds_in whole)" -eq 10 ]
	# three of them stand in it
	blank 45 67
	mends 3
	sound out
	[[ "$stderr" =~ ": 1 round restored" ]]
	[ "$(rounds_in out)" -eq 8 ]
	# a hole is seen by the times at its two ends
	perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0] + 4, $ARGV[1] - $ARGV[0] + 8) = ""; print' \
		"$(records -s whole | sed -n 45p | cut -d' ' -f1)" \
		"$(records -s whole | sed -n 67p | cut -d' ' -f1)" <whole >in
	mends 3
	sound out
	[[ "$stderr" =~ ": 1 round restored" ]]
	# what is sealed tells how many there were
	pp-gen --samples 20000 --rounds 20 -o whole
	damaged zero 150000 300001
	mends 3
	sound out
	[[ "$stderr" =~ ": 1 round restored" ]]
}

@test "no round is made that would not be true, or without need" {
	# nine samples lost in a round, whose others are older than what such a round would let go
	rounds_of 9 9 9 60 9 9 9 | build >whole
	blank 30 42
	mends 3
	sound out
	[[ ! "$stderr" =~ "restored" ]]
	# without any sign that one was lost
	pp-gen --samples 20000 --no-seal -o whole
	damaged insert 64 500001
	mends 3
	sound out
	[[ ! "$stderr" =~ "restored" ]]
}

@test "an event whose attribute was lost is restored from EVENT_DESC" {
	for order in '' --big-endian; do
		# shellcheck disable=SC2086
		pp-gen --samples 2000 --events 3 --no-seal $order -o whole
		records whole | awk '$2 == "HEADER_ATTR" { print $1, $4 }' >attrs
		[ "$(wc -l <attrs)" -eq 3 ]
		while read -r at size; do
			damaged zero "$size" "$at"
			mends 3
			[[ "$stderr" =~ ": 1 event restored, as EVENT_DESC describes it" ]]
			[ "$(records -s out | wc -l)" -eq 2000 ]
			[ "$(json out | grep -c '"type":"HEADER_ATTR"')" -eq 3 ]
		done <attrs
	done
}

# late [FILE]: the stream with its attributes behind all else
late() {
	perl -e 'local $/; my $s = <STDIN>; my ($rest, $attrs) = (substr $s, 0, 16);
		my $v = $s =~ /^PERF/ ? "VvX6x6v" : "NnX6x6n";
		for (my $at = 16; $at < length $s;) {
			my ($type, undef, $size) = unpack $v, substr $s, $at, 8;
			($type == 64 ? $attrs : $rest) .= substr $s, $at, $size;
			$at += $size;
		}
		print $rest, $attrs' <"$1"
}

@test "attributes that come last are moved before what needs them, and all samples arrive" {
	for shape in --no-seal '--events=3 --callchain=12 --cpus=8 --no-seal' '--big-endian --no-seal'; do
		echo "$shape"
		# shellcheck disable=SC2086
		pp-gen --samples 2000 $shape -o whole
		# no feature stands between: the first record is one of the kernel
		perl -e 'local $/; my $s = <STDIN>; print substr $s, 0, 16;
			my $v = $s =~ /^PERF/ ? "VvX6x6v" : "NnX6x6n";
			for (my $at = 16; $at < length $s;) {
				my ($type, undef, $size) = unpack $v, substr $s, $at, 8;
				print substr $s, $at, $size if $type != 80 && $type != 78;
				$at += $size;
			}' <whole >bare
		late bare >in
		run -3 pp-check -q in
		mends 0
		[[ "$stderr" =~ " event attribute"s?" came last: moved before the records that need" ]]
		[ "$(records -s out | wc -l)" -eq 2000 ]
		diff <(records -s bare | cut -d' ' -f2-) <(records -s out | cut -d' ' -f2-)
		trickle in 30000 | pp-mend -q >other
		same_bytes out other
		# and what is damaged as well loses that only
		pp-gen -i in --zero=4096@60000 -o damaged
		mv damaged in
		mends 3
		[ "$(records -s out | wc -l)" -ge 1900 ]
	done
}

# bats test_tags=nightly
@test "what perf record --tail-synthesize and --overwrite write is read by perf once it is mended" {
	need_system_wide
	for option in --tail-synthesize --overwrite; do
		perf record -q $option -a -o - -e cpu-clock -F 499 -- "${WORK[@]}" >in 2>perf.err || skip "perf does not record $option here"
		[ "$(pp-dump --json -i in 2>/dev/null | grep -n HEADER_ATTR | head -n 1 | cut -d: -f1)" -gt 3 ] || skip "attributes come first here"
		samples=$(records -v in | grep -c ' SAMPLE ')
		[ "$samples" -gt 10 ]
		mends 0
		[ "$(records -s out | wc -l)" -eq "$samples" ]
		perf_quiet script -F time -i out >times
		[ "$(wc -l <times)" -eq "$samples" ]
	done
}
