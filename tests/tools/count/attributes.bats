# pp-count and perf stat, side by side: what they ask of the kernel.

setup() {
	load ../../helper
	fake=$BIN/tests/fake/kernel.so
	! sanitized || skip "nothing is preloaded beside a sanitizer"
}

# A kernel that has every counter stands in for this one: cycles and caches are compared, too.
@test "pp-count asks the kernel for what perf stat asks for, but for the differences that are named" {
	need_perf
	[ "$(perf --version | grep -o '[0-9]*\.[0-9]*' | head -n 1)" = 6.1 ] || skip "needs perf 6.1"
	run perl "$TESTS/tools/record/attributes.pl" "$fake" "$TESTS/tools/count/attributes.txt" 'stat record' pp-count
	assert_success
	assert_line --regexp '^[0-9]{2} rows compared with perf 6.1, [0-9]+ left out for want of tracepoints or control groups, 0 wrong$'
}

# asked MACHINE OPTION...: the names of what is counted there, groups by their leaders
asked() {
	local machine=$1
	shift
	[ -d "$machine" ] || perl "$TESTS/machines/make.pl" "$machine" "$machine"
	SYSFS_PATH=$PWD/$machine LD_PRELOAD=$fake pp-count -q "$@" -o out -- true
	json out | jq -r 'select(.type == "EVENT_UPDATE" and .fields.type == 2).fields.name' | paste -sd,
}

@test "--topdown counts what the processor's PMU has, down to a level" {
	need jq
	run -0 asked sapphirerapids --topdown
	assert_output -p 'slots'
	[ "$(tr , '\n' <<<"$output" | wc -l)" -eq 9 ]
	run -0 asked sapphirerapids --topdown --td-level 1
	[ "$(tr , '\n' <<<"$output" | wc -l)" -eq 5 ]
	run -0 asked icelake --topdown
	[ "$(tr , '\n' <<<"$output" | wc -l)" -eq 5 ]
	SYSFS_PATH=$PWD/icelake LD_PRELOAD=$fake run -2 pp-count --topdown --td-level 2 -o out -- true
	assert_output -p 'this CPU has no topdown level 2: the highest is 1'
	# of several kinds of cores the large ones have all levels
	run -0 asked alderlake --topdown
	[ "$(tr , '\n' <<<"$output" | grep -c '^cpu_core/')" -eq 9 ]
	run -0 asked alderlake --topdown --td-level 1
	assert_output "$(printf 'cpu_core/%s/,' slots topdown-{retiring,bad-spec,fe-bound,be-bound} | sed 's/,$//')"
	perl "$TESTS/machines/make.pl" zen3 zen3
	SYSFS_PATH=$PWD/zen3 LD_PRELOAD=$fake run -4 pp-count --topdown -o none -- true
	assert_output -p 'cannot count topdown events: this CPU has none'
	[ ! -e none ]
}

@test "on a machine with several kinds of cores the default events are counted on each, or on those of one type" {
	need jq
	run -0 asked alderlake
	assert_output "task-clock,context-switches,cpu-migrations,page-faults$(
		for e in cycles instructions branches branch-misses; do printf ',cpu_atom/%s/,cpu_core/%s/' $e $e; done)"
	run -0 asked alderlake -a
	assert_output -p 'cpu-clock,context-switches,cpu-migrations,page-faults,cpu_atom/cycles/,cpu_core/cycles/'
	run -0 asked alderlake --cputype core -d
	assert_output "task-clock,context-switches,cpu-migrations,page-faults$(printf ',cpu_core/%s/' \
		cycles instructions branches branch-misses L1-dcache-load{s,-misses} LLC-load{s,-misses})"
}

@test "--transaction counts what transactional memory does, or is refused where there is none" {
	need jq
	mkdir -p tsx
	perl "$TESTS/machines/make.pl" skylake tsx/sys
	for event in cycles-t=event=0x3c,in_tx=1 tx-start=event=0xc9,umask=0x1; do
		echo "${event#*=}" >"tsx/sys/bus/event_source/devices/cpu/events/${event%%=*}"
	done
	run -0 asked tsx/sys --transaction
	assert_output 'task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/'
	perl "$TESTS/machines/make.pl" zen4 zen4
	SYSFS_PATH=$PWD/zen4 LD_PRELOAD=$fake run -4 pp-count -T -o none -- true
	assert_output -p 'no transactional memory'
}

@test "what --topdown, --transaction and --smi-cost count is shown as what it is for, without being asked" {
	need jq
	shown() {
		local machine=$1
		shift
		SYSFS_PATH=$PWD/$machine LD_PRELOAD=$fake FAKE_COUNT=77 pp-count -q "$@" -o out -- true
		pp-stat --json out | jq -r 'select(.kind == "metric") | "\(.name) \(.value)\(.unit // "")"' | paste -sd,
	}
	for name in icelake skylake intel-msr; do perl "$TESTS/machines/make.pl" $name $name; done
	run -0 shown icelake --topdown
	assert_output retiring\ 25%,bad_speculation\ 25%,frontend_bound\ 25%,backend_bound\ 25%
	# older processors have twice as many slots as the event says, by its scale
	run -0 shown skylake --topdown -e cpu-clock
	assert_output 'retiring 50%,bad_speculation 100%,frontend_bound 50%,backend_bound -100%'
	for event in cycles-t=event=0x3c,in_tx=1 tx-start=event=0xc9,umask=0x1; do
		echo "${event#*=}" >"skylake/bus/event_source/devices/cpu/events/${event%%=*}"
	done
	run -0 shown skylake -T
	assert_output 'tsx_transactional_cycles 100%,tsx_cycles_per_transaction 1cycles / transaction'
	for event in cycles-ct=event=0x3c,in_tx=1,in_tx_cp=1 el-start=event=0xc8,umask=0x1; do
		echo "${event#*=}" >"skylake/bus/event_source/devices/cpu/events/${event%%=*}"
	done
	run -0 shown skylake -T
	[ "${output#*,}" = 'tsx_aborted_cycles 0%,tsx_cycles_per_transaction 1cycles / transaction,tsx_cycles_per_elision 1cycles / elision' ]
	mkdir -p intel-msr/devices/cpu
	echo 0 >intel-msr/devices/cpu/freeze_on_smi
	run -0 shown intel-msr --smi-cost
	assert_output 'smi_cycles 0%,smi_num 77SMI#'
	# others of -M come first
	run -0 shown icelake --topdown -M insn_per_cycle
	[ "${output%%,*}" = 'insn_per_cycle 1instructions' ]
}

@test "--smi-cost freezes counters during interrupts of system management, and puts that back" {
	need jq
	perl "$TESTS/machines/make.pl" intel-msr smi
	SYSFS_PATH=$PWD/smi LD_PRELOAD=$fake run -4 pp-count --smi-cost -o none -- true
	assert_output -p 'no freeze_on_smi'
	mkdir -p smi/devices/cpu
	echo 0 >smi/devices/cpu/freeze_on_smi
	FREEZE=$PWD/smi/devices/cpu/freeze_on_smi SYSFS_PATH=$PWD/smi LD_PRELOAD=$fake \
		pp-count -q --smi-cost -o out -- sh -c 'cat "$FREEZE" >was'
	[ "$(cat was)" = 1 ]
	[ "$(head -c 1 smi/devices/cpu/freeze_on_smi)" = 0 ]
	run jq -r 'select(.type == "EVENT_UPDATE" and .fields.type == 2).fields.name' < <(json out)
	assert_output 'msr/aperf/
msr/smi/
cycles'
}

@test "--cputype counts only events of cores of that kind" {
	need jq
	perl "$TESTS/machines/make.pl" alderlake alderlake
	run -0 asked alderlake -e cycles -a
	assert_output 'cpu_atom/cycles/,cpu_core/cycles/' || assert_output 'cpu_core/cycles/,cpu_atom/cycles/'
	run -0 asked alderlake -e cycles -a --cputype core
	assert_output 'cpu_core/cycles/'
	run -0 asked alderlake -e cycles -a --cputype atom
	assert_output 'cpu_atom/cycles/'
	SYSFS_PATH=$PWD/alderlake LD_PRELOAD=$fake run -2 pp-count -e cycles -a --cputype big -o none -- true
	assert_output -p "this machine has no cores of the type 'big'"
}

@test "an event of several PMUs of a kind is counted on each, and shown as one, unless --no-merge" {
	need jq
	perl "$TESTS/machines/make.pl" sapphirerapids machine
	# counted EVENT...: 77 on the first CPU of each of two sockets
	counted() { SYSFS_PATH=$PWD/machine LD_PRELOAD=$fake FAKE_COUNT=77 pp-count -q -a "$@" -o out -- true; }
	for name in uncore_cha cha 'uncore_cha_[0-3]'; do
		counted -e "$name/event=1/"
		[ "$(pp-stat -x, out | cut -d, -f1,3)" = "616,$name/event=1/" ]
		[ "$(pp-stat --no-merge -x, out | cut -d, -f1,3)" = "$(printf '154,uncore_cha_%d/event=1/\n' 0 1 2 3)" ]
	done
	counted -e uncore_cha_2/event=1/
	[ "$(pp-stat -x, out | cut -d, -f1,3)" = 154,uncore_cha_2/event=1/ ]
	# asked for twice it is two
	counted -e uncore_cha/event=1/,cha/event=1/,uncore_cha/event=1/
	[ "$(pp-stat -x, out | cut -d, -f1,3 | paste -sd' ')" = '616,uncore_cha/event=1/ 616,cha/event=1/ 616,uncore_cha/event=1/' ]
	# a group of them is one for each PMU
	counted -e '{uncore_cha/event=1/,uncore_cha/event=2/}'
	run -0 pp-stat --no-merge -x, out
	[ "$(cut -d, -f1,3 <<<"$output")" = "$(printf "154,uncore_cha_%d/event=%d/\n" 0 1 0 2 1 1 1 2 2 1 2 2 3 1 3 2)" ]
	[ "$(pp-dump --headers out | grep -c '^# group: {uncore_cha/event=1/,uncore_cha/event=2/}$')" -eq 4 ]
	[ "$(pp-stat -x, out | cut -d, -f1,3)" = $'616,uncore_cha/event=1/\n616,uncore_cha/event=2/' ]
	# of kinds of cores none is the other
	[ "$(asked alderlake -e cycles -a | tr , '\n' | sort | paste -sd,)" = cpu_atom/cycles/,cpu_core/cycles/ ]
	[ "$(SYSFS_PATH=$PWD/alderlake LD_PRELOAD=$fake pp-count -q -e cycles -a -- true | pp-stat -x, | wc -l)" -eq 2 ]
	# metrics take it as one, of four
	cat >metrics.json <<-'END'
		[ { "MetricName": "lookups", "MetricExpr": "uncore_cha@event\\=1@" },
		  { "MetricName": "each", "MetricExpr": "lookups / source_count(uncore_cha@event\\=1@)" } ]
	END
	counted -M ./metrics.json -M lookups,each
	for option in '' --no-merge; do
		pp-stat $option -M ./metrics.json --json out | jq -r 'select(.kind == "metric") | "\(.name) \(.value)"' >got
		[ "$(cat got)" = $'lookups 616\neach 154' ]
	done
}

@test "CPUs are those that -C lists, alone and from one to another" {
	need jq
	perl "$TESTS/machines/make.pl" sapphirerapids machine
	for cpus in 0 2-4 1,5-6,3; do
		SYSFS_PATH=$PWD/machine LD_PRELOAD=$fake pp-count -q -C "$cpus" -e cycles -o out -- true
		json out | jq 'select(.type == "STAT").fields.cpu' | paste -sd, >got
		case $cpus in 0) want=0 ;; 2-4) want=2,3,4 ;; *) want=1,3,5,6 ;; esac
		[ "$(cat got)" = "$want" ]
	done
	SYSFS_PATH=$PWD/machine LD_PRELOAD=$fake run -2 pp-count -C 8 -e cycles -o none -- true
	[ ! -e none ]
}

# bats test_tags=T3-C5
@test "what --topdown and --smi-cost counted is shown as metrics alone, unless counts are asked for" {
	need jq
	run -0 asked icelake --topdown
	run -0 pp-stat out
	assert_output --partial retiring
	refute_output --partial topdown-retiring
	run -0 pp-stat -x, out
	refute_output --partial topdown-retiring
	run -0 pp-stat -j out
	refute_output --partial topdown-retiring
	run -0 pp-stat --no-metric-only out
	assert_output --partial topdown-retiring
	run -0 pp-stat --metric-only --no-metric-only -x, out
	assert_output --partial topdown-retiring
	run -0 pp-stat --csv out
	assert_output --partial topdown-retiring
	run -0 asked icelake -e cycles
	run -0 pp-stat out
	assert_output --partial cycles
}
