#!/bin/bash
# demo.sh - records all of this machine for two seconds, prints the functions in which most samples were, and
# draws a flame graph.  Where recording is refused, a stream kept in tests/streams/ is replayed.  Each command
# that is shown is run as it is shown.  V=1 shows what the recording holds, too.
set -u
cd "$(dirname "$0")/.." || exit 4
BIN=${BIN:-$PWD/build/plain}
PATH=$BIN:$PATH
export LC_ALL=C
made=${BIN#"$PWD/"}/demo # what the demo writes, .pipe and .html

work=$(mktemp -d "${TMPDIR:-/tmp}/pp-demo.XXXXXX") || exit 4
busy=
trap '[ -z "$busy" ] || kill "$busy" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Something to see while the recording runs; is ended with the demo.
workload() {
	# shellcheck disable=SC2016 # perl's own variable
	exec timeout 60 sh -c 'while :; do
		seq 30000 | sort -n | md5sum; perl -e "\$i++ while \$i < 5e5"; done' >/dev/null 2>&1 </dev/null
}

# refused: what the demo needs of the kernel and does not get, as the self-test says it
refused() {
	awk '/^[a-z]+ +(cpus|call|sample|kernel|all-cpus) / { on = !/^works/ } /^[a-z]/ && !on { next } on' "$work/tried" |
		grep -v '^can'
}

# show COMMAND [REASON]: prints the command line, runs it, and ends the demo if any part of it fails; REASON
# is what then is said
show() {
	echo "\$ $1"
	bash -c "set -o pipefail; $1" </dev/null 2>&1 || {
		echo "demo.sh: exit status $?: ${2:-$1}" >&2
		exit 1
	}
}

pp-record --self-test >"$work/tried" </dev/null
tried=$?
if [ "$tried" -gt 1 ]; then
	echo "demo.sh: pp-record --self-test ended with $tried" >&2
	exit 1
elif refused >"$work/refused"; then
	source='cat tests/streams/demo.pipe'
	echo "Recording all of this machine is refused here, says pp-record --self-test:"
	head -n 12 "$work/refused" | sed 's/^/    /'
	echo "so tests/streams/demo.pipe is replayed, which perf recorded earlier."
	echo
else
	source='pp-record -a -g -F 999 -- sleep 2'
	workload &
	busy=$!
fi

show "$source | pp-filter 'comm != \"swapper\"' | pp-symbol -o $made.pipe"
[ -z "$busy" ] || kill "$busy"
busy=
echo
show "pp-top --once --entries=10 $made.pipe"
echo
show "pp-flame -q $made.pipe -o $made.html"
echo "    The flame graph: open file://$(realpath "$made.html") in a browser."
if [ "${V:-0}" != 0 ]; then
	echo
	show "pp-info $made.pipe"
	echo
	show "pp-dump --type sample $made.pipe | cut -c 1-150 | sed -n '1,20p'"
fi

echo
echo "What to try next:"
echo "    export PATH=\"$BIN:\$PATH\""
echo "    pp-report $made.pipe | less"
echo "    pp-filter 'comm == \"perl\"' -i $made.pipe | pp-flame -o $made-perl.html"
if [ "${source%% *}" = cat ]; then
	echo "    pp-script $made.pipe | less"
else
	echo "    pp-top -a -g"
fi
