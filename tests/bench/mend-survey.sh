#!/bin/bash
# mend-survey.sh - damages streams of many shapes at many places, mends them, and counts which
# samples outside the damage arrive: prints for each shape and kind of damage the least and the mean
# of them, in percent, and the memory that pp-mend took at most.
#
#   make mend-survey          SEEDS=20 places for each shape and kind, MB=100 for each stream
#
# 1 where less than 99.9 % arrive, or what is mended is not sound.  It takes its time.
set -u
cd "$(dirname "$0")/../.." || exit 4
PATH=${BIN:-$PWD/build/plain}:$PATH
export LC_ALL=C
here=$PWD/tests/bench
seeds=${SEEDS:-20}
mb=${MB:-100}
want=${WANT:-99.9}

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-survey.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4

size() { stat -c %s "$1"; }

# make_stream WORD...: ./in of about so many MB
make_stream() {
	pp-gen --samples 20000 "$@" -o whole 2>/dev/null || exit 4
	pp-gen --samples "$((mb * 1000000 * 20000 / $(size whole)))" "$@" -o whole || exit 4
}

record_stream() {
	perf record -m 64M -o - -e 'sched:*,raw_syscalls:*' -- \
		dd if=/dev/zero of=/dev/null bs=1 count=$((mb * 2200)) >whole 2>/dev/null
}

# place SEED SIZE: a byte behind the header such that SIZE bytes follow it
place() { perl -e 'srand $ARGV[0]; print 16 + int rand $ARGV[2] - 16 - $ARGV[1]' "$1" "$2" "$(size whole)"; }

# peak COMMAND...: runs it; its peak RSS in MB as $rss, where time(1) is there to tell
peak() {
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -o peak -f %M "$@" 2>/dev/null
		rss=$(($(tail -n 1 peak) / 1024))
	else
		"$@" 2>/dev/null
		rss=0
	fi
}

failed=0
# survey NAME: ./whole
survey() {
	local name=$1 kind bytes seed at outside arrived added status rss plain=whole hidden
	rm -f whole.* plain*
	if [ -n "${compressed-}" ]; then
		pp-decompress --no-seal -i whole -o plain || exit 4
		plain=plain
	fi
	for kind in insert=64 zero=4096 drop=1048576; do
		bytes=${kind#*=}
		hidden=$bytes
		[ "$kind" != insert=64 ] || hidden=0
		: >counts
		for ((seed = 1; seed <= seeds; seed++)); do
			at=$(place "$seed" "$bytes")
			pp-gen -i whole "--${kind%=*}=$bytes@$at" -o in || exit 4
			peak pp-mend -q -i in -o out
			status=sound
			pp-check -q out >/dev/null 2>&1 || status=UNSOUND
			if [ -n "${compressed-}" ]; then
				pp-decompress --no-seal -q -i out -o expanded
				mv expanded out
			fi
			read -r outside arrived added <<<"$(perl "$here/arrived.pl" "$plain" out "$at" "$hidden" \
				${compressed:+whole})"
			echo "$outside $arrived $added $rss $status $seed $at" >>counts
			[ -z "${VERBOSE-}" ] || echo "# $name $kind: $(tail -n 1 counts)"
		done
		awk -v name="$name" -v kind="$kind" -v want="$want" -v samples="$(($(size "$plain.samples") / 8))" '
			{ p = $1 ? 100 * $2 / $1 : 100; sum += p; t = 100 * $2 / samples
			  if (NR == 1 || p < least) { least = p; at = $6 " at " $7 }
			  if (NR == 1 || t < total) total = t
			  if ($1 - $2 > most) most = $1 - $2
			  added += $3; if ($4 > rss) rss = $4; if ($5 != "sound") bad++ }
			END { printf "%-22s %-14s %9.4f %9.4f %9d %6d %6d %9.4f  %s%s\n", name, kind, least, sum / NR, most,
				added, rss, total, bad ? bad " UNSOUND " : "", least < want ? "MISSED, seed " at : ""
			      exit least < want || bad }' counts || failed=1
	done
}

printf '%-22s %-14s %9s %9s %9s %6s %6s %9s\n' shape damage 'least %' 'mean %' 'lost most' added 'RSS MB' 'of all %'
# the shapes, or those that are named: SHAPES='plain callchain'
while read -r name words; do
	[[ " ${SHAPES-$name} " == *" $name "* ]] || continue
	compressed=
	[[ " $words " != *' -z '* ]] || compressed=1
	# shellcheck disable=SC2086
	make_stream $words
	survey "$name"
done <<'END'
plain --no-seal
sealed
events --events=4 --cpus=8 --disorder=2ms --pids=50 --forks=20 --exits=20 --comms=20
callchain --callchain=24 --no-seal
tracepoints --tracepoints=3 --raw=40
stacks --stack=512 --branches=8 --no-seal
big-endian --big-endian --events=2
big-callchain --big-endian --callchain=16 --no-seal
no-rounds --rounds=0 --no-seal
few-rounds --rounds=6
compressed -z
compressed-callchain -z --callchain=16 --no-seal
END
if [[ " ${SHAPES-perf} " == *' perf '* ]]; then
	compressed=
	if command -v perf >/dev/null && record_stream && [ "$(size whole)" -gt 1000000 ]; then
		survey "perf, $(($(size whole) / 1000000)) MB"
	else
		echo 'perf: cannot record tracepoints here'
	fi
fi
exit "$failed"
