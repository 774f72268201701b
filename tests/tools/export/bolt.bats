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

@test "bolt: where samples have branches these are written, those of one file, each once whatever the name" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,BRANCH_STACK,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol branch_sample_type=ANY type=0 config=0
		attr id=2 sample_type=IP,TID,TIME,PERIOD,BRANCH_STACK,IDENTIFIER flags=sample_id_all branch_sample_type=ANY type=0 config=1
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
		sample id=1 pid=7 tid=7 time=10 period=5 misc=1 ip=0xffffffff81000020 branches=0xffffffff81000010:0xffffffff81000020:2,0xffffffff81000010:0xffffffff81000020:1,0:0:0
		sample id=1 pid=7 tid=7 time=11 period=5 misc=1 ip=0xffffffff81000020 branches=0xffffffff81000010:0xffffffff81000020:2,0xffffffff81000030:0xffffffff81000100:1
		sample id=2 pid=7 tid=7 time=12 period=5 misc=1 ip=0xffffffff81000020 branches=0x400010:0xffffffff81000100:2,0xffffffff810001ff:0x400020:0,0x400000:0x400010:0
		round
	END
	pp-export --to bolt --root none --dso '[kernel.kallsyms]' -q in -o out
	diff out - <<-'END'
		1 outer 10 1 outer 20 1 3
		1 outer/1 10 1 outer/1 20 1 3
		1 outer 30 1 inner 0 1 1
		1 outer/1 30 0 [unknown] 0 1 1
		0 [unknown] 0 1 inner/1 0 1 1
		0 [unknown] 0 1 inner 0 0 1
		0 [unknown] 0 1 inner/1 0 0 1
		1 inner ff 0 [unknown] 0 0 1
		1 inner/1 ff 0 [unknown] 0 0 1
	END
	run -0 pp-export --to bolt --root none --dso '[kernel.kallsyms]' -e instructions -q in
	assert_line -n 0 '0 [unknown] 0 1 inner 0 0 1'
	# a file that no branch is in has its samples
	pp-dump --json in | sed 's/"from":"0xf/"from":"0x7/g; s/"to":"0xf/"to":"0x7/g' | pp-undump -o user
	run -0 pp-export --to bolt --root none --dso '[kernel.kallsyms]' -q user
	assert_output $'no_lbr cycles\n1 outer 20 2\n1 outer/1 20 2'
	run -0 pp-export --to bolt --root none --dso '[kernel.kallsyms]' --filter 'time == 11ns' -q in
	assert_line -n 0 '1 outer 10 1 outer 20 0 1'
}

# hot FLAG...: a program with a hot function that other files see, and one that they do not
hot() {
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
	gcc -O1 -Wl,--emit-relocs "$@" -o hot hot.c
}

# bats test_tags=nightly
@test "bolt: llvm-bolt finds the functions of a program, also local ones" {
	need llvm-bolt-19
	hot
	pp-record -q -e cpu-clock -F 999 -o in -- ./hot
	pp-export -q in -o out.fdata
	run -0 llvm-bolt-19 hot -o better --data out.fdata
	assert_line --regexp '^BOLT-INFO: [2-9] out of .* functions in the binary .* have non-empty'
}

# bats test_tags=nightly
@test "bolt: llvm-bolt finds the count of each branch of a program, and knows which is a call" {
	need llvm-bolt-19 objdump
	hot -no-pie
	{
		cat <<-END
			header
			attr id=1 sample_type=IP,TID,TIME,PERIOD,BRANCH_STACK,IDENTIFIER flags=sample_id_all,comm,mmap branch_sample_type=USER,ANY type=0 config=0
			feature CMDLINE list "pp-record" "--" "./hot"
			mmap2 pid=7 start=0x401000 len=0x1000 pgoff=0x1000 file=$PWD/hot prot=5 time=6
		END
		# each jump and call three times, once mispredicted
		objdump -d --no-show-raw-insn hot | perl -ne '/^ *([0-9a-f]+):\s+(?:j\w+|call) +([0-9a-f]+) <(?:local|global)/ and
			print "sample id=1 pid=7 tid=7 time=9 period=5 ip=0x$2 branches=0x$1:0x$2:1,0x$1:0x$2:2,0x$1:0x$2:2\n"'
		echo round
	} | build >in
	pp-export -q in -o out.fdata
	run -0 llvm-bolt-19 hot -o better --data out.fdata --infer-fall-throughs --print-cfg --print-only='global,local/1.*'
	assert_line --regexp '^BOLT-INFO: 3 out of .* functions in the binary .* have non-empty'
	refute_output --partial 'stale'
	# the calls of both, and jumps of either kind
	printf '%s\n' "${lines[@]}" >got
	[ "$(grep -cx '  Exec Count  : 3' got)" = 2 ]
	[ "$(grep -c 'Successors: .Ltmp[0-9]* (mispreds: 1, count: 3)' got)" -ge 4 ]
	refute grep 'mispreds: [02-9]' got
}
