# fold.bash - loaded after names.bash by tests of pp-fold: the beginning of a stream with chains.

head_of() {
	head_with CALLCHAIN
	echo 'comm pid=8 comm="eight up" time=6'
}

# prog_without_libc NAME: a program whose every function has one name, and whose last step ends it; else skips
prog_without_libc() {
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		__attribute__((noinline)) void inner(void) { for (int i = 0; i < 100000; i++) x += i; }
		__attribute__((noinline)) void outer(void) { for (int i = 0; i < 400; i++) inner(); x++; }
		__attribute__((noinline)) void work(void) { for (int i = 0; i < 3; i++) outer(); x++; }
		void _start(void) { work(); for (;;) __builtin_trap(); }
	END
	"${CC:-cc}" -O1 -g -static -nostdlib -fno-stack-protector -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -o "$1" prog.c || skip "no program can be built without a libc here"
	ulimit -c 0
}
