# headers.bats - pp-dump --headers: what a stream tells of itself, in perf's words.

setup() { load ../helper; }

# perf_words STREAM: perf's lines, of the kinds that do not change from version to version
perf_words() {
	TZ=UTC perf_quiet report -i "$1" --header-only -I | words
}

# words: without blanks at the end and doubled commas; of an event its first words only
words() {
	sed -n 's/, , /, /; s/ *$//
		s/^\(# event : name = [^,]*, id = {[^}]*}\).*/\1/
		/^# \(hostname\|os release\|perf version\|arch\|nrcpus\|cpudesc\|cpuid\|total memory\|cmdline\|event\|sibling\|CPU [0-9]\|node[0-9]\|pmu mappings\|group\|time of\|sample duration\|memory nodes\|clockid\|reference time\)/p
		/^#   *[0-9]* \[/p'
}

@test "perf has the same words for a recording's headers" {
	need_perf_events
	perf_quiet record -o - -e cpu-clock -g -- true >in
	perf_words in >expected
	pp-dump --headers -i in | words >got
	[ "$(wc -l <expected)" -ge 10 ]
	diff expected got
}

@test "perf has the same words for groups, clocks and several events" {
	need_kernel
	need_perf_events
	perf_quiet record -k CLOCK_MONOTONIC -o - -e '{cpu-clock,page-faults}' -e task-clock -- true >in
	perf_words in >expected
	pp-dump --headers -i in | words >got
	diff expected got
	grep -q '^# group: {cpu-clock,page-faults}$' got
	grep -q '^# clockid: monotonic (1)$' got
	[ "$(grep -c '^# event' got)" -eq 3 ]
}

@test "perf has the same words for an event's attribute" {
	need_perf_events
	[[ "$(perf version)" == "perf version 6.1."* ]] || skip "the words are those of perf 6.1"
	perf_quiet record -o - -e cpu-clock:u -F 997 -g -d -W --sample-cpu -- true >in
	perf report -i in --header-only 2>/dev/null | sed -n '/^# event/{ s/, , /, /; p; }' >expected
	pp-dump --headers -i in | grep '^# event' >got
	diff expected got
}

# bats test_tags=T3-C5
@test "a file's features without payload are said, in perf's words and as JSON" {
	need_perf_events
	perf_quiet stat record -o in.data -e task-clock -- true
	perf_quiet script --header-only -i in.data | grep -x '# contains stat data' >expected
	for tool in 'pp-dump --headers' pp-info 'pp-script --header-only'; do
		$tool in.data | grep '^# contains' | diff expected -
	done
	pp-dump --headers --json in.data | jq -e -s '.[1].features | has("STAT") and (has("BRANCH_STACK") | not)'
	# bit 15 of those of the file, and the offset and size that each has
	perl -e '
		local $/; open my $f, "<:raw", "in.data" or die; my $file = <$f>;
		my ($at, $size) = unpack "x40 Q<2", $file;
		my $sections = $at + $size;
		my $bits = unpack "Q<", substr $file, 72, 8;
		my $before = grep { $bits >> $_ & 1 } 0 .. 14;
		my $n = grep { $bits >> $_ & 1 } 0 .. 63;
		my @all = map { [ unpack "Q<2", substr $file, $sections + 16 * $_, 16 ] } 0 .. $n - 1;
		my $rest = substr $file, $sections + 16 * $n;
		$_->[0] += 16 for @all;
		splice @all, $before, 0, [ $all[0][0], 0 ];
		substr $file, 72, 8, pack "Q<", $bits | 1 << 15;
		print substr($file, 0, $sections), (map { pack "Q<2", @$_ } @all), $rest;' >branches.data
	perf_quiet script --header-only -i branches.data | grep '^# contains' >expected
	[ "$(wc -l <expected)" -eq 2 ]
	pp-dump --headers branches.data | grep '^# contains' | diff expected -
}

# bats test_tags=T3-C10
@test "a recording that was compressed says so, as perf does, of a file and of a stream" {
	need_perf_events
	perf_quiet record -z5 -o in.data -e cpu-clock -- "${WORK[@]}"
	perf_quiet record -z5 -o - -e cpu-clock -- "${WORK[@]}" >in.pipe
	for file in in.data in.pipe; do
		perf_quiet script --header -i $file | grep '^#' >expected
		grep -q '^# compressed : Zstd, level = 5, ratio = ' expected
		pp-script --header $file | grep -F -x "$(grep '^# compressed' expected)"
	done
	pp-cat in.data | pp-script --header >got
	run -1 grep '^# compressed' got
}

@test "perf has the same words for a recorded stream's headers" {
	need_perf
	for file in plain dwarf group tracepoint switch; do
		echo "$file"
		perf_words "$TESTS/streams/$file.pipe" >expected
		pp-dump --headers -i "$TESTS/streams/$file.pipe" | words >got
		[ -s got ]
		diff expected got
	done
}

@test "what perf counts by itself, and no kernel, has perf's names" {
	printf 'attr type=0xfffffffe config=%d\n' 1 2 3 4 | sed '1i header' | build >in
	pp-dump --headers -i in | sed -n 's/^# event : name = \([^,]*\),.*/\1/p' >got
	printf '%s\n' duration_time user_time system_time 'type 4294967294 config 0x4' | diff - got
}

@test "compression is a header of the stream as it stands, not of what is in it" {
	run -0 pp-dump --headers --raw -i "$TESTS/streams/zstd.pipe"
	assert_line '# compressed : Zstd, level = 1, ratio = 0'
	run -0 pp-dump --headers -i "$TESTS/streams/zstd.pipe"
	refute_line --partial '# compressed'
}

@test "a stream without features has its events all the same" {
	run -0 pp-dump --headers -i "$TESTS/streams/stat.pipe"
	assert_line --partial '# event : name = cpu-clock, id = {'
	assert_line --partial '# event : name = page-faults, id = {'
	refute_line --partial '# hostname'
}

@test "of equal features the last one counts" {
	build >in <<-'END'
		header
		attr id=1
		feature HOSTNAME string "first"
		feature HOSTNAME string "second"
		feature 35
	END
	run -0 pp-dump --headers -i in
	assert_line '# hostname : second'
	refute_line --partial first
}

@test "headers that come late are seen" {
	build >in <<-'END'
		header
		attr id=1
		sample
		round
		feature HOSTNAME string "late"
	END
	run -0 pp-dump --headers -i in
	assert_line '# hostname : late'
}

@test "names in headers cannot confuse a terminal" {
	build >in <<-'END'
		header
		attr id=1
		feature HOSTNAME string "a\x1b[31mhost\n# arch : none"
		feature CMDLINE list "x\x07" "\xff"
	END
	run -0 pp-dump --headers -i in
	[ "${#lines[@]}" -eq 3 ]
	assert_line --partial '# hostname : a\x1b[31mhost\x0a# arch : none'
	assert_line --partial '# cmdline : x\x07 \xff'
}

@test "JSON has the payload of each feature, the events and their ids" {
	build <"$TESTS/streams/every.txt" >in
	pp-dump --headers --json -i in >lines
	[ "$(wc -l <lines)" -eq 2 ]
	[ "$(head -n 1 lines | jq -r .schema)" = perfpipe.headers/1 ]
	tail -n 1 lines >object
	[ "$(jq -r .features.HOSTNAME.hostname object)" = a-host ]
	[ "$(jq -c .features.CMDLINE.cmdline object)" = '["/usr/bin/perf","record","-o","-"]' ]
	[ "$(jq -c '.features.NRCPUS' object)" = '{"nr_cpus_avail":4,"nr_cpus_online":2}' ]
	[ "$(jq -c '[.events[] | [.name, .id]]' object)" = '[["cpu-clock",["0x1","0x2"]],["sched:sched_switch",["0x3"]],["cycles",["0x4"]]]' ]
	[ "$(jq -c '.events[1].attr | [.type, .config, .sample_type]' object)" = '[2,"0x4d","0x107ff"]' ]
}

@test "a stream of the other byte order has the same headers" {
	build <"$TESTS/streams/every.txt" >little
	sed 's/^header$/header big/' "$TESTS/streams/every.txt" | build >big
	for options in '' --raw; do
		pp-dump --headers $options -i little >expected
		pp-dump --headers $options -i big >got
		diff expected got
	done
}

@test "notes are told, however long" {
	build >in <<-'END'
		header
		attr id=1
		sample
		round
	END
	long=$(printf '%0100000d' 7)
	pp-inject --note host=web17 --note commit=0123abc -i in -o once
	pp-inject --note "long=$long" -i once -o twice
	run -0 pp-dump --headers -i twice
	assert_line '# note : host = web17'
	assert_line '# note : commit = 0123abc'
	[ "$(grep -c '^# note' <<<"$output")" -eq 3 ]
	[ "$(sed -n 's/^# note : long = //p' <<<"$output")" = "$long" ]
	pp-dump --headers --json -i twice | tail -n 1 >object
	[ "$(jq -c '[.notes[] | .key]' object)" = '["host","commit","long"]' ]
	[ "$(jq -r '.notes[2].value | join("")' object)" = "$long" ]
}

@test "notes that do not fit their record are passed over" {
	build >in <<-'END'
		header
		attr id=1
		round hex=50504e4f5445310002000000000000000400000005000000686f73747765623137ffffff7f0300000076657273696f6e00
		round hex=50504e4f5445310001000000
		round hex=50504e4f54453100010000000100000001000000010000006b760000000000
		round
	END
	run -0 pp-dump --headers -i in
	assert_line '# note : host = web17'
	assert_line '# note : k = v'
}
