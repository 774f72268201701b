# live.bats - pp-thin --live: what becomes of a stream whose reader is slow.  Each reader here waits until all
# of the input was taken, which it never would be if the stage waited for the reader.

setup() {
	load ../../helper
	mkfifo feed
}

# feed FILE: writes it to the stage, and makes `fed` when it was taken
feed() {
	cat "$1" >feed
	touch fed
}

# await FILE: until it is there, a minute at most
await() {
	local n
	for ((n = 0; n < 1200; n++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

# live FILE OPTION...: `out`, of a reader that begins when all was taken, and what is said, in `said`
live() {
	local input=$1
	shift
	rm -f fed
	feed "$input" &
	timeout 60 pp-thin --live "$@" <feed 2>said | { await fed; cat; } >out
	wait
}

# many OPTION...: more than a pipe and what may wait hold
many() { pp-gen --seed 3 --samples 30000 --callchain 40 --events 2 --pids 30 --forks 9 --exits 9 --comms 40 "$@"; }

# lost FILE: of each event, how many samples it has and how many its records say were lost
lost() {
	pp-dump "$1" | awk '
		$2 == "SAMPLE" { n[$4 " " $2]++ }
		$2 == "LOST_SAMPLES" { name = $4 " " $2; sub(/.* lost=/, ""); n[name] += $1 }
		END { for (i in n) print i, n[i] }' | sort
}

# besides FILE: all that is not samples, seals or lost
besides() { pp-dump --json "$1" | grep -vE '"type":"(SAMPLE|LOST_SAMPLES|FINISHED_ROUND)"|"schema"' | jq -c .fields; }

@test "samples go while the reader waits, each is counted, and nothing else goes" {
	many | pp-cat --seal -o in
	live in
	sound out
	pp-dump out | tail -n 1 | grep -q 'FINISHED_ROUND .* size=48 '
	lost out >got
	awk '{ n[$1] += $3; some += $2 != "SAMPLE" } END { for (i in n) print i, n[i]; exit !some }' got | sort >sums
	lost in | awk '{ print $1, $3 }' | diff - sums
	diff <(besides in) <(besides out)
	gone=$(awk '$2 != "SAMPLE" { n += $3 } END { print n }' got)
	[ "$(cat said)" = "pp-thin: standard input: $gone of 30000 samples lost here, since the output was read too slowly" ]
}

@test "losses are said in the round in which they were, and rounds keep their promise" {
	many >in
	live in
	pp-check -q out
	pp-sort -q -o sorted out 2>said
	[ ! -s said ]
	# as many rounds as there were, but for that of the note
	[ "$(pp-dump out | grep -c FINISHED_ROUND)" -eq $(($(pp-dump in | grep -c FINISHED_ROUND) + 1)) ]
	json out | jq -r 'select(.type == "LOST_SAMPLES") | .fields.sample_id | .time > 0 and .pid > 0' | sort -u >got
	[ "$(cat got)" = true ]
}

@test "with another rule, what is lost here is no part of its totals" {
	many >in
	live in --every 3
	sound out
	json out | jq -r 'select(.type == "SAMPLE").event' | wc -l >kept
	gone=$(json out | jq -r 'select(.type == "LOST_SAMPLES").fields.lost' | awk '{ n += $1 } END { print n + 0 }')
	[ $((3 * $(cat kept) + gone)) -le 30000 ]
	[ $((3 * $(cat kept) + gone)) -ge $((30000 - 8)) ]
}

@test "what waits is written while the input is quiet" {
	many >in
	{
		cat in
		touch fed
		await got
	} >feed &
	timeout 60 pp-thin -q --live <feed | { await fed; head -c 4000000 >part; touch got; cat; } >rest
	wait
	[ "$(wc -c <part)" -eq 4000000 ]
	cat part rest >out
	sound out
}

@test "a file, and a reader that is fast enough, get all" {
	pp-gen --seed 4 --samples 20000 --pids 9 | pp-cat --seal -o in
	pp-thin --live in -o out
	diff <(besides in) <(besides out)
	[ "$(records -s out | wc -l)" -eq 20000 ]
	pp-thin --live in | cat | same_bytes out -
	pp-info --json out | grep -q '"live"'
	pp-thin --live --drop addr in | pp-info --json - | grep -q 'drop addr, live'
}

@test "an input that is cut, and an output that is full, are said as ever" {
	many | pp-cat --seal | head -c 3000000 >cut
	rm -f fed
	feed cut &
	run -3 --separate-stderr pp-thin --live -o out feed
	wait
	[ "$(records -s out | wc -l)" -gt 1000 ]
	run -4 --separate-stderr pp-thin --live cut -o /dev/full
	run bash -c 'pp-thin --live cut | head -c 10; echo ${PIPESTATUS[0]} >&2' 2>&1
	[[ $output == *141* ]]
}
