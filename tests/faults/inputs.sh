#!/bin/bash
# inputs.sh FOLDER - small inputs of each kind for lines.txt; needs the tools on PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tests=$here/..
cd "$1"

build() { perl "$tests/build.pl"; }

# host NAME PROCESSORS PID: a stream that says where it was recorded
host() {
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 name=cpu-clock
		feature HOSTNAME string "$1"
		feature NRCPUS u32 $2 u32 $2
		feature EVENT_DESC
		feature CLOCKID u64 1
		comm pid=$3 comm=$1 time=1000
		mmap2 pid=$3 start=0x1000 len=0x1000 file=/bin/$1 time=1001
		repeat 9 {
		sample pid=$3 cpu=$(($2 - 1)) time=\$(i*1000000+2000) ip=0x1001
		}
		round
	END
}

pp-gen --seed 1 --samples 60 --pids 3 --threads 2 --mmaps 3 --forks 2 --exits 2 --comms 2 --lost 1 \
	--duration 1s >sealed
pp-gen --seed 2 --samples 60 --pids 2 --mmaps 2 --events 3 --duration 1s --no-seal >unsealed
pp-gen --seed 3 --samples 90 --callchain 4 --duration 1s -z >packed
pp-gen --seed 4 --samples 40 --big-endian --callchain 3 --duration 1s --no-seal >big
pp-gen --seed 5 --samples 60 --disorder 80ms --rounds 4 --break-rounds --duration 1s >disordered
pp-gen --seed 8 --samples 120 --raw 60000 --rounds 60 --duration 8s | pp-cat --index >indexed
pp-gen --seed 6 --samples 24 --tracepoints 2 --duration 1s >points
cp "$tests"/streams/{demo,dwarf,group,stat,switch,tracepoint,zstd}.pipe .
for text in every newer counts; do
	build <"$tests/streams/$text.txt" >$text
done
cat >metrics.json <<-'END'
	[ { "MetricName": "reads", "MetricGroup": "Memory", "MetricExpr": "64 * IMC.READS / cpu_core@cycles@ if #smt_on else IMC.READS / (reads_c if has_event(IMC.READS) else 1)" },
	  { "MetricName": "reads_c", "MetricExpr": "cpu_core@cycles@ + missing_one:u", "MetricThreshold": "reads_c > 5 & reads < 1" },
	  { "EventName": "IMC.READS", "EventCode": "0x1", "Unit": "iMC" } ]
END
. "$tests/tools/stat/runs.bash"
runs 5 6 5 | build >few
runs 9 9 8 | build >more
runs 0:5 1:6 1:7 0:5 | build | pp-inject --note 'count={"sides":["a","b"]}' -o sides
printf '%s\n' 'main;work;inner 50' 'main;idle 3' >folded
printf '%s\n' 'a 1/2 1.000001: 10 cycles: ' $'\t7f12 in (inlined)' $'\t7f12 main+0x1 (/bin/a)' $'\t7f34 [unknown] (/bin/b)' '' \
	'a 1/2 1.000002: 20 cycles: ' $'\t7f12 main+0x1 (/bin/a)' '' 'b 3/3 1.000003: 5 cycles:  7f12 x (/tmp/perf-3.map)' >script.txt
{
	printf '%s\n' header 'attr id=1 clockid=1' 'feature CLOCK_DATA u32 1 u32 1 u64 1700000000500000000 u64 1000000000'
	printf 'comm pid=7 comm=work\nrepeat 60 {\nsample pid=7 time=$(i*100000000+2000000000)\n}\nround\n'
} | build >clocked
host web1 4 7 >web1
host web2 2 9 >web2
. "$tests/tools/span/sched.bash"
two | switches new flag >waits
pp-span off-cpu -q waits >waited
pp-span off-cpu -q --wakers waits >woken
. "$tests/tools/span/calls.bash"
some | calls x86_64 >calls
pp-span syscalls -q calls >called
(umask 077 && printf '%064d\n' 7 >key)

pp-save -i sealed -o sealed.data
perl "$tests/oracle/perffile.pl" <switch.pipe >switch.data
perl "$tests/oracle/perffile.pl" <big >big.data
zstd -q -c unsealed >unsealed.zst
zstd -q -c sealed.data >sealed.data.zst
# a folder as perf record --threads makes it: samples lie in files of their own, without a header
mkdir folder
perl -e '
	local $/;
	my $in = <STDIN>;
	my ($n, @parts) = 0;
	print substr $in, 0, 16;
	for (my $at = 16; $at < length $in;) {
		my ($type, $misc, $size) = unpack "LSS", substr $in, $at, 8;
		my $record = substr $in, $at, $size;
		$at += $size;
		$type == 9 ? $parts[$n++ % 2] .= $record : print $record;
	}
	for (0, 1) {
		open my $f, ">:raw", "folder/data.$_" or die;
		print $f $parts[$_];
	}' <unsealed | perl "$tests/oracle/perffile.pl" >folder/data
pp-inject --note commit=abc --note 'host=a b' -i sealed -o noted

# perf's and our own builds are found at their paths
build >hits <<-END
	header
	attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
	$(n=1; for file in "$(command -v perl)" "$here/inputs.sh" /usr/bin/env /nowhere/none; do
		echo "mmap2 pid=7 start=$((n * 0x10000)) len=0x10000 file=\"$file\" time=$((n * 10))"
		echo "sample pid=7 ip=$((n * 0x10000 + 8)) time=$((n * 10 + 5))"
		n=$((n + 1))
	done)
	round
END

# a program with debug information, and a list of code that a process made, below this folder
cat >prog.cc <<-'END'
	namespace space { template <class T> static inline T twice(T x) { return x * 2 + x / 3; } }
	template <class T> __attribute__((noinline)) T work(T x) { return space::twice(x) ^ x; }
	int of_d(int) asm("_D4test3fooFHiAaHQfAaZv");
	int of_rust(int) asm("_RINvNtC3std3mem8align_ofjE");
	__attribute__((noinline)) int of_d(int x) { return x ? work(x) * of_d(x - 1) : 1; }
	__attribute__((noinline)) int of_rust(int x) { return x ? work(x) * 3 + of_rust(x - 1) * 5 : 2; }
	int main(int c, char **) { return work(c) + work(c + 1L) + of_d(c) + of_rust(c) == 7; }
END
"${CXX:-c++}" -O2 -g -o prog prog.cc
mkdir tmp
printf '70010 20 made\n70040 8 made too\n' >tmp/perf-7.map
build >named <<-END
	header
	attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
	mmap2 pid=7 start=0x10000 len=0x10000 file=/prog time=1
	mmap2 pid=7 start=0x70000 len=0x1000 file=//anon time=2
	sample pid=7 ip=0x70012 time=5
	$(for ((n = 0; n < 40; n++)); do echo "sample pid=7 ip=$((0x11020 + n * 16)) time=$((n + 10))"; done)
	round
END

# code of a JIT compiler
perl "$tests/jitdump.pl" >jit-7.dump <<-END
	header pid=7
	lines time=9 addr=0x1000 0:a.js:3 16:=:5
	unwind time=9 header=4 mapped=24 hex=0102030405060708aabbccdd
	load time=10 addr=0x1000 index=1 name=first size=60
	move time=20 from=0x1000 to=0x2000 index=1 size=60
	close time=60
END
build >jitted <<-END
	header
	attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1
	mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file="$PWD/jit-7.dump" time=5
	sample pid=7 ip=0x1010 time=15
	sample pid=7 ip=0x2010 time=25
	round
END

# a program with rules, some of which are compressed and some in a file of their own, and stacks in it
for section in '.eh_frame' '.debug_frame packed'; do
	perl "$tests/elf.pl" <<-END >"rules${section%% *}"
		machine x86_64
		section $section
		cie ra=16 def_cfa:7:8 offset:16:1
		fde at=0x1000 size=0x40 val_expression:6:7700
		fde at=0x1040 size=0x40 advance_loc:2 def_cfa_offset:32 offset:6:2
		fde at=0x1080 size=0x40 def_cfa:6:16 undefined:16
	END
done
perl "$tests/elf.pl" <<-END >rules.linked
	machine x86_64
	link rules.debug_frame
END
stack=$(perl -e 'print unpack "H*", pack "Q<*", map { hex } @ARGV' 401050 1 2 8040 401090 0 0 0)
build >stacks <<-END
	header
	attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all,exclude_callchain_user sample_regs_user=0x1c0 sample_stack_user=64 config=0
	feature ARCH string "x86_64"
	$(n=1; for rules in .eh_frame .debug_frame .linked; do
		echo "mmap2 pid=$n start=0x401000 len=0x1000 pgoff=0x1000 file=\"$PWD/rules$rules\" prot=5 time=$n"
		echo "sample pid=$n time=$((n + 10)) ip=0x401010 callchain= regs_user=2:0x8010,0x8000,0x401010 stack_user=$stack:64"
		n=$((n + 1))
	done)
	round
END

# programs whose functions are in a .dwo file that is compressed, in a package that is, in sections that are; a module
# of the kernel
cat >split.c <<-'END'
	static inline __attribute__((always_inline)) int twice(int x) { volatile int q = x; return q * 2; }
	int work(int x) { int t = 0; for (int i = 0; i < x; i++) t += twice(i) ^ x; return t; }
END
maps=
for name in split packaged; do
	"${CC:-cc}" -O2 -fPIC -gdwarf-4 -gsplit-dwarf -c -o $name.o split.c
	"${CC:-cc}" -shared -nostdlib -o $name.so $name.o
	start=0x${#name}00000
	maps+="mmap2 pid=7 start=$start len=0x100000 file=\"$PWD/$name.so\" time=1"$'\n'
	start=$((start + 0x$(nm $name.so | sed -n 's/ T work$//p')))
	maps+="repeat 16 {"$'\n'"sample pid=7 ip=\$($start+i*2) misc=2 time=10"$'\n}\n'
done
if command -v dwp >/dev/null; then
	dwp -e packaged.so -o packaged.so.dwp
	rm packaged.dwo
	objcopy --compress-debug-sections=zlib-gnu packaged.so.dwp
fi
objcopy --compress-debug-sections=zlib-gnu split.dwo
"${CC:-cc}" -O2 -fPIC -g -c -o module.o split.c
ld -r -o module.ko module.o
"${CC:-cc}" -O2 -fPIC -shared -nostdlib -g -gz=zlib -o packed.so split.c
maps+="mmap2 pid=7 start=0x900000 len=0x100000 file=\"$PWD/packed.so\" time=1"$'\n'
start=$((0x900000 + 0x$(nm packed.so | sed -n 's/ T work$//p')))
maps+="repeat 16 {"$'\n'"sample pid=7 ip=\$($start+i*2) misc=2 time=10"$'\n}\n'
base=$((1 << 40))
maps+="mmap2 pid=-1 start=$base len=0x10000 misc=0x4001 file=\"$PWD/module.ko\" time=1"$'\n'
maps+="repeat 16 {"$'\n'"sample pid=7 ip=\$($base+i*2) misc=1 time=11"$'\n}\n'
build >halved <<-END
	header
	attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
	$maps
	round
END

# what is damaged, cut, altered
head -c 3001 sealed >cut
head -c 3000 packed >packed.cut
head -c 5000 sealed.data >cut.data
pp-gen --damage --seed 7 --flip 0.01 -i unsealed -o damaged
pp-gen --damage --seed 8 --drop 100@2000 --zero 50@4000 --insert 30@1000 -i sealed -o holes
perl -pe 'BEGIN { $/ = undef } substr($_, 2000, 1) ^= "\1"' sealed >altered
printf 'hello, this is text' >text
: >empty
pp-dump --json -i sealed >sealed.json
pp-dump --json -i tracepoint.pipe >tracepoint.json
