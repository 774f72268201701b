# pp-count: intervals that are short, and read on each CPU by itself.

setup() {
	load ../../helper
	load counting
	need jq
	need_all_counts
}

# rounds FILE: a line for each, [its time, [id, cpu, count] ...]
rounds() {
	json "$1" | jq -cn 'foreach (inputs | select(.type == "STAT" or .type == "STAT_ROUND")) as $r ({};
		if $r.type == "STAT" then .now += [[$r.fields.id, $r.fields.cpu, $r.fields.val]] | .out = null
		elif $r.type == "STAT_ROUND" then .out = [$r.fields.time] + .now | .now = []
		else . end; .out // empty)'
}

# whole FILE N: each round has N counters, of which no count falls, and is later than the one before
whole() {
	pp-check -q "$1"
	rounds "$1" >rounds
	[ "$(jq length rounds | sort -u)" -eq $(($2 + 1)) ]
	[ "$(jq -s 'map(.[0]) | . == unique' rounds)" = true ]
	[ "$(jq -s '[map(.[1:])[] | .[]] | group_by(.[:2]) | map(map(.[2]) | . == sort) | all' rounds)" = true ]
}

cpus() { getconf _NPROCESSORS_ONLN; }

@test "each has the counters of all CPUs, and there are no more than fit into the time" {
	local rounds most
	pp-count -a -I 5 -e cs,page-faults,cpu-clock -o out -- sleep 0.2
	whole out $((3 * $(cpus)))
	rounds=$(wc -l <rounds) most=$(($(note count.run out | jq .elapsed) / 5000000 + 1))
	[ "$rounds" -gt 1 ]
	[ "$rounds" -le "$most" ]
	[ "$(note count.run out | jq -c .rounds)" = "[0,$((rounds - 1))]" ]
	# in a pipe, too, where they come earlier
	pp-count -a -I 5 -e cs,page-faults,cpu-clock -- sleep 0.2 | cat >out
	whole out $((3 * $(cpus)))
	# in each of several runs
	pp-count -a -r 3 -I 5 -e cs -o out -- sleep 0.05
	whole out "$(cpus)"
	[ "$(note count.run out | jq -s 'map(.rounds[1] - .rounds[0]) | min > 0')" = true ]
	# of more than the readers keep
	pp-count -a -I 1 -e cs -o out -- sleep 0.6
	whole out "$(cpus)"
}

@test "without the right to run at once they are read as ever" {
	local as='setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice'
	$as true || skip "no setpriv that takes a right away"
	$as pp-count -a -I 5 -e cs,page-faults -o out -- sleep 0.2
	whole out $((2 * $(cpus)))
	[ "$(wc -l <rounds)" -gt 1 ]
}

@test "as many as are asked for" {
	pp-count -a -I 5 --interval-count 4 -e cs,page-faults -o out
	whole out $((2 * $(cpus)))
	[ "$(wc -l <rounds)" -eq 4 ]
}

@test "counts stand still while counting is switched off, and go on then" {
	mkfifo asked said
	pp-count -a -I 5 -D -1 --control fifo:asked,said -e cpu-clock -o out -- sleep 1.2 &
	exec 8>asked 9<said
	sleep 0.1
	for order in enable disable enable; do
		echo $order >&8
		head -n 1 <&9 >>answers
		sleep 0.2
	done
	wait $!
	exec 8>&- 9<&-
	whole out "$(cpus)"
	# runs of rounds with the same counts: while it was switched off, and no other that is as long
	[ "$(jq -c '.[1:] | map(.[2])' rounds | uniq -c | awk '$1 > 5' | wc -l)" -eq 1 ]
}

# bats test_tags=nightly
@test "whoever takes them late gets fewer of them, and all that was counted" {
	local events=cs,page-faults,cpu-clock,task-clock,migrations,minor-faults,major-faults
	pp-count -a -I 1 -e $events,$events,$events,$events -- sleep 1.5 | { sleep 1.2; cat; } >out
	whole out $((28 * $(cpus)))
	[ "$(last cpu-clock out)" -ge $((1500000000 * $(cpus))) ]
}

# bats test_tags=nightly
@test "a CPU that something of a higher priority keeps to itself is read from another one" {
	local events groups='{cs,faults},{cs,faults},{cs,faults},{cs,faults},{cs,faults}'
	[ "$(cpus)" -gt 1 ] || skip "needs two CPUs"
	chrt -f 2 true || skip "no right to run at once"
	for events in cs,cpu-clock "$groups"; do
		timeout 5 chrt -f 2 taskset -c 1 sh -c 'while :; do :; done' &
		sleep 0.1
		timeout -s KILL 3 pp-count -a -I 5 --timeout 1000 -e $events -o out
		[ "$(json out | jq 'select(.type == "STAT_ROUND").type' | wc -l)" -gt 100 ]
		kill $!
		wait $! || true
	done
}

# bats test_tags=nightly
@test "it ends when it is to, also where what is read comes faster than it is taken" {
	local events=cs,page-faults,cpu-clock,task-clock,migrations,minor-faults,major-faults
	# a megabyte a second, for five
	pp-count -a -I 1 --timeout 1500 -e $events,$events,$events,$events | perl -e '
		for (1 .. 250) { sysread STDIN, my $some, 20000; print $some; select undef, undef, undef, 0.02 }
		print while <STDIN>' >out
	whole out $((28 * $(cpus)))
	[ "$(note count.run out | jq .elapsed)" -lt 4000000000 ]
}

@test "who takes long to read rests as long, and all leave out the same intervals" {
	local us
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	chrt -f 2 true || skip "no right to run at once"
	mkdir -p sys/devices/system/cpu
	echo 0-1 >sys/devices/system/cpu/online
	for us in 4500 15000; do
		FAKE_TAKES=$us SYSFS_PATH=$PWD/sys LD_PRELOAD=$BIN/tests/fake/kernel.so \
			pp-count -a -I 5 -e cycles --timeout 1000 -o out
		pp-check -q out
		rounds out | wc -l >n
		[ "$(<n)" -gt $((1000000 / us / 10)) ]
		[ "$(<n)" -lt $((1000000 / us / 2 + 5)) ]
	done
}
