# chains.bats - every tool takes the same words of a call chain for frames: those that perf takes.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

attr='attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap'

# A chain, and the frames that perf 6.1, 6.12 and 7.3 show of it: none where a word from 0xfffffffffffff001 on is
# no mark that they know.
chains() {
	cat <<-END
		-512,0x1000,0x2000,0x3000 => 1000 2000 3000
		-512,0x1000,0x2000,-992 =>
		-512,0x1000,-3000,0x3000 =>
		-128,0xffffffff81000000,-512,0x1000,-4095 =>
		-128,0xffffffff81000000,-512,0x1000,-4096 => ffffffff81000000 1000 fffffffffffff000
		-2048,0x1000,0x2000 =>
		-2176,0x1000,0x2000 =>
		-2560,0x1000,0x2000 =>
		-32,0x1000,-512,0x2000 => 1000 2000
		0x1000,0x2000 => 1000 2000
		-512 =>
		-512,0,0x1000,0 => 0 1000 0
	END
}

# A stream of these, one a sample
marked() {
	{
		echo header
		echo "$attr"
		echo comm pid=7 comm=work time=1
		chains | awk '{ print "sample pid=7 ip=0x1000 misc=2 time=" NR * 1000 " callchain=" $1 }'
	} | build
}

# frames: the frames of each sample, a line each, of what perf script prints
frames() {
	awk '/:/ { if (n++) print line; line = ""; next } NF { line = line (line == "" ? "" : " ") $1 } END { print line }'
}

# bats test_tags=T3-A7
@test "a chain with an impossible mark has no frames, and others have those that perf shows" {
	marked >in
	chains | sed 's/.*=> *//' >wanted
	pp-script -F time,ip in | frames >got
	diff wanted got
	[ "$(pp-fold in)" = "$(printf '%s\n' 'work 7' 'work;[unknown];[unknown] 2' 'work;[unknown];[unknown];[unknown] 3')" ]
	[ "$(pp-report --no-children -s comm -g folded,0,callee,count in | grep -c ';')" -eq 4 ]
	[ "$(pp-filter 'depth == 0' in | json | grep -c SAMPLE)" -eq 7 ]
	[ "$(pp-filter 'any(callchain) == 0x3000' in | json | grep -c SAMPLE)" -eq 1 ]
	perl "$TESTS/oracle/chains.pl" in
}

# bats test_tags=T3-A7
@test "perf shows these frames" {
	need_perf
	marked >in
	chains | sed 's/.*=> *//' >wanted
	perf_quiet script -F time,ip -i in | frames >got
	diff wanted got
	! newer_perf 7.3 >/dev/null || "$(newer_perf 7.3)" script -F time,ip -i in 2>/dev/null | frames | diff wanted -
}

# bats test_tags=T3-A7
@test "--max-stack ends a chain before an impossible mark, as in perf" {
	marked >in
	pp-script --max-stack 2 -F time,ip in | frames >got
	[ "$(sed -n '2p;5p' got)" = "$(printf '%s\n' '1000 2000' 'ffffffff81000000 1000')" ]
	[ "$(pp-report --max-stack 2 --no-children -s comm -g folded,0,callee,count in | grep '^[0-9]')" = \
		"$(printf '%s\n' '4 0x1000;0x2000' '2 0xffffffff81000000;0x1000' '1 0;0x1000')" ]
}

# bats test_tags=T3-A7
@test "callers that are known from another chain do not excuse an impossible mark before them" {
	local chain order
	{
		echo header
		echo "$attr"
		echo comm pid=7 comm=work time=1
		for chain in -512, '' -512,-512, -2048, -2048,-512, -512,-2048, -128, -512,; do
			echo "sample pid=7 ip=0x1000 misc=2 time=1000 callchain=${chain}0x1000,0x2000,0x3000"
		done
		echo "sample pid=7 ip=0x1000 misc=2 time=1000 callchain=-512,0x1000,-2048,0x2000,0x3000"
		echo "sample pid=7 ip=0x1000 misc=2 time=1000 callchain=-512,0x1000,0x2000,-2048,0x3000"
	} | build >in
	perl "$TESTS/oracle/chains.pl" in
	for order in caller callee; do
		pp-report --no-children -s comm -g "folded,0,$order,count" in >"$order"
		[[ "$(grep ';' "$order")" == "5 "* ]]
	done
}

# bats test_tags=T3-A7
@test "the cookie of a chain that comes later is no address, and pp-unwind puts the chain in its place" {
	build >in <<-END
		header
		$attr,defer_callchain
		comm pid=7 comm=work time=1
		sample pid=7 time=1000 ip=0xffffffff81000000 misc=1 callchain=-128,0xffffffff81000000,-640,77
		sample pid=7 time=2000 ip=0x2000 misc=2 callchain=-640,78
		callchain_deferred pid=7 tid=7 cookie=77 ips=-512,0x1000,0x2000 time=3000
		round
		round
	END
	[ "$(pp-script -F time,ip in | frames)" = "$(printf '%s\n' ffffffff81000000 '')" ]
	[ "$(pp-fold in)" = "$(printf '%s\n' 'work 1' 'work;[unknown] 1')" ]
	perl "$TESTS/oracle/chains.pl" in
	pp-unwind -q in -o out
	[ "$(pp-script -F time,ip out | frames)" = "$(printf '%s\n' 'ffffffff81000000 1000 2000' '')" ]
	perl "$TESTS/oracle/chains.pl" out
}

# bats test_tags=T3-A7
@test "the same number of frames in every tool: a compiler's garbage, and recordings of three perfs" {
	found ctxmark.pipe
	corpus perf-6.1/rec.data perf-6.12/rec.data perf-7.3/rec.data simpleperf/perf_g_fp.data
	cd "$CORPUS"
	perl "$TESTS/oracle/chains.pl" "$FOUND/ctxmark.pipe" {perf-6.1,perf-6.12,perf-7.3}/rec.data simpleperf/perf_g_fp.data
}

# bats test_tags=nightly,T3-A7
@test "the same number of frames in every tool: all recordings with call chains" {
	corpus quipper/perf.data.callgraph-3.4
	local files=(perf-6.1/{rec.{z.,}pipe,rec{.z,},rec.inject2pipe,rec.pipe.inject-b}.data
		perf-{6.12,7.3}/{rec.{z.,}pipe,rec}.data
		simpleperf/{perf_g_fp,perf_with_callchain_record}.data
		quipper/perf.data.{callgraph-3.4,callgraph-3.8,raw_callgraph_branch-3.4}) perf
	corpus "${files[@]}" perf-{6.1,6.12,7.3}/dwarf.pipe.data
	# a copy of a stack is a chain once it has been walked, which all but pp-dump and pp-filter do by themselves
	for perf in 6.1 6.12 7.3; do
		pp-unwind -q "$CORPUS/perf-$perf/dwarf.pipe.data" -o "unwound-$perf"
		files+=("$PWD/unwound-$perf")
	done
	cd "$CORPUS"
	perl "$TESTS/oracle/chains.pl" "${files[@]}" >"$SCRATCH/said" 2>/dev/null || { cat "$SCRATCH/said"; return 1; }
	# 3,000 samples and more
	[ "$(sed -n 's/ samples with a chain$//p' "$SCRATCH/said")" -gt 3000 ]
}
