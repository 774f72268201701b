# save.bats - pp-save: perf makes the same of the file as of the stream, each section holds what it
# should, and what is cut or refused leaves no half of a file.

setup() { load ../helper; }

# sections FILE: `name offset size` a line, of header, data, attrs and features as they lie, by a
# reader that is not ours; fails where they overlap or leave the file
sections() {
	perl -e 'local $/; my $s = <STDIN>;
		my ($magic, $size, $attr, $ao, $as, $do, $ds, $to, $ts, @map) = unpack "a8Q12", $s;
		die "no file header" unless $magic eq "PERFILE2" && $size == 104 && !$to && !$ts;
		die "attrs of $attr" if $as % $attr;
		my @all = (["header", 0, 104], ["attrs", $ao, $as], ["data", $do, $ds]);
		my @bits = grep $map[$_ / 64] >> $_ % 64 & 1, 0 .. 255;
		my $at = $do + $ds;
		push @all, ["table", $at, 16 * @bits];
		push @all, [$_, unpack "QQ", substr $s, $at, 16], $at += 16 for @bits;
		my $end = 0;
		for (sort { $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } grep ref, @all) {
			die "$_->[0] at $_->[1] lies in what ends at $end" if $_->[1] < $end;
			$end = $_->[1] + $_->[2];
			print "@$_\n";
		}
		die "ends at $end" if $end > length $s' <"$1"
}

# section FILE NAME: its bytes, in hex
section() {
	local offset size
	read -r _ offset size < <(sections "$1" | grep "^$2 ")
	tail -c +$((offset + 1)) "$1" | head -c "$size" | od -An -v -tx1 | tr -d ' \n'
}

# data FILE: types of the records there, tails left out
data() {
	perl -e 'local $/; my $s = <STDIN>;
		my ($at, $size) = unpack "QQ", substr $s, 40, 16;
		for (my $end = $at + $size; $at < $end;) {
			my ($type, $misc, $n) = unpack "VvX6x6v", substr $s, $at, 8;
			print "$type\n";
			$at += $n + ($type == 71 ? unpack "Q", substr $s, $at + 8, 8 : 0);
		}' <"$1" | tr '\n' ' '
}

# same_script: perf prints the same of the stream `in` and of the file `out`
same_script() {
	perf_quiet script -i in >expected
	perf_quiet script -i out >got
	[ -s got ]
	diff <(as_of_files <expected) <(as_of_files <got)
}

# sampled: 101 samples, one each 10 ms from 1 s to 2 s
sampled() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature HOSTNAME string "build-host"
		feature CMDLINE list "perf" "record" "-a"
		comm pid=7 comm=work exec time=999999999
		repeat 101 {
		sample pid=7 cpu=$(i%2) time=$(i*10000000+1000000000) ip=0x1000
		}
		round
	END
}

# perfs: the perf that is installed, and newer ones that are unpacked in $PERF_NEWER
perfs() {
	local file
	command -v perf
	for file in "${PERF_NEWER:-/nonexistent}"/perf-*; do
		[ ! -x "$file" ] || echo "$file"
	done
}

# ---- what perf makes of it

@test "perf script prints the same of the file as of the stream" {
	need_perf_events
	local -A ways=([plain]='-e cpu-clock' [chains]='-e cpu-clock -g'
		[dwarf]='-e cpu-clock --call-graph dwarf,1024' [several]='-e cpu-clock,task-clock,page-faults'
		[group]='-e {cpu-clock,task-clock}' [rest]='-e cpu-clock -d -T --sample-cpu')
	for way in "${!ways[@]}"; do
		echo "$way"
		# shellcheck disable=SC2086
		perf_quiet record -q -F 499 ${ways[$way]} -o - -- "${WORK[@]}" >in
		pp-save -i in -o out
		sections out >list
		same_script
	done
}

@test "perf script prints the same of the file as of a compressed stream" {
	need_perf_events
	once compressed perf record -z -o - -e cpu-clock true || skip "perf cannot compress"
	perf_quiet record -q -z -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	# an old perf expands only what an old perf wrote
	pp-decompress -i in -o plain
	mv plain in
	same_script
}

@test "perf sched and script read a file with tracepoints" {
	need_tracepoints
	need_system_wide
	perf_quiet record -q -a -e sched:sched_switch,sched:sched_wakeup -o - -- "${CALLS[@]}" >in
	pp-save -i in -o out
	same_script
	run -0 perf_quiet sched timehist -i out
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+ +\[[0-9]+\] +perl' <<<"$output")" -ge 1 ]
}

@test "perf kwork reads a file with tracepoints" {
	need_tracepoints
	need_system_wide
	perf kwork -h 2>&1 | grep -q report || skip "this perf has no kwork"
	once softirq perf record -a -o - -e irq:softirq_entry true || skip "softirq cannot be traced here"
	perf_quiet record -q -a -e irq:softirq_raise,irq:softirq_entry,irq:softirq_exit -o - -- "${CALLS[@]}" >in
	pp-save -i in -o out
	run -0 perf_quiet kwork -k softirq report -i out
	[[ $output == *"Kwork Name"* ]]
}

@test "perf finds a part of the time in the file" {
	need_perf
	sampled >in
	pp-save -i in -o out
	perf_quiet script --time 10%-20% -F time -i out | tr -d ' :' >got
	[ -s got ]
	awk '$1 < 1.0999 || $1 > 1.2001' got >elsewhere
	[ ! -s elsewhere ]
	run -0 perf_quiet report --stdio --time 10%-20% -i out
	[[ $output == *"Samples: "* ]]
}

# comparable [FILE]: the header in words without what versions of perf do differently: the sizes of
# attributes (zeros at their ends are not saved), ID, which perf adds in pipes, and the feature
# BUILD_ID, which perf 7 leaves out since all of its MMAP2 records have build-ids
comparable() { sed -E 's/,? size( =|:) [0-9]+//; s/\|ID\|/|/; /^# missing features/s/ BUILD_ID//' "$@"; }

@test "perf shows the header as it shows that of a recording" {
	need_perf_events
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	run -0 perf_quiet report --header-only -i out
	[[ $output == *"# hostname : $(uname -n)"* ]]
	[[ $output == *"# os release : $(uname -r)"* ]]
	[[ $output == *"# cmdline : "*perf* ]] # perf 7 has no more of it
	[[ $output == *"# event : name = cpu-clock"* ]]
	[[ $output == *"# sample duration : "* ]]
	perf_quiet evlist -v -i out >got
	perf_quiet record -q -e cpu-clock -o file -- true
	perf_quiet evlist -v -i file >expected
	diff <(comparable got) <(comparable expected)
}

@test "a file of perf record is saved with all that it had" {
	need_perf_events
	perf_quiet record -q -g -e cpu-clock,task-clock -o in -- "${WORK[@]}"
	pp-save -i in -o out
	same_script
	perf_quiet buildid-list -i in | sort >expected
	# perf 7 has all build-ids in its MMAP2 records, but lists only those of files that were hit
	perf_quiet buildid-list -i out | sort >got
	run -0 comm -23 expected got
	[ -z "$output" ]
	perf_quiet report --header-only -i in | grep -vE 'captured on|offset|data size' >expected
	perf_quiet report --header-only -i out | grep -vE 'captured on|offset|data size' >got
	diff <(comparable got) <(comparable expected)
}

@test "perf lists the build-ids that pp-inject added" {
	need_perf_events
	perf_quiet record -q -g -e cpu-clock -o - -- "${WORK[@]}" | pp-inject -b -o in
	pp-save -i in -o out
	json in | jq -r 'select(.type == "HEADER_BUILD_ID").fields | "\(.build_id[:.size * 2]) \(.filename)"' |
		sort >expected
	[ -s expected ]
	perf_quiet buildid-list -i out | sort >got
	run -0 comm -23 expected got # perf 7 had put others into the maps
	[ -z "$output" ]
	run -0 perf_quiet buildid-list --with-hits -i out
	[[ $output == *"perl"* ]]
}

@test "perf inject reads the file and writes one that holds the same" {
	need_perf_events
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o saved
	perf_quiet inject -b -i saved -o out
	same_script
	perf_quiet buildid-list -i out | grep perl
}

@test "perf data convert reads the file" {
	need_perf_events
	perf data convert -h 2>&1 | grep -q to-json || skip "perf cannot convert to JSON"
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	perf_quiet data convert -i out --to-json got.json
	samples=$(json in | grep -c '"type":"SAMPLE"')
	[ "$(jq '.samples | length' got.json)" -eq "$samples" ]
}

@test "perf stat report prints the same of the file as of the stream" {
	need_perf_events
	perf_quiet stat record -o - -e cpu-clock,page-faults -- "${WORK[@]}" >in
	pp-save -i in -o out
	sections out | grep '^19 '
	# seconds are told to more places than what was recorded has
	perf stat report -i in 2>&1 </dev/null | grep -E 'cpu-clock|page-faults' >expected
	perf stat report -i out 2>&1 </dev/null | grep -E 'cpu-clock|page-faults' >got
	[ -s got ]
	diff expected got
}

# printed FILE: task, time and event of each sample that perf script printed
printed() {
	perl -ne 'm{(\d+)/(\d+)\s+(?:\[\d+\]\s+)?(\d+\.\d+):\s+(?:\d+\s+)?(\S+?): } and print "$1/$2 $3 $4\n"' "$1" | sort
}

# same_samples FILE: perf here prints all samples that the recorder's own perf printed
same_samples() {
	local ns=
	printed "$CORPUS/$1.script.txt" >expected
	! grep -qE '\.[0-9]{9} ' expected || ns=--ns
	perf_quiet script $ns -F comm,pid,tid,time,period,event -i out >text
	printed text >got
	[ -s expected ]
	# a new perf does not print members of a group that counted nothing
	comm -23 expected got >missing
	diff /dev/null missing
}

@test "streams of perf 6.1, 6.12 and 7.3 are saved whole" {
	corpus perf-6.1 perf-6.12 perf-7.3
	need_perf
	for file in perf-6.1/{dwarf,group,rec,rec.z,regs,stat,tp}.pipe.data \
		perf-6.1/rec.{pipe.inject-b,inject2pipe}.data perf-6.12/{rec,rec.z,dwarf,group,meta,tp}.pipe.data \
		perf-6.12/{buildid-mmap,stat,stat.interval}.pipe.data perf-7.3/{rec,rec.z,dwarf,group,meta,tp}.pipe.data \
		perf-7.3/{buildid-mmap,stat,stat.interval}.pipe.data; do
		echo "$file"
		run -0 --separate-stderr pp-save -i "$CORPUS/$file" -o out
		[ -z "$stderr" ]
		sections out >list
		perf_quiet report --header-only -i out >header
		pp-decompress -i "$CORPUS/$file" -o in
		too_strict "$CORPUS/$file" || same_script
		[ ! -f "$CORPUS/$file.script.txt" ] || same_samples "$file"
	done
}

@test "an AUX trace of the corpus is decoded by the index" {
	corpus quipper/perf.data.piped.intel_pt-4.14
	need_perf
	pp-save -i "$CORPUS/quipper/perf.data.piped.intel_pt-4.14" -o out
	[ "$(section out 18 | cut -c1-16)" = 0200000000000000 ]
	# perf reads an AUX trace of a pipe only from a real pipe; names are wider where all are known
	perf script -i - < <(cat "$CORPUS/quipper/perf.data.piped.intel_pt-4.14") 2>err | tr -s ' ' | as_of_files >expected
	grep -q 'psb offs' expected || skip "perf cannot decode it here"
	perf script -i out 2>err | tr -s ' ' | as_of_files >got
	diff expected got
}

# ---- sections

@test "records become sections, the others stay in the data in their order" {
	build >in <<-'END'
		header
		attr id=5 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all name=old
		feature HOSTNAME string "here"
		feature EVENT_DESC
		feature 200 hex 0102030405
		feature 35
		event_update id=5 name=new
		event_update id=5 unit=ms
		event_update id=5 scale=0.5
		thread_map entries=7:work
		event_type event_id=0 name=older
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		comm pid=7 comm=work time=1000
		init
		sample pid=7 time=3000 ip=0x1000
		sample pid=7 time=2000 ip=0x1000
		round
		record 113 0 0102030405060708
	END
	pp-save -i in -o out
	run -0 data out
	[ "$output" = "78 78 73 3 82 9 9 68 113 " ]
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 2 3 12 21 200 " ]
	[ "$(section out 200)" = 0102030405 ]
	# 2000 and 3000 ns
	[ "$(section out 21)" = d007000000000000b80b000000000000 ]
	# as perf has it: type 0, misc, size, pid -1, the id, its length, the name in 64 bytes
	zeros=$(printf '%0116d' 0)
	[ "$(section out 2)" = "0000000002806400ffffffff0123456789abcdef0123456789abcdef01234567140000002f6c69622f61$zeros" ]
	need_perf
	run -0 perf_quiet evlist -i out
	[[ $output == new* ]]
}

@test "names by type, as old recorders wrote them, go to the events that have no other" {
	for type in 1 2; do
		echo "$type"
		printf 'header\nattr type=%s config=3\nevent_type event_id=3 name=sys:old\nsample time=1000\n' $type |
			build >in
		pp-save -i in -o out
		sections out >list
		if [ $type = 1 ]; then
			run -1 grep '^12 ' list
		else
			[[ $(section out 12) == *"$(printf sys:old | od -An -tx1 | tr -d ' ')"* ]]
		fi
	done
}

@test "build-ids of mappings stand in the section once each, without what is no name" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		mmap2 pid=-1 misc=0x4001 start=0 len=1 file=[kernel.kallsyms]_text build_id=aaaa456789abcdef0123456789abcdef01234567
		repeat 3 {
		mmap2 pid=$(i+7) start=0x1000 len=0x1000 file=/lib/c build_id=cccc456789abcdef0123456789abcdef01234567
		}
		mmap2 pid=7 start=0x1000 len=0x1000 file=/lib/none maj=1 ino=2
		build_id pid=-1 id=dddd456789abcdef0123456789abcdef01234567 file=/lib/d old
		sample pid=7 time=2000 ip=0x1000
	END
	run -0 --separate-stderr pp-save -v -i in -o out
	[[ $stderr == *"3 build-ids"* ]]
	need_perf
	run -0 perf_quiet buildid-list -i out
	[[ $output == *"aaaa456789abcdef0123456789abcdef01234567 [kernel.kallsyms]"* ]]
	[[ $output == *"cccc456789abcdef0123456789abcdef01234567 /lib/c"* ]]
	[[ $output == *"dddd456789abcdef0123456789abcdef01234567 /lib/d"* ]]
	[ "${#lines[@]}" -eq 3 ]
}

@test "attributes of all sizes are written in one, without zeros that an old perf does not know" {
	build >in <<-'END'
		header
		attr id=1 size=144 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2,3 size=64 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
		sample pid=7 time=2001 ip=0x1000 id=3
	END
	pp-save -i in -o out
	sections out | grep -x 'attrs 128 288'
	run -0 section out attrs
	[ "${output:8:8}" = 80000000 ]
	[ "${output:$((144 * 2 + 8)):8}" = 80000000 ]
	# two ids at 112
	[ "${output: -32}" = 70000000000000001000000000000000 ]
	need_perf
	same_script
}

@test "what only a new attribute can say is kept" {
	build >in <<-'END'
		header
		attr id=1 size=144 config4=9 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 size=112 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
	END
	pp-save -i in -o out
	sections out | grep -x 'attrs 120 320'
	run -0 section out attrs
	[ "${output:$((136 * 2)):16}" = 0900000000000000 ]
}

@test "attributes that come late are found all the same" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
		attr id=2 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=3000 ip=0x1000 id=2
		round
	END
	pp-save -i in -o out
	sections out
	[ "$(section out attrs | wc -c)" -eq $((2 * 2 * 144)) ]
	need_perf
	same_script
	run -0 perf_quiet script -i out -F time
	[ "${#lines[@]}" -eq 2 ]
}

@test "tracing data are kept to the byte, wherever they come" {
	for place in early late; do
		echo "$place"
		{
			printf 'header\nattr id=1\n'
			[ $place = late ] || echo 'tracing bytes=300000'
			echo 'sample time=1000'
			[ $place = early ] || echo 'tracing bytes=300000'
			printf 'sample time=2000\nround\n'
		} | build >in
		printf 'header\ntracing bytes=300000\n' | build | tail -c 300000 | od -An -v -tx1 | tr -d ' \n' >expected
		pp-save -i in -o out
		section out 1 >got
		cmp expected got
		[ "$(data out)" = "9 9 68 " ]
	done
}

@test "the index has the place of each AUX trace, with its bytes behind it" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		auxtrace_info type=1 priv=1,2
		auxtrace hex=1111111111111111 idx=0 tid=7 cpu=-1
		sample pid=7 time=2000 ip=0x1000
		auxtrace bytes=300000 idx=1 tid=7 cpu=-1
		auxtrace hex=3333333333333333 idx=2 tid=7 cpu=-1
		round
	END
	pp-save -i in -o out
	sections out
	[ "$(data out)" = "70 71 9 71 71 68 " ]
	perl -e 'local $/; open F, "<", "out"; my $s = <F>;
		my ($n, @entries) = unpack "Q*", pack "H*", shift;
		print "$n\n";
		while (my ($at, $size) = splice @entries, 0, 2) {
			my ($type, $misc, $record, $tail) = unpack "VvvQ", substr $s, $at, 16;
			my $idx = unpack "V", substr $s, $at + 32, 4;
			print "$size $type $record $tail $idx ", unpack("H4", substr $s, $at + $record, 2), "\n";
		}' "$(section out 18)" >got
	[ "$(sed -n 1p got)" = 3 ]
	[ "$(sed -n 2p got)" = "48 71 48 8 0 1111" ]
	[[ "$(sed -n 3p got)" == "48 71 48 300000 1 "* ]]
	[ "$(sed -n 4p got)" = "48 71 48 8 2 3333" ]
}

@test "branches and counts are told by the flags that files have" {
	printf 'header\nattr sample_type=IP,TID,TIME,BRANCH_STACK branch_sample_type=ANY\nsample time=1000 branches=0x1:0x2:0\n' |
		build >in
	pp-save -i in -o out
	sections out | grep '^15 '
	printf 'header\nattr sample_type=0 read_format=3 id=1\nstat_config entries=0:1\nstat id=1 val=5\nstat_round type=1 time=9\n' |
		build >in
	pp-save -i in -o out
	sections out | grep '^19 '
	[ "$(data out)" = "75 76 77 " ]
	# a stream made from a file may tell them itself; what has no payload else is the end of features
	printf 'header\nattr\nfeature 15\nfeature 19\nfeature 32\nsample time=1000\n' | build >in
	pp-save -i in -o out
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 15 19 21 " ]
}

@test "a stream that ends before its first record is saved as a file that perf reads" {
	printf 'header\nattr id=1\nfeature HOSTNAME string "here"\n' | build >in
	pp-save -i in -o out
	# one round, which says nothing: no data at all would mean that the file was not finished
	[ "$(data out)" = "68 " ]
	need_perf
	run -0 perf report --header-only -i out
	[[ $output == *"# hostname : here"* ]]
	# that there is no NRCPUS either is what perf 7 says of it
	[[ $(grep -v HEADER_NRCPUS <<<"$output") != *WARNING* ]]
}

# ---- one file, whatever the stream looks like

@test "seals, compression and byte order leave no trace in the file" {
	sampled >in
	pp-save -i in -o expected
	pp-decompress --seal -i in -o sealed
	pp-save -i sealed -o out
	same_bytes expected out
	pp-compress -i sealed -o small
	pp-save -i small -o out
	same_bytes expected out
	trickle sealed 1000 | pp-save -o out
	same_bytes expected out
	build >in <<-'END'
		header big
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		round
	END
	pp-save -i in -o foreign
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		round
	END
	pp-save -i in -o out
	same_bytes foreign out
}

@test "notes are in the file, and every reader of it has them again" {
	# at the beginning of a stream, at its end, in several records, sealed or not
	sampled | pp-inject --note host=web7 --note long="$(perl -e 'print "x" x 100000')" -o in
	printf 'header\nround hex=50504e4f54453100010000000000000001000000020000006162630000000000\n' | build | tail -c +17 >>in
	pp-save -i in -o out
	pp-dump --headers -i in | grep '^# note' >expected
	[ "$(wc -l <expected)" -eq 3 ]
	pp-dump --headers -i out | grep '^# note' >got
	diff expected got
	pp-cat out | pp-dump --headers | grep '^# note' >got
	diff expected got
	run -0 --separate-stderr pp-check --strict out
	run -0 --separate-stderr bash -c 'pp-cat out | pp-check --strict'
	# they count as they stood: a note that is added is the last one, and is when it is saved again
	run -0 pp-info --note host <(pp-inject --note host=web8 -i out)
	[ "$output" = $'web7\nweb8' ]
	pp-cat out | pp-save -o again
	same_bytes out again
	pp-decompress --seal -i in | pp-save -o again
	same_bytes out again
}

@test "perf reads a file with notes as it reads one without" {
	need_perf
	sampled >in
	pp-save -i in -o expected
	pp-inject --note host=web7 --note commit=4f2a9c1 -i in | pp-save -o out
	local perf command
	while read -r perf; do
		for command in 'script' 'report --stdio' 'buildid-list' 'evlist -v' 'inject -b -o /dev/null'; do
			echo "$perf $command"
			# shellcheck disable=SC2086
			"$perf" $command -i expected >a 2>a.err </dev/null
			# shellcheck disable=SC2086
			"$perf" $command -i out >b 2>b.err </dev/null
			# perf ends a report with a tip that it draws by lot
			diff <(grep -v '^# (Tip: ' a) <(grep -v '^# (Tip: ' b)
			diff <(sed 's/expected/out/' a.err) b.err
		done
		# data size, and the date of the file
		"$perf" report --header-only -i out | grep -Ev '^# (captured|data size|.*offset)' >b
		"$perf" report --header-only -i expected | grep -Ev '^# (captured|data size|.*offset)' >a
		diff a b
	done < <(perfs)
}

@test "notes beyond what there is room for are left out, and that is said" {
	sampled >in
	local n
	for ((n = 0; n < 5; n++)); do
		perl -e 'printf "header\nround hex=%s%s\n", unpack("H*", pack "a8 L2 L2", "PPNOTE1", 1, 0, 1, 65000), "61" x 65001' |
			build | tail -c +17
	done >five
	{ head -c 16 in; for ((n = 0; n < 13; n++)); do cat five; done; tail -c +17 in; } >noted
	run -0 --separate-stderr pp-save -i noted -o out
	[ "$stderr" = "pp-save: out: 1 record of notes left out: there is room for 4 MiB" ]
	[ "$(pp-dump --headers -i out | grep -c '^# note')" -eq 64 ]
}

@test "events that perf would refuse in a file are told" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,ID flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000
	END
	run -0 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"perf will not read it: "* ]]
	need_perf
	run perf script -i out
	[ "$status" -ne 0 ]
}

@test "a feature that has no place in the header is left out, and told" {
	printf 'header\nattr id=1\nfeature 255 hex 01\nfeature 256 hex 01\nsample time=1000\n' | build >in
	run -0 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"1 feature left out"* ]]
	sections out | grep '^255 '
}

# ---- damage

@test "of a stream that is cut what came before is saved" {
	sampled >whole
	head -c -60 whole >in
	run -3 --separate-stderr pp-save -i in -o out
	[[ $stderr == "pp-save: in: record "*" at byte "* ]]
	sections out
	need_perf
	run -0 perf_quiet script -F time -i out
	[ "${#lines[@]}" -eq 100 ]
}

@test "an AUX trace that is cut is left out of data and index" {
	build >whole <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		auxtrace bytes=64 idx=0 tid=7 cpu=-1
		sample pid=7 time=2000 ip=0x1000
		auxtrace bytes=3000000 idx=1 tid=7 cpu=-1
	END
	for cut in 8 2000000 2999999; do
		echo "$cut"
		head -c -$cut whole >in
		run -3 --separate-stderr pp-save -i in -o out
		sections out >list
		[ "$(data out)" = "71 9 " ]
		[ "$(section out 18 | cut -c1-16)" = 0100000000000000 ]
		[ "$(stat -c %s out)" -lt 2000 ]
	done
}

@test "tracing data that are cut are left out" {
	for place in '' 'sample time=1000'; do
		echo "$place"
		printf 'header\nattr id=1\n%s\ntracing bytes=300000\n' "$place" | build | head -c -100 >in
		run -3 pp-save -i in -o out
		sections out >list
		run -1 grep '^1 ' list
		[ "$(stat -c %s out)" -lt 2000 ]
	done
}

@test "a feature that is damaged is left out, those behind it stay" {
	printf 'header\nattr id=1\nfeature HOSTNAME u32 4000\nfeature ARCH string "x86_64"\nsample time=1000\n' |
		build >in
	run -3 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"(HEADER_FEATURE): "* ]]
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 6 21 " ]
}

@test "a stream that an earlier stage found damaged is saved, with exit 3" {
	sampled | head -c -60 >part
	pp-decompress -i part -o in || true
	run -3 pp-save -i in -o out
	sections out
}

@test "damaged files of the corpus end in 0 or 3, and leave a file only where a stream was" {
	corpus fuzz quipper perf-6.1
	for file in "$CORPUS"/fuzz/* "$CORPUS"/quipper/*piped*-[34].* "$CORPUS"/perf-6.1/{bad,trunc}*; do
		[ -f "$file" ] || continue
		rm -f out
		run pp-save -q -i "$file" -o out
		echo "$file: $status"
		[[ $status =~ ^[03]$ ]]
		[ ! -e out ] || sections out
	done
}

# ---- the output

# hidden: files here that do not have their name yet
hidden() { find . -name '.?*'; }

@test "an output that does not allow seeking is misuse" {
	sampled >in
	run -2 --separate-stderr pp-save -i in
	[[ $stderr == "pp-save: name the file to write with --output"* ]]
	run -2 pp-save -i in -o -
	mkfifo fifo
	run -2 --separate-stderr pp-save -i in -o fifo
	[[ $stderr == "pp-save: cannot write fifo: "* ]]
	run -2 bash -c 'pp-save -i in -o /dev/stdout | cat; exit ${PIPESTATUS[0]}'
}

@test "what the system refuses is exit 4 and leaves an older file as it was" {
	sampled >in
	[ -c /dev/full ] || skip "no /dev/full here"
	run -4 --separate-stderr pp-save -i in -o /dev/full
	[ "$stderr" = "pp-save: cannot write /dev/full: No space left on device" ]
	echo old >out
	run -4 bash -c 'ulimit -f 1; trap "" XFSZ; exec pp-save -i in -o out'
	[ "$(cat out)" = old ]
	run -4 pp-save -i missing -o out
	[ "$(cat out)" = old ]
	run -3 pp-save -i out -o none
	[ ! -e none ]
	[ -z "$(hidden)" ]
	pp-save -i in -o /dev/null
}

@test "a signal leaves nothing behind" {
	sampled >in
	mkfifo fifo
	for name in TERM XCPU; do
		echo "$name"
		pp-save -i fifo -o out 3>&- &
		pid=$!
		exec 4<>fifo
		head -c 1000 in >&4
		for ((tries = 0; tries < 600; tries++)); do
			[ -z "$(hidden)" ] || break
			sleep 0.1
		done
		[ "$(hidden)" != "" ]
		while kill -$name $pid 2>/dev/null; do sleep 0.1; done
		status=0
		wait $pid || status=$?
		exec 4>&-
		[ "$status" -eq $((128 + $(kill -l $name))) ]
		[ -z "$(hidden)" ]
		[ ! -e out ]
	done
}

@test "an input that cannot be read, or is no stream, leaves no file" {
	: >empty
	echo 'no stream at all, just some text' >text
	mkdir folder
	run -4 --separate-stderr pp-save -i missing -o out
	[ "$stderr" = "pp-save: missing: cannot open: No such file or directory" ]
	run pp-save -i folder -o out
	[[ $status =~ ^[34]$ ]]
	run -3 pp-save -i empty -o out
	run -3 pp-save -i text -o out
	run -4 bash -c 'pp-save -o out <&-'
	[ ! -e out ]
	[ -z "$(hidden)" ]
	need script
	run -2 script -qec "pp-save -o out" /dev/null </dev/null
	[[ $output == "pp-save: a stream is not read from a terminal: "* ]]
	[ ! -e out ]
}

@test "a new file is its owner's alone, an older one keeps its mode, a link stays" {
	sampled >in
	(umask 0 && pp-save -i in -o out)
	[ "$(stat -c %a out)" = 600 ]
	chmod 640 out
	pp-save -i in -o out
	[ "$(stat -c %a out)" = 640 ]
	ln -s out link
	rm out
	pp-save -i in -o link
	[ -L link ]
	sections out
	# also over what is read
	cp in both
	pp-save -i both -o both
	same_bytes out both
}
