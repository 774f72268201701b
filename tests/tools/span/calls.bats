# calls.bats - pp-span syscalls: which calls they are, and their errors, in words; states of waits likewise.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load sched
	load calls
}

# need_names: libseccomp is there, which has the names of system calls
need_names() {
	printf '%s\n' header attr 'sample pid=1 time=5' round | build | pp-report -q -s syscall >/dev/null 2>&1 ||
		skip "libseccomp is not here"
}

# made: what pp-report says of the calls in made, a line each
made() {
	pp-report --csv -g none --no-children -s syscall,error -F sample,syscall,error made | tail -n +2 | tr -d '\r' |
		cut -d, -f2- | sort
}

@test "syscalls: calls and errors have their names, by the numbers of the machine that was recorded" {
	need_names
	some | calls x86_64 >in
	pp-span -q syscalls in -o made
	sound made
	diff <(printf '%s\n' '1,-1,' '1,9999,ENOSYS' '1,futex,ERESTARTSYS' '1,openat,' '1,openat,' '1,openat,ENOENT' \
		'1,read,') <(made)
	# the same of another machine, and of one that is not known
	some | calls aarch64 | pp-span -q syscalls -o made
	made | grep -qx '1,accept,ERESTARTSYS'
	some | calls i686 | pp-span -q syscalls -o made
	made | grep -qx '1,restart_syscall,'
	some | calls '' | pp-span -q syscalls -o made
	diff <(printf '%s\n' '1,-1,' '1,0,' '1,202,512' '1,257,' '1,257,' '1,257,2' '1,9999,38') <(made)
	# another name of their event changes nothing, and what has no room for an address has no name
	some | calls x86_64 | pp-span -q --name x syscalls -o made
	made | grep -qx '1,openat,ENOENT'
	some | calls x86_64 TID,TIME,ID,CPU,PERIOD,RAW | pp-span -q syscalls -o made
	made | grep -qx '1,,ENOENT'
}

@test "syscalls: numbers below 450 have the names of the headers of this machine" {
	need_names
	need gcc
	printf '#include <asm/unistd.h>\n' | gcc -E -dM - |
		awk '$2 ~ /^__NR_/ && $3 ~ /^[0-9]+$/ && $3 < 450 { print $3, substr($2, 6) }' | sort >headers
	[ "$(wc -l <headers)" -gt 200 ]
	seq 0 449 | awk '{ print 1000 + 10 * $1, 7, "enter", $1; print 1005 + 10 * $1, 7, "exit", $1, 0 }' |
		calls "$(uname -m)" >in
	pp-span -q syscalls in |
		pp-report -q --csv -g none --no-children -s time,syscall --time-quantum 10ns -F time,syscall |
		tail -n +2 | tr -d '\r' | awk -F, '{ printf "%d %s\n", $2 * 1e8 - 100 + 0.5, $3 }' | sort >got
	join headers got | awk '$2 != $3' >differ
	cat differ
	[ ! -s differ ]
}

@test "syscalls: expressions ask for names and errors, and --fields lists them" {
	need_names
	some | calls x86_64 | pp-span -q syscalls -o made
	chosen() { pp-filter -q "$1" made | json | jq -r 'select(.type == "SAMPLE").fields | .time' | xargs; }
	[ "$(chosen 'syscall == "openat"')" = '1500 2400 6000' ]
	[ "$(chosen 'syscall == "openat" && error == "ENOENT"')" = 1500 ]
	[ "$(chosen 'syscall =~ "^(re|fu)"')" = '2500 3500' ]
	[ "$(chosen 'syscall != "openat" && defined(error)')" = '3500 4500' ]
	[ "$(chosen '!defined(error)')" = '2400 2500 5100 6000' ]
	[ "$(pp-filter -q --first-per syscall made | json | grep -c '"type":"SAMPLE"')" -eq 5 ]
	run -0 pp-filter --fields made
	assert_output --partial 'of a system call: its name (syscalls, syscalls-cut)'
	run -2 --separate-stderr pp-filter 'syscall == 3' made
	[[ $stderr == *"'syscall' is text, not a number"* ]]
	# a tracepoint's own field of that name is as before
	two | switches new flag >in
	run -0 --separate-stderr pp-filter 'error == "x"' in -o out
	[[ $stderr == *"no sample has the field 'error'"* ]]
}

@test "off-cpu: state and woken are fields and columns, the state as a word or as the letter of ps" {
	two | switches new flag | pp-span off-cpu -q -o made
	chosen() {
		pp-filter -q "$1" made | json |
			jq -r 'select(.type == "SAMPLE" and (.event | startswith("offcpu"))).fields.time' | xargs
	}
	[ "$(chosen 'state == "sleeping"')" = 3000 ]
	[ "$(chosen 'state == "S"')" = 3000 ]
	[ "$(chosen 'state != "S" && event ~ "offcpu-*"')" = "$(chosen 'state != "sleeping" && event ~ "offcpu-*"')" ]
	[ "$(chosen 'state in {"R", "D"}')" = 4500 ]
	[ "$(chosen 'state == "unknown"')" = '1000' ]
	[ "$(chosen 'woken == 2700')" = 3000 ]
	[ "$(chosen 'time - woken >= 300')" = 3000 ]
	run -2 pp-filter 'woken == "x"' made
	pp-report -q --csv -g none --no-children -s state,woken --time-quantum 100ns -F period,state,woken made |
		tail -n +2 | tr -d '\r' | sort >got
	diff - got <<-'END'
		offcpu-cut,0,unknown,0.000000000
		offcpu-preempted,500,runnable,0.000000000
		offcpu-time,1000,sleeping,0.000002700
	END
}

@test "syscalls: without libseccomp it is said what is lacking, and other keys are there" {
	need_names
	! sanitized || skip "nothing is hidden from a sanitizer"
	some | calls x86_64 | pp-span -q syscalls -o made
	mkdir -p hidden
	: >hidden/libseccomp.so.2
	LD_LIBRARY_PATH=$PWD/hidden run -2 --separate-stderr pp-report -s syscall made
	[[ $stderr == *'libseccomp.so.2, which has the names of system calls, is not installed'* ]]
	LD_LIBRARY_PATH=$PWD/hidden run -2 --separate-stderr pp-filter 'syscall == "openat"' made
	[[ $stderr == *"'syscall' needs libseccomp.so.2, which is not installed"* ]]
	LD_LIBRARY_PATH=$PWD/hidden pp-report -q --csv -g none -s error made | grep -q ENOENT
}

@test "syscalls: perf shows as many of them as there are, with their periods" {
	need_perf
	# perf refuses tracing data that have no more than the formats
	some | calls x86_64 | pp-span -q syscalls | pp-filter --drop HEADER_TRACING_DATA -o made
	while read -r perf; do
		echo "$perf"
		[ "$("$perf" script -i - -F event,period <made | awk 'NF { print $1, $2 }' | sort | xargs)" = \
			'0 syscalls-cut: 100 syscalls: 300 syscalls: 500 syscalls: 500 syscalls: 500 syscalls: 500 syscalls:' ]
		[ "$("$perf" report -i - --stdio -F period <made 2>/dev/null | awk '$1 > 0 { print $1 }' | xargs)" = 2400 ]
	done < <(perfs)
}
