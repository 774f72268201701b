# compare.bats - pp-stat A B, and streams of pp-count --compare: how counts differ, and how surely.

setup() {
	load ../../helper
	load runs
	need jq
}

# Two series that were made up, each with a measurement far from all others.
BEFORE=(812 790 845 801 799 830 818 807 1204 795)
AFTER=(861 850 872 849 901 866 858 840 877 869 853 990)

# faults FILTER: what is said of page faults, rounded to 6 digits after the point
faults() {
	jq -r "select(.kind == \"difference\" and .event == \"page-faults\") |
		map_values(if type == \"number\" then (. * 1e6 | round) / 1e6 else . end) | $1"
}

# Expected by scipy 1.10 and numpy 1.24, with A and B the two series as arrays of floats:
#   va, vb = A.var(ddof=1)/len(A), B.var(ddof=1)/len(B)
#   df = (va+vb)**2 / (va**2/(len(A)-1) + vb**2/(len(B)-1)); t = scipy.stats.t.ppf(.975, df)
#   d = B.mean()-A.mean(); print(A.mean(), B.mean(), d, d-t*(va+vb)**.5, d+t*(va+vb)**.5)
@test "the difference of two streams of repeats is Welch's, as scipy computes it" {
	runs "${BEFORE[@]}" | build >a.pipe
	runs "${AFTER[@]}" | build >b.pipe
	pp-stat --json a.pipe b.pipe >out
	[ "$(faults '"\(.before) \(.after) \(.value) \(.low) \(.high) \(.basis) \(.verdict)"' <out)" = \
		'850.1 873.833333 23.733333 -67.70964 115.176306 runs not known' ]
	# of two streams no one time
	jq -e -s 'map(select(.kind == "difference") | has("from") or has("to")) | length > 1 and (any | not)' out
	# task-clock is the same in all runs
	jq -e -s 'map(select(.event == "task-clock")) | .[0].value == 0 and .[0].verdict == "not known"' out
	pp-stat a.pipe b.pipe >text
	grep -qE '^ +850\.100 +873\.833 +page-faults +\+2\.79% \(-7\.96% to \+13\.55%\) no significant difference \([0-9]+ and [0-9]+ runs\)$' text
	pp-stat --csv a.pipe b.pipe | grep -q '^difference,.*,page-faults,.*,runs,not known'
}

#   p = B[:10]-A; print(p.mean(), *scipy.stats.t.interval(.95, 9, p.mean(), scipy.stats.sem(p)))
@test "two commands of one stream are compared pair by pair, whichever of a pair came first" {
	local words=()
	for i in "${!BEFORE[@]}"; do
		if ((i % 2)); then words+=("1:${AFTER[i]}" "0:${BEFORE[i]}"); else words+=("0:${BEFORE[i]}" "1:${AFTER[i]}"); fi
	done
	runs "${words[@]}" | build | pp-inject --note 'count={"sides":["old -x","new"]}' >in.pipe
	pp-stat --json in.pipe >out
	[ "$(faults '"\(.value) \(.low) \(.high) \(.basis) \(.verdict)"' <out)" = '14.2 -73.026491 101.426491 pairs not known' ]
	# what each side counted is said of it alone
	[ "$(jq -r 'select(.kind == "count" and .event == "page-faults") | "\(.side) \(.value * 1e6 | round / 1e6) \(.raw) \(.runs)"' out)" = \
		$'old -x 850.1 8501 10\nnew 864.3 8643 10' ]
	pp-stat in.pipe >text
	[ "$(grep -c '^ Performance counter stats for ' text)" -eq 2 ]
	grep -qxF " Difference from 'old -x' to 'new', with 95 % confidence:" text
	pp-stat --table in.pipe >text
	[ "$(grep -c '^ .* ([+-][0-9.]*) #' text)" -eq 20 ]
	run -2 pp-stat -x, in.pipe
	assert_line --partial 'text, --csv and --json'
}

@test "what is shown of one stream alone is refused of two" {
	runs 5 | build >a.pipe
	for option in '-M CPUs_utilized' --table --spread; do
		pp-stat $option a.pipe
		run -2 pp-stat $option a.pipe a.pipe
		assert_line 'pp-stat: -M, --table and --spread show one stream: give each by itself'
	done
}

@test "of one run each nothing is known; of the intervals of one run it may be" {
	runs 5 | build >a.pipe
	runs 9 | build >b.pipe
	[ "$(pp-stat --json a.pipe b.pipe | faults '"\(.value) \(.low) \(.basis) \(.verdict)"')" = '4 null totals not known' ]
	# 10 or 12 faults each tenth of a second, give or take one; the last interval is cut short
	for n in 10 12; do
		{
			printf '%s\n' header 'attr id=1 type=1 config=2' 'stat_config entries=0:1,1:100,2:1'
			for ((i = 1; i <= 8; i++)); do
				echo "stat id=1 cpu=-1 thread=0 val=$((i * n + i % 2)) ena=${i}00000000 run=${i}00000000"
				echo "stat_round type=0 time=${i}00000000"
			done
			echo "stat id=1 cpu=-1 thread=0 val=900 ena=810000000 run=810000000"
			echo "stat_round type=0 time=810000000"
		} | build >$n.pipe
	done
	[ "$(pp-stat --json 10.pipe 12.pipe | faults '"\(.before) \(.after) \(.unit) \(.basis) \(.verdict)"')" = '100 120 /s intervals worse' ]
	[ "$(pp-stat --json 12.pipe 10.pipe | faults .verdict)" = better ]
	[ "$(pp-stat --json -I 200 12.pipe 10.pipe | faults '"\(.low) \(.high)"')" = '-20 -20' ]
}

@test "--fail-if-worse: 1 only where it surely is worse by more" {
	runs 100 102 98 101 | build >a.pipe
	runs 110 112 108 111 | build >b.pipe
	run -0 pp-stat a.pipe b.pipe
	run -1 pp-stat --fail-if-worse 5 a.pipe b.pipe
	run -1 pp-stat --fail-if-worse=5% -q --json a.pipe b.pipe
	# 10 per cent is in the interval
	run -0 pp-stat --fail-if-worse 9.9 a.pipe b.pipe
	run -0 pp-stat --fail-if-worse 0 b.pipe a.pipe
	run -0 pp-stat --fail-if-worse 0 a.pipe a.pipe
	runs 0:100 1:110 1:111 0:99 0:100 1:109 | build | pp-inject --note 'count={"sides":["a","b"]}' >in.pipe
	run -1 pp-stat --fail-if-worse 5 in.pipe
	run -0 pp-stat in.pipe
	run -2 --separate-stderr pp-stat --fail-if-worse 5 a.pipe
	[[ $stderr == *'needs two streams'* ]]
	for bad in -1 x '' 5x; do run -2 pp-stat --fail-if-worse "$bad" a.pipe b.pipe; done
}

@test "by place, by control group, and events of one stream alone" {
	for n in 1 2; do
		{
			printf '%s\n' header 'attr id=1,2 type=1 config=2' 'attr id=3 type=1 config=3' 'cpu_map cpus=0,1' \
				'stat_config entries=0:1,1:0,2:1'
			echo "stat id=1 cpu=0 thread=0 val=$((n * 5)) ena=9 run=9"
			echo "stat id=2 cpu=1 thread=0 val=7 ena=9 run=9"
			[ $n -eq 1 ] || echo "stat id=3 cpu=0 thread=0 val=3 ena=9 run=9"
			echo "stat_round type=1 time=9"
		} | build | pp-inject --note 'count.events=[{"cgroup":"/x"},{}]' >$n.pipe
	done
	pp-stat --json -A 1.pipe 2.pipe >out
	[ "$(faults '"\(.place) \(.cgroup) \(.before) \(.after)"' <out)" = $'CPU0 /x 5 10\nCPU1 /x 7 7' ]
	[ "$(jq -r 'select(.event == "context-switches") | "\(.place) \(.before) \(.after) \(.value)"' out)" = 'CPU0 null 3 null' ]
	pp-stat -A 1.pipe 2.pipe | grep -qE '^CPU0 +<not counted> +3 +context-switches +too few measurements$'
}

@test "a stream that is missing, cut or without counts" {
	runs 5 6 | build >a.pipe
	run -4 --separate-stderr pp-stat nowhere.pipe a.pipe
	[ -z "$output" ]
	run -4 --separate-stderr pp-stat a.pipe nowhere.pipe
	[ -z "$output" ]
	pp-cat --seal a.pipe | head -c -20 >cut.pipe
	run -3 pp-stat a.pipe cut.pipe
	assert_line --partial 'page-faults'
	run -3 pp-stat cut.pipe a.pipe
	printf 'header\nattr id=1\n' | build >none.pipe
	run -3 pp-stat none.pipe a.pipe
	assert_line --partial 'none.pipe has no counts'
	for form in -x, -j --prometheus --openmetrics --metric-only; do run -2 pp-stat $form a.pipe a.pipe; done
	runs 0:1 1:2 | build | pp-inject --note 'count={"sides":["a","b"]}' >in.pipe
	run -2 pp-stat in.pipe a.pipe
	run -2 pp-stat a.pipe a.pipe a.pipe
}

#   q = np.percentile(A, [25, 50, 75]); i = q[2]-q[0]
#   print(A.mean(), q[1], A.std(ddof=1), *scipy.stats.t.interval(.95, 9, A.mean(), scipy.stats.sem(A)))
#   print([k + 1 for k, v in enumerate(A) if v < q[0]-1.5*i or v > q[2]+1.5*i])
@test "of repeats: mean, median, deviation, interval and outliers, as numpy and scipy compute them" {
	runs "${BEFORE[@]}" | build >in.pipe
	[ "$(pp-stat --json in.pipe | jq -r 'select(.kind == "count" and .event == "page-faults") |
		map_values(if type == "number" then (. * 1e6 | round) / 1e6 else . end) |
		"\(.value) \(.median) \(.deviation) \(.low) \(.high) \(.outliers)"')" = '850.1 809.5 125.470182 760.344039 939.855961 9' ]
	pp-stat --spread in.pipe >text
	grep -qE '^ +# mean 850\.10 \(760\.34 to 939\.86\), deviation 125\.47, median 809\.50, outliers: 9$' text
	# the time is a tenth of a millisecond for each count
	grep -qE '^ +# mean 0\.08501 \(0\.07603 to 0\.09399\), deviation 0\.01255, median 0\.08095, outliers: 9$' text
	runs "${AFTER[@]}" | build | pp-stat --spread | grep -q 'median 863\.50, outliers: 12$'
	# without it the text is perf's
	pp-stat in.pipe | grep -vE '^ *(#|$)' >plain
	grep -vE '^ *(#|$)' text | diff plain -
	# one run has no spread
	runs 5 | build | pp-stat --spread >text
	run grep mean text
	assert_output ''
}
