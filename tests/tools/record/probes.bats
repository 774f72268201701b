# probes.bats - pp-record: probes that tracefs has, and changes that the kernel makes to its own code.

setup() {
	load ../../helper
	load recorder
	probes=
}

teardown() {
	local probe
	for probe in $probes; do
		echo "-:$probe" >>/sys/kernel/tracing/uprobe_events || :
	done
}

# probe NAME DEFINITION...: one of a program, in a group of this test's own
probe() {
	[ -w /sys/kernel/tracing/uprobe_events ] || skip "tracefs has no uprobe_events here"
	echo "${2}:pp_test_$$/$1 ${*:3}" >>/sys/kernel/tracing/uprobe_events || skip "no probe can be set here"
	probes+=" pp_test_$$/$1"
}

# a program whose function hit_me() is called 7 times, with 0 .. 6, and returns one more
program() {
	need "${CC:-cc}"
	need nm
	cat >program.c <<-'END'
		__attribute__((noinline)) int hit_me(int n);
		__attribute__((noinline)) int hit_me(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
		int main(void) { int n = 0; for (int i = 0; i < 7; i++) n = hit_me(n); return n != 7; }
	END
	"${CC:-cc}" -O1 -o program program.c
	offset=0x$(nm program | awk '$3 == "hit_me" { print $1 }')
}

@test "probes of a program are events, by name and by pattern, and perf prints what they fetch" {
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	need_root
	need_points
	need_perf
	program
	probe enter p "$PWD/program:$offset n=%di:s32"
	probe leave r "$PWD/program:$offset result=\$retval:s32"
	local event
	for event in "pp_test_$$:enter" "pp_test_$$:e*"; do
		pp-record -e "$event" -o out -- ./program
		pp-check -q out
		perf_quiet script -i out -F event,trace | sed 's/.*: *(.*) //' >printed
		run cat printed
		assert_output "$(printf 'n=%s\n' 0 1 2 3 4 5 6)"
	done
	pp-record -e "pp_test_$$:*" -g -o out -- ./program
	pp-check -q out
	[ "$(count SAMPLE out)" -eq 14 ]
	perf_quiet script -i out -F event,trace >printed
	[ "$(grep -c 'n=' printed)" -eq 7 ]
	[ "$(grep -c 'result=' printed)" -eq 7 ]
	perf_quiet report -i out --stdio >report
	grep -q "pp_test_$$:leave" report
}

@test "a probe is filtered, counted and listed like every tracepoint" {
	[ "$(uname -m)" = x86_64 ] || skip "is about x86"
	need_root
	need_points
	program
	probe filtered p "$PWD/program:$offset n=%di:s32"
	pp-record -e "pp_test_$$:filtered" --filter 'n > 3' -o out -- ./program
	[ "$(count SAMPLE out)" -eq 3 ]
	run pp-record --list "pp_test_$$:*"
	assert_line --partial "pp_test_$$:filtered"
	run -2 --separate-stderr pp-record -e "pp_test_$$:filtered" --filter 'm > 3' -o out -- ./program
	assert_regex "$stderr" "has no field 'm'"
}

# point NAME ID FIELDS PRINT: a probe of the kernel as tracefs has it, in ./tracing
point() {
	mkdir -p tracing/events/kprobes/"$1"
	echo "$2" >tracing/events/kprobes/"$1"/id
	{
		printf 'name: %s\nID: %s\nformat:\n' "$1" "$2"
		printf '\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n' 'unsigned short common_type' 0 2 0 \
			'unsigned char common_flags' 2 1 0 'unsigned char common_preempt_count' 3 1 0 'int common_pid' 4 4 1
		printf '\n' # what all tracepoints have ends here
		# shellcheck disable=SC2086
		printf '\tfield:%s %s;\toffset:%s;\tsize:8;\tsigned:0;\n' $3
		printf '\nprint fmt: %s\n' "$4"
	} | sed 's/:unsigned_long/:unsigned long/' >tracing/events/kprobes/"$1"/format
}

# This machine's kernel may have no kprobes: a tracefs of one that has, and records as that one writes.
@test "probes of the kernel are events, by name and by pattern, and perf prints what they fetch" {
	need_fake_ring
	need_perf
	local event
	point enter 1500 'unsigned_long __probe_ip 8 u64 size 16' '"(%lx) size=%Lu", REC->__probe_ip, REC->size'
	point leave 1501 'unsigned_long __probe_func 8 unsigned_long __probe_ret_ip 16' \
		'"(%lx <- %lx)", REC->__probe_func, REC->__probe_ret_ip'
	printf '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n' >tracing/events/header_page
	printf '\n' >tracing/events/header_event
	: >tracing/printk_formats
	perl -e '
		sub sample {
			my ($id, $time, $raw) = @_;
			my $body = pack("Q Q LL Q LL Q L", $id, 0xffffffff81000010, $$, $$, $time, 0, 0, 1, length $raw) . $raw;
			print pack("L S S", 9, 1, 8 + length $body), $body;
		}
		sample(1, 1e9, pack "S C C l Q Q x4", 1500, 0, 0, $$, 0xffffffff81000010, 4096);
		sample(2, 1e9 + 5, pack "S C C l Q Q x4", 1501, 0, 0, $$, 0xffffffff81000010, 0xffffffff82000020);' >records.0
	export TRACEFS_PATH=$PWD/tracing
	for event in kprobes:enter,kprobes:leave 'kprobes:*'; do
		rm -f log
		FAKE_LOG=$PWD/log FAKE_RING=records LD_PRELOAD=$fake \
			pp-record -q -C 0 -e "$event" --filter 'size > 3' -o out -- true
		[ "$(grep -c 'SET_FILTER size > 3' log)" -ge 1 ]
		pp-check -q out
		# as tracepoints of these numbers, each hit a sample
		run fields out 'select(.type == "HEADER_ATTR").fields.attr | select(.type == 2) | [.config, .sample_period]'
		assert_output $'["0x5dc",1]\n["0x5dd",1]'
		run perf_quiet script -i out -F event,trace
		assert_line --index 0 --regexp 'kprobes:enter: \(ffffffff81000010\) size=4096'
		assert_line --index 1 --regexp 'kprobes:leave: \(ffffffff81000010 <- ffffffff82000020\)'
	done
	run -0 pp-record --list 'kprobes:*'
	assert_line --partial kprobes:enter
	assert_line --partial kprobes:leave
}

@test "changes of the kernel's code arrive in the stream, and perf reads them" {
	[ -f "$fake" ] && ! sanitized || skip "no fake kernel was built"
	[ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" = 1 ] || skip "the records are little-endian"
	need_perf
	# ring 0 has a sample; then a jump takes the place of five bytes that did nothing; trailer: pid, tid,
	# time, cpu, id
	perl -e '
		my $body = pack "Q Q LL Q LL Q", 1, 0xffffffff81000010, $$, $$, 1e9, 0, 0, 1;
		print pack("L S S", 9, 1, 8 + length $body), $body;
		$body = pack "Q S S C10 x2 LL Q LL Q", 0xffffffff81000010, 5, 5, 0x0f, 0x1f, 0x44, 0, 0,
			0xe9, 1, 2, 3, 4, 0, 0, 1e9 + 500, 0, 0, 1;
		print pack("L S S", 20, 1, 8 + length $body), $body;' >records.0
	FAKE_LOG=$PWD/log FAKE_RING=records LD_PRELOAD=$fake pp-record -e cycles --text-poke -C 0 -o out -- true
	pp-check out
	fields out 'select(.type == "HEADER_ATTR").fields.attr.flags.text_poke' >asked
	run cat asked
	assert_output $'null\n1'
	run fields out 'select(.type == "TEXT_POKE").fields | [.addr, .old, .new]'
	assert_output '["0xffffffff81000010","0f1f440000","e901020304"]'
	run perf_quiet script -i out --show-text-poke-events
	assert_output --partial 'PERF_RECORD_TEXT_POKE'
	assert_output --partial '0f 1f 44'
	assert_output --partial 'e9 01 02 03 04'
}

@test "a live recording with --text-poke is one that perf and pp-check read" {
	need_all_cpus
	need_root
	need_perf
	pp-record -a -e cpu-clock --text-poke -o out -- sh -c '
		pp-record -e sched:sched_process_wait -o other -- true 2>other.err
		pp-record -e raw_syscalls:sys_enter -o other -- true 2>>other.err' 3>&-
	pp-check -q out
	perf_quiet script -i out --show-text-poke-events >script
	[ "$(grep -c PERF_RECORD_TEXT_POKE script)" -eq "$(count TEXT_POKE out)" ]
	[ "$(count TEXT_POKE out)" -gt 0 ] || skip "this kernel reports no change of its code by perf"
}
