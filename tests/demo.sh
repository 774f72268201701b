#!/bin/bash
# demo.sh - the main pipeline on a short real workload: what each stage said, and an excerpt of
# what came out.  Where recording is refused, a stream kept in tests/streams/ is replayed.
set -u
cd "$(dirname "$0")/.." || exit 4
PATH=${BIN:-$PWD/build/plain}:$PATH
export LC_ALL=C

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-demo.XXXXXX") || exit 4
busy=
trap '[ -z "$busy" ] || kill "$busy" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

query='cpu == 0 && comm != "swapper"'

# Something to see on processor 0 while the recording runs; is ended with the demo.
workload() {
	local pin=()
	! taskset -c 0 true 2>/dev/null || pin=(taskset -c 0)
	# shellcheck disable=SC2016 # perl's own variable
	exec timeout 60 "${pin[@]}" sh -c 'while :; do
		seq 30000 | sort -n | md5sum; perl -e "\$i++ while \$i < 5e5"; done' >/dev/null 2>&1 </dev/null
}

source_stage() {
	if [ -n "$replay" ]; then
		cat "$replay" && echo "$(stat -c %s "$replay") bytes" >&2
	else
		pp-record -a -g -F 999 -- sleep 2
	fi
}

# refused: what the demo needs of the kernel and does not get, as the self-test says it
refused() {
	awk '/^[a-z]+ +(cpus|call|sample|kernel|all-cpus) / { on = !/^works/ } /^[a-z]/ && !on { next } on' "$work/tried" |
		grep -v '^can'
}

replay=
pp-record --self-test >"$work/tried" </dev/null
tried=$?
if [ "$tried" -gt 1 ]; then
	echo "demo.sh: pp-record --self-test ended with $tried" >&2
	exit 1
elif refused >"$work/refused"; then
	replay=tests/streams/demo.pipe
	echo "Recording all of this machine is refused here, says pp-record --self-test:"
	sed 's/^/    /' "$work/refused"
	echo "so $replay is replayed, which perf recorded earlier."
	echo
	echo "\$ cat $replay | pp-filter '$query' | pp-sort | pp-inject --build-ids | pp-dump"
else
	workload &
	busy=$!
	echo "\$ pp-record -a -g -F 999 -- sleep 2 | pp-filter '$query' | pp-sort | pp-inject --build-ids | pp-dump"
fi

source_stage 2>"$work/1" </dev/null |
	pp-filter --progress "$query" 2>"$work/2" |
	pp-sort --progress 2>"$work/3" |
	pp-inject --build-ids --progress 2>"$work/4" |
	tee "$work/stream" |
	pp-dump --progress >"$work/dump" 2>"$work/5"
status=("${PIPESTATUS[@]:0:4}" "${PIPESTATUS[5]}")

# A few lines of each kind, in the order of the stream.
excerpt() {
	awk -v width="${COLUMNS:-150}" '
		{ type = $3 }
		match($0, /(HEADER_ATTR|HEADER_FEATURE|MMAP2|COMM|SAMPLE|HEADER_BUILD_ID|FINISHED_ROUND)/) {
			type = substr($0, RSTART, RLENGTH)
			most = type == "SAMPLE" ? 8 : type == "HEADER_BUILD_ID" ? 4 : 2
			if (++n[type] <= most) print (length($0) > width) ? substr($0, 1, width - 3) "..." : $0
			else if (n[type] == most + 1) print "    ... more of " type
		}' "$1"
}

echo
excerpt "$work/dump"
echo
echo "$(wc -l <"$work/dump") lines in all.  What each stage said:"
names=(pp-record pp-filter pp-sort pp-inject pp-dump)
[ -z "$replay" ] || names[0]="cat"
bad=0
for i in 0 1 2 3 4; do
	line=$(tr '\r' '\n' <"$work/$((i + 1))" | grep . | tail -n 1)
	line=${line#"${names[i]}: "}
	printf '  %-10s %s%s\n' "${names[i]}" "${line:-(nothing)}" "$([ "${status[i]}" -eq 0 ] || echo " (exit ${status[i]})")"
	[ "${status[i]}" -eq 0 ] || bad=1
done
if [ "$bad" -ne 0 ]; then
	echo "demo.sh: a stage failed" >&2
	cat "$work"/[1-5] >&2
	exit 1
fi
if ! grep -q SAMPLE "$work/dump"; then
	echo "demo.sh: no sample came through" >&2
	exit 1
fi

# Where the time went, by name, and as a picture.
page=${BIN:-$PWD/build/plain}/demo.html
if ! pp-symbol -q "$work/stream" >"$work/named" || ! pp-fold -q "$work/named" >"$work/folded" ||
	! pp-flame -q "$work/named" --title "pp-record -a -g" -o "$page"; then
	echo "demo.sh: names or the picture failed" >&2
	exit 1
fi
echo
echo "\$ ... | pp-inject --build-ids | pp-symbol | pp-fold: the functions in which samples were most often"
awk '{ n = $NF; $NF = ""; sub(/ $/, ""); sub(/.*;/, ""); sum[$0] += n } END { for (f in sum) print sum[f], f }' \
	"$work/folded" | sort -rn | head -n 3 | sed 's/^[0-9]* /    /'
echo
echo "\$ ... | pp-symbol | pp-flame -o $page: open it in a browser"
