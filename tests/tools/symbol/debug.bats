# debug.bats - debug information that is compressed, or apart from its program: files that it links
# to, .dwo files and their packages.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
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
	[[ $stderr == *"prog.debug: it is not the debug file that is linked to"* ]]
	[ -z "$(frames out)" ]
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

@test "symbol: a large section is the same where it is mapped, and where a stranger could shorten it and it is read" {
	program plain
	hit "$PWD/prog" "$(id_of plain)" "$(at plain work 12)" "$(at plain main)" >in
	cp plain prog
	expected=$(pp-symbol --lines in | frames -)
	grep -q work <<<"$expected"
	objcopy --dump-section .debug_str=texts plain unused
	truncate -s +20M texts
	# it begins with a page, so that what is looked up is in what is mapped
	objcopy --update-section .debug_str=texts --set-section-alignment .debug_str=4096 plain prog
	[ "$(stat -c %s prog)" -gt 20000000 ]
	[ "$(pp-symbol --lines in | frames -)" = "$expected" ]
	chmod g+w prog
	[ "$(pp-symbol --lines in | frames -)" = "$expected" ]
	chmod g-w prog
	need_root
	chown nobody prog
	[ "$(pp-symbol --lines in | frames -)" = "$expected" ]
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

# bats test_tags=nightly
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
