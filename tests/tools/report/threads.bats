# threads.bats - pp-report of threads: how many ran at a time, names that differ in their digits,
# and threads that have ended; beside perf report.

setup() {
	load ../../helper
	load report
}

@test "report: a thread that has ended is -1, and before the others, as in perf 7.3" {
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all'
		echo 'event_update id=1 name=made'
		for pid in 7 4294967295 8 0; do
			echo "sample id=1 misc=2 pid=$pid tid=$pid time=1$pid cpu=0 period=10 ip=0x100"
		done
		echo round
	} | build >in
	[ "$(pp-report --csv -s pid in | tr -d '\r' | cut -d, -f3 | xargs)" = 'pid -1 0 7 8' ]
	[ "$(pp-report --json -s tgid in | jq -c 'select(.tgid).tgid' | xargs)" = '-1 0 7 8' ]
	need_newer_perf 7.3
	compared "$(newer_perf 7.3)" '' <<-'END'
		-s pid
		-s pid,comm
		-s tgid,dso
	END
}

# switched: samples while up to four threads run
switched() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,task,context_switch
		event_update id=1 name=made
		feature NRCPUS u32 4 u32 4
		comm pid=7 tid=7 comm=seven time=1
		mmap2 pid=7 tid=7 start=0x9000 len=0x8000 prot=5 file=/nowhere/a.so time=2
		sample id=1 misc=2 pid=7 tid=7 time=9 cpu=0 period=10 ip=0x9010 callchain=-512,0x9010,0x9020
		switch pid=7 tid=8 time=10 cpu=1
		sample id=1 misc=2 pid=7 tid=7 time=11 cpu=0 period=7 ip=0x9010 callchain=-512,0x9010,0x9020
		sample id=1 misc=2 pid=7 tid=8 time=11 cpu=1 period=9 ip=0x9020 callchain=-512,0x9020
		switch pid=7 tid=9 time=12 cpu=2
		sample id=1 misc=2 pid=7 tid=9 time=13 cpu=2 period=8 ip=0x9030 callchain=-512,0x9030,0x9020
		switch pid=7 tid=10 time=14 cpu=3
		switch pid=7 tid=11 time=14 cpu=3
		sample id=1 misc=2 pid=7 tid=9 time=15 cpu=2 period=30 ip=0x9030 callchain=-512,0x9030,0x9020
		switch pid=7 tid=7 time=16 cpu=0 out
		switch pid=7 tid=10 time=16 cpu=3 out
		switch pid=7 tid=11 time=16 cpu=3 out
		exit pid=7 ppid=7 tid=8 ptid=7 time=17
		sample id=1 misc=2 pid=7 tid=9 time=18 cpu=2 period=2 ip=0x9040 callchain=-512,0x9040,0x9020
		exit pid=7 ppid=7 tid=9 ptid=7 time=19
		exit pid=7 ppid=7 tid=7 ptid=7 time=20
		sample id=1 misc=2 pid=7 tid=7 time=21 cpu=0 period=3 ip=0x9050 callchain=-512,0x9050,0x9020
		round
	END
}

@test "report: latency is the period by how many threads ran" {
	switched | build >in
	pp-report --csv -F latency,overhead,parallelism --no-children in | tr -d '\r' >got
	diff - got <<-'END'
		event,latency,overhead,parallelism
		made,45.2261,21.7391,1
		made,24.1206,23.1884,2
		made,22.6131,43.4783,4
		made,8.0402,11.5942,3
	END
	pp-report --csv -s comm --parallelism 3-4 --no-children in | tail -n +2 | tr -d '\r' | grep -qx 'made,55.0725,30.6533,:9'
	# a column that says nearly the same as the one beside it is not shown, unless it is asked for
	switched | sed '/^switch/d' | build >alone
	[[ $(pp-report --csv -s comm --no-children alone) == event,overhead,comm* ]]
	[[ $(pp-report --csv -s comm --no-children --latency alone) == event,latency,overhead,comm* ]]
	switched | sed 's/,context_switch//' | build >without
	for options in '-s parallelism' '-F latency' '-s latency_children,comm' '-s comm --latency' '-s comm --parallelism 1'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pp-report $options without
		[[ $stderr == *'context switches, as perf record --latency has them' ]]
	done
	run -2 --separate-stderr pp-report --parallelism x in
	[[ $stderr == *"'x' is not a list of numbers"* ]]
	run -2 pp-top --stdio -s parallelism in
	pp-top --stdio -s comm in | grep -q '^OVERHEAD *SAMPLE *COMM'
}

# bats test_tags=T3-A13
@test "report: latency is shown where more than one sample of a hundred ran beside others, as in perf 7.3" {
	local beside
	for beside in 1 2; do
		{
			switched | sed -n '1,/^mmap2/p'
			printf 'repeat %d {\nsample id=1 misc=2 pid=7 tid=7 time=$(i+10) cpu=0 period=10 ip=0x9010\n}\n' $((100 - beside))
			echo 'switch pid=7 tid=8 time=1000 cpu=1'
			printf 'repeat %d {\nsample id=1 misc=2 pid=7 tid=7 time=$(i+1001) cpu=0 period=10 ip=0x9010\n}\n' $beside
			echo round
		} | build >in
		run -0 bash -c 'pp-report -q --csv --no-children in | head -n 1 | tr -d "\r"'
		assert_output "event,overhead$([ $beside = 1 ] || echo ,latency),comm,dso,symbol"
		pp-report --csv --no-children --latency in | grep -q '^event,latency,overhead,'
		pp-report --csv -F latency in | grep -q '^event,latency'
	done
}

# bats test_tags=T3-A13
@test "report: threads that hardly ever ran at the same time have no latency of their own" {
	found latency-1pct.data
	! pp-report "$FOUND/latency-1pct.data" | grep '^#.*Latency'
}

latency_rows() {
	cat <<-'END'
		-s parallelism --no-children -g none
		-s sym,parallelism --no-children
		-s comm,dso
		-s comm,dso --latency
		-s parallelism --latency --no-children
		-s latency -g none
		-s latency,comm -g none
		-s comm,latency -g none
		-s latency_children,comm -g none
		-s latency_children,comm -g none --no-children
		-s overhead,comm -g none
		-F overhead,latency,parallelism --no-children
		-F parallelism,latency_children,latency --latency --no-children
		-F latency,comm
		-F l,comm -g none
		-s comm --showcpuutilization --show-total-period -n -g none
		-s comm --latency -n --showcpuutilization -g none
		-s comm,pid -t , -g none
		-s comm --parallelism 2,4 -g none
		-s comm --parallelism 1-3 --percentage relative -g none
		-s comm -c nothing
		-s comm --percent-limit 50 -g none
		-s parallelism --parallelism 2 --no-children --latency
	END
}

@test "report: latency is shown as perf 7.3 shows it" {
	need_newer_perf 7.3
	switched | build >in
	latency_rows | compared "$(newer_perf 7.3)"
	switched | sed '/^switch/d' | build >in
	latency_rows | compared "$(newer_perf 7.3)"
}

# numbered: threads whose names differ in their digits, or more than that
numbered() {
	local i=10 k name
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		event_update id=1 name=made
	END
	for name in w w1 w22 1 a1b2c3d4e5f6g7h kworker/0:1 kworker/12:3-ev kworker/u4:2 x-9 99x 9x9 x 'b c1' é1 1.5 \
		abcdefghijklmno abcdefghijklm1; do
		i=$((i + 1))
		echo "comm pid=$i tid=$i comm=\"$name\" time=5"
		for ((k = 1; k <= i % 5 + 1; k++)); do
			echo "sample id=1 misc=2 pid=$i tid=$i time=$((100 * i + k)) period=1 ip=0x1234$k"
		done
	done
	echo round
}

@test "report: names that differ in their digits alone are one" {
	numbered | build >in
	pp-report --csv -s comm_nodigit -n in | tr -d '\r' | head -n 4 >got
	printf '%s\n' event,overhead,sample,comm_nodigit 'made,18.0000,9,w' 'made,12.0000,6,<N>x' 'made,10.0000,5,<N>' |
		diff - got
	pp-report --csv -s comm_nodigit,comm in | grep -c 'w<N>,w' | grep -qx 2
}

@test "report: numbers in names are words as perf 7.3 has them" {
	need_newer_perf 7.3
	numbered | build >in
	compared "$(newer_perf 7.3)" <<-'END'
		-s comm_nodigit
		-s comm_nodigit,comm
		-s comm,comm_nodigit
		-s comm_nodigit,sym
		-s comm_ -n
		-s pid,comm_nodigit
		-s comm_nodigit -t ,
		-s comm_nodigit -t a
		-s comm_nodigit -c x
		-s comm_nodigit,sym -c x
		-s comm_nodigit,comm -c x
		-F comm_nodigit,overhead
		-s srcfile,sym
		-F srcfile,overhead
	END
}
