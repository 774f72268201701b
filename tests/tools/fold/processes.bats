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
	echo "sample id=1 pid=$1 tid=$1 time=$2 period=1 misc=2 ip=$3 callchain=-512,${*:3}"
}

# tools_in_processes: in has stacks of four processes: 7 and 9 have mapped root/bin/tool, 8 and 10 another
# version of it; all have memory of their own at one address; work is in $at in the file
tools_in_processes() {
	local pid page=0 ids
	load ../symbol/symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
	program prog
	at=$(at prog work)
	page=$((at & ~4095))
	ids=("$(printf '%040d' 12)" "$(id_of prog)")
	mkdir -p root/bin root/tmp
	mv prog root/bin/tool
	printf '500000 100 seven_made\n' >root/tmp/perf-7.map
	printf '500000 100 eight_made\n' >root/tmp/perf-8.map
	{
		head_of
		for pid in 7 8 9 10; do
			echo "comm pid=$pid comm=same time=7"
			maps $pid 0x500000 //anon time=8
			maps $pid $((pid << 28)) /bin/tool pgoff=$page "build_id=${ids[pid % 2]}" time=8
		done
		for pid in 7 8 9 10; do
			stack $pid $((100 + pid)) $(((pid << 28) + at - page)) 0x500010
			stack $pid $((200 + pid)) 0x500010 $(((pid << 28) + at - page))
			stack $pid $((300 + pid)) 0x999000 0x500010
		done
		echo round
	} | build >in
}

@test "processes: a file has its names wherever it is mapped, another version and other memory their own" {
	tools_in_processes
	run -0 pp-fold -q --no-inline --root root in
	assert_output - <<-'END'
		same;[perf-10.map];[tool] 1
		same;[perf-10.map];[unknown] 1
		same;[perf-9.map];[unknown] 1
		same;[perf-9.map];work 1
		same;[tool];[perf-10.map] 1
		same;[tool];eight_made 1
		same;eight_made;[tool] 1
		same;eight_made;[unknown] 1
		same;seven_made;[unknown] 1
		same;seven_made;work 1
		same;work;[perf-9.map] 1
		same;work;seven_made 1
	END
}

@test "processes: in a report, too, and what has no name has each process's own address there" {
	tools_in_processes
	pp-report -q --no-inline --root root --csv -s pid,sym in | sed 's/\r//; s/^cpu-clock,//; 1d' | sort >got
	into=$((at & 4095))
	{
		printf '25.0000,8.3333,%s\n' 7,seven_made 8,eight_made 9,0x500010 10,0x500010
		printf '16.6667,8.3333,%s,work\n' 7 9
		# where a sample was it is as it is in the file
		printf '16.6667,0.0000,%s,0x%x\n' 8 $((0x80000000 + into)) 10 $((0xa0000000 + into))
		printf "8.3333,8.3333,%s,0x$(printf %x "$at")\n" 8 10
		printf '8.3333,8.3333,%s,0x999000\n' 7 8 9 10
	} | sort | diff - got
}

@test "processes: in lines of pp-script each frame has the address that it has in its process" {
	tools_in_processes
	pp-script -q --no-inline --root root -F pid,ip,sym,dso in | sort >together
	for pid in 7 8 9 10; do
		pp-filter "pid == $pid" in | pp-script -q --no-inline --root root -F pid,ip,sym,dso
	done | sort >each
	[ "$(grep -c ' work (' each)" -eq 4 ]
	diff each together
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
