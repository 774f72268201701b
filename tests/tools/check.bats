# check.bats - pp-check: what is sound gets status 0, what is not 3 and a line for each finding.

setup() { load ../helper; }

# with [LINE...]: a small sound stream, and these lines at its end
with() {
	{
		cat <<-'END'
			header
			attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN flags=sample_id_all,comm
			attr id=3 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW type=2 config=4
			comm pid=7 comm=work synthesized
			sample pid=7 cpu=0 time=1000 ip=0x1000 callchain=0x1000,0x2000
			sample attr=1 pid=7 cpu=0 time=1100 ip=0x1000 raw=01020304
			round
		END
		printf '%s\n' "$@"
	} | build
}

# few: one of every kind of framing, in few bytes
few() {
	build <<-'END'
		header
		attr id=1 size=64
		comm pid=7 comm=a time=10
		sample pid=7 time=1000
		round
		auxtrace bytes=24
		sample pid=7 time=2000
		round
	END
}

# finds LEVEL STATUS KIND TEXT...: pp-check of ./in ends with this status and has one finding, of
# this level and kind, with these in its line; with `--strict` the status is 3 in any case
finds() {
	run "-$2" --separate-stderr pp-check in
	echo "$output"
	for text in "${@:4}"; do
		[[ $output == *"$1: "*"$text"* ]]
	done
	pp-check --json in >lines 2>messages || [ "$?" -eq "$2" ]
	[ "$(jq -r 'select(.level) | .level + " " + .kind' lines)" = "$1 $3" ]
	run -3 pp-check -q --strict in
}
remarks() { finds remark 0 "$@"; }
faults() { finds fault 3 "$@"; }

@test "a sound stream is 0, and the last line counts" {
	with >in
	run -0 --separate-stderr pp-check in
	assert_output "sound: 6 records, 2 samples"
	[ -z "$stderr" ]
	run -0 pp-check -i in
	assert_output "sound: 6 records, 2 samples"
	run -0 pp-check - <in
	assert_output "sound: 6 records, 2 samples"
	run -0 pp-check --strict <in
	assert_output "sound: 6 records, 2 samples"
}

@test "with --quiet the status says it, and of what is not sound the first fault" {
	with >in
	run -0 --separate-stderr pp-check -q in
	[ -z "$output$stderr" ]
	head -c -3 in >cut
	run -3 --separate-stderr pp-check -q cut
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr =~ ^"pp-check: cut: record 5 at byte "[0-9]+": the stream ends inside a record: need 8 bytes, have 5"$ ]]
}

@test "the input is named once" {
	with >in
	run -2 pp-check -i in in
	run -2 pp-check in in
}

@test "what is no stream is not sound, and what cannot be read is exit 4" {
	echo text >in
	faults container "not a perf stream: it is text"
	: >in
	faults container "the input is empty"
	head -c 12 <(with) >in
	faults cut "need 16 bytes, have 12"
	with | head -c 16 >in
	faults cut "there is no record after its header"
	run -4 --separate-stderr pp-check missing
	[ -z "$output" ]
	[[ $stderr == "pp-check: missing: cannot open: No such file or directory" ]]
}

# ---- cuts and changed bytes

# each STEP CODE [COMMAND...]: `N STATUS` a line for each N from the length of ./in down, by STEP
# bytes, where CODE makes of $in and $n what pp-check is given (variants.pl)
each() {
	local step=$1 code=$2
	shift 2
	[ $# -gt 0 ] || set -- pp-check -q changed
	perl "$TESTS/variants.pl" in "$step" "$code" "$@" | cut -d' ' -f1,2
}
cuts() { each "$1" 'substr $in, 0, $n'; }
flips() { each "$1" '$n < length $in ? substr($in, 0, $n) . chr(ord(substr $in, $n, 1) ^ (1 << $n % 8)) . substr($in, $n + 1) : $in'; }

@test "a stream that is cut is sound at the end of a record and nowhere else" {
	few >in
	cuts 1 >got
	{ records in | awk 'NR > 1 { print $1 }'; stat -c %s in; } >ends
	awk 'NR == FNR { ends[$1]; next } { print $1, $1 in ends ? 0 : 3 }' ends got >expected
	diff expected got
}

@test "a sealed stream that is cut anywhere is not sound" {
	few | pp-decompress --seal >in
	run -0 pp-check in
	size=$(stat -c %s in)
	cuts 1 | awk '$2 != 3 { print $1 }' >got
	assert_equal "$(cat got)" "$size"
}

@test "a sealed stream of which any byte was changed is not sound" {
	few | pp-decompress --seal >in
	flips 1 | awk '$1 != size && $2 != 3' size="$(stat -c %s in)" >got
	[ ! -s got ]
}

@test "the same, compressed" {
	with | pp-compress --seal >in
	run -0 pp-check in
	assert_output --partial ", 2 samples"
	cuts 3 | awk '$2 != 3 { print $1 }' >got
	assert_equal "$(cat got)" "$(stat -c %s in)"
}

@test "no changed byte of an unsealed stream ends it otherwise than with 0 or 3" {
	few >in
	flips 3 | awk '$2 != 0 && $2 != 3' >got
	[ ! -s got ]
}

@test "bytes after the last seal are a fault" {
	with | pp-decompress --seal >in
	with >second
	tail -c 8 second >>in
	faults seal "bytes follow the last seal"
}

@test "bytes behind the last record are a fault" {
	with >in
	printf x >>in
	faults cut "need 8 bytes, have 1"
	with >in
	with >>in
	faults value "another stream begins here"
}

@test "a sealed stream rewritten by a tool that does not know seals is not sound" {
	with | pp-decompress --seal >sealed
	records sealed | awk '$2 == "SAMPLE" { print $1, $4; exit }' >where
	read -r at size <where
	{ head -c "$at" sealed; tail -c +$((at + size + 1)) sealed; } >in
	faults seal "a tool that does not know seals rewrote the stream"
	run -0 pp-check --no-verify in
	assert_output "sound: 7 records, 1 sample"
}

@test "what an earlier stage has met is a fault" {
	with 'bytes 0900000000000400' >in
	run -3 pp-filter -i in -o out
	cp out in
	faults seal "an earlier stage met damage"
}

@test "a stream that was damaged and one that was not are told apart to the end of a pipeline" {
	with >in
	head -c -1 in >cut
	run -3 bash -c 'pp-sort -i cut 2>sort.err | pp-filter 2>filter.err | pp-check'
	run -0 bash -c 'pp-sort -i in | pp-filter | pp-check'
}

# ---- findings: faults

@test "a record smaller than its header, or larger than the stream" {
	with 'sample pid=7 time=1200 record_size=4' >in
	faults size "(SAMPLE): record is smaller than its own header: need 8 bytes, have 4"
	with 'sample pid=7 time=1200 record_size=400' >in
	faults cut "(SAMPLE): the stream ends inside a record: need 400 bytes, have 64"
}

@test "a field that runs past its record" {
	with 'sample pid=7 time=1200 callchain=1,2,3' | perl -0777 -pe 'substr($_, -32, 1) = "\x09"' >in
	faults field "record 6 at byte " "(SAMPLE): callchain: field runs past the record: need 72 bytes, have 24"
	with 'mmap2 pid=7 start=0x1000 len=0x1000 file=1234567 time=1200' |
		perl -0777 -pe 's/1234567\0/12345678/' >in
	faults field "(MMAP2): filename: field runs past the record: need 9 bytes, have 8"
	with 'namespaces pid=7 links=1:2,3:4 time=1200' | perl -0777 -pe 'substr($_, -72, 1) = "\x63"' >in
	faults field "(NAMESPACES): namespaces: field runs past the record"
	with 'feature HOSTNAME u32 64 text "short"' >in
	faults field "(HEADER_FEATURE): hostname: field runs past the record"
}

@test "a record with an id that no attribute has" {
	with 'sample pid=7 id=1 time=1200' | perl -0777 -pe 'substr($_, -56, 1) = "\x63"' >in
	faults attribute "(SAMPLE): id: the id of this record belongs to no event attribute"
	with 'comm pid=7 comm=b time=1200' | perl -0777 -pe 'substr($_, -8, 1) = "\x63"' >in
	faults attribute "(COMM): id: the id of this record belongs to no event attribute"
}

@test "a sample before any attribute" {
	printf 'header\nrecord 9 2 %s\n' "$(printf '00%.0s' {1..48})" | build >in
	faults attribute "record 0 at byte 16 (SAMPLE): no event attribute comes before it"
	printf 'header\nrecord 3 2 %s\n' "$(printf '00%.0s' {1..48})" | build >in
	remarks attribute "record 0 at byte 16 (COMM): no event attribute comes before it"
}

@test "an attribute that is smaller than any was" {
	with 'record 64 0 0100000020000000 0000000000000000000000000000000000000000000000000000000000000000' >in
	faults value "(HEADER_ATTR): size: an attribute has at least 64 bytes, not 32"
}

@test "a feature with the number 0" {
	with 'feature 0 u32 1' >in
	faults value "feat_id: there is no feature 0"
}

@test "a record older than what a round let go" {
	with 'sample pid=7 time=1500' round 'sample pid=7 time=1099' >in
	faults round "(SAMPLE): time: 0.000001099 is before 0.000001100 of record 4, which a round had released"
	with 'sample pid=7 time=1500' round 'sample pid=7 time=1100' >in
	run -0 pp-check in
	assert_output "sound: 9 records, 4 samples"
	with 'sample pid=7 time=1500' 'sample pid=7 time=5' round >in # within two rounds all may come
	run -0 pp-check in
	assert_output "sound: 9 records, 4 samples"
}

@test "what one round holds back is for the next to let go" {
	with 'sample pid=7 time=900' round 'sample pid=7 time=1200' round 'sample pid=7 time=1150' >in
	run -0 pp-check in
	with 'sample pid=7 time=900' round 'sample pid=7 time=1200' round round 'sample pid=7 time=1150' >in
	faults round "0.000001150 is before 0.000001200 of record 8"
}

@test "a buffer that is written from its end keeps no promise" {
	with 'attr id=9 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,write_backward' \
		'sample pid=7 time=1500' round 'sample pid=7 time=1099' >in
	run -0 pp-check in
}

@test "compressed bytes that cannot be expanded" {
	with 'feature COMPRESSED' 'record 81 0 00112233445566778899' >in
	faults compression "(COMPRESSED): cannot expand: Unknown frame descriptor"
	with 'feature COMPRESSED' 'compressed {' 'sample pid=7 time=2000' '}' >in
	run -0 pp-check in
	assert_output "sound: 7 records, 3 samples"
	with 'feature COMPRESSED' 'compressed {' 'sample pid=7 time=2000' 'bytes 0900000000000900' '}' >in
	faults cut "(COMPRESSED): the stream ends inside a record: its contents end too early"
}

@test "a fault in a compressed record has the place of its carrier" {
	with 'feature COMPRESSED' 'compressed {' 'mmap pid=7 start=1 len=1 file=1234567 time=1200' \
		'sample pid=7 time=1100' '}' round round 'feature COMPRESSED' 'compressed {' \
		'sample pid=7 time=500' '}' >in
	at=$(records in | awk '$2 == "COMPRESSED" { at = $1 } END { print at }')
	faults round "at byte $at (SAMPLE): time: 0.000000500 is before 0.000001200"
}

@test "notes that run past their record" {
	note='50504e4f54453100 01000000 00000000'
	build <<-END >in
		header
		round hex=$(tr -d ' ' <<<"$note")01000000010000006162000000000000
		attr id=1
		sample pid=7 time=5
	END
	run -0 pp-check in
	build <<-END >in
		header
		round hex=$(tr -d ' ' <<<"$note")01000000090000006162000000000000
		attr id=1
		sample pid=7 time=5
	END
	faults note "(FINISHED_ROUND): a note runs past the record"
	note="round hex=$(tr -d ' ' <<<"$note")01000000010000006162000000000000"
	with "$note" 'sample pid=7 cpu=0 time=1200 ip=0x1000' round >in
	remarks note "(FINISHED_ROUND): it is neither at the beginning nor at the end of the stream"
	# what is known at the end only stands there
	with "$note" "$note" >in
	run -0 pp-check in
	[[ ! "$output" =~ remark ]]
}

# ---- findings: remarks

@test "padding that is not zero, and text without an end" {
	with 'comm pid=7 comm=abc time=1200' | perl -0777 -pe 's/abc\0\0/abc\0x/' >in
	remarks padding "(COMM): comm: bytes after the text are not zero"
	with 'feature HOSTNAME u32 4 text "abcd"' >in
	remarks padding "(HEADER_FEATURE): hostname: text without a NUL"
	with 'thread_map entries=7:abcdefghijklmnop' >in # perf fills this one
	run -0 pp-check --strict in
}

@test "what is reserved and not zero" {
	with 'sample pid=7 time=1200' | perl -0777 -pe 'substr($_, -20, 1) = "\1"' >in
	remarks reserved "(SAMPLE): cpu_reserved: it is reserved, and not zero"
}

@test "bytes that no field covers" {
	with 'sample pid=7 time=1200 extra=0000000000000000' >in
	remarks rest "(SAMPLE): 8 bytes that no field covers"
	with 'sample pid=7 time=1200 extra=0100000000000000' >in
	remarks rest "(SAMPLE): 8 bytes that no field covers"
	with 'lost id=1 lost=3 time=1200' | perl -0777 -pe 'substr($_, -50, 2) = "\x40\0"; substr($_, -32, 0) = "12345678"' >in
	remarks rest "(LOST): 8 bytes that no field covers"
}

@test "types, features and bits that are unknown" {
	with 'record 30 0 0102030405060708' >in
	remarks unknown "(UNKNOWN_30): the type of this record is unknown"
	with 'record 300 0 0102030405060708' >in
	remarks unknown "(UNKNOWN_300): the type of this record is unknown"
	with 'feature 63 u32 1 u32 2' >in
	remarks unknown "feat_id: feature 63 is unknown"
	with 'attr id=8 sample_type=0x80010147' >in
	remarks unknown "(HEADER_ATTR): sample_type: bits 0x80000000 are unknown"
}

@test "a mode of the processor that there is not" {
	with 'sample pid=7 time=1200 misc=7' >in
	remarks value "(SAMPLE): misc: there is no CPU mode 7"
}

@test "ids that no attribute has, in records that name them" {
	with 'lost id=77 lost=3 event=1 time=1200' >in
	remarks id "(LOST): id: 77 is an id that belongs to no event attribute"
	with 'id_index entries=1:0:0:-1,78:0:0:-1' >in
	remarks id "(ID_INDEX): id: 78 is an id that belongs to no event attribute"
	with 'stat id=79 cpu=0 thread=0 val=1 ena=1 run=1' >in
	remarks id "(STAT): id: 79 is an id that belongs to no event attribute"
	with 'event_update id=80 name=cycles' >in
	remarks id "(EVENT_UPDATE): id: 80 is an id that belongs to no event attribute"
	few | perl -0777 -pe 'substr($_, 160, 1) = "\x63"' >in # one event takes all
	remarks id "(SAMPLE): id: 99 is not among the ids of the only event"
}

@test "an id of two events" {
	with 'attr id=2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all' >in
	remarks attribute "id 2 is that of event 0 and of event 2, which gets its records"
}

@test "events that disagree about the place of their ids" {
	with 'attr id=8 sample_type=IP,TID,TIME,ID flags=sample_id_all' >in
	remarks attribute "(HEADER_ATTR): sample_type: its records do not have their id where the first event has it"
}

@test "a size that perf refuses" {
	with 'build_id pid=-1 id=0102030405060708090a0b0c0d0e0f1011121314 file=/bin/true old' >in
	remarks align "(HEADER_BUILD_ID): its size of 100 bytes is not a multiple of 8"
	with 'feature HOSTNAME string "a"' 'feature NRCPUS u32 2 u32 2 u32 0' 'tracing old bytes=16' >out
	run -0 pp-check --json out
	refute_output --partial '"align"'
}

@test "a CPU that there is not" {
	with 'feature NRCPUS u32 2 u32 2' 'sample pid=7 cpu=1 time=1200' 'sample pid=7 cpu=2 time=1200' >in
	remarks cpu "(SAMPLE): cpu: there is no CPU 2: NRCPUS said 2"
}

@test "a sample without a time" {
	with 'sample pid=7 time=0' >in
	remarks time "(SAMPLE): time: a sample without a time"
}

@test "records far behind later ones of their CPU" {
	with 'sample pid=7 cpu=0 time=2000000000' 'comm pid=7 cpu=1 comm=b time=1500' \
		'comm pid=7 cpu=0 comm=b time=1999000000' >in
	run -0 pp-check --strict in
	with 'sample pid=7 cpu=0 time=2000000000' 'comm pid=7 cpu=0 comm=b time=1999000000' \
		'sample pid=7 cpu=0 time=1500' >in
	remarks order "(SAMPLE): time: 2 records stand after later ones of their CPU, this one by 1.999998500 s"
}

@test "features out of order, told twice, behind their end, or before what they need" {
	with 'feature CMDLINE list "perf"' 'feature HOSTNAME string "a"' >in
	remarks feature "feat_id: feature 3 comes after feature 11"
	with 'feature HOSTNAME string "a"' 'feature HOSTNAME string "a"' >in
	remarks feature "feat_id: feature 3 was given before"
	with 'feature 35' 'feature HOSTNAME string "a"' >in
	remarks feature "feat_id: it comes after the end of features"
	with 'feature CPU_TOPOLOGY u32 1 string "0" u32 1 string "0" u32 0 u32 0' >in
	remarks feature "feat_id: it cannot be read: NRCPUS has to come before it"
	with 'feature NRCPUS u32 1 u32 1' 'feature CPU_TOPOLOGY u32 1 string "0" u32 1 string "0" u32 0 u32 0' >in
	run -0 pp-check --strict in
	with 'tracing hex=17084474726163696e67' 'tracing hex=17084474726163696e67' >in
	remarks feature "(HEADER_TRACING_DATA): a second one, which perf does not read"
}

@test "what follows a record and is not what it says" {
	with 'tracing hex=17084474726163696e67' >in
	run -0 pp-check --strict in
	with 'tracing text="something else"' >in
	remarks tail "(HEADER_TRACING_DATA): what follows it is not tracing data"
}

@test "threads that are sampled and never named" {
	with 'sample pid=8 tid=9 time=1200' 'sample pid=8 tid=9 time=1300' >in
	remarks task "record 6 at byte " "(SAMPLE): tid: thread 9 of process 8 is never named"
	with 'sample pid=8 tid=9 time=1200' 'fork pid=8 ppid=7 tid=9 ptid=7 time=1100' >in # in time it is
	run -0 pp-check --strict in
	with 'sample pid=0 tid=0 time=1200' 'sample pid=-1 tid=-1 time=1200' >in # idle, and at its end
	run -0 pp-check --strict in
}

@test "mappings of the beginning that overlap" {
	with 'mmap2 pid=7 start=0x1000 len=0x2000 file=/a synthesized' \
		'mmap2 pid=7 start=0x3000 len=0x2000 file=/b synthesized' \
		'mmap2 pid=8 start=0x3000 len=0x2000 file=/b synthesized' >in
	run -0 pp-check --strict in
	with 'mmap2 pid=7 start=0x1000 len=0x2000 file=/a synthesized' \
		'mmap2 pid=7 start=0x2000 len=0x2000 file=/b synthesized' >in
	remarks map "(MMAP2): start: the mapping overlaps the one before it"
	with 'mmap2 pid=7 start=0x1000 len=0x2000 file=/a time=1200' \
		'mmap2 pid=7 start=0x2000 len=0x2000 file=/b time=1300' >in # a later one replaces
	run -0 pp-check --strict in
}

@test "the feature COMPRESSED stands before compressed records, and nowhere else" {
	with 'compressed {' 'sample pid=7 time=2000' '}' 'compressed {' 'sample pid=7 time=2001' '}' >in
	remarks compression "record 6 at byte " "(COMPRESSED): the feature COMPRESSED is missing before it: perf cannot expand it"
	with 'compressed {' 'sample pid=7 time=2000' '}' 'feature COMPRESSED' >in
	remarks compression "(COMPRESSED): the feature COMPRESSED is missing before it"
	with 'feature COMPRESSED' >in
	remarks compression "record 6 at byte " "(HEADER_FEATURE): feat_id: the feature COMPRESSED, but nothing is compressed"
	with 'feature COMPRESSED' 'compressed {' 'sample pid=7 time=2000' '}' >in
	run -0 pp-check --strict in
	pp-decompress -i in -o out
	run -0 pp-check --strict out
}

@test "a file that its recorder did not end" {
	with | perl "$TESTS/oracle/perffile.pl" --killed >in
	remarks container "its recorder did not finish it"
	with | perl "$TESTS/oracle/perffile.pl" >in
	run -0 pp-check --strict in
}

@test "what a round carries and is no seal" {
	with 'round hex=0102030405060708' >in
	remarks round "(FINISHED_ROUND): payload: its payload is neither a seal nor a note"
}

@test "findings of a stream of the other byte order are the same" {
	with 'sample pid=7 time=1500' round 'sample pid=7 time=1099' 'feature 63 u32 1 u32 2' >in
	pp-check --json in >little 2>messages || [ "$?" -eq 3 ]
	{
		echo 'header big'
		cat <<-'END'
			attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN flags=sample_id_all,comm
			attr id=3 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW type=2 config=4
			comm pid=7 comm=work synthesized
			sample pid=7 cpu=0 time=1000 ip=0x1000 callchain=0x1000,0x2000
			sample attr=1 pid=7 cpu=0 time=1100 ip=0x1000 raw=01020304
			round
			sample pid=7 time=1500
			round
			sample pid=7 time=1099
			feature 63 u32 1 u32 2
		END
	} | build >in
	run -3 --separate-stderr pp-check --json in
	echo "$output" >big
	diff little big
	{ echo 'header big'; echo 'attr id=1'; echo 'record 30 0 0102030405060708'; } | build >in
	remarks unknown "(UNKNOWN_30)"
}

@test "a walk and the short cut for samples agree" {
	build <"$TESTS/streams/every.txt" >in
	run -0 pp-check in
	assert_output --partial "sound: 90 records, 5 samples"
	sed 's/^header$/header big/' "$TESTS/streams/every.txt" | build >in
	run -0 pp-check in
	build <"$TESTS/streams/newer.txt" >in
	run -0 pp-check --strict in
	for f in 'stack_user=00112233445566778899aabbccddeeff:8' branches=1:2:0,3:4:0 regs_user=2:1,2 \
		regs_user=0: raw=01020304 ip=1; do
		build <<-END >in
			header
			attr id=1 sample_type=IP,TID,TIME,IDENTIFIER,RAW,BRANCH_STACK,REGS_USER,STACK_USER sample_regs_user=3 branch_sample_type=HW_INDEX
			comm pid=7 comm=a
			sample pid=7 time=5 $f
		END
		echo "$f"
		run -0 pp-check --strict in
		assert_output "sound: 3 records, 1 sample"
		at=$(records in | awk '$2 == "SAMPLE" { print $1 }')
		perl -0777 -pi -e "substr(\$_, -8) = ''; substr(\$_, $at + 6, 2) = pack 'v', length(\$_) - $at" in
		run -3 pp-check -q in
	done
}

# ---- how findings are shown

@test "remarks of one kind are counted, not repeated" {
	with 'sample pid=7 time=1200 extra=0000000000000000' 'sample pid=7 time=1200 extra=0000000000000000' \
		'sample pid=7 time=1200 extra=0000000000000000' >in
	run -0 pp-check in
	assert_line --index 0 --regexp '^remark: record 6 at byte [0-9]+ \(SAMPLE\): 8 bytes that no field covers, and 2 more like it$'
	assert_line --index 1 "sound: 9 records, 5 samples, 1 remark"
	run -0 jq -c 'select(.level) | [.index, .more]' <(pp-check --json in)
	assert_output "[6,2]"
}

@test "--max bounds what is shown, and the rest is counted" {
	with 'sample pid=7 time=5000' round 'repeat 30 {' 'sample pid=7 time=1' '}' \
		'record 30 0 0102030405060708' 'record 31 0 0102030405060708' >in
	run -3 --separate-stderr pp-check in
	assert_equal "$(grep -c '^fault: ' <<<"$output")" 20
	assert_line "and 10 faults more"
	assert_line "not sound: 30 faults, 2 remarks in 40 records, 33 samples"
	[ "${#stderr_lines[@]}" -eq 1 ]
	run -3 --separate-stderr pp-check --max 1 in
	assert_equal "$(grep -c '^fault: ' <<<"$output")" 1
	assert_equal "$(grep -c '^remark: ' <<<"$output")" 1
	assert_line "and 29 faults, 1 remark more"
	run -3 --separate-stderr pp-check --max 0 in
	assert_equal "$(grep -cE '^(fault|remark): ' <<<"$output")" 0
	run -3 --separate-stderr pp-check --max=100 --strict in
	assert_equal "$(grep -c '^fault: ' <<<"$output")" 32
	pp-check --json --max 3 in >lines 2>messages || [ "$?" -eq 3 ]
	run -0 jq -c 'select(.level) | .level' lines
	assert_equal "$(sort <<<"$output" | uniq -c | tr -s ' ' | tr '\n' ';')" ' 3 "fault"; 2 "remark";'
}

@test "--json is a line for the schema, each finding and the verdict" {
	with 'mmap2 pid=7 start=0x1000 len=0x1000 file=1234567 time=1200' |
		perl -0777 -pe 's/1234567\0/12345678/' >in
	pp-check --json in >lines 2>messages || [ "$?" -eq 3 ]
	at=$(records in | awk 'END { print $1 }')
	diff lines - <<-END
		{"schema":"perfpipe.check/1"}
		{"level":"fault","kind":"field","offset":$at,"index":6,"type":"MMAP2","field":"filename","text":"field runs past the record","need":9,"have":8}
		{"verdict":"not sound","records":7,"samples":2,"lost":0,"bytes":$(stat -c %s in),"faults":1,"remarks":0,"sealed":false}
	END
	with 'lost id=1 lost=5 time=1200' | pp-decompress --seal >in
	run -0 pp-check --json in
	assert_line --index 1 "{\"verdict\":\"sound\",\"records\":9,\"samples\":2,\"lost\":5,\"bytes\":$(stat -c %s in),\"faults\":0,\"remarks\":0,\"sealed\":true}"
	echo text >in
	pp-check --json in >lines 2>messages || [ "$?" -eq 3 ]
	run -0 jq -r '.schema // .text // .verdict' lines
	assert_line --index 2 "not sound"
}

@test "every finding of damaged inputs is JSON" {
	build <"$TESTS/streams/every.txt" >in
	each 97 '$n > 16 && $n < $size ? substr($in, 0, $n) . (substr($in, $n, 1) ^ chr($n % 9 * 16 + 1)) . substr($in, $n + 1) : undef' \
		pp-check --json changed >got
	[ "$(awk '$2 != 0 && $2 != 3' got)" = "" ]
	# each said one verdict, that of its status, in lines that are JSON
	jq -r 'select(.verdict) | .verdict' said >verdicts
	awk '{ print $2 == 0 ? "sound" : "not sound" }' got | diff - verdicts
	grep -q '^not' verdicts
}

@test "the man page has every kind of finding, and no other" {
	perl -0777 -ne 'print "$1\n" while /\bpp_check_(?:fault|remark)\(c, [^,"]+, "([a-z]+)"/g;
		print "$1\n" while /\[PP_E_\w+\] = "([a-z]+)"/g' "$ROOT"/libpipe/check/*.c | sort -u >expected
	awk '/^\.Ss/ { on = /Findings/ } /^\.Sh/ { on = 0 } on && /^\.It Cm/ { print $3 }' "$ROOT/tools/pp-check.1" | sort -u >got
	[ "$(wc -l <got)" -gt 15 ]
	diff expected got
}

# ---- what perf and the other tools write

@test "what each stage writes is sound" {
	for name in every plain group switch tracepoint zstd dwarf; do
		[ ! -f "$TESTS/streams/$name.txt" ] || build <"$TESTS/streams/$name.txt" >in
		[ ! -f "$TESTS/streams/$name.pipe" ] || cp "$TESTS/streams/$name.pipe" in
		echo "$name"
		pp-check in
		for seal in --seal --no-seal; do
			echo "$name $seal"
			pp-filter "$seal" -i in 'comm != "nobody"' | pp-check
			pp-sort "$seal" -i in | pp-check
			pp-compress "$seal" -i in | pp-check
			pp-decompress "$seal" -i in | pp-check
			pp-inject "$seal" -q -b -i in | pp-check
			pp-sort "$seal" -i in | pp-compress | pp-inject -q -b | pp-filter -p 7 | pp-check
		done
	done
}

@test "what perf records is sound" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock -g -- "${WORK[@]}" >in
	pp-check in
	perf_quiet record -z -o - -e cpu-clock -- "${WORK[@]}" >in
	pp-check in
	perf_quiet stat record -o - -e cpu-clock -- "${WORK[@]}" >in
	pp-check in
	perf_quiet record -o - -e cpu-clock -- "${WORK[@]}" >in
	perf inject -b <in 2>messages >out
	pp-check out
}

@test "what perf records of tracepoints is sound" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	pp-check in
}

@test "what pp-record records is sound, and was not cut" {
	need_perf_events
	pp-record -e cpu-clock -- "${WORK[@]}" >in
	run -0 pp-check --json in
	assert_line --index 0 '{"schema":"perfpipe.check/1"}'
	[ "$(jq -r 'select(.verdict) | .sealed' <<<"$output")" = true ]
	head -c -48 in >cut
	run -3 pp-check -q cut
}

@test "the corpus: what perf wrote whole is sound" {
	corpus perf-6.1 perf-6.12 perf-7.3
	for file in "$CORPUS"/perf-*/*.pipe.data "$CORPUS/perf-6.1/rec.pipe.inject-b.data" \
		"$CORPUS/perf-6.1/rec.inject2pipe.data"; do
		case ${file##*/} in
		bad.* | trunc* | *.txt) continue ;;
		esac
		echo "$file"
		pp-check "$file"
	done
}

@test "the corpus: what others wrote is sound" {
	corpus quipper linux-tracepoints linux-perf-data
	for file in quipper/perf.data.piped.{ctx_switch_namespaces-4.14,header_features-4.16,intel_pt-4.14} \
		quipper/perf.data.piped.{lost_samples-4.4,target-3.8,target.throttled-3.4} \
		linux-tracepoints/pipe.data linux-perf-data/sleep.compressed.pipe.data \
		big-endian/perf.data.piped.powerpc.no-google-hdr; do
		echo "$file"
		pp-check "$CORPUS/$file"
	done
}

@test "the corpus: what is cut or broken is not sound" {
	corpus perf-6.1 quipper linux-perf-data
	for file in perf-6.1/{trunc-header,trunc-midrecord,bad.perf61-inject-noheader}.pipe.data \
		quipper/perf.data.piped.{corrupted.zero_size_sample-3.2,extrabyte-3.4} \
		linux-perf-data/sleep.compressed2.pipe.data; do
		echo "$file"
		run -3 pp-check -q "$CORPUS/$file"
	done
}

@test "the corpus: files and folders of perf are sound, and cut ones are not" {
	corpus perf-6.1/rec.data perf-6.1/dirfmt.data perf-6.12/rec.z.data perf-7.3/rec.data
	for file in perf-6.1/{rec,rec.z,tp,meta,stat,dirfmt}.data perf-6.12/rec{,.z}.data perf-7.3/rec{,.z}.data; do
		echo "$file"
		pp-check "$CORPUS/$file"
	done
	run -3 pp-check -q "$CORPUS/perf-6.1/trunc.data"
	run -3 pp-check -q "$CORPUS/perf-6.1/trunc-header.data"
}

@test "inputs that crashed other readers end in 0 or 3" {
	corpus fuzz
	for file in "$CORPUS"/fuzz/*; do
		echo "$file"
		run timeout 60 pp-check --json --max 1000 "$file"
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "a stream that follows another is no record, however much is read at once" {
	pp-gen --samples 3000 --no-seal -o one
	pp-gen --samples 3000 -o sealed
	for file in one sealed; do
		cat $file one >in
		for size in 16 5000 70000; do
			run -3 bash -c "perl '$TESTS/trickle.pl' in $size | pp-check -q 2>&1"
			[[ "$output" == *"at byte $(stat -c %s $file): "*"another stream begins here, which is not read: pp-merge combines several" ]]
		done
		run -3 pp-check in
		[[ "$output" == *"not sound: 1 fault in "*" 3000 samples"* ]]
		run -3 --separate-stderr pp-sort -i in -o out
		[ "$(records -s out | wc -l)" -eq 3000 ]
	done
}
