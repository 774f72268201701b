# damage.bats - what every stage makes of a damaged stream: it delivers what is good, and reports
# the damage to the next one.

setup() {
	load ../../helper
	load stages
}

@test "every stage delivers what is good of a cut stream and ends it as damaged" {
	sorted_stream 3 >whole
	head -c -3 whole >in
	# the last record is a round of 8 bytes
	head -c -8 whole >want
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "^pp-[a-z]*: standard input: record 26 at byte $(wc -c <want): the stream ends inside a record: need 8 bytes, have 5\$" err
		head -c "$(wc -c <want)" out >front
		same_bytes want front
		run -3 pp-filter -i out -o again
		assert_output --partial "out: damaged before it came here"
		same_bytes out again
	done
}

@test "the last stage of a pipeline is 3, whichever stage met the damage" {
	sorted_stream 3 | head -c -3 >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in 2>/dev/null | pp-sort 2>/dev/null | pp-filter 2>/dev/null | pp-dump >/dev/null 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "damaged before it came here" err
	done
}

@test "a sealed stream without its end is 3 after every stage" {
	sorted_stream 3 | pp-filter --seal >sealed
	head -c -48 sealed >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "its last seal is missing" err
		head -c "$(wc -c <in)" out >front
		same_bytes in front
	done
}

@test "an altered byte is told once, and all is delivered" {
	sorted_stream 3 | pp-filter --seal >sealed
	# the HOSTNAME's text
	sed 's/a-host/a-hosh/' sealed >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		[ "$(grep -c 'the stream was altered' err)" -eq 1 ]
		[ "$(wc -c <out)" -eq "$(wc -c <in)" ]
		stage "$name" --no-verify --no-seal <in >plain
		pp-filter --no-verify --no-seal <in >want
		same_bytes want plain
	done
}

@test "more damage than ten places is counted, not told" {
	{
		head_lines
		# attributes that are too short to be any
		echo "repeat 25 {"
		echo "record 64 0 0000000000000000"
		echo "}"
		body 1 1
	} | build >in
	run -3 --separate-stderr pp-filter -i in -o out
	[ "$(grep -c '(HEADER_ATTR)' <<<"$stderr")" -eq 10 ]
	[[ $stderr == *"in: 25 damaged places in all"* ]]
	run -3 pp-dump --type SAMPLE -i out
	[ "$(grep -c ' SAMPLE ' <<<"$output")" -eq 2 ]
}

@test "a tool that rewrites a sealed stream is told of once, and that is all" {
	sorted_stream 3 | pp-filter --seal >sealed
	# a record more, behind seal 0
	{ head -c 64 sealed; printf '\144\0\0\0\0\0\10\0'; tail -c +65 sealed; } >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" -q <in >out 2>err
		[ ! -s err ]
	done
	run -0 --separate-stderr bash -c 'pp-filter <in >out'
	[ "$(grep -c 'rewrote the stream' <<<"$stderr")" -eq 1 ]
}
