# remarks.bats - what pp-check only remarks, so that the status is 3 with --strict alone: each
# kind of it in a stream that has no other.

setup() {
	load ../../helper
	load check
}

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

# kind, text, and the lines of the stream
@test "modes, CPUs and times that there are not, ids of two events and in two places" {
	while IFS='|' read -ra row; do
		echo "${row[0]}: ${row[1]}"
		with "${row[@]:2}" >in
		remarks "${row[@]::2}"
	done <<-'END'
		value|(SAMPLE): misc: there is no CPU mode 7|sample pid=7 time=1200 misc=7
		cpu|(SAMPLE): cpu: there is no CPU 2: NRCPUS said 2|feature NRCPUS u32 2 u32 2|sample pid=7 cpu=1 time=1200|sample pid=7 cpu=2 time=1200
		time|(SAMPLE): time: a sample without a time|sample pid=7 time=0
		attribute|id 2 is that of event 0 and of event 2, which gets its records|attr id=2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		attribute|(HEADER_ATTR): sample_type: its records do not have their id where the first event has it|attr id=8 sample_type=IP,TID,TIME,ID flags=sample_id_all
	END
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

@test "a size that perf refuses" {
	with 'build_id pid=-1 id=0102030405060708090a0b0c0d0e0f1011121314 file=/bin/true old' >in
	remarks align "(HEADER_BUILD_ID): its size of 100 bytes is not a multiple of 8"
	with 'feature HOSTNAME string "a"' 'feature NRCPUS u32 2 u32 2 u32 0' 'tracing old bytes=16' >out
	run -0 pp-check --json out
	refute_output --partial '"align"'
}

@test "records far behind later ones of their CPU" {
	with 'sample pid=7 cpu=0 time=2000000000' 'comm pid=7 cpu=1 comm=b time=1500' \
		'comm pid=7 cpu=0 comm=b time=1999000000' >in
	run -0 pp-check --strict in
	with 'sample pid=7 cpu=0 time=2000000000' 'comm pid=7 cpu=0 comm=b time=1999000000' \
		'sample pid=7 cpu=0 time=1500' >in
	remarks order "(SAMPLE): time: 2 records stand after later ones of the same CPU, this one by 1.999998500 s"
}

# bats test_tags=T3-A15
@test "records that are a little later than their rounds promise, how many and by how much" {
	with 'sample pid=7 time=1500' round 'sample pid=7 time=1099' 'sample pid=7 time=1098' 'comm pid=7 comm=b time=1099' >in
	remarks round "record 9 at byte 656 (SAMPLE): time: 3 records came after later ones had been released, this one by 0.000000002 s"
	with 'sample pid=7 time=2000000000' round round 'sample pid=7 cpu=1 time=1000000000' >in
	remarks round "(SAMPLE): time: 1 record came after later ones had been released, this one by 1.000000000 s"
}

# bats test_tags=T3-A15
@test "a busy recording whose writer was late is sound" {
	found late.pipe.zst
	need zstd
	zstd -dq "$FOUND/late.pipe.zst" -o in
	remarks round "(SAMPLE): time: 1 record came after later ones had been released, this one by 0.000000833 s"
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
