# page.bats - the page of pp-flame in a browser: what one sees there, and what mouse and keys do.

setup() {
	load ../../helper
	load ../../browser/browser
	load ../names
	load stacks
	load timed
}

@test "page: names are text, whatever is in them" {
	printf '%s\n' 'a]]></script><b>&amp;"quoted"'"'"'\n;<!-- 3' >in
	printf 'bell\007and\033[31m;\xff\xfe broken;\xef\xbf\xbf;\xc2\x85 4\n' >>in
	{ head -c 70000 /dev/zero | tr '\0' x; echo ' 5'; } >>in
	run -0 --separate-stderr pp-flame --svg -o out in
	refute [ "$stderr" ]
	if command -v xmllint; then xmllint --noout out; fi
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]' out
	grep -qF 'bell\x07and\x1b[31m' out
	grep -qF '\xff\xfe broken' out
	pp-flame --title '<script>alert(1)</script><b>' -o page.html in
	[ "$(grep -c '</script>' page.html)" -eq 3 ]
	drive page.html <<-END
		eval document.title
		eval document.querySelectorAll('#table b, #graph b, #tip b b').length
		key /
		type quoted
		eval $(text found)
		key Escape
		key 2
		eval [...document.querySelectorAll('#table td button')].map(b => b.textContent.slice(0, 20)).sort()
	END
	is '"<script>alert(1)</script><b>"' 0 '"1 function, 25.0 %"' \
		'["\"quoted\"'"'"'\\n","<!--","\\xc2\\x85","\\xef\\xbf\\xbf","\\xff\\xfe broken","a]]></script><b>&amp","bell\\x07and\\x1b[31m","xxxxxxxxxxxxxxxxxxxx"]'
}

@test "page: one looks, zooms, searches and goes back" {
	stacks | pp-flame --title 'one & two' -o page.html
	drive page.html <<-END
		eval document.title
		eval $(text facts)
		eval $(text shown)
		eval window.row = k => document.getElementById('graph').getBoundingClientRect().top + 18 * k + 8; [0, 1, 2].map(k => Math.round(row(k)))
	END
	local tops
	tops=$(sed -n '4s/[][]//gp' did)
	run head -n 3 did
	assert_output $'"one & two"\n"100 samples"\n"Showing all 100 samples"'
	IFS=, read -r _ main work <<<"$tops"
	drive page.html <<-END
		move 400 $work
		eval $(text tip)
		eval $(text status)
		click 400 $work
		eval $(text shown)
		eval location.hash
		move 700 $work
		eval $(text tip)
		move 700 $main
		eval $(text status)
		key Escape
		eval $(text shown)
		click 400 $work
		eval history.back()
		eval new Promise(done => setTimeout(() => done(location.hash), 100))
		eval $(text shown)
		key /
		type inner
		eval $(text found)
		key Escape
		eval $(text found)
		key /
		type /^(deep|idle)\$/
		eval $(text found)
		key Escape
		key /
		type [/
		eval $(text found)
		key Escape
		key /
		type /[/
		eval $(text found)
	END
	is '"workprogramTotal 80 samples, 80.0 %Self 0 samples, 0 %"' \
		'"work: total 80 samples, 80.0 %; self 0 samples, 0 %   (right click for more)"' \
		'"Showing all 100 sampleszoomed to work ✕"' '"#z=0.1"' \
		'"workprogramTotal 80 samples, 80.0 % (100.0 % of the zoom)Self 0 samples, 0 %"' \
		'"main: total 95 samples, 95.0 %; self 0 samples, 0 %   (right click for more)"' '"Showing all 100 samples"' \
		null '""' '"Showing all 100 samples"' '"1 function, 80.0 %"' '""' '"2 functions, 45.0 %"' \
		'"No function matches"' '"Not a valid regular expression"'
}

@test "page: one goes from frame to frame by keys, and each is said" {
	stacks | pp-flame -o page.html
	drive page.html <<-END
		eval document.getElementById('graph').focus()
		key ArrowDown
		eval $(text status)
		key ArrowDown
		eval $(text status)
		key ArrowRight
		eval $(text status)
		key ArrowUp
		key ArrowRight
		eval $(text status)
		key i
		key ArrowUp
		eval $(text status)
		key Enter
		eval $(text shown)
		key f
		eval $(text shown)
		key Home
		eval $(text status)
		key 0
		eval $(text shown)
	END
	is null '"main: total 95 samples, 95.0 %; self 0 samples, 0 %"' '"work: total 80 samples, 80.0 %; self 0 samples, 0 %"' \
		'"idle: total 15 samples, 15.0 %; self 15 samples, 15.0 %"' '"kernel: total 5 samples, 5.0 %; self 0 samples, 0 %"' \
		'"entry: total 5 samples, 5.0 %; self 5 samples, 5.0 %"' '"Showing all 100 sampleszoomed to entry ✕"' \
		'"Showing 5 samples, 5.0 % of 100 samples:with entry ✕"' '"all: total 5 samples, 100.0 %; self 0 samples, 0 %"' \
		'"Showing all 100 samples"'
}

@test "page: functions, callers and callees have the numbers of the folded stacks" {
	printf '%s\n' 'main;a;b 5' 'main;a;b;a 7' 'main;b 3' 'main;a 11' 'other;b 2' | pp-flame -o page.html
	drive page.html <<-END
		key 2
		eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))
		eval document.querySelector('#table th button').closest('th').ariaSort
		eval [...document.querySelectorAll('#table th button')].find(b => b.textContent === 'Function').click()
		eval [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[4].textContent)
		eval [...document.querySelectorAll('#table td button')].find(b => b.textContent === 'b').click()
		eval document.getElementById('beside').innerText.replace(/\s+/g, ' ')
		eval location.hash
	END
	assert_equal "$(sed -n 1p did)" '["18|64.3 %|23|82.1 %|a|","10|35.7 %|17|60.7 %|b|","0|0 %|26|92.9 %|main|","0|0 %|2|7.1 %|other|"]'
	assert_equal "$(sed -n 2p did)" '"descending"'
	assert_equal "$(sed -n 4p did)" '["a","b","main","other"]'
	assert_equal "$(sed -n 6p did)" '"b program; total 17 samples, 60.7 %; self 10 samples Called by 12 70.6 % a 3 17.6 % main 2 11.8 % other Calls 7 41.2 % a"'
	assert_equal "$(sed -n 7p did)" '"#v=callers&f=2"'
}

@test "page: a link opens what it was made of, and what is wrong in it is dropped" {
	stacks | pp-flame -o page.html
	local link
	for link in 'v=functions' 'z=0.1.2' 'o=1&x=3' 'v=callers&f=3' 'q=deep' 'j=1&r=1&up=1&m=dark'; do
		# the first key is one of the page's own, the second takes it back
		drive page.html <<-END
			eval location.hash = '#$link'
			eval new Promise(done => setTimeout(() => done(location.hash), 50))
			key i
			key i
			eval location.hash
		END
		assert_equal "$(sed -n 3p did)" "\"#$link\""
	done
	drive page.html <<-'END'
		eval location.hash = '#v=nothing&z=77.a.1&f=999&o=1e9&t=5-x&th=1/2&q=%&m=blue'; new Promise(done => setTimeout(() => done(1), 50))
		eval document.getElementById('shown').textContent
		eval document.documentElement.dataset.ready
	END
	is 1 '"Showing all 100 samples"' '"yes"'
}

@test "page: stacks deeper than any canvas is high are drawn where one scrolls to" {
	{
		printf 'main'
		printf ';f%d' {1..4000}
		echo ' 3'
	} | pp-flame -o page.html
	drive page.html <<-'END'
		eval document.getElementById('graph').height <= innerHeight * devicePixelRatio
		eval window.drawn = () => document.getElementById('graph').toDataURL().length > 3000; drawn()
		eval document.getElementById('view').scrollTop = 10000
		eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(drawn()))))
		move 100 400
		eval /^f5[0-9][0-9]: total 3 samples, 100.0.%; self 0 samples, 0.%/.test(document.getElementById('status').textContent)
		eval document.documentElement.scrollHeight <= innerHeight
	END
	is true true 10000 true true true
}

@test "page: without scripts there are a picture and a table" {
	stacks | pp-flame -o page.html
	drive page.html <<-'END'
		noscript
		eval document.querySelectorAll('#picture svg g').length
		eval [...document.querySelectorAll('noscript table tr')].slice(1).map(r => [...r.cells].map(c => c.textContent).join('|'))
		eval document.querySelector('main').offsetHeight
		eval document.getElementById('facts').textContent
	END
	is 8 '["50|50.0 %|inner","30|30.0 %|deep","15|15.0 %|idle","5|5.0 %|entry"]' 0 '"100 samples"'
}

@test "page: data that is damaged is said to be, and not shown" {
	stacks | pp-flame -o page.html
	sed 's/"nodes":8,/"nodes":9,/' page.html >more.html
	sed 's/"functions":7,/"functions":6,/' page.html >fewer.html
	awk 'last ~ /id="data"/ { $0 = substr($0, 1, length($0) - 8) } { print; last = $0 }' page.html >cut.html
	awk 'last ~ /id="data"/ { $0 = substr($0, 9) } { print; last = $0 }' page.html >wrong.html
	sed -E 's/"columns":\[([0-9]+),([0-9]+),/"columns":[\1,1,/' page.html >columns.html
	local damaged
	for damaged in more fewer cut wrong columns; do
		echo "$damaged"
		run -1 cmp -s page.html $damaged.html
		drive $damaged.html <<-'END'
			eval document.querySelector('main').offsetHeight
			eval document.body.innerText.includes('This page is damaged: its data does not agree with its head.')
		END
		is 0 true
	done
}

@test "page: a column that lacks a byte, and a number that is too high, are damage, whichever it is" {
	timed | pp-flame --weight time -o times.html
	perl "$TESTS/tools/flame/cut.pl" times.html times
	stacks | pp-flame -o page.html
	perl "$TESTS/tools/flame/cut.pl" page.html page
	local file files=(times-*.html page-*.html)
	[ "${#files[@]}" -ge 28 ]
	for file in "${files[@]}"; do
		echo "open $file"
		echo "eval ['$file', document.querySelector('main').offsetHeight, document.body.innerText.includes('This page is damaged: its data does not agree with its head.')].join(' ')"
	done >open
	drive times.html <open
	printf '"%s 0 true"\n' "${files[@]}" | diff - did
}

@test "page: a difference says what became more and less, and draws what is gone" {
	printf '%s\n' 'a;lost 500' 'a;same 500' >before
	printf '%s\n' 'a;same 1000' 'a;new 1000' >after
	pp-flame --diff before -o page.html after
	drive page.html <<-END
		eval $(text facts)
		eval document.getElementById('legend').innerText.trim().split('\n').join('|')
		eval document.getElementById('graph').focus()
		key ArrowDown
		key ArrowDown
		eval $(text status)
		key ArrowRight
		key ArrowRight
		eval $(text status)
		key 2
		eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))
		eval document.getElementById('times').hidden
	END
	is '"1,000 samples before, 2,000 after · 100.0 % more · compared as shares of each"' '"more than before|less than before|may be chance|only before"' null \
		'"lost: 50.0 % before, 0 % after (500 to 0 samples); only before"' \
		'"new: 0 % before, 50.0 % after (0 to 1,000 samples); only after"' \
		'["50.0 %|0 %|−50.0 %|-100|lost|","0 %|50.0 %|+50.0 %|new|new|","0 %|0 %|0 %|0|a|","50.0 %|50.0 %|0 %|0|same|"]' true
}

@test "page: another event is chosen in the head, has a link, and Back goes back" {
	{
		head_with CALLCHAIN
		for i in {1..20}; do
			echo "sample id=$((1 + i % 2)) pid=7 tid=$((7 + i % 2 * i)) time=$((i * 1000000)) period=$((i % 2 + 1)) callchain=-128,0xffffffff81000$((i % 2))10,0xffffffff81000020"
			echo "sample id=2 pid=7 tid=7 time=$((i * 1000000 + 5)) period=3 callchain=-128,0xffffffff81000110,0xffffffff81000020"
		done
		echo round
	} | build >in
	pp-flame --unit things -o page.html in
	local again="new Promise(done => setTimeout(() => done(location.hash), 200))"
	drive page.html <<-END
		eval window.choose = k => { const e = document.getElementById('event'); e.selectedIndex = k; e.dispatchEvent(new Event('change')); }
		eval [...document.getElementById('event').options].map(o => o.text)
		eval window.facts = () => document.getElementById('facts').textContent.split(' ').slice(0, 5).join(' '); facts()
		eval $(text shown)
		key 2
		eval [...document.querySelectorAll('#table td button')].find(b => b.textContent === 'outer').click()
		eval location.hash
		eval choose(1); $again
		eval facts() + '; ' + document.getElementById('shown').textContent
		eval document.getElementById('beside').innerText.replace(/\s+/g, ' ')
		eval history.back(); $again
		eval facts() + '; ' + document.getElementById('event').value
		eval location.hash = '#e=task-clock&v=functions'; $again
		eval document.getElementById('event').value + '; ' + facts()
		eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))
		eval [...document.querySelectorAll('#about dd')].map(d => d.textContent).join('; ')
		noscript
		eval document.querySelector('noscript').textContent.includes('Other events of the recording, which it shows with JavaScript: task-clock.')
	END
	is '{}' '["cpu-clock","task-clock"]' '"10 things in 10 samples"' '"Showing all 10 things"' null '"#v=callers&f=0"' \
		'"#e=task-clock&v=callers&f=0"' '"80 things in 30 samples; Showing all 80 things"' \
		'"outer kernel · [kernel.kallsyms]; total 80 things, 100.0 %; self 0 Called by nothing: stacks begin here Calls 80 100.0 % inner"' \
		'"#v=callers&f=0"' '"10 things in 10 samples; cpu-clock"' '"#e=task-clock&v=functions"' '"task-clock; 80 things in 30 samples"' \
		'["80|100.0 %|80|100.0 %|inner|[kernel.kallsyms]","0|0 %|80|100.0 %|outer|[kernel.kallsyms]"]' \
		'"task-clock; 2 frames, 2 functions; kept to 10.0 µs"' true
}

# side WEIGHT FUNCTION TASK: a recording of 10 samples, a ms each, of a function and then of another
side() {
	head_with CALLCHAIN
	for i in {1..10}; do
		echo "sample id=1 pid=$3 tid=$3 time=$((i * 1000000)) period=$1 callchain=-128,0xffffffff81000$((i > 5 ? 1 : $2))10"
	done
	echo round
}

@test "page: of a difference each side has a time line, and spans of its own" {
	side 2000000 0 7 | build >before
	side 4000000 1 7 | build >after
	pp-flame --diff before -o page.html after
	drive page.html <<-END
		eval $(text facts)
		eval $(text shown)
		eval window.place = (id, share) => { const r = document.getElementById(id).getBoundingClientRect(); return [r.left + share * r.width, r.top + 20].map(Math.round).join(' '); }
		eval place('line', 0.02) + ' ' + place('line', 0.48)
		eval place('line-after', 0.52) + ' ' + place('line-after', 0.98)
		eval document.getElementById('heat').hidden && [...document.getElementById('tabs').children].map(t => t.hidden)
	END
	assert_equal "$(sed -n 1p did)" '"20.0 ms of CPU time before, 40.0 ms after · 100.0 % more · compared as shares of each · over 9.00 ms before, 9.00 ms after"'
	assert_equal "$(sed -n 2p did)" '"Showing 20.0 ms before, 40.0 ms after"'
	assert_equal "$(sed -n 6p did)" '[false,false,false,true]'
	local before after
	before=$(sed -n '4s/"//gp' did)
	after=$(sed -n '5s/"//gp' did)
	drive page.html <<-END
		key 2
		eval window.rows = () => [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].slice(0, 5).map(c => c.textContent).join('|')); rows()
		drag $before
		eval document.getElementById('shown').textContent.replace(/[\\d.]+.[^ ]*s to [\\d.]+.[^ ]*s/g, 'SPAN')
		eval rows()
		drag $after
		eval document.getElementById('shown').textContent.replace(/[\\d.]+.[^ ]*s to [\\d.]+.[^ ]*s/g, 'SPAN')
		eval /^#v=functions&t=[\\d.]+-[\\d.]+&ta=[\\d.]+-[\\d.]+\$/.test(location.hash)
		key Escape
		eval $(text shown)
	END
	is '["50.0 %|100.0 %|+50.0 %|+100|inner","50.0 %|0 %|−50.0 %|-100|outer"]' \
		'"Showing 8.00 ms before, 40.0 ms afterbefore: SPAN ✕"' \
		'["0 %|100.0 %|+100.0 %|new|inner","100.0 %|0 %|−100.0 %|-100|outer"]' \
		'"Showing 8.00 ms before, 16.0 ms afterbefore: SPAN ✕after: SPAN ✕"' true '"Showing 20.0 ms before, 40.0 ms after"'
}

@test "page: a difference is one of shares, of what a second weighs, or of weights as they are" {
	side 2000000 0 7 | build >before
	side 4000000 0 7 | sed 's/time=\([0-9]*\)0000/time=\1000000/' | build >after
	local by
	for by in shares time count; do
		pp-flame --diff before --diff-by $by -o page.html after
		drive page.html <<-END
			eval document.getElementById('facts').textContent.split(' \\u00b7 ')[2]
			eval document.getElementById('graph').focus()
			key ArrowDown
			eval $(text status)
			key 2
			eval [...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].slice(0, 5).map(c => c.textContent).join('|'))[0]
		END
		cat did >>all
	done
	mv all did
	is '"compared as shares of each"' null '"outer: 50.0 % before, 50.0 % after (10.0 ms to 20.0 ms)"' '"50.0 %|50.0 %|0 %|0|outer"' \
		'"compared by what each is a second"' null '"outer: 1.11 s a second before, 22.2 ms a second after (10.0 ms to 20.0 ms)"' \
		'"1.11 s a second|22.2 ms a second|−1.09 s a second|-98|outer"' \
		'"compared as they are"' null '"outer: 10.0 ms before, 20.0 ms after"' '"10.0 ms|20.0 ms|+10.0 ms|+100|outer"'
	# a picture says the same
	pp-flame --svg --diff before --diff-by count -o out after
	sed 's/\xe2\x80\xaf/ /g' out | grep -q '<title>outer: 10.0 ms to 20.0 ms, 25.0 % to 50.0 %</title>'
	pp-fold after >text
	run -2 --separate-stderr pp-flame --diff before --diff-by=time text
	[[ "$stderr" == 'pp-flame: --diff-by=time: text of stacks has no times'* ]]
	run -2 pp-flame --diff-by=time after
	run -2 pp-flame --diff before --diff-by=size after
	sed 's/time=[0-9]*000000/time=7/' <(side 1 0 7) | build >still
	run -2 --separate-stderr pp-flame --diff still --diff-by=time -o page.html after
	[[ "$stderr" == *'samples have no times, or all have the same' ]]
}
