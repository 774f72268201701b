# page.bats - the page of pp-flame in a browser: what one sees there, and what mouse and keys do.

setup() {
	load ../../helper
	load ../../browser/browser
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

@test "page: it is called by the command that was recorded, which may have a -- of its own" {
	local words
	for words in '"pp-record" "-g" "--" "git" "log" "--" "file"|git log -- file' '"perf" "record" "./app" "-x"|perf record ./app -x'; do
		printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER' "feature CMDLINE list ${words%|*}" \
			'sample id=1 pid=7 tid=7 time=1 ip=0x1 period=1' round | build | pp-flame -q -o page.html
		grep -qxF "<title>${words#*|}</title>" page.html
		grep -qxF "<h1>${words#*|}</h1>" page.html
	done
}

@test "page: About has how large it is, which stacks lack names and what cures that, and who wrote it" {
	timed | pp-flame -q -o page.html
	sed -n 's/<dt>\(.*\)<\/dt><dd>\(.*\)<\/dd>/\1: \2/p' page.html | sed 's/\xe2\x80\xaf/ /g; s/ [0-9.]*$/ N/; s/with pp-record .*/with .../' >about
	diff - about <<-'END'
		Event: cpu-clock
		Stacks: 5 frames, 4 functions of 4 files
		Names: 94.1 % of the stacks have mostly functions without a name: if programs lack frame pointers, record with ...
		Times: kept to 10.0 µs
		Written by: perfpipe N
	END
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
	assert_equal "$(sed -n 6p did)" '"b program; total 17 samples, 60.7 %; self 10 samples Called by, samples 12 70.6 % a 3 17.6 % main 2 11.8 % other Calls, samples 7 41.2 % a"'
	assert_equal "$(sed -n 7p did)" '"#v=callers&f=2"'
}

@test "page: functions that weigh the same by themselves are in the order of what they weigh in all" {
	printf '%s\n' 'a;b 5' 'a;e;b 3' 'd;c;b 4' 'g;c;b 3' | pp-flame -o page.html
	drive page.html <<-'END'
		key 2
		eval [...document.querySelectorAll('#table td button')].map(b => b.textContent).join('')
	END
	is '"bacdeg"'
}

@test "page: weights without a unit of their own stand below it, of each event its own" {
	local way="[...document.querySelectorAll('#table th')].map(th => th.textContent)"
	stacks | pp-flame -o page.html
	timed | pp-flame -q -o times.html
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER' 'attr id=2 type=1 config=2 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER' \
		'sample id=1 pid=7 tid=7 time=1 ip=0x1 period=7' 'sample id=2 pid=7 tid=7 time=2 ip=0x1 period=7' round | build | pp-flame -q -o both.html
	drive page.html <<-END
		key 2
		eval $way
		open times.html
		key 2
		eval $way
		open both.html
		eval location.hash = '#v=functions&e=page-faults'; new Promise(done => setTimeout(() => done($way), 100))
	END
	is '["Self, samples ▾","Total, samples","Function","File"]' '["Self ▾","Total","Function","File"]' \
		'["Self, page-faults ▾","Total, page-faults","Function","File"]'
	grep -qF '<th>Self, samples</th>' page.html
	grep -qF '<th>Self</th>' times.html
}

@test "page: a link opens what it was made of, and what is wrong in it is dropped" {
	stacks | pp-flame -o page.html
	local link links=('v=functions' 'z=0.1.2' 'o=1&x=3' 'v=callers&f=3' 'q=deep' 'j=1&r=1&up=1&m=dark')
	for link in "${links[@]}"; do
		# the first key is one of the page's own, the second takes it back
		cat <<-END
			open page.html
			eval location.hash = '#$link'
			eval new Promise(done => setTimeout(() => done(location.hash), 50))
			key i
			key i
			eval location.hash
		END
	done >lines
	drive page.html <lines
	awk 'NR % 3 == 0' did | diff <(printf '"#%s"\n' "${links[@]}") -
	drive page.html <<-'END'
		eval location.hash = '#v=nothing&z=77.a.1&f=999&o=1e9&t=5-x&th=1/2&q=%&m=blue'; new Promise(done => setTimeout(() => done(1), 50))
		eval document.getElementById('shown').textContent
		eval document.documentElement.dataset.ready
	END
	is 1 '"Showing all 100 samples"' '"yes"'
}

@test "page: threads are in a link by their numbers, and with their processes where these are not enough" {
	local pid
	for pid in 7 8; do
		printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER' \
			"sample id=1 pid=7 tid=9 time=1 ip=0x1 period=7" "sample id=1 pid=$pid tid=$pid time=2 ip=0x1 period=1" \
			"sample id=1 pid=8 tid=$((17 - pid)) time=3 ip=0x1 period=3" round | build | pp-flame -q -o $pid.html
	done
	drive 7.html <<-'END'
		eval document.querySelectorAll('.thread .label')[1].click()
		eval location.hash
		eval document.querySelectorAll('.thread .label')[2].click()
		eval location.hash
		open 8.html
		eval document.querySelectorAll('.thread .label')[1].click()
		eval location.hash
		eval document.querySelectorAll('.thread .label')[0].click()
		eval location.hash
	END
	is null '"#th=10"' null '"#th=7"' null '"#th=8%2F9"' null '"#th=7%2F9"'
}

@test "page: the time line shows the threads that are chosen, and all again" {
	pp-gen --samples 400 --callchain 4 --pids 2 | pp-flame -q --no-inline --root /nowhere -o page.html
	drive page.html <<-'END'
		key i
		key i
		eval window.line = () => document.getElementById('line').toDataURL(); window.all = line(); all.length > 1000
		eval document.querySelector('.thread .label').click(); document.getElementById('shown').textContent.startsWith('Showing all')
		eval line() === all
		key Escape
		eval document.getElementById('shown').textContent.startsWith('Showing all')
		eval line() === all
	END
	is true false false true true
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

@test "page: the picture without scripts is no larger than 200 KB, and what it lacks is said" {
	perl -e 'print join(";", map { "frame" x 8 . $_ } 1 .. 1023), " 100\n"' >deep
	perl -e 'print "<" x 2040, ";f$_;", "&" x 2000, $_, " 1\n" for 1 .. 600' >long
	perl -e 'print "main;f$_;g 1\n" for 1 .. 9000' >many
	perl -e 'print "main;", join(";", map { "f$_" } 1 .. 700), " 1\n"' >few
	local file size
	for file in deep long many few; do
		pp-flame -q -o $file.html $file
		sed -n '/<div id="picture">/,/<h2>/p' $file.html >$file.picture
		size=$(wc -c <$file.picture)
		echo "$file $size"
		[ "$size" -lt 201000 ]
		grep -o 'Left out of the picture: [^<]*' $file.picture >said || true
		case $file in
		deep) grep -qx 'Left out of the picture: [0-9]* frames, too deep.' said && [ "$size" -gt 120000 ] ;;
		long) grep -qx 'Left out of the picture: 600 frames, too deep.' said ;;
		many) grep -qx 'Left out of the picture: 18,000 frames, too narrow.' said ;;
		few) [ ! -s said ] ;;
		esac
	done
}

@test "page: data that is damaged is said to be, and not shown" {
	stacks | pp-flame -o page.html
	sed 's/"nodes":8,/"nodes":9,/' page.html >more.html
	sed 's/"functions":7,/"functions":6,/' page.html >fewer.html
	awk 'last ~ /id="data"/ { $0 = substr($0, 1, length($0) - 8) } { print; last = $0 }' page.html >cut.html
	awk 'last ~ /id="data"/ { $0 = substr($0, 9) } { print; last = $0 }' page.html >wrong.html
	sed -E 's/"columns":\[([0-9]+),([0-9]+),/"columns":[\1,1,/' page.html >columns.html
	local damaged file
	damaged=(more fewer cut wrong columns)
	for file in "${damaged[@]}"; do
		run -1 cmp -s page.html "$file.html"
		cat <<-END
			open $file.html
			eval '$file'
			eval document.querySelector('main').offsetHeight
			eval document.body.innerText.includes('This page is damaged: its data does not agree with its head.')
			eval document.body.innerText.includes('JavaScript')
			eval document.querySelectorAll('#picture svg g').length
			eval document.querySelector('#picture svg').getBoundingClientRect().right < innerWidth
			eval document.querySelectorAll('td').length
		END
	done >lines
	drive page.html <lines
	for file in "${damaged[@]}"; do printf '%s\n' "\"$file\"" 0 true false 8 true 12; done | diff - did
	# before DecompressionStream
	drive page.html <<-'END'
		again delete window.DecompressionStream
		eval document.querySelector('main').offsetHeight
		eval document.body.innerText.includes('This browser is too old.')
		eval document.querySelectorAll('#picture svg g').length
	END
	is 0 true 8
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

@test "page: where nothing was sampled that is said, of a span in every view, of a recording without controls" {
	timed | pp-flame -o page.html
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm' \
		'comm pid=7 tid=7 comm=app time=1' round | build | pp-flame -o empty.html
	drive page.html <<-END
		eval location.hash = '#t=0.1-0.2&th=8'; new Promise(done => setTimeout(() => done(1), 50))
		eval $(text status)
		key 2
		eval $(text table)
		eval $(text status)
		key 3
		eval $(text status)
		key 4
		eval $(text status)
		open empty.html
		eval document.body.innerText.includes('There are no samples in this recording of 3 records: pp-info says what it holds. Record with pp-record -g.')
		eval [...document.querySelectorAll('button, select, input, canvas')].filter(e => e.offsetParent).length
	END
	local nothing='"Nothing was sampled here. Choose a longer span, or Reset."'
	is 1 "$nothing" "$nothing" "$nothing" "$nothing" "$nothing" true 0
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
	is '"1,000 samples before, 2,000 after · 100.0 % more · compared as shares of each"' '"more than before|less than before|may be chance|only before 50.0 %|only after 50.0 %|one recording of a side: grey may be chance by the number of samples, and another run may differ by more"' null \
		'"lost: 50.0 % before, 0 % after (500 to 0 samples); only before"' \
		'"new: 0 % before, 50.0 % after (0 to 1,000 samples); only after"' \
		'["50.0 %|0 %|−50.0 %|gone|lost|","0 %|50.0 %|+50.0 %|new|new|","0 %|0 %|0 %|0|a|","50.0 %|50.0 %|0 %|0|same|"]' true
}
