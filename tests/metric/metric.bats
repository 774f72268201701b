#!/usr/bin/env bats
# metric.bats - expressions, files and sets of metrics, by a program that has the public headers.

bats_require_minimum_version 1.5.0

setup_file() {
	load ../helper
	need jq perl
	load program
	build_metric
}

setup() { load ../helper; }

# rows: the table of expressions: expression, counts, what is expected, with a tab between; " " for nothing
rows() {
	perl -ne '
		next if m{^//|^$};
		chomp;
		my @f = map { s/^ +| +$//gr } split /;/, $_, 3;
		print join("\t", map { length ? $_ : " " } @f), "\n"' "$TESTS/metric/expressions.txt"
}

@test "at least 100 expressions yield what the table says, and what is wrong has its place" {
	local expression counts expected bad=0 n=0
	while IFS=$'\t' read -r expression counts expected; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # counts are words
		got=$("$METRIC" value $counts "$expression") || true
		case $expected in
		"= "*) got="= $got" ;;
		"? "*) got="? ${got/$'\t'/ }" ;;
		*) got="^ ${got%%$'\n'*}" ;;
		esac
		[ "$got" = "$expected" ] || { echo "$expression ($counts): $got, not $expected"; bad=$((bad + 1)); }
	done < <(rows)
	[ "$bad" -eq 0 ]
	[ "$n" -ge 100 ]
}

@test "a second reader in perl finds the same values" {
	local expression counts expected
	while IFS=$'\t' read -r expression counts expected; do
		case $expected in
		"= "*) printf '%s\n' "${expected#= }" >>want ;;
		"? "*) echo none >>want ;;
		*) continue ;;
		esac
		printf '%s\t%s\tinsn_per_cycle:=instructions / cycles\n' "$expression" "$counts" >>in
	done < <(rows)
	# names as they are compared: what is counted in lower case and without its modes, both ways
	perl -CS -pe 's/cycles:u=5(?!.*cycles:u)/cycles=5/; s/branch-instructions=/branches=/; s/\bcpu\\-cycles/cycles/; s/inst_retired\.any/INST_RETIRED.ANY/g; s/topdown.slots/TOPDOWN.SLOTS/; s/,name=x//; s/software\@cpu\\-clock\\,name\\=cpu\\-clock\@/cpu\\-clock/; s/tool\@(\w+)\@/$1/' in >plain
	perl "$TESTS/oracle/metric.pl" <plain >got
	paste want got plain | awk -F'\t' '$1 != $2' >differ
	cat differ
	[ ! -s differ ]
	[ "$(wc -l <want)" -ge 100 ]
}

# values: the table of the machines: processor, metric, counts, what is expected
values() { perl -ne 'next if m{^//}; chomp; print join("\t", split /; */), "\n"' "$TESTS/metric/machines/values.txt"; }

@test "files in perf's form for six processors: every metric is read, and has the value computed by hand" {
	local cpu metric counts expected n=0
	while IFS=$'\t' read -r cpu metric counts expected; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # counts are words
		got=$("$METRIC" set "$TESTS/metric/machines" "$cpu" "$metric" $counts) || true
		[ "$(tr '\t' ' ' <<<"$got")" = "$metric $expected" ] || { echo "$cpu: $got, not $expected"; return 1; }
	done < <(values)
	[ "$n" -ge 29 ]
	for cpu in GenuineIntel-6-55-4 GenuineIntel-6-6A-6 GenuineIntel-6-8F-8 AuthenticAMD-25-1-1 AuthenticAMD-25-11-1 0x410fd490; do
		run -0 "$METRIC" check "$TESTS/metric/machines" "$cpu"
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "a metric that the table of values leaves out is found" {
	cat "$TESTS"/metric/machines/*/metrics.json "$TESTS"/metric/machines/*/*/metrics.json |
		jq -r '.[].MetricName' | sort -u >all
	values | cut -f2 | sort -u >tried
	run comm -23 all tried
	[ "$output" = dispatch_slots ] # is asked for by the others
}

@test "a metric with ? is one for each chip, or each core of a chip, with what it refers to" {
	# power9: those of POWER9's files, found by its version, which a stream has in decimal
	mkdir files
	cp "$TESTS/metric/power9.json" files/metrics.json
	mkdir files/power9
	mv files/metrics.json files/power9
	echo '0x004e[[:xdigit:]]{4},v1,power9,core' >files/mapfile.csv
	local chip='hv_24x7/PM_PB_CYC,chip=' core='hv_24x7/CPM_CS_32MHZ_CYC,core='
	for cpu in 0x004e1202 78,4610; do
		run -0 "$METRIC" events files $cpu chip_clock
		assert_output "${chip}0/,${chip}1/"
		run -0 "$METRIC" events files $cpu core_clock
		assert_output "${core}0/,${core}1/,${core}2/"
	done
	run -2 "$METRIC" events files 0x004f1202 chip_clock
	assert_output --partial 'no line is about the processor 0x004f1202'
	# in 2 seconds
	run -0 "$METRIC" set files 0x004e1202 chips "${chip}0/=4e8" "${chip}1/=1e8"
	assert_output $'chip_clock_0\t200\tMHz\tover\nchip_clock_1\t50\tMHz\tfine\nchip_load_0\t0.5\nchip_load_1\t0.5'
	run -0 "$METRIC" set files 0x004e1202 core_clock "${core}0/=2e6" "${core}2/=6e6"
	assert_output $'core_clock_0\t1\tMHz\ncore_clock_1\tmissing\t'"${core}1/"$'\ncore_clock_2\t3\tMHz'
}

@test "the events that metrics need stand in weak groups, which are shared where one has all of another" {
	ask() { "$METRIC" events - - "$@"; }
	run -0 ask insn_per_cycle
	assert_output '{cpu-cycles,instructions}:W'
	run -0 ask insn_per_cycle,branch_miss_rate
	assert_output '{cpu-cycles,instructions}:W,{branch-misses,branches}:W'
	run -0 ask insn_per_cycle no-group
	assert_output 'cpu-cycles,instructions'
	run -0 ask CPUs_utilized # times are no events
	assert_output 'cpu-clock'
	cpu() { "$METRIC" events "$TESTS/metric/machines" "$@"; }
	clear='cpu/event=0xc3,umask=0x1,cmask=1,edge=1,name=CLEARS/'
	run -0 cpu GenuineIntel-6-6A-6 mispredicted,bad_share
	assert_output "{cpu/event=0xc5,name=BR_MISP/,$clear,slots,topdown-be-bound,topdown-fe-bound,topdown-retiring}:W"
	run -0 cpu GenuineIntel-6-6A-6 mispredicted,bad_share no-merge
	assert_output "{cpu/event=0xc5,name=BR_MISP/,$clear,slots,topdown-be-bound,topdown-fe-bound,topdown-retiring}:W,{slots,topdown-be-bound,topdown-fe-bound,topdown-retiring}:W"
}

@test "what a constraint or a group says of grouping is obeyed, and thresholds may be left out" {
	cpu() { "$METRIC" events "$TESTS/metric/machines" "$@"; }
	run -0 cpu GenuineIntel-6-55-4 retiring_slots no-threshold
	assert_output 'cpu/event=0x3C,umask=0x02,name=ONE_THREAD/,cpu/event=0x3C,umask=0x01,name=REF_XCLK/,cpu/event=0xC2,umask=0x02,name=UOPS.RETIRE_SLOTS/,cycles'
	run -0 cpu GenuineIntel-6-55-4 retiring_slots
	assert_output 'cpu/event=0x9C,umask=0x01,name=IDQ.NOT_DELIVERED/,cpu/event=0x3C,umask=0x02,name=ONE_THREAD/,cpu/event=0x3C,umask=0x01,name=REF_XCLK/,cpu/event=0xC2,umask=0x02,name=UOPS.RETIRE_SLOTS/,cycles'
	run -0 cpu GenuineIntel-6-6A-6 lost_to_clears
	assert_output --regexp '^\{.*\}:W$'
	run -0 cpu GenuineIntel-6-6A-6 TopdownL2 no-merge
	[[ $output == *'}:W,'*  || $output == *'topdown-retiring}:W' ]] # mispredicted alone is grouped
	run -0 cpu GenuineIntel-6-6A-6 lost_to_clears,TopdownL2
	[[ $output != '{'* || $output == *'}:W' ]]
}

@test "events that no value can need are left out" {
	run -0 "$METRIC" events "$TESTS/metric/machines" GenuineIntel-6-8F-8 pmem_share
	assert_output duration_time
	run -0 "$METRIC" events "$TESTS/metric/machines" GenuineIntel-6-8F-8 amx_busy
	assert_output duration_time
	run -0 "$METRIC" events "$TESTS/metric/machines" GenuineIntel-6-8F-8 amx_busy has=cpu/event=0xb7,umask=0x2,cmask=1/
	assert_output '{cpu/event=0xc0/k,cpu/event=0xb7,umask=0x2,cmask=1/}:W'
	run -0 "$METRIC" events - - TopdownL1 has=topdown-retiring
	assert_output '{topdown-bad-spec,topdown-be-bound,topdown-fe-bound,topdown-retiring}:W'
	run -0 "$METRIC" events "$TESTS/metric/machines" AuthenticAMD-25-11-1 waits_by_latency
	assert_output '{cpu/event=0x1a0,umask=0x01,cmask=0x6/,cpu/event=0x76,name=ls_not_halted_cyc/}:W'
}

@test "a metric that needs no event is shown beside duration_time, as in perf" {
	once pp_counts pp-count -e task-clock -o probe -- true || skip "perf_event_open is refused here"
	echo '[{"MetricName":"five","MetricExpr":"2 + 3"},{"MetricName":"faulty","MetricExpr":"faults * 1"}]' >m.json
	pp-count -M ./m.json -M five -o alone -- true
	run -0 pp-stat -M ./m.json -M five alone
	[[ $output == *duration_time*"5.00  five"* ]]
	pp-count -M ./m.json -M five,faulty -o both -- true
	run -0 pp-stat -M ./m.json -M five,faulty both
	[[ $output == *"5.00  five"* && $output == *faulty* && $output != *duration_time* ]]
}

@test "files say what events are" {
	event() { "$METRIC" event "$TESTS/metric/machines" GenuineIntel-6-55-1 "$1"; }
	run -0 event load.slow
	assert_output 'cpu/event=0xcd,umask=0x1,ldlat=0x80/'
	run -0 event LOCKED
	assert_output 'cpu/event=0xB7,umask=0x1,offcore_rsp=0x10003/'
	run -0 event ROUNDS
	assert_output 'cpu/event=0x9c,umask=0x1,cmask=4,inv=1,edge=1/'
	run -0 event CHA.CLOCKS
	assert_output 'uncore_cha/event=0,umask=0x3/'
	run -0 event BOX.HITS
	assert_output 'uncore_cbox/event=0x34,umask=0x11/'
	run -0 event NOTHING
	assert_output -- -
}

@test "a ratio of events that were never counted at one time is refused, unless it may be mixed" {
	ipc() { "$METRIC" set - - insn_per_cycle "$@"; }
	run -0 ipc instructions=300/50 cycles=200/50
	assert_output $'insn_per_cycle\tapart\tinstructions\tcycles'
	run -0 ipc instructions=300/51 cycles=200/50 # more than there is room for: they met
	assert_output $'insn_per_cycle\t1.5\tinstructions\tfine'
	run -0 ipc instructions=300/50/0 cycles=200/50/0 # in one group
	assert_output $'insn_per_cycle\t1.5\tinstructions\tfine'
	run -0 ipc instructions=300/1 cycles=200/100
	assert_output $'insn_per_cycle\t1.5\tinstructions\tfine'
	run -0 ipc mixed instructions=300/50 cycles=200/50
	assert_output $'insn_per_cycle\t1.5\tinstructions\tfine'
}

@test "of events counted twice, a metric takes those of one group" {
	run -0 "$METRIC" set - - insn_per_cycle cycles=1/50/0 branches=2/50/0 instructions=300/50/2 cycles=200/50/2
	assert_output $'insn_per_cycle\t1.5\tinstructions\tfine'
}

@test "thresholds say whether a value asks for attention" {
	run -0 "$METRIC" set - - insn_per_cycle instructions=100 cycles=200
	assert_output $'insn_per_cycle\t0.5\tinstructions\tover'
	run -0 "$METRIC" set - - branch_miss_rate branch-misses=6 branches=100
	assert_output $'branch_miss_rate\t6\t%\tover'
}

@test "metrics that refer to each other, or to nothing, are refused with a caret" {
	echo '[{"MetricName":"a","MetricExpr":"1 + b"},{"MetricName":"b","MetricExpr":"c * 2"},{"MetricName":"c","MetricExpr":"3 * a"},
		{"MetricName":"d","MetricExpr":"1 +"},{"MetricName":"e","MetricExpr":"2 * d"},{"MetricName":"f","MetricExpr":"f + 1"}]' >m.json
	run -2 "$METRIC" set m.json - a
	assert_line --index 0 "4: metric c: 'a' refers to itself"
	assert_line --index 1 '3 * a'
	assert_line --index 2 '    ^'
	run -2 "$METRIC" set m.json - f
	assert_line --index 0 "0: metric f: 'f' refers to itself"
	run -2 "$METRIC" set m.json - e
	assert_line --index 0 '3: metric d: a value is missing'
	run -2 "$METRIC" set m.json - insn_per_cycle,nothing
	assert_line --index 0 "15: there is no metric and no group of metrics 'nothing'"
	run -2 "$METRIC" set m.json - insn_per_cycle,
	assert_line --index 0 '15: the name of a metric is missing'
}

@test "deep and long expressions end with an answer" {
	perl -e 'print "(" x 99, "1", ")" x 99' >deep
	run -0 "$METRIC" value "$(cat deep)"
	assert_output 1
	perl -e 'print "(" x 100, "1", ")" x 100' >deeper
	run -2 "$METRIC" value "$(cat deeper)"
	assert_line --index 0 '100: nested more than 100 deep'
	perl -e 'print "1", "+1" x 30000' >long
	run -0 "$METRIC" value "$(cat long)"
	assert_output 30001
	perl -e 'print "-" x 60000, "1"' >minus
	run -0 "$METRIC" value "$(cat minus)"
	assert_output 1
	perl -e 'print "1 if 0 else " x 1100, "2"' >choices
	run -2 "$METRIC" value "$(cat choices)"
	assert_line --index 0 --regexp 'more than 1024 values wait for others$'
	perl -e 'print "1", "+1" x 40000' >longer
	run -2 "$METRIC" value "$(cat longer)"
	assert_line --index 0 --regexp 'longer than 65536 bytes$'
	perl -e 'print "[", join(",", map { my $n = $_ + 1; qq({"MetricName":"m$_","MetricExpr":"m$n + m$n"}) } 0 .. 69), "]"' >chain.json
	run -2 "$METRIC" set chain.json - m0
	assert_line --index 0 --regexp 'metrics refer to metrics more than 64 deep$'
	perl -e 'print "[", join(",", map { my $n = $_ + 1; qq({"MetricName":"m$_","MetricExpr":"m$n + m$n"}) } 0 .. 59), "]"' >chain.json
	run -0 "$METRIC" set chain.json - m0 m60=1
	assert_output $'m0\t1.152921505e+18'
}

@test "files that are no metrics are refused, and say where" {
	echo '{}' >object.json
	run -2 "$METRIC" list object.json -
	assert_output '0: object.json: a list of metrics is expected, not an object'
	printf '[{"MetricName":"a","MetricExpr":1 2}]' >broken.json
	run -2 "$METRIC" list broken.json -
	assert_output --regexp '^[0-9]+: broken.json: byte [0-9]+: .* is expected$'
	run -2 "$METRIC" list nowhere.json -
	assert_output '0: cannot read nowhere.json: No such file or directory'
	mkdir empty
	run -2 "$METRIC" list empty -
	assert_output '0: empty: there is no file that ends in .json'
	run -2 "$METRIC" list "$TESTS/metric/machines" GenuineIntel-15-1-1
	assert_output --partial 'no line is about the processor GenuineIntel-15-1-1'
	mkdir tree
	echo 'GenuineIntel-6-1,v1,../secret,core' >tree/mapfile.csv
	run -2 "$METRIC" list tree GenuineIntel-6-1-1
	assert_output --partial "'../secret' is outside of it"
	echo '[{"MetricName":"a"},{"MetricExpr":"1"},{"MetricName":2,"MetricExpr":"1"},3,{"MetricName":"ok","MetricExpr":"1"}]' >some.json
	run -0 "$METRIC" set some.json - ok
	assert_output $'ok\t1'
}

@test "a processor is found in mapfile.csv, by both forms of its name" {
	for cpu in GenuineIntel,6,85,4 GenuineIntel-6-55-4 GenuineIntel-6-9E-A AuthenticAMD,25,33,0 0x00000000410fd491; do
		run -0 "$METRIC" check "$TESTS/metric/machines" "$cpu"
	done
	run -2 "$METRIC" check "$TESTS/metric/machines" GenuineIntel-6-55-7 # a stepping that is not listed
	run -2 "$METRIC" check "$TESTS/metric/machines" 0x00000000410fd400
}

@test "every metric that the newest perf prints here is understood" {
	[ -x "$PERF_NEWER/perf-7.3" ] || skip "there is no newer perf here"
	"$PERF_NEWER/perf-7.3" list --json >list.json 2>/dev/null || skip "perf list --json fails here"
	jq -e '[.[] | select(.MetricName)] | length > 0' list.json || skip "it prints no metrics here"
	run -0 "$METRIC" check list.json here
	[ "$(jq -r '[.[].MetricName | select(.)] | unique | length' list.json)" -le "${output##* of }" ]
}
