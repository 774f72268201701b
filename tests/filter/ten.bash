# ten.bash - what the tests of spans and of places share: a stream, and what pp-filter keeps of it.

# Ten samples, a second apart, of threads 1 to 3 on CPUs 0 and 1; the clock is 1700000000 s behind
# that of the wall.
ten() {
	local i
	{
		echo 'header'
		echo 'attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm'
		echo 'feature CLOCK_DATA u32 1 u32 1 u64 1700000001000000000 u64 1000000000'
		echo 'comm pid=1 comm=one time=1 id=1'
		echo 'comm pid=2 comm=two time=2 id=1'
		echo 'mmap pid=1 start=0x1000 len=0x1000 file=/bin/one time=3 id=1'
		for i in 1 2 3 4 5 6 7 8 9 10; do
			echo "sample id=1 pid=$((i % 3 + 1)) cpu=$((i % 2)) time=${i}000000000 ip=0x1000"
			((i % 4)) || echo round
		done
		echo round
	} | build
}

# kept ARGUMENTS...: the seconds of the samples that pp-filter keeps of in.pipe
kept() {
	pp-filter -i in.pipe -o kept.pipe "$@" &&
		records -s kept.pipe | perl -lane 'push @t, int $F[4] / 1e9; END { print "@t" }'
}
