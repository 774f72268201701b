# run.bats - what run.sh makes of tests that fail.

# Bats cannot run within itself: in its place stands a shell, whose files say of their one test what bats would.
setup() {
	load ../helper
	mkdir bin
	printf '#!/bin/sh\nfor file; do :; done\nexec sh "$file"\n' >bin/bats
	chmod +x bin/bats
	PATH=$PWD/bin:$PATH
	file steady "true"
	file chance "[ -d '$PWD/seen' ] || { mkdir '$PWD/seen'; false; }"
	file wrong "false"
}

# file NAME COMMAND: the test holds if the command does
file() { printf 'echo 1..1; if %s; then echo "ok 1 %s"; else echo "not ok 1 %s"; echo "# oh"; exit 1; fi\n' \
	"$2" "$1" "$1" >"$1.bats"; }

tests() { run env "${vars[@]}" "$TESTS/run.sh" "${@/#/$PWD/}"; }

@test "a test that fails makes the run fail, if nothing else is asked for" {
	vars=(AGAIN=0)
	tests steady.bats chance.bats
	assert_failure 1
	assert_line "1 passed, 1 failed"
	assert_line "FAILED  $PWD/chance.bats: chance"
}

@test "with AGAIN, what passes the second time, alone, is called unsteady, and what it said is shown" {
	vars=(AGAIN=1)
	tests steady.bats chance.bats
	assert_success
	assert_line "2 passed, 0 failed"
	assert_line "UNSTEADY  $PWD/chance.bats: chance"
	assert_line "    # oh"
}

@test "with AGAIN, what fails twice has failed, and so have three files that fail" {
	vars=(AGAIN=1)
	tests steady.bats wrong.bats
	assert_failure 1
	assert_line "1 passed, 1 failed"
	cp wrong.bats wrong2.bats
	tests chance.bats wrong.bats wrong2.bats
	assert_failure 1
	assert_line "0 passed, 3 failed"
	refute_output --partial "once more"
}

@test "a process that a test leaves running fails its file, and is ended" {
	file leaves "sleep 321 & echo \$! >'$PWD/pid'"
	vars=(AGAIN=0)
	tests steady.bats leaves.bats
	assert_failure 1
	assert_line "FAILED  $PWD/leaves.bats: its tests left processes running"
	assert_line --regexp "^    $(cat pid) sleep 321 *$"
	assert_line "2 passed, 1 failed"
	# it has ended, even if nobody took its status yet
	run ! grep -q sleep "/proc/$(cat pid)/cmdline"
}

@test "what the machine lacks is said once, with the number of tests that it stops" {
	for name in one two; do
		printf 'echo 1..1; echo "ok 1 %s in 9ms # skip no moon here"\n' $name >$name.bats
	done
	vars=(AGAIN=0)
	tests steady.bats one.bats two.bats
	assert_success
	[ "$(grep -c 'no moon here' <<<"$output")" -eq 1 ]
	assert_line "    2: no moon here"
	assert_line "1 passed, 0 failed, 2 skipped"
}

@test "after LIMIT seconds no file is started, and those that did not run are named" {
	printf 'sleep 1\n' | cat - steady.bats >slow.bats
	vars=(JOBS=1 LIMIT=1)
	tests slow.bats steady.bats
	assert_success
	assert_line "left to make nightly, as 1 s were over: 1 of 2 files:"
	assert_line "    $PWD/steady.bats"
	assert_line "1 passed, 0 failed"
	vars=(JOBS=1 LIMIT=0)
	tests steady.bats
	assert_failure 1
	assert_line "0 passed, 0 failed"
	vars=(JOBS=1 LIMIT=300)
	tests slow.bats steady.bats
	assert_line "2 passed, 0 failed"
	refute_output --partial "left to make nightly"
}

# bats test_tags=T3-E2
@test "recordings that only the authors have are said in one line, whichever they are" {
	for name in 'corpus at $CORPUS' 'perf-6.1/a in $CORPUS' 'late.pipe in $FOUND'; do
		printf 'echo 1..1; echo '\''ok 1 one in 9ms # skip no %s'\''\n' "$name" >"only-${name//[^a-z]/}.bats"
	done
	vars=(AGAIN=0)
	tests steady.bats only-*.bats
	assert_success
	[ "$(grep -c -e CORPUS -e FOUND <<<"$output")" -eq 1 ]
	assert_line '    3: recordings that are not in this repository ($CORPUS, $FOUND)'
}

@test "TIER=short has bats leave out what is nightly, TIER=all nothing, and no other tier is known" {
	printf '#!/bin/sh\nfor file; do :; done\necho "$*" >"%s/asked"\nexec sh "$file"\n' "$PWD" >bin/bats
	vars=(TIER=short)
	tests steady.bats
	assert_success
	grep -qF -e '--filter-tags !nightly' asked
	vars=(TIER=all)
	tests steady.bats
	assert_success
	run ! grep -q nightly asked
	vars=(TIER=long)
	tests steady.bats
	assert_failure 2
	assert_line "run.sh: TIER is short or all, not long"
}
