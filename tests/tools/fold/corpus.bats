# corpus.bats - pp-fold on the corpus' recordings, beside perf script folded by another.

setup() { load ../../helper; }

# Neither may take names from this machine, which did not make the recordings.
folds_of() {
	local perf=$1 file row rows=(
		'' --pid --tid --kernel --jit '--weight=count --kernel' --weight=time '--weight=time --tid'
	)
	# 6.1 gives addresses in files, rather than those of the process
	[ "$perf" = perf ] || rows+=(--addrs '--addrs --kernel --jit --pid')
	mkdir nowhere
	for file in perf-6.1/{rec,rec.z,rec.inject2pipe,trunc}.data \
		perf-6.1/{rec.pipe,rec.z.pipe,rec.pipe.inject-b,trunc-midrecord.pipe}.data \
		perf-{6.12,7.3}/{rec,rec.pipe,rec.z.pipe}.data perf-6.12/group.pipe.data \
		perf-6.1/regs.pipe.data \
		simpleperf/perf_{g_fp,with_callchain_record}.data; do
		HOME=$PWD/nowhere perf_quiet_of "$perf" script --no-inline --symfs "$PWD/nowhere" --ns \
			-F comm,pid,tid,time,event,period,ip,sym,dso -i "$CORPUS/$file" >script || continue
		for row in "${rows[@]}"; do
			# shellcheck disable=SC2086 # options
			{
				HOME=$PWD/nowhere pp-fold -q --no-inline --root "$PWD/nowhere" $row "$CORPUS/$file" >got ||
					[ $? -eq 3 ]
				perl "$TESTS/oracle/collapse.pl" $row <script >expected
			}
			echo "$file $row"
			diff expected got
			[ ! -s got ] || echo "$file" >>compared
		done
	done
	[ "$(sort -u compared | wc -l)" -ge 5 ] # each perf cannot read some
}

perf_quiet_of() { "$@" 2>/dev/null </dev/null; }

# bats test_tags=nightly
@test "fold: the corpus' stacks are those of perf 6.1, folded by another" {
	corpus perf-6.1
	need_perf
	[[ $(perf --version) == *' 6.1.'* ]] || skip "perf is not that of 6.1"
	folds_of perf
}

# bats test_tags=nightly
@test "fold: the corpus' stacks are those of perf 7.3, folded by another" {
	corpus perf-7.3
	local perf
	perf=$(newer_perf 7.3) || skip "no perf 7.3 here"
	folds_of "$perf"
}

# What perf calls a module depends on whether the file lists its build-id, "/lib/modules/.../x.ko", or not,
# "[x]"; pp-fold calls all of them [x].  The chains of these recordings are longer than perf script's 127.
modules_alike() {
	sed -E 's/\[\[((ath|mac|cfg|usb|blue)[a-z0-9_]+)\]\](_\[k\])?/[\1.ko]/g' |
		perl -ne '/^(.*) (\d+)$/ and $sum{$1} += $2; END { print "$_ $sum{$_}\n" for sort keys %sum }'
}

@test "fold: old recordings with modules and long chains are as perf 6.1, but for the names of modules" {
	corpus quipper
	need_perf
	[[ $(perf --version) == *' 6.1.'* ]] || skip "perf is not that of 6.1"
	local name row
	mkdir nowhere
	for name in callgraph-3.4 callgraph-3.8 raw_callgraph_branch-3.4; do
		HOME=$PWD/nowhere perf_quiet script --no-inline --max-stack 1000 --symfs "$PWD/nowhere" --ns \
			-F comm,pid,tid,time,event,period,ip,sym,dso -i "$CORPUS/quipper/perf.data.$name" >script
		for row in '' --tid --weight=count --weight=time '--kernel --jit'; do
			echo "$name $row"
			# shellcheck disable=SC2086 # options
			perl "$TESTS/oracle/collapse.pl" $row <script | modules_alike >expected
			# shellcheck disable=SC2086 # options
			HOME=$PWD/nowhere pp-fold -q --no-inline --root "$PWD/nowhere" $row \
				"$CORPUS/quipper/perf.data.$name" | modules_alike >got
			[ "$(wc -l <got)" -gt 100 ]
			diff expected got
		done
	done
}
