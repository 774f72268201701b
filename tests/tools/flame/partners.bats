# partners.bats - what stacks begin with on the two sides of a difference: programs that were renamed are compared with
# each other, and what has no partner is said.

setup() {
	load ../../helper
	load ../names
	load ../fold/fold
	printf '%s\n' 'app;main;a 70' 'app;main;b 10' 'sh;x 20' >before
	printf '%s\n' 'app-v2;main;a 60' 'app-v2;main;c 30' 'perl;y 10' >after
}

# facts FILE: its line of facts, with plain blanks
facts() { sed -nE 's/.*(<p id="facts">|<text x="8" y="36">)([^\n]*)<\/(p|text)>.*/\2/p' "$1" | head -n 1 | sed -e 's/<[^>]*>//g' -e 's/\xe2\x80\xaf/ /g'; }
data() { perl "$TESTS/browser/page.pl" "$@"; }

# differs STDERR FACTS OPTIONS...: of before and after
differs() {
	local say=$1 say_facts=$2
	shift 2
	run -0 --separate-stderr pp-flame "$@" --diff before -o out after
	assert_equal "$stderr" "$say"
	assert_equal "$(facts out)" "100 samples before, 100 after · compared as shares of each$say_facts"
}

@test "flame: a program that was renamed is compared with what it was, and what has no partner is named" {
	differs 'pp-flame: app-v2 is compared with app' \
		' · app-v2 is compared with app; only before: sh 20.0 %; only after: perl 10.0 %'
	diff <(data out) - <<-'END'
		app-v2;main;a 70
		app-v2;main;b 10
		sh;x 20
	END
	differs 'pp-flame: app-v2 is compared with app' \
		' · app-v2 is compared with app; only before: sh 20.0 %; only after: perl 10.0 %' --svg
	grep -q '<title>main: 80 to 90 samples' out
	differs '' ' · only before: app 80.0 %, sh 20.0 %; only after: app-v2 90.0 %, perl 10.0 %' --no-map
}

@test "flame: programs are not joined where it is not clear that they are one" {
	# on both sides
	echo 'app-v2;main 1' >>before
	run -0 --separate-stderr pp-flame --diff before -o out after
	refute [ "$stderr" ]
	assert_equal "$(facts out)" '101 samples before, 100 after · 0.99 % less · compared as shares of each · only before: app 79.2 %, sh 19.8 %; only after: perl 10.0 %'
	# none has more than half
	printf '%s\n' 'a 50' 'b 50' >before
	printf '%s\n' 'c 60' 'd 40' >after
	differs '' ' · only before: a 50.0 %, b 50.0 %; only after: c 60.0 %, d 40.0 %'
	# no more than three of a side are named
	printf '%s\n' 'a 20' 'b 20' 'c 20' 'd 20' 'e 15' 'f 5' >before
	printf '%s\n' 'g 4' 'b 48' 'c 48' >after
	differs '' ' · only before: a 20.0 %, d 20.0 %, e 15.0 %'
	printf '%s\n' 'b 50' 'f 50' >after
	differs '' ' · only before: a 20.0 %, c 20.0 %, d 20.0 % and 1 more'
}

@test "flame: from ten times on a difference is said as times, as per cent have many digits there" {
	echo 'a 50' >before
	local after text
	while read -r after text; do
		echo "a $after" >after
		pp-flame --diff before -o out after
		assert_equal "$(facts out)" "50 samples before, $after after · $text · compared as shares of each"
	done <<-END
		499 898.0 % more
		500 10 times as much
		999 19 times as much
		5 90.0 % less
	END
}

@test "flame: --map says what is compared, --no-comm leaves out what stacks begin with" {
	differs $'pp-flame: app-v2 is compared with app\npp-flame: perl is compared with sh' \
		' · app-v2 is compared with app; perl is compared with sh' --map app=app-v2 --map sh=perl
	differs 'pp-flame: --map sh=python: no stack begins with python' \
		' · only before: app 80.0 %, sh 20.0 %; only after: app-v2 90.0 %, perl 10.0 %' --map sh=python
	pp-flame --svg --map app=other before | grep -o '<title>other: 80' >got
	differs 'pp-flame: --map nothing=app: no stack begins with nothing' \
		' · only before: app 80.0 %, sh 20.0 %; only after: app-v2 90.0 %, perl 10.0 %' --map nothing=app
	differs '' '' --no-comm
	diff <(data out) - <<-'END'
		main;a 70
		main;b 10
		x 20
	END
	pp-flame --svg --no-comm before | grep -o '<title>[^:<]*' >got
	printf '<title>%s\n' all main a b x | diff got -
}

@test "flame: programs of streams are joined, too, and those of one stream can be left out" {
	{ head_of && echo 'sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000010' && echo round; } | build >one
	{ head_of && echo 'sample id=1 pid=8 tid=8 time=10 period=4 callchain=-128,0xffffffff81000010' && echo round; } | build >two
	run -0 --separate-stderr pp-flame --diff one -o out two
	assert_equal "$stderr" 'pp-flame: eight_up is compared with seven'
	assert_equal "$(data out)" 'eight_up;outer 3'
	run -0 --separate-stderr pp-flame --diff one -o out --pid two
	assert_equal "$stderr" 'pp-flame: eight_up-8 is compared with seven-7'
	assert_equal "$(data out)" 'eight_up;outer 3'
	pp-flame --diff one -o out --no-comm two
	assert_equal "$(data out)" 'any program;outer 3'
	pp-flame -q --svg --no-comm one | grep -o '<title>[^:<]*' >got
	printf '<title>%s\n' all outer | diff got -
}

@test "flame: options on what stacks begin with are refused where they say nothing" {
	run -2 --separate-stderr pp-flame --no-comm --map a=b --diff before after
	assert_equal "${stderr_lines[0]}" 'pp-flame: --no-comm leaves nothing for --map to compare'
	run -2 --separate-stderr pp-flame --no-comm --reverse --svg before
	assert_equal "${stderr_lines[0]}" 'pp-flame: --no-comm is about what stacks begin with: not with --reverse --svg'
	run -2 --separate-stderr pp-flame --map a=b --chart --svg before
	assert_equal "${stderr_lines[0]}" 'pp-flame: --map is about what stacks begin with: not with --chart'
	run -2 --separate-stderr pp-flame --map a= before
	assert_equal "${stderr_lines[0]}" "pp-flame: --map: 'a=' is not OLD=NEW"
	{ head_of && echo round; } | build >one
	run -2 --separate-stderr pp-flame --no-comm one
	assert_equal "${stderr_lines[0]}" 'pp-flame: --no-comm is for --diff, --svg and text: a page of one stream groups by program where that is asked for'
}
