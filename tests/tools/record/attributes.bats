# pp-record and perf record, side by side: what they ask of the kernel.

setup() {
	load ../../helper
	fake=$BIN/tests/fake/kernel.so
}

# A kernel that has every counter stands in for this one: -b, -W and the like are compared, too.
@test "pp-record asks the kernel for what perf record asks for, but for the differences that are named" {
	need_perf
	perf record --help 2>&1 | grep -q -e --synth || skip "this perf has no --synth"
	run perl "$TESTS/tools/record/attributes.pl" "$fake" "$TESTS/tools/record/attributes.txt"
	assert_success
	assert_line --regexp '^([89][0-9]|[0-9]{3}) rows compared with perf [0-9.]+, [0-9]+ left out for want of tracepoints, 0 wrong$'
}

@test "the comparison finds a difference that has no name, and a name without its difference" {
	need_perf
	[ "$(perf --version | grep -o '[0-9]*\.[0-9]*' | head -n 1)" = 6.1 ] || skip "needs perf 6.1"
	grep -E '^(everywhere|difference)' "$TESTS/tools/record/attributes.txt" >table
	printf '%s\n' '-e cycles -c 1000' '-e cycles | period' '-e cycles => -e cycles -W' >>table
	run -1 perl "$TESTS/tools/record/attributes.pl" "$fake" table
	assert_line '    +sample_type PERIOD'
	assert_line "    'period' is not a difference here"
	assert_line '    +sample_type WEIGHT_STRUCT'
}

# asked LOG: the attributes that were had, each once, as bytes
asked() { sed -n 's/^open .* attr=//p' "$1" | sort -u; }

@test "what perf 7 calls fp,defer asks each event to leave the program's part, and one to bring it" {
	FAKE_LOG=log LD_PRELOAD=$fake pp-record -e cycles,instructions -a --call-graph fp,defer -o out -- true
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
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	LD_PRELOAD=$fake pp-record -e cycles -I -o all -- true
	LD_PRELOAD=$fake pp-record -e cycles -Ixmm0,ax -o some -- true
	run jq -r 'select(.type == "HEADER_ATTR").fields.attr.sample_regs_intr' < <(json all; json some)
	assert_output "0xffffffff00ff0fff
0x300000001"
	need_perf_events
	pp-record -e cpu-clock -I -o all -- true
	run jq -r 'select(.type == "HEADER_ATTR").fields.attr.sample_regs_intr' < <(json all)
	assert_output 0xff0fff
	run -4 --separate-stderr pp-record -e cpu-clock -Ixmm0 -o some -- true
	assert_regex "$stderr" 'cannot record these registers with cpu-clock: its PMU has them not'
}

need_perf_events() { pp-record -e cpu-clock -o probe -- true || skip "perf_event_open is refused here"; }
