# pp-record: what it records, how the stream is made, and how it ends.

setup() {
	load ../helper
	load record/recorder
	open=
}

teardown() {
	touch stop # for what may still run
	[ -z "$open" ] || rm -rf "$open"
}

# work until a file of this name appears
busy='$i++ until !($i % 1000) && -e $ARGV[0]'

# ---- what perf makes of it

@test "perf script reads a recording of a command" {
	need_perf
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out
	perf_quiet script -i out -F comm,event >script
	run sort -u script
	assert_line --regexp '^ *perl +cpu-clock: *$'
}

@test "perf script and perf report read it from a pipe" {
	need_perf
	need_events
	pp-record -e cpu-clock -g -- "${WORK[@]}" | perf script -i - -F comm,ip,sym >script 2>err
	run grep -c perl script
	assert_success
	pp-record -e cpu-clock -g -- "${WORK[@]}" | perf report -i - --stdio >report 2>err
	run grep -E '% .*perl' report
	assert_success
}

@test "perf shows the samples of each event of several under its name" {
	need_perf
	need_events
	pp-record -e cpu-clock,page-faults -e task-clock -- "${WORK[@]}" >out
	perf_quiet script -i out -F event >script
	run sort -u script
	assert_line --regexp 'cpu-clock:'
	assert_line --regexp 'page-faults:'
	assert_line --regexp 'task-clock:'
}

@test "perf script prints the fields of tracepoints" {
	need_perf
	need_points
	pp-record -e 'sched:sched_process_f*,sched:sched_process_exec' -- "${CALLS[@]}" >out
	perf_quiet script -i out -F event,trace >script
	run cat script
	assert_line --regexp 'sched:sched_process_exec: filename=.*perl pid='
	run grep -c 'sched:sched_process_fork: .*child_pid=' script
	assert_output 60
}

@test "as many tracepoints are hit as perf record finds" {
	need_tracepoints
	need_points
	pp-record -e sched:sched_process_fork,sched:sched_process_exit -- "${CALLS[@]}" >ours
	perf record -e sched:sched_process_fork,sched:sched_process_exit -o - -- "${CALLS[@]}" >theirs 2>err
	perf_quiet script -i ours -F event | sort | uniq -c >ours.txt
	perf_quiet script -i theirs -F event | sort | uniq -c >theirs.txt
	same_bytes theirs.txt ours.txt
}

@test "perf script and ours print the same tracepoint from both recorders" {
	need_tracepoints
	need_points
	pp-record -e sched:sched_process_exec -- "${WORK[@]}" >ours
	perf record -e sched:sched_process_exec -o - -- "${WORK[@]}" >theirs 2>err
	perf_quiet script -i ours -F comm,event,trace | sed 's/pid=[0-9]*/pid=N/g' >ours.txt
	perf_quiet script -i theirs -F comm,event,trace | sed 's/pid=[0-9]*/pid=N/g' >theirs.txt
	same_bytes theirs.txt ours.txt
}

@test "perf report shows what the header tells" {
	need_perf
	need_events
	pp-record -e '{cpu-clock,task-clock}' -- true >out
	perf_quiet report --header-only -I -i out >header
	run cat header
	assert_line "# hostname : $(uname -n)"
	assert_line "# os release : $(uname -r)"
	assert_line --partial 'pp-record -e {cpu-clock,task-clock} -- true'
	assert_line --partial 'name = task-clock'
	assert_line --partial 'software = 1'
	assert_line --partial 'group: {cpu-clock,task-clock}'
}

@test "the header says of this machine what perf's does" {
	need_perf_events
	need_events
	pp-record -e cpu-clock -- true >ours
	perf record -e cpu-clock -o - -- true >theirs 2>err
	local file
	for file in ours theirs; do
		perf_quiet report --header-only -I -i $file |
			grep -E '^# (hostname|os release|arch|nrcpus|cpudesc|cpuid|total memory|sibling|CPU|node. cpu|memory nodes|  *[0-9])' >$file.txt
	done
	same_bytes theirs.txt ours.txt
}

# ---- clocks

@test "with --clockid times are of that clock, and the stream tells that of the wall" {
	need_events
	local now='printf "%.9f\n", clock_gettime(CLOCK_MONOTONIC)' before after day
	before=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e "$now")
	day=$(date -u +%s)
	pp-record -e cpu-clock -k mono -o k.pipe -- perl -e '$i++ while $i < 3e6'
	after=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e "$now")
	pp-check -q k.pipe
	[ "$(json k.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -ge 1 ]
	pp-filter --invert --time "$before,$after" -i k.pipe -o outside.pipe
	[ "$(json outside.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -eq 0 ]
	# a day on both sides, for clocks that somebody sets meanwhile
	pp-filter --invert --time "@$((day - 86400)),@$((day + 86400))" -i k.pipe -o outside.pipe
	[ "$(json outside.pipe | jq -s 'map(select(.type == "SAMPLE")) | length')" -eq 0 ]
	perf_quiet report --header-only -I -i k.pipe >header
	grep -qF '# clockid: monotonic (1)' header
}

@test "times are of a clock that can be told from the wall's, unless the kernel's own is asked for" {
	need_events
	pp-record -e cpu-clock -o mono.pipe -- true
	[ "$(pp-info mono.pipe | grep -c '^# clockid: monotonic (1)')" -eq 1 ]
	pp-record -e cpu-clock -k local -o local.pipe -- true
	[ "$(pp-info local.pipe | grep -c clockid)" -eq 0 ]
}

@test "what is no clock is refused" {
	run -2 --separate-stderr pp-record -k sundial -- true
	[[ "$stderr" == *"'sundial' is not a clock: use monotonic"* ]]
}

# ---- how the stream is made

@test "records stand in the order in which perf writes them" {
	need_points
	pp-record -e sched:sched_process_exec -- true >out
	types out >types
	# what comes before the kernel's own records
	sed '/^FINISHED_INIT$/q' types | grep -vxE 'MMAP|MMAP2|KSYMBOL|BPF_EVENT' >start
	cat >want <<-END
		FINISHED_ROUND
		HEADER_ATTR
		HEADER_FEATURE
		HEADER_TRACING_DATA
		ID_INDEX
		EVENT_UPDATE
		THREAD_MAP
		CPU_MAP
		FORK
		COMM
		FINISHED_INIT
	END
	same_bytes want start
}

@test "features ascend, none is padded, and no marker ends them" {
	need_events
	pp-record -e '{cpu-clock,cs}' -- true >out
	fields out 'select(.type == "HEADER_FEATURE").fields.feat_id' >ids
	sort -n -u ids >sorted
	same_bytes sorted ids
	run head -n 5 ids
	assert_output $'3\n4\n5\n6\n7'
	run fields out 'select(.type == "HEADER_FEATURE" and (.size == 16 or (.fields.data | has("rest"))))'
	assert_output ''
}

@test "every record is as its description says" {
	need_events
	pp-record -e cpu-clock -e page-faults -g -- "${WORK[@]}" >out
	run fields out 'select(.damaged or (.fields | has("rest"))) | .type'
	assert_output ''
	run fields out 'select(.type == "SAMPLE" and .event == null)'
	assert_output ''
}

@test "the stream is sealed from its first record to its end" {
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out
	run -0 --separate-stderr pp-dump -i out
	[ "$stderr" = '' ]
	records out >list
	run awk 'NR == 1 || $2 == "FINISHED_ROUND" { print $2, $4 }' list
	refute_line --regexp ' 8$'
	head -c -48 out >cut
	run -3 --separate-stderr pp-dump -i cut
}

@test "--no-seal leaves plain rounds" {
	need_events
	pp-record -e cpu-clock --no-seal -- "${WORK[@]}" >out
	records out >list
	run awk '$2 == "FINISHED_ROUND" && $4 != 8' list
	assert_output ''
	run tail -n 1 list
	assert_line --partial ' FINISHED_ROUND '
}

@test "a pass that found something ends in a round, and so does the first that found nothing" {
	need_events
	pp-record -e cpu-clock --no-seal -- "${WORK[@]}" >out
	# behind the start: data, rounds, data ...; never three rounds without data, and two at the end
	records out | sed '1,/FINISHED_INIT/d' |
		awk '{ printf "%s", $2 == "FINISHED_ROUND" ? "R" : $2 == "LOST_SAMPLES" ? "" : "d" }' >shape
	run grep -E '^(d+RR?)*d+RR$' shape
	assert_success
}

@test "a sample is let through by rounds while nothing new happens" {
	need_events
	need timeout
	# the command is idle until the sample has come through pp-sort
	timeout 120 pp-record -e page-faults -c 1 -- perl -e 'select undef, undef, undef, 0.05 until -e "seen"' |
		pp-sort | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			echo "$line" >line
			cat >/dev/null
		}
	run cat line
	assert_output --partial SAMPLE
}

@test "a few samples come while the recording goes on" {
	need_events
	need timeout
	# at 20 Hz a buffer would need minutes until it is half full
	timeout 120 pp-record -e cpu-clock -F 20 -- perl -e "$busy" seen | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			echo "$line" >line
			cat >/dev/null
		}
	run cat line
	assert_output --partial SAMPLE
}

@test "the attribute is what was asked for" {
	need_events
	pp-record -e cpu-clock -F 123 -g -- true >out
	fields out 'select(.type == "HEADER_ATTR").fields.attr' >attr
	run jq -c '[.sample_period, .flags.freq, .flags.inherit, .flags.comm, .flags.mmap2, .flags.task]' attr
	assert_output '[123,1,1,1,1,1]'
	run jq -c '[.flags.sample_id_all, .flags.ksymbol, .flags.cgroup, .flags.comm_exec, .size >= 128]' attr
	assert_output '[1,1,1,1,true]'
	pp-record -e page-faults -c 7 --no-inherit -- true >out
	run fields out 'select(.type == "HEADER_ATTR").fields.attr | [.sample_period, .flags.freq, .flags.inherit]'
	assert_output '[7,null,null]'
}

@test "-g records call chains" {
	need_events
	pp-record -e cpu-clock -g -- "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.callchain | length > 1' >chains
	run sort -u chains
	assert_line true
}

@test "events of a PMU are refused in words that say what there is" {
	need_events
	[ ! -e /sys/bus/event_source/devices/nothing ]
	run -2 --separate-stderr pp-record -e nothing/cycles/ -o out -- true
	assert_regex "$stderr" "^pp-record: this machine has no PMU called 'nothing'; it has: .*software"
	local wrong
	for wrong in software/x/ software/config=x/ software/period=0/ software/config=0 software/config=0/x ../x/ //; do
		run -2 --separate-stderr pp-record -e "$wrong" -o out -- true
	done
	[ ! -e out ]
	pp-record -e 'software/config=0/u,{software/config=1,name=second/,cpu-clock}:k' -o out -- "${WORK[@]}"
	pp-check -q out
	run fields out 'select(.type == "EVENT_UPDATE").fields.name'
	assert_output $'"software/config=0/u"\n"second"\n"cpu-clock:k"'
	run fields out 'select(.type == "HEADER_ATTR").fields.attr | [.config, .flags.exclude_user, .flags.exclude_kernel]'
	assert_output $'["0x0",null,1]\n["0x1",1,null]\n["0x0",1,null]'
}

# fake_pmus COMMAND...: in a world whose one PMU, "fake", is the kernel's software clock under
# other names
fake_pmus() {
	unshare -m bash -c 'mount --bind devices /sys/bus/event_source/devices && exec "$@"' - "$@"
}

make_fake() {
	need_root
	need unshare
	mkdir -p devices/fake/format devices/fake/events
	echo 1 >devices/fake/type
	echo config:0-7 >devices/fake/format/event
	echo config:8-15 >devices/fake/format/umask
	echo config1:0-3,8-11 >devices/fake/format/odd
	echo config2:0-63 >devices/fake/format/big
	echo event=0x1 >devices/fake/events/clock
	echo event=0x1,umask=0x0,odd=0x5a >devices/fake/events/both
	once pp_mounts fake_pmus test -e /sys/bus/event_source/devices/fake || skip "no file system can be mounted here"
}

@test "terms and events of a PMU mean what they mean to perf" {
	need_perf_events
	need_events
	make_fake
	local event
	for event in fake/event=1/ fake/clock/ fake/clock,odd=0x5a/u fake/both/k fake/event=0x1,big=0xffffffffffffffff/ \
		fake/event,odd/ fake/config=1,config1=7,config2=0x9/ fake/clock,period=5000000,name=hey/ fake/r1/; do
		echo "$event"
		fake_pmus pp-record -e "$event" -o ours -- true
		# perf 6.12 and later want a value of a term of several bits
		fake_pmus perf record -q -e "$event" -o - -- true >theirs || [ "$event" = fake/event,odd/ ] || return 1
		[ -s theirs ] || continue
		for file in ours theirs; do
			fields $file 'select(.type == "HEADER_ATTR").fields.attr |
				[.type, .config, .config1, .config2, .flags.exclude_user, .flags.exclude_kernel]' | head -n 1 >$file.attr
		done
		same_bytes theirs.attr ours.attr
	done
	run -2 --separate-stderr fake_pmus pp-record -e fake/event=256/ -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: 256 does not fit in event (config:0-7)"
	run -2 --separate-stderr fake_pmus pp-record -e fake/cycles/ -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: PMU fake has no event or term 'cycles'; it has: both, clock, big, event, odd, umask, config, config1, config2, config3, config4, name, period, freq, branch_type, ..."
}

@test "a PMU that is on some CPUs is opened there, and tasks are reported on all" {
	need_all_cpus
	make_fake
	echo 0 >devices/fake/cpus
	fake_pmus pp-record -a -e fake/clock/ -o out -- true
	pp-check -q out
	run fields out 'select(.type == "HEADER_ATTR") | .fields.id | length'
	assert_output "$(printf '1\n%s' "$(getconf _NPROCESSORS_ONLN)")"
	fake_pmus pp-record -e fake/clock/ -o out -- true
	fields out 'select(.type == "COMM").fields.comm' >comms
	run cat comms
	assert_line '"true"'
	echo 4095 >devices/fake/cpus
	run -2 --separate-stderr fake_pmus pp-record -a -e fake/clock/ -o none -- true
	assert_regex "$stderr" 'its PMU is on none of the CPUs that are recorded'
}

# chain_program: "chain", whose time is spent in innermost, called by middle, outer and main, with no
# frame pointers
chain_program() {
	need "${CC:-cc}"
	cat >chain.c <<-'END'
		#include <stdlib.h>
		#define FUNCTION __attribute__((noinline))
		volatile unsigned long sink;
		FUNCTION void innermost(long n) { for (long i = 0; i < n; i++) sink += i; sink++; }
		FUNCTION void middle(long n) { innermost(n); sink++; }
		FUNCTION void outer(long n) { middle(n); sink++; }
		int main(int argc, char **argv) { outer(argc > 1 ? atol(argv[1]) : 0); return 0; }
	END
	"${CC:-cc}" -g -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o chain chain.c
}

# unwound PERF STREAM: the callers that it finds for what was sampled in innermost, each way once, but for
# one in 20: where the kernel could not copy a stack, because the page was being moved, there are none
unwound() {
	"$1" script -i "$2" -F ip,sym 2>script.err </dev/null |
		awk -v RS= '$2 == "innermost" { n[$2 " " $4 " " $6 " " $8]++; all++ }
			END { for (way in n) if (n[way] * 20 > all) print way }'
}

@test "--call-graph dwarf records what perf needs to unwind a program without frame pointers" {
	need_perf
	need_events
	chain_program
	pp-record -e cpu-clock:u --call-graph dwarf -o out -- ./chain 100000000 2>err ||
		{ grep -q 'architecture' err && skip "$(cat err)"; }
	pp-check -q out
	run fields out 'select(.type == "HEADER_ATTR").fields.attr | [.sample_stack_user, .flags.exclude_callchain_user, .flags.mmap_data]'
	assert_output '[8192,1,1]'
	local perf stage
	perf version --build-options 2>&1 | grep -qE '(libunwind|dwarf-unwind): \[ on' || skip "this perf does not unwind"
	for perf in perf ${PERF_NEWER:+"$PERF_NEWER"/perf-*}; do
		command -v "$perf" || continue
		run unwound "$perf" out
		assert_output 'innermost middle outer main'
	done
	for stage in 'pp-filter --prune "comm == \"chain\""' pp-sort 'pp-inject -b' 'pp-compress | pp-decompress' \
		'pp-dump --json | pp-undump' 'pp-save -q -o saved; pp-cat saved' 'pp-merge -' pp-mend; do
		echo "$stage"
		bash -c "$stage" <out >passed
		run unwound perf passed
		assert_output 'innermost middle outer main'
	done
}

@test "--call-graph dwarf reports the maps of data of a process that runs already" {
	need_events
	need timeout
	perl -e "$busy" stop 3>&- &
	local pid=$!
	timeout 120 pp-record -e cpu-clock:u --call-graph dwarf -p $pid -o out -- true 2>err ||
		{ grep -q 'architecture' err && touch stop && skip "$(cat err)"; }
	touch stop
	# bit 13 of misc: data
	fields out "select(.type == \"MMAP2\" and .fields.pid == $pid) | [.misc / 8192 % 2 >= 1, (.fields.prot | test(\"[4-7]$\"))]" >maps
	run sort -u maps
	assert_output $'[false,true]\n[true,false]'
}

@test "--call-graph takes fp, dwarf and a size, and says what it does not take" {
	need_events
	pp-record -e cpu-clock --call-graph fp -o fp -- true
	pp-record -e cpu-clock -g -o g -- true
	fields fp 'select(.type == "HEADER_ATTR").fields.attr' >fp.attr
	fields g 'select(.type == "HEADER_ATTR").fields.attr' >g.attr
	same_bytes fp.attr g.attr
	if pp-record -e cpu-clock --call-graph dwarf,1001 -o out -- true; then
		run fields out 'select(.type == "HEADER_ATTR").fields.attr.sample_stack_user'
		assert_output 1008
	fi
	run -2 --separate-stderr pp-record --call-graph dwarf,65536 -- true
	assert_regex "$stderr" "'dwarf,65536' needs a SIZE from 8 to 65528"
	run -2 --separate-stderr pp-record --call-graph true
	assert_regex "$stderr" "'true' is not a way to record call chains: use fp, fp,defer, dwarf, dwarf,SIZE or lbr"
	run -2 --separate-stderr pp-record -g dwarf -- true
	assert_regex "$stderr" '-g takes no mode: use --call-graph dwarf'
}

@test "-c COUNT takes a sample every COUNT events" {
	need_events
	pp-record -e page-faults -c 1 -- "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.period' >periods
	run sort -u periods
	assert_output 1
}

@test "a modifier of a group goes for all its events" {
	need_events
	pp-record -e '{cpu-clock,task-clock}:u' -- "${WORK[@]}" >out
	run fields out 'select(.type == "EVENT_UPDATE").fields.name'
	assert_output $'"cpu-clock:u"\n"task-clock:u"'
	fields out 'select(.type == "SAMPLE") | .misc % 8' >modes
	run sort -u modes
	assert_output 2
	run fields out 'select(.feature == "GROUP_DESC").fields.data.groups[] | [.leader_idx, .nr_members]'
	assert_output '[0,2]'
	fields out 'select(.type == "SAMPLE").event' >names
	run sort -u names
	assert_output $'"cpu-clock:u"\n"task-clock:u"'
}

@test "a pattern stands for all tracepoints that it matches" {
	need_points
	pp-record -e 'sched:sched_process_*' -- true >out
	fields out 'select(.type == "EVENT_UPDATE").fields.name' | tr -d '"' | sort >names
	(cd /sys/kernel/tracing/events/sched && printf 'sched:%s\n' sched_process_*) | sort >want
	same_bytes want names
}

@test "-z compresses, and perf and pp-dump read it" {
	need_perf
	need_events
	pp-record -e cpu-clock -z -- "${WORK[@]}" >out 2>err
	run count COMPRESSED out
	refute_output 0
	run count SAMPLE out
	assert_output 0
	run fields out 'select(.feature == "COMPRESSED").fields.data.level'
	assert_output ''    # a reader expands, so the feature is gone
	perf_quiet script -i out -F comm,event >script
	run grep -c cpu-clock script
	assert_output "$(sed -n 's/.*: \([0-9]*\) samples.*/\1/p' err)"
	pp-record -e cpu-clock -z19 -- "${WORK[@]}" >out 2>err
	fields out 'select(.type == "SAMPLE").type' >samples
	run wc -l <samples
	assert_output "$(sed -n 's/.*: \([0-9]*\) samples.*/\1/p' err)"
}

@test "a line at the end tells samples, bytes, rate and losses" {
	need_events
	pp-record -e cpu-clock -- "${WORK[@]}" >out 2>err
	run cat err
	assert_output --regexp "^pp-record: $(count SAMPLE out) samples, $(stat -c %s out) bytes, .*B/s, [0-9]+ lost$"
	pp-record -q -e cpu-clock -- true >out 2>err
	run cat err
	assert_output ''
}

# ---- tasks

@test "the command's start and what it starts are told" {
	need_events
	pp-record -e cpu-clock -- sh -c 'perl -e "\$0 = q(renamed); \$i++ while \$i < 1e6"; true' >out
	fields out 'select(.type == "COMM") | [.fields.comm, .misc]' >comms
	run cat comms
	assert_line '["sh",8192]'
	assert_line '["perl",8192]'
	assert_line '["renamed",0]'
	run count FORK out
	refute_output 0
	run count EXIT out
	assert_output 2
}

@test "tasks that were there before are told, with the build-ids of their files" {
	need_perf
	need_all_cpus
	local shell
	shell=$(readlink /proc/$$/exe)
	pp-record -e cpu-clock -a -- true >out
	fields out 'select((.type == "COMM" or .type == "FORK") and .fields.pid == '$$') | .type' >told
	run sort -u told
	assert_output $'"COMM"\n"FORK"'
	fields out "select(.type == \"MMAP2\" and .fields.pid == $$ and .fields.filename == \"$shell\").fields.build_id" |
		head -n 1 | tr -d '"' >id
	perf buildid-list -i "$shell" >want
	same_bytes want id
}

@test "the kernel's own map is told, with its build-id" {
	need_perf
	need_root
	need_events
	local start
	start=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	[ -n "${start//0/}" ] || skip "addresses of the kernel are hidden"
	pp-record -e cpu-clock -- true >out
	fields out 'select(.fields.filename == "[kernel.kallsyms]_text") | [.fields.pid, .misc % 8, .fields.pgoff]' >map
	run cat map
	assert_output "[-1,1,\"0x$start\"]"
	fields out 'select(.fields.filename == "[kernel.kallsyms]_text").fields.build_id' | tr -d '"' >id
	perf buildid-list -k >want
	same_bytes want id
}

@test "-p records the threads of a process, and ends when it ends" {
	need_events
	need timeout
	perl -e "$busy" stop 3>&- &
	local pid=$! recorder status=0
	timeout 120 pp-record -e cpu-clock -p $pid >out 2>err 3>&- &
	recorder=$!
	until_true sampled out
	touch stop
	wait $recorder || status=$?
	[ "$status" -eq 0 ]
	fields out 'select(.type == "SAMPLE").fields.pid' >pids
	run sort -u pids
	assert_output $pid
	run fields out 'select(.type == "EXIT").fields.pid'
	assert_output $pid
}

@test "-t records one thread and leaves the others out" {
	need_events
	need timeout
	perl -Mthreads -e 1 2>/dev/null || skip "this perl has no threads"
	perl -Mthreads -e 'threads->create(sub { $i++ until !($i % 1000) && -e "stop" }) for 1 .. 2; $_->join for threads->list' 3>&- &
	local pid=$! recorder status=0
	threads() { [ "$(ls /proc/$pid/task | wc -l)" -eq 3 ]; }
	until_true threads
	local tid
	tid=$(ls /proc/$pid/task | sort -n | sed -n 2p)
	timeout 120 pp-record -e cpu-clock -t "$tid" >out 2>err 3>&- &
	recorder=$!
	until_true sampled out
	touch stop
	wait $recorder || status=$?
	[ "$status" -eq 0 ]
	fields out 'select(.type == "SAMPLE").fields.tid' >tids
	run sort -u tids
	assert_output "$tid"
}

@test "-C records one CPU only, and tasks of all" {
	need_all_cpus
	need taskset
	taskset -c 0 true || skip "CPU 0 is not for us"
	pp-record -e cpu-clock -C 0 -- taskset -c 0 "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.cpu' >cpus
	run sort -u cpus
	assert_output 0
	fields out 'select(.type == "COMM" and .misc == 8192).fields.comm' >comms
	run grep -x '"perl"' comms
	assert_success
}

@test "-D starts the events later, and tells of tasks before that" {
	need_events
	need timeout
	local before exec first
	# the recorder's delay is over 300 ms from now at the earliest, whenever its command has begun
	before=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%d\n", clock_gettime(CLOCK_MONOTONIC) * 1e9')
	timeout 120 pp-record -e cpu-clock -k mono -D 300 -- perl -e "$busy" seen | tee out | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			cat >/dev/null
		}
	exec=$(fields out 'select(.type == "COMM" and .misc == 8192).fields.sample_id.time' | head -n 1)
	first=$(fields out 'select(.type == "SAMPLE").fields.time' | sort -n | head -n 1)
	[ "$first" -ge $((before + 300000000)) ]
	[ "$exec" -gt "$before" ] && [ "$exec" -lt "$first" ]
}

@test "maps are not said to have build-ids because another recorder asked for them" {
	need_all_cpus
	need timeout
	timeout 120 pp-record -q -e cpu-clock -a -o out -- perl -e 'select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
	local pid=$!
	until_true begun out
	pp-record -q -e cpu-clock -a --buildid-mmap -o other -- perl -e 1
	touch stop
	wait $pid
	pp-check -q out
	fields out 'select(.type == "MMAP2" and .fields.sample_id.time > 0) | .misc / 16384 % 2 >= 1' >marked
	run sort -u marked
	assert_output false
	fields other 'select(.type == "MMAP2" and .fields.sample_id.time > 0 and .misc >= 16384).type' >marked
	[ -s marked ] || skip "this kernel does not put build-ids into MMAP2 records"
}

# ---- the command, and the end

@test "the command's standard output goes to standard error" {
	need_events
	pp-record -e cpu-clock -- echo from the command >out 2>err
	run cat err
	assert_line 'from the command'
	run -0 pp-dump -i out
	refute_line --partial 'from the command'
	# by other names, too
	local name
	for name in - /dev/stdout /proc/self/fd/1; do
		pp-record -e cpu-clock -o $name -- echo from the command >out 2>err
		run cat err
		assert_line 'from the command'
		pp-check -q out
	done
}

@test "the command's standard output is its own where the stream goes to a file" {
	need_events
	pp-record -e cpu-clock -o out -- echo from the command >text 2>err
	run cat text
	assert_output 'from the command'
	run grep -c 'from the command' err
	assert_output 0
	pp-check -q out
	pp-record -e cpu-clock -o /dev/null -- echo from the command >text 2>err
	run cat text
	assert_output 'from the command'
}

@test "a recording is its owner's alone, and a umask may take more away" {
	need_events
	umask 0
	pp-record -e cpu-clock -o open -- true
	umask 0277
	pp-record -e cpu-clock -o closed -- true
	run stat -c %a open closed
	assert_output $'600\n400'
}

@test "a recording that is there is kept as FILE.old" {
	need_events
	echo first >out
	chmod 644 out
	ln -s out link
	pp-record -e cpu-clock -o link -- true
	run cat out.old
	assert_output first
	pp-check -q out
	run stat -c %a out out.old
	assert_output $'600\n644'
	cp out second
	pp-record -e cpu-clock -o out -- true
	same_bytes second out.old
	# one that cannot even begin changes nothing, and an empty one is nothing to keep
	cp out third
	run -4 pp-record -e cpu-clock -o out -- ./not-there
	same_bytes third out
	same_bytes second out.old
	: >empty
	pp-record -e cpu-clock -o empty -- true
	[ ! -e empty.old ]
	# what is in the way is not removed
	mkdir third.old
	run -4 --separate-stderr pp-record -e cpu-clock -o third -- true
	assert_equal "$stderr" 'pp-record: cannot rename third to third.old: Is a directory'
	same_bytes third out
}

@test "--exit-status exits as the command did" {
	need_events
	run -0 bash -c 'pp-record -e cpu-clock -- sh -c "exit 7" >out'
	run -7 bash -c 'pp-record --exit-status -e cpu-clock -- sh -c "exit 7" >out'
	run -0 bash -c 'pp-record --exit-status -e cpu-clock -- true >out'
	run -137 bash -c 'pp-record --exit-status -e cpu-clock -- sh -c "kill -9 \$\$" >out'
}

@test "a signal ends a recording well" {
	need_events
	local signal pid status
	for signal in INT TERM HUP; do
		rm -f out stop
		pp-record -e cpu-clock -o out -- perl -e "$busy" stop 2>err 3>&- &
		pid=$!
		until_true begun out
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		touch stop
		echo "$signal: $status"
		[ "$status" -eq 0 ]
		# whole, and so sealed to its end
		run -0 --separate-stderr pp-dump -i out
		[ "$stderr" = '' ]
	done
}

@test "a reader that goes away ends the recorder, and the command lives on" {
	need_events
	# the command holds what it inherits, so nothing of it may be what bats waits for
	bash -c 'pp-record -e cpu-clock -- perl -e "$1" go | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}"' - \
		"$busy; open F, '>', 'lived'" >status 2>err 3>&-
	run cat status
	assert_output 141
	[ ! -e lived ]
	touch go
	until_true test -e lived
}

@test "a command that cannot be run leaves nothing on standard output" {
	need_events
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./not-there >out'
	assert_regex "$stderr" '^pp-record: cannot run \./not-there: No such file or directory$'
	[ ! -s out ]
	echo text >text
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./text >out'
	assert_regex "$stderr" 'cannot run \./text: Permission denied'
	[ ! -s out ]
}

@test "a command that fails only when it is executed leaves a whole stream" {
	need_events
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./script >out'
	assert_regex "$stderr" 'cannot run \./script: No such file or directory'
	run -0 --separate-stderr pp-dump -i out
	[ "$stderr" = '' ]
}

@test "a full disk is reported" {
	need_events
	run -4 --separate-stderr bash -c 'pp-record -q -e cpu-clock -- true >/dev/full'
	[ "$stderr" = 'pp-record: cannot write standard output: No space left on device' ]
}

@test "a file that could not be written to its end is said to be incomplete" {
	need_events
	run -4 --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ; pp-record -q -e cpu-clock -o out -- true'
	assert_equal "$stderr" 'pp-record: cannot write out: File too large; out is incomplete'
	run -3 pp-check -q out
}

@test "without memory no file is left that looks whole, and none that is empty" {
	need_events
	need_limits
	local kb status incomplete=0
	for ((kb = 3600; kb < 16000; kb += 400)); do
		rm -f out
		status=0
		prlimit --as=$((kb * 1024)) pp-record -z -e cpu-clock -o out -- true 2>err || status=$?
		case $status in
		0) pp-check -q out ;;
		4)
			[ -e out ] || continue
			run grep -c '; out is incomplete$' err
			assert_output 1
			run -3 pp-check -q out
			incomplete=$((incomplete + 1))
			;;
		*) [ "$status" -eq 127 ] ;; # not even loaded
		esac
	done
	[ "$incomplete" -gt 0 ] || skip "no limit of memory ends a recording in the middle"
}

# ---- what cannot be recorded

@test "an event that there is not is refused before anything is written" {
	local event
	for event in no-such-event cpu-clock:x sched: :x '{cpu-clock' 'cpu-clock}' 'cpu-clock,,cs' '{a{b}}' ''; do
		run -2 --separate-stderr bash -c 'pp-record -e "$1" -- true >out' - "$event"
		[ ! -s out ]
	done
}

@test "a tracepoint that there is not is refused before anything is written" {
	need_points
	local event
	for event in sched:no_such_point 'no_such_*:*' 'sched:../sched/sched_switch'; do
		run -2 --separate-stderr bash -c 'pp-record -e "$1" -- true >out' - "$event"
		assert_regex "$stderr" 'tracepoint'
		[ ! -s out ]
	done
}

@test "options that contradict each other are refused" {
	run -2 --separate-stderr bash -c 'pp-record -F 10 -c 10 -- true >out'
	run -2 --separate-stderr bash -c 'pp-record -a -p 1 -- true >out'
	run -2 --separate-stderr bash -c 'pp-record -m 3 -- true >out'
	run -2 --separate-stderr bash -c 'pp-record -z23 -- true >out'
	run -2 --separate-stderr bash -c 'pp-record -F 0 -- true >out'
	run -2 --separate-stderr bash -c 'pp-record -C 99999 -e cpu-clock -- true >out'
	[ ! -s out ]
}

@test "a process that there is not is reported" {
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -p 999999999 >out'
	assert_regex "$stderr" 'process 999999999: No such process'
	[ ! -s out ]
}

@test "without a counter of cycles cpu-clock is recorded, and that is said once" {
	need_events
	if pp-record -e instructions -- true >out 2>err; then
		skip "this machine counts cycles"
	fi
	run cat err
	assert_output --partial 'no such counter'
	[ ! -s out ]
	pp-record -e cycles,cycles:u -- "${WORK[@]}" >out 2>err
	run grep -c 'recording cpu-clock instead' err
	assert_output 1
	run fields out 'select(.type == "EVENT_UPDATE").fields.name'
	assert_output $'"cpu-clock"\n"cpu-clock:u"'
}

@test "who may not record is told what it takes, and nothing is written" {
	need_nobody
	need_events
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "kernel.perf_event_paranoid lets everybody record"
	export -f as_nobody
	export open
	run -4 --separate-stderr bash -c 'as_nobody "$open/pp-record" -e cpu-clock -a -- true >out'
	assert_regex "$stderr" 'kernel\.perf_event_paranoid'
	assert_regex "$stderr" 'CAP_PERFMON'
	[ ! -s out ]
}

@test "who may not look into the kernel records user space, and is told" {
	need_nobody
	need_events
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	as_nobody "$open/pp-record" -e cpu-clock -- "${WORK[@]}" >out 2>err
	run cat err
	assert_line --partial 'user space only'
	fields out 'select(.type == "SAMPLE") | .misc % 8' >modes
	run sort -u modes
	assert_output 2
}

@test "who may not record is told which kernel.perf_event_paranoid would do" {
	need_nobody
	need_events
	local is
	is=$(cat /proc/sys/kernel/perf_event_paranoid)
	[ "$is" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	run -4 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock -a -o /dev/null -- true
	assert_regex "$stderr" "cpu-clock: needs root, CAP_PERFMON or kernel\.perf_event_paranoid of at most 0 \(it is 2\)"
	run -4 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock:k -o /dev/null -- true
	assert_regex "$stderr" "cpu-clock:k: needs root, CAP_PERFMON or kernel\.perf_event_paranoid of at most 1 \(it is 2\)"
	run -0 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock -o /dev/null -- true
	assert_regex "$stderr" "recording user space only: .* of at most 1 \(it is 2\)"
	# where that is not what hinders it, nothing is said of a value
	run -4 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock:u -p $$ -o /dev/null -- true
	assert_regex "$stderr" "cannot record thread [0-9]+, which is another user's: needs root, or CAP_PERFMON and CAP_SYS_PTRACE: "
}

@test "where tracefs is not mounted the command that mounts it is said" {
	need_root
	need unshare
	once pp_tmpfs unshare -m mount -t tmpfs none /sys/kernel || skip "no file system can be mounted here"
	run -4 --separate-stderr unshare -m bash -c 'mount -t tmpfs none /sys/kernel && pp-record -e sched:sched_switch -o out -- true'
	assert_regex "$stderr" 'tracefs is not mounted: as root, mount -t tracefs nodev /sys/kernel/tracing:'
	[ ! -e out ]
}

# ---- more ids than a record holds

# 8,200 counters or more: threads that sleep, times CPUs
many_threads() {
	need "${CC:-cc}"
	local cpus most
	cpus=$(getconf _NPROCESSORS_ONLN)
	threads=$((8200 / cpus + 1))
	most=$(ulimit -Hn)
	[ "$most" = unlimited ] || [ "$most" -ge 9000 ] || skip "not enough open files are allowed"
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static void *idle(void *arg) { pause(); return arg; }
		int main(int argc, char **argv)
		{
			pthread_attr_t attr;
			pthread_t thread;
			pthread_attr_init(&attr);
			pthread_attr_setstacksize(&attr, 65536);
			for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
				if (pthread_create(&thread, &attr, idle, NULL))
					return 1;
			fclose(fopen("ready", "w"));
			for (volatile unsigned long n = 0; ; n++)
				if (n % 1000000 == 0 && !access("stop", F_OK))
					_exit(0);
		}
	END
	"${CC:-cc}" -o threads threads.c -pthread
	./threads $threads 3>&- &
	many=$!
	until_true eval '[ -e ready ] || is_gone $many'
	[ -e ready ] || skip "so many threads cannot be made here"
}

@test "with one event more ids than a record holds are recorded" {
	need_perf
	need_events
	many_threads
	pp-record -e cpu-clock -F 999 -p "$many" -- perl -e '$i++ while $i < 3e7' >out 2>err
	touch stop
	run fields out 'select(.type == "HEADER_ATTR").fields.id | length'
	assert_output 8174
	fields out 'select(.type == "ID_INDEX").fields.entries | length' >index
	run awk '{ n += $1 } END { print n }' index
	assert_output 8174
	perf_quiet script -i out -F comm,event >script
	run sort -u script
	assert_line --regexp 'threads +cpu-clock:'
}

@test "with several events more ids than a record holds are refused, and nothing is written" {
	need_events
	many_threads
	run -2 --separate-stderr bash -c 'pp-record -e cpu-clock,task-clock -p $1 -- true >out' - "$many"
	touch stop
	assert_regex "$stderr" 'room for 8174'
	[ ! -s out ]
}

# ---- the whole

@test "a recording of all CPUs goes through every stage" {
	need_all_cpus
	set -o pipefail
	pp-record -e cpu-clock -a -g -F 999 -- "${WORK[@]}" | pp-filter 'comm == "perl"' | pp-sort |
		pp-inject --build-ids | pp-dump >dump
	run grep -c ' SAMPLE ' dump
	assert_success
}
