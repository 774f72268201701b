# dump.bats - pp-dump: JSON and text, and what becomes of options, damage, tails and large numbers.

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

@test "each character below a blank, and DEL, has its escape in JSON" {
	for code in {1..31} 127; do
		printf 'header\nattr id=1\ncomm pid=1 comm="a%s"\n' "$(printf '\\x%02x' "$code")" | build >in
		pp-dump --json in | jq -r 'select(.type == "COMM").fields.comm | explode[1]' >got
		[ "$(cat got)" = "$code" ]
		run -1 grep -qaP '[\x00-\x09\x0b-\x1f\x7f]' <(pp-dump --json in)
	done
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
