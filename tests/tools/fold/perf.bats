# perf.bats - pp-fold beside perf script: the stacks are those that another program folds.

setup() {
	load ../../helper
	load ../names
	load fold
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
	prog_without_libc prog
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
	perl "$TESTS/browser/page.pl" page | grep -q ';inner[; ]'
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
	grep -q ';work;through<work()::<lambda(unsigned int)> >;operator() ' got
	grep -q ';(anonymous namespace)::Stream::operator->;burn ' got
	grep -q ';(anonymous namespace)::Stream::operator<<;burn ' got
	grep -q ';(anonymous namespace)::Stream::operator();burn ' got
	grep -q '''work()::{lambda(unsigned int)#1}::operator();burn ' got
}
