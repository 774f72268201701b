# bolt.bats - pp-export --to bolt: samples by symbol and offset, and that llvm-bolt reads them.

setup() {
	load ../../helper
	load export
	mkdir none
}

@test "bolt: samples of one file by symbol and offset; no other file, and what has no name, is there" {
	threads_and_events >in
	pp-export --root none --dso '[kernel.kallsyms]' in -q -o out.fdata
	diff out.fdata - <<-'END'
		no_lbr cpu-clock
		1 inner 10 2
		1 inner/1 10 2
	END
	run -0 pp-export --to bolt --root none --dso x.so -e page-faults -q in
	assert_output 'no_lbr page-faults'
	run -2 pp-export --to bolt --root none --dso nothing.so -q in -o out
	assert_output --partial 'there are no samples in nothing.so'
	[ ! -e out ]
}

@test "bolt: names of a hostile stream stay words of one line; a cut stream gives status 3" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name="a b\nc\\" time=1
		sample id=1 pid=7 tid=7 time=10 period=5 misc=1 ip=0xffffffff81000010
		round
	END
	run -0 pp-export --to bolt --root none --dso '[kernel.kallsyms]' -q in
	assert_line -n 1 '1 a\ b\ c\\ 10 1'
	threads_and_events | pp-cat --seal | head -c 1500 >in
	run -3 --separate-stderr pp-export --to bolt --root none --dso '[kernel.kallsyms]' -q in
	assert_line -n 0 'no_lbr cpu-clock'
}

# bats test_tags=nightly
@test "bolt: llvm-bolt finds the functions of a program, also local ones" {
	need llvm-bolt-19
	cat >hot.c <<-'END'
		#include <stdio.h>
		#define APART __attribute__((noinline))
		APART static long local(long n) { long s = 0; for (long i = 0; i < n; i++) s += i % 3 ? i * i : s ^ i; return s; }
		APART long global(long n) { long s = 0; for (long i = 0; i < n; i++) s += i % 5 ? i * 7 : s ^ i; return s; }
		int main(int c, char **v)
		{
			long s = (long)v;
			for (long i = 0; i < 200; i++)
				s += local(100000 * c + i) + global(100000 * c + i);
			printf("%ld\n", s);
		}
	END
	gcc -O1 -Wl,--emit-relocs -o hot hot.c
	pp-record -q -e cpu-clock -F 999 -o in -- ./hot
	pp-export -q in -o out.fdata
	run -0 llvm-bolt-19 hot -o better --data out.fdata
	assert_line --regexp '^BOLT-INFO: [2-9] out of .* functions in the binary .* have non-empty'
}
