# conformance.bats - all of the corpus: every file opens, or is refused with the reason stated here;
# what others wrote down of a recording is what is read; and perf makes the same of what comes out.

setup() { load ../helper; }

# file | exit | container | byte order | dialect | samples | words of the reason, of those refused
#
# What stays unreadable: fuzzed headers (nothing in them is true); data.N of a folder alone, which
# has neither header nor attributes; the two that perf 6.1 inject spoils: one without its header,
# one whose attributes lie over its data.  Of what is cut, all that is whole is delivered.
table() {
	cat <<'END'
big-endian/perf.data.piped.powerpc|0|stream|big|Google header strings|9997
big-endian/perf.data.piped.powerpc.no-google-hdr|0|stream|big|-|9997
fuzz/clusterfuzz-testcase-minimized-quipper_perf_reader_read_fuzzer-4883679740166144|0|stream|little|-|0
fuzz/poc-145fc46ec928e50d7116f6137a3a074bf5c6934c9ab07e3529d0e8e021e7481f|3|-|-|-|-|a perf.data file with attributes of 68116944347201542 bytes, not a stream
fuzz/poc-1d0e6544b4addbadb2ff7c136962f7aab8e290a8275d4a46694758c4e75e7a13|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-2c02c3aa9fb2a613b65097e26fd182d748b0c81b9359a012b09cbe7a358d3ca2|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_3220111360): the stream ends inside a record
fuzz/poc-3be2b745d86f9b6e8491a391f14200007b6841fb5c25b010752c87f1e53af9b5|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_1166016512): record is smaller than its own header
fuzz/poc-4a52fdd4e9d5adcda85329e1f5fb6f425788e63cef41209f83bfd6edcfae4ff3|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-62e91c55617092aa82376846d050d7353ed899748d8e5990f381c2143d090e53|3|stream|big|-|0|record 0 at byte 16 (STAT): cpu: field runs past the record
fuzz/poc-6811aac63baf66b46afe603c99b882dfeca9bda96e0c0fc6ba9d807ae9370309|3|stream|little|-|0|record 1 at byte 187 (UNKNOWN_543450482): the stream ends inside a record
fuzz/poc-7bef7f895afc2ab06ed34b6ab7a961edac3c6ef0ff821a59a54f1e30a1ef3aa7|3|stream|big|-|0|record 0 at byte 16 (NAMESPACES): nr: field runs past the record
fuzz/poc-95cc7524c6b55c7d26365fdacc8a04e7a8aae7bb2ae2c367e08d2e2872212b9d|3|stream|big|-|0|record 1 at byte 32 (UNKNOWN_560189253): the stream ends inside a record
fuzz/poc-ba8a4480ea231128f3d5515fdd75f4ff5d20e090a37f701608bd299aee1fb4bd|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
fuzz/poc-c895bf2ccfcc61dda638783feda6600e4e11a130285ab140faacb5d63399b4f4|3|-|-|-|-|a perf.data file with attributes of 0 bytes, not a stream
fuzz/poc-d8b5768bcbbc2fbe0b5823623a84bb74a1c7bd832e66ecf598d3fc424ca34dc5|3|stream|little|-|0|record 1 at byte 106 (UNKNOWN_1166016512): the stream ends inside a record
fuzz/poc-eebb35632622f4e6e07b2908a92de53ee73e9eb83c8c84bcb2cb81c1a3b46327|3|-|-|-|-|a perf.data file with attributes of 6 bytes, not a stream
hiperf/report_test.data|0|perf.data file|little|hiperf|20
linux-perf-data/sleep.compressed.data|0|perf.data file|little|-|8
linux-perf-data/sleep.compressed.pipe.data|0|stream|little|-|8
linux-perf-data/sleep.compressed2.pipe.data|3|stream|little|-|7|record 197 at byte 31808 (UNKNOWN_1701847131): the stream ends inside a record
linux-perf-data/sleep.data|0|perf.data file|little|-|7
linux-tracepoints/pipe.data|0|stream|little|-|551
perf-6.1/bad.perf61-inject-noheader.pipe.data|3|-|-|-|-|its first 16 bytes, the header, are missing
perf-6.1/bad.perf61-inject-pipe2file.data|3|perf.data file|little|-|0|record 1 at byte 104 (UNKNOWN_103608): record is smaller than its own header
perf-6.1/dirfmt.data|0|perf.data folder|little|-|91
perf-6.1/dirfmt.data/data|0|perf.data file|little|-|0
perf-6.1/dirfmt.data/data.0|3|-|-|-|-|it does not begin with PERFILE2
perf-6.1/dirfmt.data/data.1|3|-|-|-|-|it does not begin with PERFILE2
perf-6.1/dwarf.pipe.data|0|stream|little|-|3
perf-6.1/group.pipe.data|0|stream|little|-|60
perf-6.1/killed.data|0|perf.data file|little|-|0
perf-6.1/meta.data|0|perf.data file|little|-|88
perf-6.1/overwrite.data|0|perf.data file|little|-|19
perf-6.1/rec.data|0|perf.data file|little|-|22
perf-6.1/rec.inject2pipe.data|0|stream|little|-|22
perf-6.1/rec.pipe.data|0|stream|little|-|25
perf-6.1/rec.pipe.inject-b.data|0|stream|little|-|25
perf-6.1/rec.z.data|0|perf.data file|little|-|20
perf-6.1/rec.z.pipe.data|0|stream|little|-|27
perf-6.1/regs.pipe.data|0|stream|little|-|19
perf-6.1/stat.a.data|0|perf.data file|little|-|0
perf-6.1/stat.data|0|perf.data file|little|-|0
perf-6.1/stat.interval.data|0|perf.data file|little|-|0
perf-6.1/stat.pipe.data|0|stream|little|-|0
perf-6.1/tp.data|0|perf.data file|little|-|4
perf-6.1/tp.pipe.data|0|stream|little|-|4
perf-6.1/trunc-header.data|3|-|-|-|-|the file ends before its header is whole: need 72 bytes, have 60
perf-6.1/trunc-header.pipe.data|3|-|-|-|-|its header is not whole: need 16 bytes, have 12
perf-6.1/trunc-midrecord.pipe.data|3|stream|little|-|11|record 45 at byte 4964 (SAMPLE): the stream ends inside a record: need 80 bytes, have 36
perf-6.1/trunc.data|3|perf.data file|little|-|22|the file ends before its feature sections
perf-6.12/buildid-mmap.pipe.data|0|stream|little|-|343
perf-6.12/dwarf.pipe.data|0|stream|little|-|36
perf-6.12/group.pipe.data|0|stream|little|-|6
perf-6.12/meta.pipe.data|0|stream|little|-|1250
perf-6.12/rec.data|0|perf.data file|little|-|86
perf-6.12/rec.pipe.data|0|stream|little|-|87
perf-6.12/rec.z.data|0|perf.data file|little|-|81
perf-6.12/rec.z.pipe.data|0|stream|little|-|431
perf-6.12/stat.interval.pipe.data|0|stream|little|-|0
perf-6.12/stat.pipe.data|0|stream|little|-|0
perf-6.12/tp.pipe.data|0|stream|little|-|367
perf-7.3/buildid-mmap.pipe.data|0|stream|little|-|367
perf-7.3/dwarf.pipe.data|0|stream|little|-|41
perf-7.3/group.pipe.data|0|stream|little|-|344
perf-7.3/meta.pipe.data|0|stream|little|-|1040
perf-7.3/rec.data|0|perf.data file|little|-|78
perf-7.3/rec.pipe.data|0|stream|little|-|90
perf-7.3/rec.z.data|0|perf.data file|little|-|79
perf-7.3/rec.z.pipe.data|0|stream|little|-|447
perf-7.3/stat.interval.pipe.data|0|stream|little|-|0
perf-7.3/stat.pipe.data|0|stream|little|-|0
perf-7.3/tp.pipe.data|0|stream|little|-|386
quipper/perf.data.armv7-3.4|0|perf.data file|little|-|3893
quipper/perf.data.branch-4.14|0|perf.data file|little|-|13
quipper/perf.data.branch_stack_hw_index|0|perf.data file|little|-|5
quipper/perf.data.callgraph-3.4|0|perf.data file|little|-|1548
quipper/perf.data.callgraph-3.8|0|perf.data file|little|-|1768
quipper/perf.data.ctx_switch_namespaces-4.14|0|perf.data file|little|-|2
quipper/perf.data.group_desc-4.14|0|perf.data file|little|-|13
quipper/perf.data.hybrid_topology|0|perf.data file|little|-|7
quipper/perf.data.intel_pt-4.14|0|perf.data file|little|-|15
quipper/perf.data.lost_samples-4.4|0|perf.data file|little|-|191
quipper/perf.data.piped.corrupted.zero_size_sample-3.2|3|stream|little|-|0|record 570 at byte 49104 (SAMPLE): record is smaller than its own header
quipper/perf.data.piped.ctx_switch_namespaces-4.14|0|stream|little|-|7
quipper/perf.data.piped.extrabyte-3.4|3|stream|little|-|5218|record 8089 at byte 577664: the stream ends inside a record: need 8 bytes, have 1
quipper/perf.data.piped.header_features-4.16|0|stream|little|-|2
quipper/perf.data.piped.intel_pt-4.14|0|stream|little|-|11
quipper/perf.data.piped.lost_samples-4.4|0|stream|little|-|191
quipper/perf.data.piped.target-3.8|0|stream|little|-|5218
quipper/perf.data.piped.target.throttled-3.4|0|stream|little|-|228
quipper/perf.data.raw_callgraph_branch-3.4|0|perf.data file|little|-|513
quipper/perf.data.remmap-3.2|0|perf.data file|little|-|198
quipper/perf.data.singleprocess-3.8|0|perf.data file|little|-|13
quipper/perf.data.weight_struct|0|perf.data file|little|-|14
simpleperf/perf_b.data|0|perf.data file|little|-|150
simpleperf/perf_g_fp.data|0|perf.data file|little|-|10
simpleperf/perf_with_callchain_record.data|0|perf.data file|little|simpleperf|21
simpleperf/perf_with_tracepoint_event.data|0|perf.data file|little|simpleperf|45
simpleperf/perf_with_two_event_types.data|0|perf.data file|little|-|10
v1/noargs.perf.data|0|perf.data file|little|-|22496
END
}

# recordings STATUS...: files of the table with one of these exit statuses, without fuzz
recordings() {
	table | awk -F'|' -v want=" $* " '!/^fuzz/ && index(want, " " $2 " ") { print $1 }'
}

@test "every file of the corpus opens, or is refused with a reason" {
	corpus MANIFEST.tsv
	table >table
	while IFS='|' read -r file want container order dialect samples words; do
		echo "$file"
		status=0
		timeout 60 pp-info --json "$CORPUS/$file" >last 2>err || status=$?
		[ "$status" -eq "$want" ]
		[[ "$(<err)" == *"$words"* ]]
		[ "$container" = - ] || cat last >>infos
		# the others say the same
		status=0
		timeout 60 pp-cat -o out "$CORPUS/$file" 2>err || status=$?
		[ "$status" -eq "$want" ]
		[[ "$(<err)" == *"$words"* ]]
		[ "$container" = - ] || pp-info --json out >>outs 2>err || [ $? -eq 3 ]
		[ "$container" != - ] || [ ! -e out ]
		rm -f out
	done <table
	jq -r '[.container, .byte_order, .dialect // "-", .records.SAMPLE.count // 0] | join("|")' infos >got
	awk -F'|' '$3 != "-" { print $3 "|" $4 "|" $5 "|" $6 }' table | diff - got
	# what came out is one plain stream, of as many samples, in the byte order of this machine
	jq -r '[.container, .byte_order, .dialect // "-", .records.SAMPLE.count // 0] | join("|")' outs >got
	awk -F'|' '$3 != "-" { print "stream|little|-|" $6 }' table | diff - got
}

@test "no file of the corpus is missing in the table" {
	corpus MANIFEST.tsv
	table | cut -d'|' -f1 | sort >known
	(cd "$CORPUS" && find . -type f) | sed 's,^\./,,' |
		grep -vE '\.(txt|json|md|tsv|buildids|pb_text|gz)$' | sort >files
	run comm -13 known files
	[ -z "$output" ]
}

# ---- what others wrote down

@test "quipper's decoded records, attributes, header, names and build-ids are ours" {
	corpus quipper
	for text in "$CORPUS"/quipper/*.pb_text "$CORPUS"/quipper/*.pb_text.gz; do
		file=${text%.gz}
		file=${file%.pb_text}
		file=${file%.pr.out}
		echo "$text"
		pp-cat --no-seal "$file" | pp-dump --json >lines.json
		run -0 perl "$TESTS/oracle/conformance.pl" quipper "$text" lines.json
		# every text has events and attributes
		[[ "$output" == *"events: "[1-9]* ]]
		[[ "$output" == *"attributes: "[1-9]* ]]
	done
}

@test "of every type of record there are as many as the corpus says" {
	corpus MANIFEST.tsv
	for file in $(recordings 0); do
		pp-cat --no-seal "$CORPUS/$file" | pp-info --json | jq -r --arg file "$file" \
			'[$file] + [.records | to_entries[] | "\(.key)=\(.value.count)"] | join(" ")' >>infos
	done
	run -0 perl "$TESTS/oracle/conformance.pl" counts "$CORPUS/MANIFEST.tsv" infos
	[[ "$output" == *"recordings: "[1-9]* ]]
}

@test "quipper's lists of build-ids are ours" {
	corpus quipper
	for list in "$CORPUS"/quipper/*.buildids; do
		echo "$list"
		pp-cat "${list%.buildids}" | pp-dump --json >lines.json
		perl "$TESTS/oracle/conformance.pl" buildids "$list" lines.json
	done
}

@test "the decoder of linux-tracepoints finds the same records in the same order, and the same names in their raw data" {
	corpus linux-tracepoints/pipe.data.json
	pp-cat --no-seal "$CORPUS/linux-tracepoints/pipe.data" | pp-dump --json >lines.json
	run -0 perl "$TESTS/oracle/conformance.pl" tracepoints "$CORPUS/linux-tracepoints/pipe.data.json" lines.json
	[[ "$output" == *"1058 compared, 0 differences" ]]
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

# ---- byte order

@test "big to little to big is the identity for all streams, also wrapped and saved" {
	corpus MANIFEST.tsv
	need zstd
	for file in $(recordings 0); do
		# its own records cannot be converted: the next test
		[ "$file" != simpleperf/perf_with_callchain_record.data ] || continue
		echo "$file"
		pp-cat --no-seal --little-endian "$CORPUS/$file" >little
		pp-cat --big-endian little >big
		[ "$(head -c 8 big)" = 2ELIFREP ]
		pp-cat --little-endian big >back
		same_bytes little back
		pp-cat --big-endian back >again
		same_bytes big again
		zstd -q -c big | pp-cat >back
		same_bytes little back
		pp-save -q -i little -o one.data
		pp-save -q -i big -o other.data
		same_bytes one.data other.data
		# a file that is read and saved again stays as it is
		pp-cat one.data | pp-save -q -o other.data
		same_bytes one.data other.data
	done
}

@test "records that nobody but simpleperf knows are dropped in the other byte order, and counted" {
	corpus simpleperf/perf_with_callchain_record.data
	run -3 --separate-stderr pp-cat --big-endian -o big "$CORPUS/simpleperf/perf_with_callchain_record.data"
	[[ "$stderr" == *"40 records dropped"* ]]
	[ "$(pp-dump -i big 2>/dev/null | grep -c SAMPLE)" -eq 21 ]
}

@test "another reader finds the same in streams that were made big-endian" {
	corpus MANIFEST.tsv
	for file in perf-7.3/{meta,tp}.pipe.data perf-6.12/dwarf.pipe.data perf-6.1/{regs.pipe,group.pipe,stat.pipe,meta}.data \
		quipper/perf.data.{intel_pt-4.14,branch_stack_hw_index,raw_callgraph_branch-3.4,ctx_switch_namespaces-4.14}; do
		echo "$file"
		pp-cat --no-seal --big-endian "$CORPUS/$file" >big
		pp-dump --json --raw -i big >lines.json
		perl -I"$TESTS/oracle" "$TESTS/oracle/records.pl" -c lines.json big >compared || { tail compared; false; }
	done
}

# ---- what the machine's perf records, and the corpus lacks

# recorded [OPTIONS...]: perf prints the same of the recording `in`, its stream and the file saved of
# that; of a folder what happened at one time on two CPUs has no order
recorded() {
	local order=cat
	[ ! -d in ] || order=sort
	perf script --ns --kallsyms=/dev/null "$@" -i in 2>/dev/null </dev/null | $order >expected
	[ -s expected ]
	pp-cat in >stream
	perf script --ns --kallsyms=/dev/null "$@" -i - <stream 2>/dev/null | $order | diff expected -
	pp-save -i stream -o saved
	perf script --ns --kallsyms=/dev/null "$@" -i saved 2>/dev/null </dev/null | $order | diff expected -
	pp-cat --big-endian stream | pp-cat --little-endian | same_bytes - stream
}

# try OPTIONS... -- COMMAND...: records with these options, if this perf and kernel have them
try() {
	rm -rf in
	echo "$*"
	perf record -q -o in "$@" >said 2>&1 </dev/null && { [ -s in ] || [ -s in/data ]; }
}

@test "recordings of all kinds are printed alike from their stream and from the file saved of it" {
	need_perf_events
	once groups perf record -o - -e '{cpu-clock,task-clock}:S' true || groups=no
	for options in '-g -k mono' '--call-graph dwarf,1024' '-e cpu-clock,page-faults -s' \
		'-d -W -T --sample-cpu --phys-data --data-page-size --code-page-size --intr-regs --user-regs' \
		'--overwrite --tail-synthesize' '-B -N --namespaces --all-cgroups --switch-events'; do
		[[ "$options" == *"-e "* ]] || options="-e cpu-clock $options"
		# shellcheck disable=SC2086
		try -F 997 $options -- "${WORK[@]}" || { echo "# perf does not take $options: $(tail -n 1 said)" >&3; continue; }
		recorded
	done
	if [ -z "${groups:-}" ]; then
		try -F 997 -e '{cpu-clock,task-clock,page-faults}:S' -- "${WORK[@]}"
		recorded
	fi
}

@test "compressed recordings and folders of threads are printed alike" {
	need_perf_events
	once compressed perf record -z -o - -e cpu-clock true || skip "perf cannot compress"
	try -z -g -e cpu-clock -- "${WORK[@]}"
	recorded
	once threads perf record --threads -o "$PWD/try" -e cpu-clock true || skip "this perf has no --threads"
	for options in '' -z; do
		# shellcheck disable=SC2086
		try --threads $options -e cpu-clock -- "${WORK[@]}"
		recorded
	done
}

@test "tracepoints and context switches of the whole machine are printed alike" {
	need_tracepoints
	need_system_wide
	try -a -e sched:sched_switch,sched:sched_process_fork,syscalls:sys_enter_openat -- "${CALLS[@]}"
	# no symbols: other processes of the machine come and go while perf looks for them
	recorded -F comm,pid,tid,cpu,time,event,trace
	try -a --switch-events -e cpu-clock -- "${CALLS[@]}"
	recorded -F comm,pid,tid,cpu,time,event,ip
}

@test "a recording whose perf was killed is read to its end" {
	need_perf_events
	perl -e 'alarm 120; 1 while 1' 3>&- &
	busy=$!
	perf record -q -m 1 -F 4000 -e cpu-clock -o in -p $busy >/dev/null 2>&1 </dev/null 3>&- &
	recorder=$!
	samples=0
	for ((tries = 0; tries < 300 && samples == 0; tries++)); do
		sleep 0.1
		samples=$(pp-info --json in 2>/dev/null | jq '.records.SAMPLE.count // 0' 2>/dev/null) || true
		samples=${samples:-0}
	done
	kill -9 $recorder $busy || true
	wait $recorder $busy 2>/dev/null || true
	[ "$samples" -gt 0 ] || skip "perf wrote nothing in 30 s"
	status=0
	pp-cat -o stream in || status=$?
	[[ "$status" == [03] ]]
	perf script --ns -i - <stream 2>/dev/null >got
	[ -s got ]
	# killed within a write: perf gives up there, and what it held is lost
	[ "$status" -eq 0 ] || return 0
	# perf reads it once its header tells the size and no features
	perl -e 'open F, "+<", "in" or die; binmode F; seek F, 40, 0; sysread F, $b, 8; $at = unpack "Q", $b;
		seek F, 48, 0; syswrite F, pack "Q", (-s "in") - $at; seek F, 72, 0; syswrite F, "\0" x 32'
	perf script --ns -i in 2>/dev/null </dev/null >expected
	[ -s expected ]
	diff expected got
}

# ---- found by this suite

@test "a file made of hiperf's has one command line, however often it is saved" {
	corpus hiperf/report_test.data
	cp "$CORPUS/hiperf/report_test.data" file
	chmod u+w file
	for times in 1 2 3; do
		pp-cat file | pp-save -o next
		mv next file
		pp-info --json file | jq -e '.header.features.CMDLINE.cmdline == [{"text":"hiperf record -d 1 -o /data/local/tmp/dlh.data","size":47}]' >said
	done
}

@test "events are named by an EVENT_DESC that comes before them" {
	build >in <<-'END'
		header
		attr id=11,12 type=8 config=5 sample_type=IP,TID,TIME,IDENTIFIER name=here//
		attr id=21 type=8 config=6 sample_type=IP,TID,TIME,IDENTIFIER name=there//
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000 id=12
		sample pid=7 time=1001 ip=0x1000 id=21
	END
	# as perf 4.14 wrote streams
	pp-dump --json -i in | jq -c 'select(.type == "HEADER_FEATURE" or .offset == null)' >first
	pp-dump --json -i in | jq -c 'select(.offset != null and .type != "HEADER_FEATURE")' >then
	cat first then | pp-undump >early
	pp-dump --json -i early | jq -r 'select(.type == "SAMPLE").event' >events
	[ "$(xargs <events)" = "here// there//" ]
	pp-save -i early -o saved
	[ "$(pp-info --json saved | jq -c '[.events[].name]')" = '["here//","there//"]' ]
}

@test "a thread that met nothing does no harm to its folder" {
	corpus perf-6.1/dirfmt.data
	cp -r "$CORPUS/perf-6.1/dirfmt.data" folder
	chmod -R u+w folder
	: >folder/data.7
	pp-cat folder >out
	pp-cat "$CORPUS/perf-6.1/dirfmt.data" >expected
	same_bytes expected out
}

@test "a reader that does not know the tables finds the same in records of every type" {
	local name
	for name in every newer; do
		echo "$name"
		build <"$TESTS/streams/$name.txt" >in
		pp-dump --json --raw in >lines
		run -0 records -c lines in
		[[ "${lines[-1]}" == *": 0 differences" ]]
	done
}
