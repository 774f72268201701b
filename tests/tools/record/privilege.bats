# privilege.bats - what pp-record gives up before the command starts, what remains, and what it does
# with few privileges.

setup() {
	load ../../helper
	load recorder
	open=
}

teardown() { [ -z "$open" ] || rm -rf "$open"; }

# system calls are filtered here: not under a sanitizer, and not by every kernel
need_filter() {
	need_events
	! sanitized || skip "sanitizers need system calls of their own"
	pp-record -v -e cpu-clock -o /dev/null -- true 2>err
	! grep -q 'cannot be filtered' err || skip "system calls cannot be filtered here"
}

# status WHOSE NAME: a line of /proc/.../status that a command left in `status`
status() { awk -v whose="$1" -v name="$2:" '$1 == whose && $2 == name { print $3 }' status; }

# look: a command that writes to `status` what the recorder and it itself may do
look='for task in /proc/$PPID/task/*; do sed "s/^/recorder /" "$task/status"; done >status
	sed "s/^/command /" /proc/self/status >>status'

@test "while it records, the recorder has no capability, and the command keeps its own" {
	need_events
	pp-record -e cpu-clock -o out -- sh -c "$look"
	for set in CapInh CapPrm CapEff CapAmb; do
		echo "$set"
		[ "$(status recorder $set | sort -u)" = 0000000000000000 ]
		[ "$(status command $set)" = "$(awk -v set="$set:" '$1 == set { print $2 }' /proc/self/status)" ]
	done
}

@test "while it records, its system calls are filtered, and those of the command are not" {
	need_filter
	for options in "" "-z" "-a"; do
		# shellcheck disable=SC2086 # none, or one
		pp-record -e cpu-clock $options -o out -- sh -c "$look" || skip "$options is refused here"
		[ "$(status recorder Seccomp | sort -u)" = 2 ]
		[ "$(status recorder NoNewPrivs | sort -u)" = 1 ]
		[ "$(status command Seccomp)" = "$(awk '$1 == "Seccomp:" { print $2 }' /proc/self/status)" ]
		[ "$(status command NoNewPrivs)" = "$(awk '$1 == "NoNewPrivs:" { print $2 }' /proc/self/status)" ]
	done
}

@test "with --no-sandbox it keeps what it has" {
	need_events
	pp-record --no-sandbox -e cpu-clock -o out -- sh -c "$look"
	for name in CapEff NoNewPrivs Seccomp; do
		echo "$name"
		[ "$(status recorder $name | sort -u)" = "$(status command $name)" ]
	done
}

# rows FILE: a file of libpipe with a list of calls, and the rows that it includes
rows() {
	cat "$ROOT/libpipe/$1"
	! grep -q '^#include "sandbox/syscalls.def"$' "$ROOT/libpipe/$1" || cat "$ROOT/libpipe/sandbox/syscalls.def"
}

# listed FILE: the calls in such a list
listed() { rows "$1" | sed -nE 's/^\tPP_CALL(_IF|_NOT)?\(([a-z0-9_]+),.*/\2/p' | sort -u; }

# calls FILE...: what `strace -ff` saw processes call once their filters were in force
calls() {
	local file
	for file; do
		# a thread has its filter from the first
		awk '/^seccomp\(SECCOMP_SET_MODE_FILTER/ { on = 1; next } FNR == 1 { on = thread } on' \
			thread="$(grep -qE '^(seccomp|execve)\(' "$file" && echo 0 || echo 1)" "$file" |
			sed -nE 's/^([a-z0-9_]+)\(.*/\1/p'
	done | sort -u
}

@test "strace sees no call outside of the list, whatever is asked for" {
	need_kernel
	need strace
	need_filter
	once pp_strace strace -o /dev/null true || skip "nothing can be traced here"
	local options keepers recorders n=0
	listed record/capture_sandbox.c >list
	listed rings/privileged_helper.c >keeper_list
	[ "$(wc -l <list)" -gt 40 ]
	[ "$(wc -l <keeper_list)" -gt 10 ]
	while read -r options; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # several words
		strace -ff -o trace$n pp-record $options -- "${WORK[@]}" >out 2>err || { cat err; [ -s err ] && grep -q 'not permitted\|no such counter\|tracefs' err; }
		mapfile -t keepers < <(grep -l '^prctl(PR_SET_NAME, "pp-keeper")' trace$n.*)
		mapfile -t recorders < <(grep -L '^prctl(PR_SET_NAME, "pp-keeper")' trace$n.*)
		calls "${keepers[@]}" >called
		run comm -13 keeper_list called
		assert_output ''
		calls "${recorders[@]}" >called
		echo "$options: $(tr '\n' ' ' <called)"
		[ ! -s out ] || [ -s called ]
		run comm -13 list called
		assert_output ''
	done <<-'END'
		-e cpu-clock
		-e cpu-clock -a -g -F 4000 --progress
		-e cpu-clock -z -o file
		-e cpu-clock,page-faults -D 10 --exit-status -v
		-e cpu-clock -a --sideband=lazy
		-e cpu-clock -a -g --sideband=late -o file
		-e sched:sched_switch,raw_syscalls:* -a -o file
		-e cpu-clock --call-graph dwarf -m 8
		-e cpu-clock --buildid-mmap --no-seal -k local
		-e cpu-clock -a --duration 0.2 --namespaces --all-cgroups --sideband=late
		-e cpu-clock -a --off-cpu --max-samples 100
		-e cpu-clock -c 20000 -a -m 1
		-e cpu-clock -a --threads -o file
		-e cpu-clock -a -z --affinity=cpu -o file
	END
}

@test "under the filter, signals end it, print progress and interrupt waits" {
	need_filter
	for signal in INT TERM HUP; do
		run -0 --separate-stderr pp-record -e cpu-clock -o out -- \
			sh -c "kill -USR1 \$PPID; kill -STOP \$PPID; kill -CONT \$PPID; kill -$signal \$PPID; exec sleep 60"
		assert_regex "$stderr" 'records,.* lost'
		pp-check -q out
	done
}

@test "under the filter, a reader that leaves and a full device are what they were" {
	need_filter
	run pp-record -e cpu-clock -o out -- true
	run bash -c 'set -o pipefail; pp-record -e cpu-clock -c 10000 -- perl -e "\$i++ while \$i < 3e7" 2>err | head -c 4000 >/dev/null'
	assert_equal "$status" 141
	[ -e /dev/full ] || skip "no /dev/full"
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- true >/dev/full'
	assert_regex "$stderr" 'cannot write standard output'
}

# is_over PID: the process has ended, whether or not somebody asked for its status
is_over() { ! kill -0 "$1" || grep -q '^[0-9]* (.*) Z' "/proc/$1/stat"; }

@test "a recorder that ends takes the process that keeps privileges with it" {
	need_all_cpus
	need pgrep
	for signal in TERM KILL; do
		run pp-record -e cpu-clock -a --sideband=late -o out -- sh -c '
			for try in $(seq 200); do pgrep -P $PPID pp-keeper >keeper && break; sleep 0.05; done
			sed -n "s/^CapEff:\t//p" /proc/$(cat keeper)/status >caps
			kill -'$signal' $PPID'
		[ -s keeper ]
		until_true is_over "$(cat keeper)"
	done
	# of all that root may: signals, reading, ptrace, perfmon, links to what is mapped
	[ $((0x$(cat caps) & ~0x14000080024)) -eq 0 ]
}

@test "a command that became another user's is ended with a recording that is stopped" {
	need_root
	need_events
	need setpriv
	pp-record -e cpu-clock -o out -- setpriv --reuid=65534 --clear-groups sh -c 'echo $$ >&2; exec sleep 60' 2>err 3>&- &
	recorder=$!
	until_true grep -qE '^[0-9]+$' err
	kill -TERM $recorder
	wait $recorder
	until_true is_over "$(head -n 1 err)"
}

@test "with --sideband=late names, maps and build-ids are those that an unconfined recorder finds" {
	need_all_cpus
	local how
	perl -e '$i++ until !($i % 1000) && -e "stop"' 3>&- &
	busy=$!
	until_true runs $busy perl
	for how in "" --no-sandbox; do
		# until it is among those that were sampled
		for _ in {1..20}; do
			# shellcheck disable=SC2086 # none, or one
			pp-record -e cpu-clock -a --sideband=late $how -o out$how -- sleep 0.5
			run fields out$how "select(.type == \"SAMPLE\" and .fields.pid == $busy).type"
			[ -z "$output" ] || break
		done
	done
	touch stop
	for how in "" --no-sandbox; do
		fields out$how "select(.type == \"COMM\" and .fields.tid == $busy).fields.comm" >names$how
		fields out$how "select(.type == \"MMAP2\" and .fields.pid == $busy).fields |
			{filename, start, build_id}" | grep -v anon >maps$how
		[ -s names$how ]
		grep -q perl maps$how
	done
	diff names names--no-sandbox
	diff maps maps--no-sandbox
}

@test "as root it follows no path in another mount namespace, and has the build-ids of files there" {
	need_root
	need_all_cpus
	need strace
	need unshare
	! sanitized || skip "leaks cannot be looked for under strace"
	once pp_strace strace -o /dev/null true || skip "nothing can be traced here"
	once pp_tmpfs unshare -m mount -t tmpfs none /sys/kernel || skip "no file system can be mounted here"
	local id
	mkdir box
	unshare -m sh -c 'mount -t tmpfs none box && cp "$(readlink -f "$(command -v perl)")" box/work &&
		exec box/work -e "open F, q(>), q(ready); close F; 1 until -e q(stop)"' 3>&- &
	until_true test -e ready
	for options in --sideband=all --sideband=late; do
		# late, until it is among those that were sampled
		for _ in {1..20}; do
			strace -f -e trace=open,openat,openat2 -o trace pp-record -a -e cpu-clock $options -o out -- sleep 0.3
			fields out 'select(.type == "MMAP2" and (.fields.filename | endswith("/box/work"))).fields.build_id' >ids
			[ ! -s ids ] || break
		done
		run ! grep -E '/proc/[0-9]+/root' trace
		id=$(sort -u ids)
		echo "$options: $id"
		[ -n "$id" ] && [ "$id" != null ]
	done
	touch stop
	[ ! -e box/work ]
}

@test "a call outside of the list kills the process" {
	need_filter
	need "${CC:-cc}"
	cat >outside.c <<-'END'
		#define PP_UNSTABLE
		#include <fcntl.h>
		#include <perfpipe/perfpipe.h>
		int main(int argc, char **argv)
		{
			const char *event = "cpu-clock";
			char *command[] = { (char *)"true", NULL };
			struct pp_target_options target = { .size = sizeof(target), .command = command };
			struct pp_capture_options how = { .size = sizeof(how), .events = &event, .n_events = 1,
							  .target = &target };
			struct pp_writer *out = pp_writer_open(1, PP_SEAL_NO);
			struct pp_capture *capture;
			struct pp_error error;

			capture = pp_capture_open(&how, &error);
			if (!capture || pp_capture_begin(capture, out, NULL, &error))
				return 4;
			if (pp_capture_confine(capture, &error) < 0)
				return 5;
			if (argc > 1)
				(void)open(argv[1], O_RDONLY);
			pp_capture_close(capture);
			pp_writer_close(out);
			return 0;
		}
	END
	# shellcheck disable=SC2046 # several words
	"${CC:-cc}" -I"$ROOT/libpipe/include" -I"$BIN/include" -o outside outside.c "$BIN/libperfpipe.a" \
		$(pkg-config --libs libzstd libxxhash libelf libdw zlib) -lpthread
	run -0 bash -c './outside >out'
	run -159 bash -c './outside /dev/null >out' # 128 + SIGSYS
}

# bats test_tags=nightly
@test "every call in the lists is one of each architecture that they are for" {
	need scmp_sys_resolver
	local architecture call file missing
	# those that only some have are asked for by the preprocessor
	for file in record/capture_sandbox.c rings/privileged_helper.c lookup/isolated_reader_child.c sandbox/stage_sandbox.c; do
		listed "$file" >all
		rows "$file" | awk '/^#if.*SYS_|^#ifdef SYS_/ { some = 1 } /^#(endif|else)/ { some = 0 } some' >some.c
		for architecture in x86_64 aarch64 riscv64 ppc64le s390x; do
			missing=
			while read -r call; do
				[ "$(scmp_sys_resolver -a "$architecture" "$call")" -ge 0 ] || missing+=" $call"
			done <all
			echo "$file $architecture:$missing"
			for call in $missing; do
				# libseccomp has these by socketcall alone; Linux 2.6.37 and 4.3 have both
				[[ "$architecture" =~ ^(ppc64le|s390x)$ &&
					"$call" =~ ^(recvfrom|recvmsg|sendmsg|sendto|shutdown|socketpair)$ ]] ||
					grep -q "[(_]$call," some.c
			done
		done
	done
}

@test "who has threads already cannot give up capabilities that these would keep" {
	need_root
	need "${CC:-cc}"
	# shellcheck disable=SC2046 # several words
	printf '%s\n' '#include "sandbox/sandbox.h"' '#include <pthread.h>' '#include <stdio.h>' '#include <unistd.h>' \
		'static void *wait_here(void *unused) { pause(); return unused; }' \
		'int main(int argc, char **argv) { pthread_t id; struct pp_error error = { 0 };' \
		'(void)argv; if (argc > 1 && pthread_create(&id, NULL, wait_here, NULL)) return 9;' \
		'if (!pp_sandbox_capabilities(0, &error)) return 0; puts(error.detail); return 1; }' >threads.c
	"${CC:-cc}" -pthread -D_GNU_SOURCE -I"$ROOT/libpipe" -I"$ROOT/libpipe/include" -I"$BIN/include" -o threads threads.c \
		"$BIN/libperfpipe.a" $(pkg-config --libs libzstd libxxhash libelf libdw zlib) || skip "nothing can be linked beside a sanitizer"
	run -0 ./threads
	run -1 ./threads more
	assert_output --regexp '^thread [0-9]+ runs already, and would keep its capabilities: start threads later$'
}

# ---- with few privileges

# as nobody, but with what a file has
as_capable() { setpriv --reuid=65534 --clear-groups "$@"; }

# a copy of the tool for nobody, with these capabilities
need_capable() {
	need_root
	need setpriv
	PATH=$PATH:/usr/sbin:/sbin
	need setcap
	open=$(mktemp -d "${TMPDIR:-/tmp}/pp-record.XXXXXX")
	cat "$(command -v pp-record)" >"$open/pp-record"
	chmod 755 "$open" "$open/pp-record"
	setcap "$1" "$open/pp-record" 2>err || skip "no capability can be set on files here: $(cat err)"
	as_capable "$open/pp-record" --version >/dev/null 2>&1 || skip "nobody may not run it here"
}

# of CHECK MEMBER: what the self-test says of a check
of() { jq -r "select(.check == \"$1\") | .$2 // \"nothing\"" self; }

@test "with CAP_PERFMON on the file nobody records all CPUs, and gives even that up" {
	need_events
	need_capable cap_perfmon=ep
	as_capable "$open/pp-record" -e cpu-clock -a -F 999 -- perl -e '
		open F, "/proc/" . getppid . "/status"; print STDERR grep /^(?:CapEff|CapPrm|Seccomp):/, <F>;
		$i++ while $i < 3e6' >out 2>err
	run cat err
	assert_line --regexp '^CapEff:\s0000000000000000$'
	assert_line --regexp '^CapPrm:\s0000000000000000$'
	pp-check -q out
	run bash -c 'pp-info --json out | jq -r ".records.SAMPLE.count"'
	[ "$output" -gt 0 ]
}

# bats test_tags=T3-E3
@test "with CAP_PERFMON alone the kernel has no names, which is said; with CAP_SYSLOG it has" {
	need_events
	need_capable cap_perfmon=ep
	[ "$(cat /proc/sys/kernel/kptr_restrict)" -le 1 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] ||
		skip "everybody, or nobody, may see the addresses of the kernel here"
	as_capable "$open/pp-record" -e cpu-clock -a -- true >out 2>err
	grep -q '^pp-record: kernel addresses will have no names: .* setcap cap_perfmon,cap_syslog=ep' err
	setcap cap_perfmon,cap_syslog=ep "$open/pp-record"
	as_capable "$open/pp-record" -e cpu-clock -a -- true >out 2>err
	! grep -q kallsyms err || false
}

@test "with CAP_PERFMON alone the files of other users' processes have build-ids, if their maps may be read" {
	need_events
	need_capable cap_perfmon=ep
	perl -e '1 until -e "stop"' 3>&- &
	busy=$!
	as_capable "$open/pp-record" --self-test --json >self
	as_capable "$open/pp-record" -e cpu-clock -a -- sleep 0.2 >out
	touch stop
	[ "$(of maps result)" != refused ] || skip "this kernel wants CAP_SYS_PTRACE for maps"
	run -0 --separate-stderr fields out "select(.type == \"MMAP2\" and .fields.pid == $busy) |
		select(.fields.filename | test(\"perl\")).fields.build_id"
	assert_output --regexp '^"[0-9a-f]{40}"'
}

@test "the self-test of a capable copy names what is missing and what is lost by it" {
	need_events
	need_capable cap_perfmon=ep
	as_capable "$open/pp-record" --self-test --json >self
	for check in sample kernel all-cpus others; do
		echo "$check"
		[ "$(of $check result)" = works ]
	done
	[ "$(of roots by)" = capability ]
	assert_regex "$(of roots cure)" 'setcap cap_perfmon,cap_sys_ptrace=ep'
	assert_regex "$(of roots without)" 'build-ids of programs in containers'
	if [ "$(cat /proc/sys/kernel/kptr_restrict)" -le 1 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ]; then
		[ "$(of kallsyms by)" = capability ]
		assert_regex "$(of kallsyms cure)" cap_syslog
		assert_regex "$(of kallsyms without)" 'map of the kernel'
		setcap cap_perfmon,cap_syslog=ep "$open/pp-record"
		as_capable "$open/pp-record" --self-test --json >self
		[ "$(of kallsyms result)" = works ]
		assert_regex "$(of roots cure)" 'setcap cap_perfmon,cap_syslog,cap_sys_ptrace=ep' # what is not named it takes away
	fi
	setcap cap_perfmon,cap_sys_ptrace=ep "$open/pp-record"
	as_capable "$open/pp-record" --self-test --json >self
	[ "$(of roots result)" != refused ]
	[ "$(of maps result)" != refused ]
}

@test "a capable copy does not look where its caller's environment says" {
	need_events
	need_capable cap_perfmon=ep
	mkdir -p "$open/sys/bus/event_source/devices/vax"
	chmod -R a+rX "$open"
	SYSFS_PATH=$open/sys run as_capable "$open/pp-record" -e nix/nix/ -- true
	refute_line --partial vax
	setcap -r "$open/pp-record"
	SYSFS_PATH=$open/sys run as_capable "$open/pp-record" -e nix/nix/ -- true
	assert_line --partial vax
}
