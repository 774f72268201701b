# sort.bats - pp-sort: the order of what it writes, of streams of every kind.

setup() {
	load ../helper
	load sort/sort
}

# ---- the order

# sorted: a stream in the language of build.pl on standard input; the order it comes out in
sorted() {
	{ echo header; echo attr; cat; } | build >in
	pp-sort -i in -o out 2>err
	order out
}

@test "records are let go by rounds as perf lets them go, late ones as soon as can be" {
	run -0 sorted < <(times 10 20 R 15 30 R 5 R 40 R 41 R)
	[ "$output" = "10 15 20 R 5 30 R R 40 R 41 R" ]
}

@test "late records are counted on standard error, with the largest delay" {
	sorted < <(times 100 200 R 150 300 R 50 60 R 400 R 410 R)
	run -0 cat err
	assert_output --partial "2 records came after later ones had been released"
	assert_output --partial "by up to 0.000000150 s"
}

@test "nothing is said where no record is late" {
	sorted < <(times 10 20 R 15 30 R 31 25 R)
	[ ! -s err ]
}

@test "a record may be one round late" {
	run -0 sorted < <(times 10 40 R 20 50 R 45 60 R 70 R)
	[ "$output" = "10 20 40 R 45 50 R 60 R 70 R" ]
	[ ! -s err ]
}

@test "a stream without rounds is sorted as a whole" {
	run -0 sorted < <(times 5 3 9 1 7 2 8 4 6)
	[ "$output" = "1 2 3 4 5 6 7 8 9" ]
	[ ! -s err ]
}

@test "records in descending order are sorted too" {
	build >in <<-'END'
		header
		attr
		repeat 5000 {
		sample time=$(9000-i)
		}
		round
	END
	pp-sort -i in -o out
	records out | awk '$5 != "-" { print $5 }' >times
	run -0 wc -l <times
	[ "$output" -eq 5000 ]
	sort -n -c times
}

@test "equal times keep the order of the stream, also across runs and rounds" {
	build >in <<-'END'
		header
		attr
		sample time=20 ip=1
		sample time=10 ip=2
		sample time=20 ip=3
		sample time=10 ip=4
		round
		sample time=20 ip=5
		sample time=15 ip=6
		sample time=20 ip=7
		round
		sample time=30 ip=8
		round
	END
	pp-sort -i in -o out
	run -0 jq -r 'select(.type == "SAMPLE") | .fields.ip' <(json out)
	[ "${lines[*]}" = "0x2 0x4 0x6 0x1 0x3 0x5 0x7 0x8" ]
}

@test "a kernel record without a time stands before the smallest time that follows it in its round" {
	run -0 sorted <<-'END'
		sample time=10
		sample time=50
		comm pid=7 comm=a synthesized
		sample time=40
		sample time=30
		round
		sample time=60
		round
	END
	[ "$output" = "10 COMM 30 40 50 R 60 R" ]
}

@test "a record without a time that no time follows stays at the end of its round" {
	run -0 sorted <<-'END'
		sample time=10
		sample time=30
		sample time=20
		comm pid=7 comm=a synthesized
		round
		sample time=40
		round
	END
	[ "$output" = "10 20 30 COMM R 40 R" ]
}

@test "a record without a time stands before a smaller time of the next round too" {
	run -0 sorted <<-'END'
		sample time=10
		sample time=30
		comm pid=7 comm=a synthesized
		round
		sample time=20
		sample time=40
		round
	END
	[ "$output" = "10 COMM 20 30 R 40 R" ]
}

@test "user records and untimed ones keep their order among each other" {
	build >in <<-'END'
		header
		attr
		sample time=10
		sample time=90
		record 100 0 01
		comm pid=1 comm=a synthesized
		sample time=50
		record 101 0 02
		sample time=60
		comm pid=2 comm=b synthesized
		record 102 0 03
		sample time=20
		record 103 0 04
		round
	END
	pp-sort -i in -o out
	run -0 awk '$2 ~ /COMM|10[0-9]/ { print $2 }' <(records out)
	[[ ${lines[*]} == *100\ COMM\ *101\ COMM\ *102\ *103 ]]
}

@test "attributes are never moved behind what they describe" {
	run -0 sorted <<-'END'
		sample time=10
		sample time=50
		attr id=9
		sample time=40 id=9
		round
		sample time=30 id=9
		sample time=60
		round
	END
	[ "$output" = "10 30 40 50 R 60 R" ]
	json out | jq -r 'select(.type == "HEADER_ATTR" or .event) | .fields.time // "attr"' | xargs >seen
	[ "$(cat seen)" = "attr 10 attr 30 40 50 60" ]
}

@test "what comes before any time is not held at all" {
	build >in <<-'END'
		header
		attr
		comm pid=7 comm=a synthesized
		round
		init
		record 100 0 00
	END
	run -0 bash -c 'pp-sort -v -i in >out'
	assert_output --partial "at most 0 bytes were held"
	same_bytes in out
}

# ---- sorting again

@test "a stream in order is not changed by a byte" {
	build >in <<-'END'
		header
		attr
		comm pid=7 comm=a synthesized
		sample time=10
		sample time=20
		round
		sample time=20
		comm pid=7 comm=b synthesized
		sample time=30
		record 100 0 00
		round
		round
		sample time=31
		auxtrace bytes=64
		sample time=32
	END
	pp-sort -i in -o out
	same_bytes in out
}

@test "sorting twice changes nothing" {
	busy 50 | build >in
	pp-sort -i in -o once 2>err
	[ ! -s err ]
	pp-sort -i once -o twice
	run -1 cmp -s in once
	same_bytes once twice
}

@test "sorting loses nothing: the same records come out" {
	busy 50 | build >in
	pp-sort -i in -o out
	json in | jq -c 'del(.offset, .index)' | sort >before
	json out | jq -c 'del(.offset, .index)' | sort >after
	same_bytes before after
}

@test "rounds keep their promise: nothing behind one is older than what stood before the last" {
	busy 50 | build >in
	pp-sort -i in -o out
	run -0 order out
	echo "$output" | tr ' ' '\n' | awk '
		/^[0-9]/ { if ($1 + 0 < floor) exit 1; if ($1 + 0 > newest) newest = $1 + 0 }
		/^R/ { floor = last; last = newest }'
	[ "$(grep -o R <<<"$output" | wc -l)" -eq 50 ]
}

# ---- tails

@test "tails stay with their records, small and large" {
	build >in <<-'END'
		header
		attr
		sample time=50
		auxtrace idx=1 hex=0102030405060708
		sample time=20
		auxtrace idx=2 bytes=300000
		sample time=10
		auxtrace idx=3 bytes=70000
		round
		sample time=60
		auxtrace idx=4 bytes=100000
		round
		sample time=70
		round
	END
	pp-sort -i in -o out
	pp-sort --check -i out
	# what follows each AUXTRACE of that idx
	for file in in out; do
		json $file | jq -c 'if .type == "AUXTRACE" then .fields.idx elif .tail then .tail else empty end' >tails-$file
	done
	[ "$(grep -c '^"' tails-in)" -ge 4 ]
	same_bytes tails-in tails-out
}

@test "a large tail that cannot be put aside is exit 4" {
	build >in <<-'END'
		header
		attr
		sample time=50
		auxtrace bytes=300000
		sample time=20
	END
	run -4 --separate-stderr env TMPDIR="$PWD/nowhere" pp-sort -i in -o out
	[[ $stderr == *"cannot make a file in $PWD/nowhere"* ]]
	[ ! -e out ]
}

@test "a tail that is cut takes only its record with it" {
	build >whole <<-'END'
		header
		attr
		sample time=50
		sample time=20
		auxtrace bytes=1000
	END
	head -c -10 whole >in
	run -3 --separate-stderr bash -c 'pp-sort -i in >out'
	[[ $stderr == *"(AUXTRACE)"* ]]
	[ "$(order out)" = "20 50 R" ]
	run -3 pp-sort --check -i out
	assert_output --partial "damaged before it came here"
}

# ---- other streams

@test "a sealed stream stays sealed, with as many rounds" {
	busy 10 | build >in
	pp-sort --seal -i in -o once
	pp-sort -i once -o twice
	same_bytes once twice
	[ "$(records twice | grep -c FINISHED_ROUND)" -eq 12 ]
	pp-sort --no-seal -i twice -o plain
	pp-sort -i in -o want
	same_bytes want plain
}

@test "a compressed stream comes out sorted and plain" {
	build >in <<-'END'
		header
		attr
		feature COMPRESSED
		compressed {
		sample time=30
		sample time=10
		}
		compressed {
		sample time=20
		}
		round
	END
	pp-sort -i in -o out
	[ "$(order out)" = "10 20 30 R" ]
}

@test "a stream of the other byte order comes out sorted, in ours" {
	busy 5 | build >in
	busy 5 | sed 's/^header$/header big/' | build >big
	pp-sort -i in -o out
	pp-sort -i big -o other
	same_bytes out other
}

@test "a damaged stream is sorted as far as it is good, and its end says so" {
	times 20 10 R 30 | { echo header; echo attr; cat; } | build >whole
	head -c -3 whole >in
	run -3 --separate-stderr bash -c 'pp-sort -i in >out'
	[[ $stderr == *"in: record 4 at byte "* ]]
	[ "$(order out)" = "10 20 R R" ]
	run -3 pp-sort --check -i out
	assert_output --partial "damaged before it came here"
}

@test "two rounds let the first one go, whatever comes next" {
	{ echo header; echo attr; times 20 10 R 30 15 R; } | build >both
	{ echo header; echo attr; times 10 15 20 R; } | build >want
	mkfifo to from
	pp-sort <to >from 3>&- &
	exec 4>to 5<from
	cat both >&4
	# the writer is not done: this comes only if the stage lets it go by itself
	timeout 60 head -c "$(wc -c <want)" <&5 >got
	same_bytes want got
	exec 4>&-
	timeout 60 cat <&5 >>got
	wait $!
	[ "$(order got)" = "10 15 20 R 30 R" ]
}
