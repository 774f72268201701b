# off_cpu.bats - perf's own samples of threads off the CPU, since 6.16, which have what they are about in their
# raw data.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# raw pid tid ns cgroup address...: such raw data, in the byte order of $order, as a line of build.pl wants it
raw() {
	perl -e 'my ($pid, $tid, $ns, $group, @chain) = map { /^0x/ ? hex : $_ } @ARGV;
		my $o = $ENV{order} // "<";
		print unpack "H*", pack "L${o}2 Q${o}2 q$o Q$o* x4", $pid, $tid, $ns, 1 + @chain, -512, @chain, $group' "$@"
}

# waits [big] [NAME] [MORE]: two threads that waited, of an event of that name with these bits more
waits() {
	{
		echo "header $1"
		echo "attr type=1 config=10 id=77 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER${3:-} period=1 flags=sample_id_all"
		echo "event_update id=77 name=${2:-offcpu-time}"
		echo comm pid=100 comm=idle time=1
		echo comm pid=100 tid=101 comm=waiter time=2
		echo mmap2 pid=100 start=0x400000 len=0x4000 pgoff=0 file=/bin/waiter prot=5 time=3
		echo mmap2 pid=100 start=0x500000 len=0x4000 pgoff=0 file=/bin/other prot=5 time=4
		echo cgroup id=5 path=/one time=5
		echo cgroup id=6 path=/two time=6
		echo "sample pid=3 tid=4 cpu=1 time=5000000000 ip=0 period=0 misc=2 raw=$(raw 100 101 600000000 5 0x401000 0x402000)"
		echo "sample pid=3 tid=4 cpu=1 time=6000000000 ip=0 period=0 misc=2 raw=$(raw 100 100 1000000 6 0x403000)"
		echo round
	} | build
}

# bats test_tags=T3-A18
@test "off-CPU: samples of perf 6.16 and later show as perf 7.3 shows them" {
	found perf7-offcpu.pipe
	cat >wanted <<-END
		waiter 101 [000] 5.000000: 600000000 offcpu-time:
		401000 [unknown] ([unknown])
		402000 [unknown] ([unknown])
		waiter 101 [000] 18446744069.414584: 1000000 offcpu-time:
		403000 [unknown] ([unknown])
		402000 [unknown] ([unknown])
		waiter 101 [000] 18446744069.414584: 2000000 offcpu-time:
		403001 [unknown] ([unknown])
		402000 [unknown] ([unknown])
		waiter 101 [000] 18446744069.414584: 3000000 offcpu-time:
		403002 [unknown] ([unknown])
		402000 [unknown] ([unknown])
	END
	words() { awk 'NF { $1 = $1; print }'; }
	pp-script "$FOUND/perf7-offcpu.pipe" | words | diff wanted -
	! newer_perf 7.3 >/dev/null || "$(newer_perf 7.3)" script -i - <"$FOUND/perf7-offcpu.pipe" 2>/dev/null | words | diff wanted -
	pp-save "$FOUND/perf7-offcpu.pipe" -o saved
	pp-script saved | words | diff wanted -
}

# bats test_tags=T3-A18
@test "off-CPU: on a page waits of perf begin before their samples, and those that were added up have no time" {
	facts() { sed -nE 's/.*<p id="facts">([^\n]*)<\/p>.*/\1/p' | sed -e 's/<[^>]*>//g' -e 's/\xe2\x80\xaf/ /g'; }
	waits >in
	[ "$(pp-flame -q in | facts)" = '601 ms of waiting in 2 waits · over 1.60 s · 2 threads of 2 programs · nothing lost' ]
	found perf7-offcpu.pipe
	[ "$(pp-flame -q "$FOUND/perf7-offcpu.pipe" | facts)" = \
		'606 ms of waiting in 4 waits · over 600 ms · 1 thread of 1 program · nothing lost' ]
}

# bats test_tags=T3-A18
@test "off-CPU: every tool takes task, time, stack and control group from the raw data" {
	waits >in
	printf '%s\n' 'idle;[waiter] 1000000' 'waiter;[waiter];[waiter] 600000000' >wanted
	pp-fold in | diff wanted -
	[ "$(pp-report --no-children -g none -s comm,tid -F period,comm,tid in | awk '/^ +[0-9]/ { print $1, $2, $3 }')" = \
		"$(printf '%s\n' '1000000 idle 100:idle' '600000000 waiter 101:waiter')" ]
	local expression wanted
	while IFS='|' read -r expression wanted; do
		[ "$(pp-filter "$expression" in | json | jq -r 'select(.type == "SAMPLE").fields.time' | xargs)" = "$wanted" ] ||
			{ echo "$expression is not $wanted"; return 1; }
	done <<-END
		pid == 100|5000000000 6000000000
		tid == 101|5000000000
		comm == "idle"|6000000000
		period > 2000000|5000000000
		ip == 0x403000|6000000000
		any(callchain) == 0x402000|5000000000
		depth == 1|6000000000
		any_dso == "/bin/waiter"|5000000000 6000000000
		pid == 3|
	END
	[ "$(pp-report --no-children -g none -s cgroup -F period,cgroup in | awk '/^ +[0-9]/ { print $1, $2 }' | sort)" = \
		"$(printf '%s\n' '1000000 /two' '600000000 /one')" ]
	[ "$(pp-info in | grep '^processes')" = 'processes     2 pid 100 idle' ]
}

# bats test_tags=T3-A18
@test "off-CPU: what filters write has its bytes, and pp-dump shows these" {
	waits >in
	for tool in pp-cat pp-sort 'pp-filter pid==100' pp-symbol 'pp-inject -b'; do
		$tool <in 2>/dev/null | same_bytes - in
	done
	[ "$(json in | jq -c 'select(.type == "SAMPLE").fields | [.pid, .tid, .period, .raw[:16]]' | head -n 1)" = \
		'[3,4,0,"6400000065000000"]' ]
	[ "$(pp-dump --raw --json in | jq -c 'select(.type == "SAMPLE")' | md5sum)" = "$(json in | jq -c 'select(.type == "SAMPLE")' | md5sum)" ]
}

# bats test_tags=T3-A18
@test "off-CPU: --prune and build-ids count the addresses of their stacks" {
	local more
	for more in '' ,CGROUP; do
		waits '' '' "$more" >in
		pp-filter --prune 'period > 0' in >out
		[ "$(json out | jq -r 'select(.type == "MMAP2").fields.filename')" = /bin/waiter ]
		[ "$(json out | jq -r 'select(.type == "COMM").fields.comm' | xargs)" = 'waiter idle' ]
		[ "$(json out | grep -c '"type":"CGROUP"')" -eq 2 ]
	done
}

# bats test_tags=T3-A18
@test "off-CPU: either byte order, and other output of BPF programs is as it was" {
	waits >in
	order='>' waits big >turned
	diff <(pp-script in) <(pp-script turned)
	diff <(pp-fold in) <(pp-fold turned)
	waits '' other >other
	[ "$(pp-filter 'pid == 100' other | json | grep -c SAMPLE)" -eq 0 ]
	pp-script other | grep -q 'BPF output: 0000: 64 00 00 00'
}

# bats test_tags=T3-A18
@test "off-CPU: raw data that are too short, or a chain that is too long, hold nothing" {
	build >in <<-END
		header
		attr type=1 config=10 id=77 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER period=1 flags=sample_id_all
		event_update id=77 name=offcpu-time
		sample pid=3 tid=4 time=5 ip=0 period=0 misc=2 raw=640000006500000000000000
		sample pid=3 tid=4 time=6 ip=0 period=0 misc=2 raw=$(raw 100 101 7 0 0x1000 | sed 's/\(.\{32\}\)../\1ff/')
	END
	pp-script -F tid,time,ip in >out
	[ "$(awk 'NF == 1' out)" = '' ]
}
