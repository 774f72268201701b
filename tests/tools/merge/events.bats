# events.bats - pp-merge: events, ids, tracepoints and counts of unlike recordings in one stream.

setup() {
	load ../../helper
	load merge
}

# ---- events

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
	sound out
}

@test "the same id of one event in two pieces is no clash" {
	printf '%s\n' header 'attr id=5' 'sample id=5 time=10' | build >a
	run -0 --separate-stderr pp-merge -v --no-sandbox a a -o out
	[ -z "$stderr" ]
	run -0 said out
	[ "${#lines[@]}" -eq 2 ]
}

@test "recordings whose ids lie in different places are rewritten so that all have an IDENTIFIER" {
	unlike
	pp-merge a b -o out
	sound out
	run -0 said out
	[ "${lines[0]}" = "cpu-clock 0x7 0x1000 5 1000" ]
	[ "${lines[1]}" = "task-clock 0x8 0x2000 6 2000" ]
	[ "${lines[2]}" = "cpu-clock 0x7 0x1001 5 3000" ]
	[ "${lines[3]}" = "task-clock 0x8 0x2001 6 4000" ]
	records out >/dev/null
	run -0 order out
	[ "$output" = "COMM 1000 1500 2000 2000 2500 3000 4000 R" ]
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
	sound out
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

# counted PERF INPUT...: this perf shows of the merged, in either order, the samples of the last input
# and the counts of the first
counted() {
	local perf=$1 order fields=()
	shift
	# of other programs names come and go while perf looks
	[ -z "${whole_system:-}" ] || fields=(-F comm,tid,cpu,time,event,ip)
	# a kernel whose records claim build-ids, since another recorder asked for them, has perf crash
	"$perf" script "${fields[@]}" -i - <"$2" >alone 2>/dev/null || skip "$perf cannot read its own recording"
	tr -s ' ' <alone | sort >want
	"$perf" stat report -i - <"$1" 2>&1 | grep -o '[0-9].*task-clock' >counts
	[ -s want ] && [ -s counts ] || return
	for order in "$1 $2" "$2 $1"; do
		# shellcheck disable=SC2086
		pp-merge -q $order -o out && sound out || return
		"$perf" script "${fields[@]}" -i - <out >got 2>err || { cat err; return 1; }
		diff want <(grep '[0-9][.][0-9]*:' got | tr -s ' ' | sort) || return
		grep -q task-clock got || { echo "no counts of $order"; return 1; }
		"$perf" stat report -i - <out >said 2>&1 || { cat said; return 1; }
		diff counts <(grep -o '[0-9].*task-clock' said) || return
	done
}

# bats test_tags=nightly
@test "counts of perf stat and samples of perf record are one stream, which perf script and stat read" {
	need_perf_events
	for perf in $(perfs); do
		"$perf" stat record -e task-clock,context-switches -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -e cpu-clock -o - -- "${WORK[@]}" >samples.pipe 2>/dev/null
		counted "$perf" counts.pipe samples.pipe
	done
}

# bats test_tags=nightly
@test "counts of all processors by interval and samples of all are one stream, which perf reads" {
	need_system_wide
	whole_system=yes
	for perf in $(perfs); do
		"$perf" stat record -a -I 100 -e task-clock -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -a -e cpu-clock -o - -- "${WORK[@]}" >samples.pipe 2>/dev/null
		counted "$perf" counts.pipe samples.pipe
	done
}

# bats test_tags=nightly
@test "counts of perf stat beside tracepoints are one stream, which perf script reads" {
	need_tracepoints
	for perf in $(perfs); do
		"$perf" stat record -e task-clock -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -e sched:sched_process_fork -c 1 -o - -- "${CALLS[@]}" >samples.pipe 2>/dev/null
		for order in "counts.pipe samples.pipe" "samples.pipe counts.pipe"; do
			# shellcheck disable=SC2086
			pp-merge -q $order -o out
			sound out
			"$perf" script -i - -F comm,tid,time,event,trace <samples.pipe >want 2>/dev/null ||
				skip "$perf cannot read its own recording"
			"$perf" script -i - -F comm,tid,time,event,trace <out 2>/dev/null >got
			[ -s want ]
			diff want <(grep '[0-9][.][0-9]*:' got)
			grep -q task-clock got
		done
	done
}

# ---- tracepoints

# tracing SYSTEM NAME=ID...: tracing data that hold these tracepoints, as hex
tracing() {
	perl -e '
		sub blob { pack("Q<", length $_[0]) . $_[0] }
		sub fields { join "", map { my ($t, @n) = split / (?=\d)/; sprintf "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", $t, @n } @_ }
		my $system = shift;
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CCL<", 0, 8, 4096) . "header_page\0"
			. blob(fields("u64 timestamp 0 8 0", "local_t commit 8 8 1", "int overwrite 8 1 1", "char data 16 4080 0"))
			. "header_event\0" . blob("# none\n") . pack("L<L<", 0, 1) . "$system\0" . pack("L<", scalar @ARGV);
		for (@ARGV) {
			my ($name, $id) = split /=/;
			$data .= blob("name: $name\nID: $id\nformat:\n" . fields("unsigned short common_type 0 2 0",
				"unsigned char common_flags 2 1 0", "unsigned char common_preempt_count 3 1 0",
				"int common_pid 4 4 1") . "\n" . fields("int $name 8 4 1") . "\nprint fmt: \"$name=%d\", REC->$name\n");
		}
		print unpack "H*", $data . pack("L<L<Q<", 0, 0, 0);' "$@"
}

# tracepoint NAME ID TIME VALUE [NAME=ID]: a stream with one sample of that tracepoint; its tracing
# data have the other one too
tracepoint() {
	local raw
	raw=$(perl -e 'print unpack "H*", pack "S<CCl<l<", $ARGV[0], 0, 0, 5, $ARGV[1]' "$2" "$4")
	printf '%s\n' header "attr id=$2 type=2 config=$2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW flags=sample_id_all,comm" \
		"event_update id=$2 name=sys:$1" "tracing hex=$(tracing sys "$1=$2" ${5+"$5"})" \
		"comm pid=5 comm=work synthesized" "sample pid=5 id=$2 time=$3 raw=$raw" round | build
}

# bats test_tags=nightly
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

@test "tracing data that contradict are refused, with the reason" {
	printf '%s\n' header attr 'tracing text=one' 'sample time=1' | build >a
	printf '%s\n' header attr 'tracing text=other' 'sample time=1' | build >b
	run -2 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"cannot be merged with a: "* ]]
	[ ! -e out ]
	pp-merge a a -o out
	[ "$(records out | grep -c HEADER_TRACING_DATA)" -eq 1 ]
}

@test "tracepoints whose numbers clash or differ are renumbered everywhere, and perf reads them" {
	tracepoint alpha 300 1000 11 >a
	tracepoint beta 300 2000 22 >b
	tracepoint alpha 400 3000 33 gamma=300 >c
	run -0 pp-merge -v a b c -o out
	assert_output --partial "3 tracepoints renumbered"
	sound out
	[ "$(records out | grep -c HEADER_TRACING_DATA)" -eq 1 ]
	run -0 bash -c "pp-dump --json -i out | jq -r 'select(.type == \"SAMPLE\") | .event + \" \" + .fields.raw[:4]'"
	[ "${lines[0]}" = "sys:alpha 2c01" ]
	[ "${lines[1]}" = "sys:beta 2d01" ]
	[ "${lines[2]}" = "sys:alpha 2c01" ]
	need_perf
	pp-merge c b a -o other
	for name in out other; do
		run -0 --separate-stderr perf script -F time,event,trace -i - <$name
		[ "$(tr -s ' ' <<<"$output" | sed 's/^ //')" = "0.000001: sys:alpha: alpha=11
0.000002: sys:beta: beta=22
0.000003: sys:alpha: alpha=33" ]
	done
}

@test "a tracepoint that has another format is refused by name" {
	tracepoint alpha 300 1000 11 >a
	tracepoint alpha 300 2000 22 | sed 's/alpha=%d/alpha:%d/' >b
	run -2 --separate-stderr pp-merge a b -o out
	[[ $stderr == *"b: cannot be merged with a: its tracepoint sys:alpha has another format"* ]]
	[ ! -e out ]
}
