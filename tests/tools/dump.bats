# dump.bats - pp-dump: perf says the same of every field, golden files of every record and feature,
# and what becomes of options, damage, tails and large numbers.

setup() { load ../helper; }

# A short stream: two events, names, samples, a round.
short() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=2 type=1 config=2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		comm pid=7 comm=nginx exec time=1000
		repeat 3 {
		sample id=$(i%2+1) pid=7 tid=8 cpu=$(i) time=$(i*10+2000000000) ip=$(i+4096) period=250000
		}
		round
	END
}

# ---- against perf

# agree STREAM: perf report -D and pp-dump --json say the same of every record, field by field
agree() {
	json "$1" >lines.json
	perl "$TESTS/oracle/perf-dump.pl" "$1" lines.json
}

# script STREAM [FIELD]: samples as perf script prints them, sorted, in single blanks
script() {
	perf_quiet script -i "$1" --ns -G -F pid,tid,time,period,event,ip${2:+,$2} |
		awk '{ $1 = $1; print }' | sort
}

# samples STREAM [FILTER]: the same of pp-dump's lines; FILTER gives a list of the field's words
samples() {
	json "$1" | jq -r 'select(.type == "SAMPLE") | .event as $event | .fields | (.time | tostring) as $t |
		["\(.pid)/\(.tid)", '"${2:+$2,}"' $t[:-9] + "." + $t[-9:] + ":", "\(.period)", $event + ":",
		'"${3:+$3,}"' .ip[2:]] | join(" ")' | sort
}

# says_the_same STREAM: so do perf report -D and perf script
says_the_same() {
	agree "$1"
	script "$1" >expected
	samples "$1" >got
	[ -s got ]
	diff expected got
}

@test "perf says the same of a plain recording" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of call chains" {
	need_perf_events
	perf_quiet record -o - -g -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
	[ "$(json in | jq -s 'map(select(.fields.callchain)) | length')" -gt 0 ]
}

@test "perf says the same of stacks and registers" {
	need_perf_events
	perf_quiet record -o - --call-graph dwarf,1024 -F 500 -e cpu-clock -- "${WORK[@]}" >in
	agree in
	[ "$(json in | jq -s 'map(select(.fields.stack_user)) | length')" -gt 0 ]
}

@test "perf says the same of tracepoints" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	agree in
	script in >expected
	samples in >got
	diff expected got
	# raw data as perf has them
	json in | jq -r 'select(.event == "syscalls:sys_enter_openat").fields.raw | length' | sort -u >sizes
	[ -s sizes ]
}

# What perf says of a tracepoint as name=value, beside what we say.
@test "perf says the same of the fields of tracepoints" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e sched:sched_process_fork -- "${CALLS[@]}" >in
	perf script -i in -F event,trace >lines 2>/dev/null
	# it says the state in letters, and calls the parent otherwise
	perl -ne 's/ ==> / /; s/ prev_state=\S+//; s/^\s+|\s+$//g; s/:\s+/ /;
		s/(sched_process_fork) comm=(.*?) pid=/$1 parent_comm=$2 parent_pid=/; print "$_\n"' lines | sort >expected
	json in | jq -r 'select(.trace) | "\(.event) " + (.trace |
		with_entries(select(.key | test("^common_|^prev_state$") | not)) |
		to_entries | map("\(.key)=\(.value)") | join(" "))' | sort >got
	[ -s got ]
	diff expected got
	# text has the same in its way
	pp-dump --type sample -i in | sed -n 's/.* trace={\(.*\)}$/\1/p' | tr -d '"' | sed 's/ prev_state=[0-9]*//' | sort >text
	cut -d' ' -f2- got | sort | diff - text
}

# traced ORDER: a stream of this byte order with one tracepoint, whose format is standard input, and
# one sample of it
traced()
{
	perl -e '
		my $big = $ARGV[0] eq "big";
		my ($u16, $u32, $u64) = $big ? qw(n N Q>) : qw(v V Q<);
		my $text = join "", <STDIN>;
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CC$u32", $big, 8, 4096)
			. "header_page\0" . pack($u64, 0) . "header_event\0" . pack($u64, 0)
			. pack("$u32$u32", 0, 1) . "sys\0" . pack("$u32$u64", 1, length $text) . $text
			. pack("$u32$u32$u64", 0, 0, 0);
		my $raw = pack "$u16 x2 $u32 $u16 $u16 $u64 $u32 a4 a3 a5", 77, 3 << 16 | 28, 0xfffe, 3,
			0xffff800000000001, 2 << 16 | 7, "\1\2\3", "hi", "\7\11";
		print $big ? "header big\n" : "header\n";
		print "attr type=2 config=77 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW\n";
		print "tracing hex=", unpack("H*", $data), "\n";
		print "sample pid=1 time=1 raw=", unpack("H*", $raw), "\n"' "$1" | build
}

@test "fields of tracepoints are what the format says, of any kind and in either order" {
	cat >format <<-'END'
		name: point
		ID: 77
		format:
			field:unsigned short common_type;	offset:0;	size:2;	signed:0;

			field:__data_loc char[] text;	offset:4;	size:4;	signed:0;
			field:short v[2];	offset:8;	size:4;	signed:1;
			field:const void __attribute__((user)) * p;	offset:12;	size:8;	signed:0;
			field:__rel_loc u8[] tail;	offset:20;	size:4;	signed:0;
			field:struct thing s;	offset:24;	size:3;	signed:0;
			field:int far;	offset:60;	size:4;	signed:1;

		print fmt: "%s", REC->text
	END
	for order in little big; do
		traced $order <format >in
		run -0 bash -c "pp-dump --json -i in | jq -c 'select(.trace).trace'"
		assert_output '{"common_type":77,"text":"hi","v":[-2,3],"p":"0xffff800000000001","tail":[7,9],"s":"010203"}'
		run -0 bash -c "pp-dump --type sample -i in | sed 's/.* trace=//'"
		assert_output '{text="hi" v=[-2 3] p=0xffff800000000001 tail=[7 9] s=010203}'
		# and they are for readers only
		pp-cat -i in >plain
		pp-dump --json -i plain | pp-undump -o out
		same_bytes plain out
	done
}

@test "a format that is damaged leaves the raw data as they are" {
	for format in '' 'name: x' $'name: x\nID: 77\nformat:\n\tfield:char buf[;' \
		$'name: x\nID: 77\nformat:\n\tfield:__attribute__((x)) y;\toffset:0;\tsize:1;\tsigned:0;\n\n' \
		$'name: x\nID: 77\nformat:\n\tfield:int a;\toffset:99999999999;\tsize:4;\tsigned:0;\n\n'; do
		traced little <<<"$format" >in
		run -0 --separate-stderr bash -c "pp-dump --json -i in | jq -c 'select(.type == \"SAMPLE\") | [.trace, (.fields.raw | length)]'"
		assert_output '[null,72]'
		assert_equal "$stderr" ""
	done
}

@test "perf says the same of a compressed recording" {
	need_perf_events
	perf_quiet record -o - -z -g -e cpu-clock -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of groups" {
	need_perf_events
	perf_quiet record -o - -e '{cpu-clock,page-faults}:S' -- "${WORK[@]}" >in
	agree in
	[ "$(json in | jq -s 'map(select(.fields.read.values | length == 2)) | length')" -gt 0 ]
}

@test "perf says the same of two events side by side" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock,page-faults -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of context switches, namespaces and control groups" {
	need_perf_events
	need_root
	perf_quiet record -o - --switch-events --namespaces --all-cgroups -e cpu-clock -- "${CALLS[@]}" >in
	agree in
	json in | jq -r .type | sort -u >types
	grep -qx NAMESPACES types
	grep -qxE 'SWITCH|SWITCH_CPU_WIDE' types
}

@test "perf says the same of addresses, weights and where data came from" {
	need_perf_events
	need_root
	perf_quiet record -o - -d -W --phys-data --sample-cpu -e cpu-clock -- "${WORK[@]}" >in
	agree in
	script in cpu >expected
	samples in '"[" + ("00\(.cpu)"[-3:]) + "]"' >got
	diff expected got
	json in | jq -e -s 'map(select(.type == "SAMPLE")) | all(.fields.data_src.mem_op == 1)'
}

@test "perf says the same of a whole system's recording" {
	need_system_wide
	perf_quiet record -a -o - -e cpu-clock -F 500 -- "${WORK[@]}" >in
	says_the_same in
}

@test "perf says the same of the recorded streams" {
	need_perf
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		agree "$file"
	done
}

@test "perf says the same of one record of each type" {
	need_perf
	build <"$TESTS/streams/every.txt" >in
	# perf 7 gives up at a sample in it
	! perf report -D -i in 2>&1 | grep -q 'failed to process sample' || skip "this perf does not read all of them"
	agree in
}

# ---- golden files

# golden NAME TEXT OPTION...: pp-dump's output is tests/golden/NAME; with UPDATE=1 it becomes so
golden() {
	local file=$TESTS/golden/$1 status=0
	build <"$2" >in.pipe
	shift 2
	pp-dump "$@" -i in.pipe >out 2>err || status=$?
	[ "$status" -eq 0 ] || return "$status"
	[ -z "${UPDATE:-}" ] || cp out "$file"
	diff "$file" out
}

# forms NAME TEXT: all ways to show it; raw where $RAW says so
forms() {
	local name=$1 text=$2
	golden "$name.json" "$text" --json $RAW
	golden "$name.text" "$text" $RAW
	golden "$name.long" "$text" -v $RAW
	golden "$name.headers" "$text" --headers $RAW
	golden "$name.headers.json" "$text" --headers --json $RAW
}

@test "records of perf 6.1 are shown as the golden files have them" {
	RAW='' forms every "$TESTS/streams/every.txt"
}

@test "records that came after perf 6.1 are shown as the golden files have them" {
	RAW='' forms newer "$TESTS/streams/newer.txt"
}

@test "old, odd and unknown records are shown as the golden files have them" {
	RAW=--raw forms rest "$TESTS/golden/rest.txt"
}

@test "bytes are shown as the golden file has them" {
	golden every.hex "$TESTS/streams/every.txt" -x
}

@test "the golden files have every type of record and every feature" {
	sed -n 's/^RECORD(\([A-Z0-9_]*\),.*/\1/p' "$ROOT/libpipe/format/records.def" | sort >types
	sed -n 's/^FEATURE(\([A-Z0-9_]*\),.*/\1/p' "$ROOT/libpipe/format/features.def" | sort >features
	[ -s types ]
	[ -s features ]
	jq -r 'select(.type).type' "$TESTS"/golden/{every,newer,rest}.json | sort -u >got
	[ "$(comm -23 types got)" = "" ]
	jq -r 'select(.feature).feature' "$TESTS"/golden/{every,newer,rest}.json | sort -u >got
	[ "$(comm -23 features got)" = "" ]
}

@test "a stream of the other byte order is shown like its twin" {
	for text in "$TESTS"/streams/{every,newer}.txt; do
		echo "$text"
		build <"$text" >little
		sed 's/^header$/header big/' "$text" | build >big
		json little >expected
		json big >got
		diff expected got
		pp-dump --raw --json -i little | sed 's/"little"/"big"/' >expected
		pp-dump --raw --json -i big | sed '1!s/"little"/"big"/' >got
		diff expected got
	done
}

# ---- JSON

@test "every line of JSON is an object, the first names the schema" {
	for file in "$TESTS"/streams/*.pipe; do
		pp-dump --json -i "$file" >lines
		[ "$(jq -c 'type' lines | sort -u)" = '"object"' ]
		[ "$(jq -c . lines | wc -l)" -eq "$(wc -l <lines)" ]
		[ "$(head -n 1 lines)" = '{"schema":"perfpipe.records/1","magic":"PERFILE2","byte_order":"little"}' ]
	done
}

@test "records have the places, types and sizes that another reader finds" {
	for file in "$TESTS"/streams/*.pipe; do
		records "$file" | awk '{ print $1, $2, $3, $4 }' >expected
		pp-dump --raw --json -i "$file" | jq -r 'select(.type) | "\(.offset) \(.type) \(.misc) \(.size)"' >got
		diff expected got
	done
}

@test "numbers beyond 2^53-1 are strings of digits, so that none is rounded" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER
		sample pid=1 time=9007199254740991 period=9007199254740992
		sample pid=1 time=9007199254740993 period=18446744073709551615
		stat id=1 val=18446744073709551614
	END
	run -0 bash -c "pp-dump --json -i in --type sample,stat | jq -c '.fields | [.time, .period, .val]'"
	assert_line --index 1 '[9007199254740991,"9007199254740992",null]'
	assert_line --index 2 '["9007199254740993","18446744073709551615",null]'
	assert_line --index 3 '[null,null,"18446744073709551614"]'
}

@test "a tail follows its record in lines of at most 64 KiB" {
	build >in <<-'END'
		header
		attr id=1
		tracing bytes=200000
		round
	END
	pp-dump --json -i in >lines
	[ "$(jq -r 'select(.tail).tail | length' lines | sort -n | tail -n 1)" -le 131072 ]
	jq -r 'select(.tail).tail' lines | tr -d '\n' | perl -ne 'print pack "H*", $_' >got
	perl -e 'local $/; $_ = <STDIN>; print substr $_, 16 + 8 + 128 + 8 + 16, 200000' <in >expected
	same_bytes expected got
	[ "$(tail -n 1 lines | jq -r .type)" = FINISHED_ROUND ]
}

@test "compressed records are shown as the plain ones are, raw ones as they stand" {
	body='comm pid=7 comm=nginx time=1000
		repeat 20 {
		sample pid=7 time=$(i*10+2000) ip=0x1000
		}'
	head='attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all'
	printf 'header\n%s\n%s\n' "$head" "$body" | build >plain
	for kind in compressed compressed2; do
		printf 'header\n%s\nfeature COMPRESSED\n%s split=100 {\n%s\n}\n' "$head" $kind "$body" | build >packed
		json plain | jq -c 'select(.type) | [.type, .misc, .size, .event, .fields]' >expected
		json packed | jq -c 'select(.type) | [.type, .misc, .size, .event, .fields]' >got
		diff expected got
		pp-dump --raw --json -i packed | jq -r .type >types
		grep -qix $kind types
		run -1 grep -x SAMPLE types
	done
}

# ---- text

@test "text is a line for each record: offset, type, time, event, fields" {
	short >in
	run -0 pp-dump -i in
	[ "${#lines[@]}" -eq 7 ]
	assert_line --index 3 --regexp '^0x[0-9a-f]+ +SAMPLE +2\.000000000 cpu-clock +misc=0x2 size=56 identifier=1 ip=0x1000 pid=7 tid=8 cpu=0 period=250000$'
	assert_line --index 4 --regexp '^0x[0-9a-f]+ +SAMPLE +2\.000000010 page-faults +misc=0x2 .*ip=0x1001 .*cpu=1 '
	assert_line --index 6 --regexp '^0x[0-9a-f]+ +FINISHED_ROUND +- - +misc=0x0 size=8$'
}

@test "text has as many lines as the stream has records" {
	for file in "$TESTS"/streams/*.pipe; do
		[ "$(pp-dump -i "$file" | grep -vc '^ ')" -eq "$(pp-dump --json -i "$file" | jq -c 'select(.type)' | wc -l)" ]
	done
}

@test "-v prints a field a line" {
	short >in
	run -0 pp-dump -v --type sample -i in
	assert_line --index 0 --regexp '^0x[0-9a-f]+ +SAMPLE +2\.000000000 cpu-clock +index=3 misc=0x2 size=56$'
	assert_line --index 1 --regexp '^  identifier +1$'
	assert_line --index 2 --regexp '^  ip +0x1000$'
	assert_line --index 5 --regexp '^  time +2\.000000000$'
	[ "${#lines[@]}" -eq 24 ]
}

@test "-x prints all bytes of the stream" {
	for file in "$TESTS"/streams/tracepoint.pipe "$TESTS"/streams/dwarf.pipe; do
		pp-dump --raw -x -i "$file" >text
		perl -ne 'BEGIN { binmode STDOUT }
			if (/^  [0-9a-f]{4}  ?((?:[0-9a-f]{2} +)+)/) { (my $h = $1) =~ s/ //g; print pack "H*", $h }
			elsif (/^  tail 0x[0-9a-f]+ ([0-9a-f]+)$/) { print pack "H*", $1 }' text >got
		tail -c +17 "$file" >expected
		same_bytes expected got
	done
}

@test "names that are not plain text cannot confuse a terminal or a line" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=1 comm="esc\x1b[31m"
		comm pid=1 comm="a\nb\"c\\d"
		comm pid=1 comm="\xff\xc2\x9b"
	END
	run -0 pp-dump -i in --type comm
	[ "${#lines[@]}" -eq 3 ]
	assert_line --index 0 --partial 'comm="esc\x1b[31m"'
	assert_line --index 1 --partial 'comm="a\x0ab\x22c\x5cd"'
	assert_line --index 2 --partial 'comm="\xff\xc2\x9b"'
}

# ---- options

@test "--type takes names in any case and numbers, and may be repeated" {
	short >in
	run -0 bash -c 'pp-dump --type comm,Finished_Round -i in | awk "{ print \$2 }"'
	assert_output $'COMM\nFINISHED_ROUND'
	run -0 bash -c 'pp-dump --type 3 --type UNKNOWN_68 -i in | awk "{ print \$2 }"'
	assert_output $'COMM\nFINISHED_ROUND'
	run -0 bash -c 'pp-dump --json --type comm -i in | jq -r .type'
	assert_output $'null\nCOMM'
}

@test "--type hides the tails of the records that it hides" {
	build >in <<-'END'
		header
		attr id=1
		tracing bytes=100
		round
	END
	run -0 pp-dump --json --type finished_round -i in
	[ "${#lines[@]}" -eq 2 ]
	refute_output --partial tail
}

@test "a name that is no type is misuse" {
	for names in SAMPEL sample,oops 12x ''; do
		run -2 --separate-stderr pp-dump --type "$names"
		[ -z "$output" ]
	done
	[[ "$stderr" == *"not a type of record"* ]]
}

@test "options that do not go together are misuse" {
	run -2 --separate-stderr pp-dump --json -x
	run -2 --separate-stderr pp-dump --headers --type sample
	run -2 --separate-stderr pp-dump --headers -x
	run -2 --separate-stderr pp-dump one two
}

@test "-i and -o name the files" {
	short >in
	pp-dump <in >expected
	pp-dump -i in -o out
	diff expected out
	pp-dump -i - -o - <in >out
	diff expected out
}

# ---- bad input

@test "a damaged record is shown, and what follows it" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN
		sample pid=1 time=10 callchain=1,2,3
		record 9 2 0100000000000000010000000100000014000000000000000900000000000000
		sample pid=1 time=30 callchain=4
	END
	run -3 --separate-stderr pp-dump -i in
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[2]}" == *' 0.000000020 '*'pid=1 tid=1 DAMAGED="callchain: field runs past the record: need 72 bytes, have 0"' ]]
	[[ "${lines[3]}" == *'callchain=[0x4]'* ]]
	[[ "$stderr" == *"record 2 at byte "*"(SAMPLE): callchain: field runs past the record: need 72 bytes, have 0"* ]]
	run -3 --separate-stderr pp-dump --json -i in
	[ "${#lines[@]}" -eq 6 ]
	[ "$(jq -c '[.damaged, .raw, .fields]' <<<"${lines[3]}")" = '[true,"0100000000000000010000000100000014000000000000000900000000000000",null]' ]
	[ "$(jq -c .fields.callchain <<<"${lines[4]}")" = '["0x4"]' ]
	[ "${lines[5]}" = '{"end":"damaged"}' ]
}

@test "a large damaged record is one line of JSON, too" {
	{
		printf 'header\nattr id=1 sample_type=IP,CALLCHAIN\n'
		printf 'record 9 2 0100000000000000ff0f000000000000'
		printf '%032640d\n' 0
		printf 'round\n'
	} | build >in
	run -3 --separate-stderr pp-dump --json -i in
	[ "${#lines[@]}" -eq 5 ]
	[ "$(jq -r '.raw | length' <<<"${lines[2]}")" -eq 32672 ]
	[ "$(jq -r .type <<<"${lines[3]}")" = FINISHED_ROUND ]
}

@test "of a stream that is cut every whole record is shown" {
	short >in
	size=$(stat -c %s in)
	pp-dump -i in >all
	records in | awk '{ print $1 + $4 }' >ends
	for ((n = 17; n < size; n += 31)); do
		head -c "$n" in >cut
		status=0
		pp-dump -i cut >out 2>err || status=$?
		echo "$n: $status"
		whole=$(awk -v n="$n" '$1 <= n' ends | wc -l)
		head -n "$whole" all | diff - out
		if grep -qx "$n" ends; then
			[ "$status" -eq 0 ]
		else
			[ "$status" -eq 3 ]
			grep -q 'record.* at byte' err
		fi
	done
}

@test "damage that an earlier stage met is told at the end" {
	short >in
	head -c 500 in >cut
	run -3 --separate-stderr bash -c 'pp-filter <cut 2>/dev/null | pp-dump --json'
	assert_line --index "$((${#lines[@]} - 1))" '{"end":"damaged"}'
}

@test "what is no stream is refused" {
	: >empty
	head -c 100 /dev/zero >zeros
	run -3 --separate-stderr pp-dump -i empty
	[ -n "$stderr" ]
	run -3 --separate-stderr pp-dump -i zeros
	[ -n "$stderr" ]
	run -4 --separate-stderr pp-dump -i nowhere
	[[ "$stderr" == *nowhere* ]]
	run -4 --separate-stderr pp-dump -i in -o /nowhere/out
	[[ "$stderr" == *nowhere* ]]
}

@test "a full disk is an error" {
	short >in
	run -4 --separate-stderr bash -c 'pp-dump -i in >/dev/full'
	[[ "$stderr" == *"cannot write"* ]]
}

@test "a reader that leaves ends it quietly" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,RAW
		repeat 2000 {
		sample raw=0000000000000000000000000000000000000000000000000000000000000000
		}
	END
	run -0 --separate-stderr bash -c 'pp-dump -vx -i in | head -n 1; echo ${PIPESTATUS[0]}'
	assert_line --index 1 141
	[ -z "$stderr" ]
}

# ---- live

@test "however the input is cut up, the output is the same" {
	build <"$TESTS/streams/every.txt" >in
	json in >expected
	for size in 1 7 4096; do
		trickle in $size | json >got
		diff expected got
	done
}

@test "what has come is shown before more comes" {
	short >in
	mkfifo input
	: >out
	pp-dump -i input >out 2>err 3>&- &
	exec 5<>input
	cat in >&5
	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l <out)" -lt 7 ] || break
		sleep 0.1
	done
	seen=$(wc -l <out)
	exec 5>&-
	wait
	[ "$seen" -eq 7 ]
}

# ---- a format that grows

# grown PERL: the numbers and names of all records, found by their numbers, after perl changed
# records.def
grown() {
	rm -rf grown
	cp -r "$ROOT/libpipe" grown
	perl -pi -e "$1" grown/format/records.def
	awk -f grown/include/types.awk grown/format/{records,features,attr}.def >grown/include/perfpipe/types.h
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Igrown -Igrown/include -o table table.c grown/format/table.c 2>cc.err && ./table
}

@test "a record that is added at the end of the kernel's, or of perf's, moves no other" {
	need "${CC:-cc}"
	cat >table.c <<-'END'
		#include "format/format.h"
		#include <stdio.h>
		int main(void)
		{
			const struct pp_type *t;
			unsigned n = 0;
			for (size_t i = 0; (t = pp_type_at(i)); i++) {
				if (pp_type(t->number) != t)
					return 1;
				printf("%u %s\n", t->number, t->name);
			}
			for (unsigned i = 0; i < 1 << 20; i++)
				n += (t = pp_type(i)) && t->number == i;
			for (size_t i = 0; pp_type_at(i); i++)
				n--;
			return n != 0;
		}
	END
	local kernel perf
	grown '' >before
	kernel=$(awk '$1 < 64 { n = $1 } END { print n + 1 }' before)
	perf=$(awk 'END { print $1 + 1 }' before)
	grown "s/(?=^RECORD\(HEADER_ATTR,)/RECORD(ADDED, $kernel, KERNEL, \"added\", U64(value, \"one\"))\n/" >grown.kernel
	(cat before && echo "$kernel ADDED") | sort -n >want
	sort -n grown.kernel | same_bytes want -
	grown "\$_ .= qq(\nRECORD(ADDED, $perf, USER, \"added\", U64(value, \"one\"))\n) if eof" >grown.perf
	(cat before && echo "$perf ADDED") | sort -n >want
	sort -n grown.perf | same_bytes want -
	# one in a place that is not its number's is refused by the compiler
	run ! grown "s/(?=^RECORD\(HEADER_ATTR,)/RECORD(ADDED, $((kernel + 1)), KERNEL, \"added\", U64(value, \"one\"))\n/"
	grep -q 'record ADDED is not in the order of the numbers' cc.err
}
