# byte-order.bats - the corpus in the other byte order and back: the same, for another reader too.

setup() {
	load ../../helper
	load recordings
}

# bats test_tags=nightly
@test "big to little to big is the identity for all streams, also wrapped and saved" {
	corpus MANIFEST.tsv
	need zstd
	for file in $(recordings 0); do
		# its own records cannot be converted: the next test
		[ "$file" != simpleperf/perf_with_callchain_record.data ] || continue
		echo "$file"
		pp-cat --no-seal --little-endian "$CORPUS/$file" >little
		pp-cat --big-endian little >big
		[ "$(head -c 8 big)" = 2ELIFREP ]
		pp-cat --little-endian big >back
		same_bytes little back
		pp-cat --big-endian back >again
		same_bytes big again
		zstd -q -c big | pp-cat >back
		same_bytes little back
		pp-save -q -i little -o one.data
		pp-save -q -i big -o other.data
		same_bytes one.data other.data
		# a file that is read and saved again stays as it is
		pp-cat one.data | pp-save -q -o other.data
		same_bytes one.data other.data
	done
}

@test "records that nobody but simpleperf knows are dropped in the other byte order, and counted" {
	corpus simpleperf/perf_with_callchain_record.data
	run -3 --separate-stderr pp-cat --big-endian -o big "$CORPUS/simpleperf/perf_with_callchain_record.data"
	[[ "$stderr" == *"40 records dropped"* ]]
	[ "$(pp-dump -i big 2>/dev/null | grep -c SAMPLE)" -eq 21 ]
}

# bats test_tags=nightly
@test "another reader finds the same in streams that were made big-endian" {
	corpus MANIFEST.tsv
	for file in perf-7.3/{meta,tp}.pipe.data perf-6.12/dwarf.pipe.data perf-6.1/{regs.pipe,group.pipe,stat.pipe,meta}.data \
		quipper/perf.data.{intel_pt-4.14,branch_stack_hw_index,raw_callgraph_branch-3.4,ctx_switch_namespaces-4.14}; do
		echo "$file"
		pp-cat --no-seal --big-endian "$CORPUS/$file" >big
		pp-dump --json --raw -i big >lines.json
		perl -I"$TESTS/oracle" "$TESTS/oracle/records.pl" -c lines.json big >compared || { tail compared; false; }
	done
}
