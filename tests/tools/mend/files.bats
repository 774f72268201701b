# files.bats - pp-mend of files: killed and cut ones become streams.

setup() {
	load ../../helper
	load mend
}

@test "what a file lost is estimated by what it holds, although it is read twice" {
	pp-gen --samples 2000 --no-seal | pp-save -o whole
	damaged zero 4000 20000
	run -3 --separate-stderr pp-mend in -o out
	[[ "$stderr" =~ "1 place mended, 4"[0-9]+" bytes and about 7"[0-9]" samples lost, 19"[0-9]+" samples saved" ]]
	[[ "$(json out | jq -r 'select(.type == "LOST") | .fields.lost')" =~ ^7[0-9]$ ]]
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
