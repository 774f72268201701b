# terms.bats - what stands between an event's slashes and is not in every kernel or perf: config3 and
# config4, aux-action, cpu.

setup() {
	load ../../helper
	load recorder
	need_fake
}

# on MACHINE OPTIONS...: pp-record to `out` on such a machine, on a kernel that has every counter
on() {
	[ -d "$1" ] || perl "$TESTS/machines/make.pl" "$1" "$1"
	rm -f log
	SYSFS_PATH=$PWD/$1 FAKE_LOG=$PWD/log LD_PRELOAD=$fake pp-record -q --no-sandbox -o out "${@:2}" -- true
}

# opened FIELD...: cpu, group and these of each attribute that was opened, but the dummy's; numbers
# of fields are those of 32-bit words
opened() {
	perl -ne '
		my ($cpu, $group, $hex) = /^open .* cpu=(\S+) group=(\d+) .*attr=([0-9a-f]+)/ or next;
		my @word = unpack "V*", pack "H*", $hex;
		next if $word[0] == 1 && $word[2] == 9;
		print join(" ", $cpu, $group, map { $word[$_] // "-" } @at), "\n";
		BEGIN { @at = splice @ARGV, 1 }' log "$@"
}

# attributes FILE: of the events in a stream, what the rest of the test is about
attributes() { json "$1" | jq -c 'select(.type == "HEADER_ATTR").fields.attr | [.size, .config3, .config4]'; }

@test "config3 and config4 make an attribute as long as they need" {
	on neoverse -C 0 -e arm_spe_0/inv_event_filter=3/,cpu-clock/config4=5/,task-clock/config3=0/
	run opened 1 32 34
	assert_output $'0 0 136 3 -\n0 0 144 0 5\n0 0 128 - -'
	run attributes out
	assert_output $'[136,"0x3",null]\n[144,"0x0","0x5"]\n[128,null,null]\n[128,null,null]'
	pp-check out
	run jq -c 'select(.type == "HEADER_FEATURE").fields.data | select(.events) | [.attr_size, .events[].attr.config3]' < <(json out)
	assert_output '[144,"0x3","0x0","0x0","0x0"]'
}

@test "a kernel that does not know config3 or config4 is named, and nothing is written" {
	local event since
	while read -r event since; do
		FAKE_LACKS="size=${since%% *}" run -4 --separate-stderr on neoverse -C 0 -e "$event"
		assert_regex "${stderr_lines[0]}" "this kernel does not know ${since#* }"
		[ ! -e out ]
	done <<-'END'
		arm_spe_0/inv_event_filter=3/ 128 config3: leave it at 0, or use Linux 6.3 or later
		cpu-clock/config4=5/ 136 config4: leave it at 0, or use Linux 6.18 or later
	END
	FAKE_LACKS=size=128 on neoverse -C 0 -e arm_spe_0/inv_event_filter=0/,cycles/config3=0/
}

@test "config3 is in a recording that perf reads" {
	once pp_events pp-record -e cpu-clock -- true || skip "perf_event_open is refused here"
	need_perf
	pp-record -q -e cpu-clock/config3=7/,page-faults -o out -- "${WORK[@]}" 2>err || { cat err; skip "this kernel has no config3"; }
	pp-check out
	run -0 perf_quiet script -i out -F event
	assert_line --partial cpu-clock
	assert_line --partial page-faults
}

# as perf 7.3 asks the same kernel
@test "aux-action puts events into the group of the trace, which they pause and resume" {
	on skylake -C 0 -e intel_pt/aux-action=start-paused/,cycles/aux-action=resume/,instructions/aux-action=pause/
	run opened 0 2 29
	assert_output $'0 0 12 50390529 1\n0 1 0 0 4\n0 1 0 1 2'
	FAKE_LACKS='aux_action=0x7' run -4 on skylake -C 0 -e intel_pt//,cycles/aux-action=resume/
	assert_output --partial 'traces cannot be paused by this kernel or PMU (Linux 6.13'
}

@test "an aux-action that makes no sense is refused" {
	local event says
	while IFS='|' read -r event says; do
		rm -f out
		run -2 --separate-stderr on skylake -C 0 -e "$event"
		assert_regex "${stderr_lines[0]}" "$says"
		[ ! -e out ]
	done <<-'END'
		cycles/aux-action=pause/|no event has one: record one that has, such as intel_pt//
		intel_pt/aux-action=pause/|what traces can only start-paused
		intel_pt//,cycles/aux-action=start-paused/|only what traces can start-paused
		intel_pt//,{cycles,instructions/aux-action=pause/}|in a group that intel_pt// does not lead
		cycles/aux-action=stop/|aux-action takes start-paused, pause or resume
	END
}

# as perf 7.3, which has no period for the trace either
@test "of a group with S that a trace leads, the second event is sampled" {
	on skylake -C 0 -e '{intel_pt//,cycles}:S'
	# type, period, sample_type
	run opened 0 4 6
	assert_output $'0 0 12 0 65943\n0 1 0 4000 65943'
	on skylake -C 0 -e '{intel_pt//}:S'
	run opened 0 4
	assert_output '0 0 12 1'
}

@test "cpu= is where an event alone counts" {
	on skylake -C 0,1 -e cycles/cpu=1/,instructions/cpu=0-1/,branches/cpu=0,cpu=1/
	run opened 2
	assert_output $'1 0 0\n0 0 1\n1 0 1\n0 0 4\n1 0 4'
	rm out
	run -2 --separate-stderr on skylake -C 0 -e cycles/cpu=1/
	assert_regex "${stderr_lines[0]}" 'by its term cpu it is on none of the CPUs that are recorded'
	run -2 --separate-stderr on skylake -C 0 -e cycles/cpu=x/
	assert_regex "${stderr_lines[0]}" 'cpu takes a number, or numbers as in 0-3'
	[ ! -e out ]
}

# grammar ARGUMENTS...: what grammar.pl says with perf 7
grammar() { PERF=$newer perl "$TESTS/tools/record/grammar.pl" "$fake" "$@"; }

need_perf_7() {
	newer=$(ls -d "$PERF_NEWER"/perf-7.* 2>/dev/null | head -n 1)
	[ -n "$newer" ] || skip "perf 7 is not here"
	"$newer" --version | grep -qF 7.3 || skip "the table is of perf 7.3"
}

# bats test_tags=nightly
@test "events of nine machines are those of perf 7, but for the differences that are named" {
	need_perf_7
	run -0 grammar "$TESTS/tools/record/grammar.txt"
	assert_output --regexp '^2[0-9]{2} events compared with perf 7\.3, 0 wrong$'
}

@test "the comparison finds a difference that has no name, and a name without its difference" {
	need_perf_7
	printf '%s\n' 'difference x  y' 'skylake cycles' 'skylake instructions' 'skylake branches | x' >table
	run -1 grammar table
	assert_line 'skylake instructions: differs'
	assert_line "skylake branches: 'x' is not a difference here"
	refute_line --partial 'skylake cycles:'
	assert_line '3 events compared with perf 7.3, 2 wrong'
}

@test "a breakpoint's length in a list, and names in any case, are understood as by perf 7" {
	on skylake -C 0 -e 'mem:0x1000/8:x,{mem:0x2000/2:w,CYCLES},software/cs/'
	# type, bp_type (of a breakpoint), config, address
	run opened 0 2 13 14
	assert_output $'0 0 5 0 4 4096\n0 0 5 0 2 8192\n0 2 0 0 0 0\n0 0 1 3 0 0'
	rm out
	run -2 --separate-stderr on skylake -C 0 -e 'cs:u{cycles,cs}'
	assert_regex "${stderr_lines[0]}" 'a comma is missing before a group'
	[ ! -e out ]
}

# bats test_tags=T3-C6
@test "events and terms may have blanks around them, and a number that is left out is 1, as to perf" {
	on skylake -C 0 -e ' cycles, mem:0x1000/8:w , { instructions , cs:u } , cpu-clock/ time , period = 1000 /,faults/freq/'
	# type, config; the period
	run opened 0 2 4
	assert_output $'0 0 0 0 4000\n0 0 5 0 1\n0 0 0 1 4000\n0 3 1 3 4000\n0 0 1 0 1000\n0 0 1 2 1'
	run -2 --separate-stderr on skylake -e 'cycles, nonsense'
	assert_equal "${stderr_lines[2]}" '          ^'
	assert_regex "${stderr_lines[0]}" "no event is called 'nonsense'"
	run -2 --separate-stderr on skylake -e 'cycles, '
	assert_regex "${stderr_lines[0]}" 'an event is missing'
	run -2 --separate-stderr on skylake -e 'cycles/time=/'
	assert_regex "${stderr_lines[0]}" 'time takes a number'
	run -2 --separate-stderr on skylake -e 'cycles/name/'
	assert_regex "${stderr_lines[0]}" 'name takes a name'
}
