# helper.bash - what every bats file loads in setup(): the built tools on PATH, a folder of the
# test's own, streams from text, and questions about what this machine allows.

bats_require_minimum_version 1.5.0

# What all tests of a run share: run.sh makes the folder, for all files.
SHARED=${PP_SHARED:-${BATS_RUN_TMPDIR:?}}

# Every test is a process and loads this: bats-support and bats-assert are read once in a run, and kept
# as one file of what they define.
assertions=$SHARED/assertions.bash
[ -f "$assertions" ] || {
	for lib in bats-support bats-assert; do
		for dir in /usr/lib/bats /usr/share/bats /usr/lib /usr/local/lib; do
			[ -f "$dir/$lib/load.bash" ] || continue
			cat "$dir/$lib"/src/*.bash
			break
		done
	done | grep -v '^ *#' >"$assertions.$$"
	mv "$assertions.$$" "$assertions"
	unset lib dir
}
source "$assertions"
unset assertions

cd "${BASH_SOURCE[0]%/*}" || return
TESTS=$PWD
ROOT=${TESTS%/*}
BIN=${BIN:-$ROOT/build/plain}
CORPUS=${CORPUS:-$ROOT/../shared/corpus}
FOUND=${FOUND:-${CORPUS%/*}/found}
PERF_NEWER=${PERF_NEWER:-${XDG_CACHE_HOME:-$HOME/.cache}/perfpipe/newer-perf}
PATH=$BIN:$PATH
SCRATCH=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR} # the latter while a file is set up
HOME=$SCRATCH # perf, zsh and fish leave things at home
LC_ALL=C
export TESTS ROOT BIN CORPUS FOUND PERF_NEWER PATH HOME LC_ALL
unset NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
cd "$SCRATCH" || return

# A workload that counts, so that it gives samples however slow or loaded the machine is.
# shellcheck disable=SC2034
WORK=(perl -e '$i++ while $i < 3e6')
# The same in system calls, for tracepoints and context switches.
# shellcheck disable=SC2034
CALLS=(perl -e 'for (1 .. 60) { open F, "<", "/dev/null"; sysread F, $b, 1; close F; $p = fork or exit; waitpid $p, 0 }')

# ---- streams

# build: standard input, in the language of tests/README.md, to a stream on standard output; a text
# that was built before in this run is not built again
build() {
	local text key kept new
	mapfile -d '' -t text
	key=$(sha1sum <<<"${text[0]:-}")
	kept=$SHARED/stream-${key%% *} new=$SHARED/new-$BASHPID
	[ -f "$kept" ] || { perl "$TESTS/build.pl" <<<"${text[0]:-}" >"$new" && mv "$new" "$kept"; } || return
	cat "$kept"
}

# records FILE: `offset type misc size time` a line, by a reader that is not ours
records() { perl -I"$TESTS/oracle" "$TESTS/oracle/records.pl" "$@"; }

# json [FILE]: the JSON lines of a stream (standard input without FILE)
json() { pp-dump --json -i "${1:--}"; }

# bad_chain: a zstd frame (standard input) in COMPRESSED2 records as perf 6.16 to 7.1 write it
bad_chain() {
	perl -e '
		local $/;
		my $frame = <STDIN>;
		my @parts = unpack "(a65519)*", $frame;
		my $total = length($frame) + 16 * @parts;
		my $padded = ($total + 7) & ~7;
		for my $i (0 .. $#parts) {
			print pack "VvvQ", 83, 0, $i ? 16 + length $parts[$i] : $padded & 0xffff,
				$i ? 0x5555555555555555 : $total - 16;
			print $parts[$i];
		}'
}

# trickle FILE SIZE: writes the file SIZE bytes at a time, each write only when the reader has
# taken the last one: what the reader gets is cut like that whatever the machine does
trickle() { perl "$TESTS/trickle.pl" "$@"; }

# same_bytes A B: the two files are equal; says where they are not
same_bytes() {
	cmp "$1" "$2" && return
	ls -l "$1" "$2"
	return 1
}

# sound FILE...: pp-check finds no fault, and no round that breaks its promise
sound() {
	local file
	for file; do
		pp-check --json -i "$file" >check.out || { cat check.out; return 1; }
		! grep -H --label="$file" '"kind":"round"' check.out || return 1
	done
}

# tools: the names of all tools that were built
tools() { (cd "$ROOT/tools" && printf '%s\n' pp-*.c | sed 's/\.c$//'); }

# ---- perf

# perf_quiet ARGUMENTS...: perf, its messages shown only if it fails
perf_quiet() {
	local status=0
	command perf "$@" 2>perf.err </dev/null || status=$?
	[ "$status" -eq 0 ] || { echo "perf $1: exit $status"; cat perf.err; } >&2
	return "$status"
}

# too_strict FILE: this perf (7.2.13) refuses what perf itself wrote until then: BUILD_ID records of
# a size that is no multiple of 8
too_strict() { command perf script -i "$1" 2>&1 >/dev/null </dev/null | grep -q 'is not 8-byte aligned'; }

# as_of_files: perf 7.2 makes cycles:H of an event of a stream that excludes guests, with columns of other
# widths, and takes all samples of a stream without NRCPUS to be of CPU 0; of a file it does neither.
# What any other perf prints is left as it is.
as_of_files() {
	case $(command perf --version) in
	*' 7.2.'*) sed -E 's/:H:/:/; s/ +/ /g; s/ \[[0-9]+\] / [?] /' ;;
	*) cat ;;
	esac
}

# ---- what this machine allows; each skips the test, saying why

need() {
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# sanitized: the tools were built with a sanitizer that has memory of its own
sanitized() { grep -qE '__(asan|msan|tsan)_init' "$BIN/pp-dump"; }

# need_limits: memory and processor time can be limited; of sanitizers they would be no measure
need_limits() {
	need prlimit
	! sanitized || skip "sanitizers take memory and time of their own"
}

# need_shim: calls of libc can be made to fail, by preloading $SHIM
need_shim() {
	SHIM=$BIN/tests/faults/shim.so
	[ -f "$SHIM" ] || skip "no shim was built"
	! sanitized || skip "nothing is preloaded beside a sanitizer"
}

need_root() { [ "$(id -u)" -eq 0 ] || skip "needs root"; }

# what the kernel does is recorded and counted, too, and nothing is said of its being left out
need_kernel() {
	[ "$(id -u)" -eq 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 4)" -le 1 ] ||
		skip "the kernel may not be recorded here"
}

# once NAME COMMAND...: does the command work here?  Asked once in a run, for all files.
once() {
	local answer="$SHARED/answer-${*//\//-}" new=$SHARED/new-$BASHPID
	shift
	if [ ! -f "$answer" ]; then
		"$@" >/dev/null 2>&1 </dev/null && echo yes >"$new" || echo no >"$new"
		mv "$new" "$answer"
	fi
	[ "$(cat "$answer")" = yes ]
}

need_perf() {
	need perf
	once perf perf version || skip "perf does not run here"
}

# newer_perf VERSION: a perf that is this version or a later one of the same major, as its command;
# out of $PERF_NEWER, where tests/oracle/newer-perf.sh puts them
newer_perf() {
	local perf version
	for perf in "$PERF_NEWER/perf-${1%%.*}".*; do
		version=${perf##*/perf-}
		[ "$(printf '%s\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ] || continue
		once "perf-$version" "$perf" version || continue
		echo "$perf"
		return
	done
	return 1
}

# perfs: the perf that is installed, and newer ones that are unpacked in $PERF_NEWER
perfs() {
	local perf
	command -v perf
	for perf in "$PERF_NEWER"/perf-*; do
		[ ! -x "$perf" ] || echo "$perf"
	done
}

need_newer_perf() {
	newer_perf "$1" >/dev/null || skip "no perf $1 in \$PERF_NEWER (tests/oracle/newer-perf.sh fetches it)"
}

need_perf_events() {
	need_perf
	once events perf record -o - -e cpu-clock true || skip "perf_event_open is refused here"
}

need_system_wide() {
	need_perf_events
	once system_wide perf record -a -o - -e cpu-clock true || skip "system-wide recording is refused here"
}

need_tracepoints() {
	need_perf_events
	once tracepoints perf record -o - -e sched:sched_switch -e syscalls:sys_enter_openat true ||
		skip "tracepoints cannot be opened here"
}

# of_folder NAME FILE...: the files are in $NAME, or the test is skipped
of_folder() {
	local folder=$1 file
	[ -d "${!folder}" ] || skip "no corpus at \$CORPUS"
	for file in "${@:2}"; do
		[ -e "${!folder}/$file" ] || skip "no $file in \$$folder"
	done
}

# corpus FILE..., found FILE...: streams and files of others, and those in which faults were found
corpus() { of_folder CORPUS "$@"; }
found() { of_folder FOUND "$@"; }
