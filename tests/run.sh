#!/bin/bash
# run.sh [FILE|FOLDER...] - runs bats files, $JOBS (one a processor) at a time, all of tests/ unless some
# are named, and sums them up: `N passed, N failed`.
# A file's output is kept and shown in order; failures are shown again, whole, before the last
# line, because long logs are often cut in the middle.  V=1 shows every test's name and time.
# TIER=short leaves out the tests with the tag nightly; TIER=all, the default, runs every test.
# AGAIN=1: if one or two files failed, they run once more, alone.  What passes then is called unsteady,
# aloud: something to mend, which holds no landing up.
# A process that a file's tests leave running fails that file, and is ended.
# LIMIT=SECONDS: no file but the first is started later than that; the files that did not run are named.
set -u
cd "$(dirname "$0")/.." || exit 4

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
late=${LIMIT:-}
unset LIMIT # of this run, not of one that a test begins
limit=${FILE_SECONDS:-900} # a guard against hanging, far beyond what any file needs
tags=()
case ${TIER:-all} in
all) ;;
short) tags=(--filter-tags '!nightly') ;;
*)
	echo "run.sh: TIER is short or all, not $TIER" >&2
	echo "0 passed, 1 failed"
	exit 2
	;;
esac

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

# The files in the order in which they are started: those that ran longest come first, so that none is
# left alone at the end.  What the last run took is kept beside the tools; a file that did not run yet is
# taken by its size, or comes first if it says of itself that it is slow.
times=${BIN:-build/plain}/test-times
in_order() {
	local size file
	while read -r size file; do
		[ "$file" != total ] || continue
		grep -qs '^# bats file_tags=slow$' "$file" && size=$((size + 1000000))
		echo "$size $file"
	done < <(wc -c -- "$@") | awk -v times="$times" '
		BEGIN { while ((getline line < times) > 0) { split(line, word, " "); took[word[2]] = word[1] } }
		{ print (($2 in took) ? took[$2] * 1000 : $1 / 4), $2 }' | sort -k 1,1rn -k 2 | cut -d ' ' -f 2-
}
mapfile -t files < <(in_order "${files[@]}")

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-tests.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
export PP_SHARED=$work/shared # what helper.bash asks or makes once
mkdir "$PP_SHARED"
trap 'trap - TERM; kill 0' INT TERM

# left NUMBER: the processes that the file's tests left running
left() { grep -lzsx "PP_TESTS=$work/$1" /proc/[0-9]*/environ | cut -d / -f 3; }

# one NUMBER FILE: the file's TAP into NUMBER.tap; NUMBER.done holds the status and the milliseconds
one() {
	local began=${EPOCHREALTIME/./} status pid tries
	# with the usual signals, whatever who started us ignores (nohup, an & of sh)
	PP_TESTS=$work/$1 env --default-signal timeout -k 10 "$limit" \
		bats --timing --formatter tap "${tags[@]}" "$2" >"$work/$1.tap" 2>&1 </dev/null 3>&-
	status=$?
	# what was told to end may need a moment
	for ((tries = 0; tries < 40; tries++)); do
		[ -n "$(left "$1")" ] || break
		sleep 0.05
	done
	for pid in $(left "$1"); do
		echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
		kill -KILL "$pid"
	done >"$work/$1.left" 2>/dev/null
	echo "$status $(((${EPOCHREALTIME/./} - began) / 1000))" >"$work/$1.new"
	mv "$work/$1.new" "$work/$1.done"
}

# tally NUMBER FILE: counts what ran, shows the file's line, keeps its failures
passed=() failed=() skipped=() took=()
tally() {
	local tap=$work/$1.tap file=$2 status ms p f s planned
	read -r status ms <"$work/$1.done"
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
	if [ -s "$work/$1.left" ]; then
		f=$((f + 1))
		{
			echo "FAILED  $file: its tests left processes running"
			sed 's/^/    /' "$work/$1.left"
		} >>"$work/$1.failures"
	fi
	[ "$((p + f + s))" -eq 0 ] ||
		printf '%-40s %3d passed, %d failed, %d skipped, %d.%d s\n' "$file" "$p" "$f" "$s" $((ms / 1000)) $((ms / 100 % 10))
	[ "${V:-0}" = 0 ] || grep -E '^(not )?ok ' "$tap" | sed 's/^/    /'
	sed -nE 's/^ok [0-9]+ .* # skip *//p' "$tap" >"$work/$1.skips"
	cat "$work/$1.failures"
	passed[$1]=$p failed[$1]=$f skipped[$1]=$s took[$1]=$ms
}

next=0
show() {
	while [ -f "$work/$next.done" ]; do
		tally "$next" "${files[next]}"
		next=$((next + 1))
	done
}

# may_start NUMBER: the first file may, however long what came before it took
may_start() {
	[ -z "$late" ] || [ "$SECONDS" -lt "$late" ] || { [ "$1" -eq 0 ] && [ "$late" -gt 0 ]; }
}

running=0
for ((i = 0; i < ${#files[@]}; i++)); do
	if [ "$running" -ge "$jobs" ]; then
		wait -n
		running=$((running - 1))
		show
	fi
	may_start "$i" || break
	one "$i" "${files[i]}" &
	running=$((running + 1))
done
wait
show
unstarted=("${files[@]:i}")
files=("${files[@]:0:i}")

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

# What this machine lacks is said once, whatever it stops; a stranger cannot have the recordings of others.
say_skipped() {
	# shellcheck disable=SC2016 # the variables are named
	sed -E 's/^no .* (in|at) \$(CORPUS|FOUND)$/recordings that are not in this repository ($CORPUS, $FOUND)/' "$work"/*.skips |
		sort | uniq -c | sort -rn | sed -E 's/^ *([0-9]+) (.*)/    \1: \2/' >"$work/skips"
	[ ! -s "$work/skips" ] || { printf '\nskipped, and why:\n' && cat "$work/skips"; }
}

# What each file took, for the order of the next run; of files that did not run now, what was known.
keep_times() {
	[ "${TIER:-all}" = short ] || [ "${#files[@]}" -gt 20 ] || return
	for i in "${!files[@]}"; do
		echo "${took[i]} ${files[i]}"
	done | sort -rn >"$work/times"
	[ ! -d "${times%/*}" ] || cp "$work/times" "$times" 2>/dev/null
	printf '\nlongest:\n'
	head -n 5 "$work/times" | awk '{ printf "    %.1f s %s\n", $1 / 1000, $2 }'
}

# What no time was left for is left to `make nightly`.
say_unstarted() {
	[ ${#unstarted[@]} -gt 0 ] || return
	printf '\nleft to make nightly, as %d s were over: %d of %d files:\n' \
		"$late" ${#unstarted[@]} $((${#files[@]} + ${#unstarted[@]}))
	printf '    %s\n' "${unstarted[@]}"
}

p=$(sum "${passed[@]}") f=$(sum "${failed[@]}") s=$(sum "${skipped[@]}")
say_skipped
say_unstarted
keep_times
if [ "$f" -gt 0 ] && [ "${#files[@]}" -gt 1 ]; then
	printf '\nthe failures again:\n'
	for ((i = 0; i < ${#files[@]}; i++)); do
		cat "$work/$i.failures"
	done
fi
echo "$p passed, $f failed$([ "$s" -eq 0 ] || echo ", $s skipped")"
[ "$f" -eq 0 ] && [ "$p" -gt 0 ]
