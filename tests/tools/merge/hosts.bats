# hosts.bats - pp-merge: recordings of several clocks, and of several hosts.

setup() {
	load ../../helper
	load merge
}

# ---- clocks

@test "--offset moves all times of an input" {
	times a 1000000000 3000000000 R
	times b 5000000000 R
	pp-merge --offset b=-3 a b -o out
	run -0 order out
	[ "$output" = "1000000000 2000000000 3000000000 R" ]
	pp-merge --offset a=0.5 a -o out
	run -0 order out
	[ "$output" = "1500000000 3500000000 R" ]
}

@test "an offset of what is no input, or no time, is misuse" {
	times a 1 R
	run -2 --separate-stderr pp-merge --offset other=1 a
	[[ ${stderr_lines[0]} == *"'other' is not an input" ]]
	run -2 --separate-stderr pp-merge --offset a=soon a
	[ -z "$output" ]
	run -2 --separate-stderr pp-merge --offset a a
	[ -z "$output" ]
}

# clocked HOST CLOCK [WALL]: by this clock; the wall clock was WALL when it was 1000
clocked() {
	printf '%s\n' header "attr $2" "feature HOSTNAME string \"$1\""
	[ -z "$3" ] || echo "feature CLOCK_DATA u32 1 u32 ${2##*=} u64 $3 u64 1000"
	printf '%s\n' 'sample time=5000' round
}
MONO="flags=sample_id_all,use_clockid clockid=1"
RAW="flags=sample_id_all,use_clockid clockid=4"
REAL="flags=sample_id_all,use_clockid clockid=0"

@test "another host is moved by the wall clock" {
	clocked one "$MONO" 1000000 | build >a
	clocked two "$MONO" 1000300 | build >b
	run -0 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"b: HOSTNAME not as in a"* ]]
	[[ $stderr == *"b: from another host: its times are moved by 300 ns"* ]]
	run -0 said out
	[[ "${lines[0]}" == *" 5000" ]]
	[[ "${lines[1]}" == *" 5300" ]]
}

@test "another clock of the same host is moved by the wall clock" {
	clocked one "$MONO" 1000000 | build >a
	clocked one "$RAW" 1000300 | build >b
	run -0 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"b: from another clock: its times are moved by 300 ns"* ]]
	run -0 said out
	[[ "${lines[0]}" == *" 5000" ]]
	[[ "${lines[1]}" == *" 5300" ]]
}

@test "hosts and clocks that nobody can align are refused with the reason, unless --offset tells" {
	clocked one "$MONO" 1000000 | build >a
	clocked two "$MONO" "" | build >b
	clocked one "$RAW" "" | build >c
	run -2 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"b: cannot be merged with a: it is from another host"* ]]
	[ ! -e out ]
	run -2 --separate-stderr pp-merge a c -o out
	[[ $stderr == *"c: cannot be merged with a: it is from another clock"* ]]
	[ ! -e out ]
	pp-merge -q --offset b=0.000001 a b -o out
	run -0 said out
	[[ "${lines[0]}" == *" 5000" ]]
	[[ "${lines[1]}" == *" 6000" ]]
}

@test "the real time of two hosts is one clock" {
	clocked one "$REAL" "" | build >a
	clocked two "$REAL" "" | build >b
	run -0 --separate-stderr pp-merge a b -o out
	[[ $stderr != *"are moved"* ]]
}

# ---- hosts

# host NAME CPUS N: a recording of that host; N tells its times and addresses from others'
host() {
	build <<-END
		header
		attr id=1 flags=sample_id_all,comm,mmap
		feature HOSTNAME string "$1"
		feature NRCPUS u32 $2 u32 $2
		mmap pid=-1 tid=0 start=0xffffffff8${3}000000 len=0x1000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=5 comm=work-$3 synthesized
		sample pid=5 tid=6 cpu=1 time=${3}1000
		sample pid=0 cpu=2 time=${3}2000
		fork pid=7 ppid=5 tid=7 ptid=5 time=${3}3000 cpu=2
		switch_cpu_wide next_prev_pid=8 next_prev_tid=9 pid=0 cpu=2 time=${3}4000
		thread_map entries=5:x,-1:y
		cpu_map cpus=1,65535
		cpu_map mask=0x5
		cpu_map range=0-3
		id_index entries=1:0:2:5,1:1:-1:-1
		round
	END
}

# numbers FILE: pids, tids and cpus of all records, in words
numbers() {
	json "$1" | jq -rc 'select(.fields != null and (.type | test("HEADER|FINISHED") | not)) |
		[.type, (.fields | .. | objects | to_entries[] |
			select(.key | test("pid|tid|^cpu|_cpu$|mask")) | "\(.key)=\(.value)")] | join(" ")'
}

@test "--hosts keeps processes and processors apart in every record, and 0 and -1 as they are" {
	host web1 4 1 >a
	host web2 70 2 >b
	numbers a >want
	# as on web1, and then with what web2's are larger by
	numbers b | perl -pe '
		s/((?:pid|tid)=)(\d+)/$1 . ($2 ? $2 + 4194304 : 0)/ge;
		s/(\b(?:start_|end_)?cpu=\[?)(\d+)/$1 . ($2 + 64)/ge;
		s/mask=\[/mask=[\"0x0\",/' >>want
	pp-merge -q --hosts --offset b=0 a b -o out
	numbers out >got
	diff <(sort want) <(sort got)
	sound out
	pp-sort --check -i out
	run -0 bash -c "pp-dump --json -i out | jq -c 'select(.fields.feat_id == 7) | .fields.data'"
	[ "$output" = '{"nr_cpus_avail":134,"nr_cpus_online":74}' ]
}

@test "notes tell the hosts and what keeps them apart, and of one host's inputs only once" {
	host web1 4 1 >a
	host web2 70 2 >b
	host "web 3" 4 3 >c
	pp-merge -q --hosts --offset b=0 --offset c=0 a b a c -o out
	run -0 bash -c "pp-dump --headers -i out | grep note"
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[0]}" = "# note : host.0 = web1 pid=0 cpu=0" ]
	[ "${lines[1]}" = "# note : host.1 = web2 pid=4194304 cpu=64" ]
	[ "${lines[2]}" = "# note : host.2 = web_3 pid=8388608 cpu=192" ]
}

@test "without --hosts the notes list the hosts, and one host alone is not noted" {
	host web1 4 1 >a
	host web2 4 2 >b
	pp-merge -q --offset b=0 a b -o out
	run -0 bash -c "pp-dump --headers -i out | grep note"
	[ "$output" = "# note : host.0 = web1
# note : host.1 = web2" ]
	pp-merge a a -o out
	run -1 bash -c "pp-dump --headers -i out | grep note"
}

# counting HOST: a recording of that host with every kind of record that has an id: always 5, of a
# group with 6
counting() {
	build <<-END
		header
		attr id=5 name=one sample_type=TID,TIME,READ,ID,STREAM_ID,PERIOD,IDENTIFIER read_format=ID,GROUP,LOST,TOTAL_TIME_ENABLED
		attr id=6 config=1 name=two sample_type=TID,TIME,READ,ID,STREAM_ID,PERIOD,IDENTIFIER read_format=ID,GROUP,LOST,TOTAL_TIME_ENABLED
		feature HOSTNAME string "$1"
		feature NRCPUS u32 4 u32 4
		feature EVENT_DESC
		id_index entries=5:0:0:1,6:1:1:-1
		event_update id=5 name=mine
		event_update id=6 unit=ms
		sample id=5 stream_id=5 pid=1 time=20 values=7:5:1,8:6:2
		read pid=1 values=9:5:0,10:6:0 id=6 stream_id=6 time=21
		lost id=5 lost=3 time=22 event=5
		lost_samples lost=3 time=23 event=6
		throttle time=24 id=6 stream_id=6
		unthrottle time=25 id=6 stream_id=6
		stat id=5 cpu=0 thread=0 val=1 ena=1 run=1
		stat id=6 cpu=0 thread=0 val=1 ena=1 run=1
		round
	END
}

# ids FILE: every value of a field that the tables show as an id, with its record's type
ids() {
	json "$1" | jq -rc 'select(.fields != null) | .type as $t | if $t == "HEADER_FEATURE" then
		.fields.data.events // [] | .[].id | select(. != null) | "\($t) \(.)" else
		[.fields | .. | objects | to_entries[] | select(.key | test("^(id|stream_id|identifier)$")) | .value] |
		"\($t) \(.)" end'
}

@test "ids are a host's own: those of the second become others wherever they stand" {
	counting web1 >a
	counting web2 >b
	ids a | grep -q STAT
	for how in --hosts ""; do
		# shellcheck disable=SC2086
		run -0 pp-merge -v $how --offset b=0 a b -o out
		assert_output --partial "2 ids renumbered"
		sound out
		{ ids a; ids b | sed 's/"0x5"/"0x7"/g; s/"0x6"/"0x8"/g'; } | grep -v -e HEADER -e ID_INDEX -e EVENT_UPDATE -e ROUND | sort >want
		ids out | grep -v -e HEADER -e ID_INDEX -e EVENT_UPDATE -e ROUND | sort >got
		diff want got
		[ "$(ids out | grep -c -e 'ID_INDEX .*"0x7".*"0x8"' -e 'EVENT_UPDATE .*"0x[78]"')" -eq 3 ]
		[ "$(json out | jq -c 'select(.type == "HEADER_ATTR") | .fields.id' | tr -d '\n')" = '["0x5","0x7"]["0x6","0x8"]' ]
	done
}

@test "pieces of one host keep one number for an id that became another" {
	counting web1 >a
	counting web2 >b
	pp-filter --time 0,0.000000022 -i b -o b1
	pp-filter --time 0.000000023,1 -i b -o b2
	pp-merge -q --hosts --offset b=0 a b -o want
	pp-merge -q --hosts --offset b1=0 --offset b2=0 a b1 b2 -o got
	diff <(ids want | sort -u) <(ids got | sort -u)
	pp-merge -q b b -o same
	diff <(ids b | sort -u) <(ids same | sort -u)
}

@test "what --hosts made is merged with more hosts" {
	host web1 4 1 >a
	host web2 4 2 >b
	host web3 4 3 >c
	pp-merge -q --hosts --offset b=0 a b -o ab
	pp-merge -q --hosts --offset b=0 --offset c=0 a b c -o want
	pp-merge -q --hosts --offset c=0 ab c -o got
	diff <(numbers want) <(numbers got)
	diff <(pp-dump --headers -i want) <(pp-dump --headers -i got)
	pp-merge -q --hosts ab -o again
	same_bytes ab again
}

@test "hosts of one name and of unlike processors are two" {
	host web 4 1 >a
	host web 8 2 >b
	pp-merge -q --hosts a b -o out
	run -0 bash -c "pp-dump --headers -i out | grep note"
	[ "${lines[1]}" = "# note : host.1 = web~2 pid=4194304 cpu=64" ]
}

@test "more processors than can be numbered are refused with the reason" {
	host web1 20000 1 >a
	host web2 20000 2 >b
	run -2 --separate-stderr pp-merge --hosts --offset b=0 a b -o out
	[[ $stderr == *"more processors than can be numbered"* ]]
	[ ! -e out ]
}

@test "a number that its host cannot have is damage, and the rest arrives" {
	host web1 4 1 >a
	printf '%s\n' header attr 'feature NRCPUS u32 4 u32 4' 'sample cpu=70 pid=3 time=5' 'sample cpu=3 pid=3 time=6' round | build >b
	run -3 --separate-stderr pp-merge --hosts a b -o out
	[[ $stderr == *"b: record "*"(SAMPLE): "*"processor 70 is not one of its host's"* ]]
	run -0 bash -c "pp-dump --json -i out 2>/dev/null | grep -c SAMPLE"
	[ "$output" -eq 3 ]
}

@test "where memory lacks, --hosts says so and ends with 4, wherever it is" {
	shim=$BIN/tests/faults/shim.so
	FAULT="0 12 0 0" LD_PRELOAD=$shim pp-merge --version >/dev/null 2>&1 || skip "nothing can be preloaded here"
	counting web1 >a
	counting web2 >b
	pp-merge -q --hosts --offset b=0 a b >want
	status=4
	for ((nth = 1; status == 4; nth++)); do
		status=0
		# the C library does without a time zone where it has no memory for one
		FAULT="0 12 $nth 0" LD_PRELOAD=$shim pp-merge -q --no-sandbox --hosts --offset b=0 a b >got 2>err || status=$?
		[ $status -eq 0 ] || grep -q -e 'out of memory' -e 'Cannot allocate memory' err
	done
	[ $status -eq 0 ]
	[ $nth -gt 50 ]
	# the first that was not needed: from there on all is as it was
	same_bytes want got
}

# recorded NAME PLACE CONFIG SAMPLE_TYPE EVENT [CPU]: a recording of a host with a kernel of its own, all of
# whose records tell their CPU or none
recorded() {
	build <<-END
		header
		attr id=1 config=$3 sample_type=$4 flags=sample_id_all,comm,mmap,use_clockid clockid=1
		feature HOSTNAME string "$1"
		event_update id=1 name=$5
		mmap pid=-1 tid=0 start=0xffffffff8${2}000000 len=0x1000000 pgoff=0xffffffff8${2}000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=7 comm=$1-one synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/$1 synthesized
		init
		fork pid=9 ppid=7 tid=9 ptid=7 time=100$2
		comm pid=9 comm=$1-two time=110$2
		sample pid=7 $6 time=120$2 ip=0x1010
		sample pid=9 $6 time=130$2 ip=0xffffffff8${2}000010 misc=1
		round
	END
}

@test "hosts whose records tell no CPU, beside others whose do, are what they were when split" {
	need_perf
	recorded web1 1 0 IP,TID,TIME,CPU,PERIOD,IDENTIFIER cpu-clock cpu=1 >web1
	recorded web2 2 1 IP,TID,TIME,PERIOD tick-tock >web2
	recorded web3 3 0 IP,TID,TIME,CPU,PERIOD,IDENTIFIER cpu-clock cpu=1 >web3
	for host in web1 web2 web3; do
		perf_quiet script -i $host -F comm,pid,tid,time,event,ip,sym,dso >$host.want
		[ -s $host.want ]
	done
	for order in "web1 web2 web3" "web2 web3 web1"; do
		# shellcheck disable=SC2086
		pp-merge -q --hosts --offset web1=0 --offset web2=0 --offset web3=0 $order -o all
		pp-split --by host -o '{}.again' -i all
		for host in web1 web2 web3; do
			perf_quiet script -i $host.again -F comm,pid,tid,time,event,ip,sym,dso >got
			diff $host.want got
			[ "$(json $host.again | grep -c '"type":"MMAP"')" -eq 1 ]
		done
	done
}
