# forms.bats - pp-stat on made counts: places, intervals, merged events, and each form of output.

setup() {
	load ../../helper
	load runs
}

made() { build <"$TESTS/streams/counts.txt"; }
# noted EVENTS [COUNT]: with what pp-count says in notes
noted() { made | pp-inject --note "count.events=[$1]" --note "count={${2:-}}"; }

# lines FILE...: those of events, without bounds and blanks
lines() { grep -E ' (msec|cpu_|uncore_)' | sed 's/  \[.*\]$//; s/ #.*(/ (/; s/ #.*//; s/ *$//; s/^ *//; s/  */ /g'; }

@test "counts are added up by each kind of place that the stream describes" {
	made >in
	pp-stat -I 0 in | lines >got
	[ "$(sed -n 2p got)" = '2400000000 cpu_core/cycles/ (50.00%)' ]
	while read -r option place n; do
		pp-stat -I 0 $option in | lines >got
		grep -qx "$place $n $((600000000 * n)) cpu_core/cycles/ (50.00%)" got
	done <<-'END'
		--per-core S1-D1-C1 1
		--per-die S1-D1 2
		--per-socket S0 2
		--per-node N1 2
		--per-cache S1-D1-L3-ID0 2
		--per-cache=L2 S1-D1-L2-ID2 2
		--per-cache=l1 S0-D0-L1-ID0 1
		--per-cluster S0-D0-CLS-1 2
	END
	noted '' '"clusters":[[0],[1],[2,3]]' | pp-stat -I 0 --per-cluster | lines | grep -qx 'S1-D1-CLS2 2 500.00 msec cpu-clock'
	pp-stat -I 0 -A in | lines | grep -qx 'CPU3 600000000 cpu_core/cycles/ (50.00%)'
	run -2 --separate-stderr pp-stat --per-cache=3 in
}

@test "-I shows a multiple of the recorded interval, with rates of its own; 0 shows all in one" {
	made >in
	pp-stat -x, in | grep cycles >got
	[ "$(cut -d, -f1,2,7 got | tr -d ' ')" = $'0.100000000,1200000000,3.000\n0.200000000,800000000,2.000\n0.250000000,400000000,2.000' ]
	pp-stat -x, -I 200 in | grep cycles >got
	[ "$(cut -d, -f1,2,7 got | tr -d ' ')" = $'0.200000000,2000000000,2.500\n0.250000000,400000000,2.000' ]
	[ "$(pp-stat -x, -I 0 in | grep cycles)" = '2400000000,,cpu_core/cycles/,500000000,50.00,2.400,GHz' ]
	run -2 --separate-stderr pp-stat -I 150 in
	[ "$stderr" = 'pp-stat: -I: 150 ms is not a multiple of the recorded interval of 100 ms' ]
	[ -z "$output" ]
	run -2 --separate-stderr pp-stat -I 100 "$TESTS/streams/stat.pipe"
	[ -z "$output" ]
}

@test "--summary, --no-csv-summary and --interval-clear" {
	made >in
	pp-stat --summary in >got
	[ "$(grep -c '^#  ' got)" -eq 1 ]
	grep -q "^ Performance counter stats for 'pipe':" got
	grep -q '^ *0.250000000 seconds time elapsed$' got
	[ "$(pp-stat -x, --summary in | tail -n 1)" = '         summary,470,,uncore_imc/reads/,500000000,100.00,470.000,/sec' ]
	[ "$(pp-stat -x, --summary --no-csv-summary in | tail -n 1)" = '470,,uncore_imc/reads/,500000000,100.00,470.000,/sec' ]
	[ "$(pp-stat --interval-clear in | grep -c "^$(printf '\033')\[H$(printf '\033')\[2J#  ")" -eq 3 ]
}

@test "what comes through a pipe is shown as it comes" {
	made >in
	mkfifo to from
	pp-stat -x, <to >from 3>&- &
	exec 4>to 5<from
	# up to and with the first round, which has 24 bytes
	at=$(pp-dump in | awk '/STAT_ROUND/ { print $1; exit }')
	head -c $((at + 24)) in >&4
	read -t 60 -r line <&5
	[[ $line == *0.100000000,400.00,msec,cpu-clock,* ]]
	exec 4>&- 5<&-
	wait || true
}

@test "events of one specification are one, unless --no-merge" {
	events='{},{},{},{"alias":"m","pmu":"uncore_imc_0"},{"alias":"m","pmu":"uncore_imc_1"}'
	noted "$events" >in
	[ "$(pp-stat -I 0 in | lines | grep imc)" = '6470 uncore_imc/reads/' ]
	[ "$(pp-stat -I 0 --no-merge in | lines | grep imc)" = $'6000 uncore_imc_0/reads/\n470 uncore_imc_1/reads/' ]
}

@test "--cputype shows one of two kinds of cores" {
	noted '{},{"pmu":"cpu_core"},{"pmu":"cpu_atom","name":"cpu_atom/cycles/"}' >in
	[ "$(pp-stat -I 0 --cputype atom in | lines | grep cpu_)" = '3200000000 cpu_atom/cycles/ (50.00%)' ]
	[ "$(pp-stat -I 0 --cputype core in | lines | grep cpu_)" = '2400000000 cpu_core/cycles/ (50.00%)' ]
	run -0 --separate-stderr pp-stat -I 0 --cputype core in
	[ ! "$stderr" ]
	run -0 --separate-stderr pp-stat -I 0 --cputype big in
	[ "$stderr" = "pp-stat: no event is of cores of the type 'big'" ]
	[ "$(pp-stat -I 0 in | lines | grep -c cpu_)" -eq 2 ]
}

# bats test_tags=T3-A21
@test "the sum of several kinds of cores has the name of none, one kind alone keeps its own" {
	noted '{},{"pmu":"cpu_core"},{"pmu":"cpu_atom","name":"cpu_atom/cycles/"}' >in
	[ "$(pp-stat -x, -I 0 --hybrid-merge in | grep cycles | cut -d, -f-4)" = '5600000000,,cycles,1000000000' ]
	[ "$(pp-stat -x, -I 0 --hybrid-merge --no-merge in | grep cycles | cut -d, -f-3)" = '5600000000,,cycles' ]
	[ "$(pp-stat -x, -I 0 --hybrid-merge --cputype atom in | grep cycles | cut -d, -f-3)" = '3200000000,,cpu_atom/cycles/' ]
	run -0 --separate-stderr pp-stat -x, -I 0 --hybrid-merge --cputype core in
	[[ $output == *2400000000,,cpu_core/cycles/,* ]]
	[ ! "$stderr" ]
	# what follows the slash stays, as perf writes it without a PMU
	noted '{},{"pmu":"cpu_core","name":"cpu_core/cycles/u"},{"pmu":"cpu_atom","name":"cpu_atom/cycles/u"}' >in
	[ "$(pp-stat -x, -I 0 --hybrid-merge in | grep cycles | cut -d, -f-3)" = '5600000000,,cycles:u' ]
	# an event of one kind alone is not merged
	noted '{},{"pmu":"cpu_core"},{"pmu":"cpu_atom","name":"cpu_atom/faults/"}' >in
	[ "$(pp-stat -x, -I 0 --hybrid-merge in | grep cpu_ | cut -d, -f-3)" = $'2400000000,,cpu_core/cycles/\n3200000000,,cpu_atom/faults/' ]
}

@test "percore events are shown once a core, or with --percore-show-thread beside each CPU" {
	# two cores of two CPUs
	build <"$TESTS/streams/counts.txt" >plain
	sed 's/^feature CPU_TOPOLOGY.*/feature CPU_TOPOLOGY u32 1 string "0-3" u32 2 string "0-1" string "2-3" u32 0 u32 0 u32 0 u32 0 u32 1 u32 0 u32 1 u32 0 u32 1 string "0-3" u32 0 u32 0 u32 0 u32 0/' \
		"$TESTS/streams/counts.txt" | build | pp-inject --note 'count.events=[{},{"percore":true}]' >in
	pp-stat -I 0 -A in | lines | grep cycles >got
	[ "$(cat got)" = $'S0-D0-C0 1200000000 cpu_core/cycles/ (50.00%)\nS0-D0-C1 1200000000 cpu_core/cycles/ (50.00%)' ]
	pp-stat -I 0 -A --percore-show-thread in | lines | grep cycles >got
	[ "$(cat got)" = "$(printf 'CPU%d 1200000000 cpu_core/cycles/ (50.00%%)\n' 0 1 2 3)" ]
	run -2 --separate-stderr pp-stat --percore-show-thread in
}

@test "each thread has a line, the one that counted most first" {
	build >in <<-'END'
		header
		attr id=1,2,3 type=1 config=2 sample_type=0 flags=0
		thread_map entries=31:idle,32:busy,33:some
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=-1 thread=0 val=5 ena=10 run=10
		stat id=2 cpu=-1 thread=1 val=500 ena=10 run=10
		stat id=3 cpu=-1 thread=2 val=50 ena=10 run=10
		stat_round type=1 time=4000000
		round
	END
	[ "$(pp-stat --per-thread -x, in | cut -d, -f1,2)" = $'busy-32,500\nsome-33,50\nidle-31,5' ]
	pp-stat --per-thread in | grep -qE '^ +busy-32 +500 +page-faults '
	[ "$(pp-stat -x, in | cut -d, -f1,3)" = 555,page-faults ]
}

@test "control groups have a column" {
	noted '{},{"cgroup":"/a"},{"cgroup":"/b"},{},{}' >in
	[ "$(pp-stat -I 0 -x, in | grep cycles)" = '2400000000,,cpu_core/cycles/,/a,500000000,50.00,,' ]
	pp-stat -I 0 in | grep -q 'cpu_core/instructions/           /b'
	pp-stat -I 0 -j in | jq -se '.[2].cgroup == "/b"'
}

@test "-j has a JSON object a line, of perf's members" {
	made >in
	pp-stat -j --per-socket in >got
	jq -se 'length == 30 and all(.[]; .["aggregate-number"] and .interval and .event)' got
	[ "$(sed -n 2p got)" = '{"interval" : 0.100000000, "socket" : "S0", "aggregate-number" : 2, "counter-value" : "600000000.000000", "unit" : "", "event" : "cpu_core/cycles/", "event-runtime" : 100000000, "pcnt-running" : 50.00, "metric-value" : 3.000000, "metric-unit" : "GHz"}' ]
	pp-stat -I 0 -j -A in | jq -se '.[0].cpu == "0"'
	[ "$(LC_ALL=de_DE.UTF-8 pp-stat -I 0 -j in | head -n 1)" = "$(pp-stat -I 0 -j in | head -n 1)" ]
	run -2 --separate-stderr pp-stat -j -x, in
}

# bats test_tags=nightly
@test "-x and -j have the fields that live perf stat has" {
	need_perf_events
	[ "$(perf --version | grep -o '[0-9]*\.[0-9]*' | head -n 1)" = 6.1 ] || skip "-j is that of perf 6.1"
	shape() { sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/[KMG]?\/sec/R/; s/^ +//'; }
	local -r e='-e task-clock,page-faults'
	for form in -x, -j; do
		perf stat $form $e -- "${CALLS[@]}" 2>&1 >/dev/null | shape >want
		perf stat record $e -o - -- "${CALLS[@]}" 2>/dev/null | pp-stat $form | shape >got
		diff -u want got
		perf stat $form -r 3 $e -- "${CALLS[@]}" 2>&1 >/dev/null | shape >want
		pp-count -r 3 $e -- "${CALLS[@]}" | pp-stat $form | shape >got
		diff -u want got
		perl -e '1 while 1' 3>&- &
		until grep -q perl /proc/$!/comm; do sleep 0.01; done
		perf stat $form --per-thread $e -p $! -- sleep 0.5 2>&1 >/dev/null | shape >want
		pp-count --per-thread $e -p $! --duration 500ms | pp-stat $form | shape >got
		kill $!
		diff -u want got
	done
	need_system_wide
	for option in '' -A --per-core --per-socket --per-die --per-node; do
		for form in -x, -j; do
			perf stat $form $option -a $e -- "${CALLS[@]}" 2>&1 >/dev/null | shape >want
			pp-count -a $e -- "${CALLS[@]}" | pp-stat $form $option | shape >got
			diff -u want got
			# how many intervals there are is chance
			perf stat $form $option -a -I 20 $e -- sleep 0.1 2>&1 >/dev/null | shape | sort -u >want
			pp-count -a -I 20 $e -- sleep 0.1 | pp-stat $form $option | shape | sort -u >got
			diff -u want got
		done
	done
}

# bats test_tags=T3-C5
@test "--metric-only is not thread by thread, as with perf" {
	run -2 pp-stat --metric-only --per-thread "$TESTS/streams/stat.pipe"
	assert_line --index 0 'pp-stat: --metric-only cannot be combined with --per-thread'
	run -0 pp-stat --no-metric-only --per-thread "$TESTS/streams/stat.pipe"
	need_perf
	run perf stat --metric-only --per-thread -a -- true
	[ "$status" -ne 0 ]
	assert_output --partial '--metric-only is not supported with --per-thread'
}

# bats test_tags=T3-C10
@test "--like=7.3 has the fields of -j that perf 7.3 has" {
	made >in
	pp-stat --mixed -j --per-socket --like=7.3 in | jq -se 'length == 30 and all(.[]; .counters and .interval and .event)
		and any(.[]; ."metric-value" == "3.000000") and all(.[]; has("aggregate-number") | not)'
	diff <(pp-stat --mixed -j --like 6.1 in) <(pp-stat --mixed -j in)
	run -2 pp-stat --like=7.3 in
	run -2 pp-stat -j --like=7.2 in
	need_perf_events
	need_newer_perf 7.3
	shape() { sed -E 's/[0-9]+(\.[0-9]+)?/N/g'; }
	for options in '' -r2 '-a -A' '-a --per-core' '-a --per-node' '-a -I 20'; do
		# shellcheck disable=SC2086 # words
		"$(newer_perf 7.3)" stat -j $options -e dummy,page-faults -- sleep 0.1 2>&1 >/dev/null | grep '^{' | shape | sort -u >want
		count=() show=()
		for option in $options; do
			case $option in -A | --per-*) show+=("$option") ;; *) count+=("$option") ;; esac
		done
		pp-count "${count[@]}" -e dummy,page-faults -- sleep 0.1 | pp-stat -j --like=7.3 "${show[@]}" | shape | sort -u >got
		diff want got
	done
}

# bats test_tags=T3-C10
@test "--hide-zero-events leaves out what was counted as 0, as perf 7.3 does" {
	need_perf_events
	pp-count -e dummy,page-faults -- true >in
	pp-stat -x, in | grep -q '^0,,dummy,'
	pp-stat --hide-zero-events -x, in >got
	run -1 grep dummy got
	grep -q page-faults got
	pp-stat --hide-zero-events in | grep -c 'dummy\|page-faults' | grep -qx 1
	pp-stat -v --hide-zero-events in 2>&1 >/dev/null | grep -q '^dummy: 0 '
	made >in
	[ "$(pp-stat -q in | grep -cE '^ +[0-9.]+ +0 ')" = 2 ]
	diff <(pp-stat -q in | grep -vE '^ +[0-9.]+ +0 ') <(pp-stat -q --hide-zero-events in)
	need_newer_perf 7.3
	"$(newer_perf 7.3)" stat --hide-zero-events -x, -e dummy,page-faults -- true 2>&1 | cut -d , -f 3 >want
	cut -d , -f 3 got | diff want -
}

@test "--metric-only has the ratios of a place in one line, in each form" {
	made >in
	pp-stat --mixed --metric-only --per-socket in >got
	[ "$(sed -n 1,2p got | tr -s ' ')" = $'# time socket cpus GHz insn per cycle \n 0.100000000 S0 2 3.000 2.00 ' ]
	[ "$(pp-stat --mixed --metric-only --per-die -x, in | sed -n 1,2p | tr -d ' ')" = $'time,die,cpus,GHz,insnpercycle,\n0.100000000,S0-D0,2,3.000,2.00,' ]
	[ "$(pp-stat --mixed --metric-only -A -I 0 -x, in | sed -n 1p)" = 'cpu,GHz,insn per cycle,' ]
	pp-stat --mixed --metric-only --per-core -I 0 -j in | jq -se '.[1] | .core == "S0-D0-C1" and .["aggregate-number"] == 1'
	[ "$(pp-stat --mixed --metric-only -x, in | sed -n 1,2p | tr -d ' ')" = $'time,GHz,insnpercycle,\n0.100000000,3.000,2.00,' ]
	pp-stat --mixed --metric-only -j in | jq -se '.[1] == {"interval": 0.2, "GHz": "2.000000", "insn per cycle": "1.000000"}'
	pp-stat --mixed --metric-only -j -A -I 0 in | jq -se 'length == 4 and .[3].cpu == "3"'
}

@test "--no-scale shows what was counted" {
	made >in
	pp-stat -I 0 --no-scale in | lines | grep -qx '1200000000 cpu_core/cycles/ (50.00%)'
	pp-stat -I 0 --no-scale -A in | lines | grep -qx 'CPU1 300000000 cpu_core/cycles/ (50.00%)'
}

# bats test_tags=nightly
@test "thousands are set apart as the locale says, unless --no-big-num" {
	need localedef
	made >in
	for name in en_US de_DE; do
		localedef -i $name -f UTF-8 ./$name.UTF-8 2>/dev/null || skip "no locale can be made of $name"
	done
	export LOCPATH=$PWD
	# the C library leaks where LOCPATH is used
	in_locale() { ASAN_OPTIONS=detect_leaks=0 LC_ALL=$1 pp-stat -I 0 "${@:2}" in; }
	in_locale C | lines | grep -q '^2400000000 '
	for big in '' -B --big-num; do
		in_locale en_US.UTF-8 $big | lines | grep -q '^2,400,000,000 '
		in_locale de_DE.UTF-8 $big | lines | grep -q '^2.400.000.000 '
	done
	in_locale en_US.UTF-8 --no-big-num | lines | grep -q '^2400000000 '
	in_locale de_DE.UTF-8 --no-big-num >got
	grep -qE '^ +1000,00 msec cpu-clock +# +4,000 CPUs utilized' got
	in_locale de_DE.UTF-8 --metric-only | grep -qE '^ +2,400 +$'
	# what programs read has neither
	for form in -x, '-x, --metric-only' -j '-j --metric-only' '-x, -B'; do
		diff <(in_locale C $form) <(in_locale de_DE.UTF-8 $form)
	done
}

@test "of repeats the mean is shown, with its standard error, and --table each run's time" {
	runs 10 12 14 | build >in
	pp-stat in >got
	grep -q "^ Performance counter stats for 'pipe' (3 runs):" got
	grep -qE '^ +12 +page-faults .* \( \+-  9\.62% \)$' got
	grep -qE '^ +0\.001200 \+- 0\.000115 seconds time elapsed  \( \+-  9\.62% \)$' got
	pp-stat --table in >got
	grep -qE '^ +0\.001000 \(-0\.000200\) #+$' got
	grep -qE '^ +# Final result:$' got
	[ "$(pp-stat -x, in | head -n 1)" = '12,,page-faults,9.62%,1000000,100.00,12.000,K/sec' ]
	runs 10 | build | pp-stat >got
	grep -q '^ *0\.000500000 seconds user$' got
	grep -q '^ *0\.000100000 seconds sys$' got
}

@test "-i says where from; -o, --append and --log-fd say where to" {
	made >in
	pp-stat -I 0 in >want
	pp-stat -I 0 -o out in
	same_bytes want out
	pp-stat -I 0 -i in --output=out
	same_bytes want out
	pp-stat -I 0 -o out --append in
	same_bytes <(cat want want) out
	pp-stat -I 0 --log-fd 7 in 7>fd >std
	same_bytes want fd
	[ ! -s std ]
	run -2 --separate-stderr pp-stat -o out --log-fd 2 in
}

@test "a stream in the other byte order shows the same" {
	made >in
	pp-cat --big-endian in >big
	pp-stat --per-die big >got
	same_bytes <(pp-stat --per-die in) got
}

@test "-q prints no warnings, and changes nothing else" {
	build >in <<-'END'
		header
		attr id=1 type=1 config=2 sample_type=0 flags=0
		thread_map entries=-1:
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=-1 thread=0 val=5 ena=1 run=1
		stat id=9 cpu=-1 thread=0 val=5 ena=1 run=1
		stat_round type=1 time=4000000
		round
	END
	run -3 --separate-stderr pp-stat in
	[[ $stderr == *'1 counts are of events, CPUs or threads that the stream does not have'* ]]
	shown=$output
	run -3 --separate-stderr pp-stat -q in
	[ -z "$stderr" ]
	[ "$output" = "$shown" ]
}

@test "no counts, counts of unknown events, and such that go backwards: exit 3, and what is good is shown" {
	printf 'header\nattr id=1\n' | build >in
	run -3 --separate-stderr pp-stat in
	[ -z "$output" ]
	[[ $stderr == *'pp-count and perf stat record make streams that have' ]]
	printf '%s\n' header 'attr id=1 type=1 config=2' 'stat id=1 cpu=0 val=5 ena=1 run=1' 'stat id=9 cpu=0 val=5 ena=1 run=1' \
		'stat id=1 cpu=1048576 val=5 ena=1 run=1' 'stat id=1 cpu=-2 val=5 ena=1 run=1' 'stat_round type=1 time=5' | build >in
	run -3 --separate-stderr pp-stat -x, in
	[ "${output%%,*}" = 5 ]
	[[ $stderr == *'3 counts are of events, CPUs or threads'* ]]
	printf '%s\n' header 'attr id=1 type=1 config=2' 'stat_config entries=0:1,1:100,2:1' 'stat id=1 cpu=0 val=5 ena=1 run=1' \
		'stat_round type=0 time=5' 'stat id=1 cpu=0 val=3 ena=2 run=2' 'stat_round type=0 time=9' | build >in
	run -3 --separate-stderr pp-stat -x, in
	[[ ${lines[1]} == *,0,,page-faults,* ]]
	[[ $stderr == *'1 counts went backwards'* ]]
}

@test "every cut ends in 0 or 3" {
	made >in
	perl "$TESTS/variants.pl" in 24 'substr $in, 0, $n' pp-stat -A changed >report
	[ "$(awk '$2 != 0 && $2 != 3' report)" = "" ]
	[ "$(wc -l <report)" -gt 20 ]
}

# bats test_tags=nightly
@test "memory is bounded where ids, CPUs and threads are many" {
	need_limits
	{
		echo header
		printf 'attr id=%s type=1 config=2 sample_type=0\n' 1 2
		for ((i = 0; i < 20000; i++)); do echo "stat id=1 cpu=$((i * 52)) thread=$i val=5 ena=1 run=1"; done
		echo 'stat_round type=1 time=5'
	} | build >in
	(ulimit -v 400000; pp-stat -A in) >got
	[ "$(grep -c page-faults got)" -ge 20000 ]
}

@test "-v reports what each counter said, unscaled, of each interval or run, on standard error" {
	made >in
	run -0 --separate-stderr pp-stat -I 0 --mixed -v in
	[ "$(grep -c . <<<"$stderr")" -eq "$(pp-stat -I 0 --mixed --json in | jq -s 'map(select(.kind == "count")) | length')" ]
	raw() { pp-stat --mixed --json "$@" in | jq -r 'select(.kind == "count") | "\(if .die then "S\(.socket)-D\(.die) " else "" end)\(.event): \(.raw) \(.enabled) \(.running)"'; }
	[ "$stderr" = "$(raw -I 0)" ]
	[ "$output" = "$(pp-stat -I 0 --mixed in)" ]
	# of each interval, and of each place
	pp-stat --mixed -v in 2>&1 >/dev/null | diff - <(raw)
	pp-stat --mixed -v --per-die -x, in 2>&1 >/dev/null | diff - <(raw --per-die)
	# of each run
	runs 10 12 | build >in
	run -0 --separate-stderr pp-stat -v in
	[ "$(grep faults <<<"$stderr")" = $'page-faults: 10 1000000 1000000\npage-faults: 12 1000000 1000000' ]
	[ "$(grep -c 'clock: 1000000 1000000 1000000$' <<<"$stderr")" = 2 ]
}
