# span.bats - pp-span: waits of threads, as samples whose period is how long they were.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load span/sched
}

# told LINE...: what waits prints
told() { diff <(printf '%s\n' "$@") got; }

@test "off-cpu: a wait is one sample of its thread, with the stack where it left, at the time when it ran again" {
	two | switches new flag >in
	waits --no-cut >got
	told 'time 7 2000 1000 0x1 300' 'preempted 7 4000 500 0x0 0'
	pp-span off-cpu -q --no-cut in >out
	sound out
	[ "$(json out | jq -c 'select(.type == "SAMPLE").fields | [.ip, .pid, .cpu] + .callchain' | head -n 1)" = \
		'["0xffffffff81000010",7,0,"0xffffffffffffff80","0xffffffff81000010","0xfffffffffffffe00","0x401000"]' ]
	# the switches are gone, and the new events come first
	[ "$(json out | grep -c '"type":"SWITCH"')" -eq 0 ]
	[ "$(json out | jq -r 'select(.type == "HEADER_ATTR").fields.attr | "\(.type):\(.config)"' | xargs)" = \
		'1:0xa 1:0xa 1:0xa 2:0xb 2:0xc 2:0xd 1:0x3' ]
	[ "$(json out | jq -r 'select(.type == "EVENT_UPDATE").fields.name' | xargs)" = \
		'offcpu-time offcpu-preempted offcpu-cut sched:sched_switch sched:sched_waking sched:sched_wakeup_new' ]
}

@test "off-cpu: a thread waits from the first time on if it was there and comes in, and to the last one" {
	{
		at 900 waking 8 9
		two
		at 5000 switch 7 2 0
		at 5005 out 7
		at 6000 waking 8 9
	} | switches new flag >in
	waits >got
	told 'cut 7 900 100 0x40000000 0' 'time 7 2000 1000 0x1 300' 'preempted 7 4000 500 0x0 0' 'cut 7 5000 1000 0x2 0'
	run -0 --separate-stderr pp-span off-cpu --no-cut in -o out
	[ "$stderr" = 'pp-span: spans of which only a part was recorded, left out: 2, 0.000 s' ]
}

@test "off-cpu: the letters of a state are those of the stream's own kernel" {
	local table
	for table in old new; do
		{
			at 1000 in 7
			at 2000 switch 7 1 0
			at 2100 in 7
			at 3000 switch 7 16 0
			at 3005 out 7
			at 3100 in 9
			at 4000 switch 9 32 0
			at 4005 out 9
			at 4100 in 11
			at 5000 switch 11 64 0
			at 5100 in 11
			at 6000 switch 11 256 0
			at 6100 in 11
			at 7000 switch 11 1026 0
			at 7100 in 11
		} | switches $table flag >in
		waits --no-cut >got.$table
	done
	printf '%s\n' 'time 7 2000 100 0x1 0' 'preempted 11 6000 100 0x0 0' >want.old
	diff <(printf '%s\n' 'time 7 2000 100 0x1 0' 'preempted 11 6000 100 0x0 0' 'time 11 7000 100 0x80 0') got.old
	diff <(printf '%s\n' 'time 7 2000 100 0x1 0' 'time 11 5000 100 0x40 0' 'preempted 11 6000 100 0x0 0' 'time 11 7000 100 0x2 0') got.new
}

@test "off-cpu: without SWITCH records a wait ends at the switch to the thread, and is cut where that is missing" {
	{
		at 1000 switch 7 1 0
		at 1400 waking 8 7
		at 1500 switch 8 1 7
		at 2000 switch 7 1 9
		at 2300 waking 8 7
		at 2500 switch 7 1 9
		at 2700 switch 7 1 8
	} | switches new >in
	waits >got
	told 'time 7 1000 500 0x1 100' 'cut 7 2000 300 0x1 0' 'cut 7 2500 200 0x1 0' 'time 8 1500 1200 0x1 0' \
		'cut 7 2700 0 0x1 0'
}

@test "off-cpu: with SWITCH records only these end a wait" {
	{
		at 1000 in 7
		at 2000 switch 7 1 9
		at 2005 out 7
		at 2500 switch 9 1 7
		at 2600 in 7
		at 3000 count 7
		at 3005 out 7
		at 3100 switch 7 2 9
		at 3105 out 7
		at 3200 in 7
	} | switches new flag >in
	waits --no-cut >got
	told 'time 7 2000 600 0x1 0' 'time 7 3100 100 0x2 0'
	waits | grep -q '^cut 7 3000 100 0x40000000 0$'
}

@test "off-cpu: a wait during which records were lost is cut" {
	{
		two
		at 5000 switch 7 1 0
		at 5005 out 7
		at 5500 lost
		at 6000 in 7
		at 7000 out 7
		at 7100 in 7
	} | switches new flag >in
	waits | grep -v '^cut 7 1000 0' >got
	told 'time 7 2000 1000 0x1 300' 'preempted 7 4000 500 0x0 0' 'cut 7 5000 1000 0x1 0' 'time 7 7000 100 0x40000000 0'
}

@test "off-cpu: a new thread waits from its wakeup until it runs, and one that has ended does not wait" {
	{
		at 1000 in 7
		echo fork pid=7 ppid=7 tid=9 ptid=7 time=2000 s_time=2000
		at 2100 new 7 9
		at 2500 in 9
		echo fork pid=7 ppid=7 tid=10 ptid=7 time=2600 s_time=2600
		at 2700 in 10
		echo exit pid=7 ppid=7 tid=9 ptid=7 time=2800 s_time=2800
		at 2900 switch 9 16 0
		at 2905 out 9
		at 3000 out 10
		echo exit pid=7 ppid=7 tid=10 ptid=7 time=3010 s_time=3010
		echo fork pid=7 ppid=7 tid=9 ptid=7 time=3100 s_time=3100
		at 3300 in 9
	} | switches new flag >in
	waits --no-cut >got
	told 'preempted 9 2100 400 0x0 0' 'preempted 10 2600 100 0x0 0' 'preempted 9 3100 200 0x0 0'
}

@test "off-cpu: a thread is known by its number in the recorder's namespace" {
	{
		at 1000 in 7
		at 2000 switch 7 1 0 | sed "s/raw=[0-9a-f]*/raw=$(raw 4007 1 0)/"
		at 2005 out 7
		at 2200 waking 8 4007
		at 2300 in 7
		echo "sample id=11 pid=-1 tid=-1 cpu=1 time=2400 ip=0x401000 misc=2 raw=$(raw 4007 16 0)"
	} | switches new flag >in
	waits --no-cut >got
	told 'time 7 2000 300 0x1 100'
}

@test "off-cpu: kernel threads are left out and counted, unless they are asked for" {
	local kernel=0xffffffffffffff80,0xffffffff81000010
	{
		at 1000 in 7
		at 1000 in 9
		at 2000 switch 7 1 0
		at 2100 switch 9 1 0 $kernel
		at 2200 in 7
		at 2300 in 9
		at 3000 switch 7 1 0 $kernel
		at 3100 in 7
	} | switches new flag >in
	waits --no-cut >got
	told 'time 7 2000 200 0x1 0' 'time 7 3000 100 0x1 0'
	waits --no-cut --kernel-threads >got
	told 'time 7 2000 200 0x1 0' 'time 9 2100 200 0x1 0' 'time 7 3000 100 0x1 0'
	run -0 --separate-stderr pp-span off-cpu --no-cut in -o out
	[ "${stderr_lines[1]}" = 'pp-span: waits of kernel threads, left out (--kernel-threads): 1, 0.000 s' ]
}

@test "off-cpu: --min counts shorter ones, --keep lets pass what there was, --wakers shows who woke the thread" {
	two | switches new flag >in
	waits --no-cut --min 0.0000006 >got
	told 'time 7 2000 1000 0x1 300'
	pp-span off-cpu -q --keep in >out
	for type in SWITCH SAMPLE; do
		[ "$(json out | jq -c "select(.type == \"$type\") | select(.event | startswith(\"offcpu\") | not) | del(.offset, .index)" | md5sum)" = \
			"$(json in | jq -c "select(.type == \"$type\") | del(.offset, .index)" | md5sum)" ]
	done
	waits --no-cut --wakers >got
	told 'waker 8 2000 1000 0x7 300' 'time 7 2000 1000 0x1 300' 'preempted 7 4000 500 0x0 0'
}

@test "wakeup: the part of a wait from its waking on is a sample of the thread that was woken, when it runs" {
	{
		two
		at 5000 switch 7 1 0
		at 5005 out 7
		at 5200 waking 8 7
		at 5300 lost
		at 5400 in 7
	} | switches new flag >in
	made() { json out | jq -r 'select(.type == "SAMPLE") | .event as $e | .fields | "\($e) \(.tid) \(.time) \(.period)"'; }
	pp-span wakeup -q in >out
	sound out
	made >got
	told 'wakeup 7 3000 300' 'wakeup-cut 7 5400 200'
	[ "$(json out | jq -r 'select(.type == "SAMPLE").fields.ip' | head -n 1)" = 0xffffffff81000010 ]
	pp-span wakeup -q --no-cut --wakers --min 200ns in >out
	made >got
	told 'wakeup-waker 8 3000 300' 'wakeup 7 3000 300'
	# without wakings nothing changes
	printf '%s\n' header 'attr id=1 sample_type=TID,TIME,IDENTIFIER flags=sample_id_all,context_switch' \
		'switch pid=7 tid=7 time=5 event=1 out' round | build >in
	run -0 --separate-stderr pp-span wakeup in -o out
	[ "$stderr" = 'pp-span: the stream does not say when threads are woken: all passes unchanged (pp-record --off-cpu=wakers)' ]
	same_bytes in out
}

@test "off-cpu: perf's own waits become the same, those that it added up have the last time of the stream" {
	found perf7-offcpu.pipe
	pp-span off-cpu "$FOUND/perf7-offcpu.pipe" >out 2>err
	[ "$(cat err)" = 'pp-span: samples that are sums of several waits, as perf adds them up: 3' ]
	[ "$(pp-fold -q out | md5sum)" = "$(pp-fold -q "$FOUND/perf7-offcpu.pipe" | md5sum)" ]
	[ "$(json out | jq -r 'select(.type == "SAMPLE").fields | "\(.tid) \(.time) \(.period)"' | xargs)" = \
		'101 5000000000 600000000 101 5000000000 1000000 101 5000000000 2000000 101 5000000000 3000000' ]
}

@test "off-cpu: on a page waits are shown as time, and begin before their samples" {
	facts() { sed -nE 's/.*<p id="facts">([^\n]*)<\/p>.*/\1/p' | sed -e 's/<[^>]*>//g' -e 's/\xe2\x80\xaf/ /g'; }
	{
		at 1000000000 in 7
		at 2000000000 switch 7 1 0
		at 2600000000 in 7
		at 3000000000 switch 7 1 0
		at 3100000000 in 7
	} | switches new flag >in
	pp-span off-cpu -q --no-cut in >out
	[ "$(pp-flame -q out | facts)" = '700 ms of waiting in 2 waits · over 1.10 s · 1 thread of 1 program · nothing lost' ]
}

@test "off-cpu: a stream that does not say when threads wait passes, one that says only half of it is refused" {
	printf '%s\n' header attr 'sample pid=1 time=5' round | build >in
	run -0 --separate-stderr pp-span off-cpu in -o out
	[ "$stderr" = 'pp-span: the stream does not say when threads leave their CPUs: all passes unchanged (pp-record --off-cpu)' ]
	same_bytes in out
	printf '%s\n' header 'attr config=3' 'sample pid=1 time=5' round | build >in
	run -2 --separate-stderr pp-span off-cpu in -o out
	[[ $stderr == *': the stream says when threads leave their CPUs, but not when they are back (--switch-events)' ]]
	printf '%s\n' header 'attr sample_type=IP,TID,TIME flags=sample_id_all,context_switch' 'switch pid=1 time=5' round | build >in
	run -2 --separate-stderr pp-span off-cpu in -o out
	[[ $stderr == *'samples of this stream do not say which event they are of: no other can be added to it' ]]
	run -2 --separate-stderr pp-span in
	[[ $stderr == *"'in' is no preset: there are off-cpu, wakeup, syscalls, block, irq, softirq and locks"* ]]
}

@test "off-cpu: any chunking gives the same, and a cut stream ends in status 3 with every whole wait" {
	two | switches new flag | pp-cat --seal >in
	pp-span off-cpu -q in >whole
	trickle in 7 | pp-span off-cpu -q | same_bytes whole -
	perl "$TESTS/variants.pl" in 40 'substr $in, 0, $n' pp-span off-cpu -q changed >cuts
	[ "$(awk '$2 != 3' cuts | wc -l)" -eq 1 ]
	head -c -60 in >cut
	run -3 --separate-stderr pp-span off-cpu -q --no-cut cut -o out
	[ "$(json out 2>/dev/null | grep -c '"event":"offcpu-')" -ge 1 ]
}
