# script.bats - pp-script: what perf script prints.

setup() {
	load ../helper
	load names
}

head_of() { head_with CPU; }

@test "script: a line for each sample, and for each frame, in the order of their times" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=2000000 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=8 time=1000000 period=4 callchain=-128,0xffffffff81000020
			round
		END
	} | build >in
	pp-script in >got
	sed 's/^>/\t/' >expected <<-'END'
		:8       8     0.001000:          4  cpu-clock: 
		>ffffffff81000020 outer+0x20 ([kernel.kallsyms])

		seven       7     0.002000:          3  cpu-clock: 
		>ffffffff81000110 inner+0x10 ([kernel.kallsyms])
		>ffffffff81000010 outer+0x10 ([kernel.kallsyms])

	END
	diff expected got
	pp-script --like 6.1 in | grep -q '^seven     7     0.002000:'
	pp-script --ns in | grep -q '^seven       7     0.002000000:'
	pp-script -G -F tid,time,ip,sym in >got
	printf '%s\n' '      8     0.001000:                 0 [unknown]' \
		'      7     0.002000:                 0 [unknown]' >expected
	diff expected got
}

# bats test_tags=T3-C10
@test "script: -C shows what is of these CPUs, and takes names from the rest" {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm
		comm pid=9 comm=nine time=1000000 cpu=1
		sample id=1 pid=9 tid=9 time=2000000 cpu=0
		sample id=1 pid=9 tid=9 time=3000000 cpu=1
		sample id=1 pid=9 tid=9 time=4000000 cpu=8
		round
	END
	pp-script -C 0,5-8 -F comm,cpu --show-task-events in >got
	printf '            nine [%s] \n' 000 008 | diff - got
	pp-script --cpu=1 -F comm,time --show-task-events in >got
	diff - got <<-'END'
		            nine     0.001000: PERF_RECORD_COMM: nine:9/9
		            nine     0.003000: 
	END
	{
		head_of
		echo 'sample id=1 pid=9 tid=9 time=2000000'
	} | build >in
	run -2 --separate-stderr pp-script -C 1 in
	[[ $stderr == *': samples do not have a CPU to choose them by' ]]
}

@test "script: names of others stay text" {
	{
		head_of
		cat <<-'END'
			comm pid=9 comm="\x1b[2Jx\ny" time=6
			ksymbol addr=0xffffffff81000200 len=256 ksym_type=1 name="a\x07b" time=6
			sample id=1 pid=9 tid=9 time=10 period=1 callchain=-128,0xffffffff81000210
		END
	} | build >in
	run -0 pp-script in
	assert_line -n 0 --partial '\x1b[2Jx\x0ay       9 '
	assert_line -n 1 --partial ' a\x07b+0x10 '
}

@test "script: of a cut stream what is good is printed, and it exits 3" {
	{
		head_of
		echo 'sample id=2 pid=7 tid=7 time=10 period=3 cpu=1 misc=1 ip=0xffffffff81000110'
		echo 'sample id=2 pid=7 tid=7 time=11 period=3 cpu=1 ip=0xffffffff81000110'
	} | build >whole
	head -c -5 whole >in
	run -3 --separate-stderr pp-script in
	assert_equal "${#lines[@]}" 1
	assert_output --partial 'inner+0x10'
	run -4 sh -c 'pp-script whole >/dev/full'
}

@test "script: fields that samples do not have are refused, and nothing is printed" {
	{
		head_of
		echo 'sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110'
	} | build >in
	# once, also of several samples
	{
		head_of
		echo 'sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110'
		echo 'sample id=1 pid=7 tid=7 time=11 period=3 callchain=-128,0xffffffff81000110'
	} | build >two
	run -2 --separate-stderr pp-script --json -F +cpu two
	assert_equal "${#stderr_lines[@]}" 1
	run -2 --separate-stderr pp-script -F +cpu in
	refute_output
	assert_equal "$stderr" "pp-script: in: record 5 at byte 464 (SAMPLE): samples of cpu-clock have no CPU: field 'cpu' cannot be shown"
	for fields in comm,nothing comm,+cpu '' x:comm; do
		run -2 --separate-stderr pp-script -F "$fields" in
		refute_output
	done
	while read -r field why; do
		run -2 --separate-stderr pp-script -F "+$field" in
		refute_output
		[[ "$stderr" == *"$why"* ]]
	done <<-'END'
		insn a disassembler
		brstackdisasm a disassembler
		flags AUX data
		ipc AUX data
		vcpu of guests
		metric pp-stat
		brcntr counters in branches
		srccode files of sources
	END
}

# bats test_tags=nightly
@test "script: a tracepoint's format that divides by zero ends nothing" {
	need_tracepoints
	perf record -q -e sched:sched_switch -o whole -- sh -c 'ls / /usr >/dev/null'
	pp-cat --no-seal whole >plain
	for by in '0 / 0         ' '0 %(0)        '; do
		BY=$by perl -0777 -pe 's/REC->prev_prio/$ENV{BY}/' plain >in
		assert_equal "$(stat -c %s in)" "$(stat -c %s plain)"
		run -0 --separate-stderr pp-script -q in
		assert_output --partial 'prev_comm="'
	done
}

@test "script: an address with more names than are kept loses none" {
	local device hot
	need "${CC:-cc}"
	perl -e 'print "static volatile unsigned x;\n";
		my $body = "x++";
		for my $i (1 .. 12) {
			my $name = "f$i" . "y" x 60000;
			print "static inline __attribute__((always_inline)) void $name(void) { $body; }\n";
			$body = "$name()";
		}
		print "__attribute__((noinline)) void hot(void) { $body; }\nint main(void) { hot(); return 0; }\n"' >long.c
	"${CC:-cc}" -O1 -g -fno-pie -no-pie -o long long.c
	device=$(stat -c %D long)
	hot=$((0x$(nm long | sed -n 's/ T hot$//p') + 6))
	{
		head_of
		printf 'mmap2 pid=7 start=%d len=0x1000 pgoff=%d prot=5 file="%s" maj=%d min=%d ino=%d time=5\n' \
			$((hot & ~4095)) $(((hot & ~4095) - 0x400000)) "$PWD/long" $((0x$device >> 8)) \
			$((0x$device & 255)) "$(stat -c %i long)"
		echo "sample id=1 pid=7 time=10 period=1 misc=2 callchain=-512,$hot"
		echo "sample id=1 pid=7 time=11 period=1 misc=2 callchain=-512,$hot"
	} | build >in
	pp-script in >got
	# each is shown as far as a name is read
	assert_equal "$(grep -cE 'y\.\.\.#[0-9a-f]+\+0x6 \(inlined\)$' got)" 24
	assert_equal "$(awk 'length > 4096 && length < 4200' got | wc -l)" 24
}

# Code without a file is of the list that a JIT compiler writes, whether there is one or not; data has the map's name.
@test "script: memory with code that no file has is perf-PID.map" {
	{
		head_of
		echo 'mmap2 pid=7 start=0x1000 len=0x1000 prot=5 file="//anon" time=5'
		echo 'mmap2 pid=7 start=0x2000 len=0x1000 prot=7 file="[heap]" time=5'
		echo 'mmap pid=7 start=0x3000 len=0x1000 file="/dev/zero (deleted)" time=5'
		echo 'mmap2 pid=7 start=0x4000 len=0x1000 prot=3 file="//anon" time=5'
		for page in 1 2 3 4; do
			echo "sample id=1 pid=7 tid=7 time=1$page misc=2 ip=0x${page}010 callchain=-512,0x${page}010"
		done
		echo round
	} | build >in
	pp-script -F ip,sym,dso in | sed 's/^\s*//' | grep . >got
	diff got - <<-'END'
		1010 [unknown] (/tmp/perf-7.map)
		2010 [unknown] (/tmp/perf-7.map)
		3010 [unknown] (/tmp/perf-7.map)
		4010 [unknown] (//anon)
	END
	need_perf
	perf_quiet script -F ip,sym,dso -i in | sed 's/^\s*//' | grep . | diff got -
}

@test "script: --header shows what a stream says of itself before its samples, and damage after it" {
	{
		head_of
		echo 'sample id=1 pid=7 tid=7 time=11 period=1 ip=0x10'
		echo round
	} | build >in
	run -0 --separate-stderr pp-script --header "$TESTS/streams/plain.pipe"
	assert_equal "${lines[0]} ${lines[2]}" '# ======== # header version : 1'
	assert_line --partial '# event : name = '
	assert_line '# CPU_TOPOLOGY info available, use -I to display'
	pp-script "$TESTS/streams/plain.pipe" >samples
	printf '%s\n' "$output" | grep -v '^#' | diff - <(grep -v '^#' samples)
	run -0 --separate-stderr pp-script --header-only "$TESTS/streams/plain.pipe"
	assert_line --partial '# hostname : '
	assert_equal "$(printf '%s\n' "$output" | grep -vc '^#')" 0
	run -0 --separate-stderr pp-script -I "$TESTS/streams/plain.pipe"
	assert_line --regexp '^# sibling threads : '
	for form in --csv --json; do
		run -2 --separate-stderr pp-script --header $form in
		refute_output
	done
	pp-cat --no-seal "$TESTS/streams/plain.pipe" | head -c 2000 >cut
	run -3 --separate-stderr pp-script --header cut
	assert_line --partial '# header version : 1'
	run -4 sh -c "pp-script --header in >/dev/full"
}

@test "types and configs have the words of the kernel's headers, and only where they have one" {
	# name, type, config, what perf 7.3 says behind each
	local rows='cycles 0 0 HARDWARE HW_CPU_CYCLES
		ref 0 0x9 HARDWARE HW_REF_CPU_CYCLES
		ten 0 0xa HARDWARE -
		switches 1 0xb SOFTWARE SW_CGROUP_SWITCHES
		misses 3 0x10103 HW_CACHE HW_CACHE_RESULT_MISS|HW_CACHE_OP_WRITE|HW_CACHE_DTLB
		odd 3 0x700 HW_CACHE -
		raw 4 0 RAW -
		other 9 0x1 - -'

	{
		echo header
		awk '{ print "attr type=" $2 " config=" $3 " name=" $1 }' <<<"$rows"
		echo feature EVENT_DESC
	} | build >in
	pp-script --header-only -I -i in | sed -n 's/.* type = \([^,]*\),.* config = \([^,{]*\),.*/\1, \2/p' >got
	awk '
		function word(w, begin) {
			if (w == "-") return ""
			gsub(/[^|]+/, begin "&", w); gsub(/\|/, " | ", w)
			return " (" w ")"
		}
		{ print $2 word($4, "PERF_TYPE_") ", " $3 word($5, "PERF_COUNT_") }' <<<"$rows" >expected
	diff expected got
}
