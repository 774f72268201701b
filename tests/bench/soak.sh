#!/bin/bash
# soak.sh - records all CPUs while processes come and go without end, through a pipeline of nearly
# all stages; prints what passed each of them, and what memory it took in the first and the second
# half of the time.
#
#   make soak                 SOAK_SECONDS=600
#
# 1 where a stage passes other than it gets, a stream is not sound, or memory grows.
set -u
cd "$(dirname "$0")/../.." || exit 4
PATH=${BIN:-$PWD/build/plain}:$PATH
export LC_ALL=C
seconds=${SOAK_SECONDS:-600}

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-soak.XXXXXX") || exit 4
cd "$work" || exit 4
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Four tasks that fork children which count a little, and exec one in ten.
# shellcheck disable=SC2016 # perl's own variables
forks='$end = time + shift; $| = 1;
	fork or last for 1 .. 3;
	while (time < $end) {
		$n++;
		unless ($p = fork) { $i++ while $i < 2e4; exec "true" unless $n % 10; require POSIX; POSIX::_exit(0) }
		waitpid $p, 0;
	}
	open F, ">>", "forks"; print F "$n\n"; close F; 1 until wait < 0'

names=(pp-record judge sort inject compress decompress merge prune split)
stage() {
	case $1 in
	pp-record) exec pp-record -q -a -g -F 999 -- perl -e "$forks" "$seconds" ;;
	judge) exec pp-filter 'comm != "no such name"' ;;
	sort) exec pp-sort -q ;;
	inject) exec pp-inject -q -b --note soak=yes ;;
	compress) exec pp-compress ;;
	decompress) exec pp-decompress ;;
	merge) exec pp-merge -q - ;;
	prune) exec pp-filter -q --prune ;;
	split) exec pp-split -q --seconds 10 -o piece-%u --exec 'pp-check >>pieces || echo "{}: not sound" >>pieces' ;;
	esac
}

# Between two stages stands a tee, whose other output is checked and counted.
for i in "${!names[@]}"; do
	mkfifo "in$i" "out$i" "tap$i"
done
for i in "${!names[@]}"; do
	if [ "$i" -gt 0 ]; then
		tee "tap$i" <"out$((i - 1))" >"in$i" &
		pp-check <"tap$i" >"check$i" 2>&1 &
		(stage "${names[i]}") <"in$i" >"out$i" 2>"said$i" &
	else
		(stage pp-record) </dev/null >out0 2>said0 &
	fi
	pids+=($!)
done
cat "out$i" >/dev/null &

# rss PID: kB
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null; }

declare -A early late
failed=0
began=$SECONDS
while kill -0 "${pids[0]}" 2>/dev/null; do
	sleep 1
	now=$((SECONDS - began))
	for i in "${!names[@]}"; do
		size=$(rss "${pids[i]}")
		size=${size:-0}
		if [ "$now" -lt $((seconds / 2)) ]; then
			[ "${early[$i]:-0}" -ge "$size" ] || early[$i]=$size
		else
			[ "${late[$i]:-0}" -ge "$size" ] || late[$i]=$size
		fi
	done
done
for i in "${!names[@]}"; do
	wait "${pids[i]}" && continue
	echo "soak.sh: ${names[i]} exits with $?: $(head -n 3 "said$i")"
	failed=1
done
wait

# samples FILE: of all lines of pp-check in it
samples() { sed -nE 's/.*sound: .* ([0-9]+) samples.*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }

got=$(samples check1)
printf '%-12s %12s %20s %20s\n' 'stage' 'samples out' 'RSS, first half' 'RSS, second half'
for i in "${!names[@]}"; do
	out=check$((i + 1))
	[ -f "$out" ] || out=pieces
	n=$(samples "$out") word=
	if [ "$n" -ne "$got" ] || grep -q 'not sound' "$out"; then
		word=' <- not what came in'
		failed=1
	fi
	# what is held depends on what other programs do; growing for ever would show
	if [ "${late[$i]:-0}" -gt $((${early[$i]:-0} * 5 / 4 + 2048)) ]; then
		word="$word <- grows"
		failed=1
	fi
	printf '%-12s %12d %17d kB %17d kB%s\n' "${names[i]}" "$n" "${early[$i]:-0}" "${late[$i]:-0}" "$word"
done
echo "$((SECONDS - began)) s, $(awk '{ n += $1 } END { print n + 0 }' forks) forks"
[ "$got" -gt 0 ] && [ "$failed" -eq 0 ]
