# aux.bats - pp-record's AUX areas: what traces itself.  No machine here has such a PMU: it is one of
# tests/machines, under a kernel that is preloaded (tests/fake) and gives areas what the test says.

setup() {
	load ../../helper
	load recorder
	need_fake
	perl "$TESTS/machines/make.pl" skylake sys
	mkdir -p sys/bus/event_source/devices/arm_spe_0/{caps,format}
	echo 70 >sys/bus/event_source/devices/arm_spe_0/type
	echo 1024 >sys/bus/event_source/devices/arm_spe_0/caps/min_interval
	printf 0-1 >sys/devices/system/cpu/online
}

# trace ARGUMENTS...: pp-record on that machine, whose kernel makes calls that a sandbox does not foresee
trace() { SYSFS_PATH=$PWD/sys FAKE_LOG=$PWD/log FAKE_AUX=$PWD/area LD_PRELOAD=$fake pp-record --no-sandbox "$@"; }

# attr NAME FILE: the attribute of an event
attr() { json "$2" | jq -r --arg name "$1" 'select(.type == "HEADER_FEATURE") | .fields.data.events[]? | select(.name == $name) | .attr'; }

# pieces FILE: index, offset and size of the pieces of trace
pieces() { json "$1" | jq -r 'select(.type == "AUXTRACE") | .fields | "\(.idx) \(.offset) \(.size)"'; }

# contents FILE INDEX: the trace of a buffer, as the records give it, in the order of their offsets
contents() { perl -e '
	local $/;
	my ($stream, $index, $at, %piece) = (<STDIN>, shift, 16);
	while ($at < length $stream) {
		my ($type, undef, $size) = unpack "Vvv", substr $stream, $at, 8;
		my $tail = 0;
		if ($type == 71) {
			($tail, my $offset, undef, my $idx) = unpack "Q<Q<Q<V", substr $stream, $at + 8, 28;
			$piece{$offset} = substr $stream, $at + $size, $tail if $idx == $index;
		}
		$at += $size + $tail;
	}
	print map { $piece{$_} } sort { $a <=> $b } keys %piece' "$2" <"$1"; }

@test "what hardware traces follows AUXTRACE records, whole" {
	perl -e 'print map { chr 33 + $_ % 90 } 1 .. 2003' >area.0
	perl -e 'print "b" x 4096' >area.1
	trace -e intel_pt// -a -o s -- true
	contents s 0 | head -c 2003 | cmp - area.0
	[ "$(contents s 0 | wc -c)" -eq 2008 ]
	contents s 1 | cmp - area.1
	run -0 pp-check s
}

@test "the event that traces comes first, every hit of it counts, and switches are reported" {
	: >area.0
	trace -e cpu-clock,intel_pt// -a -o s -- true
	run -0 sh -c "pp-info --json s | jq -r '.events[].name'"
	assert_line -n 0 intel_pt//
	attr intel_pt// s >first
	[ "$(jq .sample_period first)" -eq 1 ]
	run -0 jq -c '[.flags.freq, .flags.use_clockid, .flags.disabled]' first
	assert_output '[null,null,1]'
	[ "$(attr dummy s | jq .flags.context_switch)" -eq 1 ]
}

@test "Intel's tracer is set up as by perf, except for what terms say" {
	local pt=sys/bus/event_source/devices/intel_pt event config
	: >area.0
	while read -r event config; do
		trace -e "$event" -a -o s -- true
		assert_equal "$event $(attr "$event" s | jq -r .config)" "$event $config"
	done <<-'END'
		intel_pt// 0x300e601
		intel_pt/tsc=0/ 0x300e201
		intel_pt/cyc,mtc_period=6,psb_period=0/ 0x1a603
		intel_pt/config=0x1/ 0x1
	END
	# periods: the longest up to 3, or the shortest above; what the processor lacks is left out
	echo 140 >$pt/caps/mtc_periods
	echo 6 >$pt/caps/psb_periods
	trace -e intel_pt// -a -o s -- true
	assert_equal "$(attr intel_pt// s | jq -r .config)" 0x201a601
	echo 0 >$pt/caps/psb_cyc
	rm $pt/format/branch
	trace -e intel_pt// -a -o s -- true
	assert_equal "$(attr intel_pt// s | jq -r .config)" 0x18600
	echo 0 >$pt/caps/mtc
	trace -e intel_pt// -a -o s -- true
	assert_equal "$(attr intel_pt// s | jq -r .config)" 0x400
}

@test "perf reads what AUXTRACE_INFO says of the trace" {
	need perf
	command perf version --build-options 2>&1 | grep -qE 'on .*HAVE_AUXTRACE_SUPPORT|auxtrace: \[ on' || skip "perf has no AUX traces"
	: >area.0
	trace -e intel_pt// -a -o s -- true
	command perf script -D -i - <s >dump 2>&1 || true
	run -0 grep -aA 12 'PERF_RECORD_AUXTRACE_INFO type: 1' dump
	assert_line -e '^ *PMU Type +12$'
	assert_line -e '^ *TSC bit +0x400$'
	assert_line -e '^ *Have sched_switch +3$'
	assert_line -e '^ *MTC bit +0x200$'
	assert_line -e '^ *MTC freq bits +0x3c000$'
}

@test "ARM's trace is sampled at the least interval that its PMU names" {
	: >area.0
	trace -e arm_spe_0// -a -o s -- true
	[ "$(attr arm_spe_0// s | jq .sample_period)" -eq 1024 ]
	run -0 sh -c "pp-dump --json -i s | jq -c 'select(.type == \"AUXTRACE_INFO\") | .fields | [.type, .priv]'"
	assert_output '[4,["0x46","0x1"]]'
}

@test "-m RING,AUX sets the size of the area" {
	: >area.0
	trace -e intel_pt// -m 64k,1M -a -o s -- true
	run -0 grep '^mmap 1 ' log
	assert_line "mmap 1 ring=0 bytes=1048576 offset=69632"
	run -2 trace -e intel_pt// -m 64k,100k -a -o s -- true
	assert_output -p "is not a power of two of pages"
}

@test "a snapshot takes the latest bytes of an area that was written round and round" {
	perl -e 'print map { pack "V", $_ } 1 .. 2048' >area.0
	: >area.1
	trace -e intel_pt// --snapshot=e4096 -m 64k,8k -a -o s -- true
	contents s 0 >taken
	[ "$(wc -c <taken)" -eq 4096 ]
	tail -c 4096 area.0 | cmp - taken
}

@test "a snapshot is taken at SIGUSR2, and none without" {
	perl -e 'print "c" x 800' >area.0
	: >area.1
	# the parent of the command is the recorder
	trace -e intel_pt// --snapshot -m 64k,8k -a -o s -- true
	[ -z "$(pieces s)" ]
	trace -e intel_pt// --snapshot -m 64k,8k -a -o s -- perl -e '
		my $was = -s "s";
		kill USR2 => getppid;
		for (1 .. 1200) { select undef, undef, undef, 0.05; last if -s "s" >= $was + 800 }'
	contents s 0 | cmp - area.0
}

@test "a snapshot is taken when a command asks for one" {
	perl -e 'print "c" x 800' >area.0
	: >area.1
	mkfifo control ack
	trace -e intel_pt// --snapshot -m 64k,8k -a -o s --control fifo:control,ack -- \
		sh -c 'echo snapshot >control; read answer <ack; echo "$answer" >answer'
	[ "$(tr -d '\0' <answer)" = ack ]
	contents s 0 | cmp - area.0
}

@test "--aux-sample puts the events into the group of the trace, and parts of it into their samples" {
	: >area.0
	trace -e '{intel_pt//,cpu-clock}' --aux-sample=2k -a -o s -- true
	attr cpu-clock s >sampled
	[ "$(jq .aux_sample_size sampled)" -eq 2048 ]
	run -0 grep -E '^open 3 .* group=1 ' log
	[ -z "$(pieces s)" ]
	# or into those of one event alone
	trace -e '{intel_pt//,cpu-clock/aux-sample-size=1024/,task-clock}' -a -o s -- true
	attr cpu-clock s >sampled
	run -0 jq -c '[.aux_sample_size, .sample_type]' sampled
	assert_output --partial '[1024,'
	attr task-clock s >unsampled
	run -0 jq -c '.aux_sample_size // 0' unsampled
	assert_output 0
	run -2 trace -e intel_pt//,cpu-clock --aux-sample=61k -a -o s -- true
	assert_output -p "do not fit in a sample"
}

@test "what has no AUX area is refused options of one, and two traces of one PMU are refused" {
	run -2 trace -e cpu-clock --snapshot -a -o s -- true
	assert_output -p "no event has an AUX area"
	run -2 trace -e intel_pt//,intel_pt// -a -o s -- true
	assert_output -p "only one event of intel_pt"
	run -2 trace -e '{cpu-clock,intel_pt//}' -a -o s -- true
	assert_output -p "the first of its group"
	run -2 trace -e intel_pt// -k realtime -a -o s -- true
	assert_output -p "leave out -k"
	[ ! -e s ]
}

# ---- filters of addresses

# a program with two functions of one name
twins() {
	need "${CC:-cc}"
	cat >one.c <<-'END'
		static __attribute__((noinline, used)) int twin(int n) { __asm__ volatile(""); return n + 1; }
		int once(int n);
		int once(int n) { return twin(n); }
	END
	cat >two.c <<-'END'
		static __attribute__((noinline, used)) int twin(int n) { __asm__ volatile(""); return n + 2; }
		int once(int n);
		int main(int n, char **words) { (void)words; return once(n) + twin(n); }
	END
	"${CC:-cc}" -O1 -o twins one.c two.c
}

# the filters that were set, each once
filters() { sed -n 's/^ioctl [0-9]* SET_FILTER //p' "$1" | sort -u; }

# bats test_tags=nightly
@test "filters of addresses are what perf makes of them, by functions, sizes and files" {
	need perf
	command perf version --build-options 2>&1 | grep -qE 'on .*HAVE_AUXTRACE_SUPPORT|auxtrace: \[ on' || skip "perf has no AUX traces"
	twins
	local filter
	: >area.0
	while read -r filter; do
		echo "$filter"
		rm -f log perf.log
		trace -e intel_pt// --filter "$filter" -o s -- true
		SYSFS_PATH=$PWD/sys FAKE_LOG=$PWD/perf.log LD_PRELOAD=$fake perf record -e intel_pt// --filter "$filter" -o data -- true 2>perf.err
		filters perf.log >wanted
		[ -s wanted ]
		filters log | diff wanted -
	done <<-'END'
		filter main @ ./twins
		filter twin #2 @ ./twins
		filter main #g @ ./twins
		filter twin #1 / main @ ./twins
		filter once / 0x20 @ ./twins
		start once @./twins stop main @./twins
		tracestop once / main @ ./twins
		filter * @ ./twins
		filter schedule
		filter schedule / 0x20
		start 0x10@/bin/true
		filter 0x1000/0x20@/bin/true
	END
}

@test "a filter of addresses that makes no sense is refused, with what there is" {
	twins
	local filter text
	while IFS='|' read -r filter text; do
		run -2 --separate-stderr trace -e intel_pt// --filter "$filter" -o s -- true
		[[ $stderr == *"$text"* ]] || { echo "$filter: $stderr"; false; }
	done <<-'END'
		filter twin @ ./twins|has several functions 'twin', at 0x
		filter mian @ ./twins|there is no function 'mian' in
		filter mian @ ./twins|did you mean main
		filter twin #g @ ./twins|there is no global function 'twin'
		filter main #2 @ ./twins|there is no function 'main' with that number
		filter main / once @ ./twins|the function once comes before the start
		only main @ ./twins|is not a filter of addresses: use filter|start
		filter|is not a filter of addresses
		filter 1 filter 2 filter 3|are more filters of addresses than the 2
		filter main @ ./one.c|is no ELF file of this kind of machine
	END
	run -4 --separate-stderr trace -e intel_pt// --filter 'filter main @ ./nothing' -o s -- true
	assert_regex "$stderr" 'cannot find ./nothing'
	[ ! -e s ]
}

@test "of a damaged file functions are not found, or are, and nothing worse happens" {
	twins
	local size at
	size=$(stat -c %s twins)
	for ((at = 0; at < size; at += size / 20)); do
		head -c $at twins >cut
		cp twins torn
		perl -e 'print "\xa5" x 64' | dd of=torn bs=1 seek=$((at + 16)) conv=notrunc status=none
		for file in cut torn; do
			run trace -e intel_pt// --filter "filter main @ ./$file" -o s -- true
			[ "$status" -eq 0 ] || [ "$status" -eq 2 ] || { echo "$file at $at: $status, $output"; false; }
		done
	done
}
