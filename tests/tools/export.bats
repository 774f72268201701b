# export.bats - pp-export: the stacks of a stream in formats of other tools, read back by programs that share
# no code with it.

setup() {
	load ../helper
	load export/export
	mkdir none
}

# held FILE: what a pprof profile holds
held() { perl "$TESTS/tools/export/pprof.pl" "$@"; }
# folded [N]: value N of its samples as folded stacks
folded() { perl "$TESTS/tools/export/folded.pl" "$@"; }

# two_events: two processes that have a library at two addresses, samples of a clock and of a count
two_events() {
	{
		web7
		cat <<-'END'
			comm pid=7 comm="seven up" time=5
			comm pid=8 comm=eight time=5
			mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 time=6
			mmap2 pid=8 start=0x700000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 time=6
			mmap2 pid=7 start=0x500000 len=0x1000 pgoff=0x2000 file=/bin/work prot=5 time=6
			sample id=1 pid=7 tid=7 cpu=0 time=10 period=1000 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010,0x500020
			sample id=1 pid=7 tid=7 cpu=0 time=11 period=2000 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010,0x500020
			sample id=1 pid=8 tid=8 cpu=1 time=12 period=500 callchain=-512,0x700010
			sample id=2 pid=8 tid=8 cpu=1 time=13 period=3 callchain=-512,0x700010
			round
		END
	} | build
}

@test "export: pprof has values of each event, labels, one mapping a file, no name where there is none" {
	two_events >in
	run -0 pp-export --root none in -o out.pb.gz
	refute_output
	held out.pb.gz >got
	sed "s/VERSION/$(pp-export --version | grep -o '[0-9.]*$')/" <<-'END' | diff - got
		type samples:cpu-clock count
		type cpu-clock nanoseconds
		type samples:page-faults count
		type page-faults count
		default cpu-clock
		period cpu-clock nanoseconds 1
		time 0
		duration 3
		comment written by: pp-export VERSION
		comment command: /bin/work hard
		comment host: web7
		comment recorded by: 6.1
		comment samples: 3 cpu-clock
		comment samples: 1 page-faults
		mapping 1 0x2000 0x3000 0x2000 /bin/work -
		mapping 2 0xffffffff81000010 0xffffffff81000111 0xffffffff81000010 [kernel.kallsyms] - functions
		mapping 3 0x1000 0x4000 0x1000 /lib/x.so -
		location 1 [kernel.kallsyms] 0xffffffff81000110 inner::0
		location 2 [kernel.kallsyms] 0xffffffff81000010 outer::0
		location 3 /lib/x.so 0x1010
		location 4 /bin/work 0x2020
		sample 2,3000,0,0 pid=7 tid=7 comm=seven up cpu=0 | [/bin/work];[/lib/x.so];outer;inner
		sample 1,500,0,0 pid=8 tid=8 comm=eight cpu=1 | [/lib/x.so]
		sample 0,0,1,3 pid=8 tid=8 comm=eight cpu=1 | [/lib/x.so]
	END
	pp-export --to=pprof --root none <in | cmp - out.pb.gz
}

@test "export: of one event there are two values; a filter and labels, of a note and of a text" {
	two_events | pp-inject --note commit=1f3 --note commit=2a4 >in
	pp-export --to pprof --root none -e page-faults --label commit --label x=y=z --label none in 2>err |
		held >got
	grep ^type got | diff - <(printf 'type %s\n' 'samples count' 'page-faults count')
	grep -qx 'comment note: commit=2a4' got
	grep -qx 'sample 1,3 pid=8 tid=8 comm=eight cpu=1 commit=2a4 x=y=z | \[/lib/x.so\]' got
	assert_equal "$(cat err)" 'pp-export: --label none: there is no such note'
	pp-export --to pprof --root none --filter 'comm == "eight"' in | held >got
	run -0 grep -c ^sample got
	assert_output 2
	refute grep -q seven got
}

@test "export: --no-normalize has the addresses of each process, and a mapping for each of its own" {
	two_events >in
	pp-export --to pprof --root none --no-normalize in | held | grep -E '^(mapping|location)' >got
	diff - got <<-'END'
		mapping 1 0x500000 0x501000 0x2000 /bin/work -
		mapping 2 0xffffffff81000010 0xffffffff81000111 0xffffffff81000010 [kernel.kallsyms] - functions
		mapping 3 0x400000 0x403000 0x1000 /lib/x.so -
		mapping 4 0x700000 0x703000 0x1000 /lib/x.so -
		location 1 [kernel.kallsyms] 0xffffffff81000110 inner::0
		location 2 [kernel.kallsyms] 0xffffffff81000010 outer::0
		location 3 /lib/x.so 0x400010
		location 4 /bin/work 0x500020
		location 5 /lib/x.so 0x700010
	END
}

@test "export: every stack weighs what it weighs for pp-fold, in streams of every kind" {
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		pp-fold --root none -v "$file" >due 2>err || [ $? = 3 ]
		event=$(sed -n 's/.* of other events than \(.*\) \(are\|is\) left out.*/\1/p' err)
		pp-export -q --to pprof --root none ${event:+-e "$event"} "$file" >out || [ $? = 3 ]
		held out | folded >got
		diff <(grep -v ' 0$' due | sort) <(sort got)
	done
}

@test "export: names of a hostile stream are text" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		feature HOSTNAME string "a\xff\x1b[31m\nb"
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name="f\xc3(\x07" time=1
		comm pid=7 comm="\xe2\x80\xaeevil" time=5
		sample id=1 pid=7 tid=7 time=10 period=5 misc=1 ip=0xffffffff81000010
		round
	END
	pp-export --to pprof --root none in | held >got
	grep -qxF 'comment host: a\xff\x1b[31m\x0ab' got
	grep -qxF 'sample 1,5 pid=7 tid=7 comm=\xe2\x80\xaeevil | f\xc3(\x07' got
}

@test "export: a stream that is cut or damaged gives what is good, status 3, and the file says so" {
	two_events | pp-cat --seal >whole
	for cut in 1200 1500 1900; do
		head -c "$cut" whole >in
		run -3 pp-export -q --root none in -o out.pb.gz
		held out.pb.gz >got
		grep -qx 'comment damaged: the recording is damaged or cut: what could be read is shown' got
	done
	grep -q '^sample 2,3000' got
	perl -pe 's/hard/hood/' whole >in
	run -3 pp-export -q --root none in -o out.pb.gz
	held out.pb.gz | grep -q '^comment damaged: '
}

@test "export: no samples are a profile without any, which is said" {
	two_events | pp-filter 'cpu == 5' >in
	run -0 pp-export --root none in -o out.pb.gz
	assert_output 'pp-export: in: there are no samples in it'
	held out.pb.gz >got
	refute grep -qE '^(sample|location)' got
}

@test "export: without a format, and with one that is none, nothing is written" {
	two_events >in
	run -2 pp-export in -o out
	assert_line --partial 'which format is to be written?'
	run -2 pp-export --to perfetto in -o out
	[ ! -e out ]
	run -2 --separate-stderr pp-export --to pprof --filter 'comm = 3' in
	run -4 pp-export --to pprof -q --root none in -o /dev/full
	assert_output 'pp-export: cannot write /dev/full: No space left on device'
}
