# known.bats - the waits that pp-span makes of recordings, beside what a program knows of its own.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load sched
}

# recorded ARGUMENT...: a recording of the program, in, and what it printed, calls
recorded() {
	[ -x known ] || "${CC:-cc}" -O1 -pthread -o known "$TESTS/tools/span/waits.c"
	pp-record -q "$@" -o in -- ./known >calls
}

# beside: each kind of call, how many there are, how many have no wait, and how many are not as long as they say
beside() {
	local tid
	tid=$(awk '{ print $5; exit }' calls)
	waits --no-cut | awk -v tid="$tid" '$2 == tid' >made
	perl "$TESTS/tools/span/beside.pl" made calls
}

# as_long: whether each call of beside has its waits: sleep, pipe, lock, hog, and disk where O_DIRECT is known; one
# of a hundred may be outside: what the machine did besides is in no record of the thread
as_long() {
	local kinds
	kinds=$(cut -d ' ' -f 1 calls | sort -u | wc -l)
	[ "$kinds" -ge 4 ]
	grep -q '^disk' calls || echo "# no O_DIRECT here: reads of a disk are not tried" >&3
	beside | awk -v kinds="$kinds" '{ print; if ($2 != 60 || $3 || $4 > 1) bad = 1 } END { exit NR != kinds || bad }'
	grep -q '^preempted' made
}

# bats test_tags=nightly
@test "off-cpu: no wait is missing, and each is as long as the call that waited, less what that computed" {
	need_perf_events
	need gcc
	recorded -e cpu-clock --off-cpu
	as_long
	need_system_wide
	need_tracepoints
	recorded -a -g -e sched:sched_switch -e sched:sched_waking --off-cpu
	as_long
}

@test "span: pp-record --spans records the events of presets, and no others" {
	run -2 --separate-stderr pp-record -e cpu-clock --spans=syscalls,naps -- true
	[[ $stderr == *"names spans that pp-span does not make"* ]]
	need_system_wide
	need_tracepoints
	pp-record -q -a --spans=syscalls,softirq -o in -- "${CALLS[@]}"
	json in | jq -r 'select(.type == "EVENT_UPDATE").fields.name // empty' | sort | xargs >got
	[ "$(pp-span -q syscalls in | json | grep -c '"event":"syscalls"')" -ge 60 ]
	pp-info in >about
	for event in raw_syscalls:sys_{enter,exit} irq:softirq_{entry,exit}; do grep -q "$event" about; done
	run -1 grep -E 'cycles|cpu-clock|sched' about
}
