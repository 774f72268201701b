# events.bats - what may stand after pp-record's -e, and what becomes of it: also on machines that
# are known by a copy of their sysfs.

setup() {
	load ../../helper
	load recorder
}

@test "SYSFS_PATH names another sysfs, as for perf" {
	mkdir -p sys/bus/event_source/devices/vax
	SYSFS_PATH=$PWD/sys run -2 pp-record -e nix/nix/ -- true
	assert_line -p "no PMU called 'nix'; it has: vax"
}

@test "TRACEFS_PATH names another tracefs, as for perf" {
	mkdir -p tracing/events/vax/halt tracing/events/ftrace
	echo 7 >tracing/events/vax/halt/id
	TRACEFS_PATH=$PWD/tracing run -0 pp-record --list-values EVENT
	assert_line vax:halt
	TRACEFS_PATH=$PWD/tracing run -2 pp-record -e vax:stop -- true
	assert_line -p "no tracepoint is called 'vax:stop'"
}

# asked MACHINE EVENT [OPTION]: what pp-record asks a kernel for that has every counter, on such a machine
asked() {
	need perl
	[ -d "$1" ] || perl "$TESTS/machines/make.pl" "$1" "$1"
	rm -f log
	SYSFS_PATH=$PWD/$1 FAKE_LOG=$PWD/log LD_PRELOAD=$fake \
		pp-record -q --no-sandbox -a "${3:--e}" "$2" -o out -- true
	perl "$TESTS/tools/record/events.pl" log
}

# What perf 6.1 asks the same kernel for, on the same machines; except that it puts all of {a,b} into one
# group where there are two kinds of cores, which no kernel opens, and adds the bits of ldlat=30 to
# those of 3.
# bats test_tags=nightly
@test "events of nine machines become what perf makes of them" {
	need_fake
	local machine event expected n=0
	while read -r machine event expected; do
		echo "$machine $event"
		run -0 asked "$machine" "$event"
		assert_output "$(tr '|' '\n' <<<"$expected")"
		n=$((n + 1))
	done <<-'END'
		skylake cycles:u 0 0 0 0 kernel,hv,guest
		skylake cycles:k 0 0 0 0 user,hv
		skylake cycles:G 0 0 0 0 host
		skylake {cycles,instructions}:u 0 0 0 0 kernel,hv,guest|0 0x1 0 0 kernel,hv,guest m
		skylake l1d-read-miss 3 0x10000 0 0 guest
		skylake bpu-loads 3 0x5 0 0 guest
		skylake cpu/mem-stores,cmask=1/ 4 0x10082d0 0 0 guest
		skylake cpu/mem-loads,ldlat=30/ 4 0x1cd 0x1e 0 guest
		skylake data_reads 17 0x1 0 0 guest
		skylake r1a8 4 0x1a8 0 0 guest
		skylake mem:0x1000/8:x 5 0 0x1000 0x8 guest
		icelake slots:u 4 0x400 0 0 kernel,hv,guest
		icelake cbox/event=1,threshold=3/ 13 0x3000001 0 0 guest|14 0x3000001 0 0 guest|15 0x3000001 0 0 guest|16 0x3000001 0 0 guest
		sapphirerapids cha/event=1,umask=0x1ff/ 13 0x10000ff01 0 0 guest|14 0x10000ff01 0 0 guest|15 0x10000ff01 0 0 guest|16 0x10000ff01 0 0 guest
		sapphirerapids uncore_cha_[01]/event=1/ 13 0x1 0 0 guest|14 0x1 0 0 guest
		sapphirerapids cha_1/event=1/ 14 0x1 0 0 guest
		sapphirerapids imc_free_running/rpq_cycles/ 24 0x20ff 0 0 guest
		alderlake cpu_atom/cycles/u 0 0xa00000000 0 0 kernel,hv,guest
		alderlake cpu_core/r1a8/ 4 0x1a8 0 0 guest
		zen3 cpu/event=0xfff,umask=3/ 4 0xf000003ff 0 0 guest
		zen3 amd_df/event=0x1f07,umask=0x38/ 14 0x800000f00003807 0 0 guest
		zen4 ibs_op/cnt_ctl,l3missonly/ 12 0x90000 0 0 guest
		alderlake {cycles,instructions} 0 0xa00000000 0 0 guest|0 0xa00000001 0 0 guest m|0 0x400000000 0 0 guest|0 0x400000001 0 0 guest m
		neoverse cycles 0 0 0 0 guest
		neoverse armv8_pmuv3/inst_retired,long/u 10 0x8 0x1 0 kernel,hv,guest
		neoverse arm_cmn_0/watchpoint_up,wp_dev_sel=1,wp_chn_sel=2,wp_grp=0,wp_val=0x5,wp_mask=0xff/ 12 0x11000000000770 0x5 0xff guest
		power9 hv_24x7/PM_PB_CYC,chip=1/ 10 0x1000010001 0 0 guest
		power9 cpu/pmcxsel=0x1e,pmc=3/ 4 0x3001e 0 0 guest
		s390 cpum_cf/L1D_DIR_WRITES/ 10 0x4 0 0 guest
		s390 rb0000 4 0xb0000 0 0 guest
	END
	[ "$n" -eq 30 ]
}

@test "a mistake in an event is shown where it is, with the names that are near" {
	perl "$TESTS/machines/make.pl" skylake skylake
	export SYSFS_PATH=$PWD/skylake
	local event at says n=0
	while IFS='|' read -r event at says; do
		echo "$event"
		run -2 --separate-stderr pp-record -e "$event" -o out -- true
		assert_equal "${stderr_lines[0]}" "pp-record: $says"
		assert_equal "${stderr_lines[1]}" "  $event"
		assert_equal "${stderr_lines[2]}" "$(printf "%$((at + 2))s^" '')"
		[ ! -e out ]
		n=$((n + 1))
	done <<-'END'
		cyclse|0|no event is called 'cyclse'; did you mean cycles?
		cs,cpu/evnt=3/|7|PMU cpu has no event or term 'evnt'; did you mean event?
		cycles:q|7|modifiers are u, k, h, G, H, I, P, S, D, W, e, b, R and up to three p
		cs,{cycles,cs|3|a group of events has no '}'
		cycles/peroid=3/|7|no term is called 'peroid'; did you mean period?
		cs,,cs|3|an event is missing
		cpu/umask=0x1234/|4|0x1234 does not fit in umask (config:8-15)
		mem:xx|4|an address is missing: mem:0x1234/8:rw
		uncore_cbx/event=1/|0|this machine has no PMU called 'uncore_cbx'; did you mean uncore_cbox_0, uncore_cbox_1, uncore_cbox_2?
	END
	[ "$n" -eq 9 ]
}

@test "--list prints what there is, and what of it patterns match" {
	perl "$TESTS/machines/make.pl" skylake skylake
	export SYSFS_PATH=$PWD/skylake TRACEFS_PATH=$PWD/none
	run -0 pp-record --list 'mem-*' 'cyc*s'
	assert_output - <<-'END'
		cycles                                       hardware
		cpu/mem-loads/                               pmu event=0xcd,umask=0x1,ldlat=3
		cpu/mem-stores/                              pmu event=0xd0,umask=0x82
	END
	run -0 pp-record --list --json 'data_reads'
	assert_line --index 0 '{"schema":"perfpipe.events/1"}'
	assert_line --index 1 '{"name":"uncore_imc/data_reads/","kind":"pmu","pmu":"uncore_imc","terms":"event=0x1","scale":"6.103515625e-5","unit":"MiB"}'
	run -1 pp-record --list nothing
	assert_output ''
	# every name can be recorded as it stands
	need_fake
	pp-record --list --json | jq -r 'select(.name) | .name' >names
	run -0 asked skylake "$(paste -sd, names)"
	[ "${#lines[@]}" -gt 60 ]
}

@test "--filter is given to the kernel with the events of the --event before it" {
	need perl
	need_fake
	mkdir -p tracing/events/sched/{a,b,c}
	echo 7 | tee tracing/events/sched/{a,b,c}/id >/dev/null
	printf 'h\n' | tee tracing/events/header_{page,event} tracing/printk_formats >/dev/null
	printf '\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n' | tee tracing/events/sched/{a,b,c}/format >/dev/null
	TRACEFS_PATH=$PWD/tracing FAKE_LOG=$PWD/log LD_PRELOAD=$fake pp-record -q --no-sandbox -C 0 \
		-e 'sched:[ab]' --filter 'pid == 3' --filter 'pid > 1' -e sched:c -o out -- true
	run -0 grep -o 'SET_FILTER .*' log
	assert_output $'SET_FILTER (pid == 3) && (pid > 1)\nSET_FILTER (pid == 3) && (pid > 1)'
	run -2 --separate-stderr pp-record --filter x -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: --filter: 'x' belongs after the --event that it is of"
	run -2 --separate-stderr pp-record -e cs --filter x -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: cs takes no filter: it is neither a tracepoint nor a tracer of the processor"
}

# attributes FILE: of all events in a stream
attributes() { json "$1" | jq -c 'select(.type == "HEADER_FEATURE").fields.data.events[]? | [.name, .attr]'; }

@test "a weak group is broken up where its events cannot be opened together" {
	need_kernel
	need_fake
	local group alone
	while read -r group alone; do
		rm -f log
		FAKE_LACKS=group=2 FAKE_LOG=$PWD/log LD_PRELOAD=$fake \
			run -0 --separate-stderr pp-record --no-sandbox -C 0 -e "$group" -o out -- true
		assert_regex "${stderr_lines[0]}" '^pp-record: the events of the group of cycles(:k)? cannot be recorded at the same time: recording each by itself, as W permits$'
		[ "$(grep -c '^refused ' log)" -eq 1 ]
		# nothing is left of the group: the stream is that of events that never were in one
		run -0 sed -n '/^refused/,$s/^open .* group=\([0-9]*\) .*/\1/p' log
		refute_line -e '[1-9]'
		LD_PRELOAD=$fake pp-record -q --no-sandbox -C 0 -e "$alone" -o expected -- true
		attributes expected >attributes
		[ "$(wc -l <attributes)" -ge 4 ]
		attributes out | diff attributes -
		pp-check out
	done <<-'END'
		{cycles,instructions,branches}:W cycles,instructions,branches
		{cycles,instructions,branches}:SW {cycles}:S,{instructions}:S,{branches}:S
		{cycles,instructions/period=1000/,branches}:kSW {cycles}:kS,{instructions/period=1000/}:kS,{branches}:kS
	END
	# not one that would fit, nor one that has to stay whole
	FAKE_LACKS=group=3 LD_PRELOAD=$fake run -0 --separate-stderr \
		pp-record --no-sandbox -C 0 -e '{cycles,instructions,branches}:W' -o out -- true
	assert_equal "${#stderr_lines[@]}" 1
	FAKE_LACKS=group=2 LD_PRELOAD=$fake run -4 pp-record --no-sandbox -C 0 \
		-e '{cycles,instructions,branches}' -o none -- true
	[ ! -e none ]
}

@test "--pfm-events takes names of libpfm4 alone" {
	need_fake
	printf '#include <perfmon/pfmlib_perf_event.h>\n' | "${CC:-cc}" -E -x c -o /dev/null - 2>/dev/null ||
		skip "libpfm4-dev is not installed"
	export LIBPFM_ENCODE_INACTIVE=1
	run -0 asked skylake 'skl::INST_RETIRED:ANY_P:u,{skl::MEM_LOAD_RETIRED:L1_HIT,skl::BR_MISP_RETIRED:ALL_BRANCHES:k}' --pfm-events
	assert_output $'4 0xc0 0 0 kernel,guest\n4 0x1d1 0 0 guest\n4 0xc5 0 0 user,guest m'
	local wrong
	for wrong in nix 'skl::NIX:u' 'skl::INST_RETIRED:NIX'; do
		run -2 --separate-stderr pp-record --pfm-events "skl::INST_RETIRED:ANY_P,$wrong" -o none -- true
		assert_regex "${stderr_lines[0]}" "^pp-record: libpfm4 has no event '$wrong': "
		assert_equal "${stderr_lines[2]}" "$(printf '%26s^' '')"
	done
	run -2 --separate-stderr pp-record --pfm-events '{skl::INST_RETIRED:ANY_P}:S' -o none -- true
	assert_regex "${stderr_lines[0]}" "a group of libpfm4's events has no modifiers"
	[ ! -e none ]
}

@test "--exclude-perf leaves out the recorder's own hits of the tracepoints before it" {
	run -2 --separate-stderr pp-record --exclude-perf -e cs -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: --exclude-perf: belongs after the --event that it is of"
	[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || skip "this is a container with numbers of its own"
	run -2 --separate-stderr pp-record -e cs --exclude-perf -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: only hits of tracepoints can leave out the recorder, and cs is not one (--exclude-perf)"
	[ ! -e none ]
	once pp_points pp-record -e sched:sched_process_exec -- true || skip "tracepoints cannot be opened here"
	# with -m no buffer grows, for which there would be a thread with a number of its own
	pp-record -q -a -m 1M -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit --exclude-perf -o out -- \
		perl -e 'open my $f, ">", "pid"; print $f getppid; close $f; select undef, undef, undef, 0.6'
	run jq -s --argjson pid "$(<pid)" '[.[] | select(.type == "SAMPLE" and .fields.pid == $pid).event] | unique' -c < <(json out)
	assert_output '["raw_syscalls:sys_enter"]'
}

@test "a filter that the kernel refuses is explained by the fields that there are" {
	once pp_points pp-record -e sched:sched_process_exec -- true || skip "tracepoints cannot be opened here"
	run -2 --separate-stderr pp-record -e sched:sched_switch --filter 'prev_pidd == 3' -o none -- true
	assert_equal "${stderr_lines[0]}" "pp-record: filter 'prev_pidd == 3': sched:sched_switch has no field 'prev_pidd'; did you mean prev_pid, prev_prio?"
	[ ! -e none ]
	pp-record -q -a -e sched:sched_switch --filter 'prev_pid == 999999999' -o out -- true
	run -0 records out
	refute_line -p SAMPLE
}

@test "names of libpfm4 are events where nothing else has that name" {
	need_fake
	printf '#include <perfmon/pfmlib_perf_event.h>\n' | "${CC:-cc}" -E -x c -o /dev/null - 2>/dev/null ||
		skip "libpfm4-dev is not installed"
	export LIBPFM_ENCODE_INACTIVE=1
	local event expected
	while read -r event expected; do
		echo "$event"
		run -0 asked skylake "$event"
		assert_output "$expected"
	done <<-'END'
		skl::INST_RETIRED:ANY_P:u 4 0xc0 0 0 kernel,guest
		icl::MEM_LOAD_RETIRED:L1_HIT 4 0x1d1 0 0 guest
		spr::BR_MISP_RETIRED:ALL_BRANCHES:k 4 0xc5 0 0 user,guest
		amd64_fam19h_zen3::RETIRED_INSTRUCTIONS 4 0xc0 0 0 hv,guest
		amd64_fam19h_zen4::CYCLES_NOT_IN_HALT 4 0x76 0 0 hv,guest
	END
}

@test "a generic event is the one that was meant also where the machine lacks it" {
	mkdir -p sys/bus/event_source/devices
	SYSFS_PATH=$PWD/sys run -2 --separate-stderr pp-record -e cycels -- true
	assert_equal "${stderr_lines[0]}" "pp-record: no event is called 'cycels'; did you mean cycles?"
}

@test "events of a PMU are refused in words that say what there is" {
	need_kernel
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

# bats test_tags=nightly
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
