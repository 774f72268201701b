# forms.bats - samples as CSV and as JSON Lines: the fields of the text, as values.

setup() {
	load ../../helper
	load ../names
}

csv() { python3 -c 'import csv, sys, json
for row in csv.DictReader(open(sys.argv[1], newline="")): print(json.dumps(row))' "$1"; }

# Two events, one with call chains, one with the address alone.
two_events() {
	head_with CPU
	cat <<-END
		sample id=1 pid=7 tid=7 time=2000000 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010
		sample id=2 pid=7 tid=8 time=9007199254740993 period=4 cpu=1 misc=1 ip=0xffffffff81000020
		round
	END
}

@test "script: --csv has a head, and a row for each sample, whose call chain is one cell" {
	need python3
	two_events | build >in
	pp-script --csv in >got
	assert_equal "$(grep -c $'\r$' got)" "$(wc -l <got)"
	assert_equal "$(head -n 1 got)" $'comm,tid,time,period,event,ip,sym,symoff,dso,callchain\r'
	csv got | jq -c '[.time, .period, .ip, .sym, .callchain]' >rows
	diff rows - <<-'END'
		["0.002000000","3","0x0","","inner+0x10 ([kernel.kallsyms]);outer+0x10 ([kernel.kallsyms])"]
		["9007199.254740993","4","0xffffffff81000020","outer",""]
	END
	pp-script --csv -G -F comm,time in | grep -Fx $'seven,0.002000000\r'
}

@test "script: --json has a line for each sample, of the same fields" {
	need jq
	two_events | build >in
	pp-script --json in >got
	head -n 1 got | jq -e '.schema == "perfpipe.script/1"'
	tail -n +2 got >samples
	diff samples - <<-'END'
		{"comm":"seven","tid":7,"time":2000000,"period":3,"event":"cpu-clock","ip":"0x0","callchain":[{"ip":"0xffffffff81000110","sym":"inner","symoff":"0x10","dso":"[kernel.kallsyms]"},{"ip":"0xffffffff81000010","sym":"outer","symoff":"0x10","dso":"[kernel.kallsyms]"}]}
		{"comm":":8","tid":8,"time":"9007199254740993","period":4,"event":"task-clock","ip":"0xffffffff81000020","sym":"outer","symoff":"0x20","dso":"[kernel.kallsyms]"}
	END
	pp-script --json --max-stack 1 in | jq -es '.[1].callchain | length == 1'
}

@test "script: names of others stay one cell and one member" {
	need jq python3
	{
		head_with CPU
		cat <<-'END'
			comm pid=9 comm="a,\"b\"\x1b\n" time=6
			comm pid=10 comm="\xff\xfe" time=6
			ksymbol addr=0xffffffff81000200 len=256 ksym_type=1 name="<i>;\"x\",\x07" time=6
			sample id=1 pid=9 tid=9 time=10 period=1 callchain=-128,0xffffffff81000210
			sample id=1 pid=10 tid=10 time=11 period=1 callchain=-128,0xffffffff81000210,0
		END
	} | build >in
	pp-script --json in | jq -c 'select(.tid) | [.comm, .comm_hex, .callchain[0].sym]' >got
	diff got - <<-'END'
		["a,\"b\"\u001b\n",null,"<i>;\"x\",\u0007"]
		[null,"fffe","<i>;\"x\",\u0007"]
	END
	pp-script --csv in >table
	assert_equal "$(wc -l <table)" 3
	csv table | jq -r '.comm, .callchain' >got
	diff got - <<-'END'
		a,"b"\x1b\x0a
		<i>;"x",\x07+0x10 ([kernel.kallsyms])
		\xff\xfe
		<i>;"x",\x07+0x10 ([kernel.kallsyms]);0x0 ([unknown])
	END
}

# What few samples have.
rare() {
	cat <<-'END'
		header
		attr id=1 type=4 sample_type=IP,TID,TIME,ADDR,BRANCH_STACK,PERIOD,IDENTIFIER,DATA_SRC,WEIGHT,PHYS_ADDR,DATA_PAGE_SIZE,CODE_PAGE_SIZE,REGS_INTR,REGS_USER sample_regs_user=0x3 sample_regs_intr=0x1000004 flags=sample_id_all,comm,mmap
		event_update id=1 name=costs
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 tid=7 time=1000 ip=0x1000 addr=0x3000 period=3 branches=0x1000:0x2000:0xa2,0x3000:0x10:1 data_src=0x68100142 weight=5 phys_addr=0x9000 data_page_size=4096 code_page_size=2097152 regs_user=2:1,2 regs_intr=2:3,4
	END
}

@test "script: registers, branches, pages and where data came from, as values" {
	need jq python3
	rare | build >in
	pp-script --json -F addr,data_src,weight,iregs,uregs,brstack,phys_addr,data_page_size,code_page_size in |
		tail -n +2 >got
	diff got - <<-'END'
		{"addr":"0x3000","data_src":"0x68100142","data_src_words":"|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A","weight":5,"ip":"0x1000","iregs":{"abi":2,"CX":"0x3","r24":"0x4"},"uregs":{"abi":2,"AX":"0x1","BX":"0x2"},"brstack":[{"from":"0x1000","to":"0x2000","flags":"P/-/-/10//-"},{"from":"0x3000","to":"0x10","flags":"M/-/-/0//-"}],"phys_addr":"0x9000","data_page_size":4096,"code_page_size":2097152}
	END
	pp-script --csv -F uregs,brstack,code_page_size in >table
	csv table | jq -c '[.uregs, .brstack, .code_page_size]' >got
	diff got - <<-'END'
		["ABI:2    AX:0x1    BX:0x2","0x1000/0x2000/P/-/-/10//- 0x3000/0x10/M/-/-/0//-","2097152"]
	END
	pp-script --json -F brstacksym in | jq -e 'select(.brstacksym).brstacksym | length == 2'
}

@test "script: --json shows other records as pp-dump does, and --csv has none" {
	need jq
	two_events | build >in
	pp-script --json --show-task-events in | jq -c 'select(.type)' >got
	pp-dump --json -i in --type comm | jq -c 'select(.type)' | diff - got
	[ -s got ]
	run -2 --separate-stderr pp-script --csv --show-task-events in
	refute_output
	run -2 pp-script --csv --json in
}

@test "script: a table without rows has its head, a refused field leaves none, and a cut stream its rows" {
	need jq
	head_with CPU | build >empty
	assert_equal "$(pp-script --csv -G empty)" $'comm,tid,time,period,event,ip,sym,symoff,dso\r'
	pp-script --json empty | jq -e '.schema == "perfpipe.script/1"'
	two_events | build >in
	for form in --csv --json; do
		run -2 --separate-stderr pp-script "$form" -F +data_src in
		refute_output
		head -c -24 in >cut
		run -3 --separate-stderr pp-script "$form" cut
		assert_equal "${#lines[@]}" 2
		run -4 sh -c "pp-script $form in >/dev/full"
	done
}
