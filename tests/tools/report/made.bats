# made.bats - pp-report of what few machines record: memory accesses and branches, in made streams.

setup() {
	load ../../helper
}

# named_program [NAME]: prog, three functions of known sizes from 0x401000 on, of which the second is NAME or inner
named_program() {
	local inner=${1:-inner}
	need "${CC:-cc}"
	cat >prog.s <<-END
		.text
		.globl _start, $inner, leaf
		.type _start, %function
		_start: .zero 0x20
		.size _start, 0x20
		.type $inner, %function
		$inner: .zero 0x40
		.size $inner, 0x40
		.type leaf, %function
		leaf: .zero 0x30
		.size leaf, 0x30
	END
	"${CC:-cc}" -nostdlib -static -Wl,--build-id=none,-Ttext=0x401000 -o prog prog.s 2>/dev/null ||
		skip "no static program can be linked here"
	[[ $(nm prog) == *"0000000000401000 T _start"* ]] || skip "the program is elsewhere"
}

# program_with_data: prog, whose data begin with 256 bytes of table and 32 of other, at 0x403000
program_with_data() {
	need "${CC:-cc}"
	cat >prog.s <<-END
		.text
		.globl _start
		.type _start, %function
		_start: .zero 0x40
		.size _start, 0x40
		.data
		.globl table, other
		.type table, %object
		table: .zero 0x100
		.size table, 0x100
		.type other, %object
		other: .zero 0x20
		.size other, 0x20
		.zero 0x1000
	END
	"${CC:-cc}" -nostdlib -static -Wl,--build-id=none,-Ttext=0x401000,-Tdata=0x403000 -o prog prog.s 2>/dev/null ||
		skip "no static program can be linked here"
	[[ $(nm prog) == *"0000000000403000 D table"* ]] || skip "the data are elsewhere"
}

as_it_is() { sed -E '/^# \((Tip|For|Cannot)/,$d' | perl -0777 -pe 's/#\n\z//'; }

# compared PERF [KIND]: each line of options is compared with what this perf prints of streams.pl's KIND, or of "in"
compared() {
	local perf=$1 kind=$2 options words wrong=0
	[ ! "$kind" ] || perl "$BATS_TEST_DIRNAME/streams.pl" "$kind" "$PWD/prog" | build >in
	pp-save -o in.data in
	while IFS= read -r options; do
		eval "words=($options)"
		"$perf" report --stdio -i in.data "${words[@]}" 2>/dev/null </dev/null | as_it_is >expected
		pp-report "${words[@]}" in >got
		[ -s expected ]
		diff expected got || { echo "differs: $options"; wrong=$((wrong + 1)); }
	done
	[ "$wrong" -eq 0 ]
}

@test "report: memory accesses are shown as perf 7.3 shows them" {
	need_newer_perf 7.3
	named_program
	compared "$(newer_perf 7.3)" memory <<-'END'
		--mem-mode
		--mem-mode -s sym,dso
		--mem-mode -s mem
		--mem-mode -s mem,sym
		--mem-mode -s comm,mem -n
		--mem-mode -s tlb
		--mem-mode -s snoop,tlb
		--mem-mode -s locked
		--mem-mode -s locked,sym
		--mem-mode -s blocked
		--mem-mode -s dso_daddr,sym
		--mem-mode -s phys_daddr
		--mem-mode -s phys_daddr,mem
		--mem-mode -s data_page_size
		--mem-mode -s data_page_size,sym
		--mem-mode -s local_weight,sym
		--mem-mode -s weight,sym
		--mem-mode -t , -s tlb,locked,sym
		--mem-mode -s sym --percent-limit 5
		-s weight,sym
		-s local_weight,comm
		-s local_ins_lat
		-s ins_lat,dso
		-s local_p_stage_cyc
		-s p_stage_cyc,sym
		-s local_retire_lat,sym
		-s retire_lat
		-s transaction
		-s transaction,sym
		-s code_page_size,sym
		-s symoff
		-s symoff,dso
		-s addr
		-s sym,addr
		-s weight1
		-s weight1,sym -n
		-s sym,weight1,weight2,weight3
		-s sym,weight1 -t ,
		-F overhead,weight1,sym
		-F weight,sym
		-F weigh,sym
		-F overhead,ins_lat,sym
		-F retire_lat,sym
		-F p_stage_cyc,overhead,sym
		-F weight1,sym -t ,
		-F p,sym
		--mem-mode -s sym,weight1,weight3
	END
}

@test "report: a thread that has ended is -1, and before the others, as in perf 7.3" {
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all'
		echo 'event_update id=1 name=made'
		for pid in 7 4294967295 8 0; do
			echo "sample id=1 misc=2 pid=$pid tid=$pid time=1$pid cpu=0 period=10 ip=0x100"
		done
		echo round
	} | build >in
	[ "$(pp-report --csv -s pid in | tr -d '\r' | cut -d, -f3 | xargs)" = 'pid -1 0 7 8' ]
	[ "$(pp-report --json -s tgid in | jq -c 'select(.tgid).tgid' | xargs)" = '-1 0 7 8' ]
	need_newer_perf 7.3
	compared "$(newer_perf 7.3)" '' <<-'END'
		-s pid
		-s pid,comm
		-s tgid,dso
	END
}

@test "report: data are named as perf 7.3 names them, with how far into a variable they are" {
	need_newer_perf 7.3
	program_with_data
	compared "$(newer_perf 7.3)" data <<-'END'
		--mem-mode -F overhead,symbol_daddr,sym
		--mem-mode -s dso_daddr
		--mem-mode -s dso_daddr,sym
		--mem-mode -s mem,dso_daddr
	END
}

# 7.3 calls shared what is private, and the other way round
@test "report: lines of the cache are those of perf 6" {
	need_perf
	mkdir nowhere
	cd nowhere # where no program is
	compared perf data <<-'END'
		--mem-mode -s dcacheline
		--mem-mode -s dcacheline,pid
		--mem-mode -s dcacheline,comm -n
		--mem-mode -s pid,dcacheline
		--mem-mode -s dso,dcacheline
	END
}

@test "report: a line of the cache is named after where it begins, also where perf prints another number" {
	program_with_data
	perl "$BATS_TEST_DIRNAME/streams.pl" data "$PWD/prog" | build >in
	pp-report --mem-mode -n -s dcacheline in | grep -E ' (table|other)' | awk '{ print $2, $3, $4 }' | sort -k3 >got
	# of each of two processes, as the program's maps do not say which file it is
	printf '%s\n' "3 [.] other+0x0" "5 [.] other+0x0" "4 [.] table+0x0" "7 [.] table+0x0" "2 [.] table+0x40" \
		"3 [.] table+0x40" "2 [.] table+0x80" "3 [.] table+0x80" "5 [.] table+0xc0" | diff - got
	pp-report --mem-mode --csv -s dcacheline in | tr -d '\r' | grep -q 'table+0xc0$'
	pp-report --mem-mode --json -s dcacheline in | grep '"dcacheline":"table+0xc0"'
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

# costly: events of a group whose samples have costs, and callers
costly() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,WEIGHT_STRUCT,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		attr id=2 sample_type=IP,TID,TIME,CALLCHAIN,WEIGHT_STRUCT,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		event_update id=1 name=one
		event_update id=2 name=two
		feature GROUP_DESC u32 1 string pair u32 0 u32 2
		mmap2 pid=7 tid=7 start=0x9000 len=0x8000 prot=5 file=/nowhere/a.so time=2
		mmap2 pid=8 tid=8 start=0x9000 len=0x8000 prot=5 file=/nowhere/b.so time=2
		sample id=1 misc=2 pid=7 tid=7 time=10 period=3 ip=0x9010 weight=0x0003000200000001 callchain=-512,0x9010,0x9020
		sample id=1 misc=2 pid=7 tid=7 time=11 period=2 ip=0x9010 weight=0x0004000200000006 callchain=-512,0x9010,0x9020
		sample id=2 misc=2 pid=7 tid=7 time=12 period=5 ip=0x9010 weight=0x0005000200000009 callchain=-512,0x9010,0x9020
		sample id=2 misc=2 pid=7 tid=7 time=12 period=5 ip=0x9020 weight=0x0005000200000005 callchain=-512,0x9020
		sample id=2 misc=2 pid=8 tid=8 time=13 period=9 ip=0x9010 weight=0x0007000200000004 callchain=-512,0x9010,0x9020
		sample id=1 misc=2 pid=8 tid=8 time=13 period=9 ip=0x9030 weight=0x0007000200000008 callchain=-512,0x9030,0x9010
		round
	END
}

@test "report: costs are averages of the samples of an entry itself" {
	costly | build >in
	pp-report --csv -F overhead,weight1,weight2,weight3,dso in | tr -d '\r' >got
	diff - got <<-'END'
		event,overhead,weight1,weight2,weight3,dso
		one,64.2857,8.0000,2.0000,7.0000,b.so
		one,35.7143,3.5000,2.0000,3.5000,a.so
		two,52.6316,7.0000,2.0000,5.0000,a.so
		two,47.3684,4.0000,2.0000,7.0000,b.so
	END
	pp-report --json -F weight,sym in | jq 'select(.event == "one" and .address == "0x9010") | .weight1 == 0' |
		grep -qx true
	# costs fade with their samples: averages stay
	costly | sed 's/time=13 /time=3000000013 /; /^feature/d' | build >in
	pp-top --stdio -F sample,weight1,dso --decay 50 --interval 1s in | grep 'a\.so' >got
	diff <(printf '%s\n' '       2      3.5 a.so' '       1      3.5 a.so') got
}

@test "report: averages of the events of a group are side by side as perf 7.3 has them" {
	need_newer_perf 7.3
	costly | build >in
	compared "$(newer_perf 7.3)" <<-'END'
		-s sym,weight1 --no-children -g none
		-s dso,weight1,weight2,weight3 -g none
		-s weight1,sym
		-F overhead,weight,weight3,dso -g none
		-F weight1,dso -g none
		-s sym,weight1 --no-group --no-children -g none
		-s sym,weight1 --group-sort-idx 1 --no-children -g none
		-F weight2,overhead,sym -t , --no-children -g none
	END
}

# switched: samples while up to four threads run
switched() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,task,context_switch
		event_update id=1 name=made
		feature NRCPUS u32 4 u32 4
		comm pid=7 tid=7 comm=seven time=1
		mmap2 pid=7 tid=7 start=0x9000 len=0x8000 prot=5 file=/nowhere/a.so time=2
		sample id=1 misc=2 pid=7 tid=7 time=9 cpu=0 period=10 ip=0x9010 callchain=-512,0x9010,0x9020
		switch pid=7 tid=8 time=10 cpu=1
		sample id=1 misc=2 pid=7 tid=7 time=11 cpu=0 period=7 ip=0x9010 callchain=-512,0x9010,0x9020
		sample id=1 misc=2 pid=7 tid=8 time=11 cpu=1 period=9 ip=0x9020 callchain=-512,0x9020
		switch pid=7 tid=9 time=12 cpu=2
		sample id=1 misc=2 pid=7 tid=9 time=13 cpu=2 period=8 ip=0x9030 callchain=-512,0x9030,0x9020
		switch pid=7 tid=10 time=14 cpu=3
		switch pid=7 tid=11 time=14 cpu=3
		sample id=1 misc=2 pid=7 tid=9 time=15 cpu=2 period=30 ip=0x9030 callchain=-512,0x9030,0x9020
		switch pid=7 tid=7 time=16 cpu=0 out
		switch pid=7 tid=10 time=16 cpu=3 out
		switch pid=7 tid=11 time=16 cpu=3 out
		exit pid=7 ppid=7 tid=8 ptid=7 time=17
		sample id=1 misc=2 pid=7 tid=9 time=18 cpu=2 period=2 ip=0x9040 callchain=-512,0x9040,0x9020
		exit pid=7 ppid=7 tid=9 ptid=7 time=19
		exit pid=7 ppid=7 tid=7 ptid=7 time=20
		sample id=1 misc=2 pid=7 tid=7 time=21 cpu=0 period=3 ip=0x9050 callchain=-512,0x9050,0x9020
		round
	END
}

@test "report: latency is the period by how many threads ran" {
	switched | build >in
	pp-report --csv -F latency,overhead,parallelism --no-children in | tr -d '\r' >got
	diff - got <<-'END'
		event,latency,overhead,parallelism
		made,45.2261,21.7391,1
		made,24.1206,23.1884,2
		made,22.6131,43.4783,4
		made,8.0402,11.5942,3
	END
	pp-report --csv -s comm --parallelism 3-4 --no-children in | tail -n +2 | tr -d '\r' | grep -qx 'made,55.0725,30.6533,:9'
	# a column that says the same as the one beside it is not shown, unless it is asked for
	switched | sed '/^switch/d' | build >alone
	[[ $(pp-report --csv -s comm --no-children alone) == event,overhead,comm* ]]
	[[ $(pp-report --csv -s comm --no-children --latency alone) == event,latency,overhead,comm* ]]
	switched | sed 's/,context_switch//' | build >without
	for options in '-s parallelism' '-F latency' '-s latency_children,comm' '-s comm --latency' '-s comm --parallelism 1'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pp-report $options without
		[[ $stderr == *'context switches, as perf record --latency has them' ]]
	done
	run -2 --separate-stderr pp-report --parallelism x in
	[[ $stderr == *"'x' is not a list of numbers"* ]]
	run -2 pp-top --stdio -s parallelism in
	pp-top --stdio -s comm in | grep -q '^OVERHEAD *SAMPLE *COMM'
}

latency_rows() {
	cat <<-'END'
		-s parallelism --no-children -g none
		-s sym,parallelism --no-children
		-s comm,dso
		-s comm,dso --latency
		-s parallelism --latency --no-children
		-s latency -g none
		-s latency,comm -g none
		-s comm,latency -g none
		-s latency_children,comm -g none
		-s latency_children,comm -g none --no-children
		-s overhead,comm -g none
		-F overhead,latency,parallelism --no-children
		-F parallelism,latency_children,latency --latency --no-children
		-F latency,comm
		-F l,comm -g none
		-s comm --showcpuutilization --show-total-period -n -g none
		-s comm --latency -n --showcpuutilization -g none
		-s comm,pid -t , -g none
		-s comm --parallelism 2,4 -g none
		-s comm --parallelism 1-3 --percentage relative -g none
		-s comm -c nothing
		-s comm --percent-limit 50 -g none
		-s parallelism --parallelism 2 --no-children --latency
	END
}

@test "report: latency is shown as perf 7.3 shows it" {
	need_newer_perf 7.3
	switched | build >in
	latency_rows | compared "$(newer_perf 7.3)"
	switched | sed '/^switch/d' | build >in
	latency_rows | compared "$(newer_perf 7.3)"
}

# numbered: threads whose names differ in their digits, or more than that
numbered() {
	local i=10 k name
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		event_update id=1 name=made
	END
	for name in w w1 w22 1 a1b2c3d4e5f6g7h kworker/0:1 kworker/12:3-ev kworker/u4:2 x-9 99x 9x9 x 'b c1' é1 1.5 \
		abcdefghijklmno abcdefghijklm1; do
		i=$((i + 1))
		echo "comm pid=$i tid=$i comm=\"$name\" time=5"
		for ((k = 1; k <= i % 5 + 1; k++)); do
			echo "sample id=1 misc=2 pid=$i tid=$i time=$((100 * i + k)) period=1 ip=0x1234$k"
		done
	done
	echo round
}

@test "report: names that differ in their digits alone are one" {
	numbered | build >in
	pp-report --csv -s comm_nodigit -n in | tr -d '\r' | head -n 4 >got
	printf '%s\n' event,overhead,sample,comm_nodigit 'made,18.0000,9,w' 'made,12.0000,6,<N>x' 'made,10.0000,5,<N>' |
		diff - got
	pp-report --csv -s comm_nodigit,comm in | grep -c 'w<N>,w' | grep -qx 2
}

@test "report: numbers in names are words as perf 7.3 has them" {
	need_newer_perf 7.3
	numbered | build >in
	compared "$(newer_perf 7.3)" <<-'END'
		-s comm_nodigit
		-s comm_nodigit,comm
		-s comm,comm_nodigit
		-s comm_nodigit,sym
		-s comm_ -n
		-s pid,comm_nodigit
		-s comm_nodigit -t ,
		-s comm_nodigit -t a
		-s comm_nodigit -c x
		-s comm_nodigit,sym -c x
		-s comm_nodigit,comm -c x
		-F comm_nodigit,overhead
		-s srcfile,sym
		-F srcfile,overhead
	END
}

# placed: samples on processors of two sockets, in namespaces that change, and in mappings of several lengths
placed() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,task,namespaces
		event_update id=1 name=made
		feature NRCPUS u32 4 u32 4
		feature CPU_TOPOLOGY u32 2 string "0-1" string "2-3" u32 4 string 0 string 1 string 2 string 3 u32 0 u32 0 u32 1 u32 0 u32 0 u32 1 u32 1 u32 1 u32 1 string "0-3" u32 0 u32 0 u32 0 u32 0
		comm pid=7 tid=7 comm=seven time=1
		comm pid=8 tid=8 comm=eight time=1
		mmap2 pid=7 tid=7 start=0x10000 len=0x8000 prot=5 file=/nowhere/a.so time=2
		mmap2 pid=7 tid=7 start=0x12000 len=0x2000 prot=5 file=/nowhere/b.so time=3
		mmap2 pid=8 tid=8 start=0x10000 len=0x8000 prot=5 file=/nowhere/a.so time=3
		mmap2 pid=8 tid=8 start=0x20000 len=0x40000000 prot=5 file=/nowhere/a.so time=3
		namespaces pid=7 tid=7 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xeffffffb time=4
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xf0000001 time=4
		sample id=1 misc=2 pid=7 tid=7 time=10 cpu=0 period=1 ip=0x10010
		sample id=1 misc=2 pid=8 tid=8 time=11 cpu=1 period=1 ip=0x12010
		sample id=1 misc=2 pid=7 tid=7 time=12 cpu=2 period=1 ip=0x14010
		sample id=1 misc=2 pid=7 tid=7 time=13 cpu=3 period=1 ip=0x12010
		sample id=1 misc=2 pid=11 tid=11 time=14 cpu=3 period=1 ip=0x100010
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,3:0xf0000009 time=15
		sample id=1 misc=2 pid=8 tid=8 time=16 cpu=3 period=1 ip=0x20010
		namespaces pid=8 tid=8 links=4:1,4:2,4:3,4:4,4:5,4:6,4:0xeffffff0 time=17
		sample id=1 misc=2 pid=8 tid=8 time=18 cpu=3 period=1 ip=0x600000000010
		exit pid=7 ppid=7 tid=7 ptid=7 time=19
		sample id=1 misc=2 pid=7 tid=7 time=20 cpu=1 period=1 ip=0x12010
		round
	END
}

@test "report: sockets, namespaces and lengths of mappings are shown as perf 7.3 shows them" {
	need_newer_perf 7.3
	placed | build >in
	compared "$(newer_perf 7.3)" <<-'END'
		-s socket
		-s socket,cpu
		-F socket,overhead
		-s socket -t ,
		-s cgroup_id
		-s cgroup_id,comm
		-F cgroup_id,overhead
		-s cgroup_id -t , -n
		-s dso_size
		-s dso_size,dso
		-F dso_size,overhead
		-s dso_size -t ,
		-s so,cgroup_,dso_s
	END
}

@test "report: sockets, namespaces and lengths of mappings that are not known" {
	placed | build >in
	pp-report --csv -s dso_size,socket,cgroup_id in | tr -d '\r' | sed 's/^made,12.5000,//' | sort >got
	sort >expected <<-'END'
		,1,0/0x0
		,1,4/0xeffffff0
		1073741824,1,3/0xf0000009
		16384,1,4/0xeffffffb
		32768,0,4/0xf0000001
		8192,0,4/0xeffffffb
		8192,0,4/0xeffffffb
		8192,1,4/0xeffffffb
		event,overhead,dso_size,socket,cgroup_id
	END
	# that of CPU 0 and that of CPU 1 are one
	sort -u expected | sed 's/^8192,0,/made,25.0000,&/' | sort | diff - <(sort -u got)
	placed | sed '/^feature/d' | build >in
	pp-report --json -s socket,dso_size in | jq -c 'select(.overhead) | has("socket")' | sort -u | grep -qx false
	[[ $(pp-report --json -s dso_size in) == *'"overhead":25.0000}'* ]]
	pp-report -s socket in | grep -q '100.00%    -001$'
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

@test "report: memory accesses are as heavy as they cost" {
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,ADDR,WEIGHT,DATA_SRC,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
			event_update id=1 name=loads
			comm pid=7 comm=seven time=5
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/a.so time=7
			sample id=1 misc=2 pid=7 tid=7 time=9 period=99 ip=0x9000 addr=0x9100 weight=30 data_src=0x68100142
			sample id=1 misc=2 pid=7 tid=7 time=10 period=1 ip=0x9000 addr=0x123450 weight=0 data_src=0x68100842
			sample id=1 misc=2 pid=7 tid=7 time=11 period=1 ip=0x9000 addr=0x9108 weight=9 data_src=0x68100142
			round
		END
	} | build >in
	pp-report --mem-mode --csv -s mem,dso_daddr,tlb -n in >got
	printf '%s\r\n' event,overhead,sample,mem,dso_daddr,tlb \
		'loads,97.5000,2,L1 hit,a.so,L1 or L2 hit' 'loads,2.5000,1,L3 hit,[unknown],L1 or L2 hit' >expected
	diff expected got
	pp-report --mem-mode --json -s symbol_daddr,local_weight in | jq -c 'select(.overhead) | .overhead *= 1' >got
	cat >expected <<-'END'
		{"event":"loads","overhead":75,"symbol_daddr":"0x9100","local_weight":30}
		{"event":"loads","overhead":22.5,"symbol_daddr":"0x9108","local_weight":9}
		{"event":"loads","overhead":2.5,"symbol_daddr":"0x123450","local_weight":0}
	END
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

@test "report: names that come after the samples are those of the samples" {
	named_program
	{
		cat <<-END
			header
			attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
			comm pid=7 comm=seven time=5
			mmap2 pid=7 tid=7 start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog time=7
		END
		for ip in 0x401024 0x401030 0x401060; do
			echo "sample id=1 misc=2 pid=7 tid=7 time=10 period=1 ip=$ip callchain=-512,$ip,0x401010"
		done
		echo round
	} | build >in
	pp-report --csv -s sym in >before
	printf '%s\r\n' event,overhead_children,overhead,symbol cpu-clock,100.0000,0.0000,_start \
		cpu-clock,66.6667,66.6667,inner cpu-clock,33.3333,33.3333,leaf >expected
	diff expected before
	pp-report -s sym in >table
	# the record with the names goes behind all samples, and the rounds that let them through
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload == null)' >rest
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload != null)' >names
	[ "$(wc -l <names)" = 1 ]
	{ cat rest && tail -n 1 rest && tail -n 1 rest && cat names; } | pp-undump >late
	mv prog elsewhere
	pp-report --csv -s sym late >got
	diff expected got
	pp-report -s sym late >got
	diff table got
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
