# report.bats - pp-stat beside perf stat report: the same text for the same counts, byte for byte.

setup() { load ../../helper; }

# same_as_perf PERF FILE OPTION...: perf writes to standard error, and warns there.
same_as_perf() {
	local perf=$1 file=$2
	shift 2
	"$perf" stat report "$@" -i "$file" 2>&1 >/dev/null |
		grep -v -e '^warning: ' -e '^unknown stat config term' >want
	pp-stat "$@" "$file" >got 2>err
	diff -u want got
}

need_perf_6_1() {
	[ "$(perf --version | grep -o '[0-9]*\.[0-9]*' | head -n 1)" = 6.1 ] || skip "the text is that of perf 6.1"
}

recordings() {
	printf '%s\n' '-- "${CALLS[@]}"' '-a -- "${CALLS[@]}"' '-C 0 -- "${CALLS[@]}"' '-p $$ -- true' \
		'--per-thread -p $$ -- true' '-A -a -- "${CALLS[@]}"' '--per-socket -a -- "${CALLS[@]}"'
}

# bats test_tags=nightly
@test "the text of perf stat report for live recordings, with each aggregation, from a pipe and a file" {
	need_system_wide
	need_perf_6_1
	recordings >kinds
	while read -r kind; do
		eval "perf stat record -o - $kind" >in.pipe 2>/dev/null
		eval "perf stat record -o in.data $kind" >/dev/null 2>&1
		for option in '' -A --per-core --per-die --per-socket --per-node; do
			echo "$kind $option"
			same_as_perf perf in.pipe $option
			same_as_perf perf in.data $option
		done
	done <kinds
}

@test "tracepoints, and events with modifiers" {
	need_tracepoints
	need_perf_6_1
	need_system_wide
	perf stat record -a -e sched:sched_process_exec,syscalls:sys_enter_openat,page-faults:u,task-clock \
		-o - -- "${CALLS[@]}" >in.pipe 2>/dev/null
	for option in '' -A --per-core --per-die --per-socket --per-node; do
		same_as_perf perf in.pipe $option
	done
}

@test "by cluster and cache the text of perf 6.12" {
	need_system_wide
	need_newer_perf 6.12
	perf=$(newer_perf 6.12)
	"$perf" stat record -a -e task-clock,page-faults -o - -- "${CALLS[@]}" >in.pipe 2>/dev/null
	for option in --per-cluster --per-cache; do
		same_as_perf "$perf" in.pipe $option
	done
}

@test "recordings of perf 6.12 and 7.3 are read as those of 6.1" {
	need_system_wide
	need_perf_6_1
	for version in 6.12 7.3; do
		need_newer_perf $version
		perf=$(newer_perf $version)
		"$perf" stat record -a -e task-clock,page-faults -o - -- "${CALLS[@]}" >in.pipe 2>/dev/null
		for option in '' -A --per-core --per-die --per-socket; do
			same_as_perf perf in.pipe $option
		done
	done
}

# perf 7.3 gives the events that it counts by itself no id, and writes their counts as 0, with id 0.
@test "counts without an id, of events that have none, are left out and reported, and are no damage" {
	some_counts() {  # ATTRIBUTE: a stream of an event, one more, and a count with id 0
		printf '%s\n' header 'attr id=7 type=1 config=2' "$1" 'thread_map entries=-1:' 'stat_config entries=0:1,1:0,2:1' \
			'stat id=7 cpu=-1 thread=0 val=49 ena=9 run=9' 'stat id=0 cpu=-1 thread=0 val=0 ena=1 run=1' \
			'stat_round type=1 time=4000000' round | build
	}
	some_counts 'attr id= type=4294967294 config=1' >in
	run -0 --separate-stderr pp-stat -x, in
	[[ $output == '49,,page-faults,'* ]]
	[[ $stderr == 'pp-stat: 1 count without an id, as'*': not shown' ]]
	run -0 --separate-stderr pp-stat -q -x, in
	[ -z "$stderr" ]
	some_counts 'attr id=8 type=1 config=3' >in
	run -3 --separate-stderr pp-stat -x, in
	[[ $stderr == *'1 counts are of events'*'that the stream does not have' ]]
}

@test "what perf stat record writes by itself is read without complaint" {
	need_kernel
	need_perf
	for perf in perf "$(newer_perf 7.3)"; do
		[ -n "$perf" ] || continue
		"$perf" stat record -o - -- true 2>/dev/null >in.pipe || skip "perf stat record does not work here"
		run -0 pp-stat --csv in.pipe
		[[ $output == *,page-faults,* ]]
	done
}

@test "the recordings of the corpus show what perf shows of them" {
	need_perf
	need_perf_6_1
	corpus perf-6.1/stat.pipe.data
	for file in perf-6.1/stat{.a,,.pipe}.data perf-6.12/stat.pipe.data perf-7.3/stat.pipe.data; do
		for option in '' -A; do
			same_as_perf perf "$CORPUS/$file" $option
		done
	done
}

# Of intervals perf divides by the mean of those before: all is the same but for the rates.
@test "intervals are those of perf, and their rates are right" {
	need_system_wide
	need_perf_6_1
	perf stat record -a -I 50 -e cpu-clock,page-faults,context-switches -o - -- sleep 0.3 >in.pipe 2>/dev/null
	for option in '' -A --per-core --per-socket; do
		perf stat report $option -i in.pipe 2>&1 | sed 's/  #.*//; s/ *$//' >want
		pp-stat $option in.pipe | sed 's/  #.*//; s/ *$//' >got
		diff -u want got
	done
	pp-stat -x, in.pipe | awk -F, '
		$4 == "cpu-clock" { ms = $2 }
		$4 == "page-faults" {
			rate = $7 * ($8 == "K/sec" ? 1000 : 1)
			off = rate - $2 / ms * 1000
			if (off * off > (rate * 1e-3 + 1e-3) ^ 2) { print; exit 1 }
			seen++
		}
		END { exit !seen }'
}

# machines: words for machine.pl, a line each
machines() {
	printf '%s\n' '2 2 2 2 8' '1 4 4 2 4' '2 4 2 2 8' '1 1 8 1 1 hybrid' '2 1 4 2 2 hybrid'
}

# made WORDS: in.data, and sys/, where perf -A looks for the CPUs of whatever machine a file is from
made() {
	# shellcheck disable=SC2086
	perl "$TESTS/tools/stat/machine.pl" $1 >made.txt
	build <made.txt | pp-save -o in.data -
	rm -rf sys
	local cpu cpus
	cpus=$(sed -n 's/^cpu_map cpus=//p' made.txt)
	for cpu in ${cpus//,/ }; do
		mkdir -p "sys/devices/system/cpu/cpu$cpu/topology"
		for file in physical_package_id die_id core_id; do
			echo 0 >"sys/devices/system/cpu/cpu$cpu/topology/$file"
		done
	done
	for file in possible present online; do echo "0-$cpu" >"sys/devices/system/cpu/$file"; done
}

# Without what perf prints wrong: rates of what is counted on one CPU of each socket (it takes another CPU's time
# from the second on) and of events of one kind of cores (in time alone); the number of a cluster that no file has.
without_wrong() {
	sed -e '/energy-pkg\|cpu_core\|cpu_atom/s/  #.*//' -e 's/ *$//' -e 's/CLS0 /CLS-1/'
}

# machines_as PERF OPTION...: each of the made machines, with each option, as this perf shows it
machines_as() {
	local perf=$1 machine option
	while read -r machine; do
		made "$machine"
		for option in "${@:2}"; do
			SYSFS_PATH=$PWD/sys "$perf" stat report $option -i in.data 2>&1 >/dev/null | without_wrong >want
			pp-stat $option in.data | without_wrong >got
			[ "$(wc -l <want)" -gt 10 ]
			diff -u want got || { echo "machine $machine $option"; return 1; }
		done
	done < <(machines)
}

@test "the text of perf stat report for machines of sockets, dies, threads, nodes and kinds of cores" {
	need_perf
	need_perf_6_1
	machines_as perf '' -A --per-core --per-die --per-socket --per-node
}

@test "the text of perf 6.12 for such machines, by cluster and by each level of cache" {
	need_newer_perf 6.12
	machines_as "$(newer_perf 6.12)" --per-cluster --per-cache --per-cache=L1 --per-cache=l2 --per-cache=L3
}

@test "rates of events of one kind of cores are of that kind" {
	made '1 1 8 1 1 hybrid'
	pp-stat -x, in.data | cut -d, -f3,6- >got
	grep -qx 'cpu_core/cycles/,0.002,GHz' got
	grep -qx 'cpu_core/instructions/,1.33,insn per cycle' got
	grep -qx 'cpu_atom/instructions/,1.17,insn per cycle' got
}

# bats test_tags=T3-E5
@test "a command for pp-stat is said to be one for pp-count" {
	run -2 pp-stat sleep 1
	assert_line --index 0 "pp-stat: 'sleep' is no file but a command: pp-count counts, pp-stat shows: pp-count -- sleep 1 | pp-stat"
	# whatever follows it belongs to the command, as for perf stat
	first() {
		run -2 --separate-stderr "${@:2}"
		[ "${stderr_lines[0]}" = "pp-stat: '$1" ] || { echo "$stderr"; return 1; }
	}
	ends="is no file but a command: pp-count counts, pp-stat shows: pp-count --"
	first "sleep' $ends sleep 1 2 3 | pp-stat" pp-stat sleep 1 2 3
	first "sleep' $ends sleep 1 | pp-stat" pp-stat -- sleep 1
	first "ls' $ends ls -l -x --no-such | pp-stat" pp-stat -x , ls -l -x --no-such
	first "sleep' $ends sleep -x | pp-stat" pp-stat sleep -x
	first "record' is perf stat's: pp-count -o FILE -- COMMAND keeps counts for pp-stat FILE" pp-stat record -e x sleep 1
	first "report' is perf stat's: pp-stat FILE does so" pp-stat report -i x
	run -4 pp-stat nowhere 1
	assert_output --partial 'cannot open'
	cp "$TESTS/streams/stat.pipe" sleep
	run -0 pp-stat sleep
	run -0 pp-stat sleep -x ,
	# of recorders too everything after the command is its own
	pp-record -q -o out -e cpu-clock echo -o 3 --no-such 4 >said
	[ "$(cat said)" = '-o 3 --no-such 4' ]
	pp-count -o out -e cpu-clock echo 1 -x 2 >said
	[ "$(cat said)" = '1 -x 2' ]
}
