# perf.bats - perf makes the same of the corpus and of what comes out.

setup() {
	load ../../helper
	load recordings
}

# what is allowed for below are the ways of perf 6.1
need_perf_6_1() {
	need_perf
	[[ "$(perf version)" == *" 6.1"[.-]* ]] || skip "this is $(perf version), and not 6.1"
}

# newer FILE: perf prints FILE, made fit for 6.1, as the perf that recorded it did
newer() {
	local fields=comm,pid,tid,time,period,event ns=--ns
	echo "$1"
	if [[ "$1" == */tp* ]]; then
		fields=comm,pid,tid,time,event,trace ns=
	fi
	pp-cat -q --for 6.1 "$CORPUS/$1" >fit
	perf script $ns -F $fields -i - <fit >got 2>/dev/null
	perl "$TESTS/oracle/conformance.pl" script "$CORPUS/$1.script.txt" got
	# and reports all samples
	samples=$(pp-info --json fit | jq '[.events[].samples] | add')
	perf report --stdio -i - <fit >report 2>/dev/null
	reported=$(sed -n 's/^# Samples: \([0-9]*\) .*/\1/p' report | awk '{ n += $1 } END { print n + 0 }')
	# a group's samples count once for each event that was read with them
	[ "$reported" -ge "$samples" ]
}

# bats test_tags=nightly
@test "perf prints streams and files of perf 6.12 and 7.3, plain and compressed, as their own perf did" {
	corpus perf-6.12 perf-7.3
	need_perf_6_1
	for text in "$CORPUS"/perf-6.12/*.script.txt "$CORPUS"/perf-7.3/*.script.txt; do
		newer "$(basename "$(dirname "$text")")/$(basename "$text" .script.txt)"
	done
}

# ---- what perf makes of it

# script FILE: perf's script of a file, or through a pipe of a stream (in a regular file perf 6.1
# loses its way behind an AUXTRACE); columns are as wide as names that were known early, and the
# symbols of this machine's kernel are none of the recording's
script() {
	if [ "$(head -c 16 "$1" | od -An -tu8 -j8 | tr -d ' ')" = 16 ]; then
		cat "$1" | perf script --ns --kallsyms=/dev/null -i - 2>/dev/null
	else
		perf script --ns --kallsyms=/dev/null -i "$1" 2>/dev/null </dev/null
	fi | tr -s ' '
}

# differs FILE WAY: what has to be left out of the comparison of a file, as a sed script, with why
differs() {
	case $1:$2 in
	# its event has no id: a stream cannot name it, and perf makes a name of the attribute
	quipper/perf.data.branch-4.14:stream) echo 's/cycles:pppH/cycles:ppp/' ;;
	# perf takes hiperf's EVENT_DESC for none and makes a name of the attribute; what memory is the
	# kernel's it forgets after the first sample, of a stream at once
	hiperf/*) echo 's/cycles:HG:/hw-cpu-cycles:/; s/\[kernel.kallsyms\]/[unknown]/' ;;
	# build-ids come late in that stream, in a file they stand before: perf trusts names of
	# /boot/vmlinux there, and its own kernel's symbols else
	big-endian/*:file) echo 's/ [^ ]* ([^()]*)$//' ;;
	# the data of perf stat have IDENTIFIER alone, which perf 6.1 takes in files only
	perf-6.1/stat*:stream) echo d ;;
	esac
}

# bats test_tags=nightly
@test "perf prints the same of a recording, of the stream made of it, and of the file saved of that" {
	corpus MANIFEST.tsv
	need_perf_6_1
	compared=0
	for file in $(recordings 0 3); do
		[ -f "$CORPUS/$file" ] && head -c 8 "$CORPUS/$file" | grep -q PERF || continue
		script "$CORPUS/$file" >perfs || true
		# what perf 6.1 does not read it cannot compare
		[ -s perfs ] && [[ "$file" != big-endian/perf.data.piped.powerpc ]] || continue
		echo "$file"
		pp-cat -q -o stream "$CORPUS/$file" || [ $? -eq 3 ]
		pp-save -q -i stream -o file || [ $? -eq 3 ]
		for way in stream file; do
			sed -E "$(differs "$file" $way)" perfs >expected
			script $way | sed -E "$(differs "$file" $way)" >got
			diff expected got
		done
		compared=$((compared + 1))
	done
	[ "$compared" -ge 50 ]
}

@test "the folder of perf record --threads is printed alike when it is saved as a file" {
	corpus perf-6.1/dirfmt.data
	need_perf_6_1
	perf script --ns -i "$CORPUS/perf-6.1/dirfmt.data" >perfs 2>/dev/null
	[ -s perfs ]
	pp-cat "$CORPUS/perf-6.1/dirfmt.data" | pp-save -o file
	perf script --ns -i file 2>/dev/null | diff perfs -
}

@test "perf prints what it refuses, once it is made fit" {
	corpus MANIFEST.tsv
	need_perf_6_1
	for file in big-endian/perf.data.piped.powerpc linux-perf-data/sleep{,.compressed}.data \
		linux-perf-data/sleep.compressed2.pipe.data simpleperf/perf_with_{callchain_record,tracepoint_event}.data; do
		samples=$(table | awk -F'|' -v f="$file" '$1 == f { print $6 }')
		echo "$file"
		pp-cat -q --for 6.1 "$CORPUS/$file" >stream || [ $? -eq 3 ]
		pp-save -q -i stream -o file || [ $? -eq 3 ]
		for way in stream file; do
			[ "$(perf script -i - -F time <$way 2>/dev/null | grep -c :)" -eq "$samples" ] ||
				[ "$(perf script -i $way -F time 2>/dev/null | grep -c :)" -eq "$samples" ]
		done
	done
}

@test "perf reports counts of perf stat alike from the file that is saved" {
	corpus perf-6.1 perf-6.12 perf-7.3
	need_perf_6_1
	for file in "$CORPUS"/perf-*/stat*.data; do
		echo "$file"
		pp-save -i "$file" -o file
		perf stat report -i "$file" >expected 2>&1
		perf stat report -i file >got 2>&1
		[ -s expected ]
		diff expected got
	done
}

@test "perf shows the same header and build-ids of a file that was a stream in between" {
	corpus MANIFEST.tsv
	need_perf_6_1
	# left out: where and when the file is; that it is no folder and not compressed any more
	header() {
		perf report --header-only -I -i "$1" 2>/dev/null </dev/null |
			grep -vE '^# (captured on|header version|data offset|data size|feat offset|missing features|directory data|compressed)[ :]'
	}
	for file in perf-6.1/{meta,overwrite,rec,rec.z,stat,tp}.data v1/noargs.perf.data \
		quipper/perf.data.{armv7-3.4,branch-4.14,branch_stack_hw_index,callgraph-3.{4,8},ctx_switch_namespaces-4.14} \
		quipper/perf.data.{group_desc-4.14,hybrid_topology,intel_pt-4.14,lost_samples-4.4,raw_callgraph_branch-3.4} \
		quipper/perf.data.{remmap-3.2,singleprocess-3.8,weight_struct} \
		simpleperf/perf_{b,g_fp,with_two_event_types}.data; do
		echo "$file"
		pp-cat "$CORPUS/$file" | pp-save -o file
		header "$CORPUS/$file" | grep -v 'sample duration\|time of' >expected
		header file | grep -v 'sample duration\|time of' >got
		[ -s expected ]
		diff expected got
		perf buildid-list -i "$CORPUS/$file" 2>/dev/null </dev/null | sort >expected
		perf buildid-list -i file 2>/dev/null </dev/null | sort | diff expected -
	done
}
