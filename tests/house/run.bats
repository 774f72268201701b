# run.bats - what run.sh makes of tests that fail.

# Bats cannot run within itself: in its place stands a shell, whose files say of their one test what bats would.
setup() {
	load ../helper
	mkdir bin
	printf '#!/bin/sh\nexec sh "$3"\n' >bin/bats
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
