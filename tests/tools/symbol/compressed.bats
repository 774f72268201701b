# compressed.bats - debug sections that are compressed by zstd, which libdw of 2022 cannot read, give what
# plain ones do.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# compress FILE TO: with its debug sections compressed by zstd, which is type 2 in their headers
compress() {
	objcopy --compress-debug-sections=zstd "$1" "$2" 2>/dev/null || skip "objcopy cannot compress by zstd"
	readelf -tW "$2" | grep -q 'ZSTD\|<unknown>: 0x2' || skip "objcopy does not compress by zstd"
}

# all_work FILE: hits each address of work
all_work() {
	local i offsets=()
	for i in $(seq 0 40); do offsets+=("$(at "$1" work "$i")"); done
	hit "$PWD/prog" "$(id_of "$1")" "${offsets[@]}"
}

# bats test_tags=T3-A8
@test "zstd: functions, inlined ones and lines are those of plain debug information" {
	program plain
	compress plain small
	mv plain prog
	all_work prog >in
	pp-script -F ip,sym,srcline in >wanted
	grep -q 'prog.c:' wanted
	expected=$(pp-symbol --lines in | frames -)
	grep -q 'twice(inlined)<work' <<<"$expected"
	mv small prog
	run -0 --separate-stderr pp-script -F ip,sym,srcline in
	[ -z "$stderr" ]
	diff wanted <(echo "$output")
	[ "$(pp-symbol --lines in | frames -)" = "$expected" ]
}

# bats test_tags=T3-A8
@test "zstd: a separate debug file, and a .dwo file" {
	program full
	compress full small
	objcopy --only-keep-debug small prog.debug
	strip -o prog full
	objcopy --add-gnu-debuglink=prog.debug prog
	all_work full >in
	[[ $(pp-symbol in | frames -) == *'twice(inlined)<work'* ]]
	rm -f prog.debug prog
	program prog -gsplit-dwarf
	half=$(find . -name '*.dwo')
	[ -n "$half" ] || skip "the compiler splits no debug information"
	compress "$half" small
	mv small "$half"
	all_work prog >in
	[[ $(pp-symbol in | frames -) == *'twice(inlined)<work'* ]]
}

# bats test_tags=T3-A8
@test "zstd: types of data and variables" {
	[ "$(uname -m)" = x86_64 ] || skip 'data is found on x86_64'
	cat >prog.c <<-'END'
		struct counter { long unused, value; };
		__attribute__((noinline)) long work(struct counter *c, int n)
		{
			for (int i = 0; i < n; i++)
				c->value += i;
			return c->value;
		}
		int main(int n, char **v) { struct counter c = { 0, n }; return (int)work(&c, 100) + (v != 0); }
	END
	program plain
	compress plain small
	mv plain prog
	all_work prog >in
	pp-report -q -s type,typeoff in >wanted
	grep -q 'struct counter' wanted
	mv small prog
	pp-report -q -s type,typeoff in >found
	diff wanted found
}

# bats test_tags=T3-A8
@test "zstd: rules of .debug_frame unwind as plain ones do" {
	need_perf_events
	program plain -fno-asynchronous-unwind-tables
	readelf -SW plain | grep -q debug_frame || skip "there is no .debug_frame"
	cat >prog.c <<-'END'
		volatile long sink;
		__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void deep(int n) { if (n) deep(n - 1); else work(200000000); sink++; }
		int main(void) { deep(5); return 0; }
	END
	program plain -fno-asynchronous-unwind-tables -fomit-frame-pointer
	compress plain small
	cp plain prog
	pp-record -q --call-graph dwarf -e cpu-clock -F 500 -- ./prog | pp-inject -q -b -o in
	pp-unwind -q in | pp-script -F ip,sym >wanted
	grep -q deep wanted
	# the same file for what follows, with other bytes
	cat small >prog
	pp-unwind -q in | pp-script -F ip,sym >found
	diff wanted found
}

# bats test_tags=T3-A8
@test "compression of a kind that is not known is said, and costs debug information alone" {
	program plain
	objcopy --compress-debug-sections=zlib-gabi plain prog
	# the type is in the first word of each section
	readelf -SW prog | perl -ne 'print hex($1), "\n" if / \.debug_\w+ +PROGBITS +\S+ +(\S+).* C /' |
		while read -r place; do printf '\x09' | dd of=prog bs=1 seek="$place" conv=notrunc status=none; done
	hit "$PWD/prog" "$(id_of prog)" "$(at plain work 12)" >in
	run -0 --separate-stderr pp-symbol in -o out
	[[ $stderr == *"$PWD/prog: not all names: a section is compressed in a way that is not known, or damaged" ]]
	[ "$(frames out)" = work ]
}
