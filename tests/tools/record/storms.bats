# storms.bats - storms of forks, execs, threads and libraries: each task has its names and maps, as
# perf has them that records beside.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch stop; } # for what may still run

# need_storm: where it can be recorded twice at once
need_storm() {
	need_perf_events
	need_all_cpus
	need "${CC:-cc}" timeout pgrep
	leaves
}

# the storm's program, and what it starts and loads
leaves() {
	local i
	"${CC:-cc}" -O1 -pthread -o storm "$TESTS/tools/record/storm.c" -ldl
	for ((i = 0; i < 10; i++)); do
		cp storm leaf$i
		"${CC:-cc}" -O1 -shared -fPIC -DLIBRARY -o leaf$i.so "$TESTS/tools/record/storm.c"
	done
}

# storm KIND MODE [all|process|threads|command]: a storm of $STORM tasks (200), and recordings of it,
# "ours" and "theirs", each page fault a sample: of all CPUs, of the process that starts the tasks, by
# us in several threads, or as the command of us, who are perf's
storm() {
	local events=(-e page-faults:u -c 1) threads=()
	# shellcheck disable=SC2016
	local held='open F, ">", shift; close F; select undef, undef, undef, 0.02 until -e "over"'
	rm -f go done stop over on_ours on_theirs
	if [ "${3:-all}" = command ]; then
		touch go stop
		timeout 600 perf record -q -k monotonic -o theirs -m 4096 "${events[@]}" -- \
			pp-record -q --sideband="$2" -o ours -m 16M "${events[@]}" -- ./storm "$1" "${STORM:-200}" >perf.out 2>&1
		return
	fi
	timeout 600 ./storm "$1" "${STORM:-200}" 3>&- &
	local storm=$!
	if [ "${3:-all}" = process ]; then
		until_true pgrep -P "$storm" -x storm # of which `timeout` is the parent
		events+=(-p "$(pgrep -P "$storm" -x storm)")
	else
		events+=(-a)
	fi
	[ "${3:-all}" != threads ] || threads=(--threads=2)
	# of the same clock: events of one kind share the time of a sample (Linux 6.18)
	timeout 600 perf record -q -k monotonic -o theirs -m 4096 "${events[@]}" -- perl -e "$held" on_theirs 3>&- >perf.out 2>&1 &
	local theirs=$!
	timeout 600 pp-record -q --sideband="$2" -o ours -m 16M "${threads[@]}" "${events[@]}" -- perl -e "$held" on_ours 3>&- &
	local ours=$!
	until_true test -e on_ours -a -e on_theirs
	touch go
	until_true test -e done
	touch over
	wait $ours $theirs
	touch stop
	wait $storm
}

# told FILE: what perf script makes of the storm: each task's start, names, maps and samples; we
# give build-ids where perf has devices and inodes.  A map that the kernel told is not told again,
# as read from /proc, where that was read (`late`) before the kernel's record came.
told() {
	perf_quiet script -i "$1" --show-task-events --show-mmap-events -F comm,pid,tid,event,ip,sym,dso |
		grep -E '^ *(storm|leaf[0-9]|forked [0-9]+|going [0-9]+|thread [0-9]+) ' | grep -vE 'PERF_RECORD_EXIT|\(0:0\)' |
		sed -E 's/^ +//; s/ +/ /g; s/ @ (0x)?([0-9a-f]+) [^]]*\]/ @ \2]/' | sort -r |
		awk '{ key = $0; sub(/ [0-9]+\/[0-9]+ /, " ", key) } / 0\/0 PERF_RECORD_MMAP2/ && key in live { next } { live[key]; print }' |
		sort
}

# storms STORM...: each has perf's names, maps and samples
storms() {
	local how
	for how; do
		echo "$how"
		# shellcheck disable=SC2086
		storm $how
		# Linux 6.18 gives samples of page faults the id that another recorder has for them
		! pp-check ours 2>&1 | grep -q 'belongs to no event' || skip "another recorder disturbs this one"
		pp-check -q ours
		told theirs >theirs.txt
		told ours >ours.txt
		[ "$(wc -l <theirs.txt)" -gt "${STORM:-200}" ]
		diff theirs.txt ours.txt >diff.txt || { head -n 20 diff.txt; false; }
	done
}

# bats test_tags=nightly
@test "storms of forks, execs, threads and libraries have perf's names, maps and samples" {
	need_storm
	storms 'fork all' 'fork late' 'exec all' 'exec lazy' 'thread lazy' 'thread late' 'library lazy'
}

# bats test_tags=nightly
@test "storms of a process, or read in several threads, have perf's names, maps and samples" {
	need_storm
	storms 'fork all process' 'exec lazy process' 'thread late process' 'library all process' \
		'fork lazy threads' 'exec late threads' 'thread all threads' 'library late threads'
}

@test "storms of a command have perf's names, maps and samples" {
	need_storm
	storms 'fork all command' 'fork late command' 'exec all command' 'exec lazy command' \
		'thread lazy command' 'library late command'
}

# caused N FILE: which live starts, ends, names and maps of code N tasks of each kind cause, as the storm
# does it: a third of the forked have a child, a seventh of the executed becomes leaf9 as well
caused() {
	perl -e '
		my $n = shift;
		my %is = (FORK => 3 * $n, EXIT => 3 * $n + 1);
		for my $i (0 .. $n - 1) {
			my $leaf = "leaf" . $i % 10;
			$is{FORK}++, $is{EXIT}++ if $i % 3 == 0;
			$is{"COMM forked $i"}++ if $i % 2;
			$is{"COMM $_"}++ for "going $i", "thread $i", $leaf;
			$is{"MMAP2 $_"}++ for $leaf, "$leaf.so";
			$is{"$_ leaf9"}++ for $i % 7 ? () : qw(COMM MMAP2);
		}
		print map { "$_: $is{$_}\n" } sort keys %is;' "$1" >"$2"
}

# happened FILE: what a recording of the storm has of these
happened() {
	json "$1" | jq -r 'select(.fields.sample_id.time > 0 or .type == "FORK" or .type == "EXIT") |
		select(.fields.time != 0) |
		if .type == "FORK" or .type == "EXIT" then .type
		elif .type == "COMM" then "COMM " + .fields.comm
		elif .type == "MMAP2" then "MMAP2 " + (.fields.filename | sub(".*/"; ""))
		else empty end' | grep -E '^(FORK|EXIT)$|^(COMM|MMAP2) (forked|going|thread|leaf)' |
		LC_ALL=C sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0 ": " n }'
}

# samples_of FILE EXPRESSION: how many match
samples_of() { pp-filter -q "$2" "$1" | records /dev/stdin | awk '$2 == "SAMPLE" { n++ } END { print n + 0 }'; }

# The storm tells how often each thing happened, so nothing has to record beside it.
# bats test_tags=nightly
@test "storms leave each start, end, name and map once, and no sample without them, in every mode" {
	need_events
	need "${CC:-cc}" perl
	leaves
	caused 40 expected
	local mode how storm recorder
	for mode in all lazy late none; do
		for how in command process; do
			echo "--sideband=$mode, a $how"
			rm -f go done stop on over
			if [ $how = command ]; then
				touch go stop
				pp-record -q --sideband=$mode -m 16M -e cpu-clock -o out -- ./storm each 40
			else
				./storm each 40 3>&- &
				storm=$!
				# shellcheck disable=SC2016
				pp-record --sideband=$mode -m 16M -e cpu-clock -p $storm -o out -- \
					perl -e 'open F, ">", "on"; close F; select undef, undef, undef, 0.02 until -e "over"' 2>said 3>&- &
				recorder=$!
				until_true test -e on
				touch go
				until_true test -e done
				touch stop
				wait $storm
				touch over
				wait $recorder
			fi
			pp-check -q out
			[ "$(count LOST out)" -eq 0 ] || skip "this machine is too slow for buffers of 16 MB"
			happened out >got
			diff expected got
			# the storm's own maps are what `none` leaves out, and what `late` may find gone, which it says
			[ $mode$how = noneprocess ] ||
				{ [ $mode$how = lateprocess ] && grep -E 'of the tasks that were sampled, [1-9][0-9]* had ended' said; } ||
				[ "$(samples_of out 'mode == user')" -eq "$(samples_of out 'mode == user && dso ~ "*"')" ]
		done
	done
}
