#!/usr/bin/env bats
# gate.bats - verdicts of libpipe/gate on numbers that are made up, and the arithmetic that they are made of.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "verdicts are worse, better and the same where that is known, and unknown where it is not" {
	unit gate
}

# bats test_tags=nightly
@test "few comparisons of the same say worse, most find a function that takes a tenth more; intervals hold" {
	unit gate simulate
}

# bats test_tags=nightly
@test "Student's distribution, digamma, trigamma and moderated variances are those of scipy" {
	/usr/bin/python3 -c 'import scipy' || skip "scipy is not installed"
	unit gate
	run -0 ./gate numbers
	run -0 /usr/bin/python3 "$TESTS/unit/gate.py" <<<"$output"
	refute_output
}
