# mapped.bats - each fault of a list of faults has a test that shows it: what mapped.pl is asked.

setup() { load ../helper; }

mapped() { perl "$TESTS/house/mapped.pl" "$@"; }

list() {
	cat <<-'END'
		# Faults
		1. not in a part
		## A. First
		1. **One.** Words
		   1. no item
		2. two
		## B. Second
		| case | today |
		| --- | --- |
		| one | 1 |
		| two | 2 |
		## C. Third
		Words.
		| now | better |
		| --- | --- |
		| no | row |
	END
}

# bats_file: what would be taken for tests and tags of this file
bats_file() { sed 's/^%tags/# bats test_tags/; s/^%test/@test/'; }

@test "items, rows of cases and whole parts are faults, and each has its tests" {
	list >list.md
	bats_file >one.bats <<-'END'
		%tags=fault:A1,fault:B2
		%test "one" { true; }
		%tags=slow,fault:A2
		%test "two" { true; }
	END
	bats_file >two.bats <<-'END'
		%tags=fault:B1
		%test "three" { true; }
		%tags=fault:C
		%test "four" { true; }
	END
	run -0 mapped list.md one.bats two.bats
	[ "${lines[*]}" = "A1	one.bats: one A2	one.bats: two B1	two.bats: three B2	one.bats: one C	two.bats: four 5 faults, 0 without a test" ]
}

@test "a fault without a test fails, and so does a tag without a fault or a test" {
	list >list.md
	bats_file >one.bats <<-'END'
		%tags=fault:A1,fault:A3
		%test "one" { true; }
		%tags=fault:A2

		%test "two" { true; }
	END
	run -1 mapped list.md one.bats
	[ "${lines[1]}" = "no test shows A2" ]
	[[ "$output" == *"no test shows B1"*"no test shows B2"*"no test shows C"* ]]
	[[ "$output" == *"one.bats: one: no fault is called A3"* ]]
	[[ "$output" == *"one.bats: line 3: a tag that stands above no test"* ]]
	[ "${lines[-1]}" = "5 faults, 4 without a test" ]
	: >empty.md
	run -255 --separate-stderr mapped empty.md one.bats
	[ "$stderr" = "mapped.pl: no fault in empty.md" ]
}

@test "each fault that was found has a test" {
	FAULTS=${FAULTS:-$ROOT/../shared/faults.md}
	[ -f "$FAULTS" ] || skip "no list of faults at \$FAULTS"
	run -0 mapped "$FAULTS" "$TESTS"/*/*.bats "$TESTS"/*/*/*.bats
	[[ "${lines[-1]}" == *" faults, 0 without a test" ]]
}
