# perf.bats - pp-dump beside perf: it says the same of every field.

setup() { load ../../helper; }

# agree STREAM: perf report -D and pp-dump --json say the same of every record, field by field
agree() {
	json "$1" >lines.json
	perl "$TESTS/oracle/perf-dump.pl" "$1" lines.json
}

# script STREAM [FIELD]: samples as perf script prints them, sorted, in single blanks
script() {
	perf_quiet script -i "$1" --ns -G -F pid,tid,time,period,event,ip${2:+,$2} |
		awk '{ $1 = $1; print }' | sort
}

# samples STREAM [FILTER]: the same of pp-dump's lines; FILTER gives a list of the field's words
samples() {
	json "$1" | jq -r 'select(.type == "SAMPLE") | .event as $event | .fields | (.time | tostring) as $t |
		["\(.pid)/\(.tid)", '"${2:+$2,}"' $t[:-9] + "." + $t[-9:] + ":", "\(.period)", $event + ":",
		'"${3:+$3,}"' .ip[2:]] | join(" ")' | sort
}

# says_the_same STREAM: so do perf report -D and perf script
says_the_same() {
	agree "$1"
	script "$1" >expected
	samples "$1" >got
	[ -s got ]
	diff expected got
}

@test "perf says the same of a plain recording" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of call chains" {
	need_perf_events
	perf_quiet record -o - -g -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
	[ "$(json in | jq -s 'map(select(.fields.callchain)) | length')" -gt 0 ]
}

@test "perf says the same of stacks and registers" {
	need_perf_events
	perf_quiet record -o - --call-graph dwarf,1024 -F 500 -e cpu-clock -- "${WORK[@]}" >in
	agree in
	[ "$(json in | jq -s 'map(select(.fields.stack_user)) | length')" -gt 0 ]
}

# bats test_tags=nightly
@test "perf says the same of tracepoints" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	agree in
	script in >expected
	samples in >got
	diff expected got
	# raw data as perf has them
	json in | jq -r 'select(.event == "syscalls:sys_enter_openat").fields.raw | length' | sort -u >sizes
	[ -s sizes ]
}

@test "perf says the same of a compressed recording" {
	need_perf_events
	perf_quiet record -o - -z -g -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of groups" {
	need_perf_events
	perf_quiet record -o - -e '{cpu-clock,page-faults}:S' -- "${WORK[@]}" >in
	agree in
	[ "$(json in | jq -s 'map(select(.fields.read.values | length == 2)) | length')" -gt 0 ]
}

@test "perf says the same of two events side by side" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock,page-faults -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of context switches, namespaces and control groups" {
	need_perf_events
	need_root
	perf_quiet record -o - --switch-events --namespaces --all-cgroups -e cpu-clock -- "${CALLS[@]}" >in
	agree in
	json in | jq -r .type | sort -u >types
	grep -qx NAMESPACES types
	grep -qxE 'SWITCH|SWITCH_CPU_WIDE' types
}

@test "perf says the same of addresses, weights and where data came from" {
	need_perf_events
	need_root
	perf_quiet record -o - -d -W --phys-data --sample-cpu -e cpu-clock -- "${WORK[@]}" >in
	agree in
	script in cpu >expected
	samples in '"[" + ("00\(.cpu)"[-3:]) + "]"' >got
	diff expected got
	json in | jq -e -s 'map(select(.type == "SAMPLE")) | all(.fields.data_src.mem_op == 1)'
}

# bats test_tags=nightly
@test "perf says the same of a whole system's recording" {
	need_system_wide
	perf_quiet record -a -o - -e cpu-clock -F 500 -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of the recorded streams" {
	need_perf
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		agree "$file"
	done
}

@test "perf says the same of one record of each type" {
	need_perf
	build <"$TESTS/streams/every.txt" >in
	# perf 7 gives up at a sample in it
	! perf report -D -i in 2>&1 | grep -q 'failed to process sample' || skip "this perf does not read all of them"
	agree in
}
