# filter.bats - pp-filter: what passes unchanged, what perf reads of the rest, and what is said
# where nothing matches.

setup() {
	load ../helper
	load filter/filter
}

# ---- what passes

@test "without an option the stream passes byte for byte" {
	small >in.pipe
	pp-filter <in.pipe >out.pipe
	same_bytes in.pipe out.pipe
}

@test "what matches all passes byte for byte, also when judged in time order" {
	small >in.pipe
	for expression in 'time > 0' 'comm =~ ""' 'time >= +0s' 'type != "HEADER_ATTR"' '!(ip == 1)'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >out.pipe
		same_bytes in.pipe out.pipe
	done
}

@test "all that is no sample stays, at its place" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		feature HOSTNAME string "web7"
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/true time=10
		comm pid=7 comm=nginx time=20
		sample pid=7 time=30
		fork pid=8 ppid=7 tid=8 ptid=7 time=40
		lost lost=3 time=45
		sample pid=8 time=50
		ksymbol addr=0x10 len=16 name=bpf time=55
		round
		switch pid=7 time=60 out
		exit pid=8 tid=8 ppid=7 ptid=7 time=70
		record 113 0 0011223344556677
		auxtrace bytes=100
		round
	END
	records in.pipe | awk '$2 != "SAMPLE" { $1 = ""; print }' >expected
	for expression in 'pid == 1' 'comm == "x"' 'time > +1s'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >out.pipe
		records out.pipe | awk '{ $1 = ""; print }' >got
		diff expected got
	done
}

@test "filtering twice changes nothing more" {
	small >in.pipe
	pp-filter 'event == "cycles"' <in.pipe >once.pipe
	pp-filter 'event == "cycles"' <once.pipe >twice.pipe
	same_bytes once.pipe twice.pipe
}

@test "a sample whose id no attribute has passes every filter, and is counted" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample attr=0 id=1 pid=7 time=1000
		sample attr=0 id=99 pid=7 time=2000
		sample attr=0 id=2 pid=7 time=3000
		round
	END
	for expression in 'pid == 1' 'comm == "x"'; do
		echo "$expression"
		run -0 --separate-stderr pp-filter -i in.pipe -o out.pipe "$expression"
		[ "$stderr" = 'pp-filter: in.pipe: 1 sample whose id belongs to no event' ]
		[ "$(records out.pipe | grep -c SAMPLE)" -eq 1 ]
	done
}

@test "a stream of the other byte order is filtered as one of ours" {
	small >little.pipe
	sed 's/^header$/header big/' <(declare -f small) >big.sh
	. ./big.sh
	small >in.pipe
	[ "$(kept 'pid == 7 && cpu == 1')" = 2000 ]
	[ "$(kept 'comm == "nginx"')" = 1000 ]
}

@test "a stream cut in a record gives what is whole before it, and exit 3" {
	small >whole.pipe
	head -c 540 whole.pipe >in.pipe
	run -3 --separate-stderr pp-filter -i in.pipe -o out.pipe 'pid == 7'
	[ "$(times out.pipe)" = '1000 2000' ]
	run -3 --separate-stderr pp-filter -i in.pipe -o out.pipe 'comm == "nginx"'
	[ "$(times out.pipe)" = 1000 ]
}

@test "a stream that comes a byte at a time is filtered the same" {
	small >in.pipe
	for expression in 'cpu == 1' 'comm == "nginx"'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >expected.pipe
		trickle in.pipe 1 | pp-filter "$expression" >out.pipe
		same_bytes expected.pipe out.pipe
	done
}

# ---- perf reads it

@test "perf script and perf report read what is kept, and only that" {
	need_perf_events
	perf_quiet record -e cpu-clock -F 2000 -o - -- "${WORK[@]}" >in.pipe
	perf_quiet script -i in.pipe -F comm,tid,time --ns >all
	middle=$(awk '{ t[NR] = $3 } END { sub(/:/, "", t[int((NR + 1) / 2)]); print t[int((NR + 1) / 2)] }' all)
	pp-filter "time >= ${middle}s" <in.pipe >out.pipe
	perf_quiet script -i out.pipe -F comm,tid,time --ns >got
	awk -v from="$middle:" '$3 >= from' all >expected
	[ -s got ]
	diff expected got
	pp-filter 'comm == "perl"' <in.pipe | perf report -i - --stdio -s comm 2>/dev/null >report
	awk '!/^#/ && NF { print $NF }' report >names
	[ "$(sort -u names)" = perl ]
}

@test "perf record, pp-filter and perf script in one pipeline" {
	need_perf_events
	perf record -e cpu-clock -F 2000 -o - -- "${WORK[@]}" 2>/dev/null |
		pp-filter 'comm != "perl"' | perf script -i - -F comm 2>/dev/null >got
	[ "$(grep -c perl got)" -eq 0 ]
}

# bats test_tags=nightly
@test "tracepoints keep their data behind a filter" {
	need_tracepoints
	perf_quiet record -e syscalls:sys_enter_openat -e sched:sched_process_fork -o - -- "${CALLS[@]}" >in.pipe
	perf_quiet script -i in.pipe -F event,time,trace --ns >all
	pp-filter -e sched:sched_process_fork <in.pipe >out.pipe
	perf_quiet script -i out.pipe -F event,time,trace --ns >got
	grep 'sched:sched_process_fork' all >expected
	[ -s got ]
	diff expected got
}

# ---- the corpus

# bats test_tags=nightly
@test "filters of all kinds pass the corpus, and keep or lose all samples" {
	corpus perf-6.1 perf-6.12 perf-7.3 big-endian linux-tracepoints
	for file in "$CORPUS"/perf-*/*.pipe.data "$CORPUS"/linux-tracepoints/pipe.data \
		"$CORPUS"/big-endian/*no-google-hdr; do
		[[ $file != */bad.* && $file != */trunc* && $file != *overwrite* ]] || continue
		echo "$file"
		pp-filter -i "$file" -o all.pipe
		pp-filter -i "$file" -o some.pipe 'misc >= 0 && !(comm == "no such name")'
		same_bytes all.pipe some.pipe
		pp-filter -i all.pipe -o none.pipe --invert 'misc >= 0'
		[ "$(records none.pipe | grep -c ' SAMPLE ')" -eq 0 ]
		[ "$(records none.pipe | wc -l)" -eq "$(records all.pipe | grep -vc ' SAMPLE ')" ]
	done
}

# ---- what does not match is said

@test "an event or a field that the stream does not have is reported, and so is that nothing was kept" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
		sample pid=8 time=200
		round
	END
	build >none <<-'END'
		header
		attr id=1
		round
	END
	says() {
		local messages=$1
		shift
		run -0 --separate-stderr pp-filter -i in -o out "$@"
		diff <(printf '%s' "$messages") <(sed 's/^pp-filter: in: //' <<<"$stderr" | head -c -1)
	}
	says "no event is called 'cpu-clok'; did you mean cpu-clock?
no sample matched" -e cpu-clok
	says "no event is called 'cpu-clok'; did you mean cpu-clock?" -e cpu-clok,cpu-clock
	says "no event is called 'sched:sched_switch'
no sample matched" 'event == "sched:sched_switch"'
	says "no event matches event ~ \"sched:*\"
no sample matched" 'event ~ "sched:*"'
	says "" 'event ~ "cpu*" && event =~ "^cpu" && event == "cpu-clock"'
	says "no sample has the field 'cpu'
no sample matched" -C 0
	says "no sample has the field 'phys_addr'" 'pid == 7 || phys_addr > 0'
	says "" 'pid == 7 || defined(phys_addr)'
	says "no sample matched" --comm 'so*'
	says "no sample matched" -p 9
	says "no sample matched" --prune -p 9
	says "no sample matched" --samples 3-
	says "" -n 0
	says "" -p 7
	says "" -q -e cpu-clok -p 9
	# what has no samples lacks none
	run -0 --separate-stderr pp-filter -i none -o out -p 9
	[ -z "$stderr" ]
}

@test "-v says how many samples were kept" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
		sample pid=8 time=200
		sample pid=7 time=300
		round
	END
	for how in "" --prune "--context 1ns"; do
		run -0 --separate-stderr pp-filter -v $how -p 7 -i in -o out
		[[ $stderr == *"pp-filter: in: 2 of 3 samples kept"* ]]
	done
	head -n 3 <<-'END' | build >one
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
	END
	run -0 --separate-stderr pp-filter -v -p 7 -i one -o out
	[[ $stderr == *"pp-filter: one: 1 of 1 sample kept"* ]]
}
