# perf.bats - pp-filter --prune: perf shows the same of the samples that stay.

setup() {
	load ../../helper
	load prune
}

# reported FILE: by perf report: events in their order, then what was hit; perf leaves the order of
# equals to chance
reported() {
	perf_quiet report --stdio -g none --sort comm,dso,sym -i "$1" </dev/null >report || return
	grep -E '^# (Samples|Event count)' report
	grep -v '^#' report | tr -s ' ' | sort
}

# same_report: so is its report, which has the events in their order
same_report() {
	reported plain.pipe >plain.report
	reported pruned.pipe >pruned.report
	[ -s plain.report ] || return
	diff plain.report pruned.report >&2
}

# storm: forks, programs and names
STORM=(perl -e 'for (1 .. 8) { unless (fork) { if ($_ % 2) { exec "perl", "-e", q($i++ while $i < 2e5; $0 = "other"; $i++ while $i < 12e5) } $i++ while $i < 3e5; exit } } $i++ while $i < 5e5; 1 while wait > 0')

# recorded OPTIONS... -- COMMAND...: in.pipe
recorded() { perf_quiet record -o - "$@" >in.pipe; }

@test "perf shows the same of a pruned recording of call chains" {
	need_perf_events
	recorded -g -e cpu-clock -F 1000 -- "${STORM[@]}"
	prunes
	same_to_perf
	prunes 'comm == "perl"'
	same_to_perf
	same_report
}

# bats test_tags=nightly
@test "perf shows the same of a pruned recording of the whole system, which was compressed" {
	need_system_wide
	whole_system=yes
	recorded -a -z -g -d -e cpu-clock -F 500 -- "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
	[ "$(stat -c %s pruned.pipe)" -lt "$(stat -c %s plain.pipe)" ]
	prunes --invert 'comm == "perl"'
	same_to_perf
}

@test "perf shows the same of two events, of one of them, and of a group" {
	need_perf_events
	recorded -g -e cpu-clock,page-faults -- "${STORM[@]}"
	prunes
	same_to_perf
	same_report
	prunes 'event == "page-faults"'
	same_to_perf
	recorded -e '{cpu-clock,page-faults}' -- "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
}

@test "perf shows the same of pruned tracepoints, and of a clock beside them" {
	need_tracepoints
	recorded -e sched:sched_process_fork,sched:sched_switch,cpu-clock -- "${CALLS[@]}"
	prunes 'event == "sched:sched_process_fork"'
	perf_quiet script -i plain.pipe -F comm,event,trace >expected
	[ -s expected ]
	perf_quiet script -i pruned.pipe -F comm,event,trace >got
	diff expected got
	prunes
	same_to_perf
	same_report
}

@test "perf unwinds copied stacks of a pruned recording as before" {
	need_perf_events
	recorded --call-graph dwarf,1024 -e cpu-clock -F 250 -- "${WORK[@]}"
	prunes
	same_to_perf
}

@test "perf shows the same where threads inherit names" {
	need_perf_events
	recorded -s -e cpu-clock -F 1000 -- perl -e '$i++ while $i < 3e5; $0 = "renamed";
		for (1 .. 3) { unless (fork) { $i++ while $i < 1e6; exit } } 1 while wait > 0'
	prunes
	same_to_perf
	prunes 'comm == "renamed"'
	same_to_perf
}

# bats test_tags=nightly
@test "perf shows the same of control groups and namespaces" {
	need_system_wide
	need_root
	once groups perf record --all-cgroups --namespaces -a -o - -e cpu-clock true ||
		skip "control groups cannot be recorded here"
	once unshare unshare -m -u true || skip "namespaces cannot be made here"
	whole_system=yes
	recorded --all-cgroups --namespaces --switch-events -a -e cpu-clock -F 500 -- unshare -m -u "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
	perf_quiet report --stdio --sort cgroup,cgroup_id -i plain.pipe | grep -v '^#' | sort >expected
	[ -s expected ]
	perf_quiet report --stdio --sort cgroup,cgroup_id -i pruned.pipe | grep -v '^#' | sort | diff expected -
}

@test "perf shows the same of what pp-record recorded" {
	need_perf_events
	pp-record -g -e cpu-clock -F 1000 -- "${STORM[@]}" >in.pipe
	prunes 'comm == "other"'
	same_to_perf
}

# bats test_tags=nightly
@test "threads that only a tracepoint's data name keep their names" {
	need_tracepoints
	recorded -a -e sched:sched_switch,sched:sched_wakeup_new,sched:sched_process_fork -- "${CALLS[@]}"
	prunes
	perf_quiet script -i plain.pipe -F comm,tid,time,event,trace >expected
	[ -s expected ]
	perf_quiet script -i pruned.pipe -F comm,tid,time,event,trace | diff expected -
	# those whose numbers are in the data, and who had a name there
	names() {
		json "$1" | jq -r 'select(.type == "COMM" or .type == "FORK").fields.tid' | sort -u
	}
	pp-dump --json -i plain.pipe | jq -r 'select(.type == "SAMPLE").fields.raw' >raw
	pp-filter -i plain.pipe 'event == "sched:sched_wakeup_new"' | json | jq -r 'select(.type == "SAMPLE").fields.raw' |
		perl -ne 'print unpack("l<", pack "H*", substr $_, 48, 8), "\n"' | sort -u >woken
	[ -s woken ]
	names plain.pipe | comm -12 - woken >known
	[ -s known ]
	[ -z "$(names pruned.pipe | comm -13 - known)" ]
}
