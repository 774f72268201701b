# mapped.bats - each fault of a list of faults has a test that shows it: what mapped.pl is asked.

setup() { load ../helper; }

mapped() { perl "$TESTS/house/mapped.pl" "$@"; }

list() {
	cat <<-'END'
		# Faults (in tests' tags T7-A1, T7-B2 ...)
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
		%tags=T7-A1,T7-B2
		%test "one" { true; }
		%tags=slow,T7-A2
		%test "two" { true; }
	END
	bats_file >two.bats <<-'END'
		%tags=T7-B1
		%test "three" { true; }
		%tags=T7-C
		%test "four" { true; }
	END
	run -0 mapped list.md one.bats two.bats
	[ "${lines[*]}" = "A1	one.bats: one A2	one.bats: two B1	two.bats: three B2	one.bats: one C	two.bats: four 5 faults, 0 without a test" ]
}

@test "a fault without a test fails, and so does a tag without a fault or a test" {
	list >list.md
	bats_file >one.bats <<-'END'
		%tags=T7-A1,T7-A3
		%test "one" { true; }
		%tags=T7-A2

		%test "two" { true; }
	END
	run -1 mapped list.md one.bats
	[ "${lines[1]}" = "no test shows A2" ]
	[[ "$output" == *"no test shows B1"*"no test shows B2"*"no test shows C"* ]]
	[[ "$output" == *"one.bats: one: no fault is called T7-A3"* ]]
	[[ "$output" == *"one.bats: line 3: a tag that stands above no test"* ]]
	[ "${lines[-1]}" = "5 faults, 4 without a test" ]
	: >empty.md
	run -255 --separate-stderr mapped empty.md one.bats
	[ "$stderr" = "mapped.pl: no fault in empty.md" ]
}

@test "a tag of an earlier list stands for no fault of this one" {
	list >list.md
	bats_file >one.bats <<-'END'
		%tags=T6-A1,T7-A2
		%test "one" { true; }
	END
	run -1 mapped list.md one.bats
	[ "${lines[0]}" = "A2	one.bats: one" ]
	[[ "$output" == *"no test shows A1"* ]]
	[[ "$output" == *"one.bats: one: no fault is called T6-A1"* ]]
	run -1 mapped --strays list.md one.bats
	[ "$output" = "one.bats: one: no fault is called T6-A1" ]
	sed -i s/T6-A1/T7-A1/ one.bats
	run -0 mapped --strays list.md one.bats
	[ -z "$output" ]
	sed -i 1d list.md
	run -255 --separate-stderr mapped list.md one.bats
	[ "$stderr" = "mapped.pl: list.md does not name its tags (tags T1-A1)" ]
}

# Which faults have no test yet is the work that is left (make mapped), and no failure.
@test "each tag of a fault names one of the list" {
	FAULTS=${FAULTS:-$ROOT/../shared/faults.md}
	[ -f "$FAULTS" ] || skip "no list of faults at \$FAULTS"
	run -0 mapped --strays "$FAULTS" "$TESTS"/*/*.bats "$TESTS"/*/*/*.bats
	[ -z "$output" ]
}
