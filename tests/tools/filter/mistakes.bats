# mistakes.bats - pp-filter: expressions that are wrong, and the place and reason that it shows.

setup() {
	load ../../helper
	load filter
}

# refused EXPRESSION MESSAGE COLUMN: exit 2, one line of message, the expression, and a caret
# below its byte COLUMN
refused() {
	echo "$1"
	run -2 --separate-stderr pp-filter -i in.pipe "$1"
	# shellcheck disable=SC2154
	printf '%s\n' "$stderr"
	[ -z "$output" ]
	[ "$stderr" = "pp-filter: $2
  $1
  $(printf '%*s' "$3" '')^" ]
}

@test "a wrong expression is exit 2, one line, and a caret under the place" {
	small >in.pipe
	refused 'cpu = 0' "'=' is not an operator; use '=='" 4
	refused 'cpu == 0 & pid == 1' "'&' joins numbers; '&&' joins comparisons" 9
	refused 'cpu == 0 &&' 'a field is missing' 11
	refused '(cpu == 1' "')' is missing" 9
	refused 'cpu == 1)' "'&&' or '||' is expected here, not ')'" 8
	refused 'cpu == 1 pid == 2' "'&&' or '||' is expected here, not 'pid'" 9
	refused 'cpu' 'an operator, such as ==, is missing' 3
	refused '5 == cpu' "a field is expected here, not '5'" 0
	refused 'cpu in {}' "a number is expected here, not '}'" 8
	refused 'cpu in 3' "'{' is expected here, not '3'" 7
	refused 'cpu in {3..1}' 'the range ends before it begins' 8
	refused 'cpu == 0 || $x' "'\$' has no meaning here" 12
	refused 'pidd == 1' "no field is called 'pidd'; did you mean pid, tid, id?" 0
}

@test "types are checked before anything is read" {
	small >in.pipe
	refused 'comm == nginx' 'a string is written in quotes: "nginx"' 8
	refused 'comm == 5' "a string is expected here, not '5'" 8
	refused 'comm < "a"' "'comm' is text: it compares with == != =~ !~ ~ and in" 5
	refused 'pid == "a"' "a number is expected here, not '\"a\"'" 7
	refused 'pid =~ "1"' "'pid' is a number: patterns are for text" 4
	refused 'pid == 5s' "'pid' has no unit" 7
	refused 'pid == +5' 'only a time can count from the first sample' 7
	refused 'ip == -1' "'ip' is never negative" 6
	refused 'pid == 99999999999' "'pid' has 32 bits" 7
	refused 'ip == 18446744073709551616' 'the number does not fit in 64 bits' 6
	refused 'time > 99999999999s' 'the number does not fit in 64 bits' 7
	refused 'time > 12.5' 'a number with a point needs a unit: s, ms or us' 7
	refused 'time > 1.0000000001s' 'a time is not finer than a nanosecond' 18
	refused 'time > 5m' 'not part of a number; units are s, ms, us, ns, K, M and G' 8
	refused 'time in {+1s..2s}' 'both ends of a range count from the same point' 9
	refused 'type == "SAMPEL"' "no record type is called 'SAMPEL'" 8
	refused 'comm =~ "a(b"' 'not a regular expression: a ( is not closed' 8
	refused 'comm =~ "a[b"' 'not a regular expression: a [ is not closed' 8
	refused 'comm =~ "a|*"' 'not a regular expression: there is nothing to repeat' 8
	refused 'comm =~ "a{2,1}"' 'not a regular expression: a { } is not a number of times' 8
	refused 'comm =~ "(a)\1"' 'not a regular expression: it refers back to a group' 8
	refused 'comm =~ "((a{200}){200}){200}"' 'not a regular expression: it is too large' 8
	refused 'comm == "a\.b"' 'only a pattern has this escape; a backslash is \\' 10
	refused 'comm == "x' 'the string has no end' 8
}

@test "the caret counts characters, not bytes, and the expression stays on its line" {
	small >in.pipe
	run -2 --separate-stderr pp-filter -i in.pipe $'comm == "\xc3\xbc" &&\n cpu = 1'
	[ "$stderr" = $'pp-filter: \'=\' is not an operator; use \'==\'\n  comm == "\xc3\xbc" &&  cpu = 1\n                      ^' ]
}

@test "an empty expression is misuse, and so is a second operand" {
	small >in.pipe
	run -2 pp-filter -i in.pipe ''
	run -2 pp-filter -i in.pipe 'cpu == 1' 'cpu == 2'
}

@test "nesting and length have bounds that are said" {
	small >in.pipe
	deep=$(printf '(%.0s' {1..300})
	run -2 --separate-stderr pp-filter -i in.pipe "${deep}pid == 7${deep//(/)}"
	[ "${stderr_lines[0]}" = 'pp-filter: nested more than 200 deep' ]
	many=$(printf 'pid == 7 && %.0s' {1..5000})
	run -2 --separate-stderr pp-filter -i in.pipe "${many}pid == 7"
	[ "${stderr_lines[0]}" = 'pp-filter: more than 4096 comparisons' ]
	many=$(printf 'pid == %d || ' {1000..5000})
	[ "$(kept "${many}pid == 9")" = 3000 ]
	many=$(printf '%d,' {1000..15000})
	[ "$(kept "pid in {${many}9}")" = 3000 ]
}

@test "no output is touched by a wrong expression" {
	small >in.pipe
	echo before >out.pipe
	run -2 pp-filter -i in.pipe -o out.pipe 'cpu ='
	[ "$(cat out.pipe)" = before ]
}

@test "unknown names are refused with those that are nearest" {
	small >in.pipe
	refused 'phys_adr == 1' "no field is called 'phys_adr'; did you mean phys_addr?" 0
	refused 'pid == 1 && data_src.lvl == 1' "no field is called 'data_src.lvl'; did you mean data_src, data_src.mem_lvl?" 12
	refused 'cgruop == 1' "no field is called 'cgruop'; did you mean cgroup?" 0
	refused 'xyzzy == 1' "no field is called 'xyzzy'; --fields lists all" 0
	refused 'ip == adr' "no field is called 'adr'; did you mean addr?" 6
	refused 'callchain[x] == 1' "'[' has no meaning here" 9
}

@test "fields are used as what they are" {
	small >in.pipe
	refused 'callchain == 1' "'callchain' has several values: use any(callchain), or select one with [0]" 0
	refused 'any(ip) == 1' "'ip' has one value, so any() is not needed" 4
	refused 'any(callchain) + 1 == 1' "an operator, such as ==, is expected here, not '+'" 15
	refused '1 + any(callchain) == 1' 'any() cannot be computed with' 4
	refused 'raw == 1' "'raw' is not a number; only defined() accepts it" 0
	refused 'branch_stack == 1' "'branch_stack' is not a number; only defined() accepts it" 0
	refused 'comm + 1 == 2' "an operator, such as ==, is expected here, not '+'" 5
	refused 'ip + comm == 2' "'comm' is text, not a number" 5
	refused 'ip ~ "1"' "'ip' is a number: patterns are for text" 3
	refused 'ip + 1 ~ "1"' 'a computed value is a number: patterns are for text' 7
	refused '1 + 2 == 3' "a field is expected here, not '1'" 0
	refused 'time == 5 + +5s' 'a time from the first sample cannot be computed with' 12
	refused 'mode == usr' "no mode is called 'usr'; there are user, kernel, guest, guest_user and hypervisor" 8
	refused 'type == SAMPEL' "no record type is called 'SAMPEL'" 8
	refused 'defined(ip' "')' is missing" 10
	refused 'defined(5)' "a field is expected here, not '5'" 8
	refused 'time > 5M' 'units of time are s, ms, us and ns' 7
	refused 'ip | 1 == 2 | 4 == 4' "'|' joins numbers; '||' joins comparisons" 12
	refused '(ip & 0xfff == 3' "')' is missing" 16
	long=$(printf 'ip + %.0s' {1..99})
	run -2 --separate-stderr pp-filter -i in.pipe "${long}1 > 0"
	[ "${stderr_lines[0]}" = 'pp-filter: more than 64 parts on one side' ]
}

# bats test_tags=T3-C9
@test "an expression after its file is said to come first" {
	small >in.pipe
	run -2 pp-filter in.pipe 'comm == "perl"'
	assert_line --index 0 "pp-filter: the expression comes first, then the file: pp-filter 'comm == \"perl\"' in.pipe"
	run -2 pp-filter nowhere 'pid == 1'
	assert_line --index 0 --partial 'the expression comes first'
	run -4 pp-filter 'pid == 1' nowhere
	assert_output --partial 'nowhere: cannot open'
	run -2 pp-filter 'pid =' nowhere
	assert_line --index 0 --partial "'=' is not an operator"
	pp-filter in.pipe >out.pipe
	same_bytes in.pipe out.pipe
}
