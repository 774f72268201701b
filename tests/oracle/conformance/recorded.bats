# recorded.bats - recordings of this machine's perf, of kinds that the corpus lacks: perf prints
# the same of them and of what comes out.

setup() { load ../../helper; }

# recorded [OPTIONS...]: perf prints the same of the recording `in`, its stream and the file saved of
# that; of a folder what happened at one time on two CPUs has no order
recorded() {
	local order=cat
	[ ! -d in ] || order=sort
	perf script --ns --kallsyms=/dev/null "$@" -i in 2>/dev/null </dev/null | $order >expected
	[ -s expected ]
	pp-cat in >stream
	perf script --ns --kallsyms=/dev/null "$@" -i - <stream 2>/dev/null | $order | diff expected -
	pp-save -i stream -o saved
	perf script --ns --kallsyms=/dev/null "$@" -i saved 2>/dev/null </dev/null | $order | diff expected -
	pp-cat --big-endian stream | pp-cat --little-endian | same_bytes - stream
}

# try OPTIONS... -- COMMAND...: records with these options, if this perf and kernel have them
try() {
	rm -rf in
	echo "$*"
	perf record -q -o in "$@" >said 2>&1 </dev/null && { [ -s in ] || [ -s in/data ]; }
}

# bats test_tags=nightly
@test "recordings of all kinds are printed alike from their stream and from the file saved of it" {
	need_perf_events
	once groups perf record -o - -e '{cpu-clock,task-clock}:S' true || groups=no
	for options in '-g -k mono' '--call-graph dwarf,1024' '-e cpu-clock,page-faults -s' \
		'-d -W -T --sample-cpu --phys-data --data-page-size --code-page-size --intr-regs --user-regs' \
		'--overwrite --tail-synthesize' '-B -N --namespaces --all-cgroups --switch-events'; do
		[[ "$options" == *"-e "* ]] || options="-e cpu-clock $options"
		# shellcheck disable=SC2086
		try -F 997 $options -- "${WORK[@]}" || { echo "# perf does not take $options: $(tail -n 1 said)" >&3; continue; }
		recorded
	done
	if [ -z "${groups:-}" ]; then
		try -F 997 -e '{cpu-clock,task-clock,page-faults}:S' -- "${WORK[@]}"
		recorded
	fi
}

# bats test_tags=nightly
@test "compressed recordings and folders of threads are printed alike" {
	need_perf_events
	once compressed perf record -z -o - -e cpu-clock true || skip "perf cannot compress"
	try -z -g -e cpu-clock -- "${WORK[@]}"
	recorded
	once threads perf record --threads -o "$PWD/try" -e cpu-clock true || skip "this perf has no --threads"
	for options in '' -z; do
		# shellcheck disable=SC2086
		try --threads $options -e cpu-clock -- "${WORK[@]}"
		recorded
	done
}

# bats test_tags=nightly
@test "tracepoints and context switches of the whole machine are printed alike" {
	need_tracepoints
	need_system_wide
	try -a -e sched:sched_switch,sched:sched_process_fork,syscalls:sys_enter_openat -- "${CALLS[@]}"
	# no symbols: other processes of the machine come and go while perf looks for them
	recorded -F comm,pid,tid,cpu,time,event,trace
	try -a --switch-events -e cpu-clock -- "${CALLS[@]}"
	recorded -F comm,pid,tid,cpu,time,event,ip
}

@test "a recording whose perf was killed is read to its end" {
	need_perf_events
	perl -e 'alarm 120; 1 while 1' 3>&- &
	busy=$!
	perf record -q -m 1 -F 4000 -e cpu-clock -o in -p $busy >/dev/null 2>&1 </dev/null 3>&- &
	recorder=$!
	samples=0
	for ((tries = 0; tries < 300 && samples == 0; tries++)); do
		sleep 0.1
		samples=$(pp-info --json in 2>/dev/null | jq '.records.SAMPLE.count // 0' 2>/dev/null) || true
		samples=${samples:-0}
	done
	kill -9 $recorder $busy || true
	wait $recorder $busy 2>/dev/null || true
	[ "$samples" -gt 0 ] || skip "perf wrote nothing in 30 s"
	status=0
	pp-cat -o stream in || status=$?
	[[ "$status" == [03] ]]
	perf script --ns -i - <stream 2>/dev/null >got
	[ -s got ]
	# killed within a write: perf gives up there, and what it held is lost
	[ "$status" -eq 0 ] || return 0
	# perf reads it once its header tells the size and no features
	perl -e 'open F, "+<", "in" or die; binmode F; seek F, 40, 0; sysread F, $b, 8; $at = unpack "Q", $b;
		seek F, 48, 0; syswrite F, pack "Q", (-s "in") - $at; seek F, 72, 0; syswrite F, "\0" x 32'
	perf script --ns -i in 2>/dev/null </dev/null >expected
	[ -s expected ]
	diff expected got
}
