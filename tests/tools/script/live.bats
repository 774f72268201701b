# live.bats - what pp-script prints of recordings, beside perf script of 6.1 and 7.3.

setup() {
	load ../../helper
	load beside
}

# A program with functions that call each other, and one that is inlined.
program() {
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		static inline __attribute__((always_inline)) void inlined(unsigned n) { while (n--) x += n; }
		__attribute__((noinline)) void inner(void) { inlined(50000); x++; }
		__attribute__((noinline)) void outer(void) { for (int i = 0; i < 400; i++) inner(); x++; }
		int main(void) { for (int i = 0; i < 2; i++) outer(); x++; return 0; }
	END
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c
}

# bats test_tags=nightly
@test "script: chains of a stream, with what is inlined, and of a file" {
	need_perf_events
	program
	perf record -q -e cpu-clock:u -g -o - -- ./prog >g
	perf record -q -e cpu-clock:u -g -o f -- ./prog
	rows gf
}

@test "script: what is inlined in a function of its own name" {
	need_perf_events
	need "${CC:-cc}"
	cat >self.c <<-'END'
		static volatile unsigned x;
		unsigned walk(unsigned n)
		{
			inline __attribute__((always_inline)) unsigned walk(unsigned k) { while (k--) x += k; return x; }
			return walk(n) + x++;
		}
		int main(void) { for (int i = 0; i < 2000; i++) x = walk(20000); return 0; }
	END
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o self self.c
	perf record -q -e cpu-clock:u -g -o - -- ./self >i
	rows i
}

# bats test_tags=nightly
@test "script: what is inlined, in chains that are made of stacks" {
	need_perf_events
	program
	perf record -q -e cpu-clock:u --call-graph dwarf -o - -- ./prog >stacks
	pp-unwind -q stacks >unwound
	for like in 6.1 7.3; do
		pp-script -q --like "$like" unwound >got
		grep -q 'inlined+0x.*(inlined)' got
	done
	# of those of the kernel perf 6.1 shows no inlined functions
	perf record -q -e cpu-clock:u -g -o - -- ./prog >chains
	pp-script -q --like 6.1 chains >got
	grep -q ' inner+0x' got
	[ "$(grep -c '(inlined)' got)" -eq 0 ]
}

@test "script: samples without chains, and names of C++" {
	need_perf_events
	need "${CXX:-c++}"
	program
	cat >cpp.cc <<-'END'
		namespace { volatile unsigned x; }
		template <class T> struct box {
			__attribute__((noinline)) void spin(T n, const char *) { while (n--) x = x + 1; }
		};
		int main() { box<unsigned> b; for (int i = 0; i < 800; i++) b.spin(50000, ""); }
	END
	"${CXX:-c++}" -O1 -g -fno-omit-frame-pointer -o cpp cpp.cc
	perf record -q -e cpu-clock -o - -- ./prog >n
	perf record -q -e cpu-clock:u -g -o - -- ./cpp >c
	rows nc
}

# bats test_tags=nightly
@test "script: switches, and faults with their addresses" {
	need_perf_events
	program
	perf record -q -e cpu-clock --switch-events -o - -- sh -c './prog & ./prog; wait' >s
	perf record -q -e page-faults -c 1 -d -o - -- ./prog >a
	perf record -q -e cpu-clock --sample-cpu --switch-events -o z -- sh -c 'taskset -c 0 ./prog & ./prog; wait'
	rows saz
}

# bats test_tags=nightly
@test "script: tracepoints, with and without chains, beside other events" {
	need_tracepoints
	pp-script --help >/dev/null
	perf record -q -e cpu-clock -e sched:sched_switch -e raw_syscalls:sys_enter -o - -- sh -c 'ls / | sort' >t
	perf record -q -g -e sched:sched_switch -e sched:sched_process_exec -o - -- sh -c 'ls / | sort' >k
	perf record -q -a -e 'sched:*' -e 'irq:*' -e 'timer:*' -e 'signal:*' -o - -- sh -c 'ls / | sort' >e ||
		perf record -q -e 'sched:*' -e 'signal:*' -o - -- sh -c 'ls / | sort' >e
	# functions in what they say have names in a file, and none in a stream
	perf record -q -e kmem:kmalloc -o l -- sh -c 'ls / | sort'
	perf record -q -e kmem:kmalloc -o - -- sh -c 'ls / | sort' >j
	rows tkelj
	pp-script l | grep -q 'call_site=[a-z_]*+0x'
	pp-report -q -s trace l | grep -q 'call_site=[a-z_]*+0x'
}

@test "script: what was mapped is read at the end, where buffers were overwritten" {
	need_perf_events
	program
	perf record -q --overwrite -e cpu-clock -g -o v -- ./prog
	rows v
	[ "$(pp-script -q -F ip,sym,dso v | grep -c ' inner .*/prog)')" -gt 0 ]
}

@test "script: what a folder of files says of itself" {
	need_perf_events
	program
	perf record -q --threads -e cpu-clock -o y -- ./prog || skip "perf record does not know --threads"
	[ -d y ]
	rows y
}
