# merge.bats - pp-merge: pieces become the whole, unlike recordings stand side by side, what is
# wrong with one input does not hurt the others.

setup() { load ../helper; }

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

# eventually COMMAND...: it is true sooner or later
eventually() {
	local _
	for _ in {1..6000}; do
		"$@" && return
		sleep 0.01
	done
	return 1
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

@test "a FINISHED_INIT stands after what is said without a time, and is written once" {
	for n in 1 2; do
		printf '%s\n' header 'attr id=1' "comm pid=$n comm=x synthesized" init \
			"sample time=${n}0" round | build >$n
	done
	pp-merge 1 2 -o out
	run -0 order out
	[ "$output" = "COMM FINISHED_INIT 10 20 20 R" ]
	printf '%s\n' header 'attr id=1' "comm pid=3 comm=x synthesized" init | build >3
	pp-merge 1 3 -o out
	run -0 order out
	[ "$output" = "COMM COMM FINISHED_INIT 10 R" ]
	pp-merge 3 3 -o out
	run -0 order out
	[ "$output" = "COMM FINISHED_INIT" ]
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
		pp-merge -q $order -o out && pp-check -q out || return
		"$perf" script "${fields[@]}" -i - <out >got 2>err || { cat err; return 1; }
		diff want <(grep '[0-9][.][0-9]*:' got | tr -s ' ' | sort) || return
		grep -q task-clock got || { echo "no counts of $order"; return 1; }
		"$perf" stat report -i - <out >said 2>&1 || { cat said; return 1; }
		diff counts <(grep -o '[0-9].*task-clock' said) || return
	done
}

@test "counts of perf stat and samples of perf record are one stream, which perf script and stat read" {
	need_perf_events
	for perf in $(perfs); do
		"$perf" stat record -e task-clock,context-switches -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -e cpu-clock -o - -- "${WORK[@]}" >samples.pipe 2>/dev/null
		counted "$perf" counts.pipe samples.pipe
	done
}

@test "counts of all processors by interval and samples of all are one stream, which perf reads" {
	need_system_wide
	whole_system=yes
	for perf in $(perfs); do
		"$perf" stat record -a -I 100 -e task-clock -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -a -e cpu-clock -o - -- "${WORK[@]}" >samples.pipe 2>/dev/null
		counted "$perf" counts.pipe samples.pipe
	done
}

@test "counts of perf stat beside tracepoints are one stream, which perf script reads" {
	need_tracepoints
	for perf in $(perfs); do
		"$perf" stat record -e task-clock -o - -- "${CALLS[@]}" >counts.pipe 2>/dev/null
		"$perf" record -e sched:sched_process_fork -c 1 -o - -- "${CALLS[@]}" >samples.pipe 2>/dev/null
		for order in "counts.pipe samples.pipe" "samples.pipe counts.pipe"; do
			# shellcheck disable=SC2086
			pp-merge -q $order -o out
			pp-check -q out
			"$perf" script -i - -F comm,tid,time,event,trace <samples.pipe >want 2>/dev/null ||
				skip "$perf cannot read its own recording"
			"$perf" script -i - -F comm,tid,time,event,trace <out 2>/dev/null >got
			[ -s want ]
			diff want <(grep '[0-9][.][0-9]*:' got)
			grep -q task-clock got
		done
	done
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

@test "tracepoints whose numbers clash or differ are renumbered everywhere, and perf reads them" {
	tracepoint alpha 300 1000 11 >a
	tracepoint beta 300 2000 22 >b
	tracepoint alpha 400 3000 33 gamma=300 >c
	run -0 pp-merge -v a b c -o out
	assert_output --partial "3 tracepoints renumbered"
	pp-check -q out
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

# ---- how things were when each began

# perfs: the perf of this machine, and newer ones where there are
perfs() {
	echo perf
	[ -z "${PERF_NEWER:-}" ] || printf '%s\n' "$PERF_NEWER"/perf-*
}

# shown PERF FILE: how it names the program, symbol and file of each sample
shown() {
	local names=,sym
	# other programs and their files come and go while perf looks
	[ -z "${whole_system:-}" ] || names=
	"$1" script -i - -F comm,tid,time,ip$names,dso <"$2" 2>/dev/null | tr -s ' ' | sort -k3
}

# apart INPUT...: what perf of each version shows of the merged is what it shows of each, in every
# order of them
apart() {
	local file perf order
	for order in "$*" "$(printf '%s\n' "$@" | tac | tr '\n' ' ')"; do
		# shellcheck disable=SC2086
		pp-merge -q $order -o merged && pp-check -q merged || return
		for perf in $(perfs); do
			for file; do shown $perf $file; done | sort -k3 >want
			[ -s want ] || { echo "$perf shows nothing"; return 1; }
			shown $perf merged >got
			diff want got || { echo "so $perf of $order"; return 1; }
		done
	done
}

# program NAME TIME [FLAGS]: one process, by that name and with a map of that file, from TIME on
program() {
	local flags=${3-sample_id_all,comm,mmap} how=synthesized
	[[ $flags == *sample_id_all* ]] || how=
	build <<-END
		header
		attr id=$2 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=$flags
		comm pid=5 comm=$1 $how
		mmap2 pid=5 start=0x1000 len=0x1000 file=/$1 prot=5 $how
		init
		sample pid=5 time=$2 ip=0x1010
		sample pid=5 time=$(($2 + 5)) ip=0x1011
		round
	END
}

@test "a process that had become another program by the second recording keeps its name and file in both" {
	need_perf
	program alpha 1000 >a
	program beta 2000 >b
	apart a b
	for name in alpha beta; do
		run -0 bash -c "pp-filter --comm $name -i merged | pp-dump --json | jq -c 'select(.type == \"SAMPLE\") | .fields.time'"
		[ "${#lines[@]}" -eq 2 ]
	done
}

@test "the two recordings of one process in ../shared/found are shown as each alone is" {
	need_perf
	found=${FOUND:-$ROOT/../shared/found}
	[ -e "$found/r1.pipe" ] || skip "no r1.pipe in \$FOUND"
	cp "$found"/r[12].pipe .
	apart r1.pipe r2.pipe
	[ "$(perf_quiet script -i merged -F comm | grep -c alpha)" -eq 44 ]
	[ "$(perf_quiet script -i merged -F comm | grep -c beta)" -eq 29 ]
}

@test "pp-inject -b asks for the file that the process had at each time" {
	for n in 1:pp-cat 2:pp-sort; do
		printf '%s\n' header "attr id=${n%%:*} flags=sample_id_all,comm,mmap" "comm pid=5 comm=x synthesized" \
			"mmap2 pid=5 start=0x1000 len=0x1000 file=$BIN/${n#*:} prot=5 synthesized" \
			"sample pid=5 time=${n%%:*}000 ip=0x1010" round | build >"${n#*:}.pipe"
	done
	for order in "pp-cat.pipe pp-sort.pipe" "pp-sort.pipe pp-cat.pipe"; do
		# shellcheck disable=SC2086
		pp-merge $order | pp-inject -b -o out
		run -0 bash -c "pp-dump --json -i out | jq -r 'select(.type == \"HEADER_BUILD_ID\") | .fields.filename' | sort"
		[ "$output" = "$BIN/pp-cat
$BIN/pp-sort" ]
	done
}

@test "what an earlier recording mapped, and a later one did not, ends where the later one begins" {
	need_perf
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=one synthesized
		comm pid=5 tid=6 comm=thread synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/old prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		sample pid=5 tid=6 time=1001 ip=0x1010
		round
	END
	build >b <<-'END'
		header
		attr id=2 flags=sample_id_all,comm,mmap sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=one synthesized
		mmap2 pid=5 start=0x8000 len=0x1000 file=/new prot=5 synthesized
		comm pid=5 tid=6 comm=thread synthesized
		sample pid=5 time=2000 ip=0x1010
		sample pid=5 tid=6 time=2001 ip=0x1010
		sample pid=5 tid=6 time=2002 ip=0x8010
		round
	END
	apart a b
	grep -q '/old' got
	grep -q '/new' got
}

@test "what recordings agree on stays without a time, and is written once" {
	for n in 1 2; do
		printf '%s\n' header "attr id=$n" 'fork pid=5 ppid=1 tid=5 ptid=1 misc=0x2000 synthesized' \
			'comm pid=5 comm=same synthesized' 'mmap2 pid=5 start=0x1000 len=0x1000 file=/x synthesized' \
			init "sample pid=5 time=${n}000" round | build >$n
	done
	pp-merge 1 2 -o out
	run -0 order out
	[ "$output" = "FORK COMM MMAP2 FINISHED_INIT 1000 2000 R" ]
}

@test "of recordings that run at once the later one names what it found, from its begin on" {
	for n in 1 2; do
		printf '%s\n' header "attr id=$n" "comm pid=5 comm=kworker/$n synthesized" 'comm pid=6 comm=init synthesized' \
			"sample pid=5 time=${n}000" 'sample pid=5 time=3000' round | build >$n
	done
	for order in "1 2" "2 1"; do
		# shellcheck disable=SC2086
		pp-merge $order -o out
		run -0 bash -c "pp-dump --json -i out | jq -r 'select(.type == \"COMM\") | .fields | \"\(.comm) \(.sample_id.time)\"'"
		[ "$output" = "kworker/1 0
init 0
kworker/2 2000" ]
	done
}

@test "a name or map that a running recording saw come is not undone by one that looked before" {
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap
		comm pid=5 comm=sh synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/sh prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		comm pid=5 comm=ls exec time=1500
		mmap2 pid=5 start=0x1000 len=0x1000 file=/ls prot=5 time=1501
		sample pid=5 time=3000 ip=0x1010
		round
	END
	build >b <<-'END'
		header
		attr id=2 flags=sample_id_all,comm,mmap
		comm pid=5 comm=sh synthesized
		mmap2 pid=5 start=0x1000 len=0x2000 file=/sh prot=5 synthesized
		mmap2 pid=5 start=0x8000 len=0x1000 file=/data prot=5 synthesized
		comm pid=7 comm=other synthesized
		sample pid=5 time=2000 ip=0x1010
		sample pid=5 time=2001 ip=0x8010
		sample pid=7 time=2002 ip=0x8010
		round
	END
	for order in "a b" "b a"; do
		# shellcheck disable=SC2086
		pp-merge $order -o out
		[ "$(pp-filter --comm ls -i out | records -s /dev/stdin | cut -d' ' -f5 | tr '\n' ' ')" = "2000 2001 3000 " ]
		[ "$(pp-filter --comm other -i out | records -s /dev/stdin | cut -d' ' -f5)" = 2002 ]
		[ "$(pp-filter 'dso == "/ls"' -i out | records -s /dev/stdin | cut -d' ' -f5 | tr '\n' ' ')" = "2000 3000 " ]
		[ "$(pp-filter 'dso == "/data"' -i out | records -s /dev/stdin | cut -d' ' -f5)" = 2001 ]
	done
}

@test "a process that ended and whose number is another's is told anew" {
	need_perf
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap,task sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=first synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/first prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		exit pid=5 ppid=1 tid=5 ptid=1 time=1100
		sample pid=9 time=5000 ip=0x1010
		round
	END
	program second 2000 >b
	apart a b
}

@test "where side-band has no times at all, it still counts from its own recording's begin" {
	need_perf
	program alpha 1000 comm,mmap >a
	program beta 2000 comm,mmap >b
	apart a b
	program beta 2000 >b
	apart a b
}

@test "a recording without samples names nothing in another" {
	need_perf
	program alpha 1000 >a
	program beta 2000 | pp-filter -p 77 -o b
	[ "$(records -s b | wc -l)" -eq 0 ]
	shown perf a >want
	for order in "a b" "b a"; do
		# shellcheck disable=SC2086
		pp-merge -q $order -o out
		shown perf out >got
		diff want got
	done
}

@test "recordings of the whole system, one after the other and at once, are shown as each alone is" {
	need_system_wide
	whole_system=yes
	perf_quiet record -a -F 499 -e cpu-clock -o - -- "${CALLS[@]}" >a
	perf_quiet record -a -F 499 -e cpu-clock -o - -- "${CALLS[@]}" >b
	apart a b
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
	pp-check -q out
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
		pp-check -q out
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
		FAULT="0 12 $nth 0" LD_PRELOAD=$shim pp-merge -q --hosts --offset b=0 a b >got 2>err || status=$?
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

# ---- features

@test "features that are untrue of the whole are made of all, or left out" {
	for name in a:4:10 b:8:30; do
		IFS=: read -r file cpus time <<<"$name"
		printf '%s\n' header attr 'feature HOSTNAME string "one"' "feature NRCPUS u32 $cpus u32 $cpus" \
			"feature CACHE u32 1 u32 0" 'feature CPUDESC string "same"' \
			"feature SAMPLE_TIME u64 $time u64 $((time + 5))" "sample time=$time" round | build >$file
	done
	pp-merge -q a b -o out
	run -0 bash -c "pp-dump --json -i out | jq -c 'select(.type == \"HEADER_FEATURE\") | [.fields.feat_id, .fields.data]'"
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[0]}" == '[3,'* ]]
	[ "${lines[1]}" = '[7,{"nr_cpus_avail":8,"nr_cpus_online":8}]' ]
	[[ "${lines[2]}" == '[8,'* ]]
	[ "${lines[3]}" = '[21,{"first":10,"last":35}]' ]
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

@test "inputs that come in pieces, cut anywhere, are merged as files are" {
	pp-gen --seed 1 --samples 300 --tracepoints 1 -z -o a
	{
		printf '%s\n' header attr 'sample time=1000000000' 'auxtrace bytes=3000 idx=1'
		printf '%s\n' 'sample time=1000100000000' round 'auxtrace bytes=40 idx=2' round
	} | build >b
	pp-merge -q a b -o want
	[ "$(records want | grep -c AUXTRACE)" -eq 2 ]
	mkfifo x y
	timeout 100 pp-merge -q --patience forever x y -o /dev/stdout >got 3>&- &
	pid=$!
	trickle a 97 >x 3>&- &
	trickle b 61 >y 3>&- &
	wait $pid
	same_bytes want got
}

@test "an input that says nothing for ever holds the others no longer than --patience" {
	times a 10 R 30 R 50 R
	printf '%s\n' header attr | build >b
	mkfifo x y
	timeout 100 pp-merge --patience 0.1 x y -o /dev/stdout >out 3>&- &
	pid=$!
	bash -c 'exec 8>x; cat a >&8; exec 9>y; cat b >&9; exec sleep 100' 3>&- &
	writer=$!
	# all of a comes although neither input ends
	eventually bash -c 'pp-dump -i out 2>&1 | grep -q "SAMPLE *0.000000050"'
	kill $writer
	wait $pid
	run -0 order out
	[[ "$output" == "10"*"30"*"50"* ]]
}

@test "what an idle input says too late is written and counted" {
	times a 10 R 30 R 50 R 70 R
	times late 20 R 80 R
	times empty
	mkfifo x y
	timeout 100 pp-merge --patience 0.1 x y -o /dev/stdout >out 2>err 3>&- &
	pid=$!
	bash -c 'exec 8>x; cat a >&8; exec 9>y; cat empty >&9
		until pp-dump -i out 2>&1 | grep -q "SAMPLE *0.000000070"; do sleep 0.01; done
		tail -c +$(($(stat -c %s empty) + 1)) late >&9' 3>&- &
	wait $pid
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 30 50 70 20 80 " ]
	run -0 cat err
	[[ "$output" == *"y: 1 record came too late for its place"* ]]
}

@test "an input whose recorder is killed is cut, and the rest arrives" {
	pp-gen --seed 1 --samples 3000 -o a
	pp-gen --seed 2 --samples 3000 -o b
	mkfifo x
	timeout 100 pp-merge x b -o out 2>err 3>&- &
	pid=$!
	perl -e 'open A, "<", "a"; open X, ">", "x"; read A, $b, (-s "a") / 2; syswrite X, $b;
		open T, ">", "there"; sleep 100' 3>&- &
	writer=$!
	eventually test -e there
	kill -9 $writer
	status=0
	wait $pid || status=$?
	[ "$status" -eq 3 ]
	[[ "$(cat err)" == "pp-merge: x: "* ]]
	[ "$(pp-dump --json -i b | grep -c '"type":"SAMPLE"')" -eq 3000 ]
	[ "$(pp-dump --json -i out 2>/dev/null | grep -c '"type":"SAMPLE"')" -gt 3000 ]
	run -3 pp-check -q out
}

# ---- memory

# least MB MOST COMMAND...: the address space in MB, up to MOST, with which the command ends with 0;
# most of what a tool takes without any input are its libraries
least() {
	local low=1 high=$1 middle
	shift
	while [ $low -lt $high ]; do
		middle=$(((low + high) / 2))
		if prlimit --as=$((middle << 20)) "$@" >/dev/null 2>&1; then high=$middle; else low=$((middle + 1)); fi
	done
	echo $low
}

need_address_space() {
	times a 10 R
	prlimit --as=$((100 << 20)) pp-merge a >/dev/null 2>&1 || skip "what is built here needs more address space than it uses"
	nothing=$(least 100 pp-merge -q a a)
}

@test "two rounds of 17 MB are merged in their own size and 16 MB, or in what -S allows" {
	need_address_space
	for n in 1 2; do pp-gen --seed $n --samples 300000 --rounds 1 --no-seal -o $n; done
	size=$(($(stat -c %s 1) >> 20))
	# 32 bytes beside each record of some 56
	[ "$(least 500 pp-merge -q 1 2)" -le $((nothing + 16 + 2 * size * 8 / 5)) ]
	[ "$(least 500 pp-merge -q -S 4M 1 2)" -le $((nothing + 16 + 2 * 4)) ]
}

@test "long tracing data wait in a file, and are written once where they are equal" {
	need_address_space
	for n in 1 2; do printf '%s\n' header attr 'tracing bytes=60000000' "sample time=${n}0" round | build >$n; done
	[ "$(least 200 pp-merge -q 1 2)" -le $((nothing + 16)) ]
	pp-merge -q 1 2 -o out
	pp-check -q out
	[ "$(stat -c %s out)" -lt 61000000 ]
	run -0 order out
	[ "$output" = "HEADER_TRACING_DATA 10 20 R" ]
}

@test "tracing data that differ, and are longer than --size, are refused with the reason" {
	for n in 1 2; do printf '%s\n' header attr "tracing bytes=${n}000000" "sample time=${n}0" round | build >$n; done
	run -2 --separate-stderr pp-merge -S 2M 1 2 -o out
	[[ $stderr == *"2: cannot be merged with 1: "*"--size"* ]]
	[ ! -e out ]
}

# ---- properties

# multiset FILE...: what their samples say but for ids, which may be others in the output
multiset() { for file; do said "$file"; done | cut -d' ' -f1,3- | sort; }

@test "samples of generated streams are all there, in order, whatever the order of the inputs" {
	pp-gen --seed 1 --samples 2000 --disorder 5ms --callchain 3 -o a
	pp-gen --seed 2 --samples 1500 --disorder 50ms --forks 2 --exits 2 -o b
	pp-gen --seed 3 --samples 1000 --rounds 0 --events 2 --no-seal -o c
	pp-gen --seed 4 --samples 1000 --big-endian --comms 3 -o d
	pp-gen --seed 5 --samples 1000 -z -o e
	pp-merge -q a b c d e -o out
	pp-check -q out
	pp-sort --check -i out
	diff <(multiset a b c d e) <(multiset out)
	pp-merge -q e c a d b -o other
	diff <(multiset out) <(multiset other)
}

@test "merging in two steps gives what one step gives" {
	for seed in 1 2 3; do pp-gen --seed $seed --samples 1000 -o $seed; done
	pp-merge 1 2 -o a
	pp-merge a 3 -o two
	pp-merge 1 2 3 -o one
	diff <(said one) <(said two)
}

@test "unlike recordings report as the sum of their reports" {
	need_perf
	pp-gen --seed 1 --samples 800 --events 2 -o a
	pp-gen --seed 2 --samples 500 --callchain 3 --sample-type=-cpu -o b
	report() { perf report -i - --stdio -g none --no-children --sort comm,dso -F sample,comm,dso <"$1" 2>/dev/null | grep -v '^#' | grep .; }
	sum() { awk '{ n[$2 " " $3] += $1 } END { for (i in n) print i, n[i] }' | sort; }
	pp-merge -q a b -o out
	for name in a b; do report $name; done | sum >want
	[ -s want ]
	report out | sum >got
	diff want got
}

@test "pieces that pp-split made report as the whole" {
	need_perf
	pp-gen --seed 1 --samples 2000 --cpus 3 --forks 2 --exits 2 --comms 2 --callchain 3 -o whole
	pp-split --by cpu -o 'piece-{}' -i whole
	pp-merge piece-* -o out
	report() { perf report -i - --stdio --no-children --sort comm,dso,sym -n <"$1" 2>/dev/null | grep -v '^#'; }
	report whole >want
	[ -s want ]
	report out >got
	diff want got
}
