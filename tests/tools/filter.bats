# filter.bats - pp-filter: which samples stay, that all else stays, and whose name is whose.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# Four samples, of two events: "cycles:u" with CPU and period, "page-faults" with an address.
small() {
	build <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=3 config=2 period=5 sample_type=IP,TID,TIME,ADDR,IDENTIFIER flags=sample_id_all
		event_update id=1 name=cycles:u
		comm pid=7 comm=nginx time=900
		sample id=1 pid=7 cpu=0 time=1000 ip=0x1000 period=10
		sample id=2 pid=7 tid=8 cpu=1 time=2000 ip=0x2000 period=20
		sample id=3 pid=9 time=3000 ip=0x3000 addr=0xdead00
		sample id=1 pid=-1 cpu=2 time=4000 ip=0xffffffff81000000 period=30
		round
	END
}

# times FILE: the times of its samples, in a line
times() { records -s "$1" | awk '{ print $5 }' | xargs; }

# kept ARGUMENTS...: the times of the samples that pp-filter keeps of in.pipe
kept() {
	pp-filter -i in.pipe -o kept.pipe "$@" && times kept.pipe
}

# keeps: lines `EXPRESSION => TIMES` from standard input hold for in.pipe
keeps() {
	local line
	while IFS= read -r line; do
		echo "$line"
		[ "$(kept "${line% =>*}")" = "$(xargs <<<"${line##*=>}")" ]
	done
}

# refused EXPRESSION MESSAGE COLUMN: exit 2, one line of message, the expression, and a caret
# below its byte COLUMN
refused() {
	echo "$1"
	run -2 --separate-stderr pp-filter -i in.pipe "$1"
	# shellcheck disable=SC2154
	printf '%s\n' "$stderr"
	[ -z "$output" ]
	[ "$stderr" = "pp-filter: $2
  $1
  $(printf '%*s' "$3" '')^" ]
}

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

# threads: lines `COMM|TID TIME` of `perf script -F comm,tid,time --ns`, sorted
threads() { perl -ne '/^\s*(.*?)\s+(-?\d+)\s+([\d.]+):/ and print "$1|$2 $3\n"' | sort; }

# ended STREAM: lines `:TID|TID TIME` of the samples that came after the EXIT of their thread: since 6.12
# perf has forgotten its name by then, which we keep
ended() {
	json "$1" | jq -r 'select(.type | IN("SAMPLE", "EXIT", "FORK", "COMM")) |
		[.fields.sample_id.time // .fields.time, .type, .fields.tid] | @tsv' | sort -s -n -k1,1 |
		perl -lane '$ended{$F[2]} = $F[1] eq "EXIT" if $F[1] ne "SAMPLE";
			printf ":%d|%d %d.%09d\n", $F[2], $F[2], $F[0] / 1e9, $F[0] % 1e9
				if $F[1] eq "SAMPLE" && $ended{$F[2]}' >ended.lines
}
lasting() { grep -vxFf ended.lines || true; }

# names_as_perf STREAM: for every name in `perf script`, `comm == NAME` keeps exactly the samples
# that perf gives this name
names_as_perf() {
	local name
	ended "$1"
	perf_quiet script -i "$1" -F comm,tid,time --ns >script.out
	threads <script.out | lasting >all
	[ -s all ]
	sed 's/|.*//' all | sort -u >names
	while IFS= read -r name; do
		echo "$name"
		pp-filter "comm == \"$(sed 's/["\\]/\\&/g' <<<"$name")\"" -i "$1" -o one.pipe
		perf_quiet script -i one.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		awk -F'|' -v name="$name" '$1 == name' all >expected
		diff expected got
	done <names
}

# ---- what passes

@test "without an option the stream passes byte for byte" {
	small >in.pipe
	pp-filter <in.pipe >out.pipe
	same_bytes in.pipe out.pipe
}

@test "what matches all passes byte for byte, also when judged in time order" {
	small >in.pipe
	for expression in 'time > 0' 'comm =~ ""' 'time >= +0s' 'type != "HEADER_ATTR"' '!(ip == 1)'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >out.pipe
		same_bytes in.pipe out.pipe
	done
}

@test "all that is no sample stays, at its place" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		feature HOSTNAME string "web7"
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/true time=10
		comm pid=7 comm=nginx time=20
		sample pid=7 time=30
		fork pid=8 ppid=7 tid=8 ptid=7 time=40
		lost lost=3 time=45
		sample pid=8 time=50
		ksymbol addr=0x10 len=16 name=bpf time=55
		round
		switch pid=7 time=60 out
		exit pid=8 tid=8 ppid=7 ptid=7 time=70
		record 113 0 0011223344556677
		auxtrace bytes=100
		round
	END
	records in.pipe | awk '$2 != "SAMPLE" { $1 = ""; print }' >expected
	for expression in 'pid == 1' 'comm == "x"' 'time > +1s'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >out.pipe
		records out.pipe | awk '{ $1 = ""; print }' >got
		diff expected got
	done
}

@test "filtering twice changes nothing more" {
	small >in.pipe
	pp-filter 'event == "cycles"' <in.pipe >once.pipe
	pp-filter 'event == "cycles"' <once.pipe >twice.pipe
	same_bytes once.pipe twice.pipe
}

@test "a sample whose id no attribute has passes every filter, and is counted" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample attr=0 id=1 pid=7 time=1000
		sample attr=0 id=99 pid=7 time=2000
		sample attr=0 id=2 pid=7 time=3000
		round
	END
	for expression in 'pid == 1' 'comm == "x"'; do
		echo "$expression"
		run -0 --separate-stderr pp-filter -i in.pipe -o out.pipe "$expression"
		[ "$stderr" = 'pp-filter: in.pipe: 1 sample whose id belongs to no event' ]
		[ "$(records out.pipe | grep -c SAMPLE)" -eq 1 ]
	done
}

@test "a stream of the other byte order is filtered as one of ours" {
	small >little.pipe
	sed 's/^header$/header big/' <(declare -f small) >big.sh
	. ./big.sh
	small >in.pipe
	[ "$(kept 'pid == 7 && cpu == 1')" = 2000 ]
	[ "$(kept 'comm == "nginx"')" = 1000 ]
}

@test "a stream cut in a record gives what is whole before it, and exit 3" {
	small >whole.pipe
	head -c 540 whole.pipe >in.pipe
	run -3 --separate-stderr pp-filter -i in.pipe -o out.pipe 'pid == 7'
	[ "$(times out.pipe)" = '1000 2000' ]
	run -3 --separate-stderr pp-filter -i in.pipe -o out.pipe 'comm == "nginx"'
	[ "$(times out.pipe)" = 1000 ]
}

@test "a stream that comes a byte at a time is filtered the same" {
	small >in.pipe
	for expression in 'cpu == 1' 'comm == "nginx"'; do
		echo "$expression"
		pp-filter "$expression" <in.pipe >expected.pipe
		trickle in.pipe 1 | pp-filter "$expression" >out.pipe
		same_bytes expected.pipe out.pipe
	done
}

# ---- expressions

@test "numbers compare by ==, !=, <, <=, > and >=" {
	small >in.pipe
	keeps <<-'END'
		pid == 7 => 1000 2000
		pid != 7 => 3000 4000
		tid == 8 => 2000
		tid < 8 => 1000 4000
		tid <= 8 => 1000 2000 4000
		tid > 8 => 3000
		tid >= 8 => 2000 3000
		ip == 0x1000 => 1000
		ip == 4096 => 1000
		ip >= 0xffffffff80000000 => 4000
		ip > 0xffffffffffffffff =>
		ip < 0 =>
		ip >= 0 => 1000 2000 3000 4000
		ip <= 0xffffffffffffffff => 1000 2000 3000 4000
		id == 2 => 2000
		period > 10 => 2000 4000
	END
}

@test "numbers of tasks may be negative, as perf shows them" {
	small >in.pipe
	keeps <<-'END'
		pid == -1 => 4000
		pid == 4294967295 => 4000
		pid < 0 => 4000
		pid >= 0 => 1000 2000 3000
		pid in {-5..7} => 1000 2000 4000
		tid > -2147483648 => 1000 2000 3000 4000
	END
}

@test "sets hold values and ranges, both ends included" {
	small >in.pipe
	keeps <<-'END'
		cpu in {0} => 1000
		cpu in {0, 2} => 1000 4000
		cpu in {0..1, 5} => 1000 2000
		cpu in {2,0,1,0..2,1} => 1000 2000 4000
		ip in {0x1001..0x1fff, 0x2000..0x3000} => 2000 3000
		ip in {0..0xffffffffffffffff} => 1000 2000 3000 4000
		event in {"x", "page-faults"} => 3000
		comm in {'nginx', "swapper"} => 1000
	END
}

@test "times take units, count from the first sample with a plus, and are ns without" {
	small >in.pipe
	keeps <<-'END'
		time == 2000 => 2000
		time >= 3us => 3000 4000
		time < 0.003ms => 1000 2000
		time <= 0.000002s => 1000 2000
		time in {1.5us..3000ns} => 2000 3000
		time == +0 => 1000
		time > +1us => 3000 4000
		time < +0 =>
		time in {+1us..+2us, 4us} => 2000 3000 4000
		time == 0x7d0 => 2000
	END
}

@test "the first sample is the earliest, wherever it stands" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		sample pid=7 time=5000
		sample pid=7 time=1000
		sample pid=7 time=2000
		round
		sample pid=7 time=6000
		round
	END
	keeps <<-'END'
		time <= +1us => 1000 2000
		time >= +4us => 5000 6000
	END
}

@test "names of events equal with their modifiers and without" {
	small >in.pipe
	keeps <<-'END'
		event == "cycles:u" => 1000 2000 4000
		event == 'cycles' => 1000 2000 4000
		event == "cycles:k" =>
		event == "cycle" =>
		event != "cycles" => 3000
		event =~ "^cycles$" =>
		event =~ "^cycles" => 1000 2000 4000
		event !~ "^cycles" => 3000
	END
}

@test "a tracepoint's name has no modifiers, a PMU's stand behind its slash" {
	for name in sched:sched_switch cpu/event=1,umask=2/ppp; do
		build >in.pipe <<-END
			header
			attr id=1 flags=sample_id_all type=2 config=300
			event_update id=1 name=$name
			sample pid=7 time=1000
		END
		echo "$name"
		[ "$(kept "event == \"$name\"")" = 1000 ]
		[ "$(kept "event == \"${name%%:*}\"")" = "" ] || [[ $name != *:* ]]
		[ "$(kept "event == \"${name%ppp}\"")" = 1000 ]
		[ "$(kept -e "$name")" = 1000 ]
	done
}

@test "a pattern takes time in proportion to the text, whatever it is and whatever the stream says" {
	{
		printf 'header\nattr id=1\n'
		printf 'mmap2 pid=7 start=0x10000 len=0x10000 file=/%s maj=1 ino=2 time=1\n' "$(perl -e 'print "a" x 4000')"
		printf 'sample pid=7 ip=0x10010 time=2\nround\n'
	} | build >in.pipe
	# steps that double with each byte would take years, and those of its square a minute
	ulimit -t 20
	for pattern in '(a|aa)+$x' '(a*)*b' '(a|a)*(a|a)*(a|a)*$x' '^/(((a{1,9}){1,9})*)*b' '(x+x+)+y|a{99}b'; do
		run -0 --separate-stderr pp-filter "dso =~ \"$pattern\"" <in.pipe
		run -0 pp-info --json <(pp-filter "dso =~ \"$pattern\"" <in.pipe)
		[ "$(jq '.records.SAMPLE.count' <<<"$output")" = null ]
		pp-filter "dso =~ \"$pattern|a$\"" <in.pipe | pp-info --json | jq -e '.records.SAMPLE.count == 1'
	done
}

@test "patterns are extended regular expressions, with their own backslashes" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		comm pid=1 comm=a.b time=10
		comm pid=2 comm=axb time=11
		comm pid=3 comm="it's \"q\"" time=12
		comm pid=4 comm="a\\b" time=13
		sample pid=1 time=1000
		sample pid=2 time=2000
		sample pid=3 time=3000
		sample pid=4 time=4000
		round
	END
	keeps <<-'END'
		comm =~ "a.b" => 1000 2000 4000
		comm =~ "^a\.b$" => 1000
		comm =~ "^a\\.b$" => 1000
		comm !~ "^(a.b|z)+$" => 3000
		comm == "it's \"q\"" => 3000
		comm == 'it\'s "q"' => 3000
		comm == "\x61.\x62" => 1000
		comm == "a\\b" => 4000
	END
}

@test "&& binds closer than ||, ! closest, and parentheses bind what they hold" {
	small >in.pipe
	keeps <<-'END'
		pid == 9 || pid == 7 && cpu == 1 => 2000 3000
		(pid == 9 || pid == 7) && cpu == 1 => 2000
		pid == 7 && cpu == 1 || pid == 9 => 2000 3000
		!pid == 7 && cpu == 2 => 4000
		!(pid == 7 && cpu == 1) => 1000 3000 4000
		!(pid == 7 || pid == 9) => 4000
		!!(pid == 7) => 1000 2000
		((((pid == 7)))) && !((cpu == 0)) => 2000
		pid==7&&cpu!=0||time>=3us&&!(pid<0) => 2000 3000
	END
}

@test "a field that a sample does not have makes the comparison false" {
	small >in.pipe
	keeps <<-'END'
		cpu == 0 => 1000
		cpu != 0 => 2000 4000
		!(cpu == 0) => 2000 3000 4000
		addr == 0xdead00 => 3000
		addr != 1 => 3000
		addr in {0..0xffffffffffffffff} => 3000
		period == 5 => 3000
	END
}

@test "types of records are known by name, in any case" {
	small >in.pipe
	keeps <<-'END'
		type == "sample" => 1000 2000 3000 4000
		type != "SAMPLE" =>
		type in {"MMAP2", "SAMPLE"} => 1000 2000 3000 4000
		type == "UNKNOWN_99" =>
		type =~ "^S" => 1000 2000 3000 4000
	END
}

# ---- every field

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

@test "numbers are computed: exactly, and as C binds them" {
	small >in.pipe
	keeps <<-'END'
		ip % 0x2000 == 0 => 2000 4000
		ip & 0xfff == 0 => 1000 2000 3000 4000
		ip & 0x1000 != 0 => 1000 3000
		ip | 0x1000 == 0x3000 => 2000 3000
		(ip & 0x3000) in {0x1000..0x2000} => 1000 2000
		ip / 4K == 2 => 2000
		ip == 4K * 2 => 2000
		period + 10 * 2 == 30 => 1000
		(period + 10) * 2 == 40 => 1000
		period - 10 - 5 < 0 => 1000 3000
		period -10 -5 < 0 => 1000 3000
		period+5 == 25 => 2000
		period * period == 400 => 2000
		time - 1us == 0 => 1000
		time == ip - 0x1000 + 1000 => 1000
		pid + 1 == 0 => 4000
		pid * -1 == 1 => 4000
		tid > pid => 2000
		tid - pid in {1} => 2000
		tid == pid => 1000 3000 4000
		cpu != pid - 7 && cpu >= 0 => 2000 4000
		period == 2 * (3 + 2) => 1000
		((period)) == (10) => 1000
		((period + 1) * 2 == 22) => 1000
		!(period % 20 == 10) && (period > 0) => 2000 3000
		5 + period == 15 => 1000
		ip in 0x1000..0x2000 => 1000 2000
		period in 10..20 => 1000 2000
		ip * 0x10 > 0 => 1000 2000 3000
		ip + 0xffffffffffffffff > 0 =>
		period / 0 == 0 =>
		period % (cpu - cpu) == 0 =>
		!(period / 0 == 0) => 1000 2000 3000 4000
		ip - 0xffffffffffffffff < 0 => 4000
	END
}

@test "sizes have units of 1024" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=TID,TIME,PERIOD
		sample pid=7 time=1000 period=2048
		sample pid=7 time=2000 period=3145728
		sample pid=7 time=3000 period=1073741824
	END
	keeps <<-'END'
		period == 2K => 1000
		period in {3M, 1G} => 2000 3000
		period in 1K..4M => 1000 2000
	END
}

@test "globs match whole texts" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		comm pid=1 comm=nginx time=10
		comm pid=2 comm=nginx-worker time=11
		comm pid=3 comm=a.b time=12
		comm pid=4 comm="a*b" time=13
		comm pid=5 comm="[x]" time=14
		sample pid=1 time=1000
		sample pid=2 time=2000
		sample pid=3 time=3000
		sample pid=4 time=4000
		sample pid=5 time=5000
		round
	END
	keeps <<-'END'
		comm ~ "nginx" => 1000
		comm ~ "ngin*" => 1000 2000
		comm ~ "*" => 1000 2000 3000 4000 5000
		comm ~ "*x" => 1000
		comm ~ "*-*r" => 2000
		comm ~ "n*n*n*w*" => 
		comm ~ "ngin?" => 1000
		comm ~ "a?b" => 3000 4000
		comm ~ "a[.]b" => 3000
		comm ~ "a[!.]b" => 4000
		comm ~ "a\*b" => 4000
		comm ~ "[a-m]*" => 3000 4000
		comm ~ "\[x]" => 5000
		comm ~ "[[]x[]]" => 5000
		comm ~ "?x?" => 5000
		comm ~ "" =>
		!(comm ~ "*n*") => 3000 4000 5000
	END
}

@test "unknown names are refused with those that are nearest" {
	small >in.pipe
	refused 'phys_adr == 1' "no field is called 'phys_adr'; did you mean phys_addr?" 0
	refused 'pid == 1 && data_src.lvl == 1' "no field is called 'data_src.lvl'; did you mean data_src, data_src.mem_lvl?" 12
	refused 'cgruop == 1' "no field is called 'cgruop'; did you mean cgroup?" 0
	refused 'xyzzy == 1' "no field is called 'xyzzy'; --fields lists all" 0
	refused 'ip == adr' "no field is called 'adr'; did you mean addr?" 6
	refused 'callchain[x] == 1' "'[' has no meaning here" 9
}

@test "fields are used as what they are" {
	small >in.pipe
	refused 'callchain == 1' "'callchain' has several values: use any(callchain), or select one with [0]" 0
	refused 'any(ip) == 1' "'ip' has one value, so any() is not needed" 4
	refused 'any(callchain) + 1 == 1' "an operator, such as ==, is expected here, not '+'" 15
	refused '1 + any(callchain) == 1' 'any() cannot be computed with' 4
	refused 'raw == 1' "'raw' is not a number; only defined() accepts it" 0
	refused 'branch_stack == 1' "'branch_stack' is not a number; only defined() accepts it" 0
	refused 'comm + 1 == 2' "an operator, such as ==, is expected here, not '+'" 5
	refused 'ip + comm == 2' "'comm' is text, not a number" 5
	refused 'ip ~ "1"' "'ip' is a number: patterns are for text" 3
	refused 'ip + 1 ~ "1"' 'a computed value is a number: patterns are for text' 7
	refused '1 + 2 == 3' "a field is expected here, not '1'" 0
	refused 'time == 5 + +5s' 'a time from the first sample cannot be computed with' 12
	refused 'mode == usr' "no mode is called 'usr'; there are user, kernel, guest, guest_user and hypervisor" 8
	refused 'type == SAMPEL' "no record type is called 'SAMPEL'" 8
	refused 'defined(ip' "')' is missing" 10
	refused 'defined(5)' "a field is expected here, not '5'" 8
	refused 'time > 5M' 'units of time are s, ms, us and ns' 7
	refused 'ip | 1 == 2 | 4 == 4' "'|' joins numbers; '||' joins comparisons" 12
	refused '(ip & 0xfff == 3' "')' is missing" 16
	long=$(printf 'ip + %.0s' {1..99})
	run -2 --separate-stderr pp-filter -i in.pipe "${long}1 > 0"
	[ "${stderr_lines[0]}" = 'pp-filter: more than 64 parts on one side' ]
}

# ---- maps

@test "dso is what is mapped then: it follows time, fork and new maps, and outlives exec as in perf" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,mmap,comm,task,comm_exec
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		sample pid=7 time=1000 ip=0x1010
		sample pid=7 time=2000 ip=0x1010
		sample pid=7 time=3000 ip=0x1010
		sample pid=8 time=4000 ip=0x1010
		sample pid=8 time=5000 ip=0x1010
		sample pid=7 time=6000 ip=0x9010
		sample pid=7 time=7000 ip=0xffffffff81000010 misc=1
		sample pid=7 time=8000 ip=0xffffffff81000010
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/lib/old.so time=1500
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/lib/new.so time=2500
		fork pid=8 tid=8 ppid=7 ptid=7 time=3500
		comm pid=8 comm=other exec time=4500
		round
	END
	keeps <<-'END'
		dso == "/lib/old.so" => 2000
		dso == "/lib/new.so" => 3000 4000 5000
		dso ~ "/lib/*" => 2000 3000 4000 5000
		dso =~ "new" => 3000 4000 5000
		dso in {"/lib/old.so", "[kernel.kallsyms]"} => 2000 7000
		dso != "/lib/new.so" => 2000 7000
		!defined(dso) => 1000 6000 8000
		dso ~ "*new*" && comm == ":8" => 4000
	END
}

@test "any_dso asks for every address of the chain, in the mode of its mark" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,mmap sample_type=IP,TID,TIME,CALLCHAIN
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/bin/a time=10
		mmap pid=7 start=0x2000 len=0x1000 pgoff=0 file=/lib/b.so time=11
		sample pid=7 time=1000 ip=0x1010 callchain=-512,0x1010,0x2020
		sample pid=7 time=2000 ip=0x1010 callchain=-512,0x1010
		sample pid=7 time=3000 ip=0xffffffff81000010 misc=1 callchain=-128,0xffffffff81000010,-512,0x2020
		sample pid=7 time=4000 ip=0x1010 callchain=-128,0x2020
		sample pid=9 time=5000 ip=0x1010 callchain=-512,0x1010
		round
	END
	keeps <<-'END'
		any_dso == "/lib/b.so" => 1000 3000
		any_dso ~ "/*/a" => 1000 2000 4000
		any_dso == "[kernel.kallsyms]" => 3000
		any_dso != "/bin/a" => 1000 3000
		dso == "/bin/a" && any_dso ~ "*.so" => 1000
		!defined(any_dso) => 5000
		depth == 2 => 1000 3000
	END
}

# blocks: `TIME DSO` of every address of `perf script -F time,ip,dso --ns`, where perf knows it
blocks() {
	perl -ne '
		$time = $1 if /^\s*(\d+\.\d+):/;
		print "$time $1\n" if /^\s+[0-9a-f]+ .*\(([^()]+)\)\s*$/ && $1 ne "[unknown]"'
}

@test "dso and any_dso are perf's for every sample of a recording" {
	need_perf_events
	perf_quiet record -g -e cpu-clock -F 2000 -o - -- sh -c "ls / >/dev/null; perl -e '\$i++ while \$i < 2e6' | cat" >in.pipe
	perf_quiet script -i in.pipe -F time,ip,dso --ns | blocks | sort -u >all
	[ -s all ]
	# Code made at run time has no file; perf looks for its symbols in one of its own naming.
	cut -d' ' -f2- all | grep -v '^/tmp/perf-' | sort -u >names
	while IFS= read -r name; do
		echo "$name"
		awk -v name="$name" '{ time = $1; sub(/^[^ ]+ /, "") } $0 == name { print time }' all |
			sort -u >expected
		pp-filter "any_dso == \"$name\"" -i in.pipe | records -s - | awk '{ print $5 }' |
			sed -E 's/([0-9]{9})$/.\1/' | sort -u >got
		diff expected got
	done <names
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

@test "every field that --fields lists is known, and some sample has it" {
	build <"$TESTS/streams/every.txt" >in.pipe
	# What tasks belong to is told by other records, if at all.
	pp-filter --fields -i in.pipe | awk '/^$/ { exit } { print $1 }' | sed 's/\[N\]/[0]/g' |
		grep -vE '^(ns\..*|build_id|cgroup_path)$' >names
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

@test "--explain shows the comparisons in their order, and reads nothing" {
	run -0 --separate-stderr bash -c "pp-filter --explain 'cpu == 0 && (comm ~ \"ng*\" ||
		any(callchain) in 5..9) && ip & 0xfff < 4 * 2 || time > +1s' </dev/null"
	[ "$output" = 'samples are tested in time order, with names of tasks
1: cpu == 0  [a load]  yes: 2, no: 5
2: comm ~ "ng*"  [names of tasks]  yes: 4, no: 3
3: any(callchain) in 5..9  [a walk over all values]  yes: 4, no: 5
4: ip & 0xfff < 4 * 2  [arithmetic]  yes: keep, no: 5
5: time > +1s (from the first sample)  [a load]  yes: keep, no: drop' ]
	[ "$(pp-filter --explain -p 7 </dev/null)" = 'samples are tested as they arrive
1: pid in {7}  [a load]  yes: keep, no: drop' ]
	[ "$(pp-filter --explain --invert 'dso ~ "x" && !(weight == 5)' </dev/null)" = 'samples are tested in time order, with names and maps of tasks
1: dso ~ "x"  [maps of tasks]  yes: 2, no: keep
2: weight == 5  [a walk through the sample]  yes: keep, no: drop' ]
	run -2 bash -c 'pp-filter --explain </dev/null'
}

# ---- wrong expressions

@test "a wrong expression is exit 2, one line, and a caret under the place" {
	small >in.pipe
	refused 'cpu = 0' "'=' is not an operator; use '=='" 4
	refused 'cpu == 0 & pid == 1' "'&' joins numbers; '&&' joins comparisons" 9
	refused 'cpu == 0 &&' 'a field is missing' 11
	refused '(cpu == 1' "')' is missing" 9
	refused 'cpu == 1)' "'&&' or '||' is expected here, not ')'" 8
	refused 'cpu == 1 pid == 2' "'&&' or '||' is expected here, not 'pid'" 9
	refused 'cpu' 'an operator, such as ==, is missing' 3
	refused '5 == cpu' "a field is expected here, not '5'" 0
	refused 'cpu in {}' "a number is expected here, not '}'" 8
	refused 'cpu in 3' "'{' is expected here, not '3'" 7
	refused 'cpu in {3..1}' 'the range ends before it begins' 8
	refused 'cpu == 0 || $x' "'\$' has no meaning here" 12
	refused 'pidd == 1' "no field is called 'pidd'; did you mean pid, tid, id?" 0
}

@test "types are checked before anything is read" {
	small >in.pipe
	refused 'comm == nginx' 'a string is written in quotes: "nginx"' 8
	refused 'comm == 5' "a string is expected here, not '5'" 8
	refused 'comm < "a"' "'comm' is text: it compares with == != =~ !~ ~ and in" 5
	refused 'pid == "a"' "a number is expected here, not '\"a\"'" 7
	refused 'pid =~ "1"' "'pid' is a number: patterns are for text" 4
	refused 'pid == 5s' "'pid' has no unit" 7
	refused 'pid == +5' 'only a time can count from the first sample' 7
	refused 'ip == -1' "'ip' is never negative" 6
	refused 'pid == 99999999999' "'pid' has 32 bits" 7
	refused 'ip == 18446744073709551616' 'the number does not fit in 64 bits' 6
	refused 'time > 99999999999s' 'the number does not fit in 64 bits' 7
	refused 'time > 12.5' 'a number with a point needs a unit: s, ms or us' 7
	refused 'time > 1.0000000001s' 'a time is not finer than a nanosecond' 18
	refused 'time > 5m' 'not part of a number; units are s, ms, us, ns, K, M and G' 8
	refused 'time in {+1s..2s}' 'both ends of a range count from the same point' 9
	refused 'type == "SAMPEL"' "no record type is called 'SAMPEL'" 8
	refused 'comm =~ "a(b"' 'not a regular expression: a ( is not closed' 8
	refused 'comm =~ "a[b"' 'not a regular expression: a [ is not closed' 8
	refused 'comm =~ "a|*"' 'not a regular expression: there is nothing to repeat' 8
	refused 'comm =~ "a{2,1}"' 'not a regular expression: a { } is not a number of times' 8
	refused 'comm =~ "(a)\1"' 'not a regular expression: it refers back to a group' 8
	refused 'comm =~ "((a{200}){200}){200}"' 'not a regular expression: it is too large' 8
	refused 'comm == "a\.b"' 'only a pattern has this escape; a backslash is \\' 10
	refused 'comm == "x' 'the string has no end' 8
}

@test "the caret counts characters, not bytes, and the expression stays on its line" {
	small >in.pipe
	run -2 --separate-stderr pp-filter -i in.pipe $'comm == "\xc3\xbc" &&\n cpu = 1'
	[ "$stderr" = $'pp-filter: \'=\' is not an operator; use \'==\'\n  comm == "\xc3\xbc" &&  cpu = 1\n                      ^' ]
}

@test "an empty expression is misuse, and so is a second operand" {
	small >in.pipe
	run -2 pp-filter -i in.pipe ''
	run -2 pp-filter -i in.pipe 'cpu == 1' 'cpu == 2'
}

@test "nesting and length have bounds that are said" {
	small >in.pipe
	deep=$(printf '(%.0s' {1..300})
	run -2 --separate-stderr pp-filter -i in.pipe "${deep}pid == 7${deep//(/)}"
	[ "${stderr_lines[0]}" = 'pp-filter: nested more than 200 deep' ]
	many=$(printf 'pid == 7 && %.0s' {1..5000})
	run -2 --separate-stderr pp-filter -i in.pipe "${many}pid == 7"
	[ "${stderr_lines[0]}" = 'pp-filter: more than 4096 comparisons' ]
	many=$(printf 'pid == %d || ' {1000..5000})
	[ "$(kept "${many}pid == 9")" = 3000 ]
	many=$(printf '%d,' {1000..15000})
	[ "$(kept "pid in {${many}9}")" = 3000 ]
}

@test "no output is touched by a wrong expression" {
	small >in.pipe
	echo before >out.pipe
	run -2 pp-filter -i in.pipe -o out.pipe 'cpu ='
	[ "$(cat out.pipe)" = before ]
}

# ---- options

@test "-e -p -t -C and --comm take lists, and all have to hold" {
	small >in.pipe
	[ "$(kept -p 7)" = '1000 2000' ]
	[ "$(kept -p 7,9)" = '1000 2000 3000' ]
	[ "$(kept --pid=8-10)" = 3000 ]
	[ "$(kept -t 8)" = 2000 ]
	[ "$(kept -C 0-1,5)" = '1000 2000' ]
	[ "$(kept -C 0 -C 2)" = '1000 4000' ]
	[ "$(kept -e cycles)" = '1000 2000 4000' ]
	[ "$(kept -e cycles:u,page-faults)" = '1000 2000 3000 4000' ]
	[ "$(kept -e cycles -e page-faults)" = '1000 2000 3000 4000' ]
	[ "$(kept --comm nginx)" = 1000 ]
	[ "$(kept --comm swapper,nginx,:9)" = '1000 3000' ]
	[ "$(kept -p 7 -C 1)" = 2000 ]
	[ "$(kept -p 7 'cpu == 1 || pid == 9')" = 2000 ]
	[ "$(kept -e page-faults -C 0)" = '' ]
}

@test "an event's own commas, between slashes, do not separate" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all type=4
		event_update id=1 name="cpu/event=1,umask=2/u"
		sample pid=7 time=1000
	END
	[ "$(kept -e cpu/event=1,umask=2/u)" = 1000 ]
	[ "$(kept -e x,cpu/event=1,umask=2/,y)" = 1000 ]
	[ "$(kept -e cpu/event=1)" = '' ]
}

@test "--time has both ends in, in seconds, and may leave one open" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		repeat 5 {
		sample pid=7 time=$(i*500000000+10000000000)
		}
		round
	END
	[ "$(kept --time 10.5,11.5)" = '10500000000 11000000000 11500000000' ]
	[ "$(kept --time 10.500000001,11.499999999)" = 11000000000 ]
	[ "$(kept --time 11.5,)" = '11500000000 12000000000' ]
	[ "$(kept --time ,10.5)" = '10000000000 10500000000' ]
	[ "$(kept --time +0.5,+1)" = '10500000000 11000000000' ]
	[ "$(kept --time +1.5,12)" = '11500000000 12000000000' ]
	[ "$(kept --time 11,11)" = 11000000000 ]
}

@test "--time is as perf script's" {
	need_perf
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		repeat 9 {
		sample pid=7 time=$(i*250000000+10000000000)
		}
		round
	END
	for span in '10.5,11.25' '11,' ',10.75'; do
		echo "$span"
		perf_quiet script -i in.pipe -F time --ns --time "$span" >expected
		pp-filter --time "$span" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F time --ns >got
		[ -s got ]
		diff expected got
	done
}

@test "wrong arguments of options are misuse" {
	small >in.pipe
	for arguments in '--time 5' '--time ,' '--time 5,4' '--time +5,+4' '--time a,b' '--time 1,2,3' \
		'-p x' '-C 3-1' '-n x' '--comm a,,b' '-e ,'; do
		echo "$arguments"
		# shellcheck disable=SC2086
		run -2 --separate-stderr pp-filter -i in.pipe $arguments
		[ -z "$output" ]
	done
}

@test "--invert keeps the other samples, of options and expression together" {
	small >in.pipe
	[ "$(kept --invert 'pid == 7')" = '3000 4000' ]
	[ "$(kept --invert -p 7 'cpu == 1')" = '1000 3000 4000' ]
	[ "$(kept --invert -C 0)" = '2000 3000 4000' ]
	[ "$(kept --invert --comm nginx)" = '2000 3000 4000' ]
	[ "$(kept --invert --time +1,)" = '1000 2000 3000 4000' ]
	run -2 --separate-stderr pp-filter --invert -i in.pipe
	[ "${stderr_lines[0]}" = 'pp-filter: --invert needs something to invert' ]
}

@test "-v says the expression that the options make" {
	small >in.pipe
	run -0 --separate-stderr pp-filter -v --invert -e 'a"b' -p 1,3-5 --time +1,2 -i in.pipe -o out.pipe 'cpu == 1'
	[ "${stderr_lines[0]}" = 'pp-filter: keeping samples where !(event in {"a\"b"} && pid in {1, 3..5} && time >= +1s && time <= 2s && (cpu == 1))' ]
}

# Rounds of three samples, with a name that comes late: behind the round, before it in time.
rounds() {
	build <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		repeat 6 {
		sample pid=7 time=$(i*1000+1000)
		sample pid=8 time=$(i*1000+1400)
		sample pid=7 time=$(i*1000+1800)
		comm pid=8 comm=late time=$(i*1000+1300)
		round
		}
	END
}

@test "-n keeps so many samples, and what is older than the last of them" {
	rounds >in.pipe
	[ "$(kept -n 2 'pid == 7')" = '1000 1800' ]
	[ "$(records kept.pipe | awk '{ print $2 }' | xargs)" = \
		'HEADER_ATTR SAMPLE SAMPLE COMM FINISHED_ROUND COMM FINISHED_ROUND' ]
	[ "$(kept -n 3 'pid == 7')" = '1000 1800 2000' ]
	[ "$(kept -n 0)" = '' ]
	[ "$(kept -n 99)" = "$(times in.pipe)" ]
}

@test "-n counts in the order of the times where the filter judges in it" {
	rounds >in.pipe
	[ "$(kept -n 2 'comm == "late"')" = '1400 2400' ]
	[ "$(kept -n 1 'time > +1us')" = 2400 ]
}

@test "-n ends the stream well: sealed as it was" {
	rounds | pp-filter --seal >in.pipe
	run -0 --separate-stderr pp-filter -n 1 -i in.pipe -o out.pipe
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-filter -i out.pipe -o again.pipe
	[ -z "$stderr" ]
	same_bytes out.pipe again.pipe
}

@test "-n does not wait for input that never comes" {
	rounds >in.pipe
	mkfifo slow
	exec 9<>slow
	cat in.pipe >&9
	timeout 60 pp-filter -n 1 <slow 9>&- >out.pipe
	exec 9>&-
	[ "$(times out.pipe)" = 1000 ]
}

# ---- names

@test "names follow COMM, FORK and exec in the order of time, not of the stream" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task,comm_exec
		sample pid=7 time=1000
		sample pid=7 time=3000
		sample pid=8 time=3500
		sample pid=8 time=5000
		sample pid=9 time=6000
		sample pid=8 time=7000
		sample pid=0 time=7100
		sample pid=-1 time=7200
		comm pid=7 comm=before time=900
		comm pid=7 comm=after time=2000
		fork pid=8 tid=8 ppid=7 ptid=7 time=3200
		comm pid=7 comm=parent time=3300
		comm pid=8 comm=program exec time=4000
		exit pid=8 tid=8 ppid=7 ptid=7 time=6500
		round
	END
	keeps <<-'END'
		comm == "before" => 1000
		comm == "after" => 3000 3500
		comm == "parent" =>
		comm == "program" => 5000 7000
		comm == ":9" => 6000
		comm == "swapper" => 7100
		comm == ":-1" => 7200
	END
}

# What a kernel and perf itself write of tasks, with what can be missing of it.
tasks() {
	build <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task,comm_exec
		fork pid=10 tid=10 ppid=1 ptid=1 misc=0x2000 synthesized
		comm pid=10 comm=daemon synthesized
		fork pid=10 tid=11 ppid=10 ptid=10 misc=0x2000 synthesized
		comm pid=10 tid=11 comm=worker synthesized
		sample pid=10 time=1000
		sample pid=10 tid=11 time=1100
		fork pid=10 tid=12 ppid=10 ptid=11 time=1200
		sample pid=10 tid=12 time=1300
		comm pid=10 tid=12 comm="two words" time=1400
		sample pid=10 tid=12 time=1500
		fork pid=20 tid=20 ppid=10 ptid=12 time=1600
		sample pid=20 time=1700
		comm pid=20 comm=execed exec time=1800
		sample pid=20 time=1900
		exit pid=20 tid=20 ppid=10 ptid=10 time=2000
		sample pid=20 time=2100
		fork pid=20 tid=20 ppid=10 ptid=10 time=2200
		sample pid=20 time=2300
		round
		fork pid=31 tid=31 ppid=30 ptid=30 time=3000
		sample pid=31 time=3100
		sample pid=30 time=3200
		comm pid=31 comm=named time=3300
		sample pid=31 time=3400
		fork pid=40 tid=40 ppid=99 ptid=11 time=3500
		sample pid=40 time=3600
		sample pid=10 tid=11 time=3700
		comm pid=50 comm="a name that is longer than the kernel's" time=3800
		sample pid=50 time=3900
		fork pid=51 tid=51 ppid=50 ptid=50 time=4000
		sample pid=51 time=4100
		comm pid=50 comm=x time=4200
		sample pid=50 time=4300
		sample pid=51 time=4400
		round
		sample pid=0 tid=0 time=5000
		sample pid=-1 time=5100
		comm pid=0 tid=60 comm=idle60 time=5200
		sample pid=60 tid=60 time=5300
		fork pid=61 tid=61 ppid=60 ptid=60 time=5400
		sample pid=61 time=5500
		sample pid=60 time=5600
		round
	END
}

@test "names are perf's: threads, processes, exec, reuse of a number, lost forks, long names" {
	need_perf
	tasks >in.pipe
	names_as_perf in.pipe
}

@test "names are perf's for every sample of a recording of all CPUs" {
	need_system_wide
	perf_quiet record -a -e cpu-clock -F 2000 -o - -- perl -e '
		for (1 .. 12) {
			system "true";
			system "sh", "-c", "ls / >/dev/null; true | cat";
			defined(my $pid = fork) or next;
			unless ($pid) { $0 = "renamed$_"; $i++ while $i < 2e4; exit }
			waitpid $pid, 0;
		}' >in.pipe
	names_as_perf in.pipe
}

@test "patterns of names keep what perf's names match" {
	need_perf
	tasks >in.pipe
	ended in.pipe
	perf_quiet script -i in.pipe -F comm,tid,time --ns >script.out
	threads <script.out | lasting >all
	for pattern in '^d' 'e' ' ' '^:' '^[a-z]+$' '^(worker|x)$'; do
		echo "$pattern"
		pp-filter "comm =~ \"$pattern\"" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		perl -F'\|' -sane 'print if $F[0] =~ /$p/' -- -p="$pattern" all >expected
		diff expected got
		pp-filter "comm !~ \"$pattern\"" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		perl -F'\|' -sane 'print unless $F[0] =~ /$p/' -- -p="$pattern" all >expected
		diff expected got
	done
}

@test "a thread that ended long ago is forgotten, those that live are not" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task
		comm pid=7 comm=old time=1000
		repeat 17000 {
		fork pid=$(i+100) tid=$(i+100) ppid=7 ptid=7 time=$(i*10+2000)
		exit pid=$(i+100) tid=$(i+100) ppid=7 ptid=7 time=$(i*10+2005)
		}
		sample pid=7 time=900000
		sample pid=17099 time=900001
		sample pid=100 time=900002
		round
	END
	[ "$(kept 'comm == "old"')" = '900000 900001' ]
}

# ---- perf reads it

@test "perf script and perf report read what is kept, and only that" {
	need_perf_events
	perf_quiet record -e cpu-clock -F 2000 -o - -- "${WORK[@]}" >in.pipe
	perf_quiet script -i in.pipe -F comm,tid,time --ns >all
	middle=$(awk '{ t[NR] = $3 } END { sub(/:/, "", t[int((NR + 1) / 2)]); print t[int((NR + 1) / 2)] }' all)
	pp-filter "time >= ${middle}s" <in.pipe >out.pipe
	perf_quiet script -i out.pipe -F comm,tid,time --ns >got
	awk -v from="$middle:" '$3 >= from' all >expected
	[ -s got ]
	diff expected got
	pp-filter 'comm == "perl"' <in.pipe | perf report -i - --stdio -s comm 2>/dev/null >report
	awk '!/^#/ && NF { print $NF }' report >names
	[ "$(sort -u names)" = perl ]
}

@test "perf record, pp-filter and perf script in one pipeline" {
	need_perf_events
	perf record -e cpu-clock -F 2000 -o - -- "${WORK[@]}" 2>/dev/null |
		pp-filter 'comm != "perl"' | perf script -i - -F comm 2>/dev/null >got
	[ "$(grep -c perl got)" -eq 0 ]
}

@test "tracepoints keep their data behind a filter" {
	need_tracepoints
	perf_quiet record -e syscalls:sys_enter_openat -e sched:sched_process_fork -o - -- "${CALLS[@]}" >in.pipe
	perf_quiet script -i in.pipe -F event,time,trace --ns >all
	pp-filter -e sched:sched_process_fork <in.pipe >out.pipe
	perf_quiet script -i out.pipe -F event,time,trace --ns >got
	grep 'sched:sched_process_fork' all >expected
	[ -s got ]
	diff expected got
}

# ---- the corpus

@test "names in the corpus are those that its perf gave" {
	files=(perf-6.12/{rec,rec.z,group,dwarf,tp,buildid-mmap}.pipe.data
		perf-7.3/{rec,rec.z,group,dwarf,tp,buildid-mmap}.pipe.data)
	corpus "${files[@]}"
	# perf shows a sample of a group once for each event of the group.
	for file in "${files[@]}"; do
		perl -ne '/^\s*(.*?)\s+-?\d+\/(-?\d+)\s+(\d+\.\d{6})\d*:/ and print "$1|$2 $3\n"' \
			"$CORPUS/$file.script.txt" | sort -u >all
		[ -s all ]
		sed 's/|.*//' all | sort -u >names
		while IFS= read -r name; do
			echo "$file: $name"
			pp-filter "comm == \"$name\"" -i "$CORPUS/$file" -o out.pipe
			records -v -s out.pipe | perl -ne '/ (\d+)(\d{6})\d{3} .*? tid=(\d+) / and
				print "$3 $1.$2\n"' | sort -u >got
			awk -F'|' -v name="$name" '$1 == name { print $2 }' all | sort -u >expected
			diff expected got
		done <names
	done
}

@test "filters of all kinds pass the corpus, and keep or lose all samples" {
	corpus perf-6.1 perf-6.12 perf-7.3 big-endian linux-tracepoints
	for file in "$CORPUS"/perf-*/*.pipe.data "$CORPUS"/linux-tracepoints/pipe.data \
		"$CORPUS"/big-endian/*no-google-hdr; do
		[[ $file != */bad.* && $file != */trunc* && $file != *overwrite* ]] || continue
		echo "$file"
		pp-filter -i "$file" -o all.pipe
		pp-filter -i "$file" -o some.pipe 'misc >= 0 && !(comm == "no such name")'
		same_bytes all.pipe some.pipe
		pp-filter -i all.pipe -o none.pipe --invert 'misc >= 0'
		[ "$(records none.pipe | grep -c ' SAMPLE ')" -eq 0 ]
		[ "$(records none.pipe | wc -l)" -eq "$(records all.pipe | grep -vc ' SAMPLE ')" ]
	done
}

# ---- what does not match is said

@test "an event or a field that the stream does not have is reported, and so is that nothing was kept" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
		sample pid=8 time=200
		round
	END
	build >none <<-'END'
		header
		attr id=1
		round
	END
	says() {
		local messages=$1
		shift
		run -0 --separate-stderr pp-filter -i in -o out "$@"
		diff <(printf '%s' "$messages") <(sed 's/^pp-filter: in: //' <<<"$stderr" | head -c -1)
	}
	says "no event is called 'cpu-clok'; did you mean cpu-clock?
no sample matched" -e cpu-clok
	says "no event is called 'cpu-clok'; did you mean cpu-clock?" -e cpu-clok,cpu-clock
	says "no event is called 'sched:sched_switch'
no sample matched" 'event == "sched:sched_switch"'
	says "no event matches event ~ \"sched:*\"
no sample matched" 'event ~ "sched:*"'
	says "" 'event ~ "cpu*" && event =~ "^cpu" && event == "cpu-clock"'
	says "no sample has the field 'cpu'
no sample matched" -C 0
	says "no sample has the field 'phys_addr'" 'pid == 7 || phys_addr > 0'
	says "" 'pid == 7 || defined(phys_addr)'
	says "no sample matched" --comm 'so*'
	says "no sample matched" -p 9
	says "no sample matched" --prune -p 9
	says "no sample matched" --samples 3-
	says "" -n 0
	says "" -p 7
	says "" -q -e cpu-clok -p 9
	# what has no samples lacks none
	run -0 --separate-stderr pp-filter -i none -o out -p 9
	[ -z "$stderr" ]
}

@test "-v says how many samples were kept" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
		sample pid=8 time=200
		sample pid=7 time=300
		round
	END
	for how in "" --prune "--context 1ns"; do
		run -0 --separate-stderr pp-filter -v $how -p 7 -i in -o out
		[[ $stderr == *"pp-filter: in: 2 of 3 samples kept"* ]]
	done
	head -n 3 <<-'END' | build >one
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=100
	END
	run -0 --separate-stderr pp-filter -v -p 7 -i one -o out
	[ "${stderr_lines[1]}" = "pp-filter: one: 1 of 1 sample kept" ]
}
