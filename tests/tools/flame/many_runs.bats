# many_runs.bats - a difference of several recordings of each side: what is noise, by pp-diff's judgement; what is lost.

setup() {
	load ../../helper
	load ../../browser/browser
	load ../names
	INNER="0xffffffff81000110,$K"
}

# recording FILE COMM [MS CHAIN]...: samples of 10 ms, and one of what remains
recording() {
	local file=$1 comm=$2
	shift 2
	{
		head_with CALLCHAIN
		echo "comm pid=7 comm=$comm time=6"
		while [ $# -gt 0 ]; do
			printf '%s\n' "repeat $(($1 / 10)) {" \
				"sample id=1 pid=7 tid=7 time=\$(i*20000000+1000) period=10000000 callchain=-128,$2" '}'
			[ $(($1 % 10)) -eq 0 ] ||
				echo "sample id=1 pid=7 tid=7 time=2000 period=$(($1 % 10))000000 callchain=-128,$2"
			shift 2
		done
		echo round
	} | build >"$file"
}

# sides MORE: five recordings of each side; on the second `inner` weighs so many ms more
sides() {
	local i
	mkdir -p a b
	for i in 1 2 3 4 5; do
		recording "a/$i" seven $((400 + i)) "$K" $((200 + i % 3)) "$INNER"
		recording "b/$i" seven $((402 - i % 2)) "$K" $((200 + $1 + i % 2)) "$INNER"
	done
}

head_of_page() { sed -n '/id="head"/{n;p}' "$1"; }
# fill NAME FILE: the colour of that box of a picture
fill() { sed -nE "s/.*<title>$1: .*<rect .* fill=\"(#[0-9a-f]{6})\".*/\\1/p" "$2" | head -n 1; }

@test "flame: functions of several recordings of each side have the verdicts of pp-diff, and its intervals" {
	local by how i
	sides 20
	for i in 1 2 3 4 5; do
		pp-inject --note side=base --note run=$i a/$i -o x$i.pipe
		pp-inject --note side=new --note run=$i b/$i -o y$i.pipe
	done
	while read -r by how; do
		pp-flame --diff a/* -o page.html --diff-by "$by" -- b/*
		pp-diff --csv --all $how a/* -- b/* | tr -d '\r' |
			awk -F, '$1 == "function" { printf "%s %.4f %.4f %.4f\n", $3, $6, $7, $8 }' | sort >expected
		head_of_page page.html | jq -r '.judged[1][] | "\(.[2]) \(.[3]) \(.[4]) \(.[5])"' |
			awk '{ printf "%s %.4f %.4f %.4f\n", $1, $2, $3, $4 }' | sort >got
		diff expected got
		# sides by notes are the same
		pp-flame --diff x* y* --diff-by "$by" -o noted.html
		same_bytes noted.html page.html
	done <<-'END'
		time --per-second
		count
	END
	[ "$(head_of_page page.html | jq -c '[.runs, .paired]')" = '[[5,5],false]' ]
	# shares are those that are shown
	pp-flame --diff a/* -o page.html -- b/*
	head_of_page page.html | jq -r '.judged[1][] | "\(.[2]) \(100 * .[3] | round)"' >got
	printf '%s\n' 'better -3' 'worse 6' | diff - got
	pp-flame --svg --diff a/* -o out -- b/*
	sed 's/\xe2\x80\xaf/ /g' out | grep -qE '<title>inner: 201 ms to 221 ms, 33.3 % to 35.5 %; \+6\.4 % \(\+[0-9.]+ % to \+[0-9.]+ %\), worse<'
	grep -q '5 recordings before, 5 after' out
}

@test "flame: what is within the noise of runs is grey, also where the number of samples says that it changed" {
	local i
	mkdir -p a b
	for i in 1 2 3 4 5; do
		recording "a/$i" seven 4000 "$K" $((3000 + i * 300)) "$INNER"
		recording "b/$i" seven 4000 "$K" $((4800 - i * 300)) "$INNER"
	done
	pp-flame --svg --diff a/1 -o one b/1
	[ "$(fill inner one)" != '#d9dbdf' ]
	pp-flame --svg --diff a/* -o out -- b/*
	[ "$(fill inner out)" = '#d9dbdf' ]
	# a change that all runs have is not
	for i in 1 2 3 4 5; do recording "b/$i" seven 4000 "$K" $((8000 + i * 300)) "$INNER"; done
	pp-flame --svg --diff a/* -o out -- b/*
	[ "$(fill inner out)" != '#d9dbdf' ]
	# of one recording of a side nothing is known of its noise: the number of samples decides
	pp-flame --diff a/* -o page.html -- b/1
	[ "$(head_of_page page.html | jq -c '[.runs, .judged]')" = '[[5,1],null]' ]
}

@test "page: a frame, a function and a legend say what was judged, and of a part of it whose verdict it is" {
	sides 20
	pp-flame --diff a/* -o page.html -- b/*
	drive page.html <<-END
		eval $(text facts)
		key 2
		eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].slice(0, 7).map(c => c.textContent.replace(/[\\d.]+/g, '#')).join('|'))
		eval document.getElementById('legend').innerText.replace(/\\n/g, '; ')
		key 1
		eval document.getElementById('graph').focus()
		key ArrowDown
		key ArrowDown
		key ArrowDown
		eval $(text status)
		key ArrowUp
		key ArrowUp
		key ArrowUp
		eval document.getElementById('reverse').click(); document.getElementById('graph').focus()
		key ArrowDown
		eval $(text status).replace(/[\\d.]+/g, '#')
		eval location.hash
		eval document.getElementById('times').hidden && document.getElementById('group-label').hidden
	END
	is '"604 ms of CPU time a recording before, 622 ms after · 2.9 % more · compared as shares of each · 5 recordings before, 5 after · over 780 ms before, 780 ms after"' \
		'["# %|# %|+# %|+#|+# to +#|worse|inner","# %|# %|−# %|−#|−# to −#|better|outer","# %|# %|# %|#||light|seven"]' \
		'"more than before; less than before; may be chance; only before 0 %; only after 0 %; judged by 5 and 5 recordings"' null \
		'"inner: 33.3 % before, 35.5 % after (201 ms to 221 ms); +6.4 % (+3.7 % to +9.0 %), worse"' null \
		'"outer: # % before, # % after (# ms to # ms); outer by itself: −# % (−# % to −# %), better"' '"#r=1"' true
}

@test "page: what is only before is hatched, and said in words, in the legend and in the table" {
	recording before seven 300 "$K" 100 "$INNER"
	recording after seven 400 "$K"
	pp-flame --diff before -o page.html after
	drive page.html <<-END
		eval document.getElementById('legend').innerText.replace(/\\n/g, '; ')
		eval document.getElementById('graph').focus()
		key ArrowDown
		key ArrowDown
		eval $(text status)
		key 2
		eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].slice(0, 5).map(c => c.textContent).join('|'))
		noscript
		eval document.querySelector('#picture').innerHTML.includes('stroke-dasharray') && [...document.querySelectorAll('noscript table tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))
	END
	is '"more than before; less than before; may be chance; only before 25.0 %; only after 0 %; one recording of a side: grey may be chance by the number of samples, and another run may differ by more"' \
		null '"inner: 25.0 % before, 0 % after (100 ms to 0 s); only before"' \
		'["75.0 %|100.0 %|+25.0 %|+33|outer","25.0 %|0 %|−25.0 %|gone|inner"]' \
		'["Before|After|Change|Function","75.0 %|100.0 %||outer","25.0 %|0 %|gone|inner"]'
}

@test "flame: programs of several recordings are joined, mapped and left out as those of one are" {
	local i
	mkdir -p a b
	for i in 1 2 3; do
		recording "a/$i" app $((400 + i)) "$K" $((200 + i)) "$INNER"
		recording "b/$i" app-v2 $((402 - i)) "$K" $((230 + i)) "$INNER"
	done
	run -0 --separate-stderr pp-flame --svg --diff a/* -o out -- b/*
	[ "$stderr" = 'pp-flame: app-v2 is compared with app' ]
	grep -qE '<title>app-v2: .*, same<' out
	run -0 --separate-stderr pp-flame --svg --no-map --diff a/* -o out -- b/*
	grep -qE '<title>app: .* to 0.*; better<' out
	pp-flame -q --svg --map app=app-v2 --diff a/* -o mapped -- b/*
	grep -qE '<title>app-v2: .*, same<' mapped
	pp-flame -q --svg --no-comm --diff a/* -o out -- b/*
	run -1 grep '<title>app' out
	grep -qE '<title>outer: .*, same<' out
	# nor are numbers of nodes what they were when stacks are dropped
	run -0 --separate-stderr pp-flame --stacks 1k --diff a/* -o out -- b/*
}

@test "flame: sides of several recordings are refused where they say nothing" {
	sides 0
	pp-fold a/1 >text
	run -2 --separate-stderr pp-flame a/1 a/2 -o out
	assert_equal "${stderr_lines[0]}" "pp-flame: unexpected operand 'a/2'"
	run -2 --separate-stderr pp-flame --diff a/1 a/2 -o out -- text
	assert_equal "${stderr_lines[0]}" 'pp-flame: --diff: several recordings of a side are streams: text is text'
	run -2 --separate-stderr pp-flame --diff a/1 a/2 -o out -- -
	[[ ${stderr_lines[0]} == *'are files: not -, standard input' ]]
	run -2 --separate-stderr pp-flame --diff a/1 a/2 a/3 -o out --
	[[ ${stderr_lines[0]} == *'no recording after --' ]]
	run -2 --separate-stderr pp-flame --diff a/1 a/2 b/1 -o out
	[[ ${stderr_lines[0]} == *'it has no note side=...: name the recordings of one side, --, and those of the other' ]]
	run -2 --separate-stderr pp-flame -i a/3 --diff a/1 a/2 -o out -- b/1
	run -2 --separate-stderr pp-flame --every 1s --diff a/1 a/2 -o out -- b/1
	run -4 --separate-stderr pp-flame --diff a/1 a/2 -o out -- missing
	refute [ -e out ]
	# with one of each the -- changes nothing
	pp-flame --diff a/1 -o one b/1
	pp-flame --diff a/1 -o two -- b/1
	same_bytes one two
	head -c $(($(stat -c %s b/5) - 200)) b/5 >cut
	run -3 pp-flame -q --diff a/* -o out -- b/[1-4] cut
	[ -s out ]
}
