# sideband.bats - pp-filter --prune: names, maps, forks and ends of tasks that the samples need
# stay, and nothing else does.

setup() {
	load ../../helper
	load prune
}

@test "maps that are hit stay, names that are shown, and FORK and EXIT of these threads" {
	two_programs >in.pipe
	prunes 'pid == 8'
	[ "$(side_band pruned.pipe)" = "MMAP -1 0 [kernel.kallsyms]_text
FORK 8 8
COMM 8 8 nginx
MMAP2 8 8 /libz
MMAP2 8 8 /libc
MMAP -1 0 /lib/xfs.ko
COMM 8 8 worker/2
EXIT 8 8" ]
	prunes 'pid == 9'
	[ "$(side_band pruned.pipe)" = "MMAP -1 0 [kernel.kallsyms]_text
COMM 9 9 cat
MMAP2 9 9 /cat
MMAP -1 0 /lib/ext4.ko
EXIT 9 9" ]
}

@test "a FORK hands the name down where the parent has it, and says that there are no maps to inherit" {
	two_programs >in.pipe
	prunes 'pid in {7, 8} && time < 1310'
	[ "$(side_band pruned.pipe)" = "MMAP -1 0 [kernel.kallsyms]_text
COMM 7 7 nginx
MMAP2 7 7 /nginx
FORK 8 8
MMAP2 8 8 /libz
MMAP2 8 8 /libc
COMM 8 8 worker/2
EXIT 8 8" ]
	[ "$(json pruned.pipe | jq 'select(.type == "FORK").misc')" = 8192 ]
}

@test "side-band that comes late has the time of the record before it, and rounds are kept" {
	two_programs >in.pipe
	prunes 'pid == 8 && time > 1350'
	json pruned.pipe | jq -r 'select(.fields.sample_id.time // .fields.time) | "\(.type) \(.fields.sample_id.time // .fields.time)"' >got
	[ "$(grep -v ' 0$' got)" = "FORK 1100
COMM 1330
SAMPLE 1400
EXIT 1510" ]
	prunes 'pid == 9 || pid == 8 && time > 1350'
	json pruned.pipe | jq -r 'select(.type == "FORK").fields.sample_id.time' >got
	[ "$(cat got)" = 1310 ]
}

@test "where no sample stays, no side-band does, nor an event" {
	two_programs >in.pipe
	prunes 'pid == 1234'
	[ -z "$(side_band pruned.pipe)" ]
	[ -z "$(json pruned.pipe | jq -r 'select(.type | test("ATTR|UPDATE"))')" ]
	json pruned.pipe | grep -q '"hostname":"web7"'
}

@test "control groups, namespaces, build-ids, symbols and switches stay with those who need them" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER,CGROUP flags=sample_id_all,comm
		build_id pid=-1 id=aa file=/a misc=0x8002
		build_id pid=-1 id=bb file=/b misc=0x8002
		build_id pid=-1 id=cc file=[kernel.kallsyms] misc=0x8001
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=7 comm=seven synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/a synthesized
		comm pid=8 comm=eight synthesized
		mmap2 pid=8 start=0x1000 len=0x1000 file=/b synthesized
		namespaces pid=7 tid=7 links=4:1 time=900
		namespaces pid=8 tid=8 links=4:2 time=900
		cgroup id=70 path=/seven time=900
		cgroup id=80 path=/eight time=900
		ksymbol addr=0xffffffffc0000000 len=64 name=bpf_7 time=910
		ksymbol addr=0xffffffffc0001000 len=64 name=bpf_8 time=910
		switch s_pid=7 s_tid=7 time=920
		sample pid=7 time=1000 ip=0x1010 cgroup=70
		sample pid=8 time=1010 ip=0x1010 cgroup=80
		sample pid=7 time=1020 ip=0xffffffffc0000010 cgroup=70
		switch s_pid=7 s_tid=7 out time=1030
		switch s_pid=8 s_tid=8 out time=1040
		ksymbol addr=0xffffffffc0000000 len=64 flags=1 name=bpf_7 time=1050
		ksymbol addr=0xffffffffc0001000 len=64 flags=1 name=bpf_8 time=1060
		round
	END
	prunes 'pid == 7'
	[ "$(side_band pruned.pipe)" = "HEADER_BUILD_ID -1 [kernel.kallsyms]
MMAP -1 0 [kernel.kallsyms]_text
COMM 7 7 seven
HEADER_BUILD_ID -1 /a
MMAP2 7 7 /a
NAMESPACES 7 7
CGROUP /seven
KSYMBOL bpf_7
SWITCH
KSYMBOL bpf_7" ]
}

@test "what a call chain, an address and branches hit stays; a copied stack needs every map" {
	for field in 'callchain=0x1010,0x3010' 'addr=0x3010' 'branches=0x3010:0x5010:0'; do
		build >in.pipe <<-END
			header
			attr id=1 sample_type=IP,TID,TIME,ADDR,CALLCHAIN,BRANCH_STACK,IDENTIFIER flags=sample_id_all
			mmap2 pid=7 start=0x1000 len=0x1000 file=/a synthesized
			mmap2 pid=7 start=0x3000 len=0x1000 file=/b synthesized
			mmap2 pid=7 start=0x5000 len=0x1000 file=/c synthesized
			sample pid=7 time=1000 ip=0x1010 $field
			round
		END
		prunes
		json pruned.pipe | jq -r 'select(.type == "MMAP2").fields.filename' | xargs
	done >got
	[ "$(cat got)" = "/a /b
/a /b
/a /b /c" ]
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,STACK_USER,IDENTIFIER flags=sample_id_all
		mmap2 pid=7 start=0x1000 len=0x1000 file=/a synthesized
		mmap2 pid=7 start=0x3000 len=0x1000 file=/b synthesized
		mmap2 pid=8 start=0x3000 len=0x1000 file=/c synthesized
		sample pid=7 time=1000 ip=0x1010 stack_user=0011223344556677:8
		round
	END
	prunes
	[ "$(json pruned.pipe | jq -r 'select(.type == "MMAP2").fields.filename' | xargs)" = "/a /b" ]
}

@test "an older map comes with the one that covers a part of it, not after it" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		mmap2 pid=7 start=0x1000 len=0x5000 file=/whole time=900
		mmap2 pid=7 start=0x2000 len=0x1000 file=/part time=910
		sample pid=7 time=1000 ip=0x2010
		sample pid=7 time=1010 ip=0x1010
		sample pid=7 time=1020 ip=0x2010
		round
	END
	prunes
	[ "$(json pruned.pipe | jq -r '.fields.filename // empty' | xargs)" = "/whole /part" ]
	prunes 'ip == 0x1010'
	[ "$(json pruned.pipe | jq -r '.fields.filename // empty' | xargs)" = /whole ]
}

@test "a thread that is its own parent keeps its name" {
	{
		echo 'header'
		echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2'
		for i in 1 2 3 4; do
			echo "comm pid=7 comm=before$i time=${i}00"
			echo "sample pid=7 time=${i}10 ip=0x1010"
			echo "fork pid=7 ppid=7 tid=7 ptid=7 time=${i}20"
			echo "comm pid=7 comm=after$i time=${i}30"
			echo "sample pid=7 time=${i}40 ip=0x1010"
		done
	} | build >in.pipe
	prunes 'pid == 7'
	[ "$(side_band pruned.pipe | grep -c COMM)" -eq 8 ]
}

# jit: a process whose code was made at run time forks one that runs it as well
jit() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 name=cpu-clock
		comm pid=4190007 comm=java synthesized
		mmap2 pid=4190007 start=0x10000 len=0x1000 file=//anon prot=5 synthesized
		mmap2 pid=4190007 start=0x20000 len=0x1000 file=//anon prot=3 synthesized
		init
		sample pid=4190007 time=1000 ip=0x10010
		fork pid=4190008 ppid=4190007 tid=4190008 ptid=4190007 time=1100
		fork pid=4190009 ppid=4190008 tid=4190009 ptid=4190008 time=1110
		sample pid=4190008 time=1200 ip=0x10010
		sample pid=4190009 time=1210 ip=0x10010
		sample pid=4190009 time=1220 ip=0x20010
		round
	END
}

@test "code without a file that was inherited is told with the file of its symbols" {
	jit >in.pipe
	prunes
	[ "$(json pruned.pipe | jq -r 'select(.type == "MMAP2").fields | "\(.pid) \(.filename) \(.pgoff) \(.prot)"')" = "4190007 //anon 0x0 0x5
4190008 /tmp/perf-4190007.map 0x10000 0x5
4190009 /tmp/perf-4190007.map 0x10000 0x5
4190009 //anon 0x0 0x3" ]
	pp-split --samples 3 -o piece%u.pipe -i in.pipe
	[ "$(json piece1.pipe | jq -r 'select(.fields.pid == 4190009 and .fields.prot == "0x5").fields.filename')" = /tmp/perf-4190007.map ]
	need_perf
	same_to_perf
}

# ended: samples of a process after its EXIT, as the scheduler gives them; it had a name that no sample showed
ended() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 name=cpu-clock
		comm pid=7 comm=parent synthesized
		sample pid=7 time=1000 ip=0x1010
		fork pid=8 ppid=7 tid=8 ptid=7 time=1100
		comm pid=8 comm=child time=1200
		exit pid=8 ppid=7 tid=8 ptid=7 time=1300
		sample pid=8 time=1400 ip=0xffffffff81000010
		fork pid=9 ppid=7 tid=9 ptid=7 time=1500
		sample pid=9 time=1600 ip=0x1010
		comm pid=9 comm=other time=1700
		exit pid=9 ppid=7 tid=9 ptid=7 time=1800
		sample pid=9 time=1900 ip=0xffffffff81000010
		round
	END
}

@test "an EXIT stands before the samples that came after it, and after the name" {
	ended >in.pipe
	prunes 'pid == 8'
	[ "$(json pruned.pipe | jq -r '.type' | grep -E 'COMM|FORK|EXIT|SAMPLE' | xargs)" = "FORK COMM EXIT SAMPLE" ]
	prunes 'pid == 9'
	[ "$(json pruned.pipe | jq -r '.type' | grep -E 'COMM|FORK|EXIT|SAMPLE' | xargs)" = "FORK COMM SAMPLE COMM EXIT SAMPLE" ]
	need_perf
	same_to_perf
}
