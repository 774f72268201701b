# check.bats - pp-check: what is sound gets status 0, what is not 3 and a line for each finding.

setup() {
	load ../helper
	load check/check
}

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

@test "findings of a stream of the other byte order are the same" {
	with 'sample pid=7 cpu=1 time=2000000000' round round 'sample pid=7 time=1200' 'feature 63 u32 1 u32 2' >in
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
			sample pid=7 cpu=1 time=2000000000
			round
			round
			sample pid=7 time=1200
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
	with 'sample pid=7 cpu=1 time=2000000000' round round 'repeat 30 {' 'sample pid=7 time=1200' '}' \
		'record 30 0 0102030405060708' 'record 31 0 0102030405060708' >in
	run -3 --separate-stderr pp-check in
	assert_equal "$(grep -c '^fault: ' <<<"$output")" 20
	assert_line "and 10 faults more"
	assert_line "not sound: 30 faults, 2 remarks in 41 records, 33 samples"
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

@test "the man page has every kind of finding, and no other" {
	perl -0777 -ne 'print "$1\n" while /\bpp_check_(?:fault|remark)\(c, [^,"]+, "([a-z]+)"/g;
		print "$1\n" while /\[PP_E_\w+\] = "([a-z]+)"/g' "$ROOT"/libpipe/check/*.c | sort -u >expected
	awk '/^\.Ss/ { on = /Findings/ } /^\.Sh/ { on = 0 } on && /^\.It Cm/ { print $3 }' "$ROOT/tools/pp-check.1" | sort -u >got
	[ "$(wc -l <got)" -gt 15 ]
	diff expected got
}
