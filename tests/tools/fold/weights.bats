# weights.bats - a weight of time: of which state it is, and what the stream has to say for that.

setup() { load ../../helper; }

# switches EVENT [FLAGS]: threads that leave their CPU and come back, of an event that is described by these words
switches() {
	build <<-END
		header
		attr id=1 $1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm${2-,context_switch}
		feature EVENT_DESC
		comm pid=7 comm=seven time=5
		comm pid=8 comm=eight time=6
		mmap pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0x400000 file=/nowhere/program time=7
		mmap pid=8 tid=8 start=0x400000 len=0x1000 pgoff=0x400000 file=/nowhere/other time=7
		sample id=1 pid=7 tid=7 time=1000 callchain=-512,0x400010
		${3-switch pid=7 tid=7 time=1005 out
		switch pid=7 tid=7 time=1500}
		sample id=1 pid=8 tid=8 time=1600 callchain=-512,0x400010
		round
		sample id=1 pid=7 tid=7 time=3000 callchain=-512,0x400010
		${4-switch pid=7 tid=7 time=3001 out preempt
		switch pid=8 tid=8 time=3100
		switch pid=7 tid=7 time=3200}
		sample id=1 pid=7 tid=7 time=9000 callchain=-512,0x400010
		sample id=1 pid=0 tid=0 time=9100 callchain=-128,0xffffffff81000010
		sample id=1 pid=0 tid=0 time=9200 callchain=-128,0xffffffff81000010
		round
	END
}

# bats test_tags=T3-A4
@test "time of context switches is the time off the CPU, up to the SWITCH record of the return" {
	local event
	for event in 'type=1 config=3 name=context-switches' 'type=1 config=11 name=cgroup-switches' \
		'type=2 config=316 name=sched:sched_switch'; do
		switches "$event" >in
		run -0 --separate-stderr pp-fold --weight=time in
		[ "$output" = $'eight;[other] 1500\nseven;[program] 700' ]
		[ -z "$stderr" ]
	done
	# CPUs are recorded, not tasks
	switches 'type=1 config=3' ,context_switch \
		'switch_cpu_wide next_prev_pid=0 next_prev_tid=0 pid=7 tid=7 time=1500' \
		'switch_cpu_wide next_prev_pid=8 next_prev_tid=8 pid=7 tid=7 time=3200' >in
	[ "$(pp-fold --weight=time in)" = 'seven;[program] 700' ]
	pp-flame --weight=time in -o page.svg
	grep -q '>700[^<]*ns<' page.svg
}

# bats test_tags=T3-A4
@test "time of context switches is refused where SWITCH records were not recorded" {
	local event tool
	for event in 'type=1 config=3' 'type=2 config=316 name=sched:sched_switch' \
		'type=2 config=316 name=sched:sched_switch:k'; do
		switches "$event" '' '' '' >in
		for tool in pp-fold 'pp-flame -o page.svg'; do
			# shellcheck disable=SC2086 # options
			run -2 --separate-stderr $tool --weight=time in
			[[ $stderr == *": samples of "*" cannot be weighed by time: a thread leaves its CPU there, and SWITCH records, which say when it runs again, were not recorded (--switch-events): use pp-span off-cpu" ]]
			[ ! -e page.svg ]
		done
		pp-fold --weight=count in | grep -qx 'seven;\[program\] 3'
	done
	# of other events it is the time until the next, whatever is recorded
	switches 'type=1 config=1' '' '' '' | pp-fold --weight=time | grep -qx 'seven;\[program\] 8000'
}

# bats test_tags=T3-A4
@test "time off the CPU whose end was lost weighs nothing, which is said" {
	switches 'type=1 config=3' ,context_switch 'lost lost=1 time=1400' >in
	run -0 --separate-stderr pp-fold --weight=time in
	[ "$output" = $'eight;[other] 1500\nseven;[program] 200' ]
	[ "${stderr_lines[0]}" = 'pp-fold: 1 sample weighs nothing: when its thread ran again was lost' ]
	[[ ${stderr_lines[1]} == *"of the events were lost (1 of "* ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
}

# bats test_tags=T3-A4
@test "a program that works and waits has the time that it waited" {
	local ns
	found offcpu-mix.pipe
	# it waits 2.52 s, and works 1.0 s
	ns=$(pp-fold -q -e context-switches --weight time "$FOUND/offcpu-mix.pipe" | awk '{ s += $NF } END { printf "%.0f", s }')
	[ "$ns" -gt 2500000000 ]
	[ "$ns" -lt 2540000000 ]
}

@test "a glob adds up all events that match, if they count the same" {
	local bits=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER
	{
		printf '%s\n' header "attr id=1 type=1 config=10 sample_type=$bits" "attr id=2 type=1 config=10 sample_type=$bits" \
			"attr id=3 type=0 config=0 sample_type=$bits" 'event_update id=1 name=offcpu-time' \
			'event_update id=2 name=offcpu-cut' 'event_update id=3 name=often' 'comm pid=7 tid=7 comm=seven'
		for id in 2 1 3 2; do
			echo "sample id=$id pid=7 tid=7 time=$((4000 + id)) period=${id}00 callchain=-512,0x400010"
		done
		echo round
	} | build >in
	run -0 --separate-stderr pp-fold -e 'offcpu-*' in
	[ "$output" = 'seven;[unknown] 500' ]
	[ "$(pp-fold -q -e 'offcpu-tim?' in)" = 'seven;[unknown] 100' ]
	[ "$(pp-fold -q -e 'of*' --weight=count in)" = 'seven;[unknown] 4' ]
	[ "$(pp-flame -q --svg -e 'offcpu-*' in | grep -c '500')" -gt 0 ]
	pp-flame -q -e 'offcpu-*' -o page in
	sed 's/<[^>]*>//g' page | grep -q '500.*ns of waiting in 3 waits'
	run -2 --separate-stderr pp-fold -e 'of*' in
	[[ $stderr == *'offcpu-time and often count different things: their periods cannot be added up' ]]
	# without one it is the first in the order of attributes that has samples
	[ "$(pp-fold -q in)" = 'seven;[unknown] 100' ]
}
