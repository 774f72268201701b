# containers.bats - whatever a recording lies in, the same stream comes out of it.

setup() { load ../helper; }

# a stream with all that a file keeps apart: attributes, features, tracing data, build-ids
stream() {
	build <<-END
		header $1
		attr id=11,12 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 precise_ip=2 name=cpu-clock
		attr id=13 type=2 config=300 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER flags=sample_id_all size=136 name=sched:sched_switch
		feature HOSTNAME string "wotan"
		feature NRCPUS u32 4 u32 2
		feature EVENT_DESC
		tracing bytes=120
		build_id id=00112233445566778899aabbccddeeff00112233 file=/bin/true
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/true time=5 maj=8 min=1 ino=12345
		comm pid=7 comm=seven time=6
		sample pid=7 time=1000 ip=0x1001 cpu=1 id=12
		sample pid=7 time=2000 ip=0x1002 cpu=1 id=13 raw=2c01000007000000aabbccdd
		auxtrace bytes=40
		round
	END
}

# what is told of the records, without their places; tails and all
told() { pp-dump --json -i "$1" | jq -c 'del(.offset, .index, .magic, .byte_order)'; }

# the same records, whatever is due to come first
same_records() {
	told "$1" | sort >a
	told "$2" | grep -v '"EVENT_UPDATE"' | sort >b
	diff a b
}

file() { perl "$TESTS/oracle/perffile.pl" "$@"; }

@test "a file gives the records of the stream that it was made of" {
	stream >in
	file <in >in.data
	same_records in in.data
	pp-dump --json -i in.data | jq -r 'select(.type == "SAMPLE").event' >events
	[ "$(xargs <events)" = "cpu-clock sched:sched_switch" ]
}

@test "a file of the other byte order gives the same" {
	stream >in
	stream big | file >big.data
	same_records in big.data
}

@test "attributes may stand behind the data" {
	stream >in
	file --late-attrs <in >late.data
	same_records in late.data
}

@test "a file whose recorder was killed is read to its end" {
	stream >in
	file --killed <in >killed.data
	pp-dump -i killed.data >text
	[ "$(grep -c SAMPLE text)" -eq 2 ]
	[ "$(grep -c FEATURE text)" -eq 0 ]
}

@test "a file of version 1 is read in either byte order" {
	for order in "" big; do
		stream $order | file --v1 --no-features >one.data
		head -c 8 one.data >magic
		[ "$(cat magic)" = PERFFILE ]
		pp-dump -i one.data >text
		[ "$(grep -c SAMPLE text)" -eq 2 ]
	done
}

@test "old files name their events in a table of their own" {
	build >in <<-END
		header
		attr id=1 type=2 config=77 size=64 sample_type=IP,TID,TIME,ID flags=sample_id_all
		event_type event_id=77 name=sched:old
		sample pid=7 time=1000 ip=1
	END
	file --event-types --no-features <in >old.data
	pp-dump --json -i old.data | jq -r 'select(.type == "SAMPLE").event' >events
	[ "$(cat events)" = sched:old ]
}

@test "an attribute that is longer than we know keeps its end, and its ids" {
	build >in <<-END
		header
		attr id=77 size=200 sample_type=IP,TID,TIME,IDENTIFIER
		sample pid=7 time=1000 ip=1 id=77
	END
	file --no-features <in >long.data
	pp-cat -q --no-seal long.data >out
	same_bytes in out
}

@test "a file through a pipe is the same as from its path" {
	stream | file >in.data
	pp-dump -i in.data >path
	cat in.data | pp-dump >piped
	pp-dump <in.data >redirected
	same_bytes path piped
	same_bytes path redirected
	cat in.data | pp-cat -v >/dev/null 2>said
	grep -q "copied to a temporary file" said
}

@test "streams and files wrapped in zstd are read as they are" {
	need zstd
	stream >in
	file <in >in.data
	for name in in in.data; do
		zstd -q -c $name >wrapped.zst
		pp-dump -i $name >plain
		pp-dump -i wrapped.zst >unwrapped
		same_bytes plain unwrapped
		pp-dump <wrapped.zst >redirected
		same_bytes plain redirected
	done
	zstd -q -c in | head -c 100 >cut.zst
	run -3 --separate-stderr pp-dump -i cut.zst
	[[ "$stderr" == *"zstd frame around it"* ]]
}

@test "every cut of a file is said, and what is there is delivered" {
	stream | file >in.data
	perl "$TESTS/variants.pl" in.data 7 '$n < $size ? substr $in, 0, $n : undef' pp-dump -i changed >got
	[ "$(awk '$2 != 3 || !$4' got)" = "" ]
	[ "$(wc -l <got)" -gt 20 ]
}

@test "a file with any word of it changed is refused, cut or read, never a crash" {
	stream | file >in.data
	# sizes and offsets near 2^64 wrap where somebody adds to them
	for value in ffffffffffffffff e8ffffffffffffff 0000000000000000 0100000001000000; do
		echo "$value"
		perl "$TESTS/variants.pl" in.data 8 '
			my $at = $n & ~7;
			return if $at < 8 || $at + 8 > $size;
			substr $in, $at, 8, pack "H*", "'$value'";
			$in' pp-dump -i changed >got
		[ "$(awk '$2 != 0 && $2 != 3' got)" = "" ]
		[ "$(wc -l <got)" -gt 20 ]
	done
}

# bats test_tags=T3-C7
@test "a feature that is too long for a record is left out, and it is said which" {
	stream | file >in.data
	perl -0777 -pe 'BEGIN { binmode STDIN; binmode STDOUT }
		my ($from, $size) = unpack "Q<Q<", substr $_, 40, 16;
		$_ .= "\0" x 80000;
		substr($_, $from + $size + 16 + 16 + 8, 8) = pack "Q<", 70000' <in.data >long.data
	pp-cat -o out long.data 2>err
	[ "$(cat err)" = "pp-cat: long.data: the feature HOSTNAME is left out: it is too long for a record" ]
	pp-check long.data | grep -q '1 features\? that no record can hold'
	[ "$(pp-dump -i out | grep -c SAMPLE)" -eq 2 ]
}

# bats test_tags=T3-C7
@test "a feature of a file that is too long for a record is there for readers of files, and is saved" {
	local order
	for order in '' big; do
		stream $order >in
		{ cat in; build <<<"header $order
			feature CACHE u32 1 u32 1 u32 1 u32 64 u32 64 u32 8 string \"Data\" string \"32K\" string \"0\"" | tail -c +17; } >both
		file <both >in.data
		# that of 256 CPUs is 90 KB
		perl -0777 -pe 'BEGIN { binmode STDIN; binmode STDOUT; $Q = @ARGV && shift eq "big" ? "Q>" : "Q<"; $L = $Q =~ tr/Q/L/r }
			my ($from, $size) = unpack "$Q$Q", substr $_, 40, 16;
			my $string = sub { my $t = "$_[0]\0"; $t .= "\0" x (-length($t) % 64); pack("$L", length $t) . $t };
			my $cache = pack "$L$L", 1, 1200;
			$cache .= pack("$L$L$L$L", 1, 64, 64, 8) . join "", map { $string->($_) } "Data", "32K", $_ for 0 .. 1199;
			substr($_, $from + $size + 16 * 5, 16) = pack "$Q$Q", length, length $cache;
			$_ .= $cache' ${order:+"$order"} <in.data >long.data
		for command in 'pp-script --header-only -I' pp-info 'pp-dump --headers'; do
			$command long.data >got 2>err
			[ "$(grep -c 'L1 Data' got)" -eq 1200 ]
			[ ! -s err ]
		done
		pp-save -o saved.data long.data
		pp-info saved.data | diff - <(pp-info long.data) | grep 'L1 Data' && return 1
		[ "$(pp-info saved.data | grep -c 'L1 Data')" -eq 1200 ]
		pp-cat -o out long.data 2>err
		grep -q 'the feature CACHE is left out' err
		head -c -100 long.data >cut.data
		run pp-info cut.data
		[[ $status = [03] ]]
	done
}

@test "a folder of perf record --threads is read in the order of time" {
	corpus perf-6.1/dirfmt.data
	pp-dump --json -i "$CORPUS/perf-6.1/dirfmt.data" >lines
	[ "$(grep -c '"SAMPLE"' lines)" -eq 91 ]
	jq -r 'select(.type == "SAMPLE").fields.time' lines >times
	sort -n times | diff - times
	need_perf
	pp-cat "$CORPUS/perf-6.1/dirfmt.data" | perf script --ns -i - -F tid,time,ip,event 2>/dev/null >ours
	perf script --ns -i "$CORPUS/perf-6.1/dirfmt.data" -F tid,time,ip,event 2>/dev/null >perfs
	sort perfs | diff - <(sort ours)
}

@test "a folder is merged with what else there is" {
	corpus perf-6.1/dirfmt.data
	pp-merge -q "$CORPUS/perf-6.1/dirfmt.data" "$CORPUS/perf-6.1/dirfmt.data" >out
	[ "$(json out | grep -c '"SAMPLE"')" -eq 182 ]
}

# bats test_tags=nightly
@test "a folder that perf has just made is read" {
	need_perf_events
	perf record --threads -o made.data -e cpu-clock "${WORK[@]}" >/dev/null 2>&1 || skip "this perf has no --threads"
	[ -d made.data ] || skip "this perf made no folder"
	pp-cat made.data | perf script --ns -F tid,time -i - >ours 2>/dev/null
	perf script --ns -F tid,time -i made.data >perfs 2>/dev/null
	sort perfs | diff - <(sort ours)
}

# bats test_tags=T3-A3
@test "records of a folder that cannot be converted are counted, as those of a file" {
	mkdir folder
	printf 'header big\nattr id=1\nfeature HOSTNAME string "here"\nround\n' | build | perl "$TESTS/oracle/perffile.pl" >folder/data
	printf 'header big\nattr id=1\n' | build >head
	printf 'header big\nattr id=1\nsample time=5\nrecord 99 0 00000000\nsample time=9\n' | build |
		tail -c +$(($(stat -c %s head) + 1)) >folder/data.0
	run -3 --separate-stderr pp-cat -o out folder
	[[ $stderr == *"folder: 1 record dropped: cannot be converted from the other byte order"* ]]
	run -3 pp-check -q out
}

@test "a folder without data is refused" {
	mkdir folder
	run -4 --separate-stderr pp-cat folder
	[[ "$stderr" == *"folder"* ]]
}

@test "what is no recording is named" {
	for kind in 'it is text:hello, this is text' 'it is gzip data. gzip -dc expands it:\x1f\x8b\x08\x00aaaaaaaaaaaaaaaa' \
		'it is an ELF file:\x7fELF\x02\x01\x01\x00aaaaaaaaaaaa' \
		'it is a trace.dat file. trace-cmd reads it:\x17\x08\x44tracing6\x00aaaaaa' \
		'it is a CTF trace. babeltrace2 reads it:\xc1\x1f\xfc\xc1aaaaaaaaaaaaaaaa'; do
		printf "${kind#*:}" >thing
		run -3 --separate-stderr pp-cat thing
		echo "$stderr"
		[[ "$stderr" =~ ${kind%%:*} ]]
	done
	stream | pp-dump --json >lines
	run -3 --separate-stderr pp-cat lines
	[[ "$stderr" == *"pp-undump reads it"* ]]
	: >empty
	run -3 --separate-stderr pp-cat empty
	[[ "$stderr" == *"empty"* ]]
}

@test "the Google dialect of old streams is known by its first record" {
	corpus big-endian/perf.data.piped.powerpc
	pp-info --json "$CORPUS/big-endian/perf.data.piped.powerpc" >info
	[ "$(jq -r .dialect info)" = "Google header strings" ]
	[ "$(jq -r .header.features.HOSTNAME.hostname info)" = platforms-power7b ]
	[ "$(jq .records.SAMPLE.count info)" -eq 9997 ]
	[ "$(jq -r .byte_order info)" = big ]
}

@test "the Google dialect is known in host order too, however much the first read brings" {
	# a header, and the host's name as old ChromeOS wrote it: type 69, a length, so many bytes
	printf 'PERFILE2\x10\0\0\0\0\0\0\0' >in
	printf '\x45\0\0\0\0\0\x14\0\x08\0\0\0box\0\0\0\0\0' >>in
	pp-dump --json in | jq -r 'select(.type == "HEADER_FEATURE").fields.data.hostname' >whole
	trickle in 1 | pp-dump --json | jq -r 'select(.type == "HEADER_FEATURE").fields.data.hostname' >pieces
	[ "$(cat whole)" = box ]
	[ "$(cat pieces)" = box ]
	[ "$(pp-info --json in | jq -r .dialect)" = "Google header strings" ]
}

@test "simpleperf and hiperf files are read and named" {
	corpus simpleperf hiperf/report_test.data
	expect() {
		pp-info --json "$CORPUS/$1" >info
		[ "$(jq -r .dialect info)" = "$2" ]
		[ "$(jq .records.SAMPLE.count info)" -eq "$3" ]
	}
	expect simpleperf/perf_b.data null 150
	expect simpleperf/perf_with_callchain_record.data simpleperf 21
	expect simpleperf/perf_with_tracepoint_event.data simpleperf 45
	expect hiperf/report_test.data hiperf 20
	pp-dump --json -i "$CORPUS/simpleperf/perf_with_tracepoint_event.data" >lines
	[ "$(jq -r 'select(.tail).tail[0:20]' lines | head -n 1)" = 17084474726163696e67 ]
}
