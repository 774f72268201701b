#!/bin/bash
# compare.sh - do two builds of the tools give the same output, status and messages?  Runs every line
# of compare.txt on every stream of tests/streams and $CORPUS with both, and prints what differs.
#
#     tests/compare.sh BEFORE AFTER        two folders that hold the tools
#
# compare.sed has the messages that were reworded; what BEFORE says is changed by it.
# Exit 0: all the same; 1: not.  `make compare BEFORE=DIR` calls it with what was built last.
set -u
before=$(cd "${1:?usage: compare.sh BEFORE AFTER}" && pwd) || exit 4
after=$(cd "${2:?usage: compare.sh BEFORE AFTER}" && pwd) || exit 4
here=$(cd "$(dirname "$0")" && pwd)
corpus=$(cd "${CORPUS:-$here/../../shared/corpus}" 2>/dev/null && pwd)
[ -n "$corpus" ] || echo "compare.sh: no corpus at \$CORPUS: only tests/streams are compared" >&2
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-compare.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# one BUILD LINE STREAM: runs the line there; its output, status and messages as one file each
one() {
	local build=$1 line=$2 out=$work/$3
	export IN=$4
	rm -rf "$out"
	mkdir "$out" || exit 4
	(cd "$out" && PATH=$build:$PATH timeout 60 bash -c "$line" >stdout 2>stderr </dev/null
		echo "exit $?" >status)
	sed -i "s|$build/||g" "$out/stderr"
}

# compare_on STREAM: prints a line for each line of compare.txt that differs on it
compare_on() {
	local line id=$BASHPID
	while IFS= read -r line; do
		case $line in '' | '#'*) continue ;; esac
		one "$before" "$line" "before-$id" "$1"
		sed -i -f "$here/compare.sed" "$work/before-$id/stdout" "$work/before-$id/stderr"
		one "$after" "$line" "after-$id" "$1"
		printf '.' >>"$work/runs"
		diff -r "$work/before-$id" "$work/after-$id" >"$work/diff-$id" 2>&1 && continue
		printf '%s  # IN=%s\n' "$line" "${1#"$corpus/"}"
		head -n 8 "$work/diff-$id" | cut -c 1-300 | sed "s|$work/||g; s|-$id||g; s|^|    |"
	done <"$here/compare.txt"
}

find "$here/streams" ${corpus:+"$corpus"} -type f -size -8M ! -name '*.md' ! -name '*.txt' ! -name '*.tsv' \
	! -name '*.pb_text*' ! -name '*.buildids' ! -name '*.json' ! -path '*/dirfmt.data/*' | sort >"$work/streams"
[ -z "$corpus" ] || find "$corpus" -type d -name dirfmt.data >>"$work/streams"
export -f one compare_on
export work before after here corpus
xargs -d '\n' -n 1 -P "$(nproc)" bash -c 'compare_on "$1"' compare <"$work/streams" >"$work/differences"
cat "$work/differences"
runs=$(wc -c <"$work/runs")
differ=$(grep -c '  # IN=' "$work/differences")
echo "$((runs - differ)) the same, $differ different"
[ "$differ" -eq 0 ] && [ "$runs" -gt 0 ]
