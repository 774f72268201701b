# info.bats - pp-info: what is in a recording, on one screen and as JSON.

setup() { load ../helper; }

stream() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=2 config=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		feature HOSTNAME string "wotan"
		event_update id=1 name=first
		event_update id=2 name=second
		comm pid=7 comm=seven time=5
		repeat 6 {
		sample pid=7 cpu=$(i%2) time=$(i*1000000000+1000000000) id=1
		}
		round
		sample pid=8 cpu=3 time=2500000000 id=2
		lost id=1 lost=42 time=7000000000
		throttle time=7000000001 id=1
		round
		record 200 0 00
	END
}

@test "everything is counted" {
	stream >in
	pp-info --json in >info
	[ "$(wc -l <info)" -eq 1 ]
	[ "$(jq -r .schema info)" = perfpipe.info/1 ]
	[ "$(jq -c '[.events[] | [.name, .samples]]' info)" = '[["first",6],["second",1]]' ]
	[ "$(jq -c '[.cpus[] | [.cpu, .samples]]' info)" = '[[0,3],[1,3],[3,1]]' ]
	[ "$(jq -c '[.processes[] | [.pid, .comm, .samples]]' info)" = '[[7,"seven",6],[8,":8",1]]' ]
	[ "$(jq -c '[.first_time, .last_time]' info)" = '[1000000000,6000000000]' ]
	[ "$(jq -c '[.rounds, .disorder, .worst_disorder, .lost, .throttled]' info)" = '[2,1,3500000000,42,1]' ]
	[ "$(jq .records.OTHERS.count info)" -eq 1 ]
	[ "$(jq .records.SAMPLE.count info)" -eq 7 ]
	[ "$(jq .bytes info)" -eq "$(stat -c %s in)" ]
	[ "$(jq -r .header.features.HOSTNAME.hostname info)" = wotan ]
}

@test "samples are counted as their lines show them, however many there are" {
	pp-gen --samples 20000 --events 3 --cpus 5 --pids 600 --disorder 0.2 --lost 3 --comms 40 >in
	pp-info --json --top 10000 in >info
	json in | jq -sc '
		def tally(f): group_by(f) | map([(.[0] | f), length]) | sort_by(-.[1], .[0]);
		[.[] | select(.type == "SAMPLE")] as $s | ($s | map(.fields.time)) as $t |
		# one CPU may be behind another: each time beside the largest before it
		(reduce (.[].fields | (.time // .sample_id.time // 0) | select(. > 0)) as $t ([0, 0, 0];
			if $t < .[0] then [.[0], .[1] + 1, ([.[2], .[0] - $t] | max)] else .[0] = $t end)) as $late |
		[($s | length), ($s | map(.size) | add), ($s | tally(.fields.cpu)), ($s | tally(.fields.pid)),
		 ($s | tally(.event)), ($t | min, max), $late[1:]]' >expected
	jq -c '[.records.SAMPLE.count, .records.SAMPLE.bytes, (.cpus | map([.cpu, .samples])),
		(.processes | map([.pid, .samples])), (.events | map([.name, .samples]) | sort_by(-.[1], .[0])),
		.first_time, .last_time, [.disorder, .worst_disorder]]' info >got
	same_bytes expected got
	[ "$(jq '.[2] | length' got)" -eq 5 ]
	[ "$(jq '.[3] | length' got)" -gt 500 ]
}

@test "the text says the same" {
	stream | pp-info >text
	grep -q '^# hostname : wotan' text
	grep -Eq '^events +6 first$' text
	grep -Eq '^ +1 second$' text
	grep -q '^time *1\.000000000 to 6\.000000000, 5\.000000000 s' text
	grep -q '^disorder *1 records after a newer one, by up to 3\.500000000 s' text
	grep -Eq '^processes +6 pid 7 seven$' text
	grep -Eq '^seals +none$' text
}

@test "--note prints the values of the notes with a key, and is answered with 1 where there is none" {
	stream | pp-inject --note commit=one --note host=web7 | pp-inject --note commit=two >in
	run -0 pp-info --note commit in
	[ "$output" = $'one\ntwo' ]
	run -0 pp-info --note host in
	[ "$output" = web7 ]
	run -1 --separate-stderr pp-info --note com in
	[ -z "$output$stderr" ]
	run -1 pp-info --note commit <(stream)
	run -2 pp-info --note commit --json in
	# a value that is longer than a record
	perl -e 'print "x" x 100000' >long
	stream | pp-inject --note a=b --note long="$(cat long)" --note c=d >in
	[ "$(pp-info --note long in)" = "$(cat long)" ]
	[ "$(pp-info --note c in)" = d ]
	# of a damaged stream as of a whole one
	head -c -5 in >cut
	run -3 --separate-stderr pp-info --note c cut
	[ "$output" = d ]
}

@test "--top bounds the lists and says what is missing" {
	stream | pp-info --top 1 >text
	[ "$(grep -c ' pid ' text)" -eq 1 ]
	grep -q 'and 1 more' text
}

@test "seals are told sound, rewritten, or not ended" {
	stream | pp-filter --seal >sealed
	pp-info --json sealed | jq -e '.seals == "sound, to the end"'
	head -c -48 sealed >cut
	run -3 --separate-stderr pp-info --json cut
	[ "$(jq -r .seals <<<"$output")" = "not ended" ]
}

@test "compression is told" {
	stream | pp-compress >packed
	pp-info --json packed | jq -e '.compressed_bytes > 0 and .expanded_bytes > 0'
}

@test "damage is counted, and what is good told" {
	stream | head -c -20 >cut
	run -3 --separate-stderr pp-info --json cut
	[ "$(jq .damaged <<<"$output")" -eq 1 ]
	[ "$(jq .records.SAMPLE.count <<<"$output")" -eq 7 ]
}

@test "samples are those that quipper counted" {
	corpus quipper
	for file in perf.data.branch-4.14 perf.data.lost_samples-4.4 perf.data.group_desc-4.14; do
		[ "$(pp-info --json "$CORPUS/quipper/$file" | jq .records.SAMPLE.count)" -eq \
			"$(grep -c '^  sample_event {' "$CORPUS/quipper/$file.pb_text")" ]
	done
}

@test "every file of the corpus is told about, or refused with a reason" {
	corpus MANIFEST.tsv
	for file in "$CORPUS"/{perf-*,quipper,linux-perf-data,big-endian,hiperf,simpleperf,v1}/*; do
		[[ "$file" =~ \.(txt|json|md|gz|buildids|pb_text)$ ]] && continue
		echo "$file"
		run --separate-stderr pp-info --json "$file"
		[[ "$status" =~ ^(0|3)$ ]]
		[ "$status" -eq 0 ] || [ -n "$stderr" ]
	done
}

@test "a file whose recorder was killed is told so" {
	stream | perl "$TESTS/oracle/perffile.pl" --killed >killed.data
	pp-info --json killed.data | jq -e '.killed and .records.SAMPLE.count == 7'
	pp-info killed.data | grep -q '^recorder *killed'
	stream | perl "$TESTS/oracle/perffile.pl" >ended.data
	pp-info --json ended.data | jq -e '.killed == null'
}
