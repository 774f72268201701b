#!/bin/bash
# oracle.sh - makes a recording of a kind that oracle.txt lists with one version of perf, passes it
# through every stage, and has the same perf show it as it shows it without the stage.
#
#     oracle.sh PERF KIND             PERF: the command; prints what differs, exit 1 if anything does;
#                                     exit 5, with the reason, if perf itself fails before any stage is tried
#     oracle.sh -l VERSION GROUP      the kinds of the group that this version can record
#     oracle.sh -n VERSION            those that it cannot, and why
#
# The stages are on PATH; works in the current folder.  Outputs that are equal byte for byte are shown
# once.  What has to be left out of what perf says stands in plain().
set -u
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C

work="perl -e '\$i++ while \$i < 1e6'"
calls="perl -e 'for (1 .. 20) { open F, \"<\", \"/dev/null\"; sysread F, \$b, 1; close F; \$p = fork or exit; waitpid \$p, 0 }'"

# rows: `group|name|words|records|command` of each kind
rows() {
	awk -F ' *[|] *' -v OFS='|' '
		/^\[/ { group = substr($0, 2, length($0) - 2); next }
		/^#/ || !NF { next }
		{ command = $0; sub(/^[^|]*[|][^|]*[|][^|]*[|] */, "", command); print group, $1, $2, $3, command }' "$here/oracle.txt"
}

# older A B: is version A older than B?
older() { [ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# cannot VERSION WORDS: says why this version cannot record it; fails if it can
cannot() {
	local word
	for word in $2; do
		case $word in
		since=*) older "$1" "${word#*=}" && echo "came after it" && return ;;
		until=*) older "${word#*=}" "$1" && echo "went before it" && return ;;
		esac
	done
	return 1
}

# ---- the stages: standard input to standard output; the saved file is a file

stages=(cat filter judge sort sort-all merge undump mend squeeze compress inject save save-cat split prune)
stage() {
	case $1 in
	cat) pp-cat ;;
	filter) pp-filter ;;
	judge) pp-filter -q 'comm == "x" || pid >= 0 || pid < 0' ;;
	sort) pp-sort -q ;;
	sort-all) pp-sort -q --all ;;
	merge) pp-merge -q - ;;
	undump) pp-dump --json | pp-undump ;;
	mend) pp-mend -q ;;
	squeeze) pp-compress | pp-decompress ;;
	compress) pp-compress ;;
	inject) pp-inject -q -b --seal --note oracle=yes ;;
	save) pp-save -q -o save && cat save ;;
	save-cat) pp-save -q -o save && pp-cat save ;;
	split) rm -f piece-* && pp-split -q --samples=50 -o piece-%03u && pp-merge -q piece-* ;;
	prune) pp-filter -q --prune ;;
	esac
}

# ---- what perf says

# show VIEW FILE: of a stream, from a pipe; of a saved file, from the file.  Inlined functions are
# left out, since perf asks addr2line, and does not wait for it for ever.
show() {
	local file=$2 input=-
	local columns=(-s "$sort")
	[ "$file" != save ] || input=save
	# Of a file perf 7.3 may add a column for latency, of a pipe it never does.
	[[ $input = - || " $words " == *" unread "* ]] || columns=(-F "overhead,$sort")
	case $1 in
	script) set -- script --no-inline ;;
	sideband)
		set -- script --no-inline --show-task-events --show-mmap-events --show-switch-events \
			--show-namespace-events --show-lost-events --show-cgroup-events --show-bpf-events
		;;
	# How perf sorts and folds by itself depends on whether it knows the events when it begins.
	# Columns are as wide as some names that it knows, and cut others.
	report) set -- report --no-inline --stdio --no-children -g none "${columns[@]}" -t '|' -w 0,24,80,80,80 ;;
	header) set -- report --header-only ;;
	esac
	cat "$file" 2>/dev/null | timeout 120 $perf "$@" -i "$input" 2>show.err
	echo "exit ${PIPESTATUS[1]}"
	cat show.err
}

# known VIEW FILE: the same of the recording, whose lines of script are among those of sideband
known() {
	if [ "$1" = script ]; then
		sed -E '/PERF_RECORD_/d; /^\t\t[[ ]/d' "$2.sideband"
	else
		show "$1" "$2"
	fi
}

# plain STAGE: what perf says of the recording rather than of how it lies there
plain() {
	local leave=(
		-e '/^# \(Tip: |^Cannot load tips/d'    # another one each time
		-e '/^# captured on/d'                  # the time at which perf looks
		-e '/^#?$/d' -e '/^# =+$/d'
		-e 's/ +/ /g' -e 's/ \|/|/g'           # as wide as names that may have no sample
		# what was lost is counted among what is there
		-e '/^(Warning:|Check IO\/CPU overload!)$/d' -e '/^Processed [0-9]+ (events|samples) and lost/d'
		-e '/^# compressed :/d'                 # comes with pp-compress and goes with any other stage
		-e '/^# contains stat data/d'           # a feature that only files have
		# perf looks for a vdso that has a build-id in its cache, which is empty here, and for one
		# that has none in its own memory
		-e 's/ [^ ]+ \(\[vdso\]\)/ ? ([vdso])/' -e '/\|\[vdso\] *\|/d'
	)
	# files of other programs may go, or lie in a file system that perf sees while they run only
	case $group in
	system-wide | tracepoints) leave+=(-e 's/[^ ]+ (\([^()]*\))$/? \1/' -e 's/^(\t *[0-9a-f]+) .*/\1/') ;;
	esac
	case $1 in
	save*)
		leave+=(
			-e '/^# (data|feat) (offset|size) /d' -e '/^# missing features:/d'
			-e '/^# time of (first|last) sample/d' -e '/^# sample duration/d' # zeros in a pipe
			-e 's/, size = [0-9]+//'        # a file has one size for all attributes
			-e 's/^The (-|save) data/The data/'
			-e '/^WARNING: perf.data is missing HEADER_NRCPUS/d'
			# In a file perf looks up what stands in fields and chains of tracepoints, in a pipe not.
			-e 's/\b(call_site=|function[ =]|caller=)[^ ]+.*//' -e 's/^\t *[0-9a-f]+ .*//'
		)
		;;
	prune)
		# The kernel's map goes where there are no samples, which worries perf report.
		grep -q ' SAMPLE$' types || leave+=(-e '/^Kernel address maps/,/^Samples in kernel modules/d')
		;;
	esac
	sed -E "${leave[@]}"
}

# differs WHAT A B: says so if the files differ
differs() {
	cmp -s "$2" "$3" && return 1
	echo "perf $version, $kind: $1"
	diff "$2" "$3" | head -n 10
	bad=1
}

# compare STAGE: what perf says of the stage's output, which is in the file of its name
compare() {
	local view views=(sideband) from=in file=$1 as=$1
	case $1 in
	save) views=(sideband report header) ;;
	compress | inject) views=(sideband header) ;;
	# Names and maps that nobody needs go; those that many pieces need come once in each.
	split) views=(script header) ;;
	prune) views=(script report) ;;
	esac
	if [[ " $words " == *" unread "* ]]; then
		[ "$1" = save ] || pp-save -q -i "$1" -o save || return
		from=saved file=save as=save
	fi
	for view in "${views[@]}"; do
		[ -f "$from.$view" ] || known "$view" "$from" >"$from.$view"
		show "$view" "$file" >out
		plain "$as" <"$from.$view" >want.plain
		plain "$as" <out >out.plain
		case $as-$view in
		# A file says more of its events than a pipe of counts does.
		save*-header) comm -23 <(sort want.plain) <(sort out.plain) >want.missing
			differs "the header lacks lines after $1" /dev/null want.missing ;;
		*) differs "$view differs after $1" want.plain out.plain ;;
		esac
	done
}

# record: makes the recording of the kind, as `in`
record() {
	local pid='' line=${command//\{perf\}/$perf} type
	line=${line//\{work\}/$work}
	line=${line//\{calls\}/$calls}
	if [[ $line == *"{pid}"* ]]; then
		perl -e '1 while 1' &
		pid=$!
		line=${line//\{pid\}/$pid}
	fi
	# without -o perf writes into the pipe that its output is
	eval "timeout 120 $line" 2>record.err </dev/null | cat >in
	recording=${PIPESTATUS[0]}
	[ -z "$pid" ] || { kill "$pid"; wait "$pid"; } 2>/dev/null
}

# holds: does the recording hold what the list says?
holds() {
	local type
	perl -I"$here" "$here/records.pl" in 2>types.err | awk '{ print $2 }' | sort | uniq -c >types
	for type in $records; do
		grep -qE " $type$" types && continue
		if [ "$recording" -ne 0 ]; then
			echo "perf $version, $kind: it exits with $recording: $(tail -n 1 record.err)"
			return 5
		fi
		echo "perf $version, $kind: no $type in what it recorded"
		cat record.err types
		return 1
	done
}

# in_order: does perf show the recording in order of time?  Where a virtual CPU stands still between
# the time of a record and its place in the ring, the record comes rounds late, and perf shows it late.
in_order() {
	perl -ne '/^[^\t].* (\d+\.\d+): / && $1 > 0 or next; $1 >= $last or exit 1; $last = $1' in.sideband
}

# recorded: a recording that perf itself reads, and in order if one can be had; else $unordered.  While
# another session asks for build-ids of all CPUs' maps, Linux (6.18) says in every session that maps
# carry them, and perf 6.1 aborts.
recorded() {
	local try
	unordered='' unread=''
	for try in 1 2 3 4 5; do
		record
		[[ " $words " != *" unread "* ]] || break
		show sideband in >in.sideband
		unordered='' unread=''
		if ! grep -q '^exit 0$' in.sideband; then
			unread=$(tail -n 5 in.sideband)
			[ "$recording" -eq 0 ] || break
		elif ! in_order; then
			unordered=yes
		else
			break
		fi
		sleep "$try"
	done
	holds || return
	[ -z "$unread" ] || { echo "perf $version, $kind: it does not read its own recording: $unread"; return 5; }
}

kind_of() {
	local row
	row=$(rows | grep -E "^[^|]*\|$1\|") || { echo "oracle.sh: no kind $1" >&2; exit 2; }
	IFS='|' read -r group kind words records command <<<"$row"
}

case ${1:-} in
-l)
	while IFS='|' read -r group kind words _; do
		[ "$group" != "$3" ] || cannot "$2" "$words" >/dev/null || echo "$kind"
	done < <(rows)
	exit
	;;
-n)
	while IFS='|' read -r group kind words _; do
		! why=$(cannot "$2" "$words") || echo "$kind ($why)"
	done < <(rows)
	exit
	;;
esac

perf=$1 bad=0
version=$($perf version | sed -nE 's/^perf version ([0-9]+\.[0-9]+).*/\1/p')
kind_of "$2"
sort=comm,dso,sym
case $group in
system-wide | tracepoints) sort=comm,dso ;;
esac
recorded || exit
if [[ " $words " == *" unread "* ]]; then
	pp-save -q -i in -o saved || exit 1
	cp saved save
	show sideband save >saved.sideband
	show report save >saved.report
	show header save >saved.header
fi
seen=(in)
for name in "${stages[@]}"; do
	# Where names and attributes come after the samples, two stages cannot judge these, and say so;
	# sorted as a whole they come first, and perf finds more names.
	[[ " $words " != *" unread "* || "$name" != @(split|prune|sort-all) ]] || continue
	# Order that perf's own view lacks is better, not wrong.
	[[ -z "$unordered" || "$name" != @(sort|sort-all|merge|split) ]] || continue
	stage "$name" <in >"$name" 2>err
	status=$?
	if [ "$status" -ne 0 ] || [ -s err ]; then
		echo "perf $version, $kind: $name exits with $status"
		head -n 5 err
		bad=1
	fi
	for other in "${seen[@]}"; do
		cmp -s "$other" "$name" && continue 2
	done
	seen+=("$name")
	compare "$name"
done
exit "$bad"
