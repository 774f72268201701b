# top.bats - pp-top: what is going on, as plain text.

setup() {
	load ../helper
	load top/top
}

# ---- plain text

@test "top: at the end of the input a table of functions, those first that weigh most" {
	small | build >in
	pp-top in >got
	cat >expected <<-'END'
		# 0.3 s, 4 samples of cpu-clock, 0 lost
		OVERHEAD   SAMPLE DSO                      SYMBOL
		  75.00%        3 [kernel]                 [k] inner
		  25.00%        1 [kernel]                 [k] outer
	END
	diff expected got
	pp-top --once <in | diff expected -
	pp-top -o file in
	diff expected file
	pp-top --entries 1 in | tail -n 1 | grep -q inner
}

# bats test_tags=T3-C9
@test "top: the tree has tasks, what they call, and what each weighs with all that it calls" {
	small | build >in
	pp-top --tree in >got
	cat >expected <<-'END'
		# 0.3 s, 4 samples of cpu-clock, 0 lost
		OVERHEAD   SAMPLE CALLS
		  50.00%        2 eight_up
		  50.00%        2   [k] outer ([kernel])
		  25.00%        1     [k] inner ([kernel])
		  50.00%        2 seven
		  50.00%        2   [k] outer ([kernel])
		  50.00%        2     [k] inner ([kernel])
	END
	diff expected got
}

@test "top: a table each interval of the stream's time; older weights lose an eighth, or what --decay says" {
	{
		head_of
		for ((i = 0; i < 8; i++)); do hit 7 1$i $inner; done
		hit 7 2500 $outer
		hit 7 4800 $outer
		echo round
	} | build >in
	pp-top in | grep -v SYMBOL >got
	cat >expected <<-'END'
		# 0.0 s, 8 samples of cpu-clock, 0 lost
		 100.00%        8 [kernel]                 [k] inner

		# 2.4 s, 9 samples of cpu-clock, 0 lost
		  87.50%        7 [kernel]                 [k] inner
		  12.50%        1 [kernel]                 [k] outer

		# 4.7 s, 10 samples of cpu-clock, 0 lost
		  85.71%        6 [kernel]                 [k] inner
		  14.29%        2 [kernel]                 [k] outer
	END
	diff expected got
	pp-top --decay 0 in | tail -n 2 >got
	printf '%s\n' '  80.00%        8 [kernel]                 [k] inner' \
		'  20.00%        2 [kernel]                 [k] outer' | diff - got
	pp-top --decay 100 in | tail -n 1 >got
	echo ' 100.00%        1 [kernel]                 [k] outer' | diff - got
	pp-top --interval 10 in | grep -c '^#' >got
	[ "$(cat got)" -eq 1 ]
	pp-top --once in | grep -c 'inner\|outer' >got
	[ "$(cat got)" -eq 1 ]
}

@test "top: only samples that match the filter count, and a wrong one is shown where it is wrong" {
	small | build >in
	pp-top --filter 'comm == "seven"' in | sed 1,2d >got
	echo ' 100.00%        2 [kernel]                 [k] inner' | diff - got
	run -0 --separate-stderr pp-top --filter 'pid == 9' in
	[ "$stderr" = 'pp-top: in: no sample matched' ]
	run -0 --separate-stderr pp-top --event nothing in
	[ "$stderr" = 'pp-top: in: there are no samples of nothing in it' ]
	run -2 --separate-stderr pp-top --filter 'comm == ' in
	[[ "$stderr" == *$'\n  comm == \n          ^' ]]
	run -0 --separate-stderr pp-top --filter 'time > -1s' in
	[ ! "$stderr" ]
	run -2 --separate-stderr pp-top --filter 'time > -1s' < <(cat in)
	[ "$stderr" = 'pp-top: standard input: time > -1s: times from the end need a file, whose end is known' ]
}

@test "top: names are text, whatever is in them" {
	{
		head_of
		echo 'comm pid=7 comm="t\x1b[1m\xfe" time=6'
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="a\x1b[2Jb\x9b\xff" time=2'
		echo "ksymbol addr=0xffffffff81000300 len=16 ksym_type=1 name=$(printf '%060000d' 0) time=2"
		hit 7 1000 0xffffffff81000200
		hit 7 1001 0xffffffff81000300
		echo round
	} | build >in
	for options in '' --tree '-s comm,dso,sym' '-F sym,comm' '-s parent,sym' '-s comm,cgroup,sym'; do
		# shellcheck disable=SC2086
		pp-top $options in >got
		LC_ALL=C run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f-\xff]' got
		grep -qF 'a\x1b[2Jb\x9b\xff' got
		grep -q 00000000000000 got
		[[ $options != *comm* ]] || grep -qF 't\x1b[1m\xfe' got
	done
}

@test "top: stacks stay within --stacks: the lightest go, and that is said" {
	{
		head_of
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name=often time=2'
		hit 7 1000 0xffffffff81000200 1000
		hit 7 1001 0xffffffff81000200 1000
		perl -e 'for my $i (0 .. 4999) {
			printf "sample id=1 pid=7 tid=7 time=%d period=1 callchain=-128%s\n", 2000000000 + $i,
				join "", map { $i >> $_ & 1 ? ",0xffffffff81000110" : ",0xffffffff81000010" } 0 .. 12
		}'
		hit 7 2500 0xffffffff81000200
		echo round
	} | build >in
	run -0 --separate-stderr pp-top --stacks 200k --once --interval 100 in
	[ "$stderr" = 'pp-top: the lightest stacks were dropped, to stay within --stacks' ]
	[[ "$output" == *' 3 [kernel]                 [k] often'* ]]
	[ "$(awk 'NR > 2 { n += $2 } END { print n }' <<<"$output")" -lt 5003 ]
	run -0 --separate-stderr pp-top --once --interval 100 in
	refute [ "$stderr" ]
}

@test "top: of a cut stream what is good is shown, and it exits 3" {
	small | build >in
	head -c $(($(stat -c %s in) - 20)) in >cut
	run -3 --separate-stderr pp-top cut
	[[ "$output" == *'[k] inner' ]]
	[[ "$stderr" == 'pp-top: cut: '*'ends inside'* ]]
	run -2 pp-top --interval 1ms in
	run -2 pp-top --decay 101 in
}

# ---- keys of pp-report

@test "top: with -s and -F lines have the keys of pp-report, and its numbers in its order" {
	many | build >in
	for keys in comm symbol pid,symbol cpu dso,comm addr symoff tgid,cpu,sym event,cgroup parent srcline overhead,cpu \
		local_weight trac; do
		echo "$keys"
		pp-top --interval 10 -s "$keys" in | tail -n +3 |
			sed -E 's/ +/ /g; s/^ //; s/ $//; s/eight_up/eight up/g' >got
		pp-report --no-children -g none -n -s "$keys" in | grep '^ ' |
			sed -E 's/ +/ /g; s/^ //; s/ $//; s/ : /:/; s/0x0+/0x/; s/ 00([01])( |$)/ \1\2/' >expected
		[ -s expected ]
		diff expected got
	done
	pp-top --interval 10 -F symbol,sample,period -s comm in | tail -n +2 >got
	cat >expected <<-'END'
		SYMBOL                             SAMPLE         PERIOD COMM
		[k] inner                               7            849 :9
		[k] outer                               6            711 :9
		[k] inner                               6            723 eight up
		[k] outer                               7            824 eight up
		[k] inner                               7            838 seven
		[k] outer                               7            835 seven
	END
	diff expected got
	pp-top --interval 10 -s comm,symbol --entries 1 in | tail -n +2 >got
	[ "$(wc -l <got)" -eq 2 ]
}

@test "top: what has keys grows lighter as functions do, and is the same sum" {
	{
		many | sed '$d'
		for i in {0..9}; do
			echo "sample id=1 misc=1 pid=7 tid=7 cpu=1 time=$((5000000000 + i)) period=1000" \
				"ip=0xffffffff81000110 callchain=-128,0xffffffff81000110"
		done
		echo round
	} | build >in
	for decay in 12.5 0 100 50; do
		pp-top --decay $decay in | sed 's/\[kernel\] *//; s/DSO *//' >functions
		pp-top --decay $decay -s symbol in >keys
		# 40 samples of 2 or 3 stacks each: a part of a thousandth is lost of each
		diff <(sed 's/[0-9.]*%//' functions) <(sed 's/[0-9.]*%//' keys)
		paste <(grep -o '[0-9.]*%' functions) <(grep -o '[0-9.]*%' keys) |
			perl -ane 'tr/%//d for @F; exit 1 if abs($F[0] - $F[1]) > 0.1 || @F != 2'
	done
	# nothing is left of it, so it has no line
	pp-top --decay 100 -s cpu in | sed "1,/OVERHEAD.*/d" | sed "1,/OVERHEAD/d" >got
	printf '%s\n' ' 100.00%       10   1' | diff - got
}

@test "top: a table by keys begins anew where it would take more than --stacks, and that is said" {
	{
		head_of
		perl -e 'for my $i (0 .. 9999) {
			printf "sample id=1 misc=1 ip=%d pid=7 tid=7 time=%d period=1\n", 0x10000 + $i, 2000000000 + $i;
		}'
		echo round
	} | build >in
	run -0 --separate-stderr pp-top -s addr --memory 600k --once --interval 100 in
	[[ "$stderr" == *'pp-top: the table began anew '*' times, to stay within --stacks' ]]
	[ "$(wc -l <<<"$output")" -lt 9000 ]
	[[ "$output" == *0x1270f* ]]
	run -0 --separate-stderr pp-top -s addr --once --interval 100 in
	refute [ "$stderr" ]
	[ "$(wc -l <<<"$output")" -eq 10002 ]
}

@test "top: keys are of branches or of memory accesses where that is asked for" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,WEIGHT,DATA_SRC,BRANCH_STACK,IDENTIFIER
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
		sample id=1 misc=1 pid=7 time=1000 ip=0xffffffff81000110 period=1 weight=30 data_src=0x5080842 branches=0xffffffff81000010:0xffffffff81000100:2
		sample id=1 misc=1 pid=7 time=1001 ip=0xffffffff81000110 period=1 weight=10 data_src=0x5080042 branches=0xffffffff81000010:0xffffffff81000100:2,0xffffffff81000120:0xffffffff81000012:1
		round
	END
	pp-top -b -s symbol_from,symbol_to,mispredict in | tail -n +3 | tr -s ' ' >got
	printf '%s\n' ' 66.67% 2 [k] outer [k] inner N' ' 33.33% 1 [k] inner [k] outer Y' | diff - got
	pp-top --mem-mode -s mem in | tail -n +3 | tr -s ' ' >got
	pp-report --mem-mode -n -s mem in | grep '^ ' | tr -s ' ' | sed 's/ *$//' | diff - got
	[ "$(wc -l <got)" -eq 2 ]
	refuse() {
		run -2 --separate-stderr pp-top "${@:2}" in
		[[ "$stderr" == "pp-top: $1"* ]]
	}
	refuse "the key 'dso_from' is of branches" -s dso_from
	refuse "the key 'mem' is of memory accesses" -F mem
	refuse "the key 'time' is not here: intervals are its slices" -s comm,time
	refuse "the key 'symbol_size' of perf is not here: " -s symbol_size
	refuse "no key 'nothing': there are pid, comm, " -F nothing
	refuse '--branch-stack and --mem-mode are for --sort and --fields' -b
	refuse '--branch-stack and --mem-mode exclude each other' -b --mem-mode -s cpu
	refuse '--tree has lines of calls: --sort and --fields are for the table' --tree -s cpu
}
