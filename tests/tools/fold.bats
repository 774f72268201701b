# fold.bats - pp-fold: the stacks of a stream, a line each; and what pp-flame makes of a stream.

setup() {
	load ../helper
	load names
}

head_of() {
	head_with CALLCHAIN
	echo 'comm pid=8 comm="eight up" time=6'
}

@test "fold: a line for each stack, from the outermost frame, with the sum of its periods" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=11 period=4 callchain=-128,0xffffffff81000120,0xffffffff81000020
			sample id=1 pid=8 tid=9 time=12 period=5 callchain=-128,0xffffffff81000010
			sample id=1 pid=8 tid=9 time=13 period=6 callchain=-128,0xffffffff81000010,-512,0x400000
			round
		END
	} | build >in
	pp-fold in >got
	printf '%s\n' ':9;outer 5' ':9;[unknown];outer 6' 'seven;outer;inner 7' | sort >expected
	LC_ALL=C sort -o expected expected
	diff expected got
	pp-fold --weight=count in | grep -qx 'seven;outer;inner 2'
	pp-fold --pid in | grep -qx 'seven-7;outer;inner 7'
	pp-fold --tid in | grep -qx 'seven-7/7;outer;inner 7'
	pp-fold --kernel in | grep -qx 'seven;outer_\[k\];inner_\[k\] 7'
	pp-fold --addrs in | grep -qx ':9;\[unknown <400000>\];outer_*\(\[k\]\)* 6'
}

@test "fold, report: a sample without a period has that of its event, if need be a frequency, as in perf" {
	{
		head_of | sed 's/,PERIOD//; s/^attr id=1/& period=5000/; s/^attr id=2/& freq=99/'
		cat <<-END
			sample id=1 pid=7 tid=7 time=10 ip=$K callchain=-128,$K
			sample id=1 pid=7 tid=7 time=11 ip=$K callchain=-128,$K
			sample id=2 pid=7 tid=7 time=12 ip=$K callchain=-128,$K
			round
		END
	} | build >in
	[ "$(pp-fold in)" = 'seven;outer 10000' ]
	pp-report --csv --no-children -s sym -n --show-total-period in | cut -d, -f1,3-4 | tail -n +2 |
		diff - <(printf '%s\n' 'cpu-clock,2,10000' 'task-clock,1,99')
	[ "$(pp-filter 'period == 5000' in | pp-dump --json | jq -rs 'map(select(.type == "SAMPLE")) | length')" -eq 2 ]
}

@test "fold: the samples of one event, the first or that of --event; others are counted" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110
			sample id=2 pid=7 tid=7 time=11 period=4 callchain=-128,0xffffffff81000120
			sample id=2 pid=7 tid=7 time=12 period=4 callchain=-128,0xffffffff81000120
		END
	} | build >in
	run -0 --separate-stderr pp-fold in
	assert_equal "$output" 'seven;inner 3'
	assert_equal "$stderr" "pp-fold: 2 samples of other events than cpu-clock are left out: --event chooses"
	run -0 --separate-stderr pp-fold --event task-clock in
	assert_equal "$output" 'seven;inner 8'
	refute [ "$stderr" ]
	run -0 --separate-stderr pp-fold --event nothing in
	refute [ "$output" ]
	assert_equal "$stderr" 'pp-fold: in: there are no samples of nothing in it'
	pp-filter 'time != 12' in >one
	run -0 --separate-stderr pp-fold one
	assert_equal "$stderr" "pp-fold: 1 sample of other events than cpu-clock is left out: --event chooses"
}

@test "fold: a thread that has ended is -1" {
	{
		head_of
		echo "sample id=1 misc=1 pid=4294967295 tid=4294967295 time=10 period=3 ip=$K callchain=-128,$K"
		echo round
	} | build >in
	pp-fold --tid in | grep -qx ':-1--1/-1;outer 3'
	pp-fold --pid in | grep -qx ':-1--1;outer 3'
}

@test "fold: processes that follow each other keep their own stacks" {
	{
		head_of
		for n in {1..64}; do echo "comm pid=$((1024 + n)) tid=$((1024 + n)) comm=task$n time=6"; done
		for n in {1..64}; do
			echo "sample id=1 misc=1 pid=$((1024 + n)) tid=$((1024 + n)) time=$((10 + n)) period=$n ip=$K callchain=-128,$K"
		done
		echo round
	} | build >in
	pp-fold in | sort >got
	for n in {1..64}; do echo "task$n;outer $n"; done | sort | diff - got
	pp-report --csv --no-children -s comm -F comm,period in | tail -n +2 | tr -d '\r' | cut -d, -f2,3 | sort >got
	for n in {1..64}; do echo "task$n,$n"; done | sort | diff - got
}

@test "fold: a sample with the values of a group is one of each event of which something was counted" {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,READ,PERIOD,IDENTIFIER read_format=ID,GROUP flags=sample_id_all,comm,ksymbol
		attr id=2 sample_type=IP,TID,TIME,READ,PERIOD,IDENTIFIER read_format=ID,GROUP flags=sample_id_all config=1
		ksymbol addr=$K len=256 ksym_type=1 name=outer time=1
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 tid=7 time=10 period=3 misc=1 ip=$K values=100:1,5:2
		sample id=1 pid=7 tid=7 time=11 period=3 misc=1 ip=$K values=150:1,5:2
		sample id=1 pid=7 tid=7 time=12 period=3 misc=1 ip=$K values=170:1,9:2
	END
	[ "$(pp-fold -q in)" = 'seven;outer 170' ]
	[ "$(pp-fold -q -e task-clock in)" = 'seven;outer 9' ]
	[ "$(pp-fold -q --weight count in)" = 'seven;outer 3' ]
	[ "$(pp-fold -q --weight count -e task-clock in)" = 'seven;outer 2' ]
	pp-report --csv --no-group --no-children -s sym -n --show-total-period in | tr -d '\r' | tail -n +2 | diff - <(
		printf '%s\n' cpu-clock,100.0000,3,170,outer task-clock,100.0000,2,9,outer)
}

@test "fold: names are those of the time of the sample, in the order of their times" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=30 period=1 callchain=-128,0xffffffff81000010
			comm pid=7 comm=later time=20
			sample id=1 pid=7 tid=7 time=10 period=1 callchain=-128,0xffffffff81000010
			ksymbol addr=${K} len=256 ksym_type=1 flags=1 name=outer time=40
			ksymbol addr=${K} len=256 ksym_type=1 name=new time=41
			sample id=1 pid=7 tid=7 time=50 period=1 callchain=-128,0xffffffff81000010
			round
		END
	} | build >in
	pp-fold in >got
	printf '%s\n' 'later;new 1' 'later;outer 1' 'seven;outer 1' >expected
	diff expected got
}

@test "fold, report: callers that stacks share are named anew when their process maps something else" {
	local under=callchain=-512
	{
		head_of
		cat <<-END
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/one.so time=7
			mmap2 pid=8 tid=8 start=0x9000 len=0x1000 prot=5 file=/nowhere/two.so time=7
			sample id=1 misc=2 pid=7 tid=7 time=10 period=1 ip=0x9010 $under,0x9010,0x9100,0x9200
			sample id=1 misc=2 pid=7 tid=7 time=11 period=2 ip=0x9020 $under,0x9020,0x9100,0x9200
			sample id=1 misc=2 pid=8 tid=8 time=12 period=4 ip=0x9020 $under,0x9020,0x9100,0x9200
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/three.so time=20
			sample id=1 misc=2 pid=7 tid=7 time=30 period=8 ip=0x9020 $under,0x9020,0x9100,0x9200
			sample id=1 misc=2 pid=7 tid=7 time=31 period=16 ip=0x9020 $under,0x9020,0x9200
			sample id=1 misc=1 pid=7 tid=7 time=32 period=32 ip=0x9020 $under,0x9020,0x9200
			sample id=1 misc=2 pid=7 tid=7 time=33 period=64 ip=0x9030 $under
			round
		END
	} | build >in
	pp-fold --addrs --root "$PWD" in >got
	diff - got <<-'END'
		eight_up;[two.so <9200>];[two.so <9100>];[two.so <9020>] 4
		seven 64
		seven;[one.so <9200>];[one.so <9100>];[one.so <9010>] 1
		seven;[one.so <9200>];[one.so <9100>];[one.so <9020>] 2
		seven;[three.so <9200>];[three.so <9020>] 48
		seven;[three.so <9200>];[three.so <9100>];[three.so <9020>] 8
	END
	pp-report -q --root "$PWD" --no-children -g folded,0,caller,period -s dso,sym in | grep '^[^#]' >got
	diff - got <<-'END'
		    50.39%  three.so          [.] 0x0000000000000030
		    25.20%  [unknown]         [k] 0x0000000000009020
		32 0x9200;0x9020
		    18.90%  three.so          [.] 0x0000000000000020
		16 0x9200;0x9020
		8 0x9200;0x9100;0x9020
		     3.15%  two.so            [.] 0x0000000000000020
		4 0x9200;0x9100;0x9020
		     1.57%  one.so            [.] 0x0000000000000020
		2 0x9200;0x9100;0x9020
		     0.79%  one.so            [.] 0x0000000000000010
		1 0x9200;0x9100;0x9010
	END
}

@test "fold: of a chain as deep as a record can hold the innermost 4096 frames are there" {
	{
		head_of
		printf 'sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128'
		for i in {1..8000}; do printf ',0xffffffff81000%s10' $((i < 4097 ? 1 : 0)); done
		echo
	} | build >in
	pp-fold in >got
	[ "$(awk -F';' '{ print $1, NF }' got)" = 'seven 4097' ]
	run -1 grep outer got
	pp-flame --svg in | grep -c '^<g>' >boxes # and all of it
	[ "$(cat boxes)" -eq 4098 ]
}

@test "fold: the order is that of the lines' bytes, and what ends a frame or a line is no part of a name" {
	{
		head_of
		cat <<-END
			ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="out er;x" time=7
			ksymbol addr=0xffffffff81000210 len=16 ksym_type=1 name=f(int,char) time=7
			ksymbol addr=0xffffffff81000220 len=16 ksym_type=1 name="out er" time=7
			sample id=1 pid=7 tid=7 time=10 period=1 callchain=-128,0xffffffff81000200
			sample id=1 pid=7 tid=7 time=11 period=1 callchain=-128,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=12 period=1 callchain=-128,0xffffffff81000210,0xffffffff81000220
			sample id=1 pid=7 tid=7 time=13 period=1 callchain=-128,0xffffffff81000210,0xffffffff81000010
		END
	} | build >in
	pp-fold in >got
	printf '%s\n' 'seven;out er:x 1' 'seven;out er;f 1' 'seven;outer 1' 'seven;outer;f 1' >expected
	diff expected got
	LC_ALL=C sort -c got
}

# Maps begin at their own addresses in their files, so that every perf gives the same address to what has no
# name; and the kernel's functions have names like those of its files, which is what perf takes them for.
@test "fold: option by option, the stacks are those of perf script, folded by another" {
	need_perf
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		attr id=2 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all config=1
		ksymbol addr=${K} len=256 ksym_type=1 name=[outer] time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=[inner] time=1
		comm pid=7 tid=7 comm=seven time=5
		comm pid=7 tid=9 comm="eight up" time=6
		mmap pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0x400000 file=/nowhere/program time=7
		mmap pid=7 tid=7 start=0x500000 len=0x1000 pgoff=0x500000 file=/nowhere/library.so time=7
		mmap pid=7 tid=7 start=0x600000 len=0x1000 pgoff=0x600000 file=/tmp/perf-7.map time=7
		sample id=1 pid=7 tid=7 time=1000 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010,0x500010,0x600010,0x700000
		sample id=1 pid=7 tid=9 time=1100 period=4 callchain=-512,0x400010
		sample id=2 pid=7 tid=7 time=1150 period=4 callchain=-512,0x400010
		sample id=1 pid=7 tid=7 time=1200 period=5 callchain=-512,0x400020,0x400010
		sample id=1 pid=7 tid=9 time=1300 period=6 callchain=-512,0x400010
		sample id=1 pid=7 tid=7 time=1700 period=7 callchain=-512,0x400010
		round
	END
	perf_quiet script --ns -F comm,pid,tid,time,event,period,ip,sym,dso -i in >script
	local row rows=(
		'' --pid --tid --addrs --kernel --jit '--kernel --jit' '--kernel --jit --addrs' '--pid --addrs'
		'--event=cpu-clock' '--event=task-clock' '--event=task-clock --tid --addrs'
		'--weight=period' '--weight=count' '--weight=time' '--weight=time --tid' '--weight=count --kernel'
		'--weight=time --event=task-clock'
	)
	for row in "${rows[@]}"; do
		echo "row: $row"
		# shellcheck disable=SC2086 # options
		{
			pp-fold -q --no-inline $row in >got
			perl "$TESTS/oracle/collapse.pl" $row <script >expected
		}
		diff expected got
	done
	pp-fold -q --weight=time in >got
	grep -qx 'eight_up;\[program\] 200' got
	run -1 grep -q '^seven;\[program\] ' got # the last of its thread
	run -2 --separate-stderr pp-fold --weight=length in
	[[ "$stderr" == *'length'*'is not period, count or time'* ]]
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,IDENTIFIER' 'sample id=1 pid=7 ip=1' round | build >timeless
	run -2 --separate-stderr pp-fold --weight=time timeless
	[[ "$stderr" == *'samples without times cannot be weighed by time'* ]]
}

# A program without a libc, whose every function has one name: files of a system may have several for an
# address, and which of them perf takes is not said.
@test "fold: a program's stacks are those of perf script, folded by another" {
	need_perf_events
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		__attribute__((noinline)) void inner(void) { for (int i = 0; i < 100000; i++) x += i; }
		__attribute__((noinline)) void outer(void) { for (int i = 0; i < 400; i++) inner(); x++; }
		__attribute__((noinline)) void work(void) { for (int i = 0; i < 3; i++) outer(); x++; }
		void _start(void) { work(); for (;;) __builtin_trap(); }
	END
	"${CC:-cc}" -O1 -g -static -nostdlib -fno-stack-protector -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -o prog prog.c || skip "no program can be built without a libc here"
	ulimit -c 0
	perf record -q -e cpu-clock:u -g -o - -- ./prog >in || [ -s in ] # its last step ends it
	pp-fold --no-inline in >got
	perf_quiet script --no-inline -F comm,pid,tid,time,event,period,ip,sym,dso -i in >script
	perl "$TESTS/oracle/collapse.pl" <script >expected
	grep -q ';work;.*inner ' got
	diff expected got
	# names that the stream carries need no file
	pp-symbol in | pp-fold --no-inline --root "$PWD/nowhere" >carried
	diff got carried
	# also where it says them last, and through a pipe
	pp-symbol --no-seal in | perl -0777 -ne '
		print substr $_, 0, 16, "";
		while (length) {
			my $record = substr $_, 0, unpack("x6 v", $_), "";
			$record =~ /^.{8}PPNAMES\0/s ? $names .= $record : print $record;
		}
		print $names' >late
	cat late | pp-fold --no-inline --root "$PWD/nowhere" >carried
	diff got carried
	pp-flame --root "$PWD/nowhere" late -o page
	grep -q '"inner"' page
	run -0 pp-top --once --root "$PWD/nowhere" late
}

# The addr2line of LLVM, since that of binutils has no names for inlined functions without a linkage name.
@test "fold: lambdas, operators and templates of C++, inlined or not, are those of perf script, folded by another" {
	need_perf_events
	need_newer_perf 7.3
	need "${CXX:-c++}" llvm-addr2line
	cat >prog.cc <<-'END'
		#define KEEP __attribute__((noinline))
		#define INLINE __attribute__((always_inline))
		static volatile unsigned x;
		KEEP void burn(unsigned n) { for (unsigned i = 0; i < n; i++) x += i; x++; }
		template <class F> KEEP void call(F f) { f(100000); x++; }
		template <class F> static inline INLINE void through(F f) { f(100000); x++; }
		namespace {
		struct Stream {
			KEEP Stream &operator<<(unsigned n) { burn(n); x++; return *this; }
			KEEP Stream *operator->() { burn(100000); x++; return this; }
			KEEP void operator()(unsigned n) { burn(n); x++; }
			void nothing() { x++; }
		};
		}
		KEEP void work()
		{
			Stream s;
			call([](unsigned n) { burn(n); x++; });
			through([](unsigned n) INLINE { for (unsigned i = 0; i < n; i++) x += i; });
			s << 100000;
			s->nothing();
			s(100000);
			x++;
		}
		extern "C" void _start() { for (int i = 0; i < 300; i++) work(); for (;;) __builtin_trap(); }
	END
	"${CXX:-c++}" -std=c++11 -O0 -g -static -nostdlib -fno-exceptions -fno-stack-protector -fno-omit-frame-pointer \
		-o prog prog.cc || skip "no program can be built without a libc here"
	ulimit -c 0
	perf record -q -e cpu-clock:u -g -o - -- ./prog >in || [ -s in ] # its last step ends it
	local how
	for how in --no-inline --inline; do
		"$(newer_perf 7.3)" script "$how" --addr2line="$(command -v llvm-addr2line)" \
			-F comm,pid,tid,time,event,period,ip,sym,dso -i in >script 2>said || cat said
		perl "$TESTS/oracle/collapse.pl" <script >expected
		# --inline of pp-fold marks what is shown in any case
		# shellcheck disable=SC2046 # none, or one
		pp-fold $([ "$how" = --inline ] || echo "$how") in >got
		diff expected got
	done
	grep -q ';work;through<work;operator ' got # as perf, up to the first parenthesis
	grep -q ';(anonymous namespace)::Stream::operator->;burn ' got
	grep -q ';(anonymous namespace)::Stream::operator<<;burn ' got
	grep -q ';(anonymous namespace)::Stream::operator;burn ' got
	grep -q ';void call<work;work;burn ' got
}

@test "fold: --inline marks what is inlined, --no-inline leaves it out" {
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		static inline __attribute__((always_inline)) void deepest(void) { x++; }
		static inline __attribute__((always_inline)) void deeper(void) { deepest(); }
		__attribute__((noinline)) void hot(void) { deeper(); }
		int main(void) { hot(); return 0; }
	END
	"${CC:-cc}" -O1 -g -fno-pie -no-pie -o prog prog.c
	local hot device
	device=$(stat -c %D prog)
	hot=$((0x$(nm prog | sed -n 's/ T hot$//p') + 6))
	{
		head_with CPU
		printf 'mmap2 pid=7 start=%d len=0x1000 pgoff=%d prot=5 file="%s" maj=%d min=%d ino=%d time=6\n' \
			$((hot & ~4095)) $(((hot & ~4095) - 0x400000)) "$PWD/prog" $((0x$device >> 8)) \
			$((0x$device & 255)) "$(stat -c %i prog)"
		echo "sample id=1 pid=7 tid=7 time=10 period=3 misc=2 callchain=-512,$hot"
		echo round
	} | build >in
	assert_equal "$(pp-fold in)" 'seven;hot;deeper;deepest 3'
	assert_equal "$(pp-fold --inline in)" 'seven;hot;deeper_[i];deepest_[i] 3'
	assert_equal "$(pp-fold --inline --no-inline in)" 'seven;hot 3'
}

@test "fold: of a cut stream what is good is added up, and it exits 3" {
	{
		head_of
		for i in {1..50}; do
			echo "sample id=1 pid=7 tid=7 time=1$i period=1 callchain=-128,0xffffffff81000010"
		done
	} | build >in
	head -c $(($(stat -c %s in) - 20)) in >cut
	run -3 --separate-stderr pp-fold cut
	assert_equal "$output" 'seven;outer 49'
	run -3 --separate-stderr pp-flame -o page cut
	grep -q '>49 ' page
}

# compared: two streams, and the same as folded stacks
compared() {
	{
		head_of
		for i in {1..8}; do
			echo "sample id=1 pid=7 tid=7 time=1$i period=5 callchain=-128,0xffffffff81000110,0xffffffff81000010"
		done
		echo 'sample id=1 pid=7 tid=7 time=30 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=31 period=5 callchain=-512,0x400000'
	} | build >before.pipe
	{
		head_of
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name=new time=7'
		for i in {1..16}; do
			echo "sample id=1 pid=7 tid=7 time=1$i period=5 callchain=-128,0xffffffff81000200,0xffffffff81000010"
		done
		echo 'sample id=1 pid=7 tid=7 time=300 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=301 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=302 period=5 callchain=-512,0x400000'
		echo 'sample id=1 pid=7 tid=7 time=303 period=5 callchain=-512,0x400000'
	} | build >after.pipe
	pp-fold before.pipe >before.folded
	pp-fold after.pipe >after.folded
}

# drawn FILE: of each box the name, numbers, place and width
drawn() {
	sed -nE 's|^<g><title>(.*) \(([^)]*)\)</title><rect x="([^"]*)" y="([^"]*)" width="([^"]*)".*|\1: \2; \3 \4 \5|p' "$1"
}

@test "flame: --diff compares two streams, and a stream with folded stacks, as it compares these" {
	compared
	pp-flame --svg --width 1000 --diff before.pipe -o out after.pipe
	drawn out >got
	diff - got <<-'END'
		all: 50 to 100 cpu-clock, 100.00% to 100.00%; 8.00 79.00 1000.00
		seven: 50 to 100 cpu-clock, 100.00% to 100.00%; 8.00 62.00 1000.00
		[unknown]: 5 to 10 cpu-clock, 10.00% to 10.00%; 8.00 45.00 55.56
		outer: 45 to 90 cpu-clock, 90.00% to 90.00%; 63.56 45.00 944.44
		inner: 40 to 0 cpu-clock, 80.00% to 0.00%; 63.56 28.00 444.44
		new: 0 to 80 cpu-clock, 0.00% to 80.00%; 508.00 28.00 444.44
	END
	local one two
	for one in before.pipe before.folded -; do
		for two in after.pipe after.folded; do
			pp-flame --svg --unit cpu-clock --width 1000 --diff "$one" "$two" <before.pipe >again
			diff out again
		done
	done
	cat after.pipe | pp-flame --svg --width 1000 --diff before.folded >again
	diff out again
	pp-flame --diff before.pipe -o page after.pipe
	grep -q '>50 cpu-clock before, 100 after<' page
	run -1 grep -q '"heat":' page
	# the other way round, and from the innermost
	pp-flame --svg --width 1000 --reverse --diff after.pipe before.pipe -o out
	pp-flame --svg --unit cpu-clock --width 1000 --reverse --diff after.folded before.folded -o again
	diff out again
	drawn out | grep -qx 'new: 80 to 0 cpu-clock, 80.00% to 0.00%; .* 444.44'
}

@test "flame: --diff of what is no stream, cut, or of other events says so" {
	compared
	echo old >out
	run -3 --separate-stderr pp-flame --diff /dev/null after.pipe -o out
	assert_equal "$stderr" 'pp-flame: /dev/null: not a perf stream: the input is empty'
	[ "$(cat out)" = old ]
	run -4 pp-flame --diff nowhere after.pipe -o out
	run -2 --separate-stderr pp-flame --diff - <before.pipe
	[[ "$stderr" == 'pp-flame: --diff -: standard input cannot be both sides'* ]]
	head -c -20 before.pipe >cut.pipe
	run -3 --separate-stderr pp-flame --svg --diff cut.pipe after.pipe -o out
	[[ "$stderr" == 'pp-flame: cut.pipe: record '*': the stream ends inside a record'* ]]
	drawn out | grep -q '^all: 45 to 100 cpu-clock'
	{
		head_of
		echo 'sample id=2 pid=7 tid=7 time=30 period=5 callchain=-128,0xffffffff81000010'
	} | build >other.pipe
	run -0 --separate-stderr pp-flame --diff other.pipe after.pipe -o out
	assert_equal "$stderr" 'pp-flame: samples of task-clock are compared with samples of cpu-clock'
	{
		head_of
		echo round
	} | build >none.pipe
	run -0 --separate-stderr pp-flame --diff none.pipe after.pipe -o out
	assert_equal "$stderr" 'pp-flame: none.pipe: there are no samples in it'
}

@test "flame: --reverse of a stream begins at the innermost frames" {
	compared
	pp-flame --svg --icicle --width 1000 --reverse before.pipe -o out
	drawn out >got
	diff - got <<-'END'
		all: 50 cpu-clock, 100.00%; 8.00 28.00 1000.00
		[unknown]: 5 cpu-clock, 10.00%; 8.00 45.00 100.00
		seven: 5 cpu-clock, 10.00%; 8.00 62.00 100.00
		inner: 40 cpu-clock, 80.00%; 108.00 45.00 800.00
		outer: 40 cpu-clock, 80.00%; 108.00 62.00 800.00
		seven: 40 cpu-clock, 80.00%; 108.00 79.00 800.00
		outer: 5 cpu-clock, 10.00%; 908.00 45.00 100.00
		seven: 5 cpu-clock, 10.00%; 908.00 62.00 100.00
	END
	pp-flame --reverse before.pipe -o page
	grep -q '"heat":' page
}

@test "flame: --chart shows each thread's stacks in the order of their times" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=9 time=11 period=1 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=15 period=2 callchain=-128,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=14 period=3 callchain=-128,0xffffffff81000120,0xffffffff81000020
			sample id=1 pid=7 tid=7 time=16 period=1 callchain=-128,0xffffffff81000110,0xffffffff81000010
			round
		END
	} | build >in
	pp-flame --chart --svg --icicle --width 1000 -o out in
	sed -nE 's|^<g><title>(.*) \(([0-9]+) .*<rect x="([^"]*)" y="([^"]*)".*|\1 \2 \3 \4|p' out >got
	diff - got <<-'END'
		all 10 8.00 28.00
		seven-7/7 9 8.00 45.00
		outer 9 8.00 62.00
		inner 6 8.00 79.00
		inner 1 808.00 79.00
		:9-7/9 1 908.00 45.00
		outer 1 908.00 62.00
		inner 1 908.00 79.00
	END
	pp-flame --chart -o page in
	pp-flame --chart --weight=count --svg -o out in
	grep -q '>seven-7/7 (4 ' out
}

@test "flame: of a stream there is a heat map, and a span of it is what the flame graph shows" {
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	{
		head_of
		for ms in 100 110 1500 1510 1520; do
			echo "sample id=1 pid=7 tid=7 time=${ms}000000 period=1 callchain=-128,0xffffffff81000010"
		done
		echo "sample id=1 pid=7 tid=7 time=1900000000 period=1 callchain=-128,0xffffffff81000110"
	} | build >in
	pp-flame --weight=count --rows 10 -o page.html in
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-'END'
		eval document.getElementById("heat").offsetHeight
		eval document.getElementById("about").textContent
		eval (() => { const r = document.getElementById("heat").getBoundingClientRect(); window.at = (c, k) => [r.left + 24 * c + 5, r.top + (9 - k) * 4 + 2]; return [r.left, Math.round(r.top)]; })()
	END
	read -r top < <(sed -n '3s/.*,\([0-9]*\)]/\1/p' did)
	run sed -n 1,2p did
	assert_output $'54\n"6 samples"'
	# the second column is the second of 1 s: from its start to 1.6 s
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-END
		drag 41 $((top + 38)) 41 $((top + 18))
		eval document.getElementById("status").textContent
		eval document.getElementById("span").hidden
		eval document.getElementById("span").click()
		eval document.getElementById("span").hidden
		move 41 $((top + 2))
		eval document.getElementById("status").textContent
		eval document.getElementById("heat").focus()
		key ArrowRight
		eval document.getElementById("status").textContent
		eval for (let i = 0; i < 5; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", shiftKey: true }))
		eval document.getElementById("status").textContent
		eval for (let i = 0; i < 9; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", shiftKey: true }))
		eval document.getElementById("status").textContent
		key Escape
		eval document.getElementById("status").textContent
		eval document.getElementById("span").hidden
	END
	cat did
	printf '%s\n' '"1.000 s to 1.600 s: 3 samples"' false null true '"1.900 s: 1 samples"' \
		null '"1.000 s: 0 samples"' true '"1.000 s to 1.600 s: 3 samples"' true '"1.000 s to 2.000 s: 4 samples"' \
		'"all: 6 samples, 100.00 %; 0 in itself"' true >expected
	diff expected did
}

@test "flame: a page of a million samples opens, and one zooms, searches and marks a span" {
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	pp-gen --samples 1e6 --callchain 12 --duration 60 |
		pp-flame -q --weight=count --addrs --no-inline --root /nowhere -o page.html
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-'END'
		eval document.getElementById("about").textContent
		eval document.querySelectorAll("#heat").length && document.getElementById("heat").offsetHeight > 0
		eval [status, window.S] = [undefined, () => document.getElementById("status").textContent]; true
		eval document.getElementById("flame").focus()
		key ArrowUp
		key ArrowUp
		key Enter
		eval / [0-9,]+ samples, [0-9.]+ %; [0-9,]+ in itself$/.test(S())
		key Escape
		eval S()
		eval document.getElementById("search").focus()
		type unknown
		eval /^[0-9.]+ % matched$/.test(document.getElementById("found").textContent)
		key Escape
		eval document.getElementById("heat").focus()
		key ArrowRight
		eval for (let i = 0; i < 40; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true }))
		eval S()
		eval performance.timing.loadEventEnd - performance.timing.navigationStart
	END
	run -1 grep '^console:' did
	sed -n '$s/$/ ms until the page was there/p' did >&3
	sed -i '$d' did
	sed -i 's/: [0-9,]* samples"$/: some samples"/' did
	printf '%s\n' '"1000000 samples"' true true null true '"all: 1,000,000 samples, 100.00 %; 0 in itself"' null true \
		null true '"1.000 s to 41.020 s: some samples"' >expected
	diff expected did
}

@test "fold: names are text, whatever is in them" {
	local long
	long=$(head -c 60000 /dev/zero | tr '\0' x)
	{
		head_of
		printf 'ksymbol addr=%s len=16 ksym_type=1 name=%s time=7\n' 0xffffffff81000200 '"<b>&;]]></script>"' \
			0xffffffff81000210 '"bell\x07and\x1b[31m"' 0xffffffff81000220 '"two\nlines"' \
			0xffffffff81000230 "$long"
		echo 'comm pid=7 comm="<i>;\x01" time=8'
		for at in 00 10 20 30; do
			echo "sample id=1 pid=7 tid=7 time=10 period=2 callchain=-128,0xffffffff810002$at,0xffffffff81000010"
		done
		echo round
	} | build >in
	pp-fold in >got
	printf '%s\n' $'<i>:\x01;outer;<b>&:]]></script> 2' $'<i>:\x01;outer;bell\x07and\x1b[31m 2' \
		'<i>:'$'\x01'';outer;two lines 2' '<i>:'$'\x01'";outer;$long 2" >expected
	diff expected got
	if command -v script >/dev/null; then
		script -qc 'pp-fold in' /dev/null </dev/null | tr -d '\r' >shown
		grep -Fqx '<i>:\x01;outer;bell\x07and\x1b[31m 2' shown
		run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]' shown
	fi
	local how
	for how in '' --svg --chart '--chart --svg' '--diff in' '--diff in --svg' '--reverse --svg' --icicle; do
		# shellcheck disable=SC2086 # options
		pp-flame $how -o out in
		run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]' out
		run -1 grep -e '<b>' -e '<i>' out
		[ "$(wc -c <out)" -lt 100000 ]
		[[ "$how" != *svg* ]] || ! command -v xmllint || xmllint --noout out
		[[ "$how" = *svg* ]] || [ "$(grep -c '</script>' out)" -eq 2 ]
	done
}
