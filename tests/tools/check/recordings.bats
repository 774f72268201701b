# recordings.bats - what perf, our own tools and those of others write whole is sound, says
# pp-check; what is cut or broken is not.

setup() { load ../../helper; }

@test "what each stage writes is sound" {
	for name in every plain group switch tracepoint zstd dwarf; do
		[ ! -f "$TESTS/streams/$name.txt" ] || build <"$TESTS/streams/$name.txt" >in
		[ ! -f "$TESTS/streams/$name.pipe" ] || cp "$TESTS/streams/$name.pipe" in
		echo "$name"
		pp-check in
		for seal in --seal --no-seal; do
			echo "$name $seal"
			pp-filter "$seal" -i in 'comm != "nobody"' | pp-check
			pp-sort "$seal" -i in | pp-check
			pp-compress "$seal" -i in | pp-check
			pp-decompress "$seal" -i in | pp-check
			pp-inject "$seal" -q -b -i in | pp-check
			pp-sort "$seal" -i in | pp-compress | pp-inject -q -b | pp-filter -p 7 | pp-check
		done
	done
}

@test "what perf records is sound" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock -g -- "${WORK[@]}" >in
	pp-check in
	perf_quiet record -z -o - -e cpu-clock -- "${WORK[@]}" >in
	pp-check in
	perf_quiet stat record -o - -e cpu-clock -- "${WORK[@]}" >in
	pp-check in
	perf_quiet record -o - -e cpu-clock -- "${WORK[@]}" >in
	perf inject -b <in 2>messages >out
	pp-check out
}

@test "what perf records of tracepoints is sound" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	pp-check in
}

@test "what pp-record records is sound, and was not cut" {
	need_perf_events
	pp-record -e cpu-clock -- "${WORK[@]}" >in
	run -0 pp-check --json in
	assert_line --index 0 '{"schema":"perfpipe.check/1"}'
	[ "$(jq -r 'select(.verdict) | .sealed' <<<"$output")" = true ]
	head -c -48 in >cut
	run -3 pp-check -q cut
}

@test "the corpus: what perf wrote whole is sound" {
	corpus perf-6.1 perf-6.12 perf-7.3
	for file in "$CORPUS"/perf-*/*.pipe.data "$CORPUS/perf-6.1/rec.pipe.inject-b.data" \
		"$CORPUS/perf-6.1/rec.inject2pipe.data"; do
		case ${file##*/} in
		bad.* | trunc* | *.txt) continue ;;
		esac
		echo "$file"
		pp-check "$file"
	done
}

@test "the corpus: what others wrote is sound" {
	corpus quipper linux-tracepoints linux-perf-data
	for file in quipper/perf.data.piped.{ctx_switch_namespaces-4.14,header_features-4.16,intel_pt-4.14} \
		quipper/perf.data.piped.{lost_samples-4.4,target-3.8,target.throttled-3.4} \
		linux-tracepoints/pipe.data linux-perf-data/sleep.compressed.pipe.data \
		big-endian/perf.data.piped.powerpc.no-google-hdr; do
		echo "$file"
		pp-check "$CORPUS/$file"
	done
}

@test "the corpus: what is cut or broken is not sound" {
	corpus perf-6.1 quipper linux-perf-data
	for file in perf-6.1/{trunc-header,trunc-midrecord,bad.perf61-inject-noheader}.pipe.data \
		quipper/perf.data.piped.{corrupted.zero_size_sample-3.2,extrabyte-3.4} \
		linux-perf-data/sleep.compressed2.pipe.data; do
		echo "$file"
		run -3 pp-check -q "$CORPUS/$file"
	done
}

@test "the corpus: files and folders of perf are sound, and cut ones are not" {
	corpus perf-6.1/rec.data perf-6.1/dirfmt.data perf-6.12/rec.z.data perf-7.3/rec.data
	for file in perf-6.1/{rec,rec.z,tp,meta,stat,dirfmt}.data perf-6.12/rec{,.z}.data perf-7.3/rec{,.z}.data; do
		echo "$file"
		pp-check "$CORPUS/$file"
	done
	run -3 pp-check -q "$CORPUS/perf-6.1/trunc.data"
	run -3 pp-check -q "$CORPUS/perf-6.1/trunc-header.data"
}
