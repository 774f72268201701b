# mend.bats - pp-mend: what is sound passes as it is, and of what is damaged all that stands outside
# the damage arrives, in a stream that pp-check finds sound.

setup() { load ../helper; }

# mends STATUS [WORD...]: ./in becomes ./out with this status, which pp-check finds sound
mends() {
	local status=$1
	shift
	run "-$status" --separate-stderr pp-mend -i in -o out "$@"
	echo "$stderr"
	pp-check -q out
}

# passes FILE: it leaves as it came
passes() {
	echo "$1"
	pp-mend -i "$1" -o passed
	same_bytes "$1" passed
}

# outside FROM SIZE: samples of ./whole that do not touch these bytes, and how many of them are not
# in ./out, by a reader that is not ours
outside() {
	perl -I"$TESTS/oracle" -MRecords -e '
		my ($from, $size) = @ARGV;
		my $out = Records->open("out");
		my %have;
		while (my $r = $out->next) { $have{$r->{bytes}}++ if $r->{type} == 9 }
		my $whole = Records->open("whole");
		my ($all, $lost) = (0, 0);
		while (my $r = $whole->next) {
			next if $r->{type} != 9;
			next if $r->{offset} < $from + $size && $r->{offset} + $r->{size} > $from;
			$all++;
			$lost++ if !$have{$r->{bytes}}--;
		}
		print "$all $lost\n"' "$@"
}

# damaged KIND SIZE PLACE: ./whole with this, as ./in
damaged() { pp-gen -i whole "--$1=$2@$3" -o in; }

# arrives FROM SIZE: but for a sample that stands at either end of the damage all of them do
arrives() {
	local all lost
	read -r all lost <<<"$(outside "$@")"
	echo "of $all samples outside $lost are lost"
	[ "$all" -gt 1000 ]
	[ "$lost" -le 1 ]
}

# promise FILE: `offset size` of the feature COMPRESSED
promise() { pp-dump --raw --json -i "$1" | jq -r 'select(.feature == "COMPRESSED") | "\(.offset) \(.size)"'; }

# places: ten of them in ./whole, behind what stands at its beginning
places() { perl -e '$n = -s "whole"; print int(16000 + ($n - 26000) * ($_ * 0.0911 + 0.007)), "\n" for 0 .. 9'; }

shapes() {
	printf '%s\n' '' '--no-seal' '--events=3 --callchain=12 --cpus=8 --disorder=2ms' \
		'--tracepoints=2 --stack=200 --no-seal' '--big-endian --forks=2 --exits=2 --lost=3' \
		'-z' '--rounds=0 --samples=500' '--samples=0'
}

@test "sound streams of any shape pass unchanged" {
	shapes >list
	while read -r shape; do
		# shellcheck disable=SC2086
		pp-gen --samples 2000 $shape -o whole
		passes whole
	done <list
}

@test "the recorded streams, and one of every record in either order, pass unchanged" {
	for file in "$TESTS"/streams/*.pipe; do
		passes "$file"
	done
	for text in every newer; do
		build <"$TESTS/streams/$text.txt" >whole
		passes whole
		sed 's/^header$/header big/' "$TESTS/streams/$text.txt" | build >whole
		passes whole
	done
}

@test "records of unknown types, tails and odd sizes pass unchanged" {
	build >whole <<-'END'
		header
		attr id=1
		record 113 5 00112233445566778899
		record 40000 0 0011
		feature 200 hex 010203
		tracing bytes=13 exact
		auxtrace bytes=200000
		sample pid=7 time=1000
		sample pid=7 time=99999999999999
		round
		sample pid=7 time=999999999999999
		record 113 5 00112233445566778899
	END
	passes whole
	pp-compress -i whole -o z
	passes z
	pp-decompress --seal -i z -o sealed
	passes sealed
	pp-compress --format=2 -i whole -o z
	passes z
}

@test "a stream that comes in pieces, through a pipe, passes unchanged" {
	pp-gen --samples 3000 -o whole
	trickle whole 777 | pp-mend >out
	same_bytes whole out
}

@test "what is made of a damaged stream does not depend on the pieces in which it comes" {
	for shape in '--cpus=8 --events=3' '--cpus=8 --no-seal' '-z --cpus=8'; do
		# shellcheck disable=SC2086
		pp-gen --samples 6000 $shape -o whole
		pp-gen -i whole --zero=3000@20000 -o once
		pp-gen -i once --insert=64@40000 -o in
		mends 3
		for size in 777 30100; do
			run -3 bash -c "perl '$TESTS/trickle.pl' in $size | pp-mend -q >other"
			same_bytes out other
		done
	done
}

@test "streams and files of the corpus that are sound pass unchanged" {
	corpus perf-6.1
	local file
	for file in "$CORPUS"/{perf-*,big-endian,quipper,linux-*,v1,simpleperf}/*; do
		[ -f "$file" ] && pp-check -q "$file" 2>/dev/null || continue
		[[ $file == */killed.data ]] || passes "$file"
	done
}

@test "where 64 bytes were inserted all samples beside them arrive" {
	pp-gen --samples 2000 -o whole
	for at in $(places); do
		damaged insert 64 "$at"
		mends 3
		arrives "$at" 0
	done
}

@test "where 4 KiB are zero all samples outside arrive" {
	pp-gen --samples 2000 --events 2 --callchain 6 -o whole
	for at in $(places); do
		damaged zero 4k "$at"
		mends 3
		arrives "$at" 4096
	done
}

@test "where bytes are missing all samples outside arrive, sealed or not, in either order" {
	for shape in --seed=1 --no-seal --big-endian; do
		pp-gen --samples 2000 "$shape" -o whole
		for at in $(places); do
			damaged drop 10001 "$at"
			mends 3
			arrives "$at" 10001
		done
	done
}

@test "of a hole of 1 MB in a large stream all outside arrives, in little memory" {
	pp-gen --samples 100000 -o whole
	damaged drop 1m 2000001
	(
		[[ $BIN == *address* ]] || ulimit -v 120000
		pp-mend -i in -o out || [ "$?" -eq 3 ]
	)
	pp-check -q out
	arrives 2000001 1048576
	damaged zero 1m 3000001
	mends 3
	arrives 3000001 1048576
}

@test "whatever is changed, what is mended is sound" {
	shapes | sed 's/^$/--seed=2/' >list
	while read -r shape; do
		# shellcheck disable=SC2086
		pp-gen --samples 1000 $shape -o whole
		for seed in 1 2 3 4 5 6 7 8; do
			for damage in --damage --flip=3e-4; do
				echo "$shape: $damage $seed"
				pp-gen -i whole "$damage" --seed "$seed" -o in
				pp-mend -q -i in -o out 2>/dev/null || [ "$?" -eq 3 ]
				pp-check -q out || [ ! -s whole ] || [ "$(records out | wc -l)" -eq 0 ]
			done
		done
	done <list
}

@test "tracing data in front of all events, which no reader takes for any, do not leave" {
	for bytes in 0 16; do
		build >in <<-END
			header
			tracing bytes=$bytes exact
			attr id=1
			attr id=2
			sample pid=7 time=1000
		END
		mends 3
		[ "$(records out | grep -c TRACING)" -eq 0 ]
		[ "$(records -s out | wc -l)" -eq 1 ]
	done
}

@test "a time that cannot be loses its sample only" {
	{
		echo header
		echo 'attr id=1'
		for round in 1 2 3 4 5 6; do
			for i in 1 2 3 4 5 6 7 8 9; do
				echo "sample pid=7 time=$((round * 1000000 + i * 10000)) ip=0x1000"
			done
			[ "$round" -ne 2 ] || echo 'sample pid=7 time=0x4000000000000000 ip=0x2000'
			[ "$round" -ne 5 ] || echo 'sample pid=7 time=5 ip=0x3000'
			echo round
		done
	} | build >in
	run -3 pp-check -q in
	mends 3
	[ "$(json out | grep -c '"type":"SAMPLE"')" -eq 54 ]
	[ "$(json out | grep -c '"type":"LOST"')" -eq 2 ]
	[[ "$stderr" =~ "(SAMPLE): its time is impossible, about 1 sample" ]]
	[[ "$stderr" =~ "(SAMPLE): it is older than what a round released, about 1 sample" ]]
}

@test "what is lost is told on standard error, by LOST records and by a note" {
	pp-gen --samples 2000 -o whole
	damaged zero 4096 50000
	mends 3
	[[ "$stderr" =~ "pp-mend: in: bytes "[0-9]+" to "[0-9]+.*", about 7"[0-9]" samples" ]]
	[[ "$stderr" =~ "pp-mend: in: 1 place mended, 4"[0-9]+" bytes and about 7"[0-9]" samples lost, 19"[0-9]+" samples saved" ]]
	[ "$(json out | grep -c '"type":"LOST"')" -eq 1 ]
	[[ "$(json out | jq -r 'select(.type == "LOST") | .fields.lost')" =~ ^7[0-9]$ ]]
	grep -aqE 'mended(49|50)[0-9]{3}-5[45][0-9]{3}' out
	# quiet: the sums only
	mends 3 -q
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "a sealed stream tells how many bytes are missing" {
	pp-gen --samples 2000 -o whole
	damaged drop 5600 50000
	mends 3
	[[ "$stderr" =~ "bytes are missing somewhere, about 100 samples" ]]
	[ "$(json out | jq -s '[.[] | select(.type == "LOST") | .fields.lost] | add')" -ge 100 ]
}

@test "bytes that were altered inside a record are told, and the record stays" {
	pp-gen --samples 2000 -o whole
	at=$(records -s whole | sed -n 1000p | cut -d' ' -f1)
	perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0], 1) ^= "\x01"; print' "$((at + 50))" <whole >in
	mends 3
	[[ "$stderr" =~ ": altered somewhere" ]]
	[ "$(records -s out | wc -l)" -eq 2000 ]
}

@test "a cut stream loses its last record and is ended" {
	pp-gen --samples 2000 -o whole
	for n in 115000 90001 70013; do
		head -c "$n" whole >in
		mends 3
		arrives "$n" 1000000
		[[ "$stderr" =~ "its end is missing" ]]
	done
	pp-gen --samples 2000 --no-seal -o whole
	head -c 70001 whole >in
	mends 3
	arrives 70001 1000000
	# at the end of a record an unsealed stream looks whole
	head -c "$(records whole | sed -n 1000p | cut -d' ' -f1)" whole >in
	mends 0
	same_bytes in out
}

@test "what follows the last seal is left out" {
	pp-gen --samples 2000 -o whole
	{ cat whole; echo '[ perf record: Woken up 1 times to write data ]'; } >in
	mends 3
	[[ "$stderr" =~ "bytes after the last seal" ]]
	arrives "$(stat -c %s whole)" 0
	pp-gen --samples 2000 --no-seal -o whole
	{ cat whole; echo '[ perf record: Woken up 1 times to write data ]'; } >in
	mends 3
	arrives "$(stat -c %s whole)" 0
}

@test "a stream that a stage before called damaged is sound again, and status 3 says it was not" {
	pp-gen --samples 100 --no-seal -o whole
	head -c -7 whole >cut
	run -3 pp-sort -i cut -o in
	run -3 pp-check -q in
	mends 3
	[[ "$stderr" =~ "damaged before it came here" ]]
	run -0 pp-sort -i out -o sorted
}

@test "damage in compressed data is lost up to the next frame, and what follows arrives plain" {
	for first in 1 2; do
		{
			echo header
			echo 'attr id=1'
			echo 'feature COMPRESSED'
			for i in 1 2 3; do
				echo 'compressed {'
				echo 'repeat 100 {'
				echo "sample pid=7 time=\$(i*10+${i}0000) ip=0x1000"
				echo '}'
				echo '}'
				echo round
			done
		} | build >in
		# the beginning of that frame
		at=$(records in | awk -v n="$first" '$2 == "COMPRESSED" && ++k == n { print $1 + 8 }')
		perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0], 20) = "\xff" x 20; print' "$at" <in >damaged
		mv damaged in
		mends 3
		[[ "$stderr" =~ "(COMPRESSED): cannot be expanded" ]]
		[ "$(json out | grep -c '"type":"SAMPLE"')" -ge 200 ]
		[ "$(json out | grep -c '"type":"FINISHED_ROUND"')" -ge 3 ]
		# the feature stands there if anything is compressed
		[ "$(records out | grep -c COMPRESSED)" -eq "$(promise out | wc -l)" ]
	done
}

@test "where the feature COMPRESSED is lost, what is compressed leaves plain" {
	for order in '' --big-endian; do
		# shellcheck disable=SC2086
		pp-gen -z --samples 2000 $order -o whole
		read -r at size <<<"$(promise whole)"
		damaged zero "$size" "$at"
		mends 3
		pp-check -q --strict out
		[ "$(records -s out | wc -l)" -eq 2000 ]
	done
	# a file has its features at the end
	pp-gen -z --samples 2000 | pp-save -o whole
	head -c -40 whole >in
	mends 3
	[ "$(records -s out | wc -l)" -eq 2000 ]
}

@test "the note of what was mended stands where notes may" {
	for shape in --seed=1 --no-seal; do
		pp-gen --samples 2000 "$shape" -o whole
		damaged zero 4096 50000
		mends 3
		# once more: it stays
		cp out whole
		damaged zero 4096 80000
		mends 3
		[ "$(grep -a -o mended out | wc -l)" -eq 2 ]
		run -0 pp-check out
		[[ ! "$output" =~ "it is neither at the beginning" ]]
	done
}

@test "a compressed record that ends inside a record does not keep those before it from arriving" {
	build >in <<-'END'
		header
		attr id=1
		feature COMPRESSED
		compressed split=40 {
		repeat 50 {
		sample pid=7 time=$(i*10+1000) ip=0x1000
		}
		bytes 0900000002004000aabb
		}
		round
	END
	run -3 pp-check -q in
	mends 3
	[ "$(json out | grep -c '"type":"SAMPLE"')" -eq 50 ]
}

@test "chains of COMPRESSED2 with the sizes that perf 6.16 gave them are put right, and nothing is lost" {
	build >plain <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER
	END
	size=$(stat -c %s plain)
	perl -e 'srand 1; for my $i (0 .. 59) { printf "sample pid=7 time=%d ip=0x1000 raw=%s\n", 1000 + $i,
		join "", map { sprintf "%02x", rand 256 } 1 .. 4004 }' >samples
	{ echo header; echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER'; cat samples; } | build >whole
	need zstd
	tail -c +$((size + 1)) whole | zstd -q -c --no-check >frame
	bad_chain <frame >chain
	printf 'round\n' | build >round
	cat plain chain round >in
	mends 0
	[[ "$stderr" =~ "COMPRESSED2 records of perf 6.16 to 7.1 put right" ]]
	# each of them by itself is as it should be now
	records out | awk '$2 == "COMPRESSED2" { n++; bad += $4 % 8 } END { exit !(n > 3 && !bad) }'
	pp-decompress -i out -o expanded
	cmp -n "$(stat -c %s whole)" whole expanded
}

@test "what a file lost is estimated by what it holds, although it is read twice" {
	pp-gen --samples 2000 --no-seal | pp-save -o whole
	damaged zero 4000 20000
	run -3 --separate-stderr pp-mend in -o out
	[[ "$stderr" =~ "1 place mended, 4"[0-9]+" bytes and about 7"[0-9]" samples lost, 19"[0-9]+" samples saved" ]]
	[[ "$(json out | jq -r 'select(.type == "LOST") | .fields.lost')" =~ ^7[0-9]$ ]]
}

@test "the note of what was mended names every place, the last one too" {
	pp-gen --samples 2000 --no-seal -o whole
	head -c 70001 whole >in
	mends 3
	local cut
	cut=$(records whole | awk '$1 < 70001 { at = $1 } END { print at }')
	run -0 pp-info --note mended out
	assert_output "$cut-70001"
}

@test "a killed recording becomes a stream, and a cut file too" {
	pp-gen --samples 2000 --no-seal | pp-save -o whole.data
	passes whole.data
	# killed: the size of the data is not there yet
	perl -e 'local $/; $_ = <STDIN>; substr($_, 48, 8) = pack "Q", 0; print' <whole.data >in
	pp-mend in -o out 2>err || [ "$?" -eq 3 ]
	cat err
	pp-check -q out
	[ "$(json out | grep -c '"type":"SAMPLE"')" -eq 2000 ]
	head -c 70000 whole.data >in
	mends 3
	[ "$(json out | grep -c '"type":"SAMPLE"')" -ge 1000 ]
	# through a pipe
	# shellcheck disable=SC2002
	cat in | pp-mend >piped 2>/dev/null || [ "$?" -eq 3 ]
	same_bytes out piped
}

@test "the killed and the cut recordings of the corpus are mended" {
	corpus perf-6.1/killed.data
	local file
	for file in killed.data trunc.data trunc-midrecord.pipe.data bad.perf61-inject-noheader.pipe.data; do
		echo "$file"
		pp-mend -i "$CORPUS/perf-6.1/$file" -o out 2>err || [ "$?" -eq 3 ]
		cat err
		pp-check -q out
		[ -s err ]
	done
	for file in perf.data.piped.corrupted.zero_size_sample-3.2 perf.data.piped.extrabyte-3.4; do
		run -3 pp-mend -i "$CORPUS/quipper/$file" -o out
		pp-check -q out
	done
	for file in "$CORPUS"/fuzz/*; do
		pp-mend -q -i "$file" -o out 2>/dev/null || [ "$?" -eq 3 ]
	done
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
	[[ "$stderr" =~ ": 1 round restored" ]]
	[ "$(rounds_in out)" -eq 8 ]
	# a hole is seen by the times at its two ends
	perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0] + 4, $ARGV[1] - $ARGV[0] + 8) = ""; print' \
		"$(records -s whole | sed -n 45p | cut -d' ' -f1)" \
		"$(records -s whole | sed -n 67p | cut -d' ' -f1)" <whole >in
	mends 3
	[[ "$stderr" =~ ": 1 round restored" ]]
	# what is sealed tells how many there were
	pp-gen --samples 20000 --rounds 20 -o whole
	damaged zero 150000 300001
	mends 3
	[[ "$stderr" =~ ": 1 round restored" ]]
}

@test "no round is made that would not be true, or without need" {
	# nine samples lost in a round, whose others are older than what such a round would let go
	rounds_of 9 9 9 60 9 9 9 | build >whole
	blank 30 42
	mends 3
	[[ ! "$stderr" =~ "restored" ]]
	# without any sign that one was lost
	pp-gen --samples 20000 --no-seal -o whole
	damaged insert 64 500001
	mends 3
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

@test "a damaged file of simpleperf becomes a stream, its own records left out" {
	corpus simpleperf/perf_with_tracepoint_event.data
	local file samples
	for file in "$CORPUS"/simpleperf/*; do
		samples=$(json "$file" | grep -c '"type":"SAMPLE"')
		head -c "$(($(stat -c %s "$file") * 9 / 10))" "$file" >in
		mends 3
		[ "$(json out | grep -c '"type":"SAMPLE"')" -le "$samples" ]
		[ "$(json out | grep -c '"type":"SAMPLE"')" -ge 1 ]
	done
}

@test "perf reads what is mended" {
	need_perf
	pp-gen --samples 2000 -o whole
	damaged zero 4096 50000
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq "$(records -s out | wc -l)" ]
	damaged insert 64 70003
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq "$(records -s out | wc -l)" ]
	# the feature that perf expands by
	pp-gen -z --samples 2000 -o whole
	damaged zero 32 "$(promise whole | cut -d' ' -f1)"
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq 2000 ]
}

@test "what is no stream is refused, and leaves an older output as it was" {
	echo kept >out
	echo 'no stream at all, but text' >in
	run -3 --separate-stderr pp-mend -i in -o out
	[[ "$stderr" =~ "pp-mend: in: not a perf stream: it is text" ]]
	[ "$(cat out)" = kept ]
	run -3 --separate-stderr pp-mend </dev/null
	[[ "$stderr" =~ "the input is empty" ]]
	run -4 --separate-stderr pp-mend -i none
	[[ "$stderr" =~ "pp-mend: none: cannot open: No such file or directory" ]]
	mkdir folder
	run -4 --separate-stderr pp-mend folder
	[[ "$stderr" =~ "pp-mend: folder: cannot read: Is a directory; pp-cat turns a folder" ]]
	run -2 --separate-stderr pp-mend -i in in
}

@test "an output that is full ends it" {
	[ -c /dev/full ] || skip "no /dev/full here"
	pp-gen --samples 2000 -o whole
	run -4 --separate-stderr bash -c 'pp-mend -i whole >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
}

# many FILE: a sound stream of which some megabytes have to be kept: events with thousands of ids
many() {
	perl -e '
		print "header\n";
		print "attr sample_type=IP,TID,TIME,IDENTIFIER name=event$_ id=",
			join(",", map { $_ + 1 } 7000 * $_ .. 7000 * $_ + 6999), "\n" for 0 .. 39;
		print "event_update id=", 7000 * $_ + 1, " name=", "n" x 60000, "\n" for 0 .. 39;
		print "repeat 2000 {\nsample pid=7 time=\$(i*10+1000) ip=0x1000 id=\$(i*100+1)\n}\nround\n"' | build >"$1"
}

@test "without memory a sound stream is never taken for a damaged one" {
	need prlimit
	[[ $BIN != *address* ]] || skip "a sanitizer needs more than any limit"
	many in
	pp-mend -i in -o whole
	same_bytes in whole
	local megabytes statuses=
	for ((megabytes = 3; megabytes < 48; megabytes++)); do
		rm -f out
		status=0
		prlimit --as=$((megabytes << 20)) pp-mend -i in -o out 2>err || status=$?
		# so little that not even the loader runs
		[ "$status" -ne 127 ] || continue
		statuses+="$status "
		echo "$megabytes MB: $status $(head -n 1 err)"
		case $status in
		0) same_bytes in out ;;
		4)
			[ ! -e out ]
			grep -q "memory" err
			;;
		*) false ;;
		esac
	done
	[[ $statuses == *"4 "*"0 " ]]
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

@test "where another stream begins the first one ends, and pp-merge is named" {
	for shape in --seed=1 --no-seal --big-endian; do
		pp-gen --samples 3000 $shape -o whole
		pp-split --seconds 0.03 -o 'part-%u' -i whole
		cat part-* >in
		first=$(stat -c %s part-0)
		run -3 pp-check -q in
		mends 3
		[[ "$stderr" == *"pp-mend: in: bytes $first to $(($(stat -c %s in) - 1)): another stream, which pp-merge can add to this one"* ]]
		[ "$(records -s out | wc -l)" -eq "$(records -s part-0 | wc -l)" ]
		[ "$(records out | grep -c LOST)" -eq 0 ]
		# that does, and loses nothing
		[ "$(pp-merge part-* | pp-info --json | jq .records.SAMPLE.count)" -eq 3000 ]
		# also where it stands behind damage
		{ head -c -100 part-0; head -c 100 /dev/zero; cat part-1; } >in
		mends 3
		[[ "$stderr" == *"another stream, which pp-merge can add"* ]]
		# whatever a window holds
		for size in 100 7001; do
			trickle in $size | pp-mend -q >other 2>/dev/null || [ "$?" -eq 3 ]
			same_bytes out other
		done
		rm part-*
	done
}
