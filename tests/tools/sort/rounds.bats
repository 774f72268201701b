# rounds.bats - pp-sort: whether a stream keeps the promise of its rounds (--check), and new rounds
# (--rounds).

setup() {
	load ../../helper
	load sort
}

# ---- --check

@test "--check is 0 for a stream in order, and says nothing" {
	times 1 2 2 R 3 R | { echo header; echo attr; cat; } | build >in
	run -0 pp-sort --check -i in
	[ -z "$output" ]
}

@test "--check is 1 where one is out of order, names the first and counts all of them" {
	times 5 9 R 7 R 6 R | { echo header; echo attr; cat; } | build >in
	run -1 --separate-stderr pp-sort --check -i in
	[ -z "$output" ]
	[[ ${stderr_lines[0]} == "pp-sort: in: record 4 at byte "*" (SAMPLE): its time 0.000000007 is before 0.000000009 of record 2" ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[1]} == *"2 records come after later ones, by up to 0.000000003 s"* ]]
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
	sound out
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
