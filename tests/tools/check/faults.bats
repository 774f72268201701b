# faults.bats - what pp-check calls a fault: each kind of it in a stream that has no other.

setup() {
	load ../../helper
	load check
}

# kind, text, and the lines of the stream
@test "records and attributes of sizes that cannot be, and a feature with the number 0" {
	while IFS='|' read -ra row; do
		echo "${row[0]}: ${row[1]}"
		with "${row[@]:2}" >in
		faults "${row[@]::2}"
	done <<-'END'
		size|(SAMPLE): record is smaller than its own header: need 8 bytes, have 4|sample pid=7 time=1200 record_size=4
		cut|(SAMPLE): the stream ends inside a record: need 400 bytes, have 64|sample pid=7 time=1200 record_size=400
		value|(HEADER_ATTR): size: an attribute has at least 64 bytes, not 32|record 64 0 0100000020000000 0000000000000000000000000000000000000000000000000000000000000000
		value|feat_id: there is no feature 0|feature 0 u32 1
	END
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

@test "a record that is older by more than a second than what a round released" {
	with 'sample pid=7 time=2000000000' round round 'sample pid=7 cpu=1 time=999999999' >in
	faults round "(SAMPLE): time: 0.999999999 is before 2.000000000 of record 6, which a round had released"
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
	remarks round "(SAMPLE): time: 1 record came after later ones had been released, this one by 0.000000050 s"
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
	with 'feature COMPRESSED' 'compressed {' 'mmap pid=7 start=1 len=1 file=1234567 time=2000000000' \
		'sample pid=7 cpu=1 time=1100' '}' round round 'feature COMPRESSED' 'compressed {' \
		'sample pid=7 cpu=2 time=3' '}' >in
	at=$(records in | awk '$2 == "COMPRESSED" { at = $1 } END { print at }')
	faults round "at byte $at (SAMPLE): time: 0.000000003 is before 2.000000000"
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
