# sandbox.bats - what a stage gives up before it reads the first byte of a stream: a call that it does not need
# kills it, even if it is made to.

setup() {
	load ../helper
	load ../lacking
	pp-gen --samples 2000 --rounds 20 --pids 5 --mmaps 4 -o in.pipe
	# there is nothing to advise
	build >good.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		ksymbol addr=0xffffffff81000000 len=4096 ksym_type=1 name=work time=1
		repeat 1000 {
		sample id=1 misc=1 pid=7 tid=7 time=$(i+10) ip=0xffffffff81000010
		}
		round
	END
}

# The stages that are confined, each with what makes it put bytes aside or rename where it does.
STAGES=(
	'pp-cat in.pipe' 'pp-check in.pipe' 'pp-compress in.pipe' 'pp-decompress in.pipe' 'pp-dump in.pipe'
	'pp-info in.pipe' 'pp-sort in.pipe' 'pp-sort --all in.pipe' 'pp-save -o out in.pipe'
	"pp-filter 'pid > 1' in.pipe" "pp-filter --prune 'pid > 1' in.pipe" 'pp-filter --fields in.pipe'
	'pp-inject --note a=b in.pipe' 'pp-cat -o out in.pipe' 'pp-mend in.pipe' 'pp-merge in.pipe in.pipe'
	'pp-symbol in.pipe' 'pp-annotate in.pipe' 'pp-annotate --json -o out in.pipe'
	'pp-split --samples 700 --keep 2 -o piece-%u in.pipe' "pp-split --by pid --exec 'cat >{}.piece' in.pipe"
	'pp-ring in.pipe'
	'pp-stat --from-samples --per-core in.pipe' 'pp-stat --from-samples --csv in.pipe in.pipe'
)
# Those that show call chains may start a process until they know whether stacks have to be unwound, and its libraries
# may look for files.
CHAINS=(
	'pp-fold in.pipe' 'pp-flame in.pipe' 'pp-flame --svg -o out in.pipe' 'pp-flame --diff folded in.pipe'
	'pp-script in.pipe' 'pp-script --header in.pipe' 'pp-report in.pipe' 'pp-report -s comm -o out in.pipe'
	'pp-top --once in.pipe' 'pp-info --advice good.pipe' 'pp-export --to pprof in.pipe'
	'pp-export --to firefox -o out in.pipe' 'pp-export --to speedscope in.pipe' 'pp-export -o fleet/ in.pipe'
	'pp-export --to bolt --dso libgen1.so in.pipe' 'pp-flame --every 1s -o out in.pipe'
)
# And may start one more for each further stream.
SEVERAL=('pp-diff --force in.pipe in.pipe -- in.pipe')
# And those that read text.
TEXTS=('pp-fold folded' 'pp-flame -o out folded' 'pp-flame --svg --diff folded folded')

# possessed: makes a library that, preloaded, makes the call $CALL after the header of a stream, or $MAGIC, was read;
# with $LATER, after the next read
possessed() {
	! sanitized || skip "sanitizers make calls of their own, which are not filtered"
	once seccomp grep -q '^Seccomp:' /proc/self/status || skip "this kernel has no filters of system calls"
	cat >possessed.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/ptrace.h>
		#include <sys/socket.h>
		#include <sys/stat.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		/* asks what listens at any socket for $QUESTION, in hexadecimal */
		static void ask(const char *digits)
		{
			static char bytes[8192];
			union { struct cmsghdr head; char room[64]; } passed;
			size_t n = 0;

			for (; sscanf(digits, "%2hhx", bytes + n) == 1; digits += 2)
				n++;
			for (int fd = 3; fd < 16; fd++) {
				struct iovec part = { bytes, n };
				struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
				int number;

				if (syscall(SYS_sendmsg, fd, &m, 0) < 0)
					continue;
				part = (struct iovec){ &number, sizeof(number) };
				m.msg_control = &passed;
				m.msg_controllen = sizeof(passed);
				if (syscall(SYS_recvmsg, fd, &m, 0) > 0)
					dprintf(2, "answer %d %s descriptor\n", number, CMSG_FIRSTHDR(&m) ? "and a" : "without");
			}
		}
		static void make(const char *call)
		{
			char *const arguments[] = { "true", NULL };
			struct stat st;

			if (!strcmp(call, "open") && syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0)
				write(2, "it has opened\n", 14);
			else if (!strcmp(call, "create"))
				syscall(SYS_openat, AT_FDCWD, "made", O_WRONLY | O_CREAT, 0600);
			else if (!strcmp(call, "connect"))
				syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
			else if (!strcmp(call, "stat"))
				syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &st, 0);
			else if (!strcmp(call, "exec"))
				syscall(SYS_execve, "/bin/true", arguments, environ);
			else if (!strcmp(call, "fork"))
				syscall(SYS_clone, 0, 0, 0, 0, 0);
			else if (!strcmp(call, "ptrace"))
				syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
			else if (!strcmp(call, "kill"))
				syscall(SYS_kill, getppid(), 0);
			else if (!strcmp(call, "ask"))
				ask(getenv("QUESTION"));
			else if (!strcmp(call, "map"))
				syscall(SYS_mmap, 0, 4096, 7, 0x22, -1, 0);
			write(2, "it lives\n", 9);
		}
		ssize_t read(int fd, void *to, size_t size)
		{
			static int of = -1;
			const ssize_t got = syscall(SYS_read, fd, to, size);
			const char *const call = getenv("CALL"), *const magic = getenv("MAGIC");
			const int begins = got >= 8 && !memcmp(to, magic ? magic : "PERFILE2", magic ? 4 : 8);

			if (call && (getenv("LATER") ? of == fd : begins)) {
				unsetenv("CALL");
				make(call);
			}
			of = begins ? fd : of;
			return got;
		}
	END
	"${CC:-cc}" -w -shared -fPIC -o possessed.so possessed.c
}

# possess CALL COMMAND [VARIABLE=VALUE]: runs it so
possess() { run env CALL="$1" LD_PRELOAD="$PWD/possessed.so" "${@:3}" bash -c "exec $2 >/dev/null"; }

# is_killed CALL COMMAND [VARIABLE=VALUE]: whether the call kills it
is_killed() {
	echo "$2: $1 ${3-}"
	possess "$@"
	[ "$status" -eq 159 ]                  # SIGSYS
	refute_output --partial 'it lives'
}

@test "sandbox: a stage that is made to open, connect, stat, execute, fork, trace or signal at the first byte is killed" {
	possessed
	for stage in "${STAGES[@]}"; do
		for call in open create connect stat exec fork ptrace kill map; do
			is_killed $call "$stage"
		done
	done
	[ ! -e made ]
}

@test "sandbox: what shows call chains is killed, too, but before the first sample opening fails and a process may start" {
	possessed
	echo 'main;work 3' >folded
	for stage in "${CHAINS[@]}" "${SEVERAL[@]}"; do
		for call in connect stat exec ptrace kill map; do
			is_killed $call "$stage"
		done
		for call in open create; do
			possess $call "$stage"
			[ "$status" -eq 0 ]
			refute_output --partial 'it has opened'
		done
		[ ! -e made ]
		[[ $stage != pp-diff* && $stage != *--every* ]] || continue
		for call in open create connect stat exec fork ptrace kill map; do
			is_killed $call "$stage" LATER=1
		done
	done
}

@test "sandbox: what reads stacks as text is killed, too" {
	possessed
	echo 'main;work 3' >folded
	for stage in "${TEXTS[@]}"; do
		for call in open create connect stat exec fork ptrace kill map; do
			is_killed $call "$stage" MAGIC=main
		done
	done
}

# asked QUESTION COMMAND: writes what its deputy answers to the file `answer`; perl's pack() makes the question of words
asked() {
	QUESTION=$(perl -e 'print unpack "H*", pack shift, @ARGV' $1) possess ask "$2"
	assert_output --partial 'it lives'
	assert_line --regexp '^answer'
	grep '^answer' <<<"$output" >answer
}

# answered ANSWER
answered() { diff answer - <<<"answer $1"; }

@test "sandbox: the process that makes pieces makes no other file, whatever it is asked, and runs what --exec says" {
	possessed
	local pieces="pp-split --by event -o piece-{}.pipe in.pipe" keyed='llQqZ200'
	asked "$keyed 0 0 7 0 ../../etc/x" "$pieces"
	answered '0 and a descriptor'
	[ -e piece-_._.._etc_x.pipe ]
	rm piece-*
	for refused in 1 2 3 4; do
		asked "$keyed $refused 0 7 0 x" "$pieces"
		answered '22 without descriptor'
		asked "llQZ100 $refused 0 7 x" "$pieces"
		answered '22 without descriptor'
	done
	asked "$keyed 0 0 7 0 x" "pp-split --samples 300 --exec 'cat >made-{}' in.pipe"
	answered '22 without descriptor'
	asked "$keyed 1 0 777 0 ../x" "pp-split --samples 300 --exec 'cat >made-{}' in.pipe"
	answered '0 and a descriptor'
	[ -e made-777 ]
	touch piece-9
	asked "$keyed 3 0 9 0 ../x" "pp-split --samples 300 --keep 2 -o piece-%u in.pipe"
	answered '0 without descriptor'
	[ ! -e piece-9 ]
	export TZ=UTC
	asked "$keyed 0 0 7 86400 ../x" "pp-split --by event --name %d-{} in.pipe"
	answered '0 and a descriptor'
	[ -e 02-_._x ]
	asked "$keyed 3 0 7 86400 x" "pp-split --samples 300 --keep 2 --name %d-_._x in.pipe"
	answered '0 without descriptor'
	[ -e 02-_._x ]
}

@test "sandbox: the process that opens files of metrics opens no others" {
	possessed
	echo '[ { "MetricName": "any", "MetricExpr": "1" } ]' >m.json
	mkdir folder
	cp m.json folder/
	local here=$PWD stat='pp-stat --from-samples -M any -M ./m.json -M folder/ in.pipe'
	for path in /sys/devices/system/cpu/online m.json folder/../m.json ./folder//m.json folder; do
		echo "$path"
		asked "lZ* 0 $path" "$stat"
		answered '0 and a descriptor'
	done
	for path in /etc/passwd /sys/devices/system/cpu/../../../../etc/passwd /sys/devices/system/cpuinfo n.json .. \
			folder/../n.json "$here/m.json" . /; do
		echo "$path"
		asked "lZ* 0 $path" "$stat"
		answered '13 without descriptor'
	done
	asked "lZ* $((1 | 0100)) m.json" "$stat"
	answered '0 and a descriptor'
	[ "$(jq -r '.[].MetricName' m.json)" = any ]
}

@test "sandbox: the process that makes files of a fleet makes no others" {
	possessed
	local fleet='pp-export --to parquet -o fleet in.pipe'
	asked 'lLZ2048 0 1 samples/day=1/host=x/7.parquet' "$fleet"
	answered '0 and a descriptor'
	find fleet -name '7.parquet*' -o -name '.7.parquet*' | diff /dev/null -
	mkdir fleet/link.parquet fleet/real
	ln -s real fleet/linked
	for refused in ../x.parquet /tmp/x.parquet samples/../../x.parquet samples//x.parquet .x.parquet samples/x \
			.parquet samples/ ''; do
		echo "$refused"
		asked "lLZ2048 0 1 $refused" "$fleet"
		answered '22 without descriptor'
	done
	asked 'lLZ2048 0 1 linked/x.parquet' "$fleet"
	answered '20 without descriptor'
	for refused in 1 2 3 7; do
		asked "lLZ2048 $refused 1 samples/x.parquet" "$fleet"
		answered '22 without descriptor'
		asked "lLZ2048 0 $((refused + 3)) samples/x.parquet" "$fleet"
		answered '22 without descriptor'
	done
	find . -name 'x.parquet' | diff /dev/null -
}

@test "sandbox: what completes a command line looks at a recording in a process that is confined" {
	possessed
	run -0 pp-report --values-of=in.pipe --list-values=EVENT
	assert_output cpu-clock
	for call in open create connect stat exec fork ptrace kill map; do
		possess $call 'pp-report --values-of=in.pipe --list-values=EVENT'
		[ "$status" -eq 0 ]
		refute_output --partial 'it lives'
	done
	[ ! -e made ]
}

@test "sandbox: --no-sandbox keeps all" {
	possessed
	echo 'main;work 3' >folded
	for stage in "${STAGES[@]}" "${CHAINS[@]}" "${SEVERAL[@]}"; do
		for call in open stat connect; do
			echo "$stage: $call"
			possess $call "${stage/ / --no-sandbox }"
			[ "$status" -eq 0 ]
			assert_output --partial 'it lives'
		done
	done
}

@test "sandbox: with -v filters and tools that show call chains say whether it holds" {
	local stage tool
	! sanitized || skip "sanitizers make calls of their own, which are not filtered"
	echo 'main;work 3' >folded
	for stage in 'pp-cat in.pipe' 'pp-symbol in.pipe' "${CHAINS[@]}" "${SEVERAL[@]}" "${TEXTS[@]}"; do
		tool=${stage%% *}
		[ "$tool" != pp-info ] || continue      # it has no -v
		run -0 bash -c "$tool -v ${stage#* } 2>&1 >/dev/null"
		assert_line --regexp "^$tool: sandbox: system calls(, files| only: this kernel has no Landlock)\$"
		run -0 bash -c "$tool -v --no-sandbox ${stage#* } 2>&1 >/dev/null"
		refute_output --partial 'sandbox'
	done
}

@test "sandbox: what waits is put aside in TMPDIR, and one that is not there is missed only then" {
	mkdir temporary
	pp-gen --samples 60000 --rounds 20 -o in.pipe
	run -0 env TMPDIR="$PWD/temporary" pp-sort --all --size 64K in.pipe -o sorted.pipe
	pp-check -q sorted.pipe
	run -0 env TMPDIR="$PWD/nowhere" pp-sort --all in.pipe -o sorted.pipe
	run -4 env TMPDIR="$PWD/nowhere" pp-sort --all --size 64K in.pipe -o again.pipe
	assert_output --partial "cannot make a file in $PWD/nowhere"
	[ ! -e again.pipe ]
}

@test "sandbox: a perf.data file that comes through a pipe, and one that is read twice, need nothing else" {
	pp-save -o in.data in.pipe
	pp-cat --no-seal in.data >want.pipe
	cat in.data | pp-cat --no-seal >got.pipe
	cmp want.pipe got.pipe
	for form in in.pipe in.data; do
		pp-filter --time '50%-' --no-sandbox $form >want.pipe
		pp-filter --time '50%-' $form >got.pipe
		cmp want.pipe got.pipe
	done
}

@test "sandbox: an output gets its name in a folder of another user, made by root" {
	need_root
	mkdir theirs
	chown 65534:65534 theirs
	pp-cat in.pipe -o theirs/out.pipe
	pp-check -q theirs/out.pipe
	[ "$(ls theirs)" = out.pipe ]
	run -3 pp-cat <(head -c 5000 in.pipe) -o theirs/out.pipe
	[ -s theirs/out.pipe ]
}

@test "sandbox: root has no capabilities, but for a TMPDIR that is another user's alone" {
	need_root
	! sanitized || skip "sanitizers keep what they need"
	mkfifo hold
	mkdir -m 700 theirs
	chown 65534:65534 theirs
	for folder in /tmp theirs; do
		TMPDIR=$folder pp-cat <hold >out &
		exec 9>hold
		head -c 3000 in.pipe >&9
		until [ -s out ] || grep -q '^Seccomp:	2' "/proc/$!/status"; do sleep 0.05; done
		rights=$(awk '$1 == "CapEff:" { print $2 }' "/proc/$!/status")
		echo "$folder $rights"
		[ "$folder" = theirs ] || [ "$rights" = 0000000000000000 ]
		[ "$folder" = /tmp ] || [ "$rights" = 000000000000000a ]
		exec 9>&-
		wait $! || true
	done
	pp-gen --samples 60000 --rounds 20 -o in.pipe
	TMPDIR=theirs pp-sort --all --size 64K in.pipe -o sorted.pipe
}

@test "sandbox: where the kernel lacks both, the stages work, and say so with -v" {
	! sanitized || skip "sanitizers take the calls themselves"
	lacking_library
	echo 'main;work 3' >folded
	for stage in "${STAGES[@]}" "${CHAINS[@]}" "${SEVERAL[@]}" "${TEXTS[@]}"; do
		echo "$stage"
		LD_PRELOAD=$PWD/lacking.so bash -c "$stage >/dev/null"
	done
	run -0 env LD_PRELOAD="$PWD/lacking.so" bash -c 'pp-sort -v in.pipe 2>&1 >/dev/null'
	assert_line 'pp-sort: no sandbox: this kernel has neither Landlock nor a filter of system calls'
}

# bats test_tags=nightly
@test "sandbox: no option of a confined stage makes a forbidden call" {
	! sanitized || skip "sanitizers make calls of their own, which are not filtered"
	mkdir in out
	bash "$TESTS/faults/inputs.sh" in
	local line tool confined=' ' lines=0
	for tool in "$BIN"/pp-*; do
		[ -x "$tool" ] && "$tool" --list-options | grep -q $'\t--no-sandbox\t' && confined+="${tool##*/} "
	done
	# lines.txt has each option; its words for pipes and statuses are put into those of the shell
	while IFS= read -r line; do
		[[ $confined == *" ${line%% *} "* && $line != pp-record* ]] || continue
		line=${line//PID/$$}
		status=0
		timeout 60 bash -c "$line" >out/shown 2>err </dev/null || status=$?
		echo "$line: $status"
		[ "$status" -ne 159 ]
		! grep 'Bad system call' err
		lines=$((lines + 1))
	done < <(sed -n -E 's/^[&=]?([0-9]: )?(pp-)/\2/; s/<\|([^ ]+)/< <(cat \1)/; s/ \|([^ ]+)/ <(cat \1)/; /^pp-/p' \
		"$TESTS/faults/lines.txt")
	[ "$lines" -gt 150 ]
}

# bats test_tags=nightly
@test "sandbox: no line of compare.txt makes a call that is not left, whatever the stream" {
	! sanitized || skip "sanitizers make calls of their own, which are not filtered"
	for IN in "$TESTS"/streams/*.pipe; do
		export IN
		while IFS= read -r line; do
			case $line in '' | '#'*) continue ;; esac
			status=0
			bash -c "set -o pipefail; $line" >out 2>err </dev/null || status=$?
			echo "$line # IN=$IN: $status"
			[ "$status" -ne 159 ]
			! grep 'Bad system call' err
		done <"$TESTS/compare.txt"
	done
}
