# export.bash - streams for the formats of pp-export, and what pp-fold says of streams.

# web7: the head of a recording there of a clock's samples and of counted ones, and two functions of the kernel
web7() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol type=1 config=0
		attr id=2 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all type=1 config=2
		feature HOSTNAME string "web7"
		feature VERSION string "6.1"
		feature CMDLINE list "perf" "record" "--" "/bin/work" "hard"
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
	END
}

# threads_and_events: two threads of a process, one of which gets another name, and samples of two events
threads_and_events() {
	{
		web7
		cat <<-'END'
			comm pid=7 comm="old name" time=5
			comm pid=7 tid=9 comm=worker time=5
			mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 time=6
			sample id=1 pid=7 tid=7 cpu=0 time=2000010 period=1000 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010
			comm pid=7 comm=new_name time=2000011
			sample id=1 pid=7 tid=7 cpu=0 time=2000012 period=2000 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010
			sample id=1 pid=7 tid=9 cpu=1 time=3000000 period=500 callchain=-512,0x400010
			sample id=2 pid=7 tid=9 cpu=1 time=3000001 period=3 callchain=-512,0x400010
			sample id=1 pid=7 tid=7 cpu=1 time=4000000 period=1 callchain=-512,0x10
			round
		END
	} | build
}

# waited: a thread that was off its CPU once, without an end
waited() {
	cat <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,context_switch type=1 config=3
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 tid=7 time=1000 callchain=-512,0x400010,0x400020
		switch pid=7 tid=7 time=1005 out
		switch pid=7 tid=7 time=1500
	END
}

# many_samples: 1,500 samples of each of two threads, which weigh more and more, of as many stacks
many_samples() {
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm type=1 config=0
			comm pid=7 comm=one time=5
			comm pid=7 tid=8 comm=two time=5
		END
		seq 3000 | awk '{ printf "sample id=1 pid=7 tid=%d time=%d period=%d callchain=-512,0x%x,0x%x\n",
			7 + $1 % 2, 100 + $1, $1, $1, $1 % 50 }'
		echo round
	} | build
}

hostile() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		feature HOSTNAME string "a\xff\x1b[31m\nb"
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name="f\xc3(\x07\"\\" time=1
		comm pid=7 comm="\xe2\x80\xaeevil" time=5
		sample id=1 pid=7 tid=7 time=10 period=0xffffffffffffffff misc=1 ip=0xffffffff81000010
		round
	END
}

timeless() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,PERIOD
		sample pid=7 tid=7 period=5 ip=0x10
		sample pid=7 tid=7 period=6 ip=0x10
		round
	END
}

# event_of FILE: the event that pp-fold takes, where there are others
event_of() { pp-fold --root none -v "$1" 2>&1 >/dev/null | sed -n 's/.* of other events than \(.*\) \(are\|is\) left out.*/\1/p'; }

# thread_stacks FILE: what stacks of each thread weigh for pp-fold, PID/TID in place of its names
thread_stacks() {
	pp-fold -q --tid --root none "$1" |
		perl -ne 's/^[^;]*?-(\d+\/\d+)(?=[; ])/$1/; /^(.*) (\d+)$/ and $w{$1} += $2;
			END { print map "$_ $w{$_}\n", sort grep $w{$_}, keys %w }'
}

# node_modules PACKAGE...: NODE_PATH has them, or the test is skipped.  They are kept for the next run.
node_modules() {
	local folder=$ROOT/build/npm
	command -v npm >/dev/null || skip "no npm here"
	mkdir -p "$folder"
	export NODE_PATH=$folder/node_modules
	for package; do
		[ -d "$NODE_PATH/$package" ] ||
			npm install --silent --no-audit --no-fund --prefix "$folder" "$package" >npm.log 2>&1 ||
			skip "npm cannot install $package"
	done
}

# front_end FILE: the Firefox Profiler's own code has it; pq WORD...: asks it, until front_end_stop
front_end() {
	export HOME=$PWD
	FRONT_END=$NODE_PATH/@firefox-devtools/profiler-cli/dist/profiler-cli.js
	# `load' gives its daemon half a second, which a busy machine has not
	node "$FRONT_END" --daemon "$PWD/$1" --session mine >daemon 2>&1 3>&- &
	for try in {1..100}; do
		if grep -qs 'Profile loaded' "$HOME"/.profiler-cli/mine.log || [ "$try" = 100 ]; then break; fi
		sleep 0.2
	done
}

pq() { timeout 100 node "$FRONT_END" "$@" --session mine; }

front_end_stop() {
	pq stop
	wait
}
