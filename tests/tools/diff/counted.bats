#!/usr/bin/env bats
# counted.bats - pp-diff: a total that counters say, in the place of samples.

setup() {
	load ../../helper
	load sides
}

# counted FILE MS COUNT [LINE...]: a function that has samples of so many ms, and an event that counted so many;
# lines are added, in which TID is sampled, too
counted() {
	local file=$1 ms=$2
	shift 2
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,inherit_stat,inherit
		echo attr id=9 sample_type=0 read_format=3
		echo "ksymbol addr=$K len=256 ksym_type=1 name=main time=1"
		printf '%s\n' "repeat $ms {" "sample id=1 pid=7 tid=7 time=\$(i*2000000+1000) period=1000000 ip=$K misc=1" '}'
		printf '%s\n' "$@"
		echo round
	} | build >"$file"
}

# total ARG...: the verdict on the total, its change in per cent, and whether counters or samples say it
total() {
	pp-diff --json "$@" | jq -r 'select(.kind == "total") |
		"\(.verdict) \(.change * 100 | round) \(.note // "by samples")"'
}

@test "counted: the total is that of STAT records of the event, where all recordings have them" {
	local i
	for i in 1 2 3 4 5; do
		# samples are far apart, counts are not
		counted a$i $((300 + i % 3 * 90)) "stat id=9 val=$((400000000 + i)) ena=10 run=10"
		counted b$i $((300 + i % 2 * 90)) "stat id=9 val=$((420000000 + i)) ena=10 run=10"
		counted c$i 400 "stat id=8 val=$((420000000 + i)) ena=10 run=10"
	done
	run -0 total a? -- b?
	assert_output 'worse 5 by counters'
	run -1 pp-diff --fail-if-worse 3 a? -- b?
	assert_line --regexp '^worse +\+5\.0 % .* total \(by counters\)$'
	pp-diff --csv a? -- b? | grep -q '^total,,worse,.*,by counters'
	pp-diff --markdown a? -- b? | grep -qF '| `total` (by counters) |'
	# not all of them
	run -0 total a? -- b[1-4] c5
	assert_line --regexp ' by samples$'
	# of another event
	run -0 total c? -- c?
	assert_output 'same 0 by samples'
	# nor has a part of a recording its own
	run -0 total a1 -- b1
	assert_line --regexp ' by samples$'
}

@test "counted: the total is that of READ records, and of samples of tasks that have none" {
	local i
	for i in 1 2 3 4 5; do
		counted a$i $((300 + i % 3 * 90)) "read pid=7 tid=7 value=$((400000000 + i)) event=1 time=900000000"
		counted b$i $((300 + i % 2 * 90)) "read pid=7 tid=7 value=$((420000000 + i)) event=1 time=900000000"
		counted c$i 300 "read pid=7 tid=8 value=$((120000000 + i)) event=1 time=900000000"
	done
	run -0 total a? -- b?
	assert_output 'worse 5 by counters'
	run -0 total a? -- c?
	assert_output 'worse 5 by counters, of some tasks by samples'
}
