# fields.bats - pp-filter: fields of samples are what pp-dump shows of them; --fields lists them.

setup() {
	load ../../helper
	load filter
}

# ---- every field

# as_jq: lines `EXPRESSION => JQ` from standard input: what is kept of in.pipe are the samples for
# which the jq program, put to `fields` of pp-dump --json, is true; `n` makes a number of a value
as_jq() {
	local line
	json in.pipe | jq -c 'select(.type == "SAMPLE")' >samples.json
	[ -s samples.json ]
	while IFS= read -r line; do
		echo "$line"
		jq -r 'def n: if type == "string" then ltrimstr("0x") | explode |
				reduce .[] as $c (0; . * 16 + if $c > 96 then $c - 87 else $c - 48 end)
			else . end;
			. as $record | select(.fields | ('"${line##*=> }"')) | .fields.time' \
			samples.json | xargs >expected
		kept "${line% => *}" >got
		diff expected got
	done
}

@test "every field is what pp-dump shows of it" {
	build <"$TESTS/streams/every.txt" >in.pipe
	as_jq <<-'END'
		phys_addr == 0x9000 => .phys_addr == "0x9000"
		phys_addr != 0x9000 => .phys_addr | . and . != "0x9000"
		phys_addr in {0, 1} => .phys_addr == "0x0"
		cgroup == 55 => .cgroup == 55
		cgroup < 55 => .cgroup | . and . < 55
		data_page_size == 4K => .data_page_size == 4096
		code_page_size >= 2M => .code_page_size | . and . >= 2097152
		weight.var1_dw == 1 => .weight.var1_dw == 1
		weight.var2_w == 2 => .weight.var2_w == 2
		weight.var3_w > 2 => .weight.var3_w | . and . > 2
		weight == 0x0003000200000001 => .weight.var3_w == 3
		data_src.mem_op == 1 => .data_src.mem_op == 1
		data_src.mem_op == 0 => .data_src | . and (has("mem_op") | not)
		data_src.mem_lvl_num == 15 => .data_src.mem_lvl_num == 15
		data_src.mem_dtlb in {1..3} => .data_src.mem_dtlb == 1
		transaction.abort_code == 3 => .transaction.abort_code == 3
		transaction.elision != 1 => .transaction | . and .elision != 1
		identifier == 4 => .identifier == "0x4"
		stream_id in {1..2} => .stream_id == "0x1" or .stream_id == "0x2"
		read.value == 10 => .read.value == 10
		read.value != 10 => .read.value | . and . != 10
		read.time_enabled < 50ns => .read.time_enabled | . and . < 50
		read.time_running == 99 => .read.time_running == 99
		read.lost == 2 => .read.lost == 2
		read.nr == 2 => .read.values | length == 2
		read.values[0].value == 10 => .read.values[0].value? == 10
		read.values[1].id == 3 => .read.values[1].id? == "0x3"
		any(read.values.value) == 20 => any(.read.values[]?.value; . == 20)
		any(read.values.lost) in 0..0 => any(.read.values[]?.lost; . == 0)
		nr == 3 => .callchain | length == 3
		nr in {0..9} => .callchain
		depth == 2 => [.callchain[]? | select(length < 18 or .[0:15] != "0xfffffffffffff")] | length == 2
		depth == 0 => .callchain == []
		callchain[1] == 0x400104 => .callchain[1]? == "0x400104"
		any(callchain) == 0x400200 => any(.callchain[]?; . == "0x400200")
		any(callchain) in 0x400100..0x400107 => any(.callchain[]?; n >= 4194560 and n <= 4194567)
		any(callchain) in {1, 0xffffffff81000020} => any(.callchain[]?; . == "0xffffffff81000020")
		any(callchain) > 0xffffffff90000000 => false
		branch_stack.nr == 2 => .branch_stack.entries | length == 2
		branch_stack.hw_idx == 5 => .branch_stack.hw_idx == "0x5"
		branch[0].from == 0x400000 => .branch_stack.entries[0].from == "0x400000"
		branch_stack.entries[1].to >= 0x400300 => .branch_stack.entries[1].to == "0x400300"
		branch[1].flags.mispred == 1 => .branch_stack.entries[1].flags.mispred == 1
		any(branch.flags.cycles) == 21 => any(.branch_stack.entries[]?; .flags.cycles == 21)
		any(branch.from) != 0x1 => any(.branch_stack.entries[]?; .from != "0x1")
		branch[9].to >= 0 => false
		regs_user.abi == 2 => .regs_user.abi == 2
		regs_user.regs[2] == 3 => .regs_user.regs[2]? == "0x3"
		regs_intr.regs[0] == 0xffff => .regs_intr.regs[0]? == "0xffff"
		any(regs_user.regs) == 2 => any(.regs_user.regs[]?; . == "0x2")
		stack_user.dyn_size == 8 => .stack_user.dyn_size == 8
		stack_user.size == 16 => .stack_user.data | length == 32
		size == 11 => .raw | length == 22
		aux_size == 8 => .aux | length == 16
	END
}

@test "fields of a stream of the other byte order are the same" {
	sed 's/^header$/header big/' "$TESTS/streams/every.txt" | build >in.pipe
	keeps <<-'END'
		weight.var2_w == 2 => 2003
		branch[0].flags.predicted == 1 => 2003
		read.values[1].value == 20 => 2003
		any(callchain) == 0x400200 => 2002
		phys_addr == 0 => 2004
	END
}

@test "defined tells whether a sample has a field" {
	build <"$TESTS/streams/every.txt" >in.pipe
	as_jq <<-'END'
		defined(cgroup) => has("cgroup")
		!defined(cgroup) => has("cgroup") | not
		defined(raw) => has("raw")
		defined(branch_stack) => has("branch_stack")
		defined(callchain) => has("callchain")
		defined(callchain[0]) => .callchain[0]?
		defined(read.values[1]) => .read.values[1]?
		defined(read.values) => .read.values
		defined(read) => has("read")
		defined(weight.var1_dw) => has("weight")
		defined(ip) && defined(comm) => true
		defined(addr) && !defined(phys_addr) => has("phys_addr") | not
		defined(regs_user.regs) => .regs_user.regs
	END
	keeps <<-'END'
		defined(dso) => 2000 2001 2002 2003 2004
	END
}

@test "a field that the sample does not carry is false with every operator" {
	small >in.pipe
	for operator in == '!=' '<' '<=' '>' '>='; do
		keeps <<-END
			cgroup $operator 5 =>
			cgroup $operator 5 + 0 =>
			any(callchain) $operator 5 =>
			cgroup + 1 $operator ip =>
		END
	done
	keeps <<-'END'
		cgroup in {0..0xffffffffffffffff} =>
		cgroup in 0..5 =>
		!(cgroup == 5) => 1000 2000 3000 4000
		defined(cgroup) =>
		dso != "x" =>
		dso ~ "*" =>
		any_dso !~ "x" =>
	END
}

@test "weights are one number or three, as the event has it" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER,WEIGHT
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER,WEIGHT_STRUCT
		sample id=1 pid=7 time=1000 weight=5
		sample id=2 pid=7 time=2000 weight=5
	END
	keeps <<-'END'
		weight == 5 => 1000 2000
		weight.var1_dw == 5 => 2000
	END
}

@test "mode is where the processor was" {
	build >in.pipe <<-'END'
		header
		attr id=1
		sample pid=7 time=1000 misc=1
		sample pid=7 time=2000 misc=2
		sample pid=7 time=3000 misc=3
		sample pid=7 time=4000 misc=4
		sample pid=7 time=5000 misc=0x4005
		sample pid=7 time=6000 misc=0
	END
	keeps <<-'END'
		mode == kernel => 1000
		mode == "user" => 2000
		mode == hypervisor => 3000
		mode == guest => 4000
		mode == guest_user => 5000
		mode != user => 1000 3000 4000 5000
		mode in {user, "guest"} => 2000 4000
		mode ~ "guest*" => 4000 5000
		mode =~ "user" => 2000 5000
		!defined(mode) => 6000
		misc & 0x4000 != 0 => 5000
		type == SAMPLE && misc % 8 == 5 => 5000
	END
}

@test "fields of a recording are what pp-dump shows of them" {
	need_perf_events
	perf_quiet record -g -d -W -e cpu-clock -F 2000 -o - -- "${WORK[@]}" >in.pipe
	as_jq <<-'END'
		mode == user => $record.misc % 8 == 2
		mode == kernel => $record.misc % 8 == 1
		ip & 0xfff < 0x800 => .ip[-3:] | n < 2048
		ip % 16 == 0 => .ip | endswith("0")
		nr > 3 => .callchain | length > 3
		defined(weight.var1_dw) && weight.var1_dw == 0 => .weight | . and .var1_dw == null
		addr == 0 => .addr == "0x0"
		tid == pid && period > 1K => .tid == .pid and .period > 1024
		any(callchain) == 1 || period in 1..1M => any(.callchain[]; . == "0x1") or .period <= 1048576
		time % 2 == 1 && pid * 2 > tid => .time % 2 == 1 and .pid * 2 > .tid
		defined(phys_addr) => has("phys_addr")
	END
}

# ---- what there is

@test "--fields lists what the events of the stream have, with meanings" {
	small >in.pipe
	run -0 --separate-stderr pp-filter --fields -i in.pipe
	[ -z "$stderr" ]
	[[ "$output" == *$'\npid '*'number  process'* ]]
	[[ "$output" == *$'\ncpu '*'number  processor (cycles:u)'* ]]
	[[ "$output" == *$'\naddr '*'address that was accessed (page-faults)'* ]]
	[[ "$output" == *$'\nperiod '*'what this sample stands for'$'\n'* ]]
	[[ "$output" != *callchain* ]]
	[[ "$output" != *weight* ]]
}

# bats test_tags=nightly
@test "every field that --fields lists is known, and some sample has it" {
	build <"$TESTS/streams/every.txt" >in.pipe
	# What tasks belong to, and how functions are called, is told by other records, if at all.
	pp-filter --fields -i in.pipe | awk '/^$/ { exit } { print $1 }' | sed 's/\[N\]/[0]/g' |
		grep -vE '^(ns\..*|build_id|cgroup_path|sym|any_sym|parent_sym|srcfile|srcline)$' >names
	[ "$(wc -l <names)" -gt 80 ]
	while IFS= read -r name; do
		echo "$name"
		pp-filter "defined($name)" -i in.pipe -o out.pipe
		[ "$(records -s out.pipe | wc -l)" -gt 0 ]
	done <names
}

@test "every field of a sample that pp-dump shows is listed by --fields" {
	build <"$TESTS/streams/every.txt" >in.pipe
	pp-filter --fields -i in.pipe | awk '{ print $1 }' | sed 's/\[N\]//g' | sort -u >listed
	json in.pipe | jq -r 'select(.type == "SAMPLE") | .fields | paths |
		map(select(type == "string")) | join(".")' | sed '/^$/d' | sort -u >shown
	[ -s shown ]
	[ "$(comm -13 listed shown)" = '' ]
}

@test "--fields takes no expression, and a stream that is cut still has fields" {
	small >whole.pipe
	run -2 pp-filter --fields -i whole.pipe 'pid == 1'
	head -c 540 whole.pipe >in.pipe
	run -3 --separate-stderr pp-filter --fields -i in.pipe
	[[ "$output" == *$'\ncpu '* ]]
}
