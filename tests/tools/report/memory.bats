# memory.bats - pp-report of memory accesses and what instructions cost, which few machines
# record: made streams, beside perf report.

setup() {
	load ../../helper
	load report
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
