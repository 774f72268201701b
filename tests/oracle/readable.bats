# readable.bats - what our tools write is read by perf 6.1 and by the newest perf: every record keeps
# the rules of readable.pl, and the perf that is here reads it without a word.

setup() { load ../helper; }

# readable STREAM [--newest]
readable() { perl "$TESTS/oracle/readable.pl" ${2:-} "$1"; }

# perf_reads STREAM: `perf script` and `perf report` read it to its end and complain of no record
perf_reads() {
	local command
	for command in script 'report --stdio' 'report -D'; do
		command perf $command -i "$1" >perf.out 2>perf.err </dev/null || { cat perf.err; return 1; }
		if grep -iE 'unknown events|unsupported header|failed to process|wrong feature|invalid header|unexpected end|bad event|aligned|decompress|incompatible' perf.err; then
			return 1
		fi
	done
}

# A stream that keeps all rules, with samples in this test's own files, stacks, two events, and time out
# of order within its rounds.
base() {
	build <<-END
		header
		attr id=1,2 sample_type=IP,TID,TIME,ID,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm,mmap,mmap2,task
		attr id=3 config=2 sample_type=IP,TID,TIME,ID,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		feature HOSTNAME string "host"
		feature NRCPUS u32 2 u32 2
		feature EVENT_DESC
		event_update id=1 name=cpu-clock
		event_update id=3 name=page-faults
		thread_map entries=-1:
		cpu_map range=0-1
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=7 comm=old synthesized
		mmap2 pid=7 start=0x400000 len=0x100000 pgoff=0 prot=5 flags=2 file=$(command -v perl) synthesized
		mmap2 pid=7 start=0x600000 len=0x100000 pgoff=0 prot=5 flags=2 file=/no/such/file synthesized
		init
		comm pid=7 comm=nginx exec time=1000
		repeat 300 {
		sample id=\$(i%3+1) pid=7 cpu=\$(i%2) time=\$(i*1000+9000-i%2*1500) ip=\$(i*16+4194304) period=250000 callchain=-128,0xffffffff81000010,-512,0x600000
		}
		round
		repeat 300 {
		sample id=\$(i%3+1) pid=7 cpu=\$(i%2) time=\$(i*1000+400000) ip=0xffffffff81000010 period=250000 callchain=-128,0xffffffff81000010 misc=1
		}
		round
		exit pid=7 ppid=1 time=800000
		round
	END
}

# Each row: what it is called, and a command that makes a stream of `in` or of this machine.
made_from_a_stream='
a filter, sealed            | pp-filter --seal "cpu == 0" -i in
a filter by comm, sealed    | pp-filter --seal --comm nginx -i in
a filter that ends early    | pp-filter --seal -n 5 -i in
sort                        | pp-sort -i in
sort, sealed                | pp-sort --seal -i in
build-ids                   | pp-inject -b -i in
build-ids, sealed           | pp-inject -b --seal -i in
notes                       | pp-inject --note key=value --note commit=0123 -i in
a note of many records      | pp-inject --note "long=$(printf %0100000d 0)" -i in
compression                 | pp-compress -i in
compression, sealed         | pp-compress --seal -19 -i in
compression undone          | pp-compress -i in | pp-decompress
compression and seals undone| pp-compress --seal -i in | pp-decompress --no-seal
all of them                 | pp-filter --seal "pid == 7" -i in | pp-sort | pp-inject -b --note a=b | pp-compress | pp-filter --time 0,1 | pp-compress
'

recorded='
record                      | pp-record -e cpu-clock -- "${WORK[@]}"
record, call chains         | pp-record -e cpu-clock -g -F 999 -- "${WORK[@]}"
record, compressed          | pp-record -e cpu-clock -z -- "${WORK[@]}"
record, unsealed            | pp-record -e cpu-clock --no-seal -- "${WORK[@]}"
record, groups and events   | pp-record -e "{cpu-clock,page-faults}" -e context-switches -- "${WORK[@]}"
record, sorted and injected | pp-record -e cpu-clock -- "${WORK[@]}" | pp-sort | pp-inject -b
record, compressed later    | pp-record -e cpu-clock -- "${WORK[@]}" | pp-compress
'

# each ROWS CHECK: CHECK for what the command of each row writes to `out`
each() {
	local rows=$1 name command
	shift
	while IFS='|' read -r name command; do
		[ -n "$command" ] || continue
		echo "== $name:$command"
		rm -f out
		bash -c 'set -o pipefail; eval "WORK=($1)"; eval "($2)" >out 2>err' - "$(printf '%q ' "${WORK[@]}")" \
			"$command" || { cat err; return 1; }
		"$@" out || return 1
	done <<<"$rows"
}

@test "the stream that they are given keeps the rules itself" {
	base >in
	readable in
}

@test "perf reads the stream that they are given" {
	need_perf
	base >in
	perf_reads in
}

@test "what our tools make of a stream keeps the rules" {
	base >in
	each "$made_from_a_stream" readable
}

@test "perf reads what our tools make of a stream" {
	need_perf
	base >in
	each "$made_from_a_stream" perf_reads
}

@test "COMPRESSED2 keeps the rules of the newest perf" {
	base >in
	pp-compress --format=2 -i in >out
	readable out --newest
	run -1 readable out
	assert_line --partial 'not a known type: type 83'
}

@test "what pp-record writes keeps the rules" {
	need_perf_events
	each "$recorded" readable
}

@test "perf reads what pp-record writes" {
	need_perf_events
	each "$recorded" perf_reads
}

@test "a recording of the whole system keeps the rules, and perf reads it" {
	need_system_wide
	pp-record -a -g -e cpu-clock -F 99 -- "${WORK[@]}" >out 2>err
	readable out
	perf_reads out
}

@test "a recording of tracepoints keeps the rules, and perf reads it" {
	need_tracepoints
	pp-record -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >out 2>err
	readable out
	perf_reads out
}

@test "readable.pl finds what breaks a rule" {
	# what is written | what it breaks
	while IFS='|' read -r lines rule; do
		printf 'header\n%b\n' "$lines" | build >out
		run -1 readable out
		echo "$lines"
		assert_output --partial "not $rule"
	done <<-'END'
		attr id=1\nrecord 65 0 000000|a multiple of 8 long
		attr id=1\nrecord 113 0 0000000000000000|a known type: type 113
		attr id=1\nrecord 40 0 0000000000000000|a known type: type 40
		attr id=1\ncallchain_deferred cookie=1 ips=1|a known type: type 22
		attr id=1\nevent_type event_id=0 name=x|not outdated
		comm pid=1 comm=x\nattr id=1|an event before it
		attr id=1\nattr id=2\nsample id=1\nrecord 9 0 630000000000000063000000000000006300000000000000630000000000000063000000000000006300000000000000|an event of its own
		attr id=1\nsample extra=0000000000000000|exactly its fields: 8 bytes too many
		attr id=1 sample_type=IP,TID,TIME\nrecord 9 0 0000000000000000|exactly its fields: too short
		attr id=1 sample_type=IP,TID,TIME flags=0\nrecord 3 0 01000000010000006162636465666768|a terminated string: no zero byte
		attr id=1 sample_type=IP,TID,TIME flags=0\nrecord 3 0 01000000010000006162630065666700|a terminated string: bytes behind
		attr id=1 size=64|an attribute of a known size: 64 bytes
		attr id=1 size=144 config3=7|an attribute of a known size: fields
		attr id=1 flags=defer_callchain|an attribute of a known size: flags
		attr id=1\nattr id=1|ids of its own
		attr id=1\nevent_update id=2 name=x|an id that is known
		attr id=1\nid_index entries=1:0:0:0,2:0:0:0|ids that are known: 1 ids
		attr id=1\nfeature 35|a feature that every perf knows: a mark of the end
		attr id=1\nfeature 33 u32 62 u32 0|a feature that every perf knows: feature 33
		attr id=1\nfeature NRCPUS u32 2 u32 2 u32 0|a payload and nothing more: feature 7: 4 bytes too many
		attr id=1\nfeature HOSTNAME u32 4 text "abc" hex 00|a payload and nothing more: feature 3: string of 4 bytes
		attr id=1\nbuild_id pid=-1 id=0102030405060708090a0b0c0d0e0f1011121314 file=/x old|a build-id with its length
		attr id=1\ntracing text=x\ntracing text=x|tracing data once
		attr id=1\nrecord 81 0 28b52ffd00000000|compression announced
	END
}
