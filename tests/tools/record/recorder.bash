# recorder.bash - what the tests of pp-record share: what this machine allows, and waiting.

# a kernel that is preloaded into a recorder: see there
fake=$BIN/tests/fake/kernel.so

need_fake() {
	[ -f "$fake" ] || skip "no fake kernel was built"
	! sanitized || skip "nothing is preloaded beside a sanitizer"
}

# one that gives its rings what samples() prints
need_fake_ring() {
	need_fake
	[ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" = 1 ] || skip "the records are little-endian"
}

# samples FIRST LAST STEP [EXTRA]: samples with these times; each has EXTRA times 8 bytes in its chain,
# or from 0 to 6 times
samples() {
	perl -e '
		my ($first, $last, $step, $more) = @ARGV;
		for (my $time = $first; $time <= $last; $time += $step) {
			my $extra = $more // $time % 7;
			my $body = pack "Q Q LL Q LL Q Q Q*", 1, 0x401000, $$, $$, $time, 0, 0, 1, $extra, (-512) x $extra;
			print pack("L S S", 9, 2, 8 + length $body), $body;
		}' "$@"
}

# times FILE: of its samples, in the order of the stream
times() { json "$1" | jq -r 'select(.type == "SAMPLE").fields.time'; }

need_events() {
	once pp_events pp-record -e cpu-clock -- true || skip "perf_event_open is refused here"
}

need_all_cpus() {
	need_events
	once pp_all pp-record -e cpu-clock -a -- true || skip "system-wide recording is refused here"
}

need_points() {
	need_events
	once pp_points pp-record -e sched:sched_process_exec -- true || skip "tracepoints cannot be opened here"
}

# a copy of the tool that everybody may run, for as_nobody
need_nobody() {
	need_root
	need setpriv
	open=$(mktemp -d "${TMPDIR:-/tmp}/pp-record.XXXXXX")
	cat "$(command -v pp-record)" >"$open/pp-record"
	chmod 755 "$open" "$open/pp-record"
	as_nobody "$open/pp-record" --version >/dev/null 2>&1 || skip "nobody may not run it here"
}

as_nobody() { setpriv --reuid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"; }

# work until a file of this name appears
busy='$i++ until !($i % 1000) && -e $ARGV[0]'

# A command that stops the recorder, which is its parent, for 1,500 context switches, six times, which is
# more than 16 KiB hold; in between the recorder writes what it found, and finds what was lost.  It stays
# on one CPU: the buffers of many might hold all.
STOPPING=(taskset -c "$(taskset -pc $$ | sed 's/.*[^0-9]//')" perl -e '
	sub nap { select undef, undef, undef, $_[0] }
	sub next_write { my $was = -s "out"; for (1 .. 1200) { nap(0.01); last if -s "out" > $was } }
	for (1 .. 6) {
		kill "STOP", getppid;
		nap(0.00001) for 1 .. 1500;
		kill "CONT", getppid;
		next_write() for 1 .. 2;
		nap(0.1);
	}')

# types [FILE]: the names of the records, runs of equal ones once
types() { records "$@" | awk '$2 != last { print $2 } { last = $2 }'; }

# count TYPE FILE: records of a type
count() { records "$2" | awk -v type="$1" '$2 == type { n++ } END { print n + 0 }'; }

# fields FILE FILTER: what jq's filter finds in each record
fields() { json "$1" | jq -c "$2"; }

# until_true COMMAND...: waits for it, at most a minute
until_true() {
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
	echo "never came true: $*"
	return 1
}

# begun FILE: the recorder has written what stands before the first sample
begun() { [ "$(count FINISHED_INIT "$1")" -gt 0 ]; }

# sampled FILE: it has written a sample
sampled() { [ "$(count SAMPLE "$1")" -gt 0 ]; }

# until_sampled FILE COMMAND...: what a short recording must hold to show something, a sample, it may lack
# where a machine has other things to do: then it is made anew
until_sampled() {
	local file=$1 i
	for i in {1..20}; do
		"${@:2}" || return
		! sampled "$file" || return 0
	done
	echo "never held a sample: ${*:2}"
	return 1
}

# runs PID PATTERN: it runs a program of this name
runs() { readlink "/proc/$1/exe" | grep -q -- "$2"; }

# is_waiting PID: it sleeps
is_waiting() { grep -q '^State:.S' "/proc/$1/status"; }

# is_gone PID
is_gone() { ! kill -0 "$1"; }

# hold_library: hold.so stops whoever has read the folder $HOLD for the $HOLD_AT-th time, makes the
# file "scanned" and waits for the file "go"; with FORKS that many processes start and end each
# time a folder was read
hold_library() {
	need "${CC:-cc}"
	need timeout
	cat >hold.c <<-'END'
		#define _GNU_SOURCE
		#include <dirent.h>
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static DIR *held;
		DIR *opendir(const char *path)
		{
			DIR *(*const real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
			DIR *const dir = real(path);
			const char *const at = getenv("HOLD_AT"), *const want = getenv("HOLD");
			static int n;
			if (dir && want && !strcmp(path, want) && ++n == atoi(at))
				held = dir;
			return dir;
		}
		int closedir(DIR *dir)
		{
			int (*const real)(DIR *) = (int (*)(DIR *)) dlsym(RTLD_NEXT, "closedir");
			const char *const forks = getenv("FORKS");
			for (int i = forks ? atoi(forks) : 0; i > 0; i--) {
				const pid_t child = fork();
				if (!child)
					_exit(0);
				waitpid(child, NULL, 0);
			}
			if (dir == held) {
				fclose(fopen("scanned", "w"));
				while (access("go", F_OK))
					usleep(10000);
			}
			return real(dir);
		}
	END
	"${CC:-cc}" -shared -fPIC -o hold.so hold.c -ldl
	# this library is not first where the address sanitizer wants to be
	export ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
}

# held_record FOLDER N ARGUMENTS...: a recorder in the background, held after it read FOLDER
held_record() {
	rm -f scanned go out
	HOLD=$1 HOLD_AT=$2 LD_PRELOAD=$PWD/hold.so timeout 120 pp-record -q -e cpu-clock -o out "${@:3}" 3>&- &
	recorder=$!
	until_true test -e scanned
}

# let_go: the held recorder goes on, to its end
let_go() {
	touch go
	wait "$recorder"
}
