# wrong-lines.bats - lines that pp-undump refuses: number, field and what was expected are
# reported, and the others pass.

setup() {
	load ../../helper
	load undump
}

# wrong LINE MESSAGE: behind an event, it is refused with this message, and the lines around it pass
wrong() {
	cat >lines.json <<-END
		{"type":"HEADER_ATTR","event":"cpu-clock","fields":{"attr":{"sample_type":"0x10187","flags":{"sample_id_all":1}},"id":[1]}}
		$1
		{"type":"FINISHED_ROUND"}
	END
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" "pp-undump: lines.json: line 2$2"
	assert_equal "$(types -i out 2>/dev/null | tr '\n' ' ')" 'HEADER_ATTR FINISHED_ROUND FINISHED_ROUND '
	run -3 pp-dump -i out
}

@test "a wrong line is told: number, type, field, what was expected; the others pass" {
	wrong '{"type":"COMM","fields":{"pid":7,"com":"nginx"}}' \
		' (COMM): com: is not a field of COMM here, or is given twice'
	wrong '{"type":"COMM","fields":{"pid":7,"pid":7}}' \
		' (COMM): pid: is not a field of COMM here, or is given twice'
	wrong '{"type":"COMM","fields":{"pid":"x"}}' \
		' (COMM): pid: need a signed number of 32 bits, have x'
	wrong '{"type":"COMM","fields":{"pid":2147483648}}' \
		' (COMM): pid: need a signed number of 32 bits, have 2147483648'
	wrong '{"type":"COMM","fields":{"comm":["a"]}}' \
		' (COMM): comm: need a text, have a list'
	wrong '{"type":"COMM","fields":{"comm":"a\u0000b"}}' \
		' (COMM): comm: need a text without a zero byte; comm_hex may have one'
	wrong '{"type":"COMM","fields":{"comm_hex":"6z"}}' \
		' (COMM): comm: need hex digits'
	wrong '{"type":"COMM","fields":{"comm_hex":"616"}}' \
		' (COMM): comm: need two hex digits for each byte, have 3'
	wrong '{"type":"COMM","size":56,"fields":{"comm":"a name too long"}}' \
		' (COMM): comm: need room for 16 bytes, have 8 by the size that is given'
	wrong '{"type":"COMM","fields":[]}' \
		': fields: need an object, have a list'
	wrong '{"type":"COMM","misc":65536,"fields":{}}' \
		': misc: need a whole number of 16 bits, have 65536'
	wrong '{"type":"COMM","size":7,"fields":{}}' \
		': size: need at least 8, have 7'
	wrong '{"type":"COMM","feilds":{}}' \
		': feilds: is not a field of a line here, or is given twice'
	wrong '{"type":"COMM","fields":{"sample_id":{"time":"zwei"}}}' \
		' (COMM): sample_id.time: need a whole number of 64 bits, have zwei'
	wrong '{"type":"SAMPLE","fields":{"callchain":[1]}}' \
		' (SAMPLE): callchain: is not a field of SAMPLE here, or is given twice'
	wrong '{"type":"SAMPLE","fields":{"ip":1.5}}' \
		' (SAMPLE): ip: need a whole number of 64 bits, have 1.5'
	wrong '{"type":"SAMPLE","fields":{"ip":"0x10000000000000000"}}' \
		' (SAMPLE): ip: need a whole number of 64 bits, have 0x10000000000000000'
	wrong '{"type":"NAMESPACES","fields":{"namespaces":[{"dev":1},{"dev":1,"ino":-2}]}}' \
		' (NAMESPACES): namespaces[1].ino: need a whole number of 64 bits, have -2'
	wrong '{"type":"NAMESPACES","fields":{"nr":3,"namespaces":[{"dev":1}]}}' \
		' (NAMESPACES): nr: need 1, as many as there are, have 3'
	wrong '{"type":"CPU_MAP","fields":{"map":{"cpu":[0,-1]}}}' \
		' (CPU_MAP): map.cpu[1]: need a whole number of 16 bits, have -1'
	wrong '{"type":"HEADER_ATTR","fields":{"attr":{"flags":{"precise_ip":4}}}}' \
		' (HEADER_ATTR): attr.flags.precise_ip: need a number of 2 bits'
	wrong '{"type":"HEADER_ATTR","event":"cycle","fields":{}}' \
		' (HEADER_ATTR): event: need the name of a generic event, such as cycles'
	wrong '{"type":"STAT","event":"cycles","fields":{}}' \
		' (STAT): event: need the name of an earlier event'
	wrong '{"type":"HEADER_FEATURE","feature":"HOST"}' \
		' (HEADER_FEATURE): feature: need the name of a feature'
	wrong '{"type":"HEADER_FEATURE","feature":"NRCPUS","fields":{"data":{"nr":1}}}' \
		' (HEADER_FEATURE): data.nr: is not a field of NRCPUS here, or is given twice'
	wrong '{"type":"SAMPEL","fields":{}}' \
		': type: need the name of a type, have SAMPEL'
	wrong '{"type":113,"fields":{}}' \
		': raw: need the bytes of a record whose type has no name'
	wrong '{"type":113,"size":9,"raw":"0000"}' \
		': size: need 10, as raw has it, have 9'
	wrong '{"schema":"perfpipe.records/1"}' \
		': schema: need it in the first line only'
	wrong '{"end":"well"}' \
		': end: need damaged'
	wrong '{"fields":{}}' \
		': type: need the type of a record'
	wrong '[1]' \
		': need an object, have a list'
}

@test "a line that is no JSON is told, with the byte" {
	wrong '{"type":"COMM","fields":{}' \
		': not JSON: need a comma or a closing brace at byte 26 of the line'
	wrong 'hello' \
		': not JSON: need a value at byte 0 of the line'
	wrong '{"type":"COMM"}{}' \
		': not JSON: need the end of the line at byte 15 of the line'
	wrong '{"type":"COMM","misc":01}' \
		': not JSON: need a number without leading zeros at byte 22 of the line'
	wrong '{"type":"COMM","fields":{"comm":"\ud800"}}' \
		': not JSON: need the second half of a surrogate pair after the first at byte 33 of the line'
	wrong "{\"type\":\"COMM\",\"fields\":{\"comm\":\"$(printf '\351')\"}}" \
		': not JSON: need UTF-8 at byte 33 of the line'
	wrong "{\"type\":\"COMM\",\"fields\":{\"comm\":\"$(printf '\t')\"}}" \
		': not JSON: need an escape for a control character at byte 33 of the line'
	wrong "$(printf '[%.0s' {1..100})" \
		': not JSON: need less deeply nested values at byte 24 of the line'
	wrong "{\"type\":\"COMM\",\"x\":[$(printf '1,%.0s' {1..140000})1]}" \
		": not JSON: need fewer values in one line at byte 262158 of the line"
}

@test "a record whose event did not come is told so" {
	run -3 --separate-stderr pp-undump -o out <<<'{"type":"SAMPLE","fields":{"ip":1}}'
	assert_equal "$stderr" 'pp-undump: standard input: line 1 (SAMPLE): ip: no earlier event describes this record'
	cat >lines.json <<-'END'
		{"type":"HEADER_ATTR","fields":{"attr":{"sample_type":"0x10001"},"id":[1]}}
		{"type":"HEADER_ATTR","fields":{"attr":{"sample_type":"0x10001"},"id":[2]}}
		{"type":"SAMPLE","fields":{"identifier":3}}
		{"type":"SAMPLE","event":"instructions","fields":{}}
	END
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${stderr_lines[0]}" = 'pp-undump: lines.json: line 3 (SAMPLE): identifier: need the id of an earlier event' ]
	[ "${stderr_lines[1]}" = 'pp-undump: lines.json: line 4 (SAMPLE): event: need the name of an earlier event' ]
}

@test "of many wrong lines the first ten are told, and their number" {
	for _ in {1..25}; do echo nonsense; done >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${#stderr_lines[@]}" -eq 11 ]
	[ "${stderr_lines[10]}" = 'pp-undump: lines.json: 25 wrong lines in all' ]
}

@test "a line that is too long is told once, and what follows is read" {
	{
		printf '{"type":"COMM","fields":{"comm":"'
		head -c 3000000 /dev/zero | tr '\0' x
		printf '"}}\n{"type":"FINISHED_ROUND"}\n'
	} >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 1: is longer than any record needs'
	[ "$(types -i out 2>/dev/null | head -n 1)" = FINISHED_ROUND ]
}

@test "nothing at all is no stream" {
	run -3 --separate-stderr pp-undump -o out </dev/null
	assert_equal "$stderr" 'pp-undump: standard input: it has no records'
	run -3 pp-dump -i out
}

@test "a tail that is missing is told, and its record is not written" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | grep -v '"tail"' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 3 (AUXTRACE): tail: need 8 bytes in the lines after it, have 0'
	[ "$(types -i out 2>/dev/null | tr '\n' ' ')" = 'HEADER_ATTR FINISHED_ROUND FINISHED_ROUND ' ]
}

@test "a tail that is cut ends the stream there" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | sed 's/"0001020304050607"/"00010203"/' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 3 (AUXTRACE): tail: need 8 bytes in the lines after it, have 4'
	cmp out <(head -c -12 in.pipe)
	json in.pipe | sed 's/"0001020304050607"/"000102030405060708"/' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${stderr_lines[0]}" = 'pp-undump: lines.json: line 4: tail: need at most 8 bytes, have 9' ]
}

@test "a tail whose record was dropped goes with it" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | grep -v '"AUXTRACE"' >lines.json
	run -0 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: 8 bytes of tails dropped whose records are missing'
	[ "$(types -i out | tr '\n' ' ')" = 'HEADER_ATTR FINISHED_ROUND ' ]
}

@test "a text that is cut anywhere gives what was whole, and exit 3 inside a line" {
	build <<-'END' >in.pipe
		header
		attr id=1 sample_type=IP size=64
		sample ip=1
		lost_samples lost=1
	END
	json in.pipe | jq -c 'del(.fields.attr.config, .fields.attr.read_format)' >lines.json
	perl "$TESTS/variants.pl" lines.json 1 '$n && $n < $size ? substr $in, 0, $n : undef' \
		pp-undump -i changed >got
	perl -e '
		my ($lines, $in, $said) = map { open my $f, "<:raw", $_ or die; local $/; <$f> } qw(lines.json in.pipe said);
		while (<STDIN>) {
			my ($n, $status, $size) = split;
			my $out = substr $said, 0, $size, "";
			my $cut = substr $lines, 0, $n;
			my $whole = $cut =~ tr/\n//;
			# whole lines, or all but the newline; the header alone is no stream
			my $ends = $cut =~ /\n\z/ ? $whole > 1 : $whole && substr($lines, $n, 1) eq "\n";
			print "exit: $_" if $status != ($ends ? 0 : 3);
			my $bytes = (0, 0, 96, 112)[$whole];
			print "records: $_" if substr($out, 0, $bytes) ne substr $in, 0, $bytes;
		}' <got >wrong
	cat wrong
	[ ! -s wrong ]
	[ "$(wc -l <got)" -gt 100 ]
}
