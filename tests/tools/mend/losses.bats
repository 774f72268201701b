# losses.bats - what pp-mend could not save, and how it is reported: on standard error, by LOST
# records and by a note.

setup() {
	load ../../helper
	load mend
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
				echo "sample pid=7 time=$((round * 1000000000 + i * 10000000)) ip=0x1000"
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

# bats test_tags=T3-A15
@test "a sample that is a little late, or a little early, is not lost: only a time that is far off is damage" {
	for off in 22000 999999999 -22000 -999999999; do
		{
			echo header
			echo 'attr id=1'
			echo 'sample pid=7 time=9999990000'
			for round in 1 2 3 4 5 6; do
				echo "sample pid=7 time=$((10000000000 + round * 10000)) ip=0x1000"
				[ "$round" -ne 4 ] || echo "sample pid=7 time=$((10000020000 - off)) ip=0x2000"
				echo round
			done
		} | build >in
		echo "$off"
		passes in
		pp-sort -q -i in -o sorted
		passes sorted
	done
}

# bats test_tags=T3-A15
@test "a busy recording whose writer was late passes as it is, also once it is sorted" {
	found late.pipe.zst
	need zstd
	zstd -dq "$FOUND/late.pipe.zst" -o in
	passes in
	pp-sort -q -i in -o sorted
	passes sorted
}

# bats test_tags=T3-A15
@test "damage that makes several times run ahead, each by less than a second, takes nothing else with it" {
	{
		echo header
		echo 'attr id=1'
		for round in {1..40}; do
			for i in 1 2 3; do
				echo "sample pid=7 time=$((10000000000 + round * 10000000 + i * 1000)) ip=0x1000"
			done
			[ "$((round % 8))" -ne 1 ] || echo "sample pid=7 time=$((10000000000 + round * 10000000 + 900000000 * (round / 8 + 1))) ip=0x2000"
			echo round
		done
	} | build >in
	mends 3
	[ "$(json out | grep -c '"ip":"0x1000"')" -eq 120 ]
}

@test "names whose counts were altered cost nothing that follows, whatever they look like" {
	local counts body
	samples() { for i in {1..40}; do echo "sample pid=7 time=$(($1 + i)) ip=0x1000"; done; }
	# in their texts are three rounds and a feature, as long as the names and some samples after them
	for counts in 0,0,48,0 5,0,48,0 0,0,48,64 0,0,1000,0; do
		body=$(perl -e 'print unpack "H*", pack "a8 L<6 x20 L< Q< L<4 a8 (L< S< S<)4 Q<", "PPNAMES", (0) x 8,
			split(/,/, shift), "", (68, 0, 8) x 3, 80, 0, 400, 63' $counts)
		{ echo header; echo 'attr id=1'; samples 1000; echo "round hex=$body"; samples 2000; echo round; } | build >in
		if [ "$counts" = 0,0,48,0 ]; then
			passes in
			continue
		fi
		echo "$counts"
		mends 3
		[ "$(records -s out | wc -l)" -eq 80 ]
		[ "$(json out | grep -c '"type":"FINISHED_ROUND"')" -eq 3 ] # one has the note of what was mended
		[[ "$stderr" == *"(FINISHED_ROUND): what it carries was altered"* ]]
	done
	# but one that became longer swallows nothing
	body=$(perl -e 'print unpack "H*", pack "a8 L<6 x20 L< Q< L<4 a8", "PPNAMES", (0) x 8, 0, 0, 8, 0, ""')
	{ echo header; echo 'attr id=1'; samples 1000; echo "round hex=$body"; samples 2000; echo round; } | build >whole
	records whole | awk '$2 == "FINISHED_ROUND" { print $1, $4; exit }' >place
	read -r at size <place
	perl -0777 -pe 'BEGIN { ($at, $size) = splice @ARGV, 0, 2 } substr($_, $at + 6, 2) = pack "S<", $size + 10 * 56' \
		"$at" "$size" <whole >in
	mends 3
	[ "$(records -s out | wc -l)" -eq 80 ]
}

@test "names of a recording whose counts were altered cost nothing that follows" {
	found mend-named.pipe
	pp-cat --no-seal -i "$FOUND/mend-named.pipe" -o whole
	at=$(grep -abo -m1 PPNAMES whole | head -1 | cut -d: -f1)
	perl -0777 -pe 'BEGIN { $at = shift } substr($_, $at + 64, 1) ^= "\x02"' "$at" <whole >in
	mends 3
	[ "$(records -s out | wc -l)" -eq "$(records -s whole | wc -l)" ]
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

@test "the note of what was mended names every place, the last one too" {
	pp-gen --samples 2000 --no-seal -o whole
	head -c 70001 whole >in
	mends 3
	local cut
	cut=$(records whole | awk '$1 < 70001 { at = $1 } END { print at }')
	run -0 pp-info --note mended out
	assert_output "$cut-70001"
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
