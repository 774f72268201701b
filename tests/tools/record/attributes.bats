# pp-record and perf record, side by side: what they ask of the kernel.

setup() {
	load ../../helper
	load recorder
	! sanitized || skip "nothing is preloaded beside a sanitizer"
}

# with_few_symbols COMMAND...: where the kernel shows a few of its symbols alone, if that can be had: perf
# reads 200,000 of them in each run, which takes longer than all the rest
with_few_symbols() {
	grep -E ' _(text|stext|etext)$' /proc/kallsyms >kallsyms || :
	# shellcheck disable=SC2016 # $ belongs to the shell there
	local mounted='mount --bind kallsyms /proc/kallsyms && "$@"'
	if unshare -m --propagation private sh -c "$mounted" - true 2>/dev/null; then
		unshare -m --propagation private sh -c "$mounted" - "$@"
	else
		"$@"
	fi
}

# A kernel that has every counter stands in for this one: -b, -W and the like are compared, too.
@test "pp-record asks the kernel for what perf record asks for, but for the differences that are named" {
	need_kernel
	need_perf
	perf record --help 2>&1 | grep -q -e --synth || skip "this perf has no --synth"
	run with_few_symbols perl "$TESTS/tools/record/attributes.pl" "$fake" "$TESTS/tools/record/attributes.txt"
	assert_success
	assert_line --regexp '^([89][0-9]|[0-9]{3}) rows compared with perf [0-9.]+, [0-9]+ left out for want of tracepoints or control groups, 0 wrong$'
}

@test "the comparison finds a difference that has no name, and a name without its difference" {
	need_perf
	[ "$(perf --version | grep -o '[0-9]*\.[0-9]*' | head -n 1)" = 6.1 ] || skip "needs perf 6.1"
	grep -E '^(everywhere|difference)' "$TESTS/tools/record/attributes.txt" >table
	printf '%s\n' '-e cycles -c 1000' '-e cycles | period' '-e cycles => -e cycles -W' >>table
	run -1 with_few_symbols perl "$TESTS/tools/record/attributes.pl" "$fake" table
	assert_line '    +sample_type PERIOD'
	assert_line "    'period' is not a difference here"
	assert_line '    +sample_type WEIGHT_STRUCT'
}

# asked LOG: the attributes that were had, each once, as bytes; but not what has no sample_type, through
# which a ring is mapped
asked() { sed -n 's/^open .* attr=//p' "$1" | grep -v '^.\{48\}0\{16\}' | sort -u; }

# which perf 6.1 has no words for; the kernel's have these bits (perf_event.h)
@test "the kernel's other kinds of branches have their words" {
	local word bits
	while read -r word bits; do
		LD_PRELOAD=$fake pp-record -q -e cycles -j "any,$word" -o out -- true
		run fields out 'select(.type == "HEADER_ATTR").fields.attr.branch_sample_type'
		assert_line -n 0 "\"$bits\""
	done <<-'END'
		no_flags 0x4008
		no_cycles 0x8008
		hw_index 0x20008
		counter 0x80008
	END
}

@test "what perf 7 calls fp,defer asks each event to leave the program's part, and one to bring it" {
	FAKE_LOG=log LD_PRELOAD=$fake pp-record -e cycles,instructions -a -m 512k --call-graph fp,defer -o out -- true
	run jq -c 'select(.type == "HEADER_ATTR").fields.attr.flags | [.defer_callchain, .defer_output]' < <(json out)
	assert_output "[1,null]
[1,null]
[null,1]"
	[ "$(asked log | wc -l)" -eq 3 ]
}

@test "a kernel that cannot defer call chains records them at once, and that is said" {
	FAKE_LACKS='flags=0xc000000000' LD_PRELOAD=$fake run --separate-stderr -0 \
		pp-record -e cycles:P --call-graph fp,defer -o out -- true
	assert_regex "$stderr" 'this kernel cannot defer call chains \(Linux 6.19 can\): recording them at once'
	run jq -c 'select(.type == "HEADER_ATTR").fields.attr | [.sample_type, .flags.precise_ip, .flags.defer_callchain]' < <(json out)
	assert_output '["0x101a7",3,null]'
}

@test "costs come in one part from a kernel that does not know of three" {
	FAKE_LACKS='sample_type=0x1000000' LD_PRELOAD=$fake pp-record -e cycles -W -o out -- true
	run jq -r 'select(.type == "HEADER_ATTR").fields.attr.sample_type' < <(json out)
	assert_output 0x14187
}

@test "registers that only some PMUs have are left out where they are not asked for by name" {
	need_kernel
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	LD_PRELOAD=$fake pp-record -e cycles -I -o all -- true
	LD_PRELOAD=$fake pp-record -e cycles -Ixmm0,ax -o some -- true
	run jq -r 'select(.type == "HEADER_ATTR").fields.attr.sample_regs_intr' < <(json all; json some)
	assert_output "0xffffffff00ff0fff
0x300000001"
	need_events
	pp-record -e cpu-clock -I -o all -- true
	run jq -r 'select(.type == "HEADER_ATTR").fields.attr.sample_regs_intr' < <(json all)
	assert_output 0xff0fff
	run -4 --separate-stderr pp-record -e cpu-clock -Ixmm0 -o some -- true
	assert_regex "$stderr" 'cannot record these registers with cpu-clock: its PMU has them not'
}

# deferred TIME: a sample whose chain ends in a cookie, and the record that brings the rest
deferred() {
	perl -e '
		my ($id, $pid) = (1, $$);
		my @chain = (-128, 0xffffffff81000010, -640, 0xc00c1e);
		my $body = pack "Q Q LL Q LL Q Q q4", $id, 0xffffffff81000010, $pid, $pid, 1e9, 0, 0, 1, 4, @chain;
		print pack("L S S", 9, 1, 8 + length $body), $body;
		# misc: user; then the trailer: task, time, cpu, id
		$body = pack "Q Q q3 LL Q LL Q", 0xc00c1e, 3, -512, 0x401000, 0x402000, $pid, $pid, 1e9 + 500, 0, 0, $id;
		print pack("L S S", 22, 2, 8 + length $body), $body;'
}

@test "a deferred call chain arrives in the stream, and perf 7 puts its parts together" {
	[ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" = 1 ] || skip "the records are little-endian"
	deferred >records.0
	FAKE_RING=records LD_PRELOAD=$fake pp-record -e cycles --call-graph fp,defer -o out -- true
	pp-check out
	run jq -r 'select(.type == "SAMPLE").fields.callchain[-1], (select(.type == "CALLCHAIN_DEFERRED").fields | .cookie, .ips[-1])' < <(json out)
	assert_output "0xc00c1e
0xc00c1e
0x402000"
	newer=$(ls -d "$PERF_NEWER"/perf-7.* 2>/dev/null | head -n 1)
	[ -n "$newer" ] || skip "perf 7 is not here to read it"
	run "$newer" script -i out -F ip
	assert_line --regexp '402000'
	assert_line --regexp 'ffffffff81000010'
}

# branches FORMAT VALUE...: a sample that ends in a branch stack
branches() {
	perl -e '
		my $body = pack "Q Q LL Q LL Q", 1, 0x401000, $$, $$, 1e9, 0, 0, 1;
		$body .= pack shift, map { hex } @ARGV;
		print pack("L S S", 9, 2, 8 + length $body), $body;' "$@"
}

@test "branches that a processor recorded are read by perf and by ours alike" {
	[ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" = 1 ] || skip "the records are little-endian"
	need_perf
	# from, to, and flags: the first was predicted, the second not
	branches Q7 2 401010 401100 2 401200 401300 1 >records.0
	FAKE_RING=records LD_PRELOAD=$fake pp-record -e cycles -j any,u -o out -- true
	pp-check out
	run perf_quiet script -i out -F brstack
	assert_line --regexp '0x401010/0x401100/P/-/-/0(/[^ ]*)? +0x401200/0x401300/M/-/-/0'
	run jq -c 'select(.type == "SAMPLE").fields.branch_stack.entries[] | [.from, .to]' < <(json out)
	assert_output '["0x401010","0x401100"]
["0x401200","0x401300"]'
}

@test "costs, data sources and registers of a processor are read by perf and by ours alike" {
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	need_perf
	perl -e '
		# id, ip, task, time, addr, cpu, period; weight; data source: a load that hit L1; registers: IP
		my $body = pack "Q Q LL Q Q LL Q Q Q Q2", 1, 0x401000, $$, $$, 1e9, 0x7f0000001000, 0, 0, 1,
			42, 0x68100142, 2, 0x401004;
		print pack("L S S", 9, 2, 8 + length $body), $body;' >records.0
	FAKE_RING=records LD_PRELOAD=$fake pp-record -e cycles:pp -d -W -Iip -o out -- true
	pp-check out
	run perf_quiet script -i out -F addr,weight,data_src,iregs
	assert_line --regexp '7f0000001000 +68100142 .*L1 hit.* 42 .*IP:0x401004'
	run jq -c 'select(.type == "SAMPLE").fields | [.addr, .weight.latency // .weight, .regs_intr.regs]' < <(json out)
	assert_output --regexp '^\["0x7f0000001000",.*42.*,\["0x401004"\]\]$'
}

# bats test_tags=T3-C5
@test "records of BPF programs are left out if asked, as by perf" {
	need_events
	need_perf
	bpf() { json "$1" | jq -s '[.[] | select(.type == "HEADER_ATTR") | .fields.attr.flags.bpf_event // 0] | max'; }
	local options
	for options in '' --no-bpf-event --bpf-event '--no-bpf-event --bpf-event' '--bpf-event --no-bpf-event'; do
		# shellcheck disable=SC2086
		pp-record -q -e cpu-clock $options -o ours -- true
		# shellcheck disable=SC2086
		perf record -e cpu-clock $options -o - -- true >theirs 2>perf.err
		[ "$(bpf ours)" = "$(bpf theirs)" ]
	done
	pp-record -q -a --no-bpf-event -e cpu-clock -o out -- true
	[ "$(json out | jq 'select(.type == "BPF_EVENT")' | wc -l)" -eq 0 ]
}

# bats test_tags=T3-C5
@test "who reads the buffers is woken after so many samples as are asked for, with perf's --no-buffering after each" {
	need_events
	need_perf
	woken() { json "$1" | jq -c 'select(.type == "HEADER_ATTR").fields.attr | [.flags.watermark // 0, .wakeup_events // 0]' | head -n 1; }
	pp-record -q -e cpu-clock -o ours -- true
	[ "$(woken ours)" = '[0,0]' ]
	pp-record -q -e cpu-clock --no-buffering -o ours -- true
	perf record -e cpu-clock --no-buffering -o - -- true >theirs 2>perf.err
	[ "$(woken ours)" = "$(woken theirs)" ]
	pp-record -q -e cpu-clock --wakeup-events 12 -o ours -- true
	[ "$(woken ours)" = '[0,12]' ]
	run -2 pp-record --wakeup-events 0 -o out -- true
	assert_line --index 0 --partial 'is not a number of samples'
}
