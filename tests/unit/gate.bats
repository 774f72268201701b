#!/usr/bin/env bats
# gate.bats - verdicts of libpipe/gate on numbers that are made up, and the arithmetic that they are made of.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "what became worse, better, or stayed the same is told from what is not known" {
	unit gate
}

# bats test_tags=nightly
@test "without a difference few comparisons say worse, a tenth more of a tenth is found, intervals hold" {
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
