# timed.bash - a stream of a second, for the tests of pp-flame's page: three threads of two programs on two CPUs.

# The first thread of app works all the time, its second in the second half, the kernel in every tenth sample, and
# make in 0.2 s.
timed() {
	local i
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
			feature NRCPUS u32 2 u32 2
			ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
			ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
			comm pid=7 tid=7 comm=app time=1
			comm pid=7 tid=8 comm=worker time=1
			comm pid=9 tid=9 comm=make time=1
			mmap pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0 file=/nowhere/app time=1
			mmap pid=7 tid=7 start=0x500000 len=0x1000 pgoff=0 file=/nowhere/lib.so time=1
			mmap pid=9 tid=9 start=0x400000 len=0x1000 pgoff=0 file=/nowhere/make time=1
		END
		for ((i = 0; i < 100; i++)); do
			at() { echo "sample id=1 pid=$1 tid=$2 time=$((10000000 * i + 1000000)) period=10000000 callchain=$3"; }
			if ((i % 10)); then at 7 7 -512,0x500010,0x400010; else at 7 7 -128,0xffffffff81000110,-512,0x400010; fi
			((i < 50)) || at 7 8 -512,0x400020
			((i < 30 || i >= 50)) || at 9 9 -512,0x400030,0x400010
		done
		echo round
	} | build
}
