# steps.bash - runs the steps of .ci/run and nightly.sh one after the other, and adds up their closing lines.

exec </dev/null
export LC_ALL=C AGAIN=1

out=$(mktemp -d "${TMPDIR:-/tmp}/pp-steps.XXXXXX") || exit 4
trap 'rm -rf "$out"' EXIT
failures=() table=()
passed=0 failed=0 skipped=0
# shellcheck disable=SC2034 # for those who load this
cores=$(nproc 2>/dev/null || echo 2)

# step NAME COMMAND...: runs it, keeps its log, adds up its closing line; the status is the command's
step() {
	local name=$1 status p f s began=$SECONDS
	shift
	printf '\n--- %s\n' "$name"
	"$@" 2>&1 | tee "$out/log"
	status=${PIPESTATUS[0]}
	read -r p f s < <(sed -nE \
		's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p' "$out/log" | tail -n 1)
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
	table+=("$(printf '%6d s  exit %d  %s' $((SECONDS - began)) "$status" "$name")")
	printf -- '--- %s: exit %d, %d s\n' "$name" "$status" $((SECONDS - began))
	[ "$status" -eq 0 ] && return
	failures+=("$name: exit $status")
	[ "${f:-0}" -gt 0 ] || failed=$((failed + 1))
	grep -A 40 '^FAILED' "$out/log" | tail -n 200 >>"$out/failures"
	[ -s "$out/failures" ] || tail -n 40 "$out/log" >>"$out/failures"
	return "$status"
}

# Where a process may not trace its own threads, LeakSanitizer breaks off instead of looking.
look_for_leaks() {
	echo 'int main(void) { return 0; }' >"$out/leak.c"
	"${CC:-cc}" -fsanitize=address -o "$out/leak" "$out/leak.c" && "$out/leak" && return
	echo "LeakSanitizer cannot run here: leaks are not looked for"
	export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
}

# closing: the table of times, what failed, and the line of a test run; its status is that of the run
closing() {
	printf '\n%s\n' "${table[@]}"
	printf '%6d s  in all, on %d processors\n' "$SECONDS" "$cores"
	if [ ${#failures[@]} -gt 0 ]; then
		echo "what failed:"
		cat "$out/failures"
		printf '%s\n' "${failures[@]}"
	fi
	echo "$passed passed, $failed failed$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
	[ ${#failures[@]} -eq 0 ] && [ "$passed" -gt 0 ]
}
