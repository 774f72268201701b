#!/bin/bash
# peer.sh - runs perf's own shell tests, out of its package, with our tools or without them.
#
#     tests/oracle/peer.sh ours|perf PERF FOLDER [FILE...]
#
# FOLDER is that of the tests (.../perf-core/tests/shell), PERF the command of the perf that they belong to, which
# has to do what our tools do not.  Prints `FILE RESULT` for each FILE, such as pipe_test.sh: pass, fail, skip or
# late, which is a file that had not ended after 20 seconds ($SECONDS_EACH, if it is set).  What a file said is in FILE.log, in the
# folder in which peer.sh is called.
set -u
[ $# -ge 3 ] || { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }
here=$(cd "${0%/*}/peer" && pwd) tools=$1 perf=$2 shell=$3
shift 3

PEER_TOOLS=$tools PEER_REAL=$(command -v "$perf")
TMPDIR=$(mktemp -d "$PWD/peer.XXXXXX") || exit 4
trap 'rm -rf "$TMPDIR"' EXIT
# Samples of a workload are of a program that is called perf, as they are of perf's own.
mkdir "$TMPDIR/work" && PEER_WORK=$TMPDIR/work/perf
gcc -g -O2 -fno-omit-frame-pointer -pthread -o "$PEER_WORK" "$here"/*.c || exit 4
export PEER_TOOLS PEER_REAL PEER_WORK TMPDIR
PATH=$here:$PATH
export PATH LC_ALL=C DEBUGINFOD_URLS='' PERF_PAGER=cat PAGER=cat

# end SESSION: ends the processes that are left in it
end() {
	local left
	for _ in {1..200}; do
		left=$(ps -o pid=,stat= -s "$1" | awk '$2 !~ /^Z/ { print $1 }')
		[ -n "$left" ] || return
		# shellcheck disable=SC2086
		kill -KILL $left 2>/dev/null
		sleep 0.01
	done
}

for file; do
	setsid --wait bash -c 'echo $$ >"$TMPDIR/session"; timeout --foreground -k 1 "${SECONDS_EACH:-20}" bash "$0"' "$shell/$file" \
		</dev/null >"$PWD/${file##*/}.log" 2>&1
	status=$?
	end "$(cat "$TMPDIR/session")"
	case $status in
	0) result=pass ;;
	2) result=skip ;;
	124 | 137) result=late ;;
	*) result=fail ;;
	esac
	echo "$file $result"
done
