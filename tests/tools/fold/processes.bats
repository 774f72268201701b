# processes.bats - stacks of many processes: files that they share have the same names wherever they are
# mapped, and what each has for itself has its own.

setup() {
	load ../../helper
	load ../names
	load fold
}

# maps PID START FILE [FIELD...]: 4 kB of it
maps() { echo "mmap2 pid=$1 start=$2 len=0x1000 file=\"$3\" prot=5 ${*:4}"; }

# stack PID TIME ADDRESS...: a sample, of which all addresses are the process's
stack() {
	local IFS=,
	echo "sample id=1 pid=$1 tid=$1 time=$2 period=1 callchain=-512,${*:3}"
}

@test "processes: a file has its names wherever it is mapped, another version and other memory their own" {
	local pid
	load ../symbol/symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
	program prog
	mkdir -p root/bin root/tmp
	mv prog root/bin/tool
	printf '500000 100 seven_made\n' >root/tmp/perf-7.map
	printf '500000 100 eight_made\n' >root/tmp/perf-8.map
	{
		head_of
		for pid in 7 8 9; do
			echo "comm pid=$pid comm=same time=7"
		done
		for pid in 7 9; do
			maps $pid $((pid * 0x10000000)) /bin/tool "build_id=$(id_of root/bin/tool)" time=8
		done
		maps 8 0x70000000 /bin/tool "build_id=$(printf '%040d' 12)" time=8
		for pid in 7 8 9; do
			maps $pid 0x500000 //anon time=9
		done
		for pid in 7 8 9; do
			at=$(($(at root/bin/tool work) % 4096))
			stack $pid 1$pid $((pid / 9 * 0x20000000 + 0x70000000 + at)) 0x500010
			stack $pid 2$pid 0x500010 $((pid / 9 * 0x20000000 + 0x70000000 + at))
			stack $pid 3$pid 0x999000 0x500010
		done
		echo round
	} | sed "s/ file=\"\/bin\/tool\"/ pgoff=$(($(at root/bin/tool work) & ~4095))&/" | build >in
	run -0 pp-fold -q --no-inline --root root in
	assert_output - <<-'END'
		same;[perf-9.map];[unknown] 1
		same;[perf-9.map];work 1
		same;[tool];eight_made 1
		same;eight_made;[tool] 1
		same;eight_made;[unknown] 1
		same;seven_made;[unknown] 1
		same;seven_made;work 1
		same;work;[perf-9.map] 1
		same;work;seven_made 1
	END
}

@test "processes: thousands of stacks, of two processes that have the file elsewhere, are each there twice" {
	perl -e '
		my $kernel = 0xffffffff81000000;
		print "$_\n" for "header", "attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER";
		print "ksymbol addr=", $kernel + 16 * $_, " len=16 ksym_type=1 name=f$_ time=1\n" for 0 .. 39;
		for my $pid (7, 8) {
			print "comm pid=$pid comm=same time=2\n";
			print "mmap2 pid=$pid start=", $pid << 20, " len=0x100000 file=/nowhere prot=5 time=3\n";
			for my $n (0 .. 9999) {
				print "sample id=1 pid=$pid tid=$pid time=", 10 + $n, " period=1 callchain=-128,",
					join(",", map { $kernel + 16 * $_ } $n % 40, $n / 40 % 40, int($n / 1600)),
					",-512,", ($pid << 20) + $n % 9, "\n";
			}
		}
		print "round\n"' | build >in
	pp-fold -q --root / in >folded
	[ "$(wc -l <folded)" -eq 10000 ]
	[ "$(grep -c ';\[nowhere\];f[0-9]*;f[0-9]*;f[0-9]* 2$' folded)" -eq 10000 ]
	pp-fold -q --root / --pid in | sed 's/-[78];/;/' | sort -u >got
	[ "$(sed 's/ 2$/ 1/' folded | sort)" = "$(cat got)" ]
}

@test "processes: short stacks of several processes and of the kernel are those that pp-script prints" {
	pp-gen --samples 20000 --callchain 3 -o in
	pp-script -q --root / in | pp-fold -q >expected
	[ "$(wc -l <expected)" -gt 100 ]
	pp-fold -q --root / in | diff expected -
}

@test "processes: all samples without a call chain are counted, not those that differ" {
	{
		head_of
		for n in 1 2 3; do
			echo "sample id=2 pid=7 tid=7 time=1$n period=1 callchain=-128"
		done
		echo round
	} | build >in
	run -0 --separate-stderr pp-fold -v --root / in
	[[ "$stderr" == *'3 samples have no call chain: only their own function is known'* ]]
}
