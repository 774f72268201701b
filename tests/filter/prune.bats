# prune.bats - pp-filter --prune: the samples that stay keep all that they need, and nothing else
# stays of side-band; what perf shows of them is the same.

setup() { load ../helper; }

model() { perl "$TESTS/filter/prune.pl" "$@"; }

# prunes EXPRESSION...: in.pipe filtered to plain.pipe, and pruned as well to pruned.pipe, which is
# sound, and of which nothing is left to prune
prunes() {
	pp-filter -i in.pipe -o plain.pipe "$@" &&
		pp-filter --prune -i in.pipe -o pruned.pipe "$@" &&
		pp-check -q -i pruned.pipe &&
		pp-filter --prune -i pruned.pipe -o again.pipe &&
		same_bytes pruned.pipe again.pipe
}

# side_band FILE: `TYPE pid=.. tid=.. name` of each record that is neither sample nor about the whole
side_band() {
	json "$1" | jq -r 'select(.type | test("^(MMAP2?|COMM|FORK|EXIT|KSYMBOL|CGROUP|NAMESPACES|SWITCH|SWITCH_CPU_WIDE|HEADER_BUILD_ID)$")) |
		[.type, (.fields | .pid, .tid, .comm, .filename, .name, .path)] | map(select(. != null)) | join(" ")'
}

# shown FILE: samples as perf script shows them, widths of columns aside;
# with whole_system=yes not the names of functions: other programs and their files come and go while perf looks.
shown() {
	local names=,sym
	[ -z "${whole_system:-}" ] || names=
	perf_quiet script -F comm,tid,pid,time,event,ip$names,dso -i "$1" </dev/null | tr -s ' '
}

# reported FILE: by perf report: events in their order, then what was hit; perf leaves the order of
# equals to chance
reported() {
	perf_quiet report --stdio -g none --sort comm,dso,sym -i "$1" </dev/null >report || return
	grep -E '^# (Samples|Event count)' report
	grep -v '^#' report | tr -s ' ' | sort
}

# same_to_perf: the samples of plain.pipe and pruned.pipe are the same to perf.  Since 6.12 perf forgets
# the maps of a process at its EXIT; one that is told late resolves what it does not know otherwise
same_to_perf() {
	shown plain.pipe >plain.script
	shown pruned.pipe | perl -e 'open my $plain, "<", "plain.script" or die;
		while (<STDIN>) {
			my $line = <$plain> // "";
			print $line =~ /^(.*?)(?: \[unknown\])? \(\[unknown\]\)$/ && index($_, "$1 ") == 0 ? $line : $_;
		}' >pruned.script
	[ -s plain.script ] || return
	diff plain.script pruned.script >&2
}

# same_report: so is its report, which has the events in their order
same_report() {
	reported plain.pipe >plain.report
	reported pruned.pipe >pruned.report
	[ -s plain.report ] || return
	diff plain.report pruned.report >&2
}

# two_programs: nginx forks a worker, which maps more; cat has nothing to do with them
two_programs() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 name=cpu-clock
		feature HOSTNAME string "web7"
		event_update id=1 name=ticks
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 file=/lib/ext4.ko misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffffc1000000 len=0x1000 file=/lib/xfs.ko misc=1 synthesized
		comm pid=7 comm=nginx synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/nginx synthesized
		mmap2 pid=7 start=0x3000 len=0x1000 file=/libc synthesized
		comm pid=9 comm=cat synthesized
		mmap2 pid=9 start=0x1000 len=0x1000 file=/cat synthesized
		init
		sample pid=7 time=1000 ip=0x1010
		sample pid=9 time=1010 ip=0x1010
		fork pid=8 ppid=7 tid=8 ptid=7 time=1100
		mmap2 pid=8 start=0x5000 len=0x1000 file=/libz time=1110
		sample pid=8 time=1200 ip=0x5010
		round
		sample pid=8 time=1300 ip=0x3010
		sample pid=9 time=1310 ip=0xffffffffc0000010
		comm pid=8 comm=worker time=1320
		comm pid=8 comm=worker/2 time=1330
		sample pid=8 time=1400 ip=0xffffffffc1000010
		exit pid=9 ppid=1 tid=9 ptid=1 time=1500
		exit pid=8 ppid=7 tid=8 ptid=7 time=1510
		round
	END
}

# ---- what stays

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

@test "records about what was lost pass, and types that nobody knows" {
	{
		two_programs
		build <<-'END' | tail -c +161
			header
			attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2
			lost id=1 lost=7 pid=5 time=1600
			throttle time=1700 id=1 stream_id=1
			record 200 0 0011223344556677
			lost_samples lost=3 time=1800
		END
	} >in.pipe
	prunes 'pid == 9'
	[ "$(json pruned.pipe | jq -r 'select(.type | test("LOST|THROTTLE|UNKNOWN")).type' | xargs)" = "LOST THROTTLE UNKNOWN_200 LOST_SAMPLES" ]
}

@test "an event whose samples do not stay goes, with its ids and what is said of it" {
	build >in.pipe <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=one
		attr id=3,4 config=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=two
		attr id=5,6 config=2 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=three
		feature HOSTNAME string "web7"
		feature EVENT_DESC
		feature 32
		id_index entries=1:0:0:-1,2:1:1:-1,3:0:0:-1,4:1:1:-1,5:0:0:-1,6:1:1:-1
		event_update id=1 name=one
		event_update id=3 name=two
		event_update id=5 name=three
		comm pid=7 comm=a synthesized
		sample id=5 pid=7 time=1000 ip=0x1000
		sample id=4 pid=7 time=1100 ip=0x1000
		round
		sample id=2 pid=7 time=1200 ip=0x1000
		round
	END
	prunes 'event == "two"'
	json pruned.pipe >got
	[ "$(jq -r 'select(.type == "HEADER_ATTR").fields.id | join(" ")' got)" = "0x3 0x4" ]
	[ "$(jq -r 'select(.type == "ID_INDEX").fields.entries | map(.id) | join(" ")' got)" = "0x3 0x4" ]
	[ "$(jq -r 'select(.type == "EVENT_UPDATE").fields.name' got)" = two ]
	[ "$(jq -r 'select(.fields.feat_id == 12).fields.data.events | map(.name) | join(" ")' got)" = two ]
	# those of the first round stand as they stood, a later one right before its sample
	prunes
	[ "$(json pruned.pipe | jq -r 'select(.type | test("ATTR|SAMPLE")).fields | (.id // [.identifier])[0]' | xargs)" = "0x3 0x5 0x5 0x4 0x1 0x2" ]
}

@test "an event of another layout than the first keeps the first, by which perf reads side-band" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 config=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all
		comm pid=7 comm=a synthesized
		sample id=2 pid=7 time=1100 ip=0x1000
		round
	END
	prunes 'id == 2'
	[ "$(json pruned.pipe | jq -r 'select(.type == "HEADER_ATTR").fields.id[0]' | xargs)" = "0x1 0x2" ]
	[ "$(json pruned.pipe | jq -r 'select(.type == "COMM").fields.comm')" = a ]
}

@test "with a tracepoint all tracepoints stay, and their formats; without, none of it" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all
		attr id=2 type=2 config=5 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all
		attr id=3 type=2 config=6 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all
		tracing bytes=5000
		sample id=1 pid=7 time=1000 ip=0x1000
		sample id=3 pid=7 time=1100 ip=0x1000 raw=00
		round
	END
	pp-filter --prune 'id == 1' -i in.pipe | json >got
	[ "$(jq -r 'select(.type | test("ATTR|TRACING")) | .type' got)" = HEADER_ATTR ]
	pp-filter --prune 'id == 3' -i in.pipe | json >got
	[ "$(jq -r 'select(.type | test("ATTR|TRACING")) | .type' got | xargs)" = "HEADER_ATTR HEADER_ATTR HEADER_TRACING_DATA" ]
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

@test "threads that only a tracepoint's data name keep their names" {
	need_tracepoints
	recorded -a -e sched:sched_switch,sched:sched_wakeup_new,sched:sched_process_fork -- "${CALLS[@]}"
	prunes
	perf_quiet script -i plain.pipe -F comm,tid,time,event,trace >expected
	[ -s expected ]
	perf_quiet script -i pruned.pipe -F comm,tid,time,event,trace | diff expected -
	# those whose numbers are in the data, and who had a name there
	names() {
		json "$1" | jq -r 'select(.type == "COMM" or .type == "FORK").fields.tid' | sort -u
	}
	pp-dump --json -i plain.pipe | jq -r 'select(.type == "SAMPLE").fields.raw' >raw
	pp-filter -i plain.pipe 'event == "sched:sched_wakeup_new"' | json | jq -r 'select(.type == "SAMPLE").fields.raw' |
		perl -ne 'print unpack("l<", pack "H*", substr $_, 48, 8), "\n"' | sort -u >woken
	[ -s woken ]
	names plain.pipe | comm -12 - woken >known
	[ -s known ]
	[ -z "$(names pruned.pipe | comm -13 - known)" ]
}

@test "with AUX traces all side-band passes" {
	{
		build <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm
			auxtrace_info type=1 priv=1,2
			comm pid=7 comm=a time=900
			comm pid=8 comm=b time=910
			mmap2 pid=8 start=0x1000 len=0x1000 file=/b time=920
			sample pid=7 time=1000 ip=0x1010
			auxtrace bytes=64
			round
		END
	} >in.pipe
	pp-filter --prune 'pid == 7' -i in.pipe -o pruned.pipe
	[ "$(side_band pruned.pipe | wc -l)" -eq 3 ]
	same_bytes in.pipe pruned.pipe
}

# ---- properties

# as_modelled APART ARGUMENTS...: with them, of in.pipe
as_modelled() {
	local apart=$1
	shift
	prunes "$@" || return
	pp-sort -i plain.pipe | json >plain.json
	json pruned.pipe >pruned.json
	model known plain.json >expected
	[ -s expected ] || return
	model known pruned.json | diff expected - &&
		model among pruned.json plain.json || return
	[ -z "$apart" ] || model minimal pruned.json
}

@test "a model of readers knows the same of each sample, and misses each record that is left out" {
	for stream in '1 apart' '2 apart' 3; do
		echo "seed $stream"
		# shellcheck disable=SC2086
		model make $stream | build >in.pipe
		apart=${stream:2}
		as_modelled "$apart" 'pid in {11..12}'
		as_modelled "$apart" 'time > 1200'
		as_modelled "$apart" 'event == "two"'
		as_modelled "$apart" --context 6ns 'event == "two" && tid < 15'
	done
}

@test "every sample that stays without --prune stays with it, whatever the order and the rounds" {
	for shape in '--disorder 3ms' '--rounds 0' '--events 3 --tracepoints 2 --raw 40' '--callchain 5 --branches 3' '--big-endian' '-z'; do
		echo "$shape"
		# shellcheck disable=SC2086
		pp-gen --samples 1500 --pids 9 --threads 3 --mmaps 7 --forks 4 --exits 4 --comms 9 $shape -o in.pipe
		prunes 'cpu == 0 && period > 0'
		records -s plain.pipe | cut -d' ' -f2- | sort >expected
		[ -s expected ]
		records -s pruned.pipe | cut -d' ' -f2- | sort | diff expected -
	done
}

@test "chunks of any size give the same output" {
	two_programs >in.pipe
	pp-filter --prune 'pid == 8' -i in.pipe -o whole.pipe
	for size in 1 7 100; do
		trickle in.pipe $size | pp-filter --prune 'pid == 8' >got.pipe
		same_bytes whole.pipe got.pipe
	done
}

@test "every cut of a stream ends in 0 or 3, with what came before" {
	two_programs >in.pipe
	size=$(stat -c %s in.pipe)
	for ((at = 16; at < size; at += 61)); do
		status=0
		head -c $at in.pipe | pp-filter --prune 'pid == 8' >got.pipe 2>/dev/null || status=$?
		echo "$at: $status"
		[ $status -eq 0 ] || [ $status -eq 3 ]
	done
}

@test "a sealed stream stays sealed" {
	pp-gen --samples 500 --pids 5 -o in.pipe
	pp-filter --prune 'pid > 0' -i in.pipe -o pruned.pipe
	pp-check -q -i pruned.pipe
	pp-info -i pruned.pipe | grep -qi seal
}

@test "what is near a match by --context keeps what it needs, and nothing else stays" {
	two_programs >in.pipe
	prunes --context 100ns 'time == 1200'
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1200 1300" ]
	[ "$(side_band pruned.pipe)" = "MMAP -1 0 [kernel.kallsyms]_text
FORK 8 8
COMM 8 8 nginx
MMAP2 8 8 /libz
MMAP2 8 8 /libc
COMM 8 8 worker/2
EXIT 8 8" ]
	# what matches nothing is told of like what does
	prunes --context 10ns 'pid == 8 && time == 1300'
	[ "$(side_band pruned.pipe | grep ' 9 ')" = "COMM 9 9 cat
EXIT 9 9" ]
	[ "$(side_band pruned.pipe | grep -c ext4)" -eq 1 ]
}

@test "--invert, --limit and --prune go together" {
	two_programs >in.pipe
	prunes --invert 'pid == 8'
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1000 1010 1310" ]
	prunes -n 2
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1000 1010" ]
}

# ---- memory

@test "what does not fit in memory is in a file that nobody sees, and the output is the same" {
	pp-gen --samples 2000 --rounds 200 --pids 30 --threads 2 --mmaps 40 --forks 9 --exits 9 --comms 20 -o in.pipe
	pp-filter --prune 'cpu == 1' -i in.pipe -o expected.pipe
	mkdir folder
	run -0 --separate-stderr env TMPDIR=$PWD/folder pp-filter --prune -v -S 32k 'cpu == 1' -i in.pipe -o got.pipe
	grep -q 'a temporary file held some' <<<"$stderr"
	same_bytes expected.pipe got.pipe
	[ -z "$(ls -A folder)" ]
}

@test "a temporary file that cannot be made or written ends in 4, with the reason" {
	pp-gen --samples 2000 --rounds 200 --pids 30 --mmaps 40 -o in.pipe
	run -4 --separate-stderr env TMPDIR=$PWD/nowhere pp-filter --prune -S 32k 'cpu == 1' -i in.pipe -o got.pipe
	grep -q "cannot make a file in $PWD/nowhere that holds side-band: No such file" <<<"$stderr"
	[ ! -e got.pipe ]
	# a file of 1024 bytes at most; the output is a pipe, which has no such limit
	run -4 bash -c 'set -o pipefail; (trap "" XFSZ; ulimit -f 1; exec pp-filter --prune -S 32k "cpu == 1" -i in.pipe) 2>err | cat >got.pipe'
	grep -q 'cannot write to a file in .* that holds side-band: File too large' err
}

# ---- perf

# storm: forks, programs and names
STORM=(perl -e 'for (1 .. 8) { unless (fork) { if ($_ % 2) { exec "perl", "-e", q($i++ while $i < 2e5; $0 = "other"; $i++ while $i < 12e5) } $i++ while $i < 3e5; exit } } $i++ while $i < 5e5; 1 while wait > 0')

# recorded OPTIONS... -- COMMAND...: in.pipe
recorded() { perf_quiet record -o - "$@" >in.pipe; }

@test "perf shows the same of a pruned recording of call chains" {
	need_perf_events
	recorded -g -e cpu-clock -F 1000 -- "${STORM[@]}"
	prunes
	same_to_perf
	prunes 'comm == "perl"'
	same_to_perf
	same_report
}

@test "perf shows the same of a pruned recording of the whole system, which was compressed" {
	need_system_wide
	whole_system=yes
	recorded -a -z -g -d -e cpu-clock -F 500 -- "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
	[ "$(stat -c %s pruned.pipe)" -lt "$(stat -c %s plain.pipe)" ]
	prunes --invert 'comm == "perl"'
	same_to_perf
}

@test "perf shows the same of two events, of one of them, and of a group" {
	need_perf_events
	recorded -g -e cpu-clock,page-faults -- "${STORM[@]}"
	prunes
	same_to_perf
	same_report
	prunes 'event == "page-faults"'
	same_to_perf
	recorded -e '{cpu-clock,page-faults}' -- "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
}

@test "perf shows the same of pruned tracepoints, and of a clock beside them" {
	need_tracepoints
	recorded -e sched:sched_process_fork,sched:sched_switch,cpu-clock -- "${CALLS[@]}"
	prunes 'event == "sched:sched_process_fork"'
	perf_quiet script -i plain.pipe -F comm,event,trace >expected
	[ -s expected ]
	perf_quiet script -i pruned.pipe -F comm,event,trace >got
	diff expected got
	prunes
	same_to_perf
	same_report
}

@test "perf unwinds copied stacks of a pruned recording as before" {
	need_perf_events
	recorded --call-graph dwarf,1024 -e cpu-clock -F 250 -- "${WORK[@]}"
	prunes
	same_to_perf
}

@test "perf shows the same where threads inherit names" {
	need_perf_events
	recorded -s -e cpu-clock -F 1000 -- perl -e '$i++ while $i < 3e5; $0 = "renamed";
		for (1 .. 3) { unless (fork) { $i++ while $i < 1e6; exit } } 1 while wait > 0'
	prunes
	same_to_perf
	prunes 'comm == "renamed"'
	same_to_perf
}

@test "perf shows the same of control groups and namespaces" {
	need_system_wide
	need_root
	once groups perf record --all-cgroups --namespaces -a -o - -e cpu-clock true ||
		skip "control groups cannot be recorded here"
	once unshare unshare -m -u true || skip "namespaces cannot be made here"
	whole_system=yes
	recorded --all-cgroups --namespaces --switch-events -a -e cpu-clock -F 500 -- unshare -m -u "${STORM[@]}"
	prunes 'comm == "perl"'
	same_to_perf
	perf_quiet report --stdio --sort cgroup,cgroup_id -i plain.pipe | grep -v '^#' | sort >expected
	[ -s expected ]
	perf_quiet report --stdio --sort cgroup,cgroup_id -i pruned.pipe | grep -v '^#' | sort | diff expected -
}

@test "perf shows the same of what pp-record recorded" {
	need_perf_events
	pp-record -g -e cpu-clock -F 1000 -- "${STORM[@]}" >in.pipe
	prunes 'comm == "other"'
	same_to_perf
}
