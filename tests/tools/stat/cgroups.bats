# cgroups.bats - metrics and rates of several control groups: each group's by itself, and labelled.

setup() {
	load ../../helper
	need jq
}

# counts NOTES [ROUNDS]: instructions and cycles twice each, on two CPUs; NOTES say which group has which
counts() {
	{
		cat <<-'END'
			header
			attr id=1,2 type=0 config=1 sample_type=0 flags=0
			attr id=3,4 type=0 config=0 sample_type=0 flags=0
			attr id=5,6 type=0 config=1 sample_type=0 flags=0
			attr id=7,8 type=0 config=0 sample_type=0 flags=0
			thread_map entries=-1:
			cpu_map cpus=0,1
			stat_config entries=0:1,1:1000,2:1
		END
		for round in $(seq "${2:-1}"); do
			cat <<-END
				stat id=1 cpu=0 thread=0 val=$((3000 * round)) ena=$round run=$round
				stat id=2 cpu=1 thread=0 val=$((1000 * round)) ena=$round run=$round
				stat id=3 cpu=0 thread=0 val=$((2000 * round)) ena=$round run=$round
				stat id=4 cpu=1 thread=0 val=$((2000 * round)) ena=$round run=$round
				stat id=5 cpu=0 thread=0 val=$((4000 * round)) ena=$round run=$round
				stat id=6 cpu=1 thread=0 val=$((6000 * round)) ena=$round run=$round
				stat id=7 cpu=0 thread=0 val=$((1000 * round)) ena=$round run=$round
				stat id=8 cpu=1 thread=0 val=$((1000 * round)) ena=$round run=$round
				stat_round type=0 time=$((round * 1000000000))
				round
			END
		done
	} | build | pp-inject --note "count.events=$1"
}

readonly each='[{"cgroup":"a"},{"cgroup":"a","leader":0},{"cgroup":"b"},{"cgroup":"b","leader":2}]'

# bats test_tags=T3-A6
@test "each control group has a metric of its own, with its label, in every form" {
	counts "$each" >in.pipe
	pp-stat -I 0 -M insn_per_cycle in.pipe >out
	[ "$(grep -oE '^ +[ab] # +[0-9.]+ instructions  insn_per_cycle$' out | tr -s ' ')" = \
		$' a # 1.00 instructions insn_per_cycle\n b # 5.00 instructions insn_per_cycle' ]
	# below those of the counts
	[ "$(grep -ob ' a ' <(grep insn_per_cycle out | sed 1q))" = "$(grep -ob ' a ' <(grep '   *cycles ' out | sed 1q))" ]
	[ "$(pp-stat -I 0 -M insn_per_cycle -x, in.pipe | tail -n 2)" = \
		$',,,a,,,1.00,instructions  insn_per_cycle\n,,,b,,,5.00,instructions  insn_per_cycle' ]
	[ "$(pp-stat -I 0 -M insn_per_cycle -j in.pipe | jq -r 'select(."metric-unit" | endswith("insn_per_cycle")) | "\(.cgroup) \(."metric-value" + 0)"')" = $'a 1\nb 5' ]
	[ "$(pp-stat -I 0 -M insn_per_cycle --json in.pipe | jq -r 'select(.kind == "metric") | "\(.cgroup) \(.value)"')" = $'a 1\nb 5' ]
	[ "$(pp-stat -I 0 -M insn_per_cycle --csv in.pipe | grep -c '^metric,.*,[ab],,insn_per_cycle,[15],')" -eq 2 ]
	[ "$(pp-stat -M insn_per_cycle --prometheus in.pipe | grep '^perf_metric_')" = \
		$'perf_metric_insn_per_cycle{metric="insn_per_cycle",cgroup="a"} 1\nperf_metric_insn_per_cycle{metric="insn_per_cycle",cgroup="b"} 5' ]
	# -I
	counts "$each" 2 >in.pipe
	[ "$(pp-stat -M insn_per_cycle --json in.pipe | jq -r 'select(.kind == "metric") | "\(.to) \(.cgroup) \(.value)"')" = \
		$'1000000000 a 1\n1000000000 b 5\n2000000000 a 1\n2000000000 b 5' ]
}

# bats test_tags=T3-A6
@test "--metric-only has a line for each control group, of metrics and of rates" {
	local asked
	counts "$each" >in.pipe
	for asked in '-M insn_per_cycle' ''; do
		# shellcheck disable=SC2086 # options
		{
			pp-stat -I 0 $asked --metric-only in.pipe >out
			[ "$(grep -E '^[ab] ' out | tr -s ' ')" = $'a 1.00 \nb 5.00 ' ]
			[ "$(grep -cE 'insn.per.cycle' out)" -eq 1 ]
			[ "$(pp-stat -I 0 $asked --metric-only -x, in.pipe | sed 1d | cut -d, -f-2)" = $'a,1.00\nb,5.00' ]
			[[ "$(pp-stat -I 0 $asked --metric-only -x, in.pipe | sed 1q)" =~ ^cgroup,(instructions  )?insn.per.cycle, ]]
			[ "$(pp-stat -I 0 $asked --metric-only -j in.pipe | jq -c '[.[]]')" = $'["a","1.000000"]\n["b","5.000000"]' ]
			[ "$(pp-stat -I 0 -A $asked --metric-only -x, in.pipe | sed 1d | cut -d, -f-3)" = $'CPU0,a,1.50\nCPU0,b,4.00\nCPU1,a,0.50\nCPU1,b,6.00' ]
			[ "$(pp-stat -I 0 -A $asked --metric-only -j in.pipe | jq -c '[.[]]' | sed 1q)" = '["0","a","1.500000"]' ]
			counts "$each" 2 | pp-stat $asked --metric-only >out
			[ "$(grep -v '#' out | tr -s ' ')" = $' 1.000000000 a 1.00 \n 1.000000000 b 5.00 \n 2.000000000 a 1.00 \n 2.000000000 b 5.00 ' ]
			grep -qE '^# +time cgroup +(instructions  )?insn.per.cycle' out
		}
	done
}

# bats test_tags=T3-A6
@test "metrics of places have the place and the control group" {
	counts "$each" >in.pipe
	[ "$(pp-stat -I 0 -A -M insn_per_cycle --json in.pipe | jq -r 'select(.kind == "metric") | "\(.cpu) \(.cgroup) \(.value)"')" = \
		$'0 a 1.5\n0 b 4\n1 a 0.5\n1 b 6' ]
	[ "$(pp-stat -I 0 -A -M insn_per_cycle -x, in.pipe | grep insn_per_cycle)" = \
		$'CPU0,,,,a,,,1.50,instructions  insn_per_cycle\nCPU0,,,,b,,,4.00,instructions  insn_per_cycle\nCPU1,,,,a,,,0.50,instructions  insn_per_cycle\nCPU1,,,,b,,,6.00,instructions  insn_per_cycle' ]
	[ "$(pp-stat -A -M insn_per_cycle --prometheus in.pipe | grep -c '^perf_metric_.*cgroup="[ab]",.*cpu="[01]"')" -eq 4 ]
}

# bats test_tags=T3-A6
@test "a metric takes the events of one control group, and is not shown for those that have none of them" {
	# instructions of one group are not divided by cycles of another
	counts '[{"cgroup":"a"},{"cgroup":"b"},{},{}]' >in.pipe
	[ "$(pp-stat -I 0 -M insn_per_cycle --json in.pipe | jq -r 'select(.kind == "metric") | "\(.cgroup) \(.value) \(.state)"')" = \
		$'a null cpu-cycles was not counted\nb null instructions was not counted\nnull 5 null' ]
	counts '[{"cgroup":"a"},{"cgroup":"a"},{"cgroup":"b"},{}]' >in.pipe
	[ "$(pp-stat -I 0 -M cycles_frequency,page_faults_per_second --json in.pipe | jq -r 'select(.kind == "metric") | "\(.name) \(.cgroup)"' | sort -u)" = \
		$'cycles_frequency a\ncycles_frequency null\npage_faults_per_second a\npage_faults_per_second b\npage_faults_per_second null' ]
	# where groups have other events than each other, each line has all columns
	counts '[{"cgroup":"a"},{"cgroup":"a"},{},{}]' >in.pipe
	[ "$(pp-stat -I 0 --metric-only -x, in.pipe | sed 1d)" = $'a,1.00,,\n,5.00,,' ]
	counts '[{"cgroup":"a"},{"cgroup":"a"},{"cgroup":"b"},{"cgroup":"a"}]' >in.pipe
	[ "$(pp-stat -I 0 --metric-only -x, in.pipe | sed 's/[^,]//g' | sort -u | wc -l)" -eq 1 ]
}

# bats test_tags=T3-A6
@test "metrics of a recording of perf's kind have both its control groups" {
	found metric-cgroup.pipe
	pp-stat --json "$FOUND/metric-cgroup.pipe" | jq -r 'select(.kind == "count") | .cgroup' | sort -u >groups
	[ "$(wc -l <groups)" -eq 2 ]
	pp-stat --json "$FOUND/metric-cgroup.pipe" | jq -r 'select(.kind == "metric") | .cgroup' | sort -u | cmp - groups
}
