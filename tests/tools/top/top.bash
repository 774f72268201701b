# top.bash - the streams that the tests of pp-top show.

# The beginning of a stream with names for the kernel's addresses and two tasks.
head_of() {
	cat <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
		comm pid=7 comm=seven time=5
		comm pid=8 comm="eight up" time=6
	END
}

# hit PID MS CHAIN [WEIGHT]: a sample
hit() { echo "sample id=1 misc=1 pid=$1 tid=$1 ip=${3%%,*} time=${2}000000 period=${4:-1} callchain=-128,$3"; }
outer=0xffffffff81000010
inner=0xffffffff81000110,0xffffffff81000010

small() {
	head_of
	hit 7 1000 $inner
	hit 7 1100 $inner
	hit 8 1200 $inner
	hit 8 1300 $outer
	echo round
}

# A table of 40 samples, of two processors, three tasks and four addresses, each in one of two functions.
many() {
	head_of | sed 's/PERIOD,/PERIOD,CPU,/'
	for i in {0..39}; do
		echo "sample id=1 misc=1 pid=$((7 + i % 2)) tid=$((7 + i % 3)) cpu=$((i % 2)) time=$((2000000000 + i))" \
			"period=$((100 + i)) ip=0xffffffff81000$((i % 4 / 2))1$((i % 2))" \
			"callchain=-128,0xffffffff81000$((i % 4 / 2))1$((i % 2)),0xffffffff81000010"
	done
	echo round
}
