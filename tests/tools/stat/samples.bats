# samples.bats - pp-stat --from-samples: the periods and counts of samples, added up; every number is known.

setup() {
	load ../../helper
	need jq
}

# periods: cycles by period, a clock by frequency, a tracepoint that never came, an event of perf's own;
# tasks 7 and 8 of process 7, and 9, whose name is known only after its first sample
periods() {
	build <<-'END'
		header
		attr id=1,2 type=0 config=0 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER
		attr id=3 type=1 config=0 freq=1000 flags=freq,sample_id_all sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER
		attr id=4 type=2 config=5 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER
		attr id=5 type=1 config=9 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER
		event_update id=4 name=sched:never
		thread_map entries=7:other
		comm id=1 pid=7 tid=7 time=1 comm=first
		comm id=1 pid=7 tid=8 time=1 comm=second
		sample id=1 pid=7 tid=7 cpu=0 time=1000 period=100
		sample id=2 pid=7 tid=8 cpu=1 time=1500 period=30
		sample id=2 pid=9 tid=9 cpu=1 time=1200 period=7
		sample id=1 pid=7 tid=7 cpu=0 time=3000 period=1000
		sample id=3 pid=7 tid=8 cpu=1 time=4001000 period=2000000
		sample id=3 pid=7 tid=8 cpu=0 time=4000900 period=3000000
		comm id=1 pid=9 tid=9 time=1100 comm=late
		round
	END
}

# counts [KEY...]: of --json, those of events
counts() { jq -rc "select(.kind == \"count\") | [$(printf '.%s,' "$@" | sed 's/,$//')]"; }

@test "periods are added up by event, CPU and task" {
	periods >in.pipe
	pp-stat --from-samples --json in.pipe | counts event value raw unit samples to >got
	diff got - <<-'END'
		["cycles",1137,1137,null,4,4000000]
		["cpu-clock",5,5000000,"msec",2,4000000]
		["sched:never",0,0,null,0,4000000]
	END
	pp-stat --from-samples -A --json in.pipe | counts event cpu value samples >got
	diff got - <<-'END'
		["cycles",0,1100,2]
		["cycles",1,37,2]
		["cpu-clock",0,3,1]
		["cpu-clock",1,2,1]
	END
	pp-stat --from-samples --per-thread --json in.pipe | counts event thread pid value samples >got
	diff got - <<-'END'
		["cycles","first",7,1100,2]
		["cycles","second",8,30,1]
		["cycles","late",9,7,1]
		["cpu-clock","second",8,5,2]
	END
}

@test "values that samples carry are added up by how much they grew, of each counter of a group" {
	build >in.pipe <<-'END'
		header
		attr id=1,2 type=0 config=0 sample_type=IP,TID,TIME,CPU,PERIOD,READ,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP
		attr id=3,4 type=0 config=1 sample_type=IP,TID,TIME,CPU,PERIOD,READ,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP
		sample id=1 pid=7 tid=7 cpu=0 time=1000 period=999 enabled=10 running=10 values=100:1,50:3
		sample id=2 pid=8 tid=8 cpu=1 time=1000 period=999 enabled=10 running=5 values=1000:2,10:4
		sample id=1 pid=8 tid=8 cpu=0 time=2000 period=999 enabled=30 running=20 values=300:1,51:3
		sample id=1 pid=7 tid=7 cpu=0 time=3000 period=999 enabled=40 running=30 values=1000:1,90:3
		round
	END
	pp-stat --from-samples --no-scale --json in.pipe | counts event value enabled running samples >got
	diff got - <<-'END'
		["cycles",2000,50,35,4]
		["instructions",100,50,35,4]
	END
	# what ran part of the time is estimated, of each task on each CPU apart: 800 + 2 * 200
	pp-stat --from-samples --json -A in.pipe | counts event cpu raw value >got
	diff got - <<-'END'
		["cycles",0,1000,1200]
		["cycles",1,1000,2000]
		["instructions",0,90,91]
		["instructions",1,10,20]
	END
	pp-stat --from-samples --no-scale --json --per-thread in.pipe | counts event pid value samples >got
	diff got - <<-'END'
		["cycles",8,1200,2]
		["cycles",7,800,2]
		["instructions",7,89,2]
		["instructions",8,11,2]
	END
}

@test "an inherited counter has a value in each thread; a single one needs no id" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=0 config=0 flags=inherit,sample_id_all sample_type=TID,TIME,CPU,READ,IDENTIFIER read_format=ID
		attr id=2 type=0 config=1 sample_type=TID,TIME,CPU,READ,IDENTIFIER read_format=0
		sample id=1 pid=7 tid=7 cpu=0 time=1000 value=100 read_id=1
		sample id=1 pid=7 tid=8 cpu=0 time=2000 value=30 read_id=1
		sample id=1 pid=7 tid=7 cpu=0 time=3000 value=120 read_id=1
		sample id=2 pid=7 tid=7 cpu=0 time=3000 value=5
		sample id=2 pid=7 tid=7 cpu=0 time=4000 value=9
		round
	END
	pp-stat --from-samples --json --per-thread in.pipe | counts event pid value >got
	diff got - <<-'END'
		["cycles",7,120]
		["cycles",8,30]
		["instructions",7,9]
	END
}

@test "as text: how many samples, and perf stat's rates" {
	periods >in.pipe
	pp-stat --from-samples in.pipe >got
	diff got - <<'END'

 Performance counter stats for 'pipe' (from 6 samples):

              1137      cycles                           #    0.000 GHz                    
              5.00 msec cpu-clock                        #    1.250 CPUs utilized          
                 0      sched:never                      #    0.000 /sec                   

       0.004000000 seconds time elapsed

END
	[ "$(pp-stat --from-samples -x, in.pipe | sed -n 2p)" = '5.00,msec,cpu-clock,0,100.00,1.250,CPUs utilized' ]
	pp-stat --from-samples --prometheus in.pipe | grep -qx 'perf_cycles_total{event="cycles"} 1137'
	[ "$(pp-stat --from-samples --prometheus in.pipe | grep -c running)" -eq 0 ]
	pp-stat --from-samples -M insn_per_cycle,CPUs_utilized --json in.pipe | jq -c 'select(.kind == "metric") | [.name, .value, .state]' >got
	diff got - <<-'END'
		["insn_per_cycle",null,"instructions was not counted"]
		["CPUs_utilized",1.25,null]
	END
}

@test "what samples do not say is no number, and what was lost is said" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=0 config=0 freq=1000 flags=freq,sample_id_all sample_type=TID,TIME,CPU,IDENTIFIER
		attr id=2 type=0 config=1 period=500 sample_type=TID,TIME,CPU,IDENTIFIER
		sample id=1 pid=7 tid=7 cpu=0 time=1000
		sample id=2 pid=7 tid=7 cpu=0 time=1000
		sample id=2 pid=7 tid=7 cpu=0 time=2000
		lost id=2 lost=5
		lost_samples lost=3
		round
	END
	run --separate-stderr pp-stat --from-samples -x, in.pipe
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = '<not counted>,,cycles,0,100.00,,' ]
	[ "${lines[1]}" = '1000,,instructions,0,100.00,,' ]
	[ "$stderr" = 'pp-stat: 8 samples were lost, and are missing in the sums' ]
}

@test "without samples, with intervals, and of streams of counts: refused; without the option it is named" {
	build <"$TESTS/streams/counts.txt" >counts.pipe
	run -3 --separate-stderr pp-stat --from-samples counts.pipe
	[ "$stderr" = 'pp-stat: counts.pipe has no samples' ]
	[ -z "$output" ]
	periods >in.pipe
	run -3 --separate-stderr pp-stat in.pipe
	[[ $stderr == *'--from-samples adds up its samples' ]]
	run -2 --separate-stderr pp-stat --from-samples -I 100 in.pipe
	[ -z "$output" ]
}

@test "of recordings, sums are those of perf script, event by event" {
	command -v perf >/dev/null || skip "perf is not installed"
	local f
	for f in plain switch dwarf tracepoint; do
		perf script -i "$TESTS/streams/$f.pipe" -G -F period,event 2>/dev/null |
			awk 'NF == 2 { sub(/:$/, "", $2); sum[$2] += $1 } END { for (e in sum) print e, sum[e] }' | sort >wanted
		pp-stat --from-samples --json "$TESTS/streams/$f.pipe" 2>/dev/null |
			jq -r 'select(.kind == "count" and .samples > 0) | "\(.event) \(.raw)"' | sort >got
		[ -s got ]
		diff wanted got
	done
}

@test "every cut ends in 0 or 3" {
	periods >in.pipe
	for ((n = 0; n < $(stat -c %s in.pipe); n += 29)); do
		head -c $n in.pipe >cut.pipe
		run pp-stat --from-samples cut.pipe
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

# bats test_tags=nightly
@test "memory is bounded where tasks are many" {
	need_limits
	{
		printf 'header\nattr id=1 type=0 config=0 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER\n'
		printf 'repeat 20000 {\nsample id=1 pid=$(i+1) cpu=$(i%%3) time=$(i+1) period=3\n}\nround\n'
	} | build >many.pipe
	[ "$(pp-stat --from-samples --json many.pipe | counts value samples)" = '[60000,20000]' ]
	(ulimit -v 400000 && pp-stat --from-samples --per-thread -x, many.pipe >out)
	[ "$(wc -l <out)" -eq 20000 ]
}
