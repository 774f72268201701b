# metrics.bats - metrics of counted events: pp-count -M counts what they need, pp-stat -M shows them.

setup() {
	load ../../helper
	need jq
}

# counts RUNNING [ID]: instructions 3000 and cycles 2000, each for so many of 1000 ns, and 4000 of an event that
# files of metrics name
counts() {
	build <<-END
		header
		attr id=1 type=0 config=1 sample_type=0 flags=0
		attr id=2 type=0 config=0 sample_type=0 flags=0
		attr id=3 type=4 config=0x9c sample_type=0 flags=0
		event_update id=3 name="IDQ.NOT_DELIVERED"
		feature NRCPUS u32 1 u32 1
		feature CPUID string "${2:-GenuineIntel,6,85,4}"
		feature CPU_TOPOLOGY u32 1 string "0" u32 1 string "0" u32 0 u32 0 u32 1 string "0" u32 0
		thread_map entries=-1:
		cpu_map cpus=0
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=0 thread=0 val=3000 ena=1000 run=$1
		stat id=2 cpu=0 thread=0 val=2000 ena=1000 run=$1
		stat id=3 cpu=0 thread=0 val=4000 ena=1000 run=1000
		stat_round type=1 time=2000000000
		round
	END
}

value() { jq -r 'select(.kind == "metric") | "\(.name) \(.value) \(.unit) \(.state) \(.over)"'; }

@test "a metric is computed from a stream that was not counted for it, in every form" {
	counts 1000 >in.pipe
	pp-stat -M insn_per_cycle in.pipe >out
	grep -q '#     1.50 instructions  insn_per_cycle$' out
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | value)" = 'insn_per_cycle 1.5 instructions null false' ]
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | jq 'select(.kind == "metric").over')" = false ] # no text
	pp-stat -M insn_per_cycle --csv in.pipe | grep -q '^metric,.*,insn_per_cycle,1.5,instructions,'
	pp-stat -M insn_per_cycle -x, in.pipe | grep -qx ',,,,,1.50,instructions  insn_per_cycle'
	pp-stat -M insn_per_cycle -j in.pipe | jq -e 'select(."metric-unit" == "instructions  insn_per_cycle")."metric-value" == 1.5'
	pp-stat -M insn_per_cycle --prometheus in.pipe | grep -qxF 'perf_metric_insn_per_cycle{metric="insn_per_cycle"} 1.5'
	pp-stat -M insn_per_cycle --metric-only in.pipe | grep -qE '^ +1\.50 $'
	pp-stat -M insn_per_cycle --metric-only -x, in.pipe | grep -qx '1.50,'
	[ "$(pp-stat -M insn_per_cycle,CPUs_utilized --metric-only -j in.pipe | jq -c .)" = '{"instructions  insn_per_cycle":"1.500000"}' ]
}

@test "metrics of perf's files are those of the processor that the stream names, not of this machine" {
	counts 1000 >in.pipe
	# #SMT_on is 0 there: 4000 / (4 * 2000)
	[ "$(pp-stat -M frontend --metrics "$TESTS/metric/machines" --json in.pipe | value)" = 'frontend 50 % null true' ]
	counts 1000 AuthenticAMD,25,1,1 >amd.pipe
	run -2 pp-stat -M frontend --metrics "$TESTS/metric/machines" amd.pipe
	assert_line --partial "there is no metric and no group of metrics 'frontend'"
	counts 1000 Nothing >other.pipe
	run -2 pp-stat -M frontend --metrics "$TESTS/metric/machines" other.pipe
	assert_line --partial 'no line is about the processor Nothing'
}

@test "a ratio of events that were never counted at one time is refused, unless --mixed" {
	counts 500 >in.pipe
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | value)" = \
		'insn_per_cycle null instructions instructions and cycles were never counted at one time null' ]
	[ "$(pp-stat -M insn_per_cycle --mixed --json in.pipe | value)" = 'insn_per_cycle 1.5 instructions null false' ]
	counts 501 >in.pipe
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | value)" = 'insn_per_cycle 1.5 instructions null false' ]
}

@test "a rate of events that were never counted at one time has a state for a value, unless --mixed" {
	counts 500 >in.pipe
	rate() { pp-stat --json "$@" in.pipe | jq -c 'select(.kind == "rate") | [.name, .value, .state]'; }
	[ "$(rate)" = '["insn per cycle",null,"never counted at one time"]' ]
	[ "$(rate --mixed)" = '["insn per cycle",1.5,null]' ]
	pp-stat --csv in.pipe | grep -q '^rate,.*,insn per cycle,,.*,never counted at one time,'
	# the text, and perf's other forms, have none
	run -0 --separate-stderr pp-stat in.pipe
	[[ $output != *'insn per cycle'* && $output == *' instructions '*'(50.00%)'* ]]
	[ "$stderr" = 'pp-stat: rates of events that were never counted at one time are left out, but for --mixed' ]
	run -0 --separate-stderr pp-stat -q -x, in.pipe
	[[ $output == *'6000,,instructions,500,50.00,,'* && $output != *'insn per cycle'* && -z $stderr ]]
	pp-stat -j in.pipe | jq -se 'all(.[]; .["metric-unit"] != "insn per cycle")'
	pp-stat --metric-only in.pipe | grep -qE '^ +$'
	pp-stat --mixed in.pipe | grep -q '#  *1\.50  insn per cycle  *(50.00%)$'
	pp-stat --mixed -x, in.pipe | grep -q ',1.50,insn per cycle$'
	pp-stat --mixed --metric-only in.pipe | grep -qE '^ +1\.50 +$'
	# what was not counted at all has none, and no warning
	counts 0 >in.pipe
	for option in '' --metric-only '--metric-only -x,' '--metric-only -j' -j; do
		run -0 --separate-stderr pp-stat $option in.pipe
		[[ $output != *1.5* && -z $stderr ]]
	done
	counts 501 >in.pipe
	[ "$(rate)" = '["insn per cycle",1.5,null]' ]
	pp-stat in.pipe | grep -q '#  *1\.50  insn per cycle'
}

@test "on a terminal a metric is red over its threshold, and green below it" {
	command -v script >/dev/null || skip "there is no script(1) here"
	counts 1000 >in.pipe
	local -r asked="-M frontend,insn_per_cycle,TopdownL1 --metrics $TESTS/metric/machines in.pipe"
	shown() { script -qec "$* pp-stat $asked" /dev/null | tr -d '\r'; }
	shown env -u NO_COLOR TERM=xterm >out
	grep -qF $'\e[31m   50.00\e[m %  frontend (!)' out
	grep -qF $'\e[32m    1.50\e[m instructions  insn_per_cycle' out
	script -qec "env -u NO_COLOR pp-stat --metric-only $asked" /dev/null | grep -qF $'\e[31m               50.00\e[m '
	shown env NO_COLOR=1 >out
	grep -qF '#    50.00 %  frontend (!)' out
	! grep -qF $'\e' out
	! pp-stat $asked | grep -qF $'\e'
}

@test "a metric whose event is missing says so" {
	counts 1000 >in.pipe
	pp-stat -M branch_miss_rate in.pipe >out
	grep -q '# .*branch_miss_rate: branch-misses was not counted$' out
}

@test "names that are not known, and files that are none, are refused with a caret" {
	counts 1000 >in.pipe
	run -2 pp-stat -M insn_per_cycle,x in.pipe
	assert_line --index 0 "pp-stat: there is no metric and no group of metrics 'x'"
	assert_line --index 2 '                 ^'
	run -2 pp-stat -M ./nowhere in.pipe
	assert_line --index 0 'pp-stat: --metrics: cannot read ./nowhere: No such file or directory'
	run -2 pp-stat -M "$TESTS/metric/machines" in.pipe
	assert_line --index 0 'pp-stat: --metrics: only files were given: which metrics are meant?'
}

@test "what is wrong in a metric of a file is shown with a caret below the place" {
	counts 1000 >in.pipe
	cat >wrong.json <<-'END'
		[ { "MetricName": "own", "MetricExpr": "instructions + own" },
		  { "MetricName": "open", "MetricExpr": "min(instructions, \u009b2" } ]
	END
	run -2 pp-stat -M ./wrong.json -M own in.pipe
	[ "$output" = $'pp-stat: metric own: \'own\' refers to itself\n  instructions + own\n                 ^' ]
	run -2 pp-count -M ./wrong.json -M own -- true
	[ "$output" = $'pp-count: metric own: \'own\' refers to itself\n  instructions + own\n                 ^' ]
	run -2 pp-stat -M ./wrong.json -M open in.pipe
	assert_line --index 1 '  min(instructions, ??2'
	assert_line --index 2 '                    ^'
	# of what a stream asks for it is one line
	pp-inject --note 'count={"metrics":["own"]}' -i in.pipe -o asks.pipe
	run -0 --separate-stderr pp-stat -M ./wrong.json asks.pipe
	[ "${stderr##*: }" = "'own' refers to itself" ]
}

@test "pp-count -M counts what metrics need, and pp-stat shows these without being asked" {
	need_kernel
	need_perf_events
	pp-count -M page_faults_per_second,CPUs_utilized -o out.pipe -- true 2>err
	pp-stat --json out.pipe >out
	[ "$(jq -r 'select(.kind == "metric") | .name' out)" = $'page_faults_per_second\nCPUs_utilized' ]
	jq -e -s 'map(select(.kind == "metric").value > 0) | all' out
	faults=$(jq 'select(.event == "page-faults" and .kind == "count").value' out)
	clock=$(jq 'select(.event == "task-clock" and .kind == "count").raw' out)
	jq -e -s "map(select(.name == \"page_faults_per_second\")) | .[0].value - $faults * 1e9 / $clock | fabs < 1e-6" out
	perf stat report -i out.pipe 2>&1 | grep -q page-faults
}

# topdown NAME=COUNT...: events of a processor's slots, in a group
topdown() {
	local event id=0
	{
		echo header
		for event; do
			echo "attr id=$((++id)) type=4 config=$id sample_type=0 flags=0"
			echo "event_update id=$id name=\"${event%=*}\""
		done
		printf 'thread_map entries=-1:\ncpu_map cpus=0\nstat_config entries=0:1,1:0,2:1\n'
		id=0
		for event; do
			echo "stat id=$((++id)) cpu=0 thread=0 val=${event#*=} ena=1000 run=1000"
		done
		printf 'stat_round type=1 time=2000000000\nround\n'
	} | build
}

@test "what --topdown counts is shown as shares of the slots, of processors new and old, and of large cores" {
	shares() { pp-stat -M TopdownL1 --json in.pipe | jq -c 'select(.kind == "metric") | [.name, (.value | round), .unit]' | sort; }
	cat >wanted <<-'END'
		["backend_bound",30,"%"]
		["bad_speculation",10,"%"]
		["frontend_bound",20,"%"]
		["retiring",40,"%"]
	END
	topdown slots=1000 topdown-retiring=400 topdown-bad-spec=100 topdown-fe-bound=200 topdown-be-bound=300 >in.pipe
	shares | diff - wanted
	topdown topdown-total-slots=1000 topdown-slots-retired=400 topdown-recovery-bubbles=20 topdown-fetch-bubbles=200 \
		topdown-slots-issued=480 >in.pipe
	shares | diff - wanted
	# where a hit stands for several slots, the scale that says so counts
	topdown topdown-total-slots=250 topdown-slots-retired=400 topdown-recovery-bubbles=5 topdown-fetch-bubbles=200 \
		topdown-slots-issued=480 >in.pipe
	pp-dump --json in.pipe | jq -c 'if .type == "EVENT_UPDATE" and (.fields.name | test("total|recovery")) then
		., (.fields = {type: 1, id: .fields.id, scale: 4}) else . end' >lines
	pp-undump <lines >scaled.pipe && mv scaled.pipe in.pipe
	shares | diff - wanted
	topdown cpu_core/{slots/=1000,topdown-retiring/=400,topdown-bad-spec/=100,topdown-fe-bound/=200,topdown-be-bound/=300} >in.pipe
	shares | diff - wanted
	# of two kinds of cores neither stands for both
	topdown cpu_core/{cycles/=1000,instructions/=2000} >in.pipe
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | value)" = 'insn_per_cycle 2 instructions null false' ]
	topdown cpu_core/{cycles/=1000,instructions/=2000} cpu_atom/{cycles/=1000,instructions/=500} >in.pipe
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | value)" = \
		'insn_per_cycle null instructions instructions was not counted null' ]
}

@test "events of a metric are counted in a group, one group for all that it is enough for, and those of thresholds with them" {
	need_kernel
	need_perf_events
	cat >metrics.json <<-'END'
		[ { "MetricName": "faults_per_switch", "MetricExpr": "page\\-faults / context\\-switches" },
		  { "MetricName": "faults", "MetricExpr": "page\\-faults", "MetricThreshold": "faults > 0 & cpu\\-migrations < 1" } ]
	END
	# each event, and the group that it is in
	while read -r options && read -r events && read -r leaders; do
		pp-count -M ./metrics.json -M faults_per_switch,faults ${options/none/} -o out.pipe -- true
		[ "$(pp-stat --json out.pipe | jq -rs '[.[] | select(.kind == "count").event] | join(" ")')" = "$events" ]
		[ "$(pp-dump --headers out.pipe | sed -n 's/^# note : count.events = //p' | jq -c 'map(.leader)')" = "$leaders" ]
		pp-stat -M ./metrics.json -M faults --json out.pipe | jq -es 'map(select(.kind == "metric").value > 0) == [true]'
	done <<-'END'
		none
		context-switches page-faults cpu-migrations page-faults
		[null,0,null,2]
		--metric-no-group
		context-switches page-faults cpu-migrations
		[null,null,null]
		--metric-no-threshold
		context-switches page-faults
		[null,0]
		--metric-no-threshold --metric-no-merge
		context-switches page-faults page-faults
		[null,0,null]
	END
}

@test "pp-count refuses metrics that there are not, and options that need them" {
	run -2 pp-count -M nothing -- true
	assert_line --partial "there is no metric and no group of metrics 'nothing'"
	run -2 pp-count --metric-no-group -- true
	assert_line --partial 'need --metrics'
}

@test "a stream's names of metrics open no file, and those that are not known are only reported" {
	build <<-'END' | pp-inject --note 'count={"metrics":["./secret","nothing"]}' -o in.pipe
		header
		attr id=1 type=1 config=2 sample_type=0 flags=0
		thread_map entries=-1:
		cpu_map cpus=0
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=0 thread=0 val=5 ena=1 run=1
		stat_round type=1 time=4000000
		round
	END
	run -0 --separate-stderr pp-stat in.pipe
	[[ $output == *page-faults* ]]
	[[ $stderr == *"the stream's metrics are not shown"* ]]
}

@test "a metric with ? has a run for each chip, or core of a chip, of the machine that counted" {
	fake=$BIN/tests/fake/kernel.so
	! sanitized || skip "nothing is preloaded beside a sanitizer"
	perl "$TESTS/machines/make.pl" power9 power9
	SYSFS_PATH=$PWD/power9 LD_PRELOAD=$fake pp-count -q -M "$TESTS/metric/power9.json" -M chip_clock,core_clock -a \
		-o out.pipe -- true
	names() { pp-stat -M "$TESTS/metric/power9.json" "$@" --json out.pipe | jq -r 'select(.kind == "metric").name' | xargs; }
	[ "$(names)" = 'chip_clock_0 chip_clock_1 core_clock_0 core_clock_1 core_clock_2' ]
	[ "$(names -M core_clock)" = 'core_clock_0 core_clock_1 core_clock_2' ]
	# a machine that says neither has one of each
	rm -r power9/devices/hv_24x7
	SYSFS_PATH=$PWD/power9 LD_PRELOAD=$fake pp-count -q -M "$TESTS/metric/power9.json" -M chip_clock -a -o out.pipe -- true
	[ "$(names)" = chip_clock_0 ]
}
