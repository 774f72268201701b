# sched.bash - streams of switches, from a few words each.

# tracepoints old|new: the tracing data of sched_switch (11), sched_waking (12) and sched_wakeup_new (13), with
# the numbers of states as before 4.14 or since
tracepoints() {
	perl -e '
		my $flags = shift eq "old" ?
			q({ 1, "S" }, { 2, "D" }, { 4, "T" }, { 8, "t" }, { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 128, "K" }, { 256, "W" }, { 512, "P" }, { 1024, "N" }) :
			q({ 0x0001, "S" }, { 0x0002, "D" }, { 0x0004, "T" }, { 0x0008, "t" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" });
		my @formats = (
			"name: sched_switch\nID: 11\nformat:\n\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n" .
			"\tfield:long prev_state;\toffset:16;\tsize:8;\tsigned:1;\n\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n" .
			"\nprint fmt: \"prev_state=%s\", __print_flags(REC->prev_state & 0xff, \"|\", $flags)\n",
			map { "name: $$_[1]\nID: $$_[0]\nformat:\n\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"pid=%d\", REC->pid\n" }
			[ 12, "sched_waking" ], [ 13, "sched_wakeup_new" ]);
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CCL<", 0, 8, 4096) . "header_page\0" . pack("Q<", 0)
			. "header_event\0" . pack("Q<", 0) . pack("L<2", 0, 1) . "sched\0" . pack("L<", scalar @formats)
			. join("", map { pack("Q<", length) . $_ } @formats) . pack("L<2Q<", 0, 0, 0);
		print "tracing hex=", unpack("H*", $data), "\n"' "$1"
}

# at TIME switch TID STATE NEXT [CHAIN]; at TIME waking|new BY TID; at TIME out|preempt|in TID; at TIME lost:
# a line for build.pl
at() {
	local time=$1 what=$2 tid=$3
	case $what in
	switch)
		echo "sample id=11 pid=7 tid=$tid cpu=1 time=$time ip=0xffffffff81000010 misc=1 raw=$(raw "$tid" "$4" "$5")" \
			"callchain=${6:-0xffffffffffffff80,0xffffffff81000010,0xfffffffffffffe00,0x401000}" ;;
	waking) echo "sample id=12 pid=8 tid=$tid cpu=0 time=$time ip=0x500000 misc=2 raw=$(raw "$4") callchain=0xfffffffffffffe00,0x500000" ;;
	new) echo "sample id=13 pid=8 tid=$tid cpu=0 time=$time ip=0x500000 misc=2 raw=$(raw "$4")" ;;
	count) echo "sample id=14 pid=7 tid=$tid cpu=1 time=$time ip=0x401000 misc=2 callchain=0xfffffffffffffe00,0x401000" ;;
	out) echo "switch pid=7 tid=$tid cpu=1 time=$time event=14 out" ;;
	preempt) echo "switch pid=7 tid=$tid cpu=1 time=$time event=14 out preempt" ;;
	in) echo "switch pid=7 tid=$tid cpu=0 time=$time event=14" ;;
	lost) echo "lost id=14 lost=3 cpu=1 time=$time event=14" ;;
	esac
}

# raw PID [STATE NEXT]: what such a sample has
raw() {
	perl -e 'my ($pid, $state, $next) = @ARGV;
		print unpack "H*", defined $state ? pack "x8 l< x4 q< l< x8", $pid, $state, $next : pack "x8 l< x8", $pid' "$@"
}

# switches old|new [flag]: a stream of what is on standard input, calls of at; flag: it has SWITCH records
switches() {
	local bits=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER
	{
		echo header
		echo "attr id=11 type=2 config=11 sample_type=$bits,RAW flags=sample_id_all"
		echo "attr id=12 type=2 config=12 sample_type=$bits,RAW flags=sample_id_all"
		echo "attr id=13 type=2 config=13 sample_type=$bits,RAW flags=sample_id_all"
		echo "attr id=14 type=1 config=3 sample_type=$bits flags=sample_id_all${2:+,context_switch}"
		echo "event_update id=11 name=sched:sched_switch"
		echo "event_update id=12 name=sched:sched_waking"
		echo "event_update id=13 name=sched:sched_wakeup_new"
		tracepoints "$1"
		echo "fork pid=7 ppid=1 tid=7 ptid=1 synthesized"
		echo "comm pid=7 tid=7 comm=waiter synthesized"
		cat
		echo round
	} | build
}

# two: a thread that sleeps, is woken and runs again, and is preempted once
two() {
	at 1000 in 7
	at 2000 switch 7 1 0
	at 2005 out 7
	at 2700 waking 8 7
	at 3000 in 7
	at 4000 switch 7 0 9
	at 4005 preempt 7
	at 4500 in 7
}

# waits [OPTION...]: what pp-span makes of in, a line each: event tid begin period state weight
waits() {
	pp-span off-cpu -q "$@" in | json | jq -r 'select(.type == "SAMPLE" and (.event | startswith("offcpu"))) | .event as $event | .fields |
		"\($event[7:]) \(.tid) \(.time - .period) \(.period) \(.addr) \(.weight)"'
}
