# sideband.bats - names and maps of tasks: all of them, once, right, and when they are written.

setup() {
	load ../../helper
	load recorder
}

teardown() {
	touch stop # for what may still run
	[ ! -s pids ] || cut -d ' ' -f 1 pids | xargs kill 2>/dev/null || true
}

# ---- tasks that start while the recording starts

@test "a task that starts while /proc is read has its name and maps in the recording" {
	need_all_cpus
	hold_library
	local options pid
	for options in "-a" "-a -z" "-a -D 1" "-C 0"; do
		rm -f started stop
		# shellcheck disable=SC2086
		held_record /proc 1 $options -- true
		perl -e '$0 = "latecomer"; open F, ">", "started"; select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
		pid=$!
		until_true test -e started
		let_go
		touch stop
		wait $pid
		echo "options: $options"
		fields out "select(.type == \"COMM\" and .fields.pid == $pid).fields.comm" >comms
		run cat comms
		assert_line '"perl"'
		assert_line '"latecomer"'
		fields out "select(.type == \"MMAP2\" and .fields.pid == $pid).fields.filename" >maps
		run cat maps
		assert_line --partial perl
		run fields out "select(.type == \"FORK\" and .fields.pid == $pid).fields.ppid"
		assert_output $$
		pp-check -q out
	done
}

@test "-p and -t record a child that starts while /proc is read with its name and maps" {
	need_events
	hold_library
	local options pid child
	for options in "-p|2" "-t|1"; do
		rm -f scanned started stop
		perl -e 'sub idle { select undef, undef, undef, 0.05 until -e $_[0] }
			idle("scanned");
			if (!fork) { $0 = "latecomer"; open F, ">", "started"; print F $$; close F; idle("stop"); exit }
			wait' 3>&- &
		pid=$!
		# -p reads the folder to find the threads, and again to report them
		held_record /proc/$pid/task "${options#*|}" ${options%|*} $pid -- true
		until_true test -s started
		child=$(cat started)
		let_go
		touch stop
		wait $pid
		echo "options: $options"
		fields out "select(.type == \"COMM\" and .fields.pid == $child).fields.comm" >comms
		run cat comms
		assert_line '"latecomer"'
		run fields out "select(.type == \"FORK\" and .fields.pid == $child).fields.ppid"
		assert_output $pid
	done
}

@test "what tasks do while /proc is read is written before the buffers are full" {
	need_all_cpus
	hold_library
	need taskset
	taskset -c 0 true || skip "CPU 0 is not for us"
	# one page a CPU holds 20 starts and ends; 100 processes are found, with 5 of them at each
	local i
	for ((i = 0; i < 100; i++)); do
		perl -e 'open F, ">", "idle.$$"; close F; select undef, undef, undef, 0.5 until -e "stop"' 3>&- &
	done
	until_true eval '[ "$(ls -d idle.* | wc -l)" -eq 100 ]'
	FORKS=5 LD_PRELOAD=$PWD/hold.so taskset -c 0 pp-record -e cpu-clock -m 1 -a -o out -- true
	touch stop
	pp-check -q out
	records out | sed '/FINISHED_INIT/q' >start
	run awk '$2 == "FORK" && $5 > 0 { n++ } END { print (n > 100) }' start
	assert_output 1
	# and no round ends before all that was there is written
	run awk '$2 == "FINISHED_ROUND" && NR > 1' start
	assert_output ''
}

# ---- when they are written

# script FILE FIELDS: what perf makes of the samples
script() { perf_quiet script -i "$1" -F "$2" | sed -E 's/^ +//; s/ +/ /g'; }

@test "lazy and late write names and maps of tasks that have records, and every sample has them" {
	need_all_cpus
	local mode options idle worker child
	for mode in lazy late; do
		for options in "" "-z" "-e task-clock"; do
			echo "--sideband=$mode $options"
			rm -f go stop started out child
			perl -e '$0 = "sleeper"; select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
			idle=$!
			kill -STOP $idle # it has no more records of its own
			until_true is_stopped $idle
			perl -e 'sub work { my $i = 0; $i++ while $i < 2e6 }
				$0 = "worker"; open F, ">", "started"; close F;
				select undef, undef, undef, 0.05 until -e "go";
				if (!($p = fork)) { work; exit }
				work; waitpid $p, 0;
				open F, ">", "child"; print F $p; close F;
				select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
			worker=$!
			until_true test -e started
			# shellcheck disable=SC2086
			pp-record -q --sideband=$mode -a -e cpu-clock $options -o out -- \
				perl -e 'open F, ">", "go"; close F; select undef, undef, undef, 0.05 until -s "child"'
			child=$(cat child)
			touch stop
			kill -CONT $idle
			wait $worker $idle
			pp-check -q out
			run fields out "select(.fields.pid == $idle and .type != \"SAMPLE\") | .type"
			assert_output ''
			# untimed, and before all else that is about the process
			run fields out "select(.fields.pid == $worker) | [.type, .fields.sample_id.time]"
			assert_line -n 0 '["FORK",0]'
			assert_line -n 1 '["COMM",0]'
			assert_line -n 2 '["MMAP2",0]'
			for pid in $worker $child; do
				pp-filter "pid == $pid" -i out -o of_pid
				pp-filter "comm == \"worker\"" -i of_pid -o of_name
				[ "$(count SAMPLE of_pid)" -gt 0 ]
				[ "$(count SAMPLE of_pid)" -eq "$(count SAMPLE of_name)" ]
			done
		done
	done
}

# ---- storms: as perf has them that records beside

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

@test "storms of forks, execs, threads and libraries have perf's names, maps and samples" {
	need_storm
	storms 'fork all' 'fork late' 'exec all' 'exec lazy' 'thread lazy' 'thread late' 'library lazy'
}

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

# ---- the kernel's own code

@test "functions of BPF programs that are loaded already have their names" {
	need_all_cpus
	need "${CC:-cc}"
	"${CC:-cc}" -o loader "$TESTS/tools/record/bpf.c"
	local options loader
	./loader 2>refused 3>&- &
	loader=$!
	until_true test -e loaded -o -s refused
	[ -e loaded ] || skip "$(cat refused)"
	for options in "-a" "--sideband=none -a" ""; do
		echo "options: $options"
		# shellcheck disable=SC2086
		pp-record -q -e cpu-clock $options -o out -- true
		pp-check -q out
		fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | [.name, .ksym_type]' >symbols
		grep -E '^\["bpf_prog_[0-9a-f]{16}_pp_outer",1\]$' symbols
		grep -E '^\["bpf_prog_[0-9a-f]{16}_pp_inner",1\]$' symbols
		# at the addresses of kallsyms, where they are shown (older kernels have another tag there)
		fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | .addr[2:] + " " + .name' |
			sed -nE 's/^"(.*)bpf_prog_.*(_pp_.*)"$/\1\2/p' | sort >ours.txt
		awk '$3 ~ /^bpf_prog_.*_pp_/ && $1 !~ /^0*$/ { print $1, substr($3, 26) }' /proc/kallsyms | sort >theirs.txt
		[ ! -s theirs.txt ] || diff theirs.txt ours.txt
		if once perf perf version; then
			perf_quiet report --header-only -I -i out >header
			grep -E 'sub_prog 1: bpf_prog_[0-9a-f]{16}_(F|pp_inner) addr' header
		fi
	done
	touch stop
	wait $loader
}

# ---- where tasks are

@test "--namespaces and --all-cgroups tell what there is already, in every mode" {
	need_all_cpus
	local mode mount
	stat -L -c %i /proc/$$/ns/{net,uts,ipc,pid,user,mnt,cgroup} >want || skip "there are not all namespaces"
	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
	[ -n "$mount" ] || mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	for mode in all lazy late; do
		echo "--sideband=$mode"
		pp-record -q -a -e cpu-clock --sideband=$mode --namespaces --all-cgroups -o out -- "${WORK[@]}"
		pp-check -q out
		# $$ is an ancestor of the command
		fields out "select(.type == \"NAMESPACES\" and .fields.tid == $$ and .fields.sample_id.time == 0).fields.namespaces[].ino" >got
		diff want got
		[ -z "$mount" ] || {
			fields out 'select(.type == "CGROUP" and .fields.sample_id.time == 0).fields | [.path, .id]' >groups
			grep -Fx "[\"/\",$(stat -c %i "$mount")]" groups
		}
	done
}

@test "code that the kernel makes for itself has its names" {
	need_events
	awk '$1 !~ /^0*$/ && ($4 ~ /^\[__builtin__/ || $4 == "[bpf]" && $3 ~ /^bpf_(trampoline|dispatcher)_/) { print $1, $3 }' /proc/kallsyms | sort >want
	[ -s want ] || skip "there is none, or it is not shown"
	pp-record -q -e cpu-clock -o out -- true
	fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | .addr[2:] + " " + .name' |
		tr -d '"' | grep -v ' bpf_prog_' | sort >got
	# what comes and goes meanwhile aside
	awk '$1 !~ /^0*$/ { print $1, $3 }' /proc/kallsyms | sort >now
	comm -12 want now >still
	[ -s still ]
	comm -23 still got >missing
	run cat missing
	assert_output ''
}

@test "files of maps that no path of ours leads to have their build-ids" {
	need_all_cpus
	need_root
	need "${CC:-cc}" unshare chroot mount
	local how pid prefix
	cat >idle.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char buf[65536];
			const int from = argc > 1 ? open(argv[0], O_RDONLY) : -1;
			const int to = argc > 1 ? memfd_create("idle", 0) : -1;
			ssize_t n;
			if (argc < 2)
				sleep(120);
			while ((n = read(from, buf, sizeof(buf))) > 0)
				if (write(to, buf, n) != n)
					return 1;
			return argc > 1 ? fexecve(to, (char *[]){ "idle", 0 }, (char *[]){ 0 }) : 0;
		}
	END
	"${CC:-cc}" -static -Wl,--build-id -o idle idle.c || skip "programs cannot be linked statically here"
	mkdir root mount lower upper work merged
	cp idle root/rooted
	cp idle lower/idle
	cp idle gone
	: >pids
	./idle 3>&- & echo "$! /idle\$" >>pids
	./gone 3>&- & echo "$! /gone (deleted)\$" >>pids
	./idle memfd 3>&- & echo "$! ^/memfd:idle (deleted)\$" >>pids
	chroot root /rooted 3>&- & echo "$! /rooted\$" >>pids
	if unshare -m true; then
		unshare -m sh -c 'mount -t tmpfs none mount && cp idle mount/hidden && exec mount/hidden' 3>&- & echo "$! /hidden\$" >>pids
		unshare -m sh -c 'mount -t tmpfs none mount && mkdir mount/a mount/u mount/w mount/m && cp idle mount/a &&
			mount -t overlay -o lowerdir=mount/a,upperdir=mount/u,workdir=mount/w none mount/m && exec mount/m/idle || exec ./idle' 3>&- &
		echo "$! /idle\$" >>pids
	fi
	while read -r pid how; do
		until_true runs "$pid" "${how%% (*}"
	done <pids
	rm gone
	pp-record -q -a -e cpu-clock -o out -- true
	while read -r pid how; do kill "$pid"; done <pids
	fields out 'select(.type == "MMAP2" and .fields.sample_id.time == 0 and .fields.build_id_size > 0).fields |
		[.pid, .build_id, .filename]' | tr -d '[]"' >maps
	local id
	id=$(grep "^$(head -n 1 pids | cut -d ' ' -f 1)," maps | grep '/idle$' | cut -d , -f 2 | sort -u)
	[ ${#id} -ge 32 ]
	while read -r pid how; do
		echo "$pid: $how"
		grep "^$pid," maps | cut -d , -f 2- | grep "^$id," | cut -d , -f 2 | grep -- "$how"
	done <pids
}

@test "maps of huge pages are called what perf calls them" {
	need_all_cpus
	need_root
	need_perf
	need "${CC:-cc}" unshare mount
	mkdir huge
	unshare -m mount -t hugetlbfs none huge || skip "there is no hugetlbfs here"
	cat >huge.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(void)
		{
			const int code = PROT_READ | PROT_EXEC, fd = open("huge/file", O_RDWR | O_CREAT, 0600);
			if (mmap(NULL, 2 << 20, code, MAP_SHARED | MAP_NORESERVE, fd, 0) == MAP_FAILED ||
			    mmap(NULL, 2 << 20, code, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0) == MAP_FAILED)
				return 1;
			close(open("mapped", O_WRONLY | O_CREAT, 0600));
			return sleep(120);
		}
	END
	"${CC:-cc}" -o mapper huge.c
	unshare -m sh -c 'mount -t hugetlbfs none huge || exit
		./mapper 3>&- & pid=$!
		for try in $(seq 600); do [ -e mapped ] && break; kill -0 $pid || exit 77; sleep 0.05; done
		pp-record -q -e cpu-clock -p $pid -o ours --duration 0.1
		perf record -q -e cpu-clock -p $pid -o theirs -- sleep 0.1
		kill $pid' || skip "there are no huge pages here"
	perf_quiet script -i theirs --show-mmap-events | grep anon | sed 's/.*: r-x. //' | sort >theirs.txt
	fields ours 'select(.type == "MMAP2" and (.fields.filename | test("anon"))).fields | [.filename, .flags]' >names
	jq -r '.[0]' names | sort >ours.txt
	diff theirs.txt ours.txt
	# MAP_HUGETLB, as the kernel has it for new maps
	grep -E '^\["//anon","?(0x40001|262145)"?\]$' names
}

# is_stopped PID
is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }

@test "--sideband=late counts whom it came too late for, and gives nobody a name of later" {
	need_events
	# no sample of theirs is taken, and nobody is looked up, before the recorder itself is stopped
	local wait_for='kill STOP => $$; my $i = 0; $i++ while $i < 3e6;' ends changes recorder
	perl -e "$wait_for" 3>&- &
	ends=$!
	perl -e "$wait_for"' exec "perl", "-e", q($0 = "changed"; open F, ">", "changed"; select undef, undef, undef, 0.05 until -e "stop")' 3>&- &
	changes=$!
	until_true is_stopped $ends
	until_true is_stopped $changes
	pp-record --sideband=late -e cpu-clock -p $ends,$changes -o out 2>err 3>&- &
	recorder=$!
	until_true begun out
	kill -STOP $recorder
	until_true is_stopped $recorder
	kill -CONT $ends $changes
	wait $ends
	until_true test -e changed
	kill -CONT $recorder
	touch stop
	wait $changes $recorder
	run cat err
	assert_line --partial '1 had ended and 1 had run another program before they were looked up'
	run pp-info --note sideband.late out
	assert_output '{"ended":1,"execed":1}'
	pp-check -q out
	run fields out "select(.type == \"MMAP2\" and .fields.sample_id.time == 0 and (.fields.pid == $ends or .fields.pid == $changes)) | .fields.pid"
	assert_output ''
	pp-filter "pid == $changes && comm == \"changed\"" -i out | pp-sort | json >later
	# the samples of before have no name, and above all not that of after
	run -0 jq -s 'map(select(.type == "SAMPLE")) | length' later
	pp-filter "pid == $changes" -i out -o of_pid
	[ "$(count SAMPLE of_pid)" -gt "$output" ]
}
