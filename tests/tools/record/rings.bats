# pp-record: the buffers of the kernel, when they are full and when their reader is slow.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch read go1 go2; } # for what may still run

# bats test_tags=nightly
@test "buffers that lose records grow, and then lose fewer than those that stay" {
	need_root
	need_events
	pp-record -v -e cs -c 1 -m 2 -o out -- "${STOPPING[@]}" 2>stay.err
	pp-check -q out
	mv out stay.pipe
	pp-record -v -e cs -c 1 -m 2 --max-buffer 1M -o out -- "${STOPPING[@]}" 2>grow.err
	pp-check -q out
	run -1 grep enlarged stay.err
	grep -E 'buffers were enlarged [0-9]+ times, up to [0-9]+ KiB' grow.err
	[ "$(lost grow.err)" -gt 0 ]
	[ "$(lost grow.err)" -lt "$(lost stay.err)" ]
}

# bats test_tags=nightly
@test "where buffers may not grow further it is said what to set" {
	need_root
	need_events
	pp-record -e cs -c 1 -m 2 --max-buffer 16k -o out -- "${STOPPING[@]}" 2>err
	grep 'the buffer of a CPU stays at 16 KiB: give it more with -m' err
	[ "$(grep -c 'stays at' err)" -eq 1 ]
	# -m alone: none grows
	pp-record -e cs -c 1 -m 2 -o out -- "${STOPPING[@]}" 2>err
	grep 'the buffer of a CPU stays at 8 KiB: give it more with -m' err
	[ "$(grep -c 'stays at' err)" -eq 1 ]
}

# lost FILE: how many records the kernel dropped, by the line at the end
lost() { sed -n 's/.*, \([0-9]*\) lost.*/\1/p' "$1"; }

# waits N ARGUMENTS...: the limits of a recorder's waits, in milliseconds, in order, at least N before the
# last that is long; the fake kernel fills its buffer of one page between all of them while it has records
waits() {
	FAKE_WAITS=1 FAKE_LOG=$PWD/log FAKE_RING=records LD_PRELOAD=$fake \
		pp-record -q -C 0 -e cycles -g -m 1 -o out "${@:2}" -- perl -e '
			for (1 .. 1200) {
				select undef, undef, undef, 0.05;
				open my $log, "<", "log" or next;
				my @waits = grep { /^wait / } <$log>;
				last if @waits > $ARGV[0] && $waits[-1] =~ /^wait ([0-9]+)$/ && $1 >= 1e8;
			}' "$1"
	sed -n 's/^wait //p' log | awk '{ print $1 / 1e6 }'
	rm log
}

@test "buffers that are found half full are looked at before the kernel says so, until they are calm" {
	need_fake_ring
	local way
	for way in --threads=1 --affinity=sys; do
		samples 1 50000 1 >records.0
		waits 100 $way >waits
		# in the end the command is waited for alone
		awk '$1 >= 0.5 && $1 <= 2 { n++ } n >= 100 && $1 >= 100 { calm++ } END { exit n < 100 || !calm }' waits
		# too few to fill it by half
		samples 1 10 1 >records.0
		waits 1 $way >waits
		awk '$1 <= 2 { n++ } END { exit n > 0 }' waits
	done
}

# nobody_reads OPTION...: records while nobody takes the stream
nobody_reads() {
	need_root
	need_events
	cat >load.pl <<-'END'
		open my $parent, ">", "parent";
		print $parent getppid;
		close $parent;
		sub until_there { select undef, undef, undef, 0.05 until -e $_[0] }
		for my $part (1, 2) {
			select undef, undef, undef, 0.0004 for 1 .. 3000;
			open my $done, ">", "done$part";
			until_there("go$part");
		}
	END
	# on one CPU, whose buffer alone is to hold it
	pp-record -v -e cs -c 1 --call-graph dwarf,1024 -m 1M --max-buffer 8M "$@" -- "${STOPPING[@]:0:3}" perl load.pl 2>err |
		{ until_true [ -e read ]; cat >out; } 3>&- &
	local pipeline=$!
	until_true [ -e done1 ]
	local recorder before after
	recorder=$(cat parent)
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$recorder/status")
	touch go1
	until_true [ -e done2 ]
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$recorder/status")
	touch go2 read
	wait "$pipeline"
	echo "resident: $before KiB, $after KiB"
	[ $((after - before)) -lt 512 ]
	pp-check -q out
	cat err
	run -1 grep enlarged err
	[ "$(lost err)" -gt 0 ]
	json out | jq -s 'map(select(.type == "LOST_SAMPLES").fields.lost) | add // 0' >told
	[ "$(cat told)" -eq "$(lost err)" ]
}

# bats test_tags=nightly
@test "while nobody takes the stream the kernel counts what it drops, and the recorder does not grow" {
	nobody_reads
}

# bats test_tags=nightly
@test "where buffers are read in threads it does not grow either, and tells what was dropped" {
	nobody_reads --threads=1
}

@test "what the recording itself cost is said at the end" {
	need_root
	need_all_cpus
	pp-record -v -a -e raw_syscalls:sys_enter -o out -- true 2>err || {
		need_events
		pp-record -v -a -e cs -c 1 -o out -- true 2>err
	}
	grep -E '^pp-record: the recording itself took [0-9]+\.[0-9] ms of processor time for [0-9]+ bytes, and is in [0-9]+ of the samples$' err
	[ "$(sed -n 's/.* time for \([0-9]*\) bytes.*/\1/p' err)" -eq "$(stat -c %s out)" ]
	[ "$(sed -n 's/.* is in \([0-9]*\) of the samples/\1/p' err)" -ge 1 ]
}

# bats test_tags=nightly
@test "the cost of the recording is without that of opening it" {
	local fake=$BIN/tests/fake/kernel.so cost
	[ -f "$fake" ] && ! sanitized || skip "no fake kernel was built"
	FAKE_LOG=$PWD/log FAKE_BURN=500 LD_PRELOAD=$fake pp-record -v -e cycles -C 0 -o out -- true 2>err
	local burnt
	burnt=$((500 * $(grep -c "^open " log)))
	cost=$(sed -n 's/.*itself took \([0-9]*\)\.[0-9] ms of processor time.*/\1/p' err)
	echo "$cost beside $burnt ms"
	[ "$cost" -lt $((burnt / 2)) ]
}

@test "what each CPU lost adds up to what was lost" {
	need_root
	need_events
	pp-record -v -e cs -c 1 -m 2 -o out -- "${STOPPING[@]}" 2>err
	[ "$(lost err)" -gt 0 ]
	[ "$(sed -n 's/^pp-record: CPU [0-9]* lost \([0-9]*\) records$/\1/p' err | awk '{ n += $1 } END { print n }')" -eq "$(lost err)" ]
}

@test "with --realtime the recorder has that priority, and its command has not" {
	need_root
	need_events
	# of the parent, the recorder, and of the command: priority and policy (1: SCHED_FIFO)
	local look='for my $pid (getppid, $$) {
		open my $stat, "<", "/proc/$pid/stat";
		(my $rest = <$stat>) =~ s/.*\) //;
		print STDERR join(" ", "is", (split " ", $rest)[37, 38]), "\n";
	}'
	pp-record -e cpu-clock -r 7 -o out -- perl -e "$look" 2>err || { grep 'real-time' err && skip "no real-time priority here"; }
	run grep '^is ' err
	assert_output $'is 7 1\nis 0 0'
	run -2 pp-record -r 100 -- true
}
