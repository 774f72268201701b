# made.bats - what pp-script prints of what few samples have, beside perf script of 6.1 and 7.3: every
# value once, from made streams.

setup() {
	load ../../helper
	load beside
}

samples() { perl -e "$1"; }

@test "script: branches, registers, pages, costs and where data came from" {
	{
		cat <<-'END'
			header
			attr id=1 type=4 sample_type=IP,TID,TIME,ADDR,BRANCH_STACK,PERIOD,IDENTIFIER,DATA_SRC,WEIGHT,PHYS_ADDR,DATA_PAGE_SIZE,CODE_PAGE_SIZE,REGS_INTR,REGS_USER sample_regs_user=0x1ff sample_regs_intr=0xff0fff flags=sample_id_all,comm,mmap
			event_update id=1 name=costs
			comm pid=7 comm=seven time=5
		END
		samples 'for my $flags (0, 1, 2, 3, 4, 8, 0xffff0, (map { $_ << 20 } 1 .. 14), (map { $_ << 24 } 1 .. 3),
			(map { 15 << 20 | $_ << 26 } 0 .. 7)) {
			printf "sample id=1 pid=7 tid=7 time=%d ip=0x1000 addr=0x%x period=3 branches=0x1000:0x2000:0x%x,0x3000:0x10:0 data_src=0 weight=%d phys_addr=0x%x data_page_size=%d code_page_size=%d regs_user=2:1,2,3,4,5,6,7,8,%d regs_intr=%s\n",
				1000 + ++$n, $n * 4096, $flags, $n, $n * 65536, 1 << $n % 40, 4096 << $n % 12, $n,
				join ":", 2, join ",", 1 .. 20 }'
	} | build >b
	{
		echo header
		echo 'attr id=1 type=4 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER,DATA_SRC flags=sample_id_all'
		echo 'event_update id=1 name=loads'
		samples 'for my $v ((map { 1 << $_ } 0 .. 45), (map { $_ << 33 | 2 << 5 } 0 .. 15),
			(map { $_ << 43 | 1 << 33 | 1 << 37 } 1 .. 7), 0x68100142, 0x5080021, 0x1e05080144, 0xffffffffffff,
			0x1e05080021, 0x121, 0x1e00000121, 0xc00000021, 1 << 43 | 0x121) {
			printf "sample id=1 pid=7 tid=7 time=%d ip=0x1000 period=3 data_src=0x%x\n", 1000 + ++$n, $v }'
	} | build >d
	build >all <<-'END'
		header
		attr id=1 name=all read_format=ID sample_type=IP,TID,TIME,ADDR,READ,CALLCHAIN,ID,CPU,PERIOD,STREAM_ID,RAW,BRANCH_STACK,REGS_USER,STACK_USER,WEIGHT,DATA_SRC,IDENTIFIER,TRANSACTION,REGS_INTR,PHYS_ADDR,AUX,CGROUP,DATA_PAGE_SIZE,CODE_PAGE_SIZE
		comm pid=7 comm=seven time=5
		feature EVENT_DESC
	END
	pp-save -q -o m all
	rows bdm
}

@test "script: output of BPF programs, other records, events without a CPU or a period, other PMUs" {
	{
		echo header
		echo 'attr id=1 config=10 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER flags=sample_id_all'
		echo 'event_update id=1 name=bpf'
		for raw in 68656c6c6f00000000000000 0001020304050607080910111213 41 6162630a00; do
			echo "sample id=1 pid=7 tid=7 cpu=1 time=$((1000 + ++n)) ip=0x1000 period=1 raw=$raw"
		done
	} | build >p
	cat >o.txt <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		event_update id=1 name=clock
		comm pid=7 comm=seven time=5 cpu=1
		lost id=1 lost=12 time=6000 pid=7 tid=7 cpu=1
		lost_samples lost=3 time=7000 cpu=0
		cgroup id=12 path=/a/b time=8000
		namespaces pid=7 tid=7 links=4:0xeffffff9,4:0xeffffffe,0:0,3:5,1:2 time=9000
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=bpf_prog_x time=9500
		bpf_event type=1 flags=0 id=3 tag=0102030405060708 time=9600
		sample id=1 pid=7 tid=7 cpu=1 time=10000 ip=0x1000 period=1
	END
	build <o.txt >o
	{
		echo header
		echo 'attr id=1 type=0 sample_type=IP,TID,TIME,IDENTIFIER period=77 flags=sample_id_all'
		echo 'attr id=2 type=0 config=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all'
		echo 'event_update id=1 name=a'
		echo 'event_update id=2 name=longer'
		echo 'sample id=1 pid=7 tid=7 time=1000 ip=0x1000'
		echo 'sample id=2 pid=7 tid=12345678 time=2000000000000 ip=0xffffffff81000000 period=123456789012'
	} | build >h
	{
		echo header
		echo 'attr id=1 type=9 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all'
		echo 'event_update id=1 name=pmu'
		echo 'sample id=1 pid=7 tid=7 time=1000 ip=0x1000 period=5'
	} | build >x
	{
		cat <<-'END'
			header
			attr id=1 type=4 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER,WEIGHT_STRUCT,CGROUP flags=sample_id_all,comm,cgroup
			attr id=2 type=5 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all
			event_update id=1 name=costs
			event_update id=2 name=break
			comm pid=7 comm=seven time=5
			cgroup id=12 path=/a/b time=6
		END
		samples 'for my $n (1 .. 5) {
			printf "sample id=1 pid=7 tid=7 time=%d ip=0x1000 period=3 weight=%d cgroup=%d\n", 1000 + $n,
				$n * 70000 | $n * 11 << 32 | $n * 500 << 48, 10 + $n;
			printf "sample id=2 pid=7 tid=7 time=%d ip=0x2000 period=1\n", 2000 + $n }'
	} | build >w
	rows pohxw
}

@test "script: samples with the values of a group, or of one event, of several threads" {
	{
		echo header
		echo 'attr id=1 type=0 sample_type=IP,TID,TIME,READ,ID,PERIOD read_format=ID,GROUP flags=sample_id_all,inherit'
		echo 'attr id=3 type=0 config=1 sample_type=IP,TID,TIME,READ,ID,PERIOD read_format=ID,GROUP flags=sample_id_all,inherit'
		echo 'attr id=5 type=0 config=2 sample_type=IP,TID,TIME,READ,ID,PERIOD read_format=ID flags=sample_id_all'
		echo 'event_update id=1 name=a'
		echo 'event_update id=3 name=b'
		echo 'event_update id=5 name=c'
		samples 'my ($x, $y, $z) = (0, 0, 0);
			for my $n (1 .. 60) {
				my $tid = 7 + $n % 3;
				$x += $n * 3 % 7; $y += $n % 4; $z += 100 * ($n % 5);
				printf "sample id=%d pid=7 tid=%d time=%d ip=0x1000 period=9 %s\n", $n % 6 ? 1 : 5, $tid, 1000 + $n,
					$n % 6 ? "values=$x:1,$y:3,5:77" : "value=$z read_id=5";
			}'
	} | build >r
	rows r
}

# pointing ORDER: samples of a tracepoint that points to texts of the kernel, one after the other; standard
# input is these printk_formats
pointing() {
	perl -e '
		my $big = $ARGV[0] eq "big";
		my ($u16, $u32, $u64) = $big ? qw(n N Q>) : qw(v V Q<);
		my $texts = join "", <STDIN>;
		my $format = "name: point\nID: 77\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" .
			"\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"<%s>\", REC->s\n";
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CC$u32", $big, 8, 4096)
			. "header_page\0" . pack($u64, 0) . "header_event\0" . pack($u64, 0)
			. pack("$u32$u32", 0, 1) . "sys\0" . pack("$u32$u64", 1, length $format) . $format
			. pack("$u32$u32", 0, length $texts) . $texts . pack($u64, 0);
		print $big ? "header big\n" : "header\n";
		print "attr id=1 type=2 config=77 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW\nevent_update id=1 name=sys:point\n";
		print "tracing hex=", unpack("H*", $data), "\n";
		printf "sample pid=1 tid=1 cpu=0 time=%d raw=%s\n", 1000 + $_,
			unpack "H*", pack "$u16 x6 $u64 x4", 77, 0xffffffff81000000 + $_ * 16
			for 1 .. 1 + $texts =~ tr/\n//;' "$1" | build
}

# bats test_tags=T3-A9
@test "script: a text of the kernel that a tracepoint points to is shown as perf shows it" {
	found rcu.pipe
	need_perf
	perf script -i "$FOUND/rcu.pipe" -F trace 2>/dev/null | sed 's/^ *//; s/ *$//' >expected
	[ "$(sort -u expected | paste -sd,)" = 'End context switch,Start context switch' ]
	pp-script -F trace "$FOUND/rcu.pipe" | sed 's/^ *//; s/ *$//' | diff expected -
}

# bats test_tags=T3-A9
@test "script, report: texts of the kernel that a tracepoint points to are shown, of either byte order" {
	local order
	# which has libtraceevent
	need_perf
	cat >texts <<-'END'
		0xffffffff81000010 : "Start context switch"
		0xffffffff81000020 : "a: b %s %d\n"
		0xffffffff81000030 : "tab\tand \"quotes\""
		0xffffffff81000040 : "two\n\n"
		0xffffffff81000050 : not quoted
	END
	printf '0xffffffff81000060 : "no end of line"' >>texts
	for order in little big; do
		pointing $order <texts >in
		pp-script -F trace in | sed 's/^ *//; s/ *$//' >got
		diff - got <<-'END'
			<Start context switch>
			<a: b %s %d>
			<tab\tand \"quotes\">
			<two\n>
			<not quoted>
			<no end of line>
		END
		pp-report --csv -s trace in | grep -qF '<Start context switch>'
	done
}

# bats test_tags=T3-A9
@test "script: short texts of the kernel, and lines that are none, harm nothing" {
	# which has libtraceevent
	need_perf
	printf '%s\n' '0xffffffff81000010 : ""' '0xffffffff81000020 : "a"' '0xffffffff81000030 : "\n"' '0xffffffff81000040 : "' \
		'0xffffffff81000050 :' 'nonsense' '' : ' : ' "0x$(printf '%0100d' 0) : \"x\"" >texts
	pointing little <texts >in
	run -0 --separate-stderr pp-script -F trace in
	[ "$(sed 's/^ *//; s/ *$//' <<<"$output" | head -n 5 | paste -sd' ')" = '<> <a> <> <> <ffffffff81000050>' ]
	[ "$(wc -l <<<"$output")" -eq 11 ]
}

@test "script, report: without libtraceevent a tracepoint's fields are printed, which is said once" {
	local stream=$TESTS/streams/tracepoint.pipe hidden
	mkdir empty functionless
	: >empty/libtraceevent.so.1
	"${CC:-cc}" -x c -shared -o functionless/libtraceevent.so.1 /dev/null
	for hidden in empty functionless; do
		LD_LIBRARY_PATH=$PWD/$hidden run -0 --separate-stderr pp-script -F trace "$stream"
		[[ $output == *prev_state=* && $output != *==\>* ]]
		assert_equal "$(grep -c libtraceevent.so.1 <<<"$stderr")" 1
		[[ $stderr == *"not in perf's words"* ]]
		LD_LIBRARY_PATH=$PWD/$hidden run -0 --separate-stderr pp-script -q -F trace "$stream"
		assert_equal "$stderr" ''
		LD_LIBRARY_PATH=$PWD/$hidden run -0 --separate-stderr pp-report -s trace "$stream"
		assert_equal "$(grep -c libtraceevent.so.1 <<<"$stderr")" 1
		# what needs no words
		LD_LIBRARY_PATH=$PWD/$hidden run -0 --separate-stderr pp-script -F comm,time "$stream"
		[[ $stderr != *libtraceevent* ]]
	done
	# which has libtraceevent
	need_perf
	run -0 --separate-stderr pp-script -F trace "$stream"
	[[ $output == *==\>* && $stderr != *libtraceevent* ]]
}

@test "script: offsets in files, and none in the kernel" {
	need_kernel
	build >q <<-END
		header
		attr id=1 type=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all
		mmap pid=-1 misc=1 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text time=1
		mmap2 pid=7 start=0x1000 len=0x1000 pgoff=0x2000 prot=5 file=/nothing/here time=1
		sample id=1 pid=7 tid=7 time=2000 misc=1 ip=0xffffffff81000010 period=1
		sample id=1 pid=7 tid=7 time=3000 misc=2 ip=0x1010 period=1
		round
	END
	pp-script -F ip,dso,dsoff q >got
	printf '%s\n' ' ffffffff81000010 ([kernel.kallsyms])' '             1010 (/nothing/here+0x2010)' >expected
	diff expected got
	rows q
}

@test "script: switches to and from threads that are not, and of large numbers" {
	{
		echo header
		echo 'attr id=1 type=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,context_switch'
		echo 'event_update id=1 name=clock'
		samples 'for my $tid (-1, 0, 1, 99, 99999, 100000, 4194304, -2147483648) {
			printf "switch_cpu_wide id=1 misc=%d pid=7 tid=7 cpu=1 next_prev_pid=%d next_prev_tid=%d time=%d\n",
				$_ << 13, $tid, $tid, 2000 + ++$n for 0, 1, 3 }'
		echo 'sample id=1 pid=7 tid=7 cpu=1 time=9000 misc=1 ip=0xffffffff81000010 period=1'
		echo round
	} | build >u
	rows u
}

# bats test_tags=T3-C5
@test "script: srcline of code without lines is its address as the file was linked, as in perf 7.3" {
	need "${CC:-cc}"
	printf '%s\n' .text '.globl _start' '.type _start, %function' '_start: .zero 0x20' '.size _start, 0x20' '.zero 0x20' >np.s
	"${CC:-cc}" -nostdlib -static -no-pie -Wl,--build-id=none,-Ttext=0x401000 -o np np.s || skip "no static program can be linked here"
	"${CC:-cc}" -nostdlib -shared -Wl,--build-id=none -o pic np.s
	objdump -h np pic | awk '$2 == ".text" { print $4, $6 }' >text
	{
		read -r np at_np
		read -r pic at_pic
	} <text
	[ "$np" != "$at_np" ]
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock'
		echo "mmap2 pid=5000000 tid=5000000 start=0x400000 len=0x10000 pgoff=0 prot=5 file=$PWD/np time=2"
		echo "mmap2 pid=5000000 tid=5000000 start=0x7f0000 len=0x10000 pgoff=0 prot=5 file=$PWD/pic time=2"
		echo "mmap2 pid=5000000 tid=5000000 start=0x900000 len=0x10000 pgoff=0 prot=5 file=$PWD/gone time=2"
		for ip in 0x400000+0x$at_np 0x400000+0x$at_np+0x24 0x7f0000+0x$at_pic 0x900004; do
			echo "sample misc=2 id=1 pid=5000000 tid=5000000 ip=$((ip)) time=$((++n + 10))"
		done
		echo round
	} | build >in
	pp-script -F ip,srcline in >got
	printf '%s\n' "np[$(printf %x $((0x$np)))]" "np[$(printf %x $((0x$np + 0x24)))]" "pic[$(printf %x $((0x$pic)))]" 'gone[4]' |
		diff - <(grep -o '[a-z]*\[.*' got)
	need_newer_perf 7.3
	"$(newer_perf 7.3)" script -F ip,srcline -i in </dev/null 2>/dev/null | diff got -
}
