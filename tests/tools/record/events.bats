# events.bats - what may stand after pp-record's -e, and what becomes of it: also on machines that
# are known by a copy of their sysfs.

setup() { load ../../helper; }

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
