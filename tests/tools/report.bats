# report.bats - pp-report: tables, CSV and JSON of made streams, what options choose, and what is
# misuse.

setup() {
	load ../helper
	load names
	load report/report
}

two_events() {
	head_of
	cat <<-END
		sample id=1 misc=1 pid=7 tid=7 time=10 period=30 ip=0xffffffff81000110 callchain=-128,0xffffffff81000110,0xffffffff81000010
		sample id=1 misc=1 pid=8 tid=9 time=12 period=10 ip=0xffffffff81000020 callchain=-128,0xffffffff81000020
		sample id=2 misc=1 pid=8 tid=8 time=13 cpu=3 period=7 ip=0xffffffff81000020
		round
	END
}

@test "report: an event of a group to sort by needs a group, as in perf" {
	two_events | build >in
	for options in '' --no-children '--group -c nothing' '--no-group -s comm'; do
		# shellcheck disable=SC2086 # words
		run -0 pp-report --group-sort-idx 0 $options in
	done
	run -2 --separate-stderr pp-report --group-sort-idx 1 in
	assert_output ''
	[ "$stderr" = 'pp-report: in: --group-sort-idx is for events of a group, and there is none: --group makes one' ]
	run -2 pp-report --group-sort-idx 1 -o kept in
	[ ! -e kept ]
	pp-report --group-sort-idx 1 --group in | grep -q 'cpu-clock, task-clock'
	pp-report --group-sort-idx 1 --csv in | grep -q '^task-clock,'
}

@test "report: a key says the same whether its name is whole or only begun" {
	need_tracepoints
	local name
	two_events | build >in
	for name in srcline symbol trace; do
		pp-report --no-children -s "$name" in | sed '/^#/d' >whole
		pp-report --no-children -s "${name%?}" in | sed '/^#/d' | diff whole -
	done
	[ -s whole ]
	perf record -q -e sched:sched_process_exec -o - -- sh -c 'ls; ls' >in 2>/dev/null
	pp-report -s trace in | grep -q filename=
	diff <(pp-report -s trace in) <(pp-report -s trac in)
}

@test "report: events of a group are side by side, and what only one of them has is there" {
	{
		two_events
		echo 'feature GROUP_DESC u32 1 string pair u32 0 u32 2'
	} | build >in
	pp-report -s comm,sym --no-children -g none in >got
	cat >expected <<-'END'
		# To display the perf.data header info, please use --header/--header-only options.
		#
		#
		# Total Lost Samples: 0
		#
		# Samples: 3  of events 'pair { cpu-clock, task-clock }'
		# Event count (approx.): 47
		#
		#         Overhead  Command   Symbol   
		# ................  ........  .........
		#
		    75.00%   0.00%  seven     [k] inner
		    25.00%   0.00%  :9        [k] outer
		     0.00% 100.00%  eight up  [k] outer


	END
	diff expected got
	pp-report -s comm,sym --no-children -g none --group-sort-idx 1 in | grep '%' >got
	[[ $(head -n 1 got) == *'100.00%  eight up'* ]]
	pp-report -s comm --no-group in | grep -c "of event" | grep -qx 2
	pp-report --csv -s comm --no-children in | diff - <(printf '%s\r\n' event,overhead,comm cpu-clock,75.0000,seven \
		cpu-clock,25.0000,:9 'task-clock,100.0000,eight up')
}

@test "report: --filter takes the samples that pp-filter would, and a mistake is shown where it is" {
	two_events | build >in
	for expression in 'pid == 8' 'comm == "eight up" && cpu == 3' 'depth == 2' 'time >= +2ns' 'pid > 0'; do
		pp-filter "$expression" in >kept
		pp-report --csv kept >expected
		[ "$(wc -l <expected)" -gt 1 ]
		pp-report --csv --filter "$expression" in | diff expected -
	done
	for expression in 'time >= 50%' 'time > -2ns' '!(time < 50%)'; do
		pp-filter -i in "$expression" >kept
		pp-report --csv kept >expected
		[ "$(wc -l <expected)" -gt 1 ]
		pp-report --csv --filter "$expression" in | diff expected -
		pp-report --csv --filter "$expression" <in | diff expected -
	done
	run -2 --separate-stderr pp-report --filter 'time > -2ns' < <(cat in)
	[ "$stderr" = 'pp-report: standard input: time > -2ns: times from the end need a file, whose end is known' ]
	run -0 --separate-stderr pp-report --filter 'pid == 9' in
	[ "$output" = "" ]
	[ "$stderr" = "pp-report: in: no sample matched" ]
	run -2 --separate-stderr pp-report --filter 'comm == ' in
	[ "$output" = "" ]
	[[ "$stderr" == *$'\n  comm == \n          ^' ]]
	run -2 --separate-stderr pp-report --filter 'time >= "2026-11-21 10:00:05"' in
	[[ "$stderr" == *': the stream has no CLOCK_DATA, which gives the time of the wall clock: record with perf '* ]]
	run -2 --separate-stderr pp-report --filter 'no_such_field == 1' in
	[ "$output" = "" ]
}

@test "report: of a stream as of the file that pp-save makes of it" {
	two_events | build >in
	pp-save -o in.data in
	pp-report in >of_stream
	pp-report in.data >of_file
	diff of_stream of_file
	trickle in 1 | pp-report >in_pieces
	diff of_stream in_pieces
	pp-cat --big-endian in | pp-report >other_order
	diff of_stream other_order
}

@test "report: a table for each event, in their order" {
	two_events | build >in
	pp-report -s comm,sym -g none in >got
	cat >expected <<-'END'
		# To display the perf.data header info, please use --header/--header-only options.
		#
		#
		# Total Lost Samples: 0
		#
		# Samples: 2  of event 'cpu-clock'
		# Event count (approx.): 40
		#
		# Children      Self  Command  Symbol   
		# ........  ........  .......  .........
		#
		    75.00%    75.00%  seven    [k] inner
		    75.00%     0.00%  seven    [k] outer
		    25.00%    25.00%  :9       [k] outer


		# Samples: 1  of event 'task-clock'
		# Event count (approx.): 7
		#
		# Children      Self  Command   Symbol   
		# ........  ........  ........  .........
		#
		   100.00%   100.00%  eight up  [k] outer


	END
	diff expected got
}

@test "report: --csv and --json have the columns of the table" {
	two_events | build >in
	pp-report --csv -s comm,sym --no-children -n in >got
	printf '%s\r\n' event,overhead,sample,comm,symbol cpu-clock,75.0000,1,seven,inner \
		cpu-clock,25.0000,1,:9,outer 'task-clock,100.0000,1,eight up,outer' >expected
	diff expected got
	pp-report --json -s comm,sym,cpu in >got
	[ "$(head -n 1 got)" = '{"schema":"perfpipe.report/1"}' ]
	[ "$(jq -rs 'map(select(.samples) | "\(.event) \(.samples) \(.total)") | join(", ")' got)" = "cpu-clock 2 40, task-clock 1 7" ]
	[ "$(jq -c 'select(.symbol == "inner") | .overhead |= floor | .overhead_children |= floor' got)" = '{"event":"cpu-clock","overhead_children":75,"overhead":75,"comm":"seven","symbol":"inner","level":"k"}' ]
	[ "$(jq -r 'select(.cpu).cpu' got)" = 3 ]
}

# bats test_tags=T3-A13
@test "report: as many columns are shown as are asked for" {
	local fields
	fields=overhead,overhead_sys,overhead_us,overhead_guest_sys,overhead_guest_us,sample,period
	fields+=,weight1,weight2,weight3,pid,comm,comm_nodigit,dso,symbol,parent,cpu,socket,srcline,srcfile,local_weight
	fields+=,transaction,dso_size,cgroup,cgroup_id,time,code_page_size,local_ins_lat,local_p_stage_cyc,addr
	fields+=,local_retire_lat,symoff,tgid,event,tid,symbol_daddr,dso_daddr,locked,tlb,mem,snoop,phys_daddr,blocked
	two_events | build >in
	pp-report --csv --mem-mode -F "$fields" in | tr -d '\r' >got
	[ "$(head -n 1 got | cut -d, -f2-)" = "$fields" ]
	[ "$(tr -d '\n' <<<"$fields" | tr , '\n' | wc -l)" -ge 42 ]
	[ "$(pp-report --mem-mode -F "$fields" -t '|' in | grep -c '|.*Data Physical Address.*|')" -eq 2 ]
	# nor does a key of the sort beyond them go
	pp-report --csv --mem-mode -s "${fields#*,period,weight1,weight2,weight3,},data_page_size" in | tr -d '\r' >got
	[[ $(head -n 1 got) == *,blocked,data_page_size ]]
}

# bats test_tags=T3-A13
@test "report: whose callers are asked for by -p are shown" {
	two_events | build >in
	pp-report --csv -p '^outer' --no-children in | tr -d '\r' >got
	[ "$(head -n 1 got)" = 'event,overhead,comm,dso,symbol,parent' ]
	[ "$(pp-report --csv -s sym -p '^outer' in | head -n 1 | tr -d '\r')" = 'event,overhead_children,overhead,symbol,parent' ]
	[ "$(pp-report --csv -F sample -p '^outer' in | head -n 1 | tr -d '\r')" = 'event,sample,parent' ]
	[ "$(pp-report --csv -s parent,sym -p '^outer' in | head -n 1 | tr -d '\r')" = 'event,overhead_children,overhead,parent,symbol' ]
}

@test "report: of the samples that are left out only the sum is known" {
	two_events | build >in
	pp-report --csv -s comm,sym --no-children -c seven in >got
	printf '%s\r\n' event,overhead,comm,symbol cpu-clock,75.0000,seven,inner >expected
	diff expected got
	pp-report --csv -s comm,sym --no-children -c seven --percentage relative in >got
	printf '%s\r\n' event,overhead,comm,symbol cpu-clock,100.0000,seven,inner >expected
	diff expected got
	# in the caller, too, samples that are left out do not count
	pp-report --csv -s sym --symbols inner in >got
	printf '%s\r\n' event,overhead_children,overhead,symbol cpu-clock,75.0000,75.0000,inner \
		cpu-clock,75.0000,0.0000,outer >expected
	diff expected got
	pp-report --csv -s tgid,sym --no-children --pid 8 --tid 8,9 in >got
	printf '%s\r\n' event,overhead,tgid,symbol cpu-clock,25.0000,8,outer task-clock,100.0000,8,outer >expected
	diff expected got
	pp-report --csv -s tid,sym --no-children --pid 8 in >got
	pp-report --csv -s pid,sym --no-children --pid 8 in | sed 's/,pid,/,tid,/' >expected
	[ "$(wc -l <got)" -gt 1 ]
	diff expected got
	[ "$(pp-report --csv --no-children --pid 8 --tid 7 in | wc -l)" = 1 ]
}

# bats test_tags=T3-C10
@test "report: --symbol-filter shows what has a part of a name, callers too" {
	two_events | build >in
	pp-report -s comm,sym -g none --symbol-filter=ute in | grep % >got
	diff - got <<-'END'
		    75.00%     0.00%  seven    [k] outer
		    25.00%    25.00%  :9       [k] outer
		   100.00%   100.00%  eight up  [k] outer
	END
	pp-report -s sym --no-children -g none --symbol-filter inn in | grep % >got
	diff - got <<-'END'
		    75.00%  [k] inner
	END
	pp-report -s sym --no-children --csv --symbol-filter inn in >got
	diff - got < <(printf '%s\r\n' event,overhead,symbol cpu-clock,75.0000,inner)
	run -2 --separate-stderr pp-report -s comm --symbol-filter x in
	[ "$stderr" = 'pp-report: in: --symbol-filter is for the column symbol, which is not shown' ]
}

@test "report: of a cut stream what is good is added up, and it exits 3" {
	two_events | build >in
	head -c $(($(stat -c %s in) - 20)) in >cut
	run -3 --separate-stderr pp-report -s comm --no-children -g none cut
	[[ $output == *'75.00%  seven'* ]]
	[[ $stderr == *'cut: '* ]]
}

@test "report: without samples there is no table" {
	head_of | build >in
	run -0 --separate-stderr pp-report in
	refute [ "$output" ]
	assert_equal "$stderr" 'pp-report: in: there are no samples in it'
}

@test "report, top: branches and accesses to memory that no sample has are reported" {
	printf 'header\nattr id=1\nsample pid=7 tid=7 ip=0x10 time=1\nround\n' | build >in
	run -0 --separate-stderr pp-report -b in
	[ "$stderr" = 'pp-report: in: no sample has branches: pp-record -b records them' ]
	run -0 --separate-stderr pp-report --mem-mode in
	[ "$stderr" = 'pp-report: in: no sample has an access to memory: pp-record -d records them' ]
	run -0 --separate-stderr pp-top --once -s comm -b in
	[ "$stderr" = 'pp-top: in: no sample has branches: pp-record -b records them' ]
	run -0 --separate-stderr pp-top --once -s comm --mem-mode in
	[ "$stderr" = 'pp-top: in: no sample has an access to memory: pp-record -d records them' ]
	for options in '' --no-branch-stack '-b -q' '--mem-mode -q'; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr pp-report $options in
		[ -z "$stderr" ]
	done
}

@test "report: no addresses of a chain, and slices of no time, are misuse" {
	printf 'header\nattr id=1\nsample pid=7 tid=7 ip=0x10 time=1\nround\n' | build >in
	run -2 pp-report --max-stack 0 in
	assert_line "pp-report: --max-stack: '0' is not between 1 and 65535"
	run -2 pp-report -s time --time-quantum 0 in
	assert_line 'pp-report: --time-quantum has to be more than 0'
	pp-report -s time --time-quantum 1ns --max-stack 1 in
}

@test "report: keys, call graphs and forms that are not are misuse" {
	run -2 pp-report -s comm,bogus /dev/null
	[[ $output == *"no key 'bogus'"* ]]
	run -2 pp-report -g graph,nonsense /dev/null
	run -2 pp-report --csv --json /dev/null
	run -2 pp-report --csv -t ';' /dev/null
	run -2 pp-report --json -t ';' /dev/null
	run -2 pp-report --children --no-children /dev/null
	run -2 pp-report -s parent -p '(' /dev/null
	run -2 pp-report --percent-limit 101 /dev/null
	run -2 pp-report --percentage some /dev/null
	run -2 pp-report --pid 12,x /dev/null
	[[ $output == *"'12,x' is not a list of numbers"* ]]
}

@test "report: memory is by distinct stacks, and not by samples" {
	need_limits
	{
		head_of
		echo round
	} | build >in
	pp-gen --samples 200000 --cpus 2 >many
	prlimit --as=400000000 pp-report -s comm,sym -g none many >got
	grep -q '^# Samples: 200K' got
}

@test "report: a fractal tree says how many samples it leaves out" {
	{
		head_of
		# of what calls two functions: 4 samples of 97 in one, 3 of 1 in the other
		for at in 110,4,97 210,3,1; do
			IFS=, read -r ip times period <<<"$at"
			for ((i = 0; i < times; i++)); do
				echo "sample id=1 misc=1 pid=7 tid=7 time=10 period=$period ip=0xffffffff81000$ip callchain=-128,0xffffffff81000$ip,0xffffffff81000010"
			done
		done
	} | build >in
	run -0 --separate-stderr pp-report --children -s sym -g fractal,5,caller,count in
	assert_line --regexp '--4--'
	assert_line --regexp '--3--\[\.\.\.\]$'
	run -0 --separate-stderr pp-report --children -s sym -g fractal,0,caller,count in
	refute_output --partial '[...]'
}
