#!/bin/bash
# bench.sh - measures the tools side by side with cat, perf and zstd on one stream that perf
# records here, and prints ratios.  Numbers of one run compare; those of two machines do not.
#
#   BENCH_MB=300 make bench    size of the stream
#   RUNS=5 make bench          runs of each measurement; the best counts
#   ONLY=recorders make bench  the recorders alone; ONLY=counting: counting alone; ONLY=counts: reading counts
#   ONLY=unwind make bench     unwinding alone; ONLY=script: samples as text; ONLY=inject: what pp-inject adds
#   ONLY=fold make bench       stacks and heat maps alone; ONLY=report: tables and call trees
#   ONLY=symbol make bench     names alone
set -u
cd "$(dirname "$0")/../.." || exit 4
tests/packages.sh bench || exit 4
PATH=${BIN:-$PWD/build/plain}:$PATH
export LC_ALL=C
here=$PWD/tests/bench
mb=${BENCH_MB:-300}
runs=${RUNS:-3}

PERF_NEWER=${PERF_NEWER:-${XDG_CACHE_HOME:-$HOME/.cache}/perfpipe/newer-perf}
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-bench.XXXXXX") || exit 4
export XDG_CACHE_HOME=$work/cache # what is kept for the next run
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 4

size() { stat -c %s "$1"; }
div() { awk -v a="$1" -v b="$2" -v f="${3:-%.2f}" 'BEGIN { printf f, b ? a / b : 0 }'; }
measure() { perl "$here/measure.pl" "$@"; }
have() { command -v "$1" >/dev/null; }

# row NAME SECONDS BYTES RSS REMARK
row() {
	printf '%-34s %8s s %8s MB/s %6s  %s\n' "$1" "$2" "$(div "$3" "$2" %.3f | awk '{ printf "%.0f", $1 / 1e6 }')" \
		"${4:--}" "${5:-}"
}

wanted() { # RATIO LIMIT: "ratio (wanted LIMIT)" and whether it was met
	awk -v r="$1" -v l="$2" -v t="$3" 'BEGIN { printf "%.2f %s (wanted %s: %s)", r, t, l, (r + 0 >= l + 0) ? "met" : "MISSED" }'
}

# ---- recorders in turns, of the same load, with equal buffers

at_most() { # VALUE LIMIT WHAT
	awk -v r="$1" -v l="$2" -v t="$3" 'BEGIN { printf "%s %s (wanted at most %s: %s)", r, t, l, (r + 0 <= l + 0) ? "met" : "MISSED" }'
}

# recorders NAME OPTIONS...: in many short turns, since the load's speed differs by a fifth from one to
# the next.  What was lost is compared as a number: perf's own writing adds to its samples.
recorders() {
	local name=$1 who cpu rss samples lost did late free_work perf=() ours=()
	shift
	while read -r who cpu rss samples lost did late; do
		case $who in
		none) free_work=$did; continue ;;
		perf) perf=("$cpu" "$rss" "$lost" "$did") who='perf record' ;;
		ours) ours=("$cpu" "$rss" "$lost" "$did" "$late") who=pp-record ;;
		esac
		printf '%-42s %8s s of processor time, RSS %s MB, lost %s of %s, load at %s, late by %s ms\n' \
			"$who $name" "$cpu" "$rss" "$lost" "$samples" "$(div "$did" "$free_work")" "$late"
	done < <(BENCH_HERE=$here perl "$here/recorders.pl" "$((3 * runs))" 128 2 "$@")
	[ ${#ours[@]} -gt 0 ] || return
	printf '  %s\n' "$(at_most "$(div "${ours[0]}" "${perf[0]}")" 0.50 "of perf's processor time")" \
		"$(at_most "${ours[1]}" "${perf[1]}" MB)" "$(at_most "${ours[2]}" "${perf[2]}" lost)" \
		"$(at_most "${ours[4]}" 250 'ms late')" \
		"$(wanted "$(div "${ours[3]}" "${perf[3]}")" 0.98 "of the load's speed under perf")"
}

# ---- unwinding, of a compiler's stacks, with the first sight of every file

# forget: what files said in earlier runs; the kernel's own names stay
forget() { rm -f "$XDG_CACHE_HOME"/perfpipe/names-*; }

# spent_on FILE COMMAND...: the least processor time of its runs: user, then user and system; each is the
# first to see the files, unless AGAIN is set
spent_on() {
	local i file=$1 TIMEFORMAT='%3U %3S'

	shift
	for ((i = 0; i < runs; i++)); do
		rm -rf jitted jitted-*.so # images of the run before
		[ "${AGAIN:-}" ] || forget
		{ time "$@" <"$file" >/dev/null 2>&1; } 2>&1
	done | awk '{ if (!n++ || $1 < u) u = $1; if (n == 1 || $1 + $2 < a) a = $1 + $2 } END { print u, a }'
}

# a program that takes the compiler about a second
write_program() {
	perl -e 'print "struct s$_ { int a, b; double c[7]; };\nint f$_(struct s$_ *p, int n) { int r = 0; for (int i = 0; i < n; i++) { ",
			"switch ((i * $_ + p->a) % 9) { ", (map { "case $_: r += p->b * $_; p->c[$_ % 7] += r; break; " } 0 .. 7),
			"default: r ^= i; } } return r; }\n" for 1 .. 250' >big.c
}

unwinding() {
	local newer perf ours

	newer=$(find "$PERF_NEWER" -maxdepth 1 -name 'perf-7.*' 2>/dev/null | sort -V | tail -n 1)
	if [ -z "$newer" ] || ! have gcc; then
		echo "pp-unwind: no perf 7 in \$PERF_NEWER, or no gcc: not measured"
		return
	fi
	write_program
	pp-record -q --call-graph dwarf -e cpu-clock -F 4000 -o stacks.pipe -- gcc -O2 -c big.c -o big.o
	read -ra perf < <(spent_on stacks.pipe "$newer" script --no-inline -F ip -i -)
	read -ra ours < <(spent_on stacks.pipe pp-unwind)
	row "perf script --no-inline" "${perf[1]}" "$(size stacks.pipe)"
	row "pp-unwind" "${ours[1]}" "$(size stacks.pipe)" - \
		"$(wanted "$(div "${perf[0]}" "${ours[0]}")" 5 "times perf 7's user time"), $(
		wanted "$(div "${perf[1]}" "${ours[1]}")" 2.5 'times its user and system time')"
}

if [ -z "${ONLY:-}" ] || [ "$ONLY" = unwind ]; then
	unwinding
fi
[ "${ONLY:-}" != unwind ] || exit 0

# ---- what pp-inject adds, the first sight of every file included

# injecting NAME FILE LIMIT OPTION...: pp-inject beside perf inject
injecting() {
	local name=$1 file=$2 limit=$3 perf ours

	shift 3
	read -ra perf < <(spent_on "$file" perf inject "$@")
	read -ra ours < <(spent_on "$file" pp-inject "$@")
	row "perf inject $name" "${perf[1]}" "$(size "$file")"
	row "pp-inject $name" "${ours[1]}" "$(size "$file")" - \
		"$(wanted "$(div "${perf[1]}" "${ours[1]}")" "$limit" "times perf's user and system time")"
}

# jitting: in memory, since a disk takes longer for 3,000 new files than either
jitting() {
	local memory

	memory=$(mktemp -d /dev/shm/pp-bench.XXXXXX) || return
	pushd "$memory" >/dev/null || return
	perl -e 'print "header pid=7\n";
		printf "lines time=%d addr=0x%x 0:a.js:1 16:=:2 48:=:9\nload time=%d addr=0x%x index=%d name=f%d size=256\n",
			1000 + $_, 0x100000 + 4096 * $_, 1000 + $_, 0x100000 + 4096 * $_, $_, $_ for 1 .. 3000;
		print "close time=9000\n"' | perl "$here/../jitdump.pl" >jit-7.dump
	perl -e 'print "header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1\n",
			"mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file=\"$ARGV[0]/jit-7.dump\" time=5\n";
		printf "sample pid=7 ip=0x%x time=%d\n", 0x100000 + 4096 * $_ + 20, 5000 + $_ for map { ($_) x 20 } 1 .. 3000;
		print "round\n"' "$PWD" | perl "$here/../build.pl" >jit.pipe
	injecting "-j, 3,000 pieces of code" jit.pipe 1 -j
	popd >/dev/null || return
	rm -rf "$memory"
}

if [ -z "${ONLY:-}" ] || [ "$ONLY" = inject ]; then
	jitting
	if have gcc; then
		write_program
		pp-record -q -g -e cpu-clock -F 20000 -o calls.pipe -- gcc -O2 -c big.c -o big.o
		injecting "-b, calls of a compiler" calls.pipe 2 -b
	fi
	rm -f calls.pipe
fi
[ "${ONLY:-}" != inject ] || exit 0

# ---- samples as text, beside perf of this machine

# repeat FILE OUT: as long as the others' streams: reading the files that have the names takes the same for any
repeat() {
	local i

	for ((i = 0; i < 1 + mb * 1000000 / $(size "$1"); i++)); do
		echo "$1"
	done | xargs pp-merge -q -o "$2"
}

scripting() {
	local perf ours again

	pp-record -q -g -e cpu-clock -F 20000 -o once.pipe -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -lR /usr; done' >/dev/null
	repeat once.pipe calls.pipe
	read -ra perf < <(spent_on calls.pipe perf script -i -)
	read -ra ours < <(spent_on calls.pipe pp-script -q)
	read -ra again < <(AGAIN=1 spent_on calls.pipe pp-script -q)
	row "perf script" "${perf[1]}" "$(size calls.pipe)"
	row "pp-script" "${ours[1]}" "$(size calls.pipe)" - \
		"$(wanted "$(div "${perf[1]}" "${ours[1]}")" 10 "times perf's user and system time")"
	row "the same, again" "${again[1]}" "$(size calls.pipe)" - "$(div "${perf[1]}" "${again[1]}") times"
	rm -f once.pipe calls.pipe
}

if have perf && { [ -z "${ONLY:-}" ] || [ "$ONLY" = script ]; }; then
	scripting
fi
[ "${ONLY:-}" != script ] || exit 0

# ---- tables and call trees, beside perf of this machine

# reporting NAME FILE PERF OURS: options of both
reporting() {
	local perf ours again

	# shellcheck disable=SC2086
	read -ra perf < <(spent_on "$2" perf report --stdio $3)
	# shellcheck disable=SC2086
	read -ra ours < <(spent_on "$2" pp-report -q $4)
	# shellcheck disable=SC2086
	read -ra again < <(AGAIN=1 spent_on "$2" pp-report -q $4)
	row "perf report $1" "${perf[1]}" "$(size "$2")"
	row "pp-report $1" "${ours[1]}" "$(size "$2")" - \
		"$(wanted "$(div "${perf[1]}" "${ours[1]}")" 10 "times perf's user and system time")"
	row "the same, again" "${again[1]}" "$(size "$2")" - "$(div "${perf[1]}" "${again[1]}") times"
}

# of a pipe perf counts no children, whatever it is asked
tables() {
	reporting "of $1stream" "$2.pipe" "-i -" --no-children
	pp-save -q -o "$2.data" "$2.pipe"
	reporting "of $1file, children" "$2.data" "-i $2.data" "$2.data"
	rm -f "$2.pipe" "$2.data"
}

# A short recording, in which names that are read for the first time weigh most, and as long a one as elsewhere.
if have perf && { [ -z "${ONLY:-}" ] || [ "$ONLY" = report ]; }; then
	pp-record -q -g -e cpu-clock -F 20000 -o once.pipe -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -lR /usr; done' >/dev/null
	repeat once.pipe calls.pipe
	tables "a short " once
	tables "a " calls
fi
[ "${ONLY:-}" != report ] || exit 0

# ---- stacks: what perf needs two programs for, and a page of very many samples

# busy FILE: seconds of the processor that the commands in it take
busy() { local TIMEFORMAT='%U %S'; { time bash "$1" 2>/dev/null; } 2>&1 | awk '{ print $1 + $2 }'; }

# A page in a browser, until it is drawn.
opening() {
	local took

	command -v chromium-headless-shell >/dev/null || return 0
	pp-gen --samples 1e6 --callchain 12 --duration 60 | pp-flame -q --addrs --no-inline --root /nowhere -o opened.html
	took=$(for ((i = 0; i < runs; i++)); do
		echo 'eval performance.timing.loadEventEnd - performance.timing.navigationStart' |
			perl "$here/../browser/drive.pl" "$PWD/opened.html"
	done | sort -n | head -n 1)
	took=$(div "$took" 1000)
	printf '%-34s %8s s until it is there: %s\n' "a page of 1 million samples" "$took" "$(at_most "$took" 2 s)"
}

folding() {
	local perf ours took fixed

	pp-record -q -a -g -F 4000 -e cpu-clock -o once.pipe -- \
		perl -e 'my %h; $h{$_ % 999} .= sprintf "%x", $_ for 1 .. 2e6'
	repeat once.pipe folded.pipe
	echo "perf script --no-inline -i folded.pipe | perl '$here/../oracle/collapse.pl' >perf.folded" >perf.sh
	echo "pp-fold --no-inline folded.pipe >ours.folded" >ours.sh
	perf=$(busy perf.sh)
	ours=$(for ((i = 0; i < runs; i++)); do forget && busy ours.sh; done | sort -n | head -n 1)
	row "perf script | collapse.pl" "$perf" "$(size folded.pipe)"
	row "pp-fold" "$ours" "$(size folded.pipe)" - \
		"$(wanted "$(div "$perf" "$ours")" 30 "times perf's and Perl's processor time")"
	pp-gen --samples 3e6 --callchain 12 -o many.pipe
	took=$(measure "$runs" many.pipe /dev/null pp-fold --no-inline --root /nowhere)
	read -r _ took fixed <<<"$took"
	row "pp-fold, few stacks" "$took" "$(size many.pipe)" "$fixed" \
		"$(wanted "$(awk -v s="$took" -v b="$(size many.pipe)" 'BEGIN { print b / s / 1e6 }')" 300 MB/s)"
	rm many.pipe once.pipe folded.pipe
	echo "pp-gen --samples 5e7 --callchain 10 --duration 600 --cpus 64 |
		{ time -p pp-flame -q --no-inline --root /nowhere -o page; } 2>page.time" >page.sh
	bash page.sh
	took=$(awk '/user|sys/ { n += $2 } END { print n }' page.time)
	printf '%-34s %8s s of processor time: %s\n' "pp-flame of 50 million samples" "$took" "$(at_most "$took" 10 s)"
	opening
}

if [ -z "${ONLY:-}" ] || [ "$ONLY" = fold ]; then
	folding
fi
[ "${ONLY:-}" != fold ] || exit 0

# ---- names: files seen for the first time, names that are there, a large program

# write_large: a program of 700 MB, three quarters of it debug information, of 11,000 sources
write_large() {
	local i

	for i in {0..49}; do
		perl -e 'my $from = 40 * shift; print "struct s$_ { int a, b; double c[7]; };
			static inline __attribute__((always_inline)) int in$_(struct s$_ *p, int i)
			{ int t = p->a * i; if (t > $_) t -= p->b; return t; }
			int f$_(struct s$_ *p, int n) { int r = 0; for (int i = 0; i < n; i++) { switch (in$_(p, i) % 9) { ",
			(map { "case $_: r += p->b * $_; p->c[$_ % 7] += r; break; " } 0 .. 7),
			"default: r ^= in$_(p, r); } } return r; }\n" for $from + 1 .. $from + 40' "$i" >unit-"$i".c
	done
	echo 'int main(void) { return 0; }' >main.c
	printf '%s\n' unit-*.c main.c | xargs -n 13 -P "$(nproc)" gcc -O1 -g3 -c
	ld -r -o units.o unit-*.o
	for i in {1..220}; do objcopy --prefix-symbols="p${i}_" units.o "part-$i.o"; done
	gcc -Wl,--build-id -o large main.o part-*.o
	rm -f ./*.o unit-*.c main.c
}

# at_large: a stream in which one sample hits the program's function p100_f1000
at_large() {
	local id address offset

	id=$(readelf -n large | sed -n 's/.*Build ID: //p')
	address=$((0x$(nm large | awk '$3 == "p100_f1000" { print $1 }')))
	offset=$(readelf -lW large | awk '$1 == "LOAD" && /R E/ { print $2, $3; exit }' | {
		read -r from linked
		echo $((address - linked + from))
	})
	perl "$here/../build.pl" <<-END
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=7 start=0x100000000 len=0x40000000 file="$PWD/large" build_id=$id time=1
		sample pid=7 ip=$((0x100000000 + offset + 20)) misc=2 time=10
		round
	END
}

naming() {
	local took samples

	cat >names.sh <<-'END'
		for i in 1 2 3 4 5 6; do
			ls -lR /usr >/dev/null &
			perl -e 'my %h; $h{$_ % 999} .= sprintf "%x", $_ for 1 .. 2e6'
			wait
		done
	END
	pp-record -q -a -g -F 25000 -e cpu-clock -o all.pipe -- sh names.sh
	samples=$(pp-info all.pipe | awk '$1 == "events" { print $2 }')
	read -r _ took < <(spent_on all.pipe pp-symbol)
	row "pp-symbol, first sight" "$took" "$(size all.pipe)" - \
		"$(at_most "$(awk -v s="$took" -v n="$samples" 'BEGIN { printf "%.2f", s / n * 1e6 }')" 1.50 \
			's of processor time per million samples')"
	pp-symbol -q all.pipe >named.pipe
	read -r _ took < <(spent_on named.pipe pp-symbol)
	row "pp-symbol, names are there" "$took" "$(size named.pipe)" - \
		"$(wanted "$(awk -v s="$took" -v b="$(size named.pipe)" 'BEGIN { print b / s / 1e6 }')" 300 MB/s)"
	rm -f all.pipe named.pipe
	if ! have gcc; then
		echo "pp-symbol of a large program: no gcc: not measured"
		return
	fi
	write_large
	at_large >large.pipe
	pp-symbol -q large.pipe | pp-dump --headers --json | grep -q p100_f1000 ||
		echo "bench.sh: pp-symbol has no name in a large program" >&2
	forget
	read -r took _ < <(measure 1 large.pipe /dev/null pp-symbol)
	row "pp-symbol, program of $(($(size large) / 1000000)) MB" "$took" "$(size large)" - \
		"$(at_most "$took" 0.5 s)"
	rm -f large large.pipe
}

if [ -z "${ONLY:-}" ] || [ "$ONLY" = symbol ]; then
	naming
fi
[ "${ONLY:-}" != symbol ] || exit 0

if have pp-record && [[ ${ONLY:-} != count* ]]; then
	for rate in 1000 10000 25000; do
		recorders "-a -g -F $rate" -a -g -F $rate -e cpu-clock
	done
	recorders "-a -e raw_syscalls:sys_enter" -a -e raw_syscalls:sys_enter
fi
[ "${ONLY:-}" != recorders ] || exit 0

# ---- counting, in turns

# spent COMMAND...: "PROCESSOR_SECONDS RSS_MB SECONDS SECONDS_TO_START" of it, with what it waited for; the last
# until its own command left the time in the file `started`, if it did
spent() { rm -f started; perl -MTime::HiRes=time -e '
	my $begun = time; system(@ARGV) == 0 or die "@ARGV: failed\n"; my $took = time - $begun;
	my $started = open(STARTED, "<", "started") ? <STARTED> : $begun;
	# getrusage(RUSAGE_CHILDREN) on x86-64: two times and the peak of memory
	my $usage = "\0" x 144; syscall(98, -1, $usage); my @words = unpack "q18", $usage;
	printf "%.4f %.1f %.4f %.4f\n", ($words[0] + $words[2]) + ($words[1] + $words[3]) / 1e6, $words[4] / 1024, $took,
		$started - $begun' \
	"$@" 2>spent.messages; }

perf_intervals() { [ "${EACH:-}" ] && awk '/^ +[0-9]/ { print $1 }' perf.counts | sort -u | wc -l || echo 1; }
our_intervals() { [ "${EACH:-}" ] && pp-dump -i our.counts | grep -c '^[^ ]* *STAT_ROUND' || echo 1; }

# turn WHICH OPTIONS...: of perf and of ours
turn() {
	local which=$1
	shift
	spent perf stat -o perf.counts "$@" >spent.perf
	spent pp-count -o our.counts "$@" >spent.ours
	perf+=("$(awk -v n="$which" -v of="$(perf_intervals)" '{ printf "%.6f %s\n", $n / of, $2 }' spent.perf)")
	ours+=("$(awk -v n="$which" -v of="$(our_intervals)" '{ printf "%.6f %s\n", $n / of, $2 }' spent.ours)")
}

# in_crowd COMMAND...: four times, with options to count 5,000 threads.  Each counter interrupts another CPU, or
# not, by where the threads were and where perf's process happens to run, often all of them for as long as they live
in_crowd() {
	local crowd
	rm -f threads
	python3 -c 'import threading as t
t.stack_size(65536)
e = t.Event()
for _ in range(4999): t.Thread(target=e.wait, daemon=True).start()
print(flush=True)
e.wait(120)' >threads &
	crowd=$!
	for _ in {1..100}; do [ -s threads ] && break; sleep 0.1; done
	for _ in 1 2 3 4; do "$@" -p "$crowd" -e task-clock -- sh -c 'date +%s.%N >started'; done
	kill "$crowd"
	wait "$crowd" 2>/dev/null
}

# counting NAME WHICH LIMIT OPTIONS...: the WHICHth number that is spent, ours against perf's; of all runs the best,
# or the mean of MEAN, where chance decides what a run takes, in as many crowds if the options are CROWD; for each
# interval if EACH is set: at 1 ms perf leaves out more than half of them
counting() {
	local name=$1 which=$2 limit=$3 run ours=() perf=() best
	shift 3
	for ((run = 0; run < ${MEAN:-$runs}; run++)); do
		if [ "$1" = CROWD ]; then in_crowd turn "$which"; else turn "$which" "$@"; fi
	done
	for best in perf ours; do
		declare -n all=$best
		all=($(printf '%s\n' "${all[@]}" | sort -n | awk -v mean="${MEAN:-}" '
			NR == 1 { best = $1; rss = $2 } { sum += $1 } END { print (mean ? sum / NR : best), rss }'))
	done
	printf '%-42s %8s, perf stat %8s, RSS %s and %s MB: %s\n' "pp-count $name" "${ours[0]}" "${perf[0]}" "${ours[1]}" \
		"${perf[1]}" "$(at_most "$(div "${ours[0]}" "${perf[0]}")" "$limit" "of perf's seconds")"
}

if have pp-count && [ "${ONLY:-}" != counts ]; then
	software=task-clock,cpu-clock,cs,migrations,faults,minor-faults,major-faults,alignment-faults,emulation-faults
	points=sched:sched_switch,sched:sched_wakeup,sched:sched_waking,irq:irq_handler_entry,irq:softirq_entry
	calls=syscalls:sys_enter_read,syscalls:sys_enter_write,syscalls:sys_exit_read,syscalls:sys_exit_write
	twenty=$software,$points,$calls,timer:timer_start,timer:hrtimer_start
	counting '-a -I 10, 20 events, cpu' 1 0.50 -a -I 10 -e $twenty -- sleep 5
	EACH=1 counting '-a -I 1, 20 events, cpu of each' 1 0.50 -a -I 1 -e $twenty -- sleep 5
	counting '-- true, whole' 3 1.00 -- true
	if python3 -c 1 2>/dev/null; then
		MEAN=5 counting '-p of 5000 threads, cpu' 1 0.50 CROWD
		MEAN=5 counting '-p of 5000 threads, opened' 4 0.50 CROWD
	fi
fi
[ "${ONLY:-}" != counting ] || exit 0
# ---- counts

perl "$here/counts.pl" 1000 50 600 >counts.pipe
perl "$here/counts.pl" 1000 50 20 >few.pipe
counts=$(size counts.pipe)
read -r perf_s _ rss < <(measure 1 /dev/null /dev/null perf stat report -i few.pipe)
row "perf stat report ($(($(size few.pipe) / 1000000)) MB)" "$perf_s" "$(size few.pipe)" "$rss"
perf_rate=$(div "$(size few.pipe)" "$perf_s" %.3f)
read -r s _ rss < <(measure "$runs" counts.pipe /dev/null pp-stat)
row "pp-stat" "$s" "$counts" "$rss" "$(wanted "$(div $((counts / 1000000)) "$s")" 300 'MB/s'), $(
	div "$(div "$counts" "$s" %.3f)" "$perf_rate") times perf stat report"
rm -f counts.pipe few.pipe

# a day of intervals is 53 GB: some of it, and memory beside that of a tenth
perl "$here/counts.pl" 64 20 5000 100 >counts.pipe
perl "$here/counts.pl" 64 20 500 100 >few.pipe
counts=$(size counts.pipe)
for how in '' -A --per-core --json --csv '-A --json' '-A --csv'; do
	# shellcheck disable=SC2086
	read -r _ _ less < <(measure 1 few.pipe /dev/null pp-stat $how)
	# shellcheck disable=SC2086
	read -r s _ rss < <(measure "$runs" counts.pipe /dev/null pp-stat $how)
	rate=$(div $((counts / 1000000)) "$s")
	# each count as a line of its own is several times what was read
	[[ $how == '-A --'* ]] && rate+=" MB/s" || rate=$(wanted "$rate" 300 'MB/s')
	row "pp-stat${how:+ $how} (64 CPUs, 20 events)" "$s" "$counts" "$rss" "$rate, of a tenth $less"
done
rm -f counts.pipe few.pipe
[ "${ONLY:-}" != counts ] || exit 0

# ---- the stream

cat >load.sh <<'END'
dd if=/dev/zero of=/dev/null bs=1 count=$1 2>/dev/null &
dd if=/dev/zero of=/dev/null bs=1 count=$1 2>/dev/null &
wait
END

echo "recording $mb MB of tracepoints with perf record ..."
count=$((mb * 1300))
for _ in 1 2 3 4; do
	perf record -m 64M -o - -e 'sched:*,raw_syscalls:*' -- sh load.sh $count >big.pipe 2>record.log
	[ "$(size big.pipe)" -lt $((mb * 1000000)) ] || break
	count=$((count * 3 / 2))
done
bytes=$(size big.pipe)
if [ "$bytes" -lt 1000000 ]; then
	echo "bench.sh: perf cannot record tracepoints here:" >&2
	cat record.log >&2
	exit 4
fi
records=$(pp-dump --json -i big.pipe 2>/dev/null | wc -l)
pid=$(pp-dump --json -i big.pipe 2>/dev/null | head -n 20000 | jq -r 'select(.type == "SAMPLE") | .fields.pid' 2>/dev/null |
	sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
: "${pid:=1}"
echo "$((bytes / 1000000)) MB, $records records; best of $runs runs, on $(nproc) processors"
echo
printf '%-34s %10s %13s %6s\n' "" time rate "RSS MB"

# ---- filters, in the middle of a pipeline, beside cat

pipeline() { measure "$runs" /dev/null /dev/null sh -c "cat big.pipe | $1 | cat >/dev/null"; }

read -r cat_s _ _ < <(pipeline cat)
row "cat | cat | cat" "$cat_s" "$bytes"
# in_pipeline NAME COMMAND [LIMIT]
in_pipeline() {
	local s rss
	read -r s _ _ < <(pipeline "$2")
	read -r _ _ rss < <(measure 1 big.pipe /dev/null sh -c "exec $2")
	row "cat | $1 | cat" "$s" "$bytes" "$rss" "$(wanted "$(div "$cat_s" "$s")" "${3:-0.60}" 'of cat')"
}
in_pipeline "pp-filter -p PID" "pp-filter -p $pid" 0.75
in_pipeline "pp-filter --invert -p PID" "pp-filter --invert -p $pid" 0.75
in_pipeline "pp-filter --time" "pp-filter --time 0,999999999" 0.75
in_pipeline "pp-filter EXPRESSION" "pp-filter 'pid == $pid && cpu == 0'" 0.75
in_pipeline "pp-filter 'type != MMAP2'" "pp-filter 'type != MMAP2'" 0.75
in_pipeline "pp-filter --comm dd" "pp-filter --comm dd" 0.50
in_pipeline "pp-filter 'dso ~ ...'" "pp-filter 'dso ~ \"*/libc*\"'" 0.50
in_pipeline "pp-filter --prune -p PID" "pp-filter --prune -p $pid" 0.30
in_pipeline "pp-filter --prune (all)" "pp-filter --prune" 0.20
in_pipeline "pp-sort" "pp-sort" 0.50
in_pipeline "pp-inject -b" "pp-inject -b"

# ---- one program, from a file to /dev/null

read -r s _ rss < <(measure "$runs" big.pipe /dev/null pp-sort)
row "pp-sort <FILE" "$s" "$bytes" "$rss" "$(wanted "$(div $((bytes / 1000000)) "$s")" 500 'MB/s')"

# perf prints slowly: it gets the first part of the stream, and rates are compared
pp-filter -n 100000 -i big.pipe >part.pipe 2>/dev/null
part=$(size part.pipe)
read -r perf_s _ rss < <(measure 1 /dev/null /dev/null perf report -D -i part.pipe)
row "perf report -D ($((part / 1000000)) MB)" "$perf_s" "$part" "$rss"
perf_rate=$(div "$part" "$perf_s" %.3f)
for form in text json; do
	option=
	[ $form = text ] || option=--json
	# shellcheck disable=SC2086
	read -r s _ rss < <(measure "$runs" big.pipe /dev/null pp-dump $option)
	limit=15
	[ $form = text ] || limit=20
	row "pp-dump $option" "$s" "$bytes" "$rss" \
		"$(wanted "$(div "$(div "$bytes" "$s" %.3f)" "$perf_rate")" $limit "times perf report -D")"
done

# on a tracepoint pipe perf's output is damaged, but it does the whole work
read -r perf_s _ rss < <(measure 1 /dev/null /dev/null perf inject -b -i big.pipe -o -)
row "perf inject -b" "$perf_s" "$bytes" "$rss"
read -r s _ rss < <(measure "$runs" big.pipe /dev/null pp-inject -b)
row "pp-inject -b" "$s" "$bytes" "$rss" "$(wanted "$(div "$perf_s" "$s")" 1.00 'times perf inject -b')"

read -r zstd_s _ rss < <(measure "$runs" big.pipe /dev/null zstd -q -c -1 --single-thread)
row "zstd -1" "$zstd_s" "$bytes" "$rss" "to $(div "$(zstd -q -c -1 <big.pipe | wc -c)" "$bytes")"
read -r s _ rss < <(measure "$runs" big.pipe /dev/null pp-compress -1)
pp-compress -1 <big.pipe >small.pipe
row "pp-compress -1" "$s" "$bytes" "$rss" \
	"to $(div "$(size small.pipe)" "$bytes"), $(div "$zstd_s" "$s") of zstd's rate"
read -r s _ rss < <(measure "$runs" small.pipe /dev/null pp-decompress)
row "pp-decompress" "$s" "$bytes" "$rss"

# ---- files, and what is told of a stream

pp-save -i big.pipe -o big.data
file=$(size big.data)
read -r cat_s _ _ < <(measure "$runs" /dev/null /dev/null sh -c "cat big.data | cat >/dev/null")
row "cat FILE | cat" "$cat_s" "$file"
read -r s _ rss < <(measure "$runs" /dev/null /dev/null sh -c "pp-cat big.data | cat >/dev/null")
row "pp-cat FILE | cat" "$s" "$file" "$rss" "$(wanted "$(div "$cat_s" "$s")" 0.50 'of cat')"
# what is written anew is new: a file that was cut to 0 is flushed at its close, by ext4
read -r cat_s _ _ < <(measure "$runs" /dev/null /dev/null sh -c "rm -f out.pipe; cat big.pipe | cat >out.pipe")
row "cat | cat >FILE" "$cat_s" "$bytes"
read -r s _ _ < <(measure "$runs" /dev/null /dev/null sh -c "cat big.pipe | pp-save -o out.data")
read -r _ _ rss < <(measure 1 big.pipe /dev/null pp-save -o out.data)
row "cat | pp-save -o FILE" "$s" "$bytes" "$rss" "$(wanted "$(div "$cat_s" "$s")" 0.40 'of cat')"
for way in "--seconds 1 -o piece-%u" "--by cpu -o piece-{}"; do
	read -r s _ _ < <(measure "$runs" /dev/null /dev/null sh -c "rm -f piece-*; cat big.pipe | pp-split $way")
	# shellcheck disable=SC2086
	read -r _ _ rss < <(measure 1 big.pipe /dev/null pp-split $way)
	row "cat | pp-split ${way% -o *}" "$s" "$bytes" "$rss" "$(wanted "$(div "$cat_s" "$s")" 0.50 'of cat')"
	rm -f piece-*
done
rm -f out.pipe out.data big.data
# rate NAME LIMIT COMMAND...: megabytes of the stream in a second
rate() {
	local name=$1 limit=$2 s rss
	shift 2
	read -r s _ rss < <(measure "$runs" big.pipe /dev/null "$@")
	row "$name" "$s" "$bytes" "$rss" "$(wanted "$(div $((bytes / 1000000)) "$s")" "$limit" 'MB/s')"
}
rate "pp-sort --all" 300 pp-sort --all
rate "pp-sort --all -S 64M" 300 pp-sort --all -S 64M
rate "pp-sort --by cpu" 300 pp-sort --by cpu
rate "pp-info" 1000 pp-info
rate "pp-filter TRACEPOINT.NUMBER" 300 pp-filter 'raw_syscalls:sys_enter.args[0] == 1'
rate "pp-filter TRACEPOINT.TEXT" 300 pp-filter 'sched:sched_switch.prev_comm == "dd" && prev_state != 0'
[ ! -x "$(command -v pp-check)" ] || rate "pp-check" 500 pp-check -q
if have pp-mend; then
	read -r cat_s _ _ < <(pipeline cat)
	in_pipeline "pp-mend" "pp-mend" 0.50
fi
if have pp-undump; then
	pp-dump --json -i part.pipe >part.json
	read -r s _ rss < <(measure "$runs" part.json /dev/null pp-undump)
	row "pp-undump (JSON)" "$s" "$(size part.json)" "$rss" \
		"$(wanted "$(div $(($(size part.json) / 1000000)) "$s")" 50 'MB/s of JSON')"
fi
# the rounds of the recording are as large as its buffers: these are not
pp-gen --samples 4e6 --callchain 4 --disorder 1ms --no-seal -o made.pipe
read -r s _ rss < <(measure "$runs" made.pipe /dev/null pp-sort)
row "pp-sort, of small rounds" "$s" "$(size made.pipe)" "$rss" \
	"$(awk -v r="$rss" 'BEGIN { printf "%s MB (wanted at most 16: %s)", r, r <= 16 ? "met" : "MISSED" }')"
read -r s _ rss < <(measure "$runs" made.pipe /dev/null pp-sort --all)
row "pp-sort --all, of small rounds" "$s" "$(size made.pipe)" "$rss" \
	"$(wanted "$(div $(($(size made.pipe) / 1000000)) "$s")" 300 'MB/s')"
pp-gen --samples 4e6 --callchain 4 --no-seal -o made.pipe
read -r s _ rss < <(measure "$runs" /dev/null /dev/null pp-gen --samples 4e6 --callchain 4)
row "pp-gen --callchain 4" "$s" "$(size made.pipe)" "$rss" \
	"$(wanted "$(div $(($(size made.pipe) / 1000000)) "$s")" 500 'MB/s')"
rm -f made.pipe
for seed in 1 2 3 4; do pp-gen --seed $seed --samples 1e6 --callchain 4 --no-seal -o made-$seed.pipe; done
four=$(cat made-?.pipe | wc -c)
# merge NAME OPTIONS...: of four streams, megabytes of all in a second
merge() {
	local name=$1 s rss
	shift
	read -r s _ rss < <(measure "$runs" /dev/null /dev/null pp-merge -q "$@" made-1.pipe made-2.pipe made-3.pipe made-4.pipe)
	row "$name" "$s" "$four" "$rss" "$(wanted "$(div $((four / 1000000)) "$s")" 400 'MB/s')"
}
merge "pp-merge of 4"
merge "pp-merge --hosts of 4" --hosts
pp-gen --seed 4 --samples 1e6 --callchain 4 --events 2 --sample-type=ip,tid,time,id,cpu,period --no-seal -o made-4.pipe
merge "pp-merge of 4, one unlike"
rm -f made-?.pipe
exit 0
