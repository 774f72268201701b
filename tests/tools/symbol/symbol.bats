# symbol.bats - pp-symbol: names of addresses, their inlined callers and lines.
# Expected names are nm's, addr2line's and perf's.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

@test "symbol: symbols and inlined callers of a program" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog work 12)" "$(at prog main)" >in
	run -0 --separate-stderr pp-symbol -v in -o out
	[[ $stderr == *"3 of 3 addresses named"* ]]
	run -0 frames out
	[ "${lines[0]##*<}" = main ] || [ "${lines[0]##*<}" = work ]
	grep -qx 'twice(inlined)<work\|work' <<<"$output"
	grep -q 'work$' <<<"$output"
	grep -q 'main$' <<<"$output"
	run -0 --separate-stderr pp-symbol --no-inline in
	pp-symbol --no-inline in >plain
	run -0 frames plain
	refute_output --partial inlined
}

@test "symbol: the lines of addr2line, and none without --lines" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog other)" >in
	pp-symbol --lines in -o out
	run -0 jq -r '.names[].addresses[].frames[0] | .file + ":" + (.line | tostring)' <(pp-dump --headers --json out | tail -n 1)
	for symbol in work other; do
		expected=$(addr2line -i -e prog "0x$(nm prog | sed -n "s/ T $symbol\$//p")" | head -n 1)
		[[ $output == *"${expected%% (*}"* ]]
	done
	pp-symbol --lines --strip "$PWD/" in -o stripped
	pp-dump --headers --json stripped | grep -q '"file":"prog.c"'
	pp-symbol in -o out
	run -0 pp-dump --headers --json out
	refute_output --partial prog.c
}

@test "symbol: lines of code whose functions are not in the debug information" {
	printf '.text\n.globl bare\nbare: nop\nnop\nret\n' >bare.s
	program prog bare.s
	hit "$PWD/prog" "$(id_of prog)" "$(at prog bare 1)" >in
	pp-symbol --lines in -o out
	run -0 jq -r '.names[].addresses[].frames[0] | .symbol, .file, .line' <(pp-dump --headers --json out | tail -n 1)
	[ "$output" = "bare"$'\n'"$PWD/bare.s"$'\n4' ]
}

@test "symbol: what passes is as it was, names apart, and perf shows the same" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" >in
	pp-symbol in -o out
	pp-dump --json out | jq -c 'select(.fields.payload == null or (.fields.payload | startswith("50504e414d4553") | not)) | del(.offset, .index)' >1
	pp-dump --json in | jq -c 'del(.offset, .index)' >2
	cmp 1 2
	pp-check out
	cmp <(perf script -i in 2>/dev/null) <(perf script -i out 2>/dev/null)
}

@test "symbol: C++ names, with and without parameters, and as linkers know them" {
	cat >prog.cc <<-'END'
		namespace space { template <class T> struct Box { __attribute__((noinline)) T get(T x, int) { return x; } }; }
		int main(int c, char **) { space::Box<int> b; return b.get(c, 1); }
	END
	"${CXX:-c++}" -O1 -g -o prog prog.cc
	hit "$PWD/prog" "$(id_of prog)" "$(at prog _ZN5space3BoxIiE3getEii)" >in
	[ "$(pp-symbol in | frames -)" = 'space::Box<int>::get(int, int)' ]
	[ "$(pp-symbol --demangle short in | frames -)" = 'space::Box<int>::get' ]
	[ "$(pp-symbol --demangle=no in | frames -)" = _ZN5space3BoxIiE3getEii ]
	run -2 pp-symbol --demangle=most in
	assert_output --partial "pp-symbol: --demangle: need full, short or no, have 'most'"
}

@test "symbol: calls through the PLT" {
	printf 'int puts(const char *); int main(void) { return puts("x"); }' >call.c
	"${CC:-cc}" -O1 -fcf-protection=none -Wl,-z,lazy -o call call.c
	[ "$(uname -m)" = x86_64 ] || skip "entries of the PLT are looked at on x86_64"
	start=$(objdump -d -j .plt call | sed -n 's/^0*\([0-9a-f]*\) <puts@plt>:$/\1/p')
	[ -n "$start" ]
	hit "$PWD/call" "$(id_of call)" $((0x$start)) >in
	[ "$(pp-symbol in | frames -)" = puts@plt ]
	# the first entry, which looks for the function, is not a part of what comes before it
	hit "$PWD/call" "$(id_of call)" $((0x$start - 16)) >in
	[ "$(pp-symbol in | frames -)" = .plt ]
	cat >call.cc <<-'END'
		namespace space { int get(int, char); }
		int main(int c, char **) { return space::get(c, 'x'); }
	END
	echo 'namespace space { int get(int n, char) { return n; } }' >get.cc
	"${CXX:-c++}" -shared -fPIC -o get.so get.cc
	"${CXX:-c++}" -O1 -fcf-protection=none -Wl,-z,lazy -o call call.cc ./get.so
	start=$(objdump -d -j .plt call | sed -n 's/^0*\([0-9a-f]*\) <_ZN5space3getEic@plt>:$/\1/p')
	hit "$PWD/call" "$(id_of call)" $((0x$start)) >in
	[ "$(pp-symbol in | frames -)" = 'space::get(int, char)@plt' ]
	[ "$(pp-symbol --demangle short in | frames -)" = space::get@plt ]
	[ "$(pp-symbol --demangle no in | frames -)" = _ZN5space3getEic@plt ]
}

@test "symbol: calls through the PLT of functions that are chosen when the program starts, as in perf" {
	[ "$(uname -m)" = x86_64 ] || skip "entries of the PLT are looked at on x86_64"
	cat >chosen.c <<-'END'
		static int one(int n) { return n; }
		static int (*choose(void))(int) { return one; }
		int work(int) __attribute__((ifunc("choose")));
		int also(int) __attribute__((alias("work")));
		int main(int c, char **v) { (void)v; return work(c) + also(c); }
	END
	"${CC:-cc}" -O1 -fcf-protection=none -Wl,-z,lazy -o chosen chosen.c 2>/dev/null || skip "there are no such functions here"
	start=$(objdump -d chosen | sed -n 's/^0*\([0-9a-f]*\) <\*ABS\*+.*@plt>:$/\1/p' | head -n 1)
	[ -n "$start" ]
	hit "$PWD/chosen" "$(id_of chosen)" $((0x$start)) >in
	[ "$(pp-symbol in | frames -)" = work@plt ]
	# without a name there is none
	strip -o bare chosen
	hit "$PWD/bare" "$(id_of bare)" $((0x$start)) >in
	[ -z "$(pp-symbol in | frames - | grep @plt)" ]
}

@test "symbol: 400,000 functions that came to the kernel do not take the square of that" {
	{
		printf 'header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all\n' | build
		perl -e 'for my $i (1 .. 400000) {
				my $at = 0xffffffffc0000000 - $i * 64;
				print pack("LSS Q L SS a8 LL Q", 17, 0, 48, $at, 32, 1, 0, "f$i", 7, 7, $i),
				      pack("LSS Q LL Q", 9, 1, 32, 0xffffffffc0000000 - 56, 7, 7, $i) }
			print pack("LSS", 68, 0, 8)'
	} >in
	# the square is 160 billion steps
	timeout 60 pp-fold in >out
	[ "$(cat out)" = ':7;f1 400000' ]
}
