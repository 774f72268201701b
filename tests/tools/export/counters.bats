# counters.bats - pp-export --to firefox: counters of READ and STAT records, and clocks.

setup() {
	load ../../helper
	load export
	mkdir none
}

fox() { perl "$TESTS/tools/export/firefox.pl" "$@"; }

@test "firefox: rounds of counts are counters from the start of counting, in the units of their events" {
	build <"$TESTS/streams/counts.txt" >in
	pp-export -q --to firefox --root none in -o out.json
	fox out.json >got
	grep '^counter cpu' got | diff - <(printf '%s\n' \
		'counter cpu-clock msec 0 0:0 100000000:400 200000000:400 250000000:200' \
		'counter cpu_core/cycles/ - 0 0:0 100000000:1200000000 200000000:800000000 250000000:400000000' \
		'counter cpu_core/instructions/ - 0 0:0 100000000:2400000000 200000000:800000000 250000000:0')
	grep -qx 'thread no samples no samples 0 0 1 0' got
	jq -e '.meta.profilingEndTime == 250.000001' out.json
	pp-export -q --to firefox --root none "$TESTS/streams/picture.pipe" -o out.json
	jq -e 'has("counters") | not' out.json
}

@test "firefox: what tasks that ended had counted are counters at that time, scaled to all of it" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID flags=sample_id_all,comm,use_clockid,inherit_stat type=1 config=0 clockid=1
		attr id=2 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID flags=sample_id_all,use_clockid,inherit_stat type=0 config=1 clockid=1
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 tid=7 time=1000 period=5 ip=0x400010
		read id=1 pid=7 tid=8 time=2000 value=100 read_id=1 enabled=10 running=10
		read id=2 pid=7 tid=8 time=2000 value=30 read_id=2 enabled=10 running=5
		read id=2 pid=7 tid=9 time=5000 value=7 read_id=2 enabled=10 running=10
		round
	END
	pp-export -q --to firefox --root none in -o out.json
	fox out.json | grep ^counter | diff - <(printf '%s\n' 'counter cpu-clock - 7 0:0 1000:100' \
		'counter instructions - 7 0:0 1000:60 4000:7')
	run -0 jq -c '.meta | [.startTimeAsClockMonotonicNanosecondsSinceBoot, .profilingEndTime]' out.json
	assert_output '[1000,0.004001]'
	# a group; a value whose event is not known is left out
	build >group <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,READ,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP flags=sample_id_all,inherit_stat type=1 config=0
		attr id=2 sample_type=IP,TID,TIME,READ,IDENTIFIER read_format=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING,ID,GROUP flags=sample_id_all,inherit_stat type=0 config=1
		read id=1 pid=7 tid=8 time=2000 values=100:1,30:2,9:77 enabled=10 running=5
		round
	END
	pp-export -q --to firefox --root none group -o out.json
	fox out.json | grep ^counter | diff - <(printf '%s\n' 'counter cpu-clock - 0 0:0 2000:200' 'counter instructions - 0 0:0 2000:60')
	# another clock is not called that one
	pp-dump --json in | sed 's/"clockid":1/"clockid":4/' | pp-undump -o other
	pp-export -q --to firefox --root none other -o out.json
	jq -e '.meta | has("startTimeAsClockMonotonicNanosecondsSinceBoot") | not' out.json
}

@test "firefox: more counts than there is room for are added up, and none is lost" {
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,IDENTIFIER read_format=ID flags=sample_id_all,comm type=1 config=0
		END
		seq 70000 | awk '{ print "read id=1 pid=7 tid=8 time=" 1000 + $1 " value=1 read_id=1" }'
		echo round
	} | build >in
	pp-export -q --to firefox --root none in -o out.json
	run -0 jq -c '.counters[0].samples | [(.count | add), .length < 65000]' out.json
	assert_output '[70000,true]'
}

# bats test_tags=nightly
@test "firefox: the front end has all counts of each counter, and the marks of a recording" {
	node_modules @firefox-devtools/profiler-cli
	build <"$TESTS/streams/counts.txt" >in
	pp-export -q --to firefox --root none in -o out.json
	front_end out.json
	for i in 0 1 2; do pq counter info "c-$i" --json; done | jq -c '[.name, .unit, .stats[0].value]' >got
	front_end_stop
	diff got - <<-'END'
		["cpu-clock","msec",1000]
		["cpu_core/cycles/","",2400000000]
		["cpu_core/instructions/","",3200000000]
	END
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm type=1 config=0
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 tid=7 time=1000000 period=5 ip=0x400010
		lost id=1 lost=9 time=1000100
		throttle id=1 stream_id=1 time=1000200
		unthrottle id=1 stream_id=1 time=1900000
		sample id=1 pid=7 tid=7 time=2000000 period=5 ip=0x400010
		round
	END
	pp-export -q --to firefox --root none in -o out.json
	rm -rf .profiler-cli
	front_end out.json
	pq thread markers --json >markers
	front_end_stop
	run -0 jq -c '[.byType[] | [.markerName, .count]] | sort' markers
	assert_output '[["Lost",1],["Throttled",1]]'
}
