# split.bash - what the tests of pp-split share: a stream to split, and what is in its pieces.

# whole: a stream where names, maps and processes come and go, out of order by less than a round
whole() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		feature HOSTNAME string "web7"
		event_update id=1 name=ticks
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=1 comm=init synthesized
		mmap2 pid=1 start=0x1000 len=0x1000 file=/init synthesized
		init
		fork pid=7 ppid=1 tid=7 ptid=1 time=1000
		sample pid=7 cpu=0 time=1100 ip=0x1010
		sample pid=1 cpu=1 time=1050 ip=0x1020
		round
		comm pid=7 comm=nginx exec time=1200
		mmap2 pid=7 start=0x2000 len=0x1000 file=/nginx time=1210
		sample pid=7 cpu=0 time=1300 ip=0x2010
		sample pid=1 cpu=1 time=1150 ip=0x1020
		round
		fork pid=7 ppid=7 tid=8 ptid=7 time=1400
		comm pid=7 tid=8 comm=worker/0 time=1410
		sample pid=7 tid=8 cpu=0 time=1500 ip=0x2020
		fork pid=9 ppid=7 tid=9 ptid=7 time=1510
		sample pid=9 cpu=1 time=1600 ip=0x2030
		round
		sample pid=7 tid=8 cpu=1 time=2500 ip=0x2040
		sample pid=9 cpu=0 time=2600 ip=0x2050
		exit pid=9 ppid=7 tid=9 ptid=7 time=2700
		sample pid=7 cpu=0 time=2800 ip=0x2060
		round
	END
}

# times FILE: of its samples, in their order
times() { records -s "$1" | awk '{ printf "%s%s", blank, $5; blank = " " }'; }
