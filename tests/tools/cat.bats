# cat.bats - pp-cat: any recording to a plain stream, and streams made fit for a reader.

setup() { load ../helper; }

stream() {
	build <<-END
		header $1
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm precise_ip=1
		attr id=2 sample_type=IP,TID,TIME,CPU,PERIOD,BRANCH_STACK,WEIGHT_STRUCT,IDENTIFIER branch_sample_type=ANY flags=sample_id_all
		feature HOSTNAME string "wotan"
		comm pid=7 comm=seven time=5
		sample pid=7 time=1000 ip=0x10 id=1
		sample pid=7 time=2000 ip=0x20 id=2 branches=0x10:0x20:0x1 weight=0x0003000200000001
		round
		auxtrace bytes=24
	END
}

@test "a plain stream passes unchanged" {
	stream >in
	pp-cat in >out
	same_bytes in out
}

@test "big to little to big is the identity" {
	stream >little
	stream big >big
	pp-cat --big-endian little >a
	same_bytes big a
	pp-cat --little-endian big >b
	same_bytes little b
}

@test "the real big-endian stream comes back from little" {
	corpus big-endian/perf.data.piped.powerpc.no-google-hdr
	real=$CORPUS/big-endian/perf.data.piped.powerpc.no-google-hdr
	pp-cat --little-endian "$real" | pp-cat --big-endian >back
	same_bytes "$real" back
}

@test "a sealed stream stays sealed in the other byte order, and notes ride along" {
	stream | pp-inject --note commit=abc | pp-cat --seal >sealed
	pp-cat --big-endian sealed >big
	pp-cat big >back
	same_bytes sealed back
	head -c $(($(stat -c %s big) - 48)) big >cut
	run -3 --separate-stderr pp-cat cut
	[[ "$stderr" == *"its last seal is missing"* ]]
	pp-dump --headers -i big | grep -q abc
}

@test "every type of record survives the way to the other byte order and back" {
	build <"$TESTS/streams/every.txt" | pp-cat >in
	pp-cat --big-endian in | pp-cat >back
	same_bytes in back
}

@test "what is made of a file is sealed, a stream is left as it was" {
	stream | perl "$TESTS/oracle/perffile.pl" >in.data
	pp-cat in.data >out
	pp-info --json out | jq -e '.seals == "sound, to the end"'
	pp-cat --no-seal in.data >plain
	pp-info --json plain | jq -e '.seals == "none"'
}

@test "one file is taken, as --help and the page say, and pp-merge is named for several" {
	stream >in
	run -2 --separate-stderr pp-cat in in
	[ "${stderr_lines[0]}" = "pp-cat: unexpected operand 'in'" ]
	run -2 pp-cat -i in in
	run -0 pp-cat --help
	[ "${lines[0]}" = "Usage: pp-cat [OPTIONS] [FILE]" ]
	[[ "$output" == *pp-merge* ]]
}

@test "--for an unknown reader names those that are known" {
	run -2 --separate-stderr pp-cat --for 2.4
	[[ "$stderr" == *"6.1, 6.12, 7.3, quipper"* ]]
}

newer() {
	build <<-'END'
		header
		attr id=1 size=144 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=2 size=144 config4=5 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		feature HOSTNAME string "wotan"
		feature E_MACHINE u32 62 u32 0
		feature CLN_SIZE u32 64
		feature 35
		comm pid=7 comm=seven time=5
		sample pid=7 time=1000 ip=0x10 id=1
		callchain_deferred cookie=1 ips=1,2 time=1001 event=1
		sample pid=7 time=1002 ip=0x10 id=99
		schedstat_cpu timestamp=1 cpu=0 version=15
		record 113 0 0011223344556677
		round
	END
}

@test "--for 6.1 drops what it cannot read, cuts attributes, and counts each loss" {
	newer >in
	pp-cat --for 6.1 in >out 2>err
	pp-dump --json -i out >lines
	[ "$(grep -c CALLCHAIN_DEFERRED lines)" -eq 0 ]
	[ "$(jq -r 'select(.type == "HEADER_ATTR").fields.attr.size' lines | sort -u)" -eq 128 ]
	[ "$(jq -c 'select(.type == "HEADER_FEATURE").fields.feat_id' lines | xargs)" = "3 32" ]
	[ "$(grep -c '"SAMPLE"' lines)" -eq 1 ]
	grep -q "1 CALLCHAIN_DEFERRED dropped" err
	grep -q "1 SCHEDSTAT_CPU dropped" err
	grep -q "1 UNKNOWN_113 dropped" err
	grep -q "2 features dropped" err
	grep -q "1 attribute cut" err
	grep -q "1 record dropped: no attribute describes its event" err
}

@test "--for leaves only the settings of perf stat that the reader knows" {
	build >in <<-'END'
		header
		attr id=1 sample_type=0 read_format=3
		stat_config entries=0:1,1:1000,2:1,3:255
		stat id=1 val=5 ena=10 run=10
		stat_round type=1 time=9
		stat_config entries=3:0
		stat_config entries=2:1
	END
	run -0 --separate-stderr pp-cat --for 6.1 -o out in
	[ "$stderr" = "pp-cat: for 6.1: 2 STAT_CONFIGs cut: they have settings that the reader does not know" ]
	pp-dump --json -i out | jq -r 'select(.type == "STAT_CONFIG") | "\(.size) \([.fields.data[]?.tag] | map(tostring) | join(","))"' >tags
	diff - tags <<-'END'
		64 0,1,2
		16 
		32 2
	END
	pp-cat --for 6.12 -o out in
	same_bytes in out
	pp-cat --for 7.3 -o out in
	same_bytes in out
	need_perf
	perf stat report -i in 2>&1 | grep -q "unknown stat config" || skip "perf here knows all of them"
	pp-cat -q --for 6.1 -o out in
	run perf stat report -i out
	[[ $output != *"unknown stat config"* ]]
}

@test "--for 7.3 makes every size a multiple of 8" {
	build >in <<-'END'
		header
		attr id=1
		build_id id=00112233445566778899aabbccddeeff00112233 file=/bin/true old
		sample pid=7 time=1000
	END
	[ "$(pp-dump --json -i in | jq 'select(.type == "HEADER_BUILD_ID").size % 8')" -ne 0 ]
	pp-cat --for 7.3 in >out
	[ "$(pp-dump --json -i out | jq 'select(.type == "HEADER_BUILD_ID").size % 8')" -eq 0 ]
}

@test "--for quipper leaves rounds bare and tracing data short" {
	build <<-'END' | pp-sort --seal >in
		header
		attr id=1
		tracing bytes=64
		sample pid=7 time=1000
		round
	END
	pp-cat --for quipper in >out
	pp-dump --json -i out >lines
	[ "$(jq 'select(.type == "FINISHED_ROUND").size' lines | sort -u)" -eq 8 ]
	[ "$(jq 'select(.type == "HEADER_TRACING_DATA").size' lines)" -eq 12 ]
	run -2 pp-cat --for quipper --seal in
}

@test "perf 6.1 prints the streams of perf 7.3 whole after --for 6.1" {
	corpus perf-7.3
	need_perf
	for name in rec rec.z dwarf tp group; do
		echo "$name"
		pp-cat -q --for 6.1 "$CORPUS/perf-7.3/$name.pipe.data" >out
		perf report -i - --stdio --header <out >report 2>err
		grep -q '^# Samples: ' report
		samples=$(pp-info --json out | jq '[.events[].samples] | add')
		[ "$(perf script -i - -F time --ns <out 2>/dev/null | grep -c :)" -ge "$samples" ]
	done
}

@test "perf reads from a file the same as from what pp-cat makes of it" {
	corpus perf-6.1
	need_perf
	for file in perf-6.1/{meta,overwrite,rec,rec.z,tp}.data v1/noargs.perf.data \
		quipper/perf.data.{armv7-3.4,branch_stack_hw_index,callgraph-3.4,callgraph-3.8} \
		quipper/perf.data.{ctx_switch_namespaces-4.14,group_desc-4.14,lost_samples-4.4,remmap-3.2} \
		quipper/perf.data.{singleprocess-3.8,weight_struct,hybrid_topology} simpleperf/perf_b.data; do
		echo "$file"
		perf script --ns -i "$CORPUS/$file" 2>/dev/null | as_of_files >perfs
		pp-cat "$CORPUS/$file" | perf script --ns -i - 2>/dev/null | as_of_files >ours
		[ -s perfs ]
		same_bytes perfs ours
	done
}

@test "files that perf 6.1 refuses can be read through pp-cat" {
	corpus perf-7.3/rec.data perf-6.1/killed.data
	need_perf
	for file in perf-7.3/rec.data perf-7.3/rec.z.data perf-6.12/rec.data perf-6.1/killed.data; do
		samples=$(pp-info --json "$CORPUS/$file" | jq '[.events[].samples] | add')
		pp-cat -q --for 6.1 "$CORPUS/$file" | perf script -F time -i - 2>/dev/null >ours
		[ "$(grep -c : ours)" -eq "$samples" ]
	done
}
