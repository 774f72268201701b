# pp-count: tasks that are many, and tasks that come and go.

setup() {
	load ../../helper
	load counting
	need jq
	need_counts
	need_tracepoints
}

# crowd N [BETWEEN]: that many threads, as process $crowd, with so many numbers of none before the last
crowd() {
	"${CC:-cc}" -O1 -pthread -o crowd "$TESTS/tools/count/crowd.c"
	mkfifo asked done
	./crowd "$@" <asked >done &
	crowd=$!
	exec 8>asked 9<done
	read -r <&9
}
teardown() { exec 8>&- 9<&- || :; }

# counted FILE: how many counters have what count at the end, and how many times they say so
counted() {
	json "$1" | jq -cn 'reduce (inputs | select(.type == "STAT").fields) as $s ({}; .["\($s.thread)"] = $s.val) |
		[.[]] | group_by(.) | map([.[0], length])'
}

# bats test_tags=nightly
@test "of hundreds of threads each count is exact, in every run" {
	crowd 300
	pp-count -r 2 -p $crowd -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(counted out)" = '[[6,300]]' ]
	[ "$(json out | jq -n 'reduce (inputs | select(.type == "STAT").fields.val) as $v (0; . + $v)')" -eq $((300 * (3 + 6))) ]
	# what they do before and between runs is not counted
	pp-count -r 2 --pre 'echo >&8; head -n 1 <&9 >/dev/null' -p $crowd -e syscalls:sys_enter_chdir -o out -- \
		sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(counted out)" = '[[6,300]]' ]
	pp-count -p $crowd -e syscalls:sys_enter_chdir,task-clock -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(last syscalls:sys_enter_chdir out)" -eq 900 ]
	pp-count -p $crowd -e syscalls:sys_enter_chdir -I 10 -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null; sleep 0.05'
	[ "$(counted out)" = '[[3,300]]' ]
	pp-count -p $crowd -e '{syscalls:sys_enter_chdir,cs}' -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(last syscalls:sys_enter_chdir out)" -eq 900 ]
	pp-count -p $crowd -D -1 -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(counted out)" = '[[0,300]]' ]
}

@test "of thousands of threads all are found, also where their numbers are far apart" {
	local between
	for between in 0 100 5000; do
		rm -f asked done
		crowd 1500 $between
		pp-count -p $crowd -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
		json out | jq 'select(.type == "THREAD_MAP").fields.entries[].pid' | sort -n >found
		ls /proc/$crowd/task | sort -n | cmp - found
		[ "$(counted out)" = '[[3,1500]]' ]
		exec 8>&-
		wait $crowd
	done
}

@test "of more threads than a record has room for pp-stat shows all, also where perf cut the record" {
	local turn='echo >&8; head -n 1 <&9 >/dev/null'
	crowd 3000
	pp-count -p $crowd -e syscalls:sys_enter_chdir -o out -- sh -c "$turn"
	run -0 pp-stat -x, out
	[[ $output = 9000,* ]]
	[ "$(pp-stat --per-thread -x, out | cut -d, -f1,2 | sort -u | grep -c '^-[0-9]*,3$')" -eq 3000 ]
	need_perf
	perf stat record -p $crowd -e syscalls:sys_enter_chdir -o cut -- sh -c "$turn"
	run -0 pp-stat -x, cut
	[[ $output = 9000,* ]]
}

@test "of hundreds of threads the counts are those of perf stat, which reads them thread by thread" {
	need_perf
	crowd 300
	pp-count --per-thread -p $crowd -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	perf stat report -i - <out >said 2>&1
	grep -E '^ +900 +syscalls:sys_enter_chdir' said
	[ "$(json out | jq -r 'select(.type == "HEADER_ATTR").fields.id | length, (unique | length)' | paste -sd' ')" = '300 300' ]
	[ "$(json out | jq -r 'select(.type == "HEADER_ATTR").fields.attr.flags.disabled')" = 1 ]
	# each STAT has the id of its own counter
	[ "$(json out | jq -r 'select(.type == "STAT").fields.id' | sort -u | wc -l)" -eq 300 ]
}

@test "ids are those of the counters, also where other programs open theirs meanwhile" {
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	crowd 300
	for every in 0 1 7 100 299; do
		rm -f log
		FAKE_OTHERS=$every FAKE_LOG=$PWD/log LD_PRELOAD=$BIN/tests/fake/kernel.so \
			pp-count -p $crowd -e cycles,instructions -o out -- true
		[ "$(json out | jq -r 'select(.type == "HEADER_ATTR").fields.id[]' | while read -r id; do echo $((id)); done)" = \
			"$(sed -n 's/^open \([0-9]*\) .*/\1/p' log)" ]
	done
}

@test "the command runs where it may, although the counters were opened elsewhere" {
	crowd 300
	grep Cpus_allowed: /proc/self/status >before
	pp-count -p $crowd -e task-clock -o out -- grep Cpus_allowed: /proc/self/status 2>&1 >now
	cmp before now
	pp-count -r 2 -p $crowd -e task-clock -o out -- grep Cpus_allowed: /proc/self/status 2>&1 >now
	[ "$(sort -u now)" = "$(cat before)" ]
}

@test "names of threads are left out where there are thousands, but for --per-thread" {
	crowd 1200
	names() { json out | jq -r 'select(.type == "THREAD_MAP").fields.entries[].comm' | sort | uniq -c | sed 's/^ *//'; }
	pp-count -p $crowd -e task-clock -o out -- true
	[ "$(names)" = '1200 ' ]
	pp-count --per-thread -p $crowd -e task-clock -o out -- true
	[ "$(names)" = '1200 crowd' ]
}

@test "with -a --per-thread all threads there are are counted, the command's and those of others, each by itself" {
	once pp_all_counts pp-count -a -e task-clock -o probe -- true || skip "counting others' tasks is refused here"
	crowd 5
	pp-count -a --per-thread -e syscalls:sys_enter_chdir -o out -- \
		perl -e 'chdir "/" for 1 .. 7; open my $to, ">&=8"; syswrite $to, "\n"; open my $from, "<&=9"; sysread $from, $_, 5'
	pp-check out
	[ "$(note count out | jq -c '[.all, .thread, .command[0]]')" = '[true,true,"perl"]' ]
	[ "$(json out | jq -r 'select(.type == "STAT").fields.cpu' | sort -u)" = -1 ]
	pp-stat -x, out >said
	[ "$(grep -c '^crowd-[0-9]*,3,,syscalls:sys_enter_chdir,' said)" -eq 5 ]
	grep -qE '^perl-[0-9]+,7,,syscalls:sys_enter_chdir,' said
	# of the others only those that counted something
	! grep -vE '^[^,]+,[1-9][0-9]*,' said
	pp-stat out | grep -F "counter stats for 'system wide'"
	# the same without a command and -a
	pp-count --per-thread --duration 100ms -e syscalls:sys_enter_chdir -o idle
	json idle | jq -r 'select(.type == "THREAD_MAP").fields.entries[].pid' | grep -x $crowd
	need_perf
	pp-count -a --per-thread -e page-faults -- true | perf stat report -i - 2>&1 | grep -E ' page-faults( |$)'
}

@test "threads that end while they are counted keep their counts, and those they start are counted with them" {
	mkfifo go
	perl -e 'open my $go, "<", "go"; for (1 .. 20) { chdir "/"; if (!fork) { chdir "/" for 1 .. 3; exit } } 1 while wait > 0; chdir "/"' &
	worker=$!
	pp-count -p $worker -e syscalls:sys_enter_chdir -o out -- sh -c "echo >go; while kill -0 $worker 2>/dev/null; do sleep 0.01; done"
	[ "$(last syscalls:sys_enter_chdir out)" -eq $((21 + 60)) ]
	pp-check out
}

@test "too low a limit on open files is said before any is opened, with what to do about it" {
	need setpriv
	need prlimit
	need_root
	crowd 300
	# no capability: who has it may raise the limit
	run -4 prlimit --nofile=100:100 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		pp-count -p $crowd -e task-clock -o none
	assert_output --regexp '^pp-count: cannot open counters of 300 threads: 100 files may be open: raise that '
	assert_output --regexp '\(ulimit -n 3[0-9]+\), or count fewer threads: Too many open files$'
	[ ! -e none ]
	for all in -a '-C 0'; do
		# shellcheck disable=SC2086 # words
		run -4 prlimit --nofile=12:12 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
			pp-count $all -e cpu-clock,page-faults,cs -o none
		assert_output --regexp '^pp-count: cannot open 3 counters on [0-9]+ CPUs: 12 files may be open: raise that '
		assert_output --regexp '\(ulimit -n [0-9]+\), or count fewer events or CPUs \(-C\): Too many open files$'
	done
}

@test "of a process or a thread that is not there it is not said that it is recorded" {
	gone=$(sh -c 'echo $$')
	for option in "-p:process" "-t:thread"; do
		run -4 pp-count "${option%:*}" "$gone" -e task-clock -o none
		assert_output "pp-count: cannot measure ${option#*:} $gone: No such process"
		[ ! -e none ]
	done
}

@test "threads that -t names are counted alone, and each process of a list with all its threads" {
	crowd 5
	threads=(/proc/$crowd/task/*)
	some=${threads[1]##*/},${threads[3]##*/}
	pp-count -t "$some" -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	[ "$(counted out)" = '[[3,2]]' ]
	[ "$(json out | jq 'select(.type == "THREAD_MAP").fields.entries[].pid' | paste -sd,)" = "$some" ]
	sleep 100 &
	idle=$!
	pp-count -p "$crowd,$idle" -e syscalls:sys_enter_chdir -o out -- sh -c 'echo >&8; head -n 1 <&9 >/dev/null'
	kill $idle
	[ "$(last syscalls:sys_enter_chdir out)" -eq 15 ]
	[ "$(json out | jq -c 'select(.type == "THREAD_MAP").fields.entries | [length, (map(.pid) | index('$idle') != null)]')" = '[6,true]' ]
}
