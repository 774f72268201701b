# branches.bats - pp-report of branches, which few machines record: made streams, beside perf
# report.

setup() {
	load ../../helper
	load report
}

@test "report: branches are shown as perf 7.3 shows them" {
	need_newer_perf 7.3
	named_program
	compared "$(newer_perf 7.3)" branches <<-'END'
		-s comm,dso_from,sym
		-b
		-s sym,dso
		-s dso_from
		-s dso_to,sym
		-s dso_from,dso_to,cycles
		-s in_tx
		-s abort
		-s cycles
		-s comm,sym -n
		-s addr_from
		-s addr_to,dso_to
		-s addr_from,addr_to
		-s addr_from,dso_to,cycles
		-F addr_to,overhead
		-s addr_from -S inner -n
		-s comm_nodigit,addr_to
		-s comm,pid,cpu
		-s weight
		-s dso_from,weight1,weight2
		-s local_weight,sym
		-s time,comm
		-F overhead,comm
		-F comm,overhead,cycles
		-t ";"
		--showcpuutilization -s comm,dso_to
		-c seven
		--no-branch-stack -s sym,dso
		--no-branch-stack
	END
}

@test "report: addresses of branches have as much of a name as perf 7.3 shows" {
	need_newer_perf 7.3
	named_program a_function_with_a_name_that_is_longer_than_most
	compared "$(newer_perf 7.3)" branches <<-'END'
		-s addr_from
		-s addr_to,addr_from -n
		-s addr_from,addr_to -d prog
	END
	# where all have names, there is less room
	sed 's/^\t*//' <<-END | build >in
		header
		attr id=1 sample_type=IP,TID,TIME,BRANCH_STACK,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap branch_sample_type=8
		mmap2 pid=7 tid=7 start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog time=7
		sample id=1 misc=2 pid=7 tid=7 time=9 period=99 ip=0x401020 branches=0x401000:0x401020:0x1,0x401030:0x401024:0x1
		sample id=1 misc=2 pid=7 tid=7 time=10 period=99 ip=0x401020 branches=0x401030:0x401064:0x1
		round
	END
	compared "$(newer_perf 7.3)" <<-'END'
		-s addr_from
		-s addr_to
		-s addr_from,addr_to
	END
}

two_branches() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,BRANCH_STACK,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap branch_sample_type=8
		event_update id=1 name=taken
		comm pid=7 comm=seven time=5
		mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/a.so time=7
		sample id=1 misc=2 pid=7 tid=7 time=9 period=99 ip=0x9000 branches=0x9010:0x9020:0x51,0x9030:0x123450:0x2
		sample id=1 misc=2 pid=7 tid=7 time=10 period=1 ip=0x9000 branches=0x9030:0x123450:0x2
		sample id=1 misc=2 pid=7 tid=7 time=11 period=1 ip=0x9000 branches=
		round
	END
}

@test "report: each branch is one, and as heavy as the other" {
	two_branches | build >in
	pp-report --csv -s comm,dso_from,symbol_from,dso_to,symbol_to,mispredict,cycles -n in >got
	printf '%s\r\n' event,overhead,sample,comm,dso_from,symbol_from,dso_to,symbol_to,mispredict,cycles \
		'taken,66.6667,2,seven,a.so,0x30,[unknown],0x123450,N,0' \
		'taken,33.3333,1,seven,a.so,0x10,a.so,0x20,Y,5' >expected
	diff expected got
	pp-report --csv -s addr_from,addr_to in | tr -d '\r' >got
	printf '%s\n' event,overhead,addr_from,addr_to taken,66.6667,0x30,0x123450 taken,33.3333,0x10,0x20 | diff - got
	pp-report --no-branch-stack -s comm --csv -n in >got
	printf '%s\r\n' event,overhead,sample,comm taken,100.0000,3,seven >expected
	diff expected got
}

@test "report: keys of what the samples do not have, and those of perf that are not here, are misuse" {
	two_branches | build >in
	run -2 --separate-stderr pp-report -s mem in
	[[ $stderr == *"'mem' is of memory accesses: ask for --mem-mode"* ]]
	run -2 --separate-stderr pp-report --json --no-branch-stack -s symbol_from in
	refute [ "$output" ]
	[[ $stderr == *"'symbol_from' is of branches"* ]]
	echo header | build >none
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME,IDENTIFIER' 'sample id=1 pid=7 tid=7 time=1 ip=1' | build >plain
	run -2 --separate-stderr pp-report --json -s symbol_from plain
	refute [ "$output" ]
	[[ $stderr == *"'symbol_from' is of branches"* ]]
	run -2 --separate-stderr pp-report -s simd in
	[[ $stderr == *"'simd' of perf is not here: it is of ARM's SPE"* ]]
	run -2 pp-report -b --mem-mode in
}

@test "report: how far branches are into their functions is known when the names are" {
	named_program
	{
		cat <<-END
			header
			attr id=1 sample_type=IP,TID,TIME,BRANCH_STACK,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap branch_sample_type=8
			mmap2 pid=7 tid=7 start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog time=7
			sample id=1 misc=2 pid=7 tid=7 time=9 period=1 ip=0x401020 branches=0x401030:0x401010:0x1,0x401024:0x401060:0x2
			round
		END
	} | build >in
	pp-report --csv -s addr_from,symbol_to,addr_to in | tr -d '\r' >before
	printf '%s\n' event,overhead,addr_from,symbol_to,addr_to cpu-clock,50.0000,inner+0x4,leaf,leaf+0x0 \
		cpu-clock,50.0000,inner+0x10,_start,_start+0x10 | sort | diff - <(sort before)
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload == null)' >rest
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload != null)' >names
	{ cat rest && tail -n 1 rest && tail -n 1 rest && cat names; } | pp-undump >late
	mv prog elsewhere
	pp-report --csv -s addr_from,symbol_to,addr_to late | tr -d '\r' | diff before -
}
