#!/usr/bin/env bats
# programs.bats - pp-unwind on recordings of programs of all kinds, made here: perf 7.3 shows the same
# before and after, and where perf 6.1 differs, it ends early.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	need_perf_events
}

# newest: perf 7.3, which unwinds as we do
newest() {
	need_newer_perf 7.3
	newest=$(newer_perf 7.3)
}

# shows PERF FILE
shows() { "$1" script --no-inline -F comm,tid,time,ip,sym,dso -i - <"$2" 2>/dev/null; }

# record COMMAND...: into in.pipe
record() { pp-record -q --call-graph dwarf -e cpu-clock -F 2000 -o in.pipe -- "$@"; }

# same FUNCTION...: perf shows in.pipe as what becomes of it, but for what classes.pl calls resolver, and
# each of the functions
same() {
	local function
	pp-unwind -q in.pipe >out.pipe
	shows "$newest" in.pipe >wanted
	shows "$newest" out.pipe >found
	perl "$TESTS/tools/unwind/classes.pl" wanted found >classes
	cat classes
	run -1 grep -vE 'equal|resolver' classes
	for function; do
		grep -q "$function" found || { echo "no $function"; false; }
	done
}

@test "C: each optimization, static, at a fixed place, without frame pointers, without .eh_frame" {
	newest
	need gcc
	cat >prog.c <<-'END'
		#include <stdlib.h>
		volatile long sink;
		static int cmp(const void *a, const void *b) { for (int i = 0; i < 50; i++) sink += i; return *(int *)a - *(int *)b; }
		__attribute__((noinline)) void work(int n) { int v[512]; for (int i = 0; i < 512; i++) v[i] = rand(); qsort(v, 512, sizeof(int), cmp); sink += v[n & 511]; }
		__attribute__((noinline)) void rec(int d) { if (d) rec(d - 1); else work(d); sink++; }
		int main(void) { for (int i = 0; i < 200; i++) rec(i % 20); return 0; }
	END
	for how in "-O0" "-O1 -no-pie" "-O2" "-O2 -static" "-O2 -static-pie" "-O3 -fomit-frame-pointer" \
		"-O2 -fno-omit-frame-pointer" "-O2 -g -fno-asynchronous-unwind-tables"; do
		# shellcheck disable=SC2086
		gcc $how -o prog prog.c
		record ./prog
		same rec work
	done
}

@test "programs that lld links, as those of Rust are: perf 6.12 shows the same" {
	need_newer_perf 6.12
	newest=$(newer_perf 6.12)
	need clang ld.lld
	cat >prog.c <<-'END'
		volatile long sink;
		__attribute__((noinline)) void work(void) { for (int i = 0; i < 100000; i++) sink += i; }
		__attribute__((noinline)) void rec(int d) { if (d) rec(d - 1); else work(); sink++; }
		int main(void) { for (int i = 0; i < 400; i++) rec(i % 20); return 0; }
	END
	for how in -pie -no-pie; do
		clang -O1 -fuse-ld=lld "$how" -o prog prog.c
		record ./prog
		same rec work main
	done
}

# bats test_tags=nightly
@test "C++: exceptions, lambdas, signals, threads, dlopen, vfork, assembly, stripped with a debug link" {
	newest
	[ "$(uname -m)" = x86_64 ] || skip 'written for x86_64'
	need g++ objcopy strip
	cat >prog.cc <<-'END'
		#include <dlfcn.h>
		#include <functional>
		#include <signal.h>
		#include <stdexcept>
		#include <sys/wait.h>
		#include <thread>
		#include <unistd.h>
		volatile long sink;
		static void spin(int n) { for (int i = 0; i < n; i++) sink += i; }
		__attribute__((noinline)) void thrower(int d) { if (!d) throw std::runtime_error("x"); thrower(d - 1); sink++; }
		__attribute__((noinline)) void catcher() { try { thrower(8); } catch (std::exception &) { spin(9000); } }
		static void handler(int) { spin(90000); }
		__attribute__((noinline)) void raiser() { raise(SIGUSR1); sink++; }
		asm(".globl odd\n.type odd,@function\nodd: push %rbx\nmov $90000,%rbx\n1: dec %rbx\njnz 1b\npop %rbx\nret\n.size odd,.-odd\n");
		extern "C" void odd();
		int main() {
			signal(SIGUSR1, handler);
			std::function<void(int)> down = [&](int n) { if (n) down(n - 1); else spin(9000); sink++; };
			for (int k = 0; k < 60; k++) {
				catcher(); down(10); raiser();
				odd();
				if (k % 20) continue;
				std::thread t([&] { down(5); catcher(); });
				t.join();
				pid_t p = vfork();
				if (!p) { spin(90000); _exit(0); }
				waitpid(p, 0, 0);
				void *h = dlopen("libm.so.6", RTLD_NOW);
				double (*f)(double) = h ? (double (*)(double))dlsym(h, "lgamma") : 0;
				for (int i = 0; f && i < 9000; i++) sink += f(i * .37);
			}
		}
	END
	for how in "-O0" "-O2" "-O3 -static -fomit-frame-pointer" "-O2 -g -fno-asynchronous-unwind-tables"; do
		# shellcheck disable=SC2086
		g++ $how -o prog prog.cc -pthread -ldl 2>/dev/null
		if [ "$how" = "-O2" ]; then
			objcopy --only-keep-debug prog prog.debug
			strip prog
			objcopy --add-gnu-debuglink=prog.debug prog
		fi
		record ./prog
		same
		[ "$(grep -c . found)" -gt 20 ]
	done
}

@test "fork and exec, and calls through the PLT" {
	newest
	need gcc
	cat >lib.c <<-'END'
		volatile long sink;
		void leaf(void) { sink++; }
		void deep(int n) { if (n) deep(n - 1); else for (int i = 0; i < 100; i++) leaf(); sink++; }
	END
	cat >prog.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		extern void leaf(void);
		extern void deep(int);
		__attribute__((noinline)) static void here(int n) { for (int i = 0; i < n; i++) leaf(); }
		__attribute__((noinline)) static void child(void) { for (int i = 0; i < 300000; i++) deep(20); }
		int main(int argc, char **argv)
		{
			if (argc > 1) {
				here(50000000);
				return 0;
			}
			if (!fork()) {
				child();
				execl("/proc/self/exe", "again", "x", (char *)0);
			}
			wait(0);
			return 0;
		}
	END
	gcc -O1 -fPIC -shared -fno-optimize-sibling-calls -o libdeep.so lib.c -Wl,-z,lazy
	gcc -O1 -o prog prog.c ./libdeep.so -Wl,-z,lazy
	record ./prog
	same deep child here leaf@plt
}

@test "an interpreter that is recursive: perl" {
	newest
	record perl -e 'sub f { my $n = shift; return $n ? f($n - 1) : eval {
		my @a = sort { $a <=> $b } map { rand } 1 .. 9000; length "@a" } } f(20) for 1 .. 10'
	same Perl_ main
}

@test "an interpreter that is recursive: python" {
	newest
	need python3
	python3 -c '' || skip "python3 does not run"
	record python3 -c 'if True:
		import json
		def f(n): return f(n - 1) if n else sum(len(json.dumps(list(range(200)))) for i in range(30))
		for k in range(20): f(30)'
	same main
}

# compile: records the compiler at a file of its own; cc1 is a large program
compile() {
	need gcc
	local cc1
	cc1=$(gcc -print-prog-name=cc1)
	[ -x "$cc1" ] && [ "$(stat -Lc %s "$cc1")" -gt 20000000 ] || skip "no cc1 of more than 20 MB"
	echo 'int f(int a) { return a * 3; }' >x.c
	seq 1 250 | sed 's/.*/int g&(int *p, int n) { int s = 0; for (int i = 1; i < n; i++) { s += p[i] * &; if (s > 99) s -= p[i - 1]; } return s; }/' >>x.c
	pp-record -q --call-graph dwarf,16384 -e cpu-clock -F 999 -o in.pipe -- gcc -O2 -c -o x.o x.c
}

@test "a large program: the compiler itself" {
	newest
	compile
	same toplev::main
}

# Where perf 6.1 finds no rule it looks for an address on the stack, and goes on from any that it finds; how
# often, the recording decides: 20 of 130,000 chains were seen.
@test "perf 6.1 begins every chain as we do, and goes elsewhere with few" {
	compile
	case $(perf version) in "perf version 6.1."*) ;; *) skip "perf is not 6.1" ;; esac
	pp-unwind -q in.pipe >out.pipe
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i - <in.pipe >wanted 2>/dev/null
	perf script --no-inline -F comm,tid,time,ip,sym,dso -i - <out.pipe >found 2>/dev/null
	perl "$TESTS/tools/unwind/classes.pl" wanted found >classes
	sed 's/^/# perf 6.1: /' classes >&3
	run -1 grep other classes
	awk '{ all += $1 } $2 == "astray" { astray = $1 } END { exit !all || astray > all / 20 }' classes
}
