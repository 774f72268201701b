# kinds.bats - names of what is no plain program: modules of the kernel, the vdso, files that dwz made
# smaller, code of a JIT compiler, names of Rust and D, files that a server has.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# value FILE SYMBOL: its number, in decimal
value() { echo $((0x$(nm "$1" | sed -n "s/ [tTwW] $2\$//p"))); }

# in_module PATH ID ADDRESS...: samples in a module
in_module() { in_kernel "$1" 0xffffffffc0a00000 0x10000 "$2" "${@:3}"; }

# module FILE: a module with code in four sections, of which one goes when it is loaded
module() {
	cat >module.c <<-'END'
		__attribute__((section(".text.hot"))) int hot(int x) { return x + 1; }
		__attribute__((section(".init.text"))) int start(int x) { return x + 2; }
		__attribute__((section(".exit.text"))) int stop(int x) { return x + 3; }
		int one(int x) { return x * 5; }
		int two(int x) { return x * 7; }
	END
	"${CC:-cc}" -O1 -g -c -o module.o module.c
	ld -r --build-id=sha1 -o "$1" module.o
}

# section FILE NAME: its size and alignment
section() { readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v n="$2" '$1 == n { print $5, $NF }'; }

@test "kinds: functions of a module, where the kernel puts its sections" {
	mkdir -p root/lib/modules/6.1/kernel/fs
	module root/lib/modules/6.1/kernel/fs/my-fs.ko
	local ko=root/lib/modules/6.1/kernel/fs/my-fs.ko at=0 size align name asked=()
	# in the order of the file, each aligned; that for its start elsewhere
	for name in $(readelf -SW $ko | grep -oE ' \.(text|text\.hot|exit\.text) ' | tr -d ' '); do
		read -r size align < <(section $ko "$name")
		at=$(((at + align - 1) / align * align))
		case $name in
		.text) asked+=($((at + $(value $ko one))) $((at + $(value $ko two) + 2))) ;;
		.text.hot) asked+=($((at + 1))) ;;
		.exit.text) asked+=($((at + 2))) ;;
		esac
		at=$((at + 0x$size))
	done
	[ ${#asked[@]} -eq 4 ]
	in_module /lib/modules/6.1/kernel/fs/my-fs.ko "$(id_of $ko)" "${asked[@]}" >in
	run -0 --separate-stderr pp-symbol --root root in -o out
	[ -z "$stderr" ]
	[ "$(frames out | sort | tr '\n' ' ')" = 'hot one stop two ' ]
	in_module /lib/modules/6.1/kernel/fs/my-fs.ko "$(printf '%040d' 9)" "${asked[@]}" >in
	run -0 --separate-stderr pp-symbol --root root in -o out
	[ "$stderr" = "pp-symbol: no symbols for /lib/modules/6.1/kernel/fs/my-fs.ko: its build-id is not the one that was recorded" ]
	[ -z "$(frames out)" ]
}

# bats test_tags=nightly
@test "kinds: lines and inlined functions of a module, packed too, or of its debug file: as of a program of the same code" {
	local ko id way
	need xz
	mkdir -p root/lib/modules root/usr/lib/debug/lib/modules
	cat >inlined.c <<-'END'
		static inline __attribute__((always_inline)) int twice(int x) { return x * 2 + (x >> 3); }
		__attribute__((section(".init.text"))) int start(int x) { return twice(x) + 3; }
		__attribute__((section(".text.hot"))) int hot(int x)
		{
			return twice(x) + 1;
		}
		int one(int x) { return x * 5; }
		int two(int x)
		{
			for (int i = 0; i < x; i++)
				x += twice(i) ^ x;
			return x;
		}
	END
	"${CC:-cc}" -O2 -g -fPIC -c -o inlined.o inlined.c
	ld -r --build-id=sha1 -o whole.ko inlined.o
	"${CC:-cc}" -shared -Wl,--build-id=sha1 -o linked.so inlined.o
	# of each byte of three functions, by its distance from the beginning
	said() {
		pp-symbol -q --root "$1" --lines | pp-dump --headers --json |
			jq -c '.names // empty | .[].addresses[] | .frames' >"$2"
	}
	local size=$(nm -S whole.ko | awk '$4 == "two" { print $2 }') from=() to=() name
	for name in one two; do
		for ((i = 0; i < 0x$size; i++)); do
			[ $name = one ] && [ "$i" -gt 2 ] && break
			from+=($(($(at linked.so $name) + i))) to+=($(($(value whole.ko $name) + i)))
		done
	done
	hit "$PWD/linked.so" "$(id_of linked.so)" "${from[@]}" | said / wanted
	grep -q '"symbol":"twice","file":"[^"]*inlined.c","line":1,"inlined":1' wanted
	[ "$(wc -l <wanted)" -eq ${#from[@]} ]
	id=$(id_of whole.ko)
	for way in whole packed apart; do
		rm -rf root/lib/modules/* root/usr
		ko=/lib/modules/my.ko
		case $way in
		whole) cp whole.ko root$ko ;;
		packed)
			ko+=.xz
			xz -c -C crc32 whole.ko >root$ko
			;;
		apart)
			mkdir -p root/usr/lib/debug/.build-id/"${id:0:2}"
			objcopy --only-keep-debug whole.ko root/usr/lib/debug/.build-id/"${id:0:2}/${id:2}.debug"
			objcopy --strip-debug whole.ko root$ko
			;;
		esac
		in_module $ko "$id" "${to[@]}" | said root got
		diff wanted got
	done
}

# bats test_tags=nightly
@test "kinds: a module that xz, zstd or gzip packed, and what is no module or too large when it is unpacked" {
	local kind ko id at
	need xz zstd gzip
	mkdir -p root/lib/modules
	module my.ko
	id=$(id_of my.ko)
	xz -k -C crc32 my.ko
	zstd -q my.ko
	gzip -k my.ko
	# .text is the first section with code
	at=$(($(value my.ko two) + 2))
	for kind in xz zst gz; do
		ko=/lib/modules/my.ko.$kind
		cp my.ko.$kind root$ko
		in_module $ko "$id" $at >in
		run -0 --separate-stderr pp-symbol --root root in -o out
		[ -z "$stderr" ]
		[ "$(frames out)" = two ]
		in_module $ko "$(printf '%040d' 9)" $at >in
		run -0 --separate-stderr pp-symbol --root root in -o out
		[ "$stderr" = "pp-symbol: no symbols for $ko: its build-id is not the one that was recorded" ]
		[ -z "$(frames out)" ]
		# cut anywhere it is none
		in_module $ko "$id" $at >in
		for size in 3 8 20 100 $(($(stat -c %s my.ko.$kind) - 1)); do
			head -c "$size" my.ko.$kind >root$ko
			run -0 --separate-stderr pp-symbol --root root in -o out
			[ -z "$(frames out)" ]
			[ "$stderr" = "pp-symbol: no symbols for $ko: its build-id is not the one that was recorded" ] || [ -z "$stderr" ]
		done
	done
	# 4 GB of nothing
	truncate -s 4G nothing
	{ cat my.ko nothing; } | zstd -q -1 >root/lib/modules/my.ko.zst
	in_module /lib/modules/my.ko.zst "$id" $at >in
	run -0 --separate-stderr pp-symbol --root root in -o out
	[ -z "$(frames out)" ]
}

# Those of lld have 8 bytes; with 20 and zeros, and no length, they come from perf inject.
# bats test_tags=nightly
@test "kinds: build-ids of 4 to 20 bytes, in maps, records of their own, folders and perf's cache" {
	local id start
	for id in a1b2c3d4 0123456789abcdef 0123456789abcdef01234567 0123456789abcdef0123456789abcdef \
		0123456789abcdef0123456789abcdef01234567; do
		program prog -Wl,--build-id=0x$id
		[ "$(id_of prog)" = $id ]
		start=$(at prog work)
		hit "$PWD/prog" $id "$start" >in
		run -0 --separate-stderr pp-symbol in -o out
		[ -z "$stderr" ]
		[ "$(frames out)" = work ]
		[ "$(pp-dump --json in | jq -r 'select(.type == "MMAP2").fields.build_id[:'${#id}']')" = $id ]
		[ "$(pp-script --show-mmap-events in | grep -c "<$id>")" = 1 ]
		cmp <(pp-dump --json in | pp-undump) in
		# one that begins so, or is the beginning, is another
		hit "$PWD/prog" "${id%??}" "$start" >in
		[ -z "$(pp-symbol -q in | frames -)" ]
		# separate debug information and the file itself, by the id alone
		rm -rf root home
		mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}" "home/.debug/.build-id/${id:0:2}/${id:2}" root/bin
		hit /bin/gone $id "$start" >in
		cp prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}"
		[ "$(pp-symbol --root root in | frames -)" = work ]
		cp prog "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
		[ "$(HOME=$PWD/home pp-symbol in | frames -)" = work ]
		strip -o root/bin/gone prog
		objcopy --only-keep-debug prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
		rm "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}"
		[ "$(pp-symbol --root root in | frames -)" = work ]
		# what pp-inject finds; and where the file is given away to another then, only the id tells
		hit "$PWD/prog" - "$start" | pp-inject -b -o in
		[ "$(pp-dump --json in | jq -r 'select(.type == "HEADER_BUILD_ID").fields | .build_id[:2 * .size]')" = $id ]
		[ "$(pp-symbol in | frames -)" = work ]
		hit "$PWD/prog" - "$start" | pp-inject --mmap2-buildid-all -o in
		[ "$(pp-dump --json in | jq -r 'select(.type == "MMAP2").fields.build_id[:'${#id}']')" = $id ]
		[ "$(pp-symbol in | frames -)" = work ]
		pp-save -o data in
		[ "$(pp-symbol data | frames -)" = work ]
	done
}

@test "kinds: a build-id of 8 bytes that is filled with zeros, and disks whose number could be a length" {
	program prog -Wl,--build-id=0x0123456789abcdef
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "build_id old id=0123456789abcdef000000000000000000000000 file=$PWD/prog misc=2"
		echo "mmap2 pid=7 start=0x100000000 len=0x1000000 file=\"$PWD/prog\" time=1"
		echo "sample pid=7 ip=$((0x100000000 + $(at prog work))) misc=2 time=10"
		echo round
	} | build >in
	[ "$(pp-symbol in | frames -)" = work ]
	# the bit for build-ids is set of all maps, where anyone asks for them (Linux 6.18)
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x1000 len=0x1000 maj=8 min=0xfffff ino=77 gen=3 file=/bin/x time=1"
		echo "mmap2 pid=7 start=0x2000 len=0x1000 maj=8 min=1 ino=1 gen=1 file=/bin/y time=2"
	} | build >plain
	pp-dump --json plain | sed '/MMAP2/s/"misc":2/"misc":16386/' | pp-undump -o in
	! cmp -s plain in
	[ "$(pp-dump --json in | jq -c 'select(.type == "MMAP2").fields | [.maj, .min, .ino, .build_id]' | paste -sd' ')" = \
		'[8,1048575,77,null] [8,1,1,null]' ]
	cmp <(pp-dump --json in | pp-undump) in
}

# each FILE: every 4th address of its code: the offsets
each() {
	readelf -SW "$1" | perl -ne '($from, $n) = map { hex } $1, $2 if /\] \.text +PROGBITS +\S+ (\S+) (\S+)/;
		END { print join " ", map { $from + 4 * $_ } 0 .. $n / 4 }'
}

# lines_of FILE: what pp-symbol says of each of its addresses, with lines
lines_of() {
	# shellcheck disable=SC2046
	hit "$PWD/$1" "$(id_of "$1")" $(each "$1") | pp-symbol -q --lines |
		pp-dump --headers --json | jq -c '.names // empty | .[].addresses'
}

@test "kinds: debug information of which dwz put a part into a common file, and some into the same" {
	need dwz
	{
		echo 'struct inner { int x; struct inner *next; long v[8]; };'
		echo 'struct outer { struct inner inner[3]; char name[32]; double d; } shared;'
		cat prog.c
	} >both.c
	mv both.c prog.c
	program one
	sed 's/other/another/g' prog.c >p2.c
	mv p2.c prog.c
	program two -O1
	lines_of one >wanted
	grep -q twice wanted
	grep -q 'prog.c' wanted
	cp one whole
	dwz one
	lines_of one >found
	diff wanted found
	cp whole one
	dwz -m common.debug one two
	readelf -SW one | grep -q gnu_debugaltlink
	lines_of one >found
	diff wanted found
	# without the common file there are symbols
	mv common.debug elsewhere
	hit "$PWD/one" "$(id_of one)" "$(at one work)" >in
	run -0 --separate-stderr pp-symbol --root / in -o out
	[[ $stderr == *"no lines and inlined callers: they need common.debug, which is not there" ]]
	[ "$(frames out)" = work ]
}

# mangled NAME...: functions with these names in the file `mangled`
mangled() {
	local n=0 name
	for name; do
		n=$((n + 1))
		echo "int f$n(int x) __asm__(\"$name\"); int f$n(int x) { return x * $n; }"
	done >mangled.c
	echo 'int main(void) { return 0; }' >>mangled.c
	"${CC:-cc}" -O1 -o mangled mangled.c
	for name; do
		hit "$PWD/mangled" "$(id_of mangled)" "$(at mangled "$name")" | pp-symbol "${how[@]}" | frames -
	done
}

@test "kinds: names of Rust, old and new, and of D" {
	how=()
	mangled _ZN4core3fmt9Formatter9write_str17h0123456789abcdefE _RNvNtCs1234_7mycrate3foo3bar \
		_RINvNtC3std3mem8align_ofjE _D4test3fooFiZv _D8demangle4testFLC6ObjectLDFLiZiZi _Dmain >found
	diff - found <<-'END'
		core::fmt::Formatter::write_str
		mycrate::foo::bar
		std::mem::align_of::<usize>
		test.foo(int)
		demangle.test(lazy Object, lazy int(lazy int) delegate)
		D main
	END
	how=(--demangle=no)
	[ "$(mangled _RNvNtCs1234_7mycrate3foo3bar)" = _RNvNtCs1234_7mycrate3foo3bar ]
}

@test "kinds: names that are no names of a language, though they begin like them, stay as they are" {
	how=()
	mangled _ZN4core _R _RNv _D _D4tes _DQ _ZZZZ _RNvC6_123foo _D3fooQzZ >found
	printf '%s\n' _ZN4core _R _RNv _D _D4tes _DQ _ZZZZ _RNvC6_123foo _D3fooQzZ | diff - found
}

# doubling N: a name of D with N parameters, each a table of two of the one before
doubling() {
	perl -e '
		# how far back it is: digits of base 26, the last in small letters
		sub back { my ($n) = @_; my $d = chr(97 + $n % 26); $d = chr(65 + $n % 26) . $d while $n = int($n / 26); "Q$d" }
		my ($name, $last) = ("_D1a1fFHii", length "_D1a1fF");
		for (2 .. $ARGV[0]) {
			my $at = length $name;
			$name .= "H";
			$name .= back(length($name) - $last) for 1, 2;
			$last = $at;
		}
		print $name, "Zv"' "$1"
}

@test "kinds: a name of D that doubles itself again and again stays as it is" {
	how=()
	[ "$(mangled "$(doubling 3)")" = 'a.f(int[int], int[int][int[int]], int[int][int[int]][int[int][int[int]]])' ]
	for levels in 7 30 300; do
		name=$(doubling $levels)
		[ "$(mangled "$name")" = "$name" ]
	done
}

@test "kinds: a program of Rust, its functions, inlined ones, and lines" {
	need rustc
	# rustup has its own home
	export RUSTUP_HOME=${RUSTUP_HOME:-$(dirname "$(dirname "$(dirname "$(command -v rustc)")")")/.rustup}
	cat >main.rs <<-'END'
		mod shapes {
			#[inline(never)]
			pub fn area<T: Into<f64>>(x: T) -> f64 { let mut s = 0.0; for i in 0..1000 { s += i as f64; } s * x.into() }
		}
		fn main() { println!("{}", shapes::area(std::env::args().count() as u32)); }
	END
	for how in -g '-g -C symbol-mangling-version=v0'; do
		# shellcheck disable=SC2086
		rustc -O $how -o prog main.rs 2>/dev/null || skip "rustc does not run here"
		symbol=$(nm prog | awk '/6shapes4area/ { print $3; exit }')
		hit "$PWD/prog" "$(id_of prog)" "$(at prog "${symbol//$/\\$}")" | pp-symbol --lines >out
		pp-dump --headers --json out | jq -r '.names // empty | .[].addresses[].frames[-1] | .symbol, .file' >found
		grep -q '^main::shapes::area' found
		grep -q 'main.rs$' found
	done
}

# own_vdso: the file `vdso`, and its $symbol: "OFFSET NAME"
own_vdso() {
	perl -e 'open my $m, "<", "/proc/self/maps"; while (<$m>) {
		next if !/^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]/;
		open my $f, "<:raw", "/proc/self/mem" or exit;
		sysseek $f, hex $1, 0; sysread $f, $_, hex($2) - hex $1;
		open my $to, ">:raw", "vdso"; print $to $_ }'
	[ -s vdso ] || skip "there is no vdso here"
	symbol=$(nm -D vdso | awk '/ [TW] (__vdso|__kernel)_clock_gettime/ { print $1, $3; exit }')
	[ -n "$symbol" ] || skip "the vdso has no such function"
}

@test "kinds: functions of the vdso that this kernel has, and of no other" {
	own_vdso
	hit '[vdso]' "$(id_of vdso)" $((0x${symbol% *})) >in
	name=$(pp-symbol in | frames -)
	symbol=${symbol%%@*}
	[ "${name%%@*}" = "${symbol##* }" ]
	hit '[vdso]' "$(printf '%040d' 3)" $((0x${symbol% *})) >in
	[ -z "$(pp-symbol -q in | frames -)" ]
}

@test "kinds: functions of a vdso without a build-id, where the stream says that its kernel is this one" {
	own_vdso
	id=$(perl -e 'local $/; open F, "/sys/kernel/notes" or exit; $_ = <F>; print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s')
	[ -n "$id" ] || skip "the build-id of this kernel is not known"
	of_kernel() {
		cat <<-END | build
			header
			attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			mmap2 pid=-1 start=0xffffffff81000000 len=0x1000000 misc=0x4001 file="[kernel.kallsyms]_text" build_id=$1 time=0
			mmap2 pid=7 start=0x100000000 len=0x2000 file="[vdso]" time=1
			sample pid=7 ip=$((0x100000000 + 0x${symbol% *})) misc=2 time=10
			round
		END
	}
	of_kernel "$id" >in
	name=$(pp-symbol in | frames -)
	symbol=${symbol%%@*}
	[ "${name%%@*}" = "${symbol##* }" ]
	[ -z "$(pp-symbol --root / in | frames -)" ]
	# the names are those of what the stream maps
	pp-symbol in | pp-script --root /nowhere -q -F ip,sym | grep -qF "${symbol##* }"
	of_kernel "$(printf '%040d' 3)" >in
	[ -z "$(pp-symbol -q in | frames -)" ]
}
