# sort.bats - pp-sort: the order of what it writes, what it holds, what it says.

setup() { load ../helper; }

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
	assert_output --partial "too many records came without a round"
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
	assert_output --partial "10 records came after later ones had been released"
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
	[[ ${stderr_lines[0]} == "pp-sort: in: record 4 at byte "*" (SAMPLE): its time 0.000000007 is before 0.000000009 of record 2" ]]
}

@test "--check names the first record out of order and counts all of them" {
	times 5 9 R 7 R 6 R | { echo header; echo attr; cat; } | build >in
	run -1 pp-sort --check -i in
	[ "${#lines[@]}" -eq 2 ]
	assert_output --partial "2 records come after later ones, by up to 0.000000003 s"
}

@test "--check tells how many records are older than rounds allow" {
	times 10 20 R 15 30 R 25 19 R 40 R 29 R | { echo header; echo attr; cat; } | build >in
	run -1 pp-sort --check -i in
	assert_output --partial "4 records come after later ones, by up to 0.000000011 s; 2 of them break the promise of a round"
}

@test "--check with an option that sorts is misuse" {
	for option in --all --by=cpu --rounds=10; do
		run -2 --separate-stderr pp-sort --check $option -i /dev/null
		[[ $stderr == *"--check sorts nothing"* ]]
	done
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

# ---- new rounds

# generated [SHAPE...]: a stream of the shape, made up, all of it out of order
generated() {
	pp-gen --samples 8000 --cpus 3 --disorder 2ms --forks 3 --exits 2 --comms 4 --lost 5 "$@"
}

# bare FILE: its records without rounds, and without their places, as JSON lines
bare() { json "$1" | grep -v '"FINISHED_ROUND"' | sed 's/"offset":[0-9]*,"index":[0-9]*,//'; }

@test "--rounds COUNT writes a round behind so many records with a time, and one at the end" {
	{ echo header; echo attr; times 10 40 R 20 50 R 45 60 R 70 R; } | build >in
	pp-sort --rounds 3 -i in -o out
	[ "$(order out)" = "10 20 40 R 45 50 60 R 70 R" ]
}

@test "--rounds takes away rounds that stand before any time, too" {
	{ echo header; echo attr; echo round; times 10 40 R 20 50 R; } | build >in
	pp-sort --rounds 3 -i in -o out
	[ "$(order out)" = "10 20 40 R 50 R" ]
	pp-sort --rounds 3 --all -i in -o all
	same_bytes out all
}

@test "--rounds TIME writes a round whenever so much time has passed" {
	{ echo header; echo attr; times 1000 1010 1099 R 1100 1150 R 1350 1420 R; } | build >in
	pp-sort --rounds 100ns -i in -o out
	[ "$(order out)" = "1000 1010 1099 R 1100 1150 R 1350 R 1420 R" ]
	pp-sort --rounds 0.1us -i in -o other
	same_bytes out other
}

@test "--rounds changes nothing but rounds, and nothing when done again" {
	generated -o in
	pp-sort -i in -o plain
	pp-sort --rounds 500 -i in -o out
	pp-sort --rounds 500 -i out -o twice
	same_bytes out twice
	bare plain >before
	bare out >after
	same_bytes before after
	[ "$(json out | grep -c FINISHED_ROUND)" -gt "$(json plain | grep -c FINISHED_ROUND)" ]
}

@test "--rounds of a sealed stream writes seals, and notes pass" {
	generated -o sealed
	pp-inject --note host=web7 -i sealed -o in
	pp-sort --rounds 5ms -i in -o out
	pp-check -q out
	grep -aq PPNOTE1.*hostweb7 out
	pp-sort --all --rounds 5ms -i in -o all
	same_bytes out all
}

@test "--rounds takes nothing that is no count and no time" {
	for word in 0 x 3x -1 0ns 0.0 1e3 '' ms; do
		run -2 --separate-stderr pp-sort --rounds="$word" -i /dev/null
		[[ $stderr == *"--rounds"* ]]
	done
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

@test "--all gives the same bytes with little memory, in many runs and several passes" {
	generated --samples 60000 --rounds 0 -o in
	pp-sort --all -i in -o want
	run -0 pp-sort --all -v -S 1 -i in -o out
	[[ $output =~ ([0-9]+)" sorted runs were put aside, "[0-9]+" bytes, and merged in "([0-9]+)" passes" ]]
	[ "${BASH_REMATCH[1]}" -ge 5 ]
	[ "${BASH_REMATCH[2]}" -ge 2 ]
	same_bytes want out
	run -0 pp-sort --all -v -i in -o out
	assert_output --partial " 0 sorted runs were put aside, 0 bytes"
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
	pp-check -q out
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
	pp-check -q sealed
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

# ---- where there is no room

@test "--all with no folder to put records aside in is exit 4, where it has to" {
	generated --samples 20000 -o in
	run -4 --separate-stderr env TMPDIR="$PWD/nowhere" pp-sort --all -S 1 -i in -o out
	[[ $stderr == *"cannot make a file in $PWD/nowhere: No such file"* ]]
	[ ! -e out ]
	TMPDIR=$PWD/nowhere pp-sort --all -i in -o out
}

@test "--all with a full folder is exit 4, and leaves nothing behind" {
	generated --samples 20000 -o in
	mkdir aside
	run -4 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 600 && TMPDIR=$PWD/aside pp-sort --all -S 1 -i in -o out'
	[[ $stderr == *"cannot put records aside in $PWD/aside: "* ]]
	[ ! -e out ]
	[ -z "$(ls -A aside)" ]
	run -1 grep out <(ls -A)
}

@test "--all on a full file system is exit 4, and gives all room back" {
	need_root
	need unshare
	once mount_namespace unshare -m mount -t tmpfs none /mnt || skip "cannot mount here"
	generated --samples 20000 -o in
	mkdir aside
	run -0 unshare -m bash -c '
		mount -t tmpfs -o size=600k none aside
		TMPDIR=$PWD/aside pp-sort --all -S 1 -i in -o out
		echo "exit $?"
		ls -A aside
		df --output=used aside | tail -n 1'
	[[ ${lines[0]} == *"cannot put records aside in $PWD/aside: No space left on device" ]]
	[ "${lines[1]}" = "exit 4" ]
	[ "${lines[2]// /}" = 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[ ! -e out ]
}

@test "--all leaves nothing behind when it is killed" {
	generated --samples 60000 -o in
	mkdir aside
	mkfifo to
	TMPDIR=$PWD/aside pp-sort --all -S 1 <to >out 3>&- &
	victim=$!
	exec 4>to
	cat in >&4
	# all but what fits in a pipe was taken: some of it is in a file
	ls -l "/proc/$victim/fd" | grep -q "$PWD/aside/"
	[ -z "$(ls -A aside)" ]
	kill -9 $victim
	status=0
	wait $victim || status=$?
	exec 4>&-
	[ "$status" -eq 137 ]
	[ -z "$(ls -A aside)" ]
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

# quiet_script FILE: what perf script shows of it; fails where perf finds it out of order
quiet_script() {
	perf_quiet script -i "$1" -F comm,tid,time,event,ip,sym,dso || return
	! grep -i "out of order" perf.err >&2
}

@test "perf script shows what was sorted as a whole, or by CPU, as it shows the stream" {
	need_perf
	pp-gen --samples 3000 --cpus 3 --disorder 1ms --comms 4 --forks 2 -o in
	quiet_script in >before
	[ -s before ]
	pp-sort --all --rounds 100 -i in -o out
	quiet_script out >after
	same_bytes before after
	for by in cpu pid tid; do
		pp-sort --by $by -i in -o out
		quiet_script out >after
		same_bytes before after
	done
}

@test "perf has nothing to say of a stream with broken rounds once it is sorted as a whole" {
	need_perf
	pp-gen --samples 3000 --break-rounds --seed 3 -o in
	perf script -i in >before 2>err
	grep -q "out of order" err
	pp-sort --all --rounds 100 -i in -o out
	quiet_script out >after
	[ -s after ]
}

@test "what perf inject -b and -j wrote comes out with true rounds, and reads the same" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	for how in -b -j; do
		perf inject $how <in >injected 2>err || continue
		pp-sort --all --rounds 10 -i injected -o out
		pp-sort --check -i out
		quiet_script injected >before
		quiet_script out >after
		[ -s before ]
		same_bytes before after
	done
}

@test "perf report says the same of what perf inject -b wrote once it is sorted as a whole" {
	need_perf_events
	perf_quiet record -o - -F 999 -e cpu-clock -- "${WORK[@]}" >in
	perf inject -b <in >injected 2>err || skip "perf inject -b does not read a pipe here"
	pp-sort --all --rounds 10 -i injected -o out
	perf_quiet report --stdio -i injected | grep -v '(Tip:' >before
	perf_quiet report --stdio -i out | grep -v '(Tip:' >after
	run cat perf.err
	refute_output --partial "out of order"
	[ -s before ]
	same_bytes before after
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

@test "perf script shows streams of the corpus that were sorted as a whole as it shows them" {
	need_perf
	corpus perf-6.1
	for file in "$CORPUS"/perf-6.1/{rec,group,stat,tp}.pipe.data "$CORPUS"/perf-6.1/*inject-b.data; do
		echo "$file"
		pp-sort --all -q -i "$file" -o out 2>err || continue
		perf script -i "$file" -F tid,time,event 2>err-before >before || continue
		perf script -i out -F tid,time,event 2>err-after >after
		same_bytes before after
		run cat err-after
		refute_output --partial "out of order"
	done
}
