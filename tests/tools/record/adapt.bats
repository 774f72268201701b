# pp-record --adapt: fewer samples where records are lost.

setup() {
	load ../../helper
	load recorder
}

# changes FILE: the notes of changed rates, a line each
changes() { pp-info --note rate "$1"; }

# bats test_tags=nightly
@test "where records are lost the period rises, and the stream, the messages and the summary say so" {
	need_root
	need_events
	local way lowered
	for way in '' -z --sideband=late; do
		# shellcheck disable=SC2086
		pp-record -e cs -c 1 -m 2 --adapt $way -o out -- "${STOPPING[@]}" 2>err
		cat err
		run -0 pp-check out
		refute_output -p remark
		changes out >notes
		head -n 1 notes | grep -E '^at [0-9]+\.[0-9]{9} s: cs: period 1 to 2$'
		sort -c -k 2n notes
		lowered=$(sed -n 's/.* lost, rate lowered \([0-9]*\) times\{0,1\}$/\1/p' err)
		[ "$lowered" -eq "$(wc -l <notes)" ]
		[ "$lowered" -eq "$(grep -c 'records are lost, so samples are taken less often: cs: period' err)" ]
		[ "$lowered" -eq "$(pp-dump out | grep -c 'note="rate":"at .* cs: period [0-9]* to [0-9]*"$')" ]
	done
}

# bats test_tags=nightly
@test "perf reads what --adapt recorded as if nothing were between the samples" {
	need_root
	need_events
	need_perf
	pp-record -q -e cs -c 1 -m 2 --adapt -o out -- "${STOPPING[@]}"
	[ -n "$(changes out)" ]
	[ "$(perf_quiet script -i out -F time | wc -l)" -eq "$(count SAMPLE out)" ]
	perf_quiet script -i out -F time >times
	sort -c -n times
}

@test "notes of changed rates pass through other tools" {
	need_root
	need_events
	pp-record -q -e cs -c 1 -m 2 --adapt -o out -- "${STOPPING[@]}"
	changes out >notes
	[ -s notes ]
	pp-sort out | pp-compress | pp-filter 'cpu >= 0' >through
	pp-check -q through
	changes through | cmp - notes
	pp-dump --json out | pp-undump | cmp - out
	pp-save -o out.data out
	changes out.data | cmp - notes
}

# losses [N]: a ring of N samples, in which every 20th record says that one was lost
losses() {
	perl -e '
		for my $n (1 .. shift // 4000) {
			my @tail = ($$, $$, $n * 1000, 0, 0);
			my $body = $n % 20 ? pack("Q Q LL Q LL", 1, 0x401000, @tail) : pack("Q Q LL Q LL Q", 1, 1, @tail, 1);
			print pack("L S S", $n % 20 ? 9 : 2, 2, 8 + length $body), $body;
		}' "$@"
}

# faked WORD ARGUMENTS...: a recorder under the fake kernel, until its log has a line that
# ends in WORD, or all has been read
faked() {
	need_fake_ring
	[ -e records.0 ] || losses >records.0
	FAKE_RING=records FAKE_LOG=$PWD/log LD_PRELOAD=$fake pp-record -C 0 -m 1 --sideband=none "${@:2}" -o out -- perl -e '
		my $all = 0;
		$all += -s for glob "records.*";
		for (1 .. 1200) {
			open my $log, "<", "log";
			last if -s "out" > $all || grep { /$ARGV[0]$/ } <$log>;
			select undef, undef, undef, 0.05;
		}' "$1" 2>err
	cat err
}

# periods NAME: what the counter of this number was set to, the first two
periods() { sed -n "s/^ioctl $1 PERIOD //p" log | head -n 2 | paste -sd ' '; }

@test "frequencies are halved, periods doubled, and clocks told their new period in ns" {
	faked 'ioctl 3 PERIOD 8' -F 1000 -e cycles,cpu-clock,cs/period=2/ --adapt
	[ "$(periods 1)" = "500 250" ]
	# the kernel has only a timer's period for this one
	[ "$(periods 2)" = "2000000 4000000" ]
	[ "$(periods 3)" = "4 8" ]
	# nor is any counter asked that is not sampled
	run -1 grep -E '^ioctl ([4-9]|[0-9]{2,}) PERIOD' log
	run -0 changes out
	assert_line --regexp '^at 0\.[0-9]{9} s: cycles: 1000 to 500 Hz; cpu-clock: 1000 to 500 Hz; cs: period 2 to 4$'
	assert_line --regexp '^at 0\.[0-9]{9} s: cycles: 500 to 250 Hz; cpu-clock: 500 to 250 Hz; cs: period 4 to 8$'
}

@test "rates are not lowered further than to one sample a second, and that is said" {
	faked never -F 8 -e cycles --adapt
	[ "$(sed -n 's/^ioctl 1 PERIOD //p' log | paste -sd ' ')" = "4 2 1" ]
	[ "$(changes out | tail -n 1 | sed 's/.*: //')" = "2 to 1 Hz" ]
	[ "$(grep -c 'no event can be sampled less often' err)" -eq 1 ]
}

@test "without --adapt no rate is changed" {
	faked never -c 1 -e cs
	run -1 grep PERIOD log
	[ -z "$(changes out)" ]
}

@test "samples of a software event carry no periods with --adapt, since the kernel would take each" {
	need_events
	pp-record -q -e cs -c 1 -o plain -- true
	pp-record -q -e cs -c 1 --adapt -o adapt -- true
	run -0 pp-info plain
	assert_output --regexp 'sample_type = [A-Z|]*PERIOD'
	run -0 pp-info adapt
	refute_output --regexp 'sample_type = [A-Z|]*PERIOD'
}

# one_cpu: SYSFS_PATH has one, so that rings are numbered as they grow
one_cpu() {
	mkdir -p sys/devices/system/cpu
	echo 0 >sys/devices/system/cpu/online
	echo 0 >sys/devices/system/cpu/possible
	export SYSFS_PATH=$PWD/sys
	page=$(getconf PAGESIZE)
}

@test "where records are lost, a buffer grows first, and only then rates are lowered" {
	one_cpu
	losses 40 >records.0
	losses 20000 >records.1 # more than can be read until it looks again
	# the fake kernel opens files
	faked 'ioctl 1 PERIOD 2' -c 1 -e cs --adapt --max-buffer 4 --no-sandbox
	# the counter is sent to the larger ring, before it has another period
	grep -E '^mmap .* bytes=|^ioctl 1 (SET_OUTPUT|PERIOD)' log >did
	cat did
	sed -n 1p did | grep " bytes=$((2 * page)) "
	sed -n 2p did | grep '^ioctl 1 SET_OUTPUT '
	sed -n 3p did | grep " bytes=$((5 * page)) "
	sed -n 4p did | grep '^ioctl 1 SET_OUTPUT '
	sed -n 5p did | grep -x 'ioctl 1 PERIOD 2'
	[ "$(grep -c "the buffer of a CPU stays at $((4 * page / 1024)) KiB: give it more with -m" err)" -eq 1 ]
	[ "$(changes out | head -n 1 | sed 's/.*: //; s/^cs: //')" = "period 1 to 2" ]
}

@test "a buffer that is exchanged for a larger one is read meanwhile" {
	one_cpu
	local way
	for way in --threads=1 --affinity=cpu; do
		rm -f log
		# more than is read until a thread begins, also where it waits for its turn
		losses 200000 >records.0
		# the fake kernel lets no counter leave a buffer that nobody reads
		FAKE_SLOW=1 faked 'left 1 read=[0-9]+' -c 1 -e cs --adapt --max-buffer 4 --no-sandbox $way
		grep -E '^left 1 read=[1-9]' log
		pp-check -q out
	done
}

@test "where a larger buffer is not permitted it is said what to raise, and rates are lowered" {
	one_cpu
	FAKE_LACKS="ring=$((2 * page))" faked 'ioctl 1 PERIOD 2' -c 1 -e cs --adapt --max-buffer 4
	grep "stays at $((page / 1024)) KiB: more memory is not permitted: raise kernel.perf_event_mlock_kb or the limit on locked memory (ulimit -l)" err
	[ "$(grep -c 'stays at' err)" -eq 1 ]
	[ "$(changes out | head -n 1 | sed 's/.*: //')" = "period 1 to 2" ]
}
