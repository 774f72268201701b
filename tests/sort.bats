# sort.bats - pp-sort: the order of what it writes, what it holds, what it says.

setup() { load helper; }

# order [FILE]: a word for each record behind the attributes: its time; R for a round; the name
# of its type where it has no time
order() {
	records "$@" | awk '$2 == "HEADER_ATTR" { next }
		$2 == "FINISHED_ROUND" { $5 = "R" }
		$5 == "-" || $5 == 0 { $5 = $2 }
		{ printf "%s%s", blank, $5; blank = " " }'
}

# sorted: a stream in the language of build.pl on standard input; the order it comes out in
sorted() {
	{ echo header; echo attr; cat; } | build >in
	pp-sort -i in -o out 2>err
	order out
}

# times WORD...: a sample for each number, a round for each R
times() {
	local word
	for word; do
		if [ "$word" = R ]; then
			echo round
		else
			echo "sample time=$word"
		fi
	done
}

# busy ROUNDS: CPUs one after the other, each round a little behind the one before, so that all
# of it is out of order but nothing is late
busy() {
	echo header
	echo attr
	echo "repeat $1 {"
	for cpu in 0 1 2; do
		for n in 0 1 2 3 4; do
			echo "sample cpu=$cpu ip=0x1000 time=\$(1000+i*100+$n*20+$cpu*7)"
		done
		# as the kernel writes them: a little behind the sample before
		echo "mmap2 pid=7 start=0x1000 len=0x1000 file=/lib/c time=\$(1000+i*100+$cpu*7+75)"
	done
	echo round
	echo "}"
}

# ---- the order

@test "records are let go by rounds as perf lets them go, late ones as soon as can be" {
	run -0 sorted < <(times 10 20 R 15 30 R 5 R 40 R 41 R)
	[ "$output" = "10 15 20 R 5 30 R R 40 R 41 R" ]
}

@test "late records are counted on standard error, with the largest delay" {
	sorted < <(times 100 200 R 150 300 R 50 60 R 400 R 410 R)
	run -0 cat err
	assert_output --partial "2 records came after later ones had been let go"
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

# ---- bounds

@test "a long stream with rounds is held for two of them only" {
	busy 500 | build >in
	run -0 bash -c 'pp-sort -v -i in -o out'
	held=$(sed -n 's/.*at most \([0-9]*\) bytes.*/\1/p' <<<"$output")
	[ "$held" -gt 0 ]
	[ "$held" -lt 20000 ]
}

@test "-S bounds what is held where no round comes, and says so" {
	build >in <<-'END'
		header
		attr
		repeat 2000 {
		sample time=$(100000+i*10-i%7*25)
		}
	END
	run -0 bash -c 'pp-sort -v -S 20k -i in -o out'
	assert_output --partial "more than may be held came without a round"
	refute_output --partial "came after later ones"
	held=$(sed -n 's/.*at most \([0-9]*\) bytes.*/\1/p' <<<"$output")
	[ "$held" -lt 21000 ]
	pp-sort --check -i out
}

@test "what -S lets go too early is counted, and still there" {
	build >in <<-'END'
		header
		attr
		repeat 1000 {
		sample time=$(100000+i)
		}
		repeat 10 {
		sample time=$(50000+i)
		}
	END
	run -0 bash -c 'pp-sort -S 10k -i in -o out'
	assert_output --partial "10 records came after later ones had been let go"
	[ "$(records out | grep -c SAMPLE)" -eq 1010 ]
}

@test "-S of one byte still writes every record" {
	busy 3 | build >in
	run -0 bash -c 'pp-sort -q -S 1 -i in | wc -c'
	[ "$output" -eq "$(wc -c <in)" ]
}

@test "-S 0 is misuse" {
	run -2 --separate-stderr pp-sort -S 0 -i /dev/null
	[[ $stderr == *"--size"* ]]
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
	[[ $stderr == *"cannot hold a tail in a file in $PWD/nowhere"* ]]
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

# ---- --check

@test "--check is 0 for a stream in order, and says nothing" {
	times 1 2 2 R 3 R | { echo header; echo attr; cat; } | build >in
	run -0 pp-sort --check -i in
	[ -z "$output" ]
}

@test "--check is 1 where one is out of order, and tells where" {
	times 5 9 R 7 R 6 R | { echo header; echo attr; cat; } | build >in
	run -1 --separate-stderr pp-sort --check -i in
	[ -z "$output" ]
	[[ $stderr == "pp-sort: in: record 4 at byte "*" (SAMPLE): its time 0.000000007 is before 0.000000009 of record 2" ]]
}

@test "--check -v reads to the end and counts" {
	times 5 9 R 7 R 6 R | { echo header; echo attr; cat; } | build >in
	run -1 pp-sort --check -v -i in
	assert_output --partial "2 records stand behind later ones, by up to 0.000000003 s"
}

@test "--check -q says nothing" {
	times 2 1 | { echo header; echo attr; cat; } | build >in
	run -1 pp-sort --check -q -i in
	[ -z "$output" ]
}

@test "--check of a damaged stream is 3" {
	times 1 2 3 | { echo header; echo attr; cat; } | build | head -c -5 >in
	run -3 pp-sort --check -i in
	assert_output --partial "the stream ends inside a record"
}

@test "--check with --output is misuse" {
	run -2 pp-sort --check -o out -i /dev/null
	[ ! -e out ]
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

# ---- perf's word for it

@test "perf script shows a sorted recording as it shows the recording" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	pp-sort -i in -o out 2>err
	perf_quiet script -i in -F tid,time,event,ip >before
	perf_quiet script -i out -F tid,time,event,ip >after
	[ -s before ]
	# where a record was late perf gets it late from the original, but not from what we wrote
	if [ -s err ]; then
		sort -o before before
		sort -o after after
	fi
	same_bytes before after
	[ -s err ] || pp-sort --check -i out
}

@test "perf script shows sorted tracepoints of all CPUs as it shows the recording" {
	need_tracepoints
	need_system_wide
	perf_quiet record -a -o - -e sched:sched_switch -e syscalls:sys_enter_openat -- "${CALLS[@]}" >in
	pp-sort -i in -o out 2>err
	perf_quiet script -i in -F tid,cpu,time,event,trace >before
	perf_quiet script -i out -F tid,cpu,time,event,trace >after
	[ -s before ]
	if [ -s err ]; then
		sort -o before before
		sort -o after after
	fi
	same_bytes before after
}

@test "perf script shows sorted streams of the corpus in the order it was told" {
	need_perf
	corpus perf-6.1
	for file in "$CORPUS"/perf-6.1/*.pipe.data "$CORPUS"/perf-6.1/*.pipe; do
		[ -f "$file" ] || continue
		echo "$file"
		pp-sort -q -i "$file" -o out || continue
		perf script -i "$file" -F tid,time,event 2>err-before >before || continue
		perf script -i out -F tid,time,event 2>err-after >after
		same_bytes before after
	done
}
