# save.bats - pp-save: each section of the file holds what it should, whatever the stream looks
# like, and notes are in it.

setup() {
	load ../helper
	load save/save
}

# ---- sections

@test "records become sections, the others stay in the data in their order" {
	build >in <<-'END'
		header
		attr id=5 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all name=old
		feature HOSTNAME string "here"
		feature EVENT_DESC
		feature 200 hex 0102030405
		feature 35
		event_update id=5 name=new
		event_update id=5 unit=ms
		event_update id=5 scale=0.5
		thread_map entries=7:work
		event_type event_id=0 name=older
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		comm pid=7 comm=work time=1000
		init
		sample pid=7 time=3000 ip=0x1000
		sample pid=7 time=2000 ip=0x1000
		round
		record 113 0 0102030405060708
	END
	pp-save -i in -o out
	run -0 data out
	[ "$output" = "78 78 73 3 82 9 9 68 113 " ]
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 2 3 12 21 200 " ]
	[ "$(section out 200)" = 0102030405 ]
	# 2000 and 3000 ns
	[ "$(section out 21)" = d007000000000000b80b000000000000 ]
	# as perf has it: type 0, misc, size, pid -1, the id, its length, the name in 64 bytes
	zeros=$(printf '%0116d' 0)
	[ "$(section out 2)" = "0000000002806400ffffffff0123456789abcdef0123456789abcdef01234567140000002f6c69622f61$zeros" ]
	need_perf
	run -0 perf_quiet evlist -i out
	[[ $output == new* ]]
}

@test "names by type, as old recorders wrote them, go to the events that have no other" {
	for type in 1 2; do
		echo "$type"
		printf 'header\nattr type=%s config=3\nevent_type event_id=3 name=sys:old\nsample time=1000\n' $type |
			build >in
		pp-save -i in -o out
		sections out >list
		if [ $type = 1 ]; then
			run -1 grep '^12 ' list
		else
			[[ $(section out 12) == *"$(printf sys:old | od -An -tx1 | tr -d ' ')"* ]]
		fi
	done
}

@test "build-ids of mappings stand in the section once each, without what is no name" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		mmap2 pid=-1 misc=0x4001 start=0 len=1 file=[kernel.kallsyms]_text build_id=aaaa456789abcdef0123456789abcdef01234567
		repeat 3 {
		mmap2 pid=$(i+7) start=0x1000 len=0x1000 file=/lib/c build_id=cccc456789abcdef0123456789abcdef01234567
		}
		mmap2 pid=7 start=0x1000 len=0x1000 file=/lib/none maj=1 ino=2
		build_id pid=-1 id=dddd456789abcdef0123456789abcdef01234567 file=/lib/d old
		sample pid=7 time=2000 ip=0x1000
	END
	run -0 --separate-stderr pp-save -v -i in -o out
	[[ $stderr == *"3 build-ids"* ]]
	need_perf
	run -0 perf_quiet buildid-list -i out
	[[ $output == *"aaaa456789abcdef0123456789abcdef01234567 [kernel.kallsyms]"* ]]
	[[ $output == *"cccc456789abcdef0123456789abcdef01234567 /lib/c"* ]]
	[[ $output == *"dddd456789abcdef0123456789abcdef01234567 /lib/d"* ]]
	[ "${#lines[@]}" -eq 3 ]
}

@test "attributes of all sizes are written in one, without zeros that an old perf does not know" {
	build >in <<-'END'
		header
		attr id=1 size=144 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2,3 size=64 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
		sample pid=7 time=2001 ip=0x1000 id=3
	END
	pp-save -i in -o out
	sections out | grep -x 'attrs 128 288'
	run -0 section out attrs
	[ "${output:8:8}" = 80000000 ]
	[ "${output:$((144 * 2 + 8)):8}" = 80000000 ]
	# two ids at 112
	[ "${output: -32}" = 70000000000000001000000000000000 ]
	need_perf
	same_script
}

@test "what only a new attribute can say is kept" {
	build >in <<-'END'
		header
		attr id=1 size=144 config4=9 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 size=112 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
	END
	pp-save -i in -o out
	sections out | grep -x 'attrs 120 320'
	run -0 section out attrs
	[ "${output:$((136 * 2)):16}" = 0900000000000000 ]
}

@test "attributes that come late are found all the same" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000 id=1
		attr id=2 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=3000 ip=0x1000 id=2
		round
	END
	pp-save -i in -o out
	sections out
	[ "$(section out attrs | wc -c)" -eq $((2 * 2 * 144)) ]
	need_perf
	same_script
	run -0 perf_quiet script -i out -F time
	[ "${#lines[@]}" -eq 2 ]
}

@test "tracing data are kept to the byte, wherever they come" {
	for place in early late; do
		echo "$place"
		{
			printf 'header\nattr id=1\n'
			[ $place = late ] || echo 'tracing bytes=300000'
			echo 'sample time=1000'
			[ $place = early ] || echo 'tracing bytes=300000'
			printf 'sample time=2000\nround\n'
		} | build >in
		printf 'header\ntracing bytes=300000\n' | build | tail -c 300000 | od -An -v -tx1 | tr -d ' \n' >expected
		pp-save -i in -o out
		section out 1 >got
		cmp expected got
		[ "$(data out)" = "9 9 68 " ]
	done
}

@test "the index has the place of each AUX trace, with its bytes behind it" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		auxtrace_info type=1 priv=1,2
		auxtrace hex=1111111111111111 idx=0 tid=7 cpu=-1
		sample pid=7 time=2000 ip=0x1000
		auxtrace bytes=300000 idx=1 tid=7 cpu=-1
		auxtrace hex=3333333333333333 idx=2 tid=7 cpu=-1
		round
	END
	pp-save -i in -o out
	sections out
	[ "$(data out)" = "70 71 9 71 71 68 " ]
	perl -e 'local $/; open F, "<", "out"; my $s = <F>;
		my ($n, @entries) = unpack "Q*", pack "H*", shift;
		print "$n\n";
		while (my ($at, $size) = splice @entries, 0, 2) {
			my ($type, $misc, $record, $tail) = unpack "VvvQ", substr $s, $at, 16;
			my $idx = unpack "V", substr $s, $at + 32, 4;
			print "$size $type $record $tail $idx ", unpack("H4", substr $s, $at + $record, 2), "\n";
		}' "$(section out 18)" >got
	[ "$(sed -n 1p got)" = 3 ]
	[ "$(sed -n 2p got)" = "48 71 48 8 0 1111" ]
	[[ "$(sed -n 3p got)" == "48 71 48 300000 1 "* ]]
	[ "$(sed -n 4p got)" = "48 71 48 8 2 3333" ]
}

@test "branches and counts are told by the flags that files have" {
	printf 'header\nattr sample_type=IP,TID,TIME,BRANCH_STACK branch_sample_type=ANY\nsample time=1000 branches=0x1:0x2:0\n' |
		build >in
	pp-save -i in -o out
	sections out | grep '^15 '
	printf 'header\nattr sample_type=0 read_format=3 id=1\nstat_config entries=0:1\nstat id=1 val=5\nstat_round type=1 time=9\n' |
		build >in
	pp-save -i in -o out
	sections out | grep '^19 '
	[ "$(data out)" = "75 76 77 " ]
	# a stream made from a file may tell them itself; what has no payload else is the end of features
	printf 'header\nattr\nfeature 15\nfeature 19\nfeature 32\nsample time=1000\n' | build >in
	pp-save -i in -o out
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 15 19 21 " ]
}

@test "a stream that ends before its first record is saved as a file that perf reads" {
	printf 'header\nattr id=1\nfeature HOSTNAME string "here"\n' | build >in
	pp-save -i in -o out
	# one round, which says nothing: no data at all would mean that the file was not finished
	[ "$(data out)" = "68 " ]
	need_perf
	run -0 perf report --header-only -i out
	[[ $output == *"# hostname : here"* ]]
	# that there is no NRCPUS either is what perf 7 says of it
	[[ $(grep -v HEADER_NRCPUS <<<"$output") != *WARNING* ]]
}

# ---- one file, whatever the stream looks like

@test "seals, compression and byte order leave no trace in the file" {
	sampled >in
	pp-save -i in -o expected
	pp-decompress --seal -i in -o sealed
	pp-save -i sealed -o out
	same_bytes expected out
	pp-compress -i sealed -o small
	pp-save -i small -o out
	same_bytes expected out
	trickle sealed 1000 | pp-save -o out
	same_bytes expected out
	build >in <<-'END'
		header big
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		round
	END
	pp-save -i in -o foreign
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		round
	END
	pp-save -i in -o out
	same_bytes foreign out
}

@test "notes are in the file, and every reader of it has them again" {
	# at the beginning of a stream, at its end, in several records, sealed or not
	sampled | pp-inject --note host=web7 --note long="$(perl -e 'print "x" x 100000')" -o in
	printf 'header\nround hex=50504e4f54453100010000000000000001000000020000006162630000000000\n' | build | tail -c +17 >>in
	pp-save -i in -o out
	pp-dump --headers -i in | grep '^# note' >expected
	[ "$(wc -l <expected)" -eq 3 ]
	pp-dump --headers -i out | grep '^# note' >got
	diff expected got
	pp-cat out | pp-dump --headers | grep '^# note' >got
	diff expected got
	run -0 --separate-stderr pp-check --strict out
	run -0 --separate-stderr bash -c 'pp-cat out | pp-check --strict'
	# they count as they stood: a note that is added is the last one, and is when it is saved again
	run -0 pp-info --note host <(pp-inject --note host=web8 -i out)
	[ "$output" = $'web7\nweb8' ]
	pp-cat out | pp-save -o again
	same_bytes out again
	pp-decompress --seal -i in | pp-save -o again
	same_bytes out again
}

@test "perf reads a file with notes as it reads one without" {
	need_perf
	sampled >in
	pp-save -i in -o expected
	pp-inject --note host=web7 --note commit=4f2a9c1 -i in | pp-save -o out
	local perf command
	while read -r perf; do
		for command in 'script' 'report --stdio' 'buildid-list' 'evlist -v' 'inject -b -o /dev/null'; do
			echo "$perf $command"
			# shellcheck disable=SC2086
			"$perf" $command -i expected >a 2>a.err </dev/null
			# shellcheck disable=SC2086
			"$perf" $command -i out >b 2>b.err </dev/null
			# perf ends a report with a tip that it draws by lot
			diff <(grep -v '^# (Tip: ' a) <(grep -v '^# (Tip: ' b)
			diff <(sed 's/expected/out/' a.err) b.err
		done
		# data size, and the date of the file
		"$perf" report --header-only -i out | grep -Ev '^# (captured|data size|.*offset)' >b
		"$perf" report --header-only -i expected | grep -Ev '^# (captured|data size|.*offset)' >a
		diff a b
	done < <(perfs)
}

@test "notes beyond what there is room for are left out, and that is said" {
	sampled >in
	local n
	for ((n = 0; n < 5; n++)); do
		perl -e 'printf "header\nround hex=%s%s\n", unpack("H*", pack "a8 L2 L2", "PPNOTE1", 1, 0, 1, 65000), "61" x 65001' |
			build | tail -c +17
	done >five
	{ head -c 16 in; for ((n = 0; n < 13; n++)); do cat five; done; tail -c +17 in; } >noted
	run -0 --separate-stderr pp-save -i noted -o out
	[ "$stderr" = "pp-save: out: 1 record of notes left out: there is room for 4 MiB" ]
	[ "$(pp-dump --headers -i out | grep -c '^# note')" -eq 64 ]
}

@test "events that perf would refuse in a file are told" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,ID flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000
	END
	run -0 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"perf will not read it: "* ]]
	need_perf
	run perf script -i out
	[ "$status" -ne 0 ]
}

@test "a feature that has no place in the header is left out, and told" {
	printf 'header\nattr id=1\nfeature 255 hex 01\nfeature 256 hex 01\nsample time=1000\n' | build >in
	run -0 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"1 feature left out"* ]]
	sections out | grep '^255 '
}
