# whole.bats - pp-sort: streams that are sorted as a whole (--all), and by CPU, process or thread
# (--by).

setup() {
	load ../../helper
	load sort
}

# ---- all of it

@test "--all sorts streams whose rounds are missing or not true" {
	for shape in --rounds=0 --break-rounds --rounds=1; do
		generated $shape -o in
		run -1 pp-sort --check -q -i in
		pp-sort --all -i in -o out 2>err
		[ ! -s err ]
		pp-sort --check -i out
		bare in | sort >before
		bare out | sort >after
		same_bytes before after
	done
}

@test "--all sorts as sorting by rounds does, but for the rounds" {
	generated -o in
	pp-sort -i in -o by-rounds
	pp-sort --all -i in -o out
	pp-sort --all -i by-rounds -o again
	same_bytes out again
	bare by-rounds >before
	bare out >after
	same_bytes before after
}

@test "--all twice changes nothing, nor does sorting by rounds then" {
	generated --break-rounds -o in
	pp-sort --all --rounds 1000 -i in -o once
	pp-sort --all --rounds 1000 -i once -o twice
	same_bytes once twice
	pp-sort -i once -o twice
	same_bytes once twice
}

@test "--all keeps the order of equal times, in memory and out of runs" {
	# milliseconds are all that is left of the times
	generated --samples 20000 --rounds 0 --no-seal | json |
		sed 's/\("time":[0-9]*\)[0-9]\{6\}/\1000000/' | pp-undump -o in
	pp-sort --all -i in -o out
	pp-sort --all -S 1 -i in -o other
	same_bytes out other
	for file in in out; do
		bare $file | sed -n 's/.*"time":\([0-9]\{10,\}\).*/\1 &/p' >times-$file
	done
	sort -s -n -k1,1 times-in >want
	run -0 wc -l <want
	[ "$output" -ge 20000 ]
	[ "$(cut -d' ' -f1 want | uniq | wc -l)" -lt 10000 ]
	same_bytes want times-out
}

@test "--all: a record without a time stands before the smallest time that follows it" {
	build >in <<-'END'
		header
		attr
		comm pid=1 comm=head synthesized
		sample time=50
		comm pid=7 comm=a synthesized
		sample time=40
		record 100 0 00
		sample time=20
		sample time=60
		comm pid=7 comm=b synthesized
		sample time=60
		sample time=55
		sample time=70
		comm pid=7 comm=c synthesized
	END
	pp-sort --all -i in -o out
	run -0 order out
	[[ $output =~ ^COMM\ COMM\ [^\ ]*100\ 20\ 40\ 50\ COMM\ 55\ 60\ 60\ 70\ COMM\ R$ ]]
	pp-sort --all -i out -o again
	same_bytes out again
}

@test "--all: between equal times a record without one keeps its place" {
	{ echo header; echo attr; times 5 7; echo 'comm pid=7 comm=a synthesized'; times 7 7
	echo 'record 100 0 00'; times 7 9; } | build >in
	pp-sort --all --rounds 100 -i in -o out
	pp-sort --all --rounds 100 -S 1 -i in -o small
	run -0 order out
	[[ $output =~ ^5\ 7\ COMM\ 7\ 7\ [^\ ]*100\ 7\ 9\ R$ ]]
	same_bytes out small
}

@test "--all: attributes stay before what they describe" {
	build >in <<-'END'
		header
		attr
		sample time=50
		attr id=9
		sample time=40 id=9
		sample time=60
		sample time=30 id=9
	END
	pp-sort --all -i in -o out
	sound out
	json out | jq -r 'select(.type == "HEADER_ATTR" or .event) | .fields.time // "attr"' | xargs >seen
	[ "$(cat seen)" = "attr attr 30 40 50 60" ]
}

@test "--all: tails stay with their records, and these in their order" {
	build >in <<-'END'
		header
		attr
		auxtrace idx=0 bytes=100
		sample time=50
		auxtrace idx=1 hex=0102030405060708
		auxtrace idx=2 bytes=300000
		sample time=20
		auxtrace idx=3 bytes=70001 exact
		sample time=10
		auxtrace idx=4 bytes=0
		auxtrace idx=5 bytes=262143 exact
	END
	pp-sort --all -i in -o out
	pp-sort --check -i out
	for file in in out; do
		json $file | jq -c 'if .type == "AUXTRACE" then .fields.idx elif .tail then .tail else empty end' >tails-$file
	done
	same_bytes tails-in tails-out
	[ "$(order out | sed 's/AUXTRACE/A/g')" = "A A A A 10 20 50 A A R" ]
}

@test "--all writes rounds where all of them stood before the first sample" {
	{ echo header; echo attr; times R R R; for i in {1..50}; do times $((i * 20)); done; } | build >in
	pp-sort --all --rounds 20 -i in -o out
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -n R | cut -d: -f1 | xargs)" = "21 42 53" ]
}

@test "--all writes a round for each MiB where nothing else is asked for" {
	generated --samples 60000 -o in
	pp-sort --all --no-seal -i in -o out
	json out | jq -r 'select(.type == "FINISHED_ROUND") | .offset' >rounds
	run -0 wc -l <rounds
	[ "$output" -eq $(($(wc -c <out) / 1048576 + 1)) ]
	pp-sort --check -i out
}

@test "--all of a stream with no times, or no records, is that stream" {
	build >in <<-'END'
		header
		attr
		comm pid=7 comm=a synthesized
		auxtrace bytes=64
	END
	pp-sort --all -i in -o out
	same_bytes in out
	echo header | build >in
	run -3 pp-sort --all -i in
	run -3 pp-sort -i in
}

@test "--all of a sealed, compressed or foreign stream, and of a file, is that of the plain one" {
	generated --no-seal -o plain
	pp-sort --all -i plain -o want
	pp-sort --all --seal -i plain -o sealed
	sound sealed
	pp-sort --all --no-seal -i sealed -o out
	same_bytes want out
	generated --no-seal -z -o small
	bare want >before
	pp-sort --all -i small | bare - | grep -v '"feat_id":27' >after
	same_bytes <(grep -v '"feat_id":27' before) after
	busy 30 | build >in
	busy 30 | sed 's/^header$/header big/' | build >big
	pp-sort --all -i in -o want
	pp-sort --all -i big -o out
	same_bytes want out
}

@test "--all of a damaged stream sorts what is good, and its end says so" {
	times 20 10 R 30 5 7 | { echo header; echo attr; cat; } | build | head -c -3 >in
	run -3 --separate-stderr bash -c 'pp-sort --all -i in >out'
	[[ $stderr == *"in: record 6 at byte "* ]]
	[ "$(order out)" = "5 10 20 30 R R" ]
	run -3 pp-check out
	assert_output --partial "met damage"
}

@test "--all: a tail that is cut takes only its record with it" {
	build >whole <<-'END'
		header
		attr
		sample time=50
		auxtrace bytes=500000
		sample time=20
		auxtrace bytes=1000
	END
	head -c -10 whole >in
	run -3 --separate-stderr bash -c 'pp-sort --all -i in >out'
	[[ $stderr == *"(AUXTRACE)"* ]]
	[ "$(order out)" = "AUXTRACE 20 50 R R" ]
}

@test "every stream of the corpus is sorted as a whole, in little memory as in much, once for all" {
	corpus perf-6.1 simpleperf
	for file in "$CORPUS"/perf-6.1/*.data "$CORPUS"/simpleperf/*.data; do
		echo "$file"
		pp-sort --all -q -i "$file" -o out 2>err || continue
		pp-sort --check -i out
		pp-sort --all -q -S 1 -i "$file" -o small
		same_bytes out small
		pp-sort --all -q -i out -o twice
		same_bytes out twice
	done
}

# ---- by CPU, process, thread

@test "--by cpu writes all of one CPU behind all of another, each in time order" {
	build >in <<-'END'
		header
		attr
		sample cpu=1 time=10
		sample cpu=0 time=40
		record 100 0 00
		sample cpu=2 time=5
		sample cpu=1 time=9
		round
		sample cpu=0 time=30
		sample cpu=0 time=31
		comm pid=7 comm=a synthesized
		round
	END
	pp-sort --by cpu -i in -o out
	run -0 order out
	[[ $output =~ ^[^\ ]*100\ COMM\ 30\ 31\ 40\ 9\ 10\ 5$ ]]
}

@test "--by pid and --by tid group by what the records happened in" {
	build >in <<-'END'
		header
		attr
		sample pid=9 tid=9 time=10
		sample pid=7 tid=8 time=20
		sample pid=7 tid=7 time=30
		sample pid=7 tid=8 time=40
		sample pid=9 tid=3 time=15
	END
	pp-sort --by pid -i in -o out
	[ "$(order out)" = "20 30 40 10 15" ]
	pp-sort --by tid -i in -o out
	[ "$(order out)" = "15 30 20 40 10" ]
}

@test "--by puts records first that have no CPU" {
	build >in <<-'END'
		header
		attr sample_type=IDENTIFIER,IP,TID,TIME,CPU flags=sample_id_all id=1
		attr sample_type=IDENTIFIER,IP,TID,TIME flags=sample_id_all id=2
		sample id=1 cpu=0 time=10
		sample id=2 time=30
		sample id=1 cpu=0 time=5
		sample id=2 time=20
	END
	pp-sort --by cpu -i in -o out
	[ "$(order out)" = "20 30 5 10" ]
}

@test "--by loses nothing, writes no rounds, and --all takes it back" {
	generated -o in
	pp-sort --all -i in -o want
	for by in cpu pid tid; do
		pp-sort --by $by --no-seal -i in -o out
		run -1 grep -c FINISHED_ROUND <(json out)
		pp-sort --by $by --no-seal -S 1 -i in -o small
		same_bytes out small
		pp-sort --by $by -i out -o twice
		same_bytes out twice
		pp-sort --all -i out -o back
		bare want >before
		bare back >after
		same_bytes before after
	done
}

@test "--by with --rounds, or of something else, is misuse" {
	run -2 pp-sort --by cpu --rounds 10 -i /dev/null
	run -2 pp-sort --by comm -i /dev/null
}
