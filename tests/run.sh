#!/bin/bash
# run.sh [FILE|FOLDER...] - runs bats files, $JOBS (2) at a time, all of tests/ unless some are named,
# and sums them up: `N passed, N failed`.
# A file's output is kept and shown in order; failures are shown again, whole, before the last
# line, because long logs are often cut in the middle.  V=1 shows every test's name.
# AGAIN=1: if one or two files failed, they run once more, alone.  What passes then is called unsteady,
# aloud: something to mend, which holds no landing up.
set -u
cd "$(dirname "$0")/.." || exit 4

jobs=${JOBS:-2}
limit=${FILE_SECONDS:-900} # a guard against hanging, far beyond what any file needs
[ $# -gt 0 ] || set -- tests
files=()
for f; do
	[ ! -f "$f" ] || files+=("$f")
	[ ! -d "$f" ] || mapfile -t -O "${#files[@]}" files < <(find "$f" -name '*.bats')
	[ ! -e "$f" ] || continue
	echo "run.sh: no such file: $f" >&2
	echo "0 passed, 1 failed"
	exit 1
done
# larger files first, since most of them run longer: none is left alone at the end
mapfile -t files < <(ls -S -- "${files[@]}")

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-tests.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
trap 'trap - TERM; kill 0' INT TERM

# one NUMBER FILE: the file's TAP into NUMBER.tap; NUMBER.done holds the status and the seconds
one() {
	local began=$SECONDS status
	# with the usual signals, whatever who started us ignores (nohup, an & of sh)
	env --default-signal timeout -k 10 "$limit" bats --formatter tap "$2" >"$work/$1.tap" 2>&1 </dev/null 3>&-
	status=$?
	echo "$status $((SECONDS - began))" >"$work/$1.new"
	mv "$work/$1.new" "$work/$1.done"
}

# tally NUMBER FILE: counts what ran, shows the file's line, keeps its failures
passed=() failed=() skipped=()
tally() {
	local tap=$work/$1.tap file=$2 status seconds p f s planned
	read -r status seconds <"$work/$1.done"
	s=$(grep -cE '^ok .* # skip' "$tap")
	p=$(($(grep -cE '^ok ' "$tap") - s))
	f=$(grep -cE '^not ok ' "$tap")
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap" | head -n 1)
	awk -v file="$file" '
		/^not ok / { sub(/^not ok [0-9]+ /, ""); print "FAILED  " file ": " $0; on = 1; next }
		/^ok / { on = 0 }
		on { print "    " $0 }' "$tap" >"$work/$1.failures"
	if [ "$f" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$((p + s))" -ne "${planned:--1}" ]; }; then
		# nothing failed by name, and yet it did not run to its end
		f=1
		{
			echo "FAILED  $file: bats exited with $status after $((p + s)) of ${planned:-?} tests"
			tail -n 60 "$tap" | sed 's/^/    /'
		} >>"$work/$1.failures"
	fi
	printf '%-36s %3d passed, %d failed, %d skipped, %d s\n' "$file" "$p" "$f" "$s" "$seconds"
	[ "${V:-0}" = 0 ] || grep -E '^(not )?ok ' "$tap" | sed 's/^/    /'
	[ "${V:-0}" != 0 ] || sed -n 's/^ok [0-9]* \(.*\) # skip *\(.*\)/    skipped: \1: \2/p' "$tap"
	cat "$work/$1.failures"
	passed[$1]=$p failed[$1]=$f skipped[$1]=$s
}

next=0
show() {
	while [ -f "$work/$next.done" ]; do
		tally "$next" "${files[next]}"
		next=$((next + 1))
	done
}

running=0
for ((i = 0; i < ${#files[@]}; i++)); do
	if [ "$running" -ge "$jobs" ]; then
		wait -n
		running=$((running - 1))
		show
	fi
	one "$i" "${files[i]}" &
	running=$((running + 1))
done
wait
show

# the numbers of the files that failed
suspects() {
	for i in "${!failed[@]}"; do
		[ "${failed[i]}" -eq 0 ] || echo "$i"
	done
}

mapfile -t suspects < <(suspects)
if [ "${AGAIN:-0}" != 0 ] && [ "${#suspects[@]}" -gt 0 ] && [ "${#suspects[@]}" -le 2 ]; then
	printf '\nonce more, alone:\n'
	for i in "${suspects[@]}"; do
		mv "$work/$i.failures" "$work/$i.first"
		one "$i" "${files[i]}"
		tally "$i" "${files[i]}"
		[ "${failed[i]}" -gt 0 ] || sed 's/^FAILED/UNSTEADY/' "$work/$i.first"
	done
fi

sum() {
	local IFS=+
	echo $(($*))
}

p=$(sum "${passed[@]}") f=$(sum "${failed[@]}") s=$(sum "${skipped[@]}")
if [ "$f" -gt 0 ] && [ "${#files[@]}" -gt 1 ]; then
	printf '\nthe failures again:\n'
	for ((i = 0; i < ${#files[@]}; i++)); do
		cat "$work/$i.failures"
	done
fi
echo "$p passed, $f failed$([ "$s" -eq 0 ] || echo ", $s skipped")"
[ "$f" -eq 0 ] && [ "$p" -gt 0 ]
