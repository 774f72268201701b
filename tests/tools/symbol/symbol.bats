# symbol.bats - pp-symbol: names of addresses, where they come from, and where they are in the stream.
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

@test "symbol: a second one adds nothing, and its output is the same" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" >in
	pp-symbol in -o out
	run -0 --separate-stderr pp-symbol -v out -o again
	[[ $stderr == *"0 of 0 addresses named, 2 named before, 0 files read"* ]]
	cmp out again
}

@test "symbol: a second one adds nothing either where names come later than the samples" {
	for n in 1 2 3; do program "prog$n" -Wl,--build-id="0x$n$(printf '%039d' 0)"; done
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for n in 1 2 3; do
			echo "mmap2 pid=7 start=0x${n}00000000 len=0x1000000 file=\"$PWD/prog$n\" build_id=$(id_of prog$n) time=$n"
		done
		for round in 1 2 3 4; do
			for n in 1 2 3; do
				echo "sample pid=7 ip=$((n * 0x100000000 + $(at prog$n work $round))) misc=2 time=$((10 * round + n))"
			done
			echo round
		done
	} | build >in
	# as where rounds have no room for all
	pp-symbol --no-seal in | perl -0777 -ne '
		print substr $_, 0, 16, "";
		while (length) {
			my $record = substr $_, 0, unpack("x6 v", $_), "";
			$record =~ /^.{8}PPNAMES\0/s ? $names .= $record : print $record;
		}
		print $names' >once
	[ "$(frames once | wc -l)" = 12 ]
	run -0 --separate-stderr pp-symbol -v once
	[[ "$stderr" == *" 0 of 0 addresses named, 12 named before"* ]]
	pp-symbol once | same_bytes once -
}

@test "symbol: a second one fills what the first did not have: debug information" {
	program full
	objcopy --only-keep-debug full full.debug
	cp full prog
	strip prog
	hit "$PWD/prog" "$(id_of full)" "$(at full work 12)" "$(at full main)" >in
	run -0 --separate-stderr pp-symbol -v in -o first
	refute [ -n "$(frames first | grep work)" ]
	objcopy --add-gnu-debuglink=full.debug prog
	pp-symbol first -o second
	run -0 frames second
	assert_output --partial work
	assert_output --partial main
}

@test "symbol: a debug link without a build-id goes by the sum of the file" {
	program full -Wl,--build-id=none
	objcopy --only-keep-debug full prog.debug
	cp full prog
	strip prog
	objcopy --add-gnu-debuglink=prog.debug prog
	hit "$PWD/prog" - "$(at full work)" >in
	run -0 --separate-stderr pp-symbol --root / in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	echo more >>prog.debug
	run -0 --separate-stderr pp-symbol --root / in -o out
	[[ $stderr == *"prog.debug: not used: not the debug file that is linked to"* ]]
	[ -z "$(frames out)" ]
}

@test "symbol: a file with another build-id is not used, which is said once" {
	program prog
	hit "$PWD/prog" "$(printf '%040d' 12)" "$(at prog work)" "$(at prog main)" >in
	run -0 --separate-stderr pp-symbol in -o out
	[ "$stderr" = "pp-symbol: $PWD/prog: not used: its build-id is not the one that was recorded" ]
	[ -z "$(frames out)" ]
	cmp in out
}

@test "symbol: fifos, devices and files of the kernel are passed over, which is said" {
	mkfifo pipe
	for file in "$PWD/pipe" /dev/zero /proc/self/mem; do
		hit "$file" - 0x1000 >in
		run -0 --separate-stderr timeout 60 pp-symbol in -o out
		if [ "$file" != /dev/zero ]; then
			[ "$stderr" = "pp-symbol: $file: not used: not a regular file" ]
		fi
		cmp in out
	done
}

@test "symbol: --root, and links that lead out of it" {
	program prog
	mkdir -p root/usr/bin
	cp prog root/usr/bin/tool
	ln -s ../../../prog root/usr/bin/link
	hit /usr/bin/tool "$(id_of prog)" "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	hit /usr/bin/link - "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ -z "$(frames out)" ]
}

@test "symbol: files by build-id: debug folders and perf's cache" {
	program prog
	id=$(id_of prog)
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
	cp prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}"
	hit /gone "$id" "$(at prog work)" >in
	pp-symbol --root root in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp prog "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
	HOME=$PWD/home pp-symbol in -o out
	[ "$(frames out | sed 's/.*<//')" = work ]
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

@test "symbol: compressed symbols of a stripped file" {
	command -v xz >/dev/null || skip "xz is not installed"
	program full
	nm full -f posix --defined-only | awk '{ print $1 }' >keep
	objcopy --keep-symbols=keep --remove-section .debug_info full mini 2>/dev/null || true
	objcopy -S --keep-symbols=keep full mini
	xz -k mini
	cp full prog
	strip prog
	objcopy --add-section .gnu_debugdata=mini.xz prog
	hit "$PWD/prog" "$(id_of full)" "$(at full work)" >in
	[ "$(pp-symbol in | frames -)" = work ]
}

@test "symbol: sections of debug information that are compressed, in either way" {
	program plain
	objcopy --only-keep-debug plain plain.debug
	strip -o prog plain
	objcopy --add-gnu-debuglink=plain.debug prog
	hit "$PWD/prog" "$(id_of plain)" "$(at plain work 12)" "$(at plain main)" >in
	expected=$(pp-symbol --lines in | frames -)
	grep -q work <<<"$expected"
	for way in zlib-gabi zlib-gnu; do
		objcopy --compress-debug-sections=$way plain.debug small.debug
		[ $way != zlib-gabi ] || readelf -SW small.debug | grep -q ' C  *0  *0 '
		mv small.debug plain.debug
		[ "$(pp-symbol --lines in | frames -)" = "$expected" ]
	done
}

# all_of FILE: what each address of the program's functions gets, with the number that it has there
all_of() {
	local start size
	read -r start size < <(readelf -SW "$1" | perl -ne '
		print hex $1, " ", hex $2, "\n" if / \.text +PROGBITS +\S+ +(\S+) +(\S+)/')
	hit "$PWD/$1" - $(seq "$start" $((start + size - 1))) >in
	pp-symbol --lines in | pp-dump --headers --json | jq -c '.names // empty | .[].addresses[]'
}

# other.c and cold.c: functions inlined into each other, in several ranges, in two units
source_of_split() {
	cat >cold.c <<-'END'
		int other(int);
		static inline __attribute__((always_inline)) int inner(int x) { volatile int y = x; return y * 7; }
		static inline __attribute__((always_inline)) int middle(int x) { return inner(x + 1) + inner(x + 2); }
		__attribute__((cold, noinline)) static int cold(int n) { return other(n) + middle(n); }
		int main(int c, char **v)
		{
			int t = 0;
			for (int i = 0; i < c * 9; i++)
				t += i > 5 ? middle(i) : inner(t);
			return c > 3 ? cold(c) : t & (v != 0);
		}
	END
	cat >other.c <<-'END'
		static inline __attribute__((always_inline)) int two(int x) { volatile int q = x; return q + q * 3; }
		int other(int n)
		{
			int t = 0;
			for (int i = 0; i < n; i++)
				t += two(i) ^ two(t);
			return t;
		}
	END
}

@test "symbol: what is in .dwo files and packages equals what a program has that is whole" {
	source_of_split
	local compiler version package
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for version in 4 5; do
			local flags=(-O2 -g "-gdwarf-$version" cold.c other.c -o prog)
			rm -f ./*.dwo prog.dwp
			$compiler "${flags[@]}"
			all_of prog >whole
			grep -q '"inlined":1.*"inlined":1' whole
			$compiler -gsplit-dwarf "${flags[@]}"
			[ -n "$(find . -name '*.dwo')" ]
			all_of prog >split
			cmp whole split
			# binutils' makes none of DWARF 5, and llvm's may not come to an end with what gcc wrote
			package=dwp
			[ $version = 4 ] || package=llvm-dwp
			command -v $package >/dev/null && [ $compiler$version != gcc5 ] || continue
			timeout 60 $package -e prog -o prog.dwp
			rm ./*.dwo
			all_of prog >split
			cmp whole split
			# as little as the page says is there without
			rm prog.dwp
			all_of prog >split 2>said
			[[ $(cat said) == "pp-symbol: $PWD/prog: not all inlined callers: "*".dwo is not there, or another's" ]]
			! grep inlined split
			jq -c '[.offset, .frames[0].line]' whole >lines
			jq -c '[.offset, .frames[0].line]' split | cmp - lines
		done
	done
}

# types.cc: functions of templates and classes, inlined into each other
source_of_types() {
	cat >types.cc <<-'END'
		template<class T> struct box {
			T v;
			__attribute__((always_inline)) T get() const { volatile T q = v; return q * 3; }
			__attribute__((noinline)) T slow(int n) const
			{
				T t = 0;
				for (int i = 0; i < n; i++)
					t += get() ^ i;
				return t;
			}
		};
		struct pair {
			box<int> a;
			box<long> b;
			__attribute__((always_inline)) long both() const { return a.get() + b.get(); }
		};
		__attribute__((noinline)) long work(const pair &p, int n)
		{
			long t = 0;
			for (int i = 0; i < n; i++)
				t += p.both() + p.a.slow(i);
			return t;
		}
		int main(int c, char **)
		{
			pair p{{c}, {c * 2}};
			auto l = [&](int x) { return work(p, x) + p.both(); };
			return (int)l(c);
		}
	END
}

@test "symbol: .dwo files and packages with units of types, as they are and compressed in either way" {
	source_of_types
	local compiler version way package
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		for version in 4 5; do
			local flags=(-O2 -g "-gdwarf-$version" -fdebug-types-section types.cc -o prog)
			rm -f ./*.dwo prog.dwp
			$compiler "${flags[@]}"
			all_of prog >whole
			grep -q '"inlined":1' whole
			$compiler -gsplit-dwarf "${flags[@]}"
			cp ./*.dwo plain.half
			file=$(echo ./*.dwo)
			for way in none zlib-gnu zlib-gabi; do
				objcopy --compress-debug-sections=$way plain.half "$file"
				all_of prog >split
				cmp whole split
			done
			package=dwp
			[ $version = 4 ] || package=llvm-dwp
			command -v $package >/dev/null && [ $compiler$version != g++5 ] || continue
			cp plain.half "$file"
			timeout 60 $package -e prog -o plain.dwp
			rm "$file"
			for way in none zlib-gnu zlib-gabi; do
				objcopy --compress-debug-sections=$way plain.dwp prog.dwp
				[ $way != zlib-gnu ] || readelf -SW prog.dwp | grep -q zdebug_info.dwo
				all_of prog >split
				cmp whole split
			done
		done
	done
}

@test "symbol: a .dwo file beside the program, where it was made, and another one of that name" {
	source_of_split
	mkdir made
	(
		cd made
		for unit in cold other; do
			"${CC:-cc}" -O2 -g -gsplit-dwarf -c ../$unit.c -o $unit.o
		done
		"${CC:-cc}" cold.o other.o -o ../prog
	)
	all_of prog >whole
	grep -q inlined whole
	mkdir -p root"$PWD"
	cp -r prog made root"$PWD"
	rm -r made
	all_of prog 2>said >without
	! grep inlined without
	pp-symbol --root root --lines in | pp-dump --headers --json |
		jq -c '.names // empty | .[].addresses[]' | cmp - whole
	# named after each other
	mv root"$PWD"/made/cold.dwo .
	cp root"$PWD"/made/other.dwo root"$PWD"/made/cold.dwo
	run -0 --separate-stderr pp-symbol --root root --lines in -o out
	[[ $stderr == *"not all inlined callers: cold.dwo is not there, or another's" ]]
	# where the program is
	mv root"$PWD"/made/other.dwo .
	pp-symbol --lines in | pp-dump --headers --json | jq -c '.names // empty | .[].addresses[]' | cmp - whole
}

@test "symbol: what .dwo files lacked is filled in later, where they are" {
	source_of_split
	"${CC:-cc}" -O2 -g -gsplit-dwarf cold.c other.c -o prog
	[ -n "$(find . -name '*.dwo')" ] || skip "the compiler splits no debug information"
	all_of prog >whole
	mkdir away
	mv ./*.dwo away
	pp-symbol -q --lines in -o half
	! frames half | grep inlined
	mv away/*.dwo .
	pp-symbol --lines half | frames - | grep inlined
}

@test "symbol: names of code that a process made, from /tmp/perf-PID.map" {
	mkdir -p root/tmp
	printf '10000 100 first\n10100 80 second one\nrubbish\n' >root/tmp/perf-7.map
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo 'mmap2 pid=7 start=0x10000 len=0x1000 file="//anon" time=1'
		echo 'sample pid=7 ip=0x10010 misc=2 time=11'
		echo 'sample pid=7 ip=0x10110 misc=2 time=12'
		echo 'sample pid=7 ip=0x10f00 misc=2 time=13'
		echo round
	} | build >in
	run -0 frames <(pp-symbol --root root in)
	assert_output "$(printf 'first\nsecond one')"
}

@test "symbol: a kernel that is not the running one gives no names, which is said" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=0xffffffff81000000 len=0x1000000 misc=0x4001 file=\"[kernel.kallsyms]_text\" build_id=$(printf '%040d' 7) time=0"
		echo 'sample pid=7 ip=0xffffffff81000100 misc=1 time=11'
		echo round
	} | build >in
	run -0 --separate-stderr pp-symbol in -o out
	[ "$stderr" = "pp-symbol: the running kernel is not the one that was recorded: its names are not used" ]
	[ -z "$(frames out)" ]
}

@test "symbol: names of the running kernel are those of kallsyms" {
	id=$(perl -e 'local $/; open F, "/sys/kernel/notes" or exit; $_ = <F>; print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s')
	[ -n "$id" ] || skip "the kernel has no build-id"
	read -r text _ < <(grep ' _text$' /proc/kallsyms)
	[ -n "$text" ] && [ "$((0x$text))" -ne 0 ] || skip "the kernel's addresses are hidden"
	read -r address _ name < <(grep -m 1 ' T vfs_read$' /proc/kallsyms)
	[ -n "$name" ] || skip "the kernel has no such function"
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=0x$text len=0x4000000 misc=0x4001 file=\"[kernel.kallsyms]_text\" build_id=$id time=0"
		echo "sample pid=7 ip=0x$address misc=1 time=11"
		echo round
	} | build >in
	[ "$(pp-symbol in | frames -)" = vfs_read ]
}

@test "symbol: names pass merge, split, sort, filter, prune, save, and the other byte order" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" | pp-symbol >a
	program prog2 -O0
	hit "$PWD/prog2" "$(id_of prog2)" "$(at prog2 other)" | pp-symbol >b
	expected=$(frames a)
	pp-merge a b >merged
	pp-check merged
	[ "$(frames merged | sort)" = "$( (frames a; frames b) | sort)" ]
	pp-split --samples 1 -i a -o 'piece-%u'
	[ "$(frames piece-1)" = "$expected" ]
	pp-sort --all a >sorted
	[ "$(frames sorted)" = "$expected" ]
	pp-filter --prune 'pid == 7' a >pruned
	[ "$(frames pruned)" = "$expected" ]
	pp-save a -o saved.data
	[ "$(frames saved.data)" = "$expected" ]
	pp-cat --big-endian a | pp-cat | cmp - a
	pp-dump --json a | pp-undump | cmp - a
}

# rounds: in has 40 rounds, in each of which three programs are hit where they were not before
rounds() {
	local at n name
	for name in one two three; do
		program "$name" "-Wl,--build-id=0x$(printf '%-20s' "$name" | od -An -tx1 | tr -d ' \n')"
	done
	at=$(at one work)
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for n in 1 2 3; do
			name=$(cut -d' ' -f$n <<<"one two three")
			echo "mmap2 pid=7 start=$((n << 32)) len=0x1000000 file=\"$PWD/$name\" build_id=$(id_of "$name") time=$n"
		done
		for n in $(seq 0 119); do
			echo "sample pid=7 ip=$(((n % 3 + 1 << 32) + at + n / 12 % 10)) misc=2 time=$((n + 10))"
			[ $((n % 3)) -lt 2 ] || echo round
		done
	} | build >in
}

@test "symbol: names are before the samples that need them, those of several files in one round" {
	rounds
	pp-symbol in -o out
	pp-check out
	pp-script -F ip,sym,dso --root / out >here
	pp-script -F ip,sym,dso --root /proc/self/fdinfo out >there
	[ "$(wc -l <here)" -eq 120 ]
	cmp here there
	run -1 grep unknown there
	pp-cat --big-endian out >big
	cmp here <(pp-script -F ip,sym,dso --root /proc/self/fdinfo big)
	cmp out <(pp-cat big)
	run -0 pp-dump -v out
	[[ $output == *one*two*three* ]]
}

@test "symbol: what a second one adds is before the samples as well, and sinks learn first what a file says last" {
	local sink
	rounds
	mkdir hidden
	mv two three hidden
	pp-symbol -q in -o first
	mv hidden/* .
	pp-symbol first -o second
	pp-script -F ip,sym,dso second >here
	run -1 grep unknown here
	cat second | pp-script -F ip,sym,dso --root /proc/self/fdinfo | diff here -
	# a pipe cannot be read twice
	cat first | pp-symbol -o late
	{ echo before && cat late; } >after
	for sink in 'pp-script -F ip,sym,dso' 'pp-report -s dso,sym' 'pp-top --once' 'pp-fold'; do
		$sink second >here
		$sink --root /proc/self/fdinfo late | diff here -
		$sink --root /proc/self/fdinfo <late | diff here -
		# from where it stands
		{ read -r && $sink --root /proc/self/fdinfo; } <after | diff here -
	done
	# what is damaged is reported once, by whoever reads it then
	head -c -40 late >cut
	run -3 --separate-stderr pp-script --root /proc/self/fdinfo cut
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "symbol: a stream on standard input that its reader could not open is shown" {
	local sink
	need setpriv
	need_root
	rounds
	pp-symbol in -o named
	chmod 600 named
	for sink in pp-script pp-report pp-symbol; do
		setpriv --reuid=65534 --clear-groups -- "$(command -v $sink)" --version ||
			skip "the folders above are closed to others"
		run -0 --separate-stderr setpriv --reuid=65534 --clear-groups -- "$(command -v $sink)" <named
		[ -n "$output" ]
	done
}

@test "symbol: sizes of parts of names that lie are found" {
	local size
	rounds
	pp-symbol --no-seal in -o out
	for size in 1 4 8 88 96 65528 4294967288; do
		# the first part that is followed by another
		perl -0777 -pe '
			while (/PPNAMES\0.{68}(?!\0{4})/gs) {
				substr($_, pos(), 4) = pack "L", '$size';
				last;
			}' out >lies
		! cmp -s out lies
		run pp-check lies
		assert_failure
		run pp-script --root /proc/self/fdinfo lies
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "symbol: every cut of a stream with names ends in 0 or 3" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" | pp-symbol --lines >in
	size=$(stat -c %s in)
	for ((n = 16; n < size; n += 7)); do
		head -c "$n" in >cut
		status=0
		pp-symbol -q cut >out 2>/dev/null || status=$?
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "symbol: files that are cut or changed anywhere end in a name or none, and never in a crash" {
	program prog
	id=$(id_of prog)
	offsets=("$(at prog work)" "$(at prog work 12)" "$(at prog main)")
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	hit "$PWD/broken" "$id" "${offsets[@]}" >in
	for seed in $(seq 60); do
		perl -e '
			my ($from, $to, $seed) = @ARGV;
			srand $seed;
			open my $f, "<:raw", $from or die; local $/; $_ = <$f>;
			$_ = substr $_, 0, 1 + int rand length if $seed % 3 == 0;
			substr($_, rand length, 1) = chr rand 256 for 1 .. 20;
			open my $t, ">:raw", $to or die; print $t $_' prog broken "$seed"
		status=0
		timeout 60 pp-symbol -q --lines in >out || status=$?
		[ "$status" -eq 0 ]
	done
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
