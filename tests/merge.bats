# merge.bats - pp-merge: pieces become the whole, unlike recordings stand side by side, what is
# wrong with one input does not hurt the others.

setup() { load helper; }

# order FILE: a word for each record behind the head: its time; R for a round; else its type's name
order() {
	records "$1" | awk '$2 == "HEADER_ATTR" { next }
		$2 == "FINISHED_ROUND" { $5 = "R" }
		$5 == "-" || $5 == 0 { $5 = $2 }
		{ printf "%s%s", blank, $5; blank = " " }'
}

# times FILE WORD...: a stream with a sample for each number, a round for each R
times() {
	local file=$1 word
	shift
	{
		echo header
		echo attr id=1
		for word; do
			[ "$word" = R ] && echo round || echo "sample time=$word"
		done
	} | build >"$file"
}

# said FILE: of each sample event, id, ip, pid, time
said() {
	json "$1" | jq -r 'select(.type == "SAMPLE") | [.event, (.fields.identifier // .fields.id),
		.fields.ip, .fields.pid, .fields.time] | map(tostring) | join(" ")'
}

# unlike: two recordings that perf could not read as one: a has no id in its records, b has
# IDENTIFIER and other fields
unlike() {
	build >a <<-'END'
		header
		attr id=7 config=0 sample_type=IP,TID,TIME,PERIOD flags=sample_id_all,comm
		comm pid=5 comm=first synthesized
		sample pid=5 time=1000 ip=0x1000
		comm pid=5 comm=later time=1500
		sample pid=5 time=3000 ip=0x1001
		round
	END
	build >b <<-'END'
		header
		attr id=8 config=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm
		comm pid=6 comm=second synthesized
		sample pid=6 cpu=1 time=2000 ip=0x2000 callchain=0x2000,0x2004
		comm pid=6 comm=again time=2500
		sample pid=6 cpu=1 time=4000 ip=0x2001 callchain=0x2001
		round
	END
}

# ---- the order

@test "records of all inputs come in the order of their times" {
	times a 10 40 R 30 60 R
	times b 20 50 R 55 70 R
	pp-merge a b -o out
	run -0 bash -c "pp-sort --check -i out"
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 20 30 40 50 55 60 70 " ]
}

@test "equal times keep the order of the command line" {
	times a 10 20 R
	times b 10 20 R
	pp-merge --offset b=0 a b -o out
	run -0 order out
	[ "$output" = "10 10 20 20 R" ]
}

@test "one input that is in order leaves as it came" {
	times a 10 20 R 30 R
	pp-merge a -o out
	same_bytes a out
	pp-merge <a >out
	same_bytes a out
	pp-merge - <a >out
	same_bytes a out
}

@test "a round is written when every input has passed one" {
	times a 10 R 20 R 30 R
	times b 11 R 31 R
	pp-merge a b -o out
	run -0 order out
	[ "$output" = "10 11 R 20 30 31 R" ]
}

@test "a FINISHED_INIT stands behind what all inputs say of their beginning" {
	for name in a b; do
		printf '%s\n' header 'attr id=1' "comm pid=1 comm=$name synthesized" init \
			'sample time=5' round | build >$name
	done
	pp-merge a b -o out
	run -0 order out
	[ "$output" = "COMM COMM FINISHED_INIT 5 5 R" ]
}

# ---- events

@test "events that are alike become one, with the ids of both" {
	printf '%s\n' header 'attr id=1,2' 'sample id=1 time=10' | build >a
	printf '%s\n' header 'attr id=3,4' 'sample id=3 time=20' | build >b
	pp-merge a b -o out
	run -0 bash -c "pp-dump --json -i out | jq -c 'select(.type == \"HEADER_ATTR\") | .fields.id'"
	[ "$output" = '["0x1","0x2","0x3","0x4"]' ]
}

@test "ids that clash are renumbered wherever they stand" {
	cat >text <<-'END'
		id_index entries=5:0:0:1
		event_update id=5 name=mine
		sample id=5 pid=1 time=20 ip=0x1
		lost id=5 lost=3 time=21
		throttle time=22 id=5 stream_id=5
		stat id=5 cpu=0 thread=0 val=1 ena=1 run=1
	END
	{ printf '%s\n' header 'attr id=5 config=0' 'sample id=5 time=10'; } | build >a
	{ printf '%s\n' header 'attr id=5 config=1' 'attr id=6 config=2'; cat text; } | build >b
	run -0 pp-merge -v a b -o out
	assert_output --partial "1 id renumbered"
	run -0 said out
	[[ "${lines[0]}" == "cpu-clock 0x5 "* ]]
	[[ "${lines[1]}" == "mine 0x7 "* ]]
	run -0 bash -c "pp-dump --json -i out | sed 1d | grep -v HEADER_ATTR | grep -c '\"0x5\"'"
	[ "$output" -eq 1 ]
	pp-check -q out
}

@test "the same id of one event in two pieces is no clash" {
	printf '%s\n' header 'attr id=5' 'sample id=5 time=10' | build >a
	run -0 --separate-stderr pp-merge -v a a -o out
	[ -z "$stderr" ]
	run -0 said out
	[ "${#lines[@]}" -eq 2 ]
}

@test "recordings whose ids lie in different places are rewritten so that all have an IDENTIFIER" {
	unlike
	pp-merge a b -o out
	pp-check -q out
	run -0 said out
	[ "${lines[0]}" = "cpu-clock 0x7 0x1000 5 1000" ]
	[ "${lines[1]}" = "task-clock 0x8 0x2000 6 2000" ]
	[ "${lines[2]}" = "cpu-clock 0x7 0x1001 5 3000" ]
	[ "${lines[3]}" = "task-clock 0x8 0x2001 6 4000" ]
	records out >/dev/null
	run -0 order out
	[ "$output" = "COMM COMM 1000 1500 2000 2500 3000 4000 R" ]
}

@test "perf reads unlike recordings as one" {
	need_perf
	unlike
	pp-merge a b -o out
	fields=comm,tid,time,event,ip
	for name in a b; do perf script -F $fields -i - <$name 2>/dev/null; done | sed 's/\[unknown\]//' | tr -d ' \t' | grep . | sort >want
	perf script -F $fields -i - <out 2>err | sed 's/\[unknown\]//' | tr -d ' \t' | grep . | sort >got
	diff want got
	run cat err
	refute_output --partial "out of order"
}

@test "big-endian and little-endian become one" {
	unlike
	build <<-'END' >b
		header big
		attr id=8 config=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm
		sample pid=6 cpu=1 time=2000 ip=0x2000
		round
	END
	pp-merge a b -o out
	run -0 said out
	[ "${lines[1]}" = "task-clock 0x8 0x2000 6 2000" ]
	pp-check -q out
}

@test "EVENT_DESC names the events of all" {
	printf '%s\n' header 'attr id=1 config=0 name=one' 'feature EVENT_DESC' 'sample id=1 time=10' | build >a
	printf '%s\n' header 'attr id=2 config=1 name=two' 'feature EVENT_DESC' 'sample id=2 time=20' | build >b
	pp-merge a b -o out
	run -0 said out
	[[ "${lines[0]}" == "one 0x1 "* ]]
	[[ "${lines[1]}" == "two 0x2 "* ]]
	run -0 bash -c "pp-dump --json -i out | jq -c 'select(.type == \"HEADER_FEATURE\") | .fields.data.events | map(.name)'"
	[ "$output" = '["one","two"]' ]
}

# ---- pieces

@test "what pp-filter took apart becomes the whole again" {
	need_perf_events
	perf_quiet record --sample-cpu -g -e cpu-clock -o - "${WORK[@]}" >whole
	pp-filter -i whole -C 0 -o a
	pp-filter -i whole 'cpu != 0' -o b
	pp-merge a b -o out
	pp-sort -i whole -o sorted
	perf script -i - <sorted >want 2>/dev/null
	[ -s want ]
	perf script -i - <out >got 2>/dev/null
	diff want got
	pp-check -q out
	pp-sort --check -i out
}

@test "a record that two pieces share is written once, and samples always" {
	printf '%s\n' header attr 'comm pid=1 comm=x synthesized' 'comm pid=1 comm=y time=10' 'sample time=20' | build >a
	pp-merge a a -o out
	run -0 order out
	[ "$output" = "COMM 10 20 20" ]
}

@test "recorded tracepoints of unlike recordings are joined, and perf reads them" {
	need_tracepoints
	perf_quiet record -e sched:sched_switch -o - "${CALLS[@]}" >a
	perf_quiet record -e syscalls:sys_enter_openat -o - "${CALLS[@]}" >b
	pp-merge a b -o out
	for name in a b; do perf script -F comm,tid,time,event,trace -i - <$name 2>/dev/null; done | tr -s ' ' | sort >want
	perf script -F comm,tid,time,event,trace -i - <out 2>/dev/null | tr -s ' ' | sort >got
	[ -s want ]
	diff want got
	[ "$(records out | grep -c HEADER_TRACING_DATA)" -eq 1 ]
}

@test "a file and a stream become one" {
	need_perf_events
	perf_quiet record -e cpu-clock -o f.data "${WORK[@]}" >/dev/null
	pp-cat f.data -o f.pipe
	times a 10 20 R
	pp-merge --no-seal a f.data -o one
	pp-merge --no-seal a f.pipe -o two
	same_bytes one two
	pp-check -q one
}

@test "tracing data that contradict are refused, with the reason" {
	printf '%s\n' header attr 'tracing text=one' 'sample time=1' | build >a
	printf '%s\n' header attr 'tracing text=other' 'sample time=1' | build >b
	run -2 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"cannot be merged with a: "* ]]
	[ ! -e out ]
	pp-merge a a -o out
	[ "$(records out | grep -c HEADER_TRACING_DATA)" -eq 1 ]
}

@test "AUXTRACE keeps its tail" {
	printf '%s\n' header attr 'sample time=10' 'auxtrace bytes=100000 idx=1' 'sample time=30' round | build >a
	times b 20 40 R
	pp-merge a b -o out
	run -0 order out
	[ "$output" = "10 AUXTRACE 20 30 40 R" ]
	pp-dump --json -i a | grep '"tail"' >want
	pp-dump --json -i out | grep '"tail"' >got
	[ -s want ]
	same_bytes want got
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
	[[ ${stderr_lines[0]} == *"'other' is no input" ]]
	run -2 --separate-stderr pp-merge --offset a=soon a
	[ -z "$output" ]
	run -2 --separate-stderr pp-merge --offset a a
	[ -z "$output" ]
}

@test "another host is moved by the wall clock, or it is said that nobody knows" {
	host() {
		printf '%s\n' header "attr clockid=4 flags=sample_id_all,comm,use_clockid" "feature HOSTNAME string \"$1\""
		[ -z "$2" ] || echo "feature CLOCK_DATA u32 1 u32 4 u64 $2 u64 1000"
		printf '%s\n' 'sample time=5000' round
	}
	host one 1000000 | build >a
	host two 1000300 | build >b
	host three "" | build >c
	run -0 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"b: HOSTNAME not as in a"* ]]
	[[ $stderr == *"b: from another host: its times are moved by 300 ns"* ]]
	run -0 order out
	[ "$output" = "HEADER_FEATURE HEADER_FEATURE 5000 5300 R" ]
	run -0 --separate-stderr pp-merge a c -o out
	[[ $stderr == *"c: from another host, whose clock may be another one"* ]]
}

# ---- damage, seals, live inputs

@test "of an input that is cut the rest arrives, and it is said which" {
	times a 10 30 R
	times b 20 40 R
	head -c -3 b >cut
	run -3 --separate-stderr pp-merge a cut -o out
	[[ $stderr == "pp-merge: cut: record "* ]]
	run -3 pp-sort -i out -o again
	run order out
	[[ $output == "10 20 30 40 R"* ]]
}

@test "an input that is no stream is told, and the others are merged" {
	times a 10 R
	: >empty
	run -3 --separate-stderr pp-merge a empty -o out
	[[ $stderr == "pp-merge: empty: "* ]]
	run order out
	[[ $output == "10 R"* ]]
	run -3 pp-merge empty empty -o none
	[ ! -e none ]
}

@test "an input that is not there ends it before anything is written" {
	times a 10 R
	run -4 --separate-stderr pp-merge a missing -o out
	[[ $stderr == "pp-merge: missing: "*"No such file or directory" ]]
	[ ! -e out ]
}

@test "the output is sealed where an input is, and remembers who was not" {
	times a 10 20 R
	pp-filter --seal -i a -o b
	pp-merge a b -o out
	pp-check -q out
	run -0 pp-filter -i out -o again
	same_bytes out again
	pp-merge --no-seal a b -o out
	[ "$(grep -c PPSEAL out)" -eq 0 ]
}

@test "inputs that grow are merged as far as the slowest has come" {
	mkfifo x y
	times a 10 30 R 50 R 70 R
	times b 20 40 R 60 R 80 R
	timeout 60 pp-merge x y -o out 3>&- &
	pid=$!
	trickle a 64 >x 3>&- &
	trickle b 200 >y 3>&- &
	wait $pid
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 20 30 40 50 60 70 80 " ]
}

@test "standard input twice is misuse" {
	run -2 --separate-stderr pp-merge - - </dev/null
	[[ ${stderr_lines[0]} == *"standard input can be read once only" ]]
}
