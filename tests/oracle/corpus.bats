# corpus.bats - real streams of several versions of perf and of other recorders: they are read whole,
# and what is found agrees with what is written beside them.

setup() { load ../helper; }

# read_clean FILE: every record can be read to its last byte, and nothing is said
read_clean() {
	echo "$1"
	pp-dump --json -i "$CORPUS/$1" >lines.json 2>err
	[ ! -s err ]
	run -1 grep -E '"damaged":|"rest":|UNKNOWN_' lines.json
	pp-dump -i "$CORPUS/$1" >text
	[ "$(grep -vc '^ ' text)" -eq "$(grep -c '"type":' lines.json)" ]
}

# scripted FILE: samples are those of FILE.script.txt: task, time and event.  Of a group whose leader
# reads all counters perf prints a line for each member; ours is the leader's.
scripted() {
	perl -ne 'm{(\d+)/(\d+)\s+(\d+\.\d+):\s+(?:(\d+)\s+)?(\S+?): *$} || m{(\d+)/(\d+)\s+(\d+\.\d+):\s+(?:(\d+)\s+)?(\S+?): }
		or next; print "$1/$2 $3 $5\n"' "$CORPUS/$1.script.txt" >all
	jq -r 'select(.type == "SAMPLE") | .event as $event | .fields | (.time | tostring) as $t |
		"\(.pid)/\(.tid) " + $t[:-9] + "." + $t[-9:] + " " + $event' lines.json >ours
	if [ "$(head -n 1 all | sed 's/.*\.\([0-9]*\) .*/\1/' | tr -d '\n' | wc -c)" -eq 6 ]; then
		sed 's/\(\.[0-9]\{6\}\)[0-9]*/\1/' ours >cut
		mv cut ours
	fi
	if jq -e -s 'any(.fields.read.values)' lines.json >grouped; then
		cut -d' ' -f3 ours | sort -u >leaders
		awk 'NR == FNR { leader[$1]; next } $3 in leader' leaders all >some
		mv some all
	fi
	[ -s ours ]
	sort all | diff - <(sort ours)
}

pipes() { (cd "$CORPUS" && ls $1/*.pipe.data); }

@test "streams of perf 6.12 are read whole and hold the samples that its script prints" {
	corpus perf-6.12
	for file in $(pipes perf-6.12); do
		read_clean "$file"
		[ ! -f "$CORPUS/$file.script.txt" ] || scripted "$file"
	done
}

@test "streams of perf 7.3 are read whole and hold the samples that its script prints" {
	corpus perf-7.3
	for file in $(pipes perf-7.3); do
		read_clean "$file"
		[ ! -f "$CORPUS/$file.script.txt" ] || scripted "$file"
	done
}

@test "streams of perf 6.1 are read whole" {
	corpus perf-6.1
	for name in dwarf.pipe group.pipe rec.inject2pipe rec.pipe rec.pipe.inject-b rec.z.pipe regs.pipe \
		stat.pipe tp.pipe; do
		read_clean "perf-6.1/$name.data"
	done
}

@test "perf says the same of the streams of perf 6.1" {
	corpus perf-6.1
	need_perf
	for name in dwarf.pipe group.pipe rec.inject2pipe rec.pipe rec.z.pipe regs.pipe tp.pipe; do
		echo "$name"
		json "$CORPUS/perf-6.1/$name.data" >lines.json
		perl "$TESTS/oracle/perf-dump.pl" "$CORPUS/perf-6.1/$name.data" lines.json
	done
}

@test "files of every version of perf are read whole" {
	corpus perf-6.1 perf-6.12 perf-7.3 quipper v1/noargs.perf.data linux-perf-data
	for file in perf-6.1/{rec,rec.z,meta,killed,overwrite,stat,stat.a,stat.interval,tp}.data \
		perf-6.12/rec{,.z}.data perf-7.3/rec{,.z}.data linux-perf-data/sleep{,.compressed}.data \
		v1/noargs.perf.data quipper/perf.data.{armv7-3.4,branch-4.14,branch_stack_hw_index,callgraph-3.4} \
		quipper/perf.data.{callgraph-3.8,ctx_switch_namespaces-4.14,group_desc-4.14,hybrid_topology} \
		quipper/perf.data.{intel_pt-4.14,lost_samples-4.4,raw_callgraph_branch-3.4,remmap-3.2} \
		quipper/perf.data.{singleprocess-3.8,weight_struct}; do
		read_clean "$file"
		[ ! -f "$CORPUS/$file.script.txt" ] || scripted "$file"
	done
	run -3 --separate-stderr pp-dump -i "$CORPUS/perf-6.1/trunc.data"
	[[ "$stderr" == *"the file ends before its"* ]]
}

@test "streams that are cut or lack their header are refused with the place" {
	corpus perf-6.1
	run -3 --separate-stderr pp-dump -i "$CORPUS/perf-6.1/trunc-header.pipe.data"
	[[ "$stderr" == *"need 16 bytes, have 12"* ]]
	run -3 --separate-stderr pp-dump --json -i "$CORPUS/perf-6.1/trunc-midrecord.pipe.data"
	[[ "$stderr" == *"record 45 at byte 4964 (SAMPLE): "*"need 80 bytes, have 36"* ]]
	[ "$(grep -c '"type":' <<<"$output")" -eq 45 ]
	[ "${lines[-1]}" = '{"end":"damaged"}' ]
	run -3 --separate-stderr pp-dump -i "$CORPUS/perf-6.1/bad.perf61-inject-noheader.pipe.data"
	[[ "$stderr" == *"not a perf stream"* ]]
}

@test "both forms of compressed records hold the samples that their recorder counted" {
	corpus linux-perf-data
	json "$CORPUS/linux-perf-data/sleep.compressed.pipe.data" >lines.json
	[ "$(grep -c '"type":"SAMPLE"' lines.json)" -eq 8 ]
	# what stands behind the last record of the other is no stream
	run -3 --separate-stderr pp-dump --json -i "$CORPUS/linux-perf-data/sleep.compressed2.pipe.data"
	[ "$(grep -c '"type":"SAMPLE"' <<<"$output")" -eq 7 ]
	[[ "$stderr" == *"record 197 at byte 31808"* ]]
}

@test "a real big-endian stream has its 9997 samples" {
	corpus big-endian/perf.data.piped.powerpc.no-google-hdr
	read_clean big-endian/perf.data.piped.powerpc.no-google-hdr
	[ "$(grep -c '"type":"SAMPLE"' lines.json)" -eq 9997 ]
	[ "$(jq -r 'select(.type == "MMAP").fields.filename' lines.json | grep -c '^/')" -gt 0 ]
}

@test "pipe streams of old recorders are read whole" {
	corpus quipper
	for file in ctx_switch_namespaces-4.14 header_features-4.16 intel_pt-4.14 lost_samples-4.4 \
		target-3.8 target.throttled-3.4; do
		read_clean "quipper/perf.data.piped.$file"
		[ "$(grep -c '"type":"SAMPLE"' lines.json)" -gt 0 ]
	done
}

@test "damage in streams of old recorders is told, and what precedes it shown" {
	corpus quipper
	run -3 --separate-stderr pp-dump -i "$CORPUS/quipper/perf.data.piped.corrupted.zero_size_sample-3.2"
	[[ "$stderr" == *"record 570 at byte 49104 (SAMPLE): record is smaller than its own header"* ]]
	[ "$(grep -vc '^ ' <<<"$output")" -eq 570 ]
	run -3 --separate-stderr pp-dump -i "$CORPUS/quipper/perf.data.piped.extrabyte-3.4"
	[[ "$stderr" == *"record 8089 at byte 577664: "*"need 8 bytes, have 1"* ]]
	[ "$(grep -vc '^ ' <<<"$output")" -eq 8089 ]
}

@test "inputs that crashed other readers end with a plain answer" {
	corpus fuzz
	for file in "$CORPUS"/fuzz/*; do
		for options in '' --json --raw '--json --raw' --headers -vx; do
			status=0
			timeout 100 pp-dump $options -i "$file" >out 2>err || status=$?
			echo "$status: $options $file"
			[[ "$status" == [03] ]]
		done
	done
}

# ---- linux-tracepoints: a decoder that is neither ours nor perf's

tracepoints() {
	corpus linux-tracepoints/pipe.data
	json "$CORPUS/linux-tracepoints/pipe.data" >lines.json
}

@test "another decoder finds the same records, in the same order, of the same sizes" {
	tracepoints
	sed 's/^\xef\xbb\xbf//' "$CORPUS/linux-tracepoints/pipe.data.txt" | perl -ne '
		if (/^NonSample: (\w+)/) { $type = lc $1 }
		elsif (/^  size = (\d+)/ && $type) { print "$type $1\n"; $type = "" }
		elsif (/^Sample: /) { print "sample\n" }' | grep -v '^finishedround' >expected
	jq -r 'select(.type) | (.type | gsub("_"; "") | ascii_downcase) +
		(if .type == "SAMPLE" then "" else " \(.size)" end)' lines.json | grep -v '^finishedround' >got
	[ "$(grep -c '^sample' got)" -eq 551 ]
	diff <(sort expected) <(sort got)
}

@test "another decoder finds the same event, processor, thread and time in every sample" {
	tracepoints
	sed 's/^\xef\xbb\xbf//' "$CORPUS/linux-tracepoints/pipe.data.txt" | perl -ne '
		if (/^Sample: (\S+)/) { $event = $1 }
		elsif (/^NonSample/) { $event = "" }
		elsif ($event && /^  info = \{ "time": "[^T]*T(\d\d):(\d\d):([\d.]+)Z", "cpu": (\d+), "pid": (\d+)/) {
			printf "%s %d %d %.7f\n", $event, $4, $5, $1 * 3600 + $2 * 60 + $3;
			$event = "";
		}' | sort >expected
	# the wall clock's time of day at time 0 of the event's clock
	base=$(jq -r 'select(.feature == "CLOCK_DATA").fields.data | "\(.wall_clock_ns) \(.clockid_time_ns)"' lines.json)
	jq -r 'select(.type == "SAMPLE") | "\(.event) \(.fields.cpu) \(.fields.pid) \(.fields.time)"' lines.json |
		perl -ne 'BEGIN { ($wall, $clock) = splice @ARGV } my ($event, $cpu, $pid, $t) = split;
			my $ns = ($wall - $clock + $t) % 86_400_000_000_000;
			printf "%s %d %d %.7f\n", $event, $cpu, $pid, int($ns / 100) / 1e7' $base | sort >got
	[ -s expected ]
	diff expected got
}

@test "another decoder finds the same names in the raw data of context switches" {
	tracepoints
	sed 's/^\xef\xbb\xbf//' "$CORPUS/linux-tracepoints/pipe.data.txt" |
		awk '/^Sample: /{ on = /sched:sched_switch/ } on && /next_comm/' | cut -d'"' -f2 | sort >expected
	# common fields 8, prev_comm 16, prev_pid 4, prev_prio 4, prev_state 8, next_comm 16
	jq -r 'select(.event == "sched:sched_switch").fields.raw' lines.json | perl -ne '
		my $raw = pack "H*", $_ =~ s/\s//gr; print substr($raw, 40, 16) =~ s/\0.*//sr, "\n"' | sort >got
	[ -s got ]
	diff expected got
}
