#!/usr/bin/env bats
# corpus.bats - pp-unwind on recordings of other machines and other recorders.

bats_require_minimum_version 1.5.0

setup() { load ../../helper; }

@test "perf 7.3 shows recordings of perf 6.1, 6.12 and 7.3 as before" {
	corpus perf-6.1/dwarf.pipe.data perf-6.12/dwarf.pipe.data perf-7.3/dwarf.pipe.data
	need_newer_perf 7.3
	local perf
	perf=$(newer_perf 7.3)
	# perf unwinds by whatever has the name of a file now
	pp-cat -q "$CORPUS/perf-7.3/dwarf.pipe.data" >in
	[ "$(pp-unwind --json in 2>&1 >out | jq -s 'map(.differs, .missing) | add')" -eq 0 ] ||
		skip "the files that were recorded are not here"
	for version in 6.1 6.12 7.3; do
		pp-cat -q "$CORPUS/perf-$version/dwarf.pipe.data" >in
		pp-unwind -q in >out
		for which in in out; do
			"$perf" script --no-inline -F comm,tid,time,ip,sym,dso -i - <$which >$which.txt 2>/dev/null
		done
		perl "$TESTS/tools/unwind/classes.pl" in.txt out.txt >classes
		cat classes
		run -1 grep -vE 'equal|resolver' classes
	done
}

@test "a recording that was unwound while it was made keeps its chains, and that it has no stacks is said" {
	corpus simpleperf/perf_g_fp.data
	pp-cat -q "$CORPUS/simpleperf/perf_g_fp.data" >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: no sample has a stack: empty fields for them were left out" ]
	for which in in out; do
		json $which | jq -c 'select(.type == "SAMPLE") | [.fields.time, .fields.ip, .fields.callchain]' >$which.chains
	done
	[ "$(wc -l <in.chains)" -eq 10 ]
	diff in.chains out.chains
}

@test "recordings without stacks pass unchanged, of whatever machine" {
	corpus hiperf/report_test.data simpleperf/perf_b.data quipper/perf.data.callgraph-3.8 \
		quipper/perf.data.armv7-3.4 big-endian/perf.data.piped.powerpc
	for file in hiperf/report_test.data simpleperf/perf_b.data quipper/perf.data.callgraph-3.8 \
		quipper/perf.data.armv7-3.4 big-endian/perf.data.piped.powerpc; do
		pp-cat -q "$CORPUS/$file" >in || [ $? -eq 3 ]
		pp-unwind -q -i in -o out || [ $? -eq 3 ]
		same_bytes in out
	done
}
