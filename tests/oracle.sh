#!/bin/bash
# oracle.sh - makes recordings of the kinds in oracle.txt with one version of perf, passes each
# through every stage, and has the same perf show it as it shows it without the stage.
#
#     oracle.sh PERF KIND...       PERF: the command; prints what differs, exit 1 if anything does
#     oracle.sh -l VERSION [GROUP] the kinds that this version can record
#     oracle.sh -n VERSION [GROUP] those that it cannot, and why
#
# The stages are on PATH.  What perf says of one recording twice has to be equal, byte for byte; what
# has to be left out, and where perf itself does not read what it wrote, stands beside the code.
set -u
here=$(cd "$(dirname "$0")" && pwd)
list=${ORACLE_LIST:-$here/oracle.txt}
export LC_ALL=C

# what the kinds run: {work} counts, {calls} makes system calls and forks, {pid} counts already
work="perl -e '\$i++ while \$i < 1e6'"
calls="perl -e 'for (1 .. 20) { open F, \"<\", \"/dev/null\"; sysread F, \$b, 1; close F; \$p = fork or exit; waitpid \$p, 0 }'"

# at_least A B: version A is B or newer
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# rows GROUP: `name|words|yields|command` of each kind, without blanks around
rows() {
	local group=
	while IFS= read -r line; do
		case $line in
		'' | '#'*) continue ;;
		'['*) group=${line#[}; group=${group%]}; continue ;;
		esac
		[ -z "${1:-}" ] || [ "$1" = "$group" ] || continue
		sed -E 's/ *\| */|/g; s/^ +//; s/ +$//' <<<"$line"
	done <"$list"
}

# refused VERSION WORDS: why this version cannot record it, if so
refused() {
	local word
	for word in ${2//,/ }; do
		case $word in
		since=*) at_least "$1" "${word#*=}" || { echo "came with perf ${word#*=}"; return 0; } ;;
		until=*) at_least "${word#*=}.999" "$1" || { echo "perf ${word#*=} was the last"; return 0; } ;;
		esac
	done
	return 1
}

# ---- the stages: standard input to standard output, or a file that is named

stages=(cat filter judge sort sort-all merge split undump mend squeeze compress seal note build-ids save save-cat prune)
judged='comm == "x" || pid >= 0 || pid < 0'
stage() {
	case $1 in
	cat) pp-cat ;;
	filter) pp-filter ;;
	judge) pp-filter "$judged" ;;
	sort) pp-sort -q ;;
	sort-all) pp-sort -q --all ;;
	merge) pp-merge -q - ;;
	split) rm -f piece-* && pp-split -q --samples=7 -o piece-%u && pp-merge -q piece-* ;;
	undump) pp-dump --json | pp-undump ;;
	mend) pp-mend ;;
	squeeze) pp-compress | pp-decompress ;;
	compress) pp-compress ;;
	seal) pp-filter --seal ;;
	note) pp-inject --note oracle=yes ;;
	build-ids) pp-inject -q -b ;;
	save) pp-save -q -o saved && cat saved ;;
	save-cat) pp-save -q -o saved && pp-cat saved ;;
	prune) pp-filter -q --prune ;;
	esac
}

# show VIEW FILE: what perf says of it, from a pipe; of a saved file, from the file
show() {
	local file=$2 view=$1
	set --
	case $file in
	save) set -- -i "$file" ;;
	*) set -- -i - ;;
	esac
	case $view in
	script) set -- script "$@" ;;
	sideband)
		set -- script "$@" --show-task-events --show-mmap-events --show-switch-events \
			--show-namespace-events --show-lost-events --show-cgroup-events --show-bpf-events
		;;
	report) set -- report --stdio "$@" ;;
	header) set -- report --header-only "$@" ;;
	*) set -- ${view%%/*} "$@" ${view#*/} ;;
	esac
	cat "$file" | timeout 60 $perf "$@" 2>&1
	echo "exit ${PIPESTATUS[1]}"
}
