# places.bats - which addresses pp-symbol names, and where it looks for them: places that need a machine made for the
# test.

setup() {
	load ../../helper
	load symbols
	source_of_prog
}

# kernel ID TEXT OFFSET...: samples in a kernel whose _text is there
kernel() { in_kernel "[kernel.kallsyms]_text" "$2" 0x4000000 "$1" "${@:3}"; }

own_kernel() {
	id=$(perl -e 'local $/; open F, "/sys/kernel/notes" or exit; $_ = <F>; print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s')
	[ -n "$id" ] || skip "the kernel has no build-id"
	: >kallsyms
	private true 2>/dev/null || skip "no mounts of one's own here"
}

@test "symbol: names of the kernel are those at the same distance from its _text, wherever it was put" {
	own_kernel
	printf '%s\n' 'ffffffff92000000 T _text' 'ffffffff92000100 T one' 'ffffffff92000180 t two' \
		'ffffffff92000200 T three	[module]' 'ffffffff92000300 B data' >kallsyms
	kernel "$id" 0xffffffff81000000 0x110 0x17f 0x180 >in
	[ "$(private pp-symbol in | frames - | xargs)" = "one one two" ]
}

@test "symbol: code that the kernel runs once is beyond the end of its map" {
	own_kernel
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000100 T one' 'ffffffff81001000 T _etext' \
		'ffffffff81002100 T start_kernel' 'ffffffff81002200 T _einittext' >kallsyms
	in_kernel "[kernel.kallsyms]_text" 0xffffffff81000000 0x1000 "$id" 0x110 0x2110 0x10002110 >in
	private pp-symbol in >named
	[ "$(frames named | xargs)" = "one start_kernel" ]
	mkdir root
	pp-script --root root -F ip,sym,dso named | sed 's/^ *//' >got
	diff - got <<-'END'
		ffffffff81000110 one ([kernel.kallsyms])
		ffffffff81002110 start_kernel ([kernel.kallsyms])
		ffffffff91002110 [unknown] ([unknown])
	END
	# without its name it may be anything
	pp-script --root root -F ip,sym,dso in | grep -qx ' *ffffffff81002110 \[unknown\] (\[unknown\])'
	pp-report --root root -s dso,sym -g none named | grep -q 'kernel.kallsyms.*start_kernel'
}

@test "symbol: where the kernel's addresses are hidden it has no names, which is said once" {
	own_kernel
	printf '%s\n' '0000000000000000 T _text' '0000000000000000 T one' >kallsyms
	kernel "$id" 0xffffffff81000000 0x110 0x180 >in
	run -0 --separate-stderr private pp-symbol in -o out
	[ "$stderr" = "pp-symbol: the addresses in /proc/kallsyms are hidden: no names of the kernel (as root: setcap cap_syslog=ep on the program)" ] ||
		[[ $stderr == *" (as root: sysctl kernel.kptr_restrict=1)" ]]
	[ -z "$(frames out)" ]
}

@test "symbol: where there is no list of the kernel's symbols, the reason is said" {
	! sanitized || skip "a sanitizer itself needs /proc"
	own_kernel
	kernel "$id" 0xffffffff81000000 0x110 0x180 >in
	run -0 --separate-stderr unshare -m --propagation private sh -c 'mount -t tmpfs none /proc && exec pp-symbol in -o out'
	[ "$stderr" = 'pp-symbol: cannot read /proc/kallsyms: No such file or directory: no names of the kernel' ]
	[ -z "$(frames out)" ]
}

# long_kernel NAME [TEXT]: a list of symbols of which only what comes last has that name, 0x100000 after _text
long_kernel() {
	perl -e '($name, $text) = @ARGV; $text = hex($text || "ffffffff92000000");
		printf "%016x %s %s\n", $text + $_->[0], $_->[1], $_->[2] for [0, "T", "_text"], (map { [16 * $_, "t", "f$_"] } 1 .. 200),
			[0x100000, "T", $name], [0x100100, "t", "next"], [0x100200, "D", "data"];
		printf "%016x t made\t[module]\n", $text + 0x100300' "$@" >kallsyms
}

@test "symbol: names of the kernel's own functions are kept for the next run, wherever a boot puts it" {
	own_kernel
	export XDG_CACHE_HOME=$PWD/new/cache
	mkdir new
	kernel "$id" 0xffffffff81000000 0x100010 0x14 >in
	long_kernel one
	[ "$(private pp-symbol in | frames - | xargs)" = "f1 one" ]
	[ "$(stat -c %a new/cache/perfpipe)" = 700 ]
	[ "$(stat -c %a new/cache/perfpipe/kernel)" = 600 ]
	[ "$(ls new/cache/perfpipe)" = kernel ]
	long_kernel other ffffffff83000000
	[ "$(private pp-symbol in | frames - | xargs)" = "f1 one" ]
	# an address is nowhere in it
	run ! grep -qP '\x92\xff\xff\xff\xff' new/cache/perfpipe/kernel
}

@test "symbol: what is kept of the kernel is no answer for other code than its own" {
	own_kernel
	export XDG_CACHE_HOME=$PWD
	long_kernel one
	kernel "$id" 0xffffffff81000000 0x100010 >in
	[ "$(private pp-symbol in | frames -)" = one ]
	long_kernel other
	for offset in 0x100110:next 0x100210:data 0x100310:made; do
		kernel "$id" 0xffffffff81000000 0x100010 ${offset%:*} >in
		[ "$(private pp-symbol in | frames - | xargs)" = "other ${offset#*:}" ]
	done
	kernel "$id" 0xffffffff81000000 0x100010 >in
	[ "$(private pp-symbol in | frames -)" = one ]
}

@test "symbol: what is kept of the kernel is not used where it is damaged, another's, or addresses are hidden" {
	own_kernel
	export XDG_CACHE_HOME=$PWD
	kernel "$id" 0xffffffff81000000 0x100010 >in
	long_kernel one
	private pp-symbol in -o out
	cp perfpipe/kernel kept
	long_kernel other
	[ "$(private pp-symbol in | frames -)" = one ]
	for bytes in 8 39 40 1000 "$(($(stat -c %s kept) - 1))"; do
		head -c "$bytes" kept >perfpipe/kernel
		[ "$(private pp-symbol in | frames -)" = other ]
	done
	for place in 0 9 16 24 32 48 4000 "$(($(stat -c %s kept) - 2))"; do
		cp kept perfpipe/kernel
		printf '\377' | dd of=perfpipe/kernel bs=1 seek="$place" conv=notrunc status=none
		[ "$(private pp-symbol in | frames -)" = other ]
	done
	cp kept perfpipe/kernel
	chmod 622 perfpipe/kernel
	[ "$(private pp-symbol in | frames -)" = other ]
	chmod 600 perfpipe/kernel
	cp kept perfpipe/kernel
	sed -i 's/ f7$/ g7/' kallsyms
	[ "$(private pp-symbol in | frames -)" = other ]
	cp kept perfpipe/kernel
	sed -i 's/ g7$/ f7/; s/^[0-9a-f]*/0000000000000000/' kallsyms
	run -0 --separate-stderr private pp-symbol in -o out
	[[ $stderr == *"are hidden"* ]]
	[ -z "$(frames out)" ]
}

@test "symbol: what cannot be kept of the kernel is no failure" {
	own_kernel
	kernel "$id" 0xffffffff81000000 0x100010 >in
	long_kernel one
	for home in /proc /nowhere/at/all "" relative; do
		run -0 --separate-stderr private env XDG_CACHE_HOME="$home" HOME="$home" pp-symbol in -o out
		[ -z "$stderr" ]
		[ "$(frames out)" = one ]
	done
	run -0 --separate-stderr private sh -c 'ulimit -f 1; exec pp-symbol in' >out
	[ -z "$stderr" ]
	[ ! -e relative ]
}

@test "symbol: names of another kernel are those of its vmlinux" {
	echo '__asm__(".text\n.globl _text\n_text: nop\n");' | cat - prog.c >kernel.c
	mkdir -p root/boot
	"${CC:-cc}" -O1 -o root/boot/vmlinux kernel.c
	distance=$((0x$(nm root/boot/vmlinux | sed -n 's/ [tT] work$//p') - 0x$(nm root/boot/vmlinux | sed -n 's/ [tT] _text$//p')))
	kernel "$(id_of root/boot/vmlinux)" 0xffffffff81000000 $((distance + 1)) >in
	[ "$(pp-symbol --root root in | frames -)" = work ]
	kernel "$(printf '%040d' 7)" 0xffffffff81000000 $((distance + 1)) >in
	[ -z "$(pp-symbol -q --root root in | frames -)" ]
}

@test "symbol: files of a process that lives are those of its own mounts" {
	private true 2>/dev/null || skip "no mounts of one's own here"
	program prog
	mkdir there
	unshare -m --propagation private sh -c 'mount -t tmpfs none there && cp prog there/ && : >mounted && exec sleep 60' 3>&- &
	owner=$!
	timeout 60 sh -c "until [ -e mounted ]; do sleep 0.05; done"
	[ ! -e there/prog ]
	pid=$owner hit "$PWD/there/prog" "$(id_of prog)" "$(at prog work)" >in
	[ "$(pp-symbol in | frames - | sed 's/.*<//')" = work ]
	kill "$owner"
	wait "$owner" || true
	[ -z "$(pp-symbol -q in | frames -)" ]
}

@test "symbol: addresses of data and both ends of branches are named as those of code" {
	program prog
	for name in work other main; do
		eval "$name=$((0x100000000 + $(at prog $name)))"
	done
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,ADDR,BRANCH_STACK branch_sample_type=8 flags=sample_id_all
		mmap2 pid=7 start=0x100000000 len=0x1000000 file="$PWD/prog" build_id=$(id_of prog) time=1
		sample pid=7 ip=1 misc=2 time=11 addr=$main branches=$work:$other:0
		round
	END
	[ "$(pp-symbol --no-inline in | frames - | sort | xargs)" = "main other work" ]
}

@test "symbol: an address after a mark that there is not is no reason to leave it out elsewhere" {
	local address
	program prog
	address=$(printf 0x%x $((0x100000000 + $(at prog work))))
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		mmap2 pid=7 start=0x100000000 len=0x1000000 file="$PWD/prog" build_id=$(id_of prog) time=1
		sample pid=7 ip=0x10 misc=2 time=11 callchain=0xfffffffffffffffe,$address
		sample pid=7 ip=0x10 misc=2 time=12 callchain=0xfffffffffffffe00,$address
		round
	END
	[ "$(pp-symbol in | frames -)" = work ]
}

@test "symbol: a socket is passed over, which is said" {
	perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1) or die $!'
	hit "$PWD/socket" - 0x1000 >in
	run -0 --separate-stderr pp-symbol in -o out
	[ "$stderr" = "pp-symbol: no symbols for $PWD/socket: it is not a regular file" ]
	cmp in out
}

# bats test_tags=nightly
@test "symbol: code of a Java machine has the names that perf says, of the list it leaves" {
	need javac
	need java
	need_perf_events
	cat >Spin.java <<-'END'
		public class Spin {
			static long x;
			static void work(int n) { for (int i = 0; i < n; i++) x += i ^ (x >> 3); }
			public static void main(String[] a)
			{
				long end = System.nanoTime() + 1_000_000_000L;
				while (System.nanoTime() < end) work(100000);
			}
		}
	END
	javac Spin.java || skip "this javac compiles nothing"
	pp-record -q -F 499 -e cpu-clock:u -g -o in -- java -XX:+UnlockDiagnosticVMOptions -XX:+PreserveFramePointer \
		-XX:+DumpPerfMapAtExit Spin || skip "this java lists no functions"
	pp-symbol -q in -o named
	perf script -F ip,sym,dso -i in 2>perf.err | grep '(/tmp/perf-[0-9]*\.map)' | sort >expected
	[ -s expected ] || skip "this java lists no functions, or perf finds no list"
	pp-script -F ip,sym,dso named | grep '(/tmp/perf-[0-9]*\.map)' | sort >got
	diff expected got
	grep -q 'Spin\.work' got
	# and so from this machine's list
	pp-script -F ip,sym,dso in | grep '(/tmp/perf-[0-9]*\.map)' | sort | diff got -
}
