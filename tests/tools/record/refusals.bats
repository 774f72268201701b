# refusals.bats - pp-record: what there is not, and what the system refuses: not a byte of a stream
# is written, and it is said what would do.  What this machine would permit, a fake kernel and files
# of another machine refuse.

setup() {
	load ../../helper
	load recorder
	open=
}

teardown() { [ -z "$open" ] || rm -rf "$open"; }

need_mounts() {
	need unshare
	need_root
	once pp_mounts unshare -m --propagation private true || skip "no mount namespace can be made here"
}

# refused TEXT COMMAND...: status 4, the text, and nothing on standard output
refused() {
	local text=$1
	shift
	run -4 --separate-stderr "$@"
	[ -z "$output" ]
	[[ $stderr == *"$text"* ]] || { echo "$stderr"; return 1; }
}

# lacking WHAT ARGUMENTS...: a recorder of a kernel that lacks this
lacking() { FAKE_LACKS=$1 LD_PRELOAD=$fake pp-record "${@:2}"; }

# at_level LEVEL COMMAND...: where a kernel has this level, and a fake one acts by it
at_level() {
	local level=$1
	echo "$level" >level
	# shellcheck disable=SC2016 # $ belongs to the shell there
	unshare -m --propagation private sh -c 'mount --bind level /proc/sys/kernel/perf_event_paranoid || exit 99
		FAKE_LACKS=paranoid=$(cat level) LD_PRELOAD=$0 exec "$@"' "$fake" "${@:2}"
}

@test "at kernel.perf_event_paranoid 3 nobody may record anything, and is told what would do" {
	need_fake
	need_mounts
	local level
	for level in 3 4; do
		refused "cpu-clock:u: needs root, CAP_PERFMON or kernel.perf_event_paranoid of at most 2 (it is $level)" \
			at_level $level pp-record -e cpu-clock -- true
		refused "of at most 2 (it is $level)" at_level $level pp-record -e cpu-clock:u -p $$
		refused "of at most 0 (it is $level)" at_level $level pp-record -a -e cpu-clock -- true
		[ ! -d /sys/kernel/tracing/events ] || refused "of at most -1 (it is $level)" at_level $level pp-record -e sched:sched_switch -- true
		refused "of at most 2 (it is $level)" at_level $level pp-record --per-thread -e page-faults -- true
	done
}

@test "at kernel.perf_event_paranoid -1 to 2 it is what that level permits" {
	need_fake
	need_mounts
	local point=sched:sched_switch
	[ -e /sys/kernel/tracing/events/sched ] || point=
	at_level 2 pp-record -e cpu-clock -- true >out 2>err
	grep -q 'user space only: .* at most 1 (it is 2)' err
	refused 'of at most 0 (it is 1)' at_level 1 pp-record -a -e cpu-clock -- true
	at_level 1 pp-record -e cpu-clock:k -- true >out
	at_level 0 pp-record -a -e cpu-clock -- true >out
	at_level -1 pp-record -a -e cpu-clock${point:+,$point} -- true >out
	pp-check -q out
	[ -z "$point" ] || refused 'of at most -1 (it is 0)' at_level 0 pp-record -e $point -- true
}

@test "a CPU that vanishes while counters are opened is left out, and that is said once" {
	need_fake
	mkdir -p sys/devices/system/cpu
	# listed with both; gone when its counters are opened
	echo 0-1 >sys/devices/system/cpu/online
	SYSFS_PATH=$PWD/sys FAKE_LOG=$PWD/log FAKE_LACKS=cpu=1 FAKE_LEAVES=$PWD/sys/devices/system/cpu/online LD_PRELOAD=$fake \
		pp-record -a -e cpu-clock,task-clock -- true >out 2>err
	cat err
	[ "$(grep -c 'CPU 1 has gone off line: it is left out' err)" -eq 1 ]
	pp-check -q out
	grep -q '^refused 19 pid=-1 cpu=1 ' log
	[ "$(grep -c '^open .* cpu=0 ' log)" -eq "$(grep -c '^open ' log)" ]
}

@test "a CPU that is still there and has no such counter is no CPU that vanished" {
	need_fake
	refused 'this machine has no such counter' lacking cpu=0 -C 0 -e cpu-clock -- true
}

@test "without tracefs, /proc or /sys it is said what to mount" {
	need_mounts
	need_events
	local how='unshare -m --propagation private sh -c'
	refused 'mount -t tracefs nodev /sys/kernel/tracing' $how \
		'mount -t tmpfs none /sys/kernel; exec pp-record -e sched:sched_switch -- true'
	refused 'cannot read /sys/devices/system/cpu/online' $how \
		'mount -t tmpfs none /sys; exec pp-record -e cpu-clock -- true'
	! sanitized || skip "sanitizers need /proc themselves"
	refused 'mount -t proc proc /proc' $how 'mount -t tmpfs none /proc; exec pp-record -e cpu-clock -- true'
}

@test "where /proc is that of another machine, the command is not found there" {
	need_events
	mkdir proc
	PROCFS_PATH=$PWD/proc refused "cannot find the command in $PWD/proc" pp-record -e cpu-clock -- true
}

# bats test_tags=T3-A23
@test "where /proc has no tasks, that those that run have no names is said" {
	need_events
	need_system_wide
	mkdir proc
	PROCFS_PATH=$PWD/proc run -0 --separate-stderr bash -c 'pp-record -a -e cpu-clock -- true >out'
	assert_regex "$stderr" "pp-record: $PWD/proc lists no processes: those that were already running will have no names"
}

# bats test_tags=T3-E3
@test "where the addresses of the kernel are hidden, that it has no names is said if it is recorded" {
	need_kernel
	need_system_wide
	mkdir -p proc/sys/kernel
	printf '%s T %s\n' 0000000000000000 _text 0000000000000000 _etext >proc/kallsyms
	local hidden="pp-record: kernel addresses will have no names: /proc/kallsyms shows none to this user"
	local cure="cap_syslog is needed: setcap cap_perfmon,cap_syslog=ep"
	for restricted in 0 1 2; do
		echo $restricted >proc/sys/kernel/kptr_restrict
		[ $restricted -lt 2 ] || cure="as root: sysctl kernel.kptr_restrict=1"
		PROCFS_PATH=$PWD/proc run -0 --separate-stderr bash -c 'pp-record -a -e cpu-clock -- true >out'
		assert_regex "$stderr" "$hidden \\(kernel.kptr_restrict is $restricted; $cure"
		[ "$(grep -c 'have no names: /proc/kallsyms' <<<"$stderr")" -eq 1 ]
	done
	# not if only user space is recorded, nor if there are addresses, nor if there is no such file
	PROCFS_PATH=$PWD/proc run -0 --separate-stderr bash -c 'pp-record -a -e cpu-clock:u -- true >out'
	refute_regex "$stderr" kallsyms
	printf '%s T %s\n' ffffffff81000000 _text ffffffff82000000 _etext >proc/kallsyms
	PROCFS_PATH=$PWD/proc run -0 --separate-stderr bash -c 'pp-record -a -e cpu-clock -- true >out'
	refute_regex "$stderr" 'have no names: /proc/kallsyms'
	rm proc/kallsyms
	PROCFS_PATH=$PWD/proc run -0 --separate-stderr bash -c 'pp-record -a -e cpu-clock -- true >out'
	refute_regex "$stderr" 'have no names: /proc/kallsyms'
}

@test "a limit on open files is raised as far as it goes, and then said" {
	need_fake
	refused 'raise the limit on open files (ulimit -n)' lacking files=1 -C 0 -e cpu-clock,task-clock -- true
	need prlimit
	need setpriv
	need_root
	refused '18 files may be open: raise that (ulimit -n ' prlimit --nofile=18:18 setpriv \
		--bounding-set=-sys_resource --inh-caps=-sys_resource pp-record -C 0 -e cpu-clock,task-clock,cs -- true
}

@test "buffers that may not be locked at all are refused, with what to set" {
	need_fake
	refused 'ulimit -l' lacking ring=1 -e cpu-clock -- true
}

@test "a counter that the machine lacks is refused" {
	need_fake
	refused 'this machine has no such counter' lacking type=4 -e r1a8 -- true
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
	need_kernel
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
	# nor is there anything of --off-cpu then, which is said; who asks for user space knows
	run -0 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock --off-cpu -o /dev/null -- true
	assert_regex "$stderr" "context-switches:u has no samples: it happens in the kernel, which is not recorded"
	run -0 --separate-stderr as_nobody "$open/pp-record" -e context-switches:u -o /dev/null -- true
	refute_regex "$stderr" "has no samples"
	# who asks for wakers gets SWITCH records alone, in which all waits are
	run -0 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock --off-cpu=wakers -o /dev/null -- true
	assert_regex "$stderr" "waits without stacks: samples of switches and wakings need root or CAP_PERFMON"
	refute_regex "$stderr" "has no samples"
	as_nobody "$open/pp-record" -q -e cpu-clock --off-cpu=wakers -- sleep 0.1 >in
	pp-span off-cpu -q in >waits
	pp-dump --json waits >waits.json
	jq -e -s 'any(.[]; .event == "offcpu-time" and .fields.period > 90000000 and .fields.callchain == [])' waits.json
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

# bats test_tags=T3-C5
@test "a name in place of the number of a process is answered with pgrep" {
	run -2 pp-record -p nginx -o out
	assert_line --index 0 "pp-record: --pid: 'nginx' is a name, not a number: use -p \$(pgrep -d, nginx)"
	run -2 pp-count -t nginx-worker -o out
	assert_line --index 0 "pp-count: --tid: 'nginx-worker' is a name, not a number: use -p \$(pgrep -d, nginx-worker)"
	run -2 pp-record -p '$(x)' -o out
	assert_line --index 0 "pp-record: --pid: '\$(x)' is not a list of numbers such as 0-3,8"
}
