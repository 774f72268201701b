# selftest.bats - pp-record --self-test: what works here, what is refused and by what; and how
# `make demo` chooses by it.

setup() {
	load ../../helper
	load recorder
	open=
}

teardown() { [ -z "$open" ] || rm -rf "$open"; }

need_mounts() {
	need unshare
	once pp_tmpfs unshare -m mount -t tmpfs none /sys/kernel || skip "no file system can be mounted here"
}

# of CHECK MEMBER [FILE]: what the JSON says of a check
of() { jq -r "select(.check == \"$1\") | .$2 // \"nothing\"" "${3:-out}"; }

# filter.c: runs a command in which perf_event_open() and bpf() end with EPERM
filtered() {
	need "${CC:-cc}"
	cat >filter.c <<-'END'
		#include <errno.h>
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
				return 99;
			execvp(argv[1], argv + 1);
			return 98 + !argc;
		}
	END
	"${CC:-cc}" -o filter filter.c
	run ./filter true
	[ "$status" -eq 0 ] || skip "no seccomp filter can be set here"
}

@test "the exit status says whether something can be recorded" {
	run pp-record --self-test
	if pp-record -e cpu-clock:u -o out -- true 2>err; then
		assert_equal "$status" 0
		assert_line --regexp '^can record: '
		assert_line --regexp '^works +sample '
	else
		assert_equal "$status" 1
		assert_line --regexp '^cannot record: '
	fi
}

@test "each check has one line, and the verdict counts them" {
	pp-record --self-test >out || [ $? -eq 1 ]
	pp-record --self-test --json >json || [ $? -eq 1 ]
	awk '/^(works|limited|refused|absent)/ { print $1, $2 }' out >text
	jq -r 'select(.check) | .result + " " + .check' json >wanted
	[ -s wanted ]
	diff wanted text
	run jq -s '(map(select(.check)) | length) == (.[-1] | .works + .limited + .refused + .absent)' json
	assert_output true
}

@test "JSON begins with its schema, and all of it is JSON" {
	pp-record --self-test --json >out || [ $? -eq 1 ]
	run head -n 1 out
	assert_output '{"schema":"perfpipe.selftest/1"}'
	run jq -se 'all(.[1:-1][]; .check and .what and (.result == "works" or (.by and .without and .found)))' out
	assert_success
	run jq -r 'select(.result) | .result' out
	refute_line --regexp -v '^(works|limited|refused|absent)$'
}

@test "what the self-test says of a counter is what a recording meets" {
	pp-record --self-test --json >out || [ $? -eq 1 ]
	local check
	while read -r check options; do
		# shellcheck disable=SC2086 # several words
		run pp-record $options -o /dev/null -- true
		echo "$check: $(of $check result), a recording ends with $status: $output"
		if [ "$(of $check result)" = works ]; then
			assert_equal "$status" 0
		else
			assert_equal "$status" 4
		fi
	done <<-'END'
		kernel -e cpu-clock:k
		all-cpus -e cpu-clock -a
		hardware -e instructions:u
		tracepoint -e sched:sched_switch -a
	END
}

@test "for nobody it names the paranoid level, the capabilities and the limit of tracefs" {
	need_nobody
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	as_nobody "$open/pp-record" --self-test --json >out || skip "nobody may record nothing here"
	[ "$(of sample result)" = works ]
	[ "$(of kernel by)" = paranoid ]
	[ "$(of all-cpus by)" = paranoid ]
	assert_regex "$(of all-cpus found)" 'kernel\.perf_event_paranoid is 2'
	assert_regex "$(of all-cpus cure)" 'cap_perfmon,cap_syslog=ep.*perf_event_paranoid=0'
	assert_regex "$(of kernel cure)" 'perf_event_paranoid=1'
	[ "$(of others by)" = capability ]
	[ "$(of roots by)" = capability ]
	assert_regex "$(of roots cure)" cap_sys_ptrace
	[ "$(of bpf by)" = capability ]
}

# bats test_tags=T3-E3
@test "for nobody each cure has all that it takes: capabilities, and kernel.kptr_restrict as it is" {
	need_nobody
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	mkdir -p "$open/proc/sys/kernel"
	echo 2 >"$open/proc/sys/kernel/perf_event_paranoid"
	echo '0000000000000000 T _text' >"$open/proc/kallsyms"
	local set='setcap cap_perfmon,cap_syslog=ep on the program' names="for names of the kernel's functions)"
	while IFS='|' read -r kptr kernel cpus kallsyms; do
		echo "$kptr" >"$open/proc/sys/kernel/kptr_restrict"
		chmod -R a+rX "$open"
		as_nobody env PROCFS_PATH="$open/proc" "$open/pp-record" --self-test --json >out || [ $? -eq 1 ]
		[ "$(of kernel cure)" = "as root: $set (cap_syslog${kernel//NAMES/$names}" ]
		[ "$(of all-cpus cure)" = "as root: $set (cap_syslog${cpus//NAMES/$names}" ]
		[ "$(of kallsyms cure)" = "${kallsyms//SET/$set}" ]
		[ "$(of others cure)" = 'run it as root; or as root: setcap cap_perfmon=ep on the program' ]
	done <<-'END'
		0| NAMES, or sysctl kernel.perf_event_paranoid=1| NAMES, or sysctl kernel.perf_event_paranoid=0|run it as root; or as root: SET, or sysctl kernel.perf_event_paranoid=1
		1| NAMES, or sysctl kernel.perf_event_paranoid=1 kernel.kptr_restrict=0| NAMES, or sysctl kernel.perf_event_paranoid=0 kernel.kptr_restrict=0|run it as root; or as root: SET, or sysctl kernel.perf_event_paranoid=1 kernel.kptr_restrict=0
		2|, with sysctl kernel.kptr_restrict=1, NAMES, or sysctl kernel.perf_event_paranoid=1 kernel.kptr_restrict=0|, with sysctl kernel.kptr_restrict=1, NAMES, or sysctl kernel.perf_event_paranoid=0 kernel.kptr_restrict=0|as root: sysctl kernel.kptr_restrict=1, and SET
	END
}

@test "addresses that are hidden are those of the kernel's symbols" {
	need_nobody
	as_nobody "$open/pp-record" --self-test --json >out || [ $? -eq 1 ]
	case $(cat /proc/sys/kernel/kptr_restrict) in
	0 | 1) [ "$(of kallsyms by)" = capability ] && assert_regex "$(of kallsyms cure)" cap_syslog ;;
	2) [ "$(of kallsyms by)" = kptr_restrict ] ;;
	esac
}

@test "a filter of system calls is told from a lack of permission" {
	filtered
	run -1 ./filter pp-record --self-test
	assert_line --regexp '^refused +call '
	assert_line --regexp '^cannot record: '
	./filter pp-record --self-test --json >out || [ $? -eq 1 ]
	[ "$(of call by)" = seccomp ]
	[ "$(of sample by)" = seccomp ]
	[ "$(of all-cpus by)" = seccomp ]
	assert_regex "$(of call cure)" 'seccomp profile'
}

@test "capabilities of a user namespace are known to count for nothing" {
	need unshare
	once pp_userns unshare -Ur true || skip "no user namespace can be made here"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "kernel.perf_event_paranoid lets everybody record"
	unshare -Ur pp-record --self-test --json >out || [ $? -eq 1 ]
	[ "$(of all-cpus result)" = refused ]
	[ "$(of others by)" = container ]
	assert_regex "$(of others found)" 'user namespace does not count'
}

@test "in a PID namespace the tasks outside of it are known to be missing" {
	need unshare
	once pp_pidns unshare -pf --mount-proc true || skip "no PID namespace can be made here"
	unshare -pf --mount-proc pp-record --self-test --json >out || [ $? -eq 1 ]
	[ "$(of names result)" = limited ]
	[ "$(of names by)" = container ]
}

@test "where tracefs is not mounted it says how to mount it" {
	need_mounts
	unshare -m bash -c 'mount -t tmpfs none /sys/kernel && pp-record --self-test --json' >out || [ $? -eq 1 ]
	[ "$(of tracefs result)" = absent ]
	[ "$(of tracefs by)" = tracefs ]
	assert_regex "$(of tracefs cure)" 'mount -t tracefs'
	[ "$(of tracepoint by)" = tracefs ]
}

@test "where control groups are not mounted it says how to mount them" {
	need_mounts
	unshare -m bash -c 'mount -t tmpfs none /sys/fs/cgroup && pp-record --self-test --json' >out || [ $? -eq 1 ]
	[ "$(of cgroup result)" != refused ] || skip "not even a folder may be tried here"
	[ "$(of cgroup result)" = absent ]
	[ "$(of cgroup found)" = "no control groups are mounted at /sys/fs/cgroup" ]
	assert_regex "$(of cgroup cure)" 'mount -t cgroup2'
}

@test "where there is no /proc or /sys it says so" {
	need_mounts
	unshare -m bash -c 'mount -t tmpfs none /proc && pp-record --self-test --json' >out || [ $? -eq 1 ]
	[ "$(of names by)" = proc ]
	[ "$(of kallsyms by)" = proc ]
	unshare -m bash -c 'mount -t tmpfs none /sys && pp-record --self-test --json' >out || [ $? -eq 1 ]
	[ "$(of cpus by)" = sysfs ]
	run -1 unshare -m bash -c 'mount -t tmpfs none /sys && pp-record --self-test'
	run -4 unshare -m bash -c 'mount -t tmpfs none /sys && pp-record -e cpu-clock -o out -- true'
}

# machine PARANOID LOCKDOWN: files that say so of this machine, for SYSFS_PATH and PROCFS_PATH
machine() {
	mkdir -p "$open"/{sys/kernel/security,sys/devices/system/cpu,proc/sys/kernel}
	cat /sys/devices/system/cpu/online >"$open/sys/devices/system/cpu/online"
	echo "$1" >"$open/proc/sys/kernel/perf_event_paranoid"
	echo 1000 >"$open/proc/sys/kernel/perf_event_max_sample_rate"
	echo "$2" >"$open/sys/kernel/security/lockdown"
	chmod -R a+rX "$open"
	export SYSFS_PATH=$open/sys PROCFS_PATH=$open/proc
}

@test "what neither the paranoid level nor a filter forbids, lockdown or a security module does" {
	need_nobody
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "kernel.perf_event_paranoid lets everybody record"
	machine -1 'none integrity [confidentiality]'
	as_nobody "$open/pp-record" --self-test --json >out || [ $? -eq 1 ]
	[ "$(of all-cpus by)" = lockdown ]
	machine -1 '[none] integrity confidentiality'
	as_nobody "$open/pp-record" --self-test --json >out || [ $? -eq 1 ]
	[ "$(of all-cpus by)" = module ]
	machine 4 '[none] integrity confidentiality'
	as_nobody "$open/pp-record" --self-test --json >out || [ $? -eq 1 ]
	[ "$(of all-cpus by)" = paranoid ]
	assert_regex "$(of all-cpus found)" 'perf_event_paranoid is 4'
}

@test "a low limit of the rate is said" {
	open=$PWD
	machine 2 '[none] integrity confidentiality'
	pp-record --self-test --json >out || [ $? -eq 1 ]
	[ "$(of rate result)" = limited ]
	assert_regex "$(of rate cure)" 'perf_event_max_sample_rate'
}

# The buffers of a recording take up all that its user may lock.
@test "buffers that may not be locked are said to be small" {
	need_nobody
	need prlimit
	export open
	[ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -eq 516 ] || skip "kernel.perf_event_mlock_kb is not 516"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] || skip "kernel.perf_event_paranoid limits nobody"
	export -f as_nobody
	run -0 prlimit --memlock=0 bash -c 'as_nobody "$open/pp-record" -e cpu-clock:u -o /dev/null -- \
		"$open/pp-record" --self-test --json >&2'
	echo "$output" | grep '^{' >out
	[ "$(of buffers by)" = limit ]
	[ "$(of buffers result)" = refused ] || [ "$(of buffers result)" = limited ]
	assert_regex "$(of buffers cure)" 'perf_event_mlock_kb'
}

@test "few open files are said to be too few for all threads" {
	need prlimit
	prlimit --nofile=64:64 pp-record --self-test --json >out || [ $? -eq 1 ]
	[ "$(of files result)" = limited ]
	[ "$(of files by)" = limit ]
	assert_regex "$(of files found)" '^64 files'
}

@test "a terminal, a full device and a file take it; a command is refused" {
	run -2 pp-record --self-test -- true
	assert_line --partial 'takes no command'
	run -2 pp-record --json -- true
	assert_line --partial '--json is for --self-test'
	pp-record --self-test -o file || [ $? -eq 1 ]
	grep -q record file
	[ -e /dev/full ] || skip "no /dev/full"
	run -4 --separate-stderr bash -c 'pp-record --self-test >/dev/full'
	assert_regex "$stderr" 'cannot write'
}

# bats test_tags=T3-E1
@test "make demo replays a stream where the self-test says that all CPUs are refused" {
	filtered
	run -0 ./filter env BIN="$BIN" V=0 "$TESTS/demo.sh"
	assert_line --partial 'refused  call'
	assert_line --partial 'a seccomp filter of system calls is in force'
	assert_line --partial 'tests/streams/demo.pipe is replayed'
	# at a glance: shares of functions, the page, and what to try, which does what it should
	[ "${#lines[@]}" -le 36 ]
	assert_line --regexp '^ +[0-9]+\.[0-9]+% +[0-9]+ perl +\[\.\] Perl_pp_gvsv$'
	assert_line --partial "file://$(realpath "$BIN/demo.html")"
	grep -q '<canvas ' "$BIN/demo.html"
	printf '%s\n' "${lines[@]}" | sed '1,/^What to try next/d' >next
	[ "$(grep -c pp- next)" -eq 3 ]
	sed -i "s:| less:>>'$PWD/shown':" next
	(cd "$ROOT" && bash -e -o pipefail "$OLDPWD/next")
	grep -q Perl_pp_gvsv shown
	grep -q '<canvas ' "$BIN/demo-perl.html"
	# what is printed is what was run: the same commands make the same stream again
	printf '%s\n' "${lines[@]}" | sed -n "s/^\\$ \(cat .*\) -o .*/\1/p" >first
	(cd "$ROOT" && bash -o pipefail "$OLDPWD/first") >again.pipe
	cmp again.pipe "$BIN/demo.pipe"
	run -0 ./filter env BIN="$BIN" V=1 "$TESTS/demo.sh"
	assert_line --regexp '^processes '
	[ "$(grep -c '^0x.* SAMPLE ' <<<"$output")" -eq 20 ]
}
