# corpus.bats - what pp-script prints of the corpus' recordings, beside the texts of the perf that made them.

setup() { load ../../helper; }

# texts_of OPTION... -- NAME...: pp-script's, byte for byte
texts_of() {
	local name options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for name; do
		run -0 pp-script -q -G "${options[@]}" -o got "$CORPUS/$name"
		diff "$CORPUS/$name.script.txt" got
	done
}

@test "script: streams and files of perf 6.12 and 7.3, plain and compressed" {
	corpus perf-6.12 perf-7.3
	texts_of --ns -F comm,pid,tid,time,period,event -- perf-{6.12,7.3}/{buildid-mmap,dwarf,group}.pipe.data \
		perf-{6.12,7.3}/{meta.pipe,rec,rec.pipe,rec.z,rec.z.pipe}.data
}

@test "script: tracepoints that perf 6.12 and 7.3 recorded" {
	corpus perf-6.12 perf-7.3
	texts_of -F comm,pid,tid,time,event,trace -- perf-{6.12,7.3}/tp.pipe.data
}
