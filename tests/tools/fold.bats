# fold.bats - pp-fold: the stacks of a stream, a line each.

setup() {
	load ../helper
	load names
	load fold/fold
}

# bats test_tags=T3-A19
@test "fold, flame, top: the first event that is described and has samples is meant, whichever is sampled first" {
	local how
	{
		head_of
		echo "attr id=3 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all config=2"
		cat <<-END
			sample id=3 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110
			sample id=2 pid=7 tid=7 time=11 period=4 callchain=-128,0xffffffff81000120,0xffffffff81000010
			sample id=2 pid=8 tid=8 time=12 period=4 callchain=-128,0xffffffff81000010
			sample id=3 pid=7 tid=7 time=13 period=3 callchain=-128,0xffffffff81000110
			sample id=2 pid=8 tid=8 time=14 period=5 callchain=-128,0xffffffff81000010
			round
		END
	} | build >in
	pp-filter 'event == "task-clock"' in >alone
	run -0 --separate-stderr pp-fold in
	assert_equal "$output" $'eight_up;outer 9\nseven;outer;inner 4'
	assert_equal "$stderr" "pp-fold: 2 samples of other events than task-clock are left out: --event chooses"
	for how in '' '--weight=count' '--weight=time'; do
		# shellcheck disable=SC2086 # none, or one
		diff <(pp-fold $how alone) <(pp-fold -q $how in)
	done
	# a page has all events, the same one first: flame/data.bats
	for how in '-e task-clock' '-e task-clock --chart' --svg; do
		# shellcheck disable=SC2086 # options
		pp-flame $how alone >expected
		# shellcheck disable=SC2086
		pp-flame -q $how in >got
		same_bytes expected got
	done
	run -0 --separate-stderr pp-top --once in
	assert_equal "$output" "$(pp-top --once alone)"
	assert_equal "$stderr" "pp-top: 2 samples of other events than task-clock are left out: --event chooses"
	run -0 --separate-stderr pp-top --once -s sym -e page-faults in
	[ -z "$stderr" ]
}

@test "fold: memory that JIT compilers take is marked as code made at run time, whatever it is called" {
	local name n=1
	{
		head_of
		for name in //anon '[anon:v8]' '/memfd:code (deleted)' '/anon_hugepage (deleted)' '[vdso]' /bin/x; do
			echo "mmap2 pid=7 start=$((n * 0x100000)) len=0x1000 file=\"$name\" prot=5 time=1"
			echo "sample id=1 pid=7 tid=7 time=$((n + 1)) period=$n callchain=-512,$((n * 0x100000))"
			n=$((n + 1))
		done
		echo round
	} | build >in
	pp-fold --jit --kernel --addrs in | sed 's/.*>\]//; s/^ /_[n] /' | sort -k2n >got
	printf '%s\n' '_[j] 1' '_[j] 2' '_[j] 3' '_[j] 4' '_[k] 5' '_[n] 6' | diff - got
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

# bats test_tags=T3-A12
@test "fold, flame: a name loses the parameters at its end, and no other brackets" {
	local name is n=0
	{
		head_of
		while IFS='|' read -r name is; do
			n=$((n + 1))
			printf 'ksymbol addr=0xffffffff82%02x0000 len=256 ksym_type=1 name="%s" time=6\n' $n "$name"
			printf 'sample id=1 pid=7 tid=7 time=%d period=1 callchain=-128,0xffffffff82%02x0010\n' $((n + 10)) $n
			echo "seven;$is 1" >>expected
		done <<-'END'
			f(int)|f
			k(void (*)(int), (anonymous namespace)::T)|k
			Stream::operator()(unsigned int)|Stream::operator()
			operator()|operator()
			Second::operator()() const|Second::operator()
			Other::operator()() const [clone .cold]|Other::operator()
			Third::get() const &|Third::get
			exec<void (*)()>|exec<void (*)()>
			void exec<void (*)()>(void (*)())|void exec<void (*)()>
			work()::{lambda(unsigned int)#1}::operator()(unsigned int) const|work()::{lambda(unsigned int)#1}::operator()
			work()::{lambda()#2}|work()::{lambda()#2}
			(anonymous namespace)::g()|(anonymous namespace)::g
			(anonymous namespace)|(anonymous namespace)
			A::operator void (*)(int)()|A::operator void (*)(int)
			main.(*T).f|main.(*T).f
			<(A, B) as C>::d|<(A, B) as C>::d
			h(int)@@V_1|h
			odd)|odd)
			(odd|(odd
		END
		echo round
	} | build >in
	pp-fold in >got
	LC_ALL=C sort expected | diff - got
	pp-flame in -o page
	perl "$TESTS/browser/page.pl" page | grep -qF 'exec<void (*)()>'
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

@test "fold, flame: a sample with the values of a group is one of each event of which something was counted" {
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
	pp-flame -o page in
	[ "$(perl "$TESTS/browser/page.pl" page)" = 'seven;outer 170' ]
	[ "$(perl "$TESTS/browser/page.pl" --event 2 page)" = 'seven;outer 9' ]
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
	} >text
	printf '%s\n' 'seven;out er:x 1' 'seven;out er;f 1' 'seven;outer 1' 'seven;outer;f 1' >expected
	# whichever comes first
	{ grep -v '^sample' text; grep '^sample' text | tac | awk '{ sub(/time=[0-9]*/, "time=" 10 + NR); print }'; } >other
	for text in text other; do
		build <$text >in
		pp-fold in >got
		diff expected got
		LC_ALL=C sort -c got
	done
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
	grep -q '>49[^<]*ns<' page
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
		'<i>:'$'\x01'';outer;two lines 2' >expected
	head -n 3 got | diff expected -
	# a name that is longer than any real one is cut
	grep -qxP '<i>:\x01;outer;x{4096}\.\.\.#[0-9a-f]+ 2' got
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
		[ "$(wc -c <out)" -lt 120000 ]
		[[ "$how" != *svg* ]] || ! command -v xmllint || xmllint --noout out
		[[ "$how" = *svg* ]] || [ "$(grep -c '</script>' out)" -eq 3 ]
	done
}
