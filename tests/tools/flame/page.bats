# page.bats - the page of pp-flame in a browser: what one sees there, and what mouse and keys do.

setup() {
	load ../../helper
	load stacks
}

# drive PAGE: the lines of standard input, done in a browser
drive() {
	need perl
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	perl "$TESTS/browser/drive.pl" "$PWD/$1" >did
	refute_console
}

refute_console() {
	run -1 grep '^console:' did
}

# is TEXT...: what was said, line by line
is() {
	printf '%s\n' "$@" >expected
	diff expected did
}

status='document.getElementById("status").textContent'

@test "flame: names are text, whatever is in them" {
	printf '%s\n' 'a]]></script><b>&amp;"quoted"'"'"'\n;<!-- 3' >in
	printf 'bell\007and\033[31m;\xff\xfe broken;\xef\xbf\xbf;\xc2\x85 4\n' >>in
	{ head -c 70000 /dev/zero | tr '\0' x; echo ' 5'; } >>in
	run -0 --separate-stderr pp-flame --svg -o out in
	refute [ "$stderr" ]
	if command -v xmllint; then xmllint --noout out; fi
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]' out
	grep -qF 'bell\x07and\x1b[31m' out
	grep -qF '\xff\xfe broken' out
	pp-flame -o page.html in
	[ "$(grep -c '</script>' page.html)" -eq 2 ]
	drive page.html <<-END
		eval document.querySelectorAll('b').length
		key /
		type quoted
		eval document.getElementById("found").textContent
	END
	is 0 '"25.00 % matched"'
}

@test "flame: in the page one looks, zooms, searches and goes back" {
	stacks | pp-flame --title 'one & two' -o page.html
	drive page.html <<-END
		eval document.title
		eval document.getElementById("about").textContent
		eval document.querySelector("noscript").textContent.includes("<svg")
		move 600 120
		eval $status
		click 600 137
		eval $status
		move 13 120
		eval $status
		key Escape
		eval $status
		move 13 120
		move 20 137
		eval $status
		eval document.getElementById("search").focus()
		type inner
		eval document.getElementById("found").textContent
		key Escape
		eval document.getElementById("found").textContent
		eval document.getElementById("heat").offsetHeight
		key /
		type deep
		key Escape
		key /
		type idle
		eval document.getElementById("search").value
	END
	is '"one & two"' '"100 samples"' true '"inner: 80 samples, 80.00 %; 50 in itself"' \
		'"work: 80 samples, 80.00 %; 0 in itself"' '"inner: 80 samples, 80.00 %; 50 in itself"' \
		'"all: 100 samples, 100.00 %; 0 in itself"' '"entry: 5 samples, 5.00 %; 5 in itself"' null \
		'"80.00 % matched"' '""' 0 '"idle"'
}

@test "flame: in the page one goes from frame to frame by keys" {
	stacks | pp-flame -o page.html
	drive page.html <<-END
		eval document.getElementById("flame").focus()
		key ArrowUp
		eval $status
		key ArrowUp
		eval $status
		key ArrowLeft
		eval $status
		key ArrowDown
		key ArrowLeft
		eval $status
		key i
		key ArrowDown
		eval $status
		key Enter
		eval $status
	END
	is null '"main: 95 samples, 95.00 %; 0 in itself"' '"work: 80 samples, 80.00 %; 0 in itself"' \
		'"idle: 15 samples, 15.00 %; 15 in itself"' '"kernel: 5 samples, 5.00 %; 0 in itself"' \
		'"entry: 5 samples, 5.00 %; 5 in itself"' '"entry: 5 samples, 5.00 %; 5 in itself"'
}

@test "flame: of stacks deeper than the window the page begins where they begin, and follows the keys" {
	{
		printf 'main'
		printf ';f%d' {1..120}
		echo ' 3'
	} | pp-flame -o page.html
	drive page.html <<-END
		eval document.documentElement.scrollHeight <= window.innerHeight
		move 100 600
		eval /^(all|main|f[1-4]): 3 samples/.test($status)
		eval document.getElementById("flame").focus()
		eval for (let i = 0; i < 100; i++) document.getElementById("flame").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp" }))
		eval $status
		move 100 300
		eval /^f[0-9]{2,3}: 3 samples/.test($status)
		key i
		move 100 100
		eval /^(all|main|f[0-9]): 3 samples/.test($status)
	END
	is true true null true '"f99: 3 samples, 100.00 %; 0 in itself"' true true
}

@test "flame: stacks deeper than any canvas is high are drawn where one scrolls to" {
	{
		printf 'main'
		printf ';f%d' {1..4000}
		echo ' 3'
	} | pp-flame -o page.html
	drive page.html <<-END
		eval document.getElementById("flame").height <= window.innerHeight * devicePixelRatio
		eval window.drawn = () => document.getElementById("flame").toDataURL().length > 8000
		eval drawn()
		move 100 300
		eval document.getElementById("view").scrollTop = 10000
		eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(drawn()))))
		move 100 301
		eval $status
	END
	sed -i '2s/.*//' did
	run grep -vx '' did
	assert_line -n 0 true
	assert_line -n 1 true
	assert_line -n 3 true
	assert_line -n 4 --regexp '"f3[34][0-9][0-9]: 3 samples, 100.00 %; 0 in itself"'
}

@test "flame: colours are explained, of a difference and where there are several kinds, also without scripts" {
	stacks >in
	pp-flame --svg -o out in
	run -1 grep -q kernel: out
	echo 'a;lost 50' >before
	pp-flame --svg --diff before -o out in
	[ "$(grep -c -e '>more than before<' -e '>less<' -e '>only before<' -e '>may be chance<' out)" -eq 4 ]
	printf '%s\n' 'task;entry_[k];jitted_[j] 3' 'task;native;small_[i] 4' >in
	pp-flame --svg -o out in
	sed -nE 's|^<g><title>([a-z]*)[_(\[ ].*fill="hsl\(([0-9]+) .*|\1 \2|p' out | grep -v '^all ' >hues
	# 28 +- 22, 8 +- 10, 95 +- 12, 185 +- 10
	awk '{ h[$1] = $2 > 300 ? $2 - 360 : $2 }
		END { exit !(h["entry"] < 19 && h["jitted"] > 80 && h["jitted"] < 110 && h["small"] > 170) }' hues
	run sed -nE 's|.*<text[^>]*>([^<]*)</text>$|\1|p' out
	assert_line 'native code'
	assert_line kernel
	assert_line 'code made at run time'
	assert_line inlined
	refute_line 'tasks and others'
	pp-flame -o page.html in
	drive page.html <<-END
		eval document.getElementById("legend").innerText.replace(/\s+/g, " ").trim()
		noscript
		eval document.getElementById("legend").innerText.replace(/\s+/g, " ").trim()
		eval document.querySelector("main").offsetHeight
		eval document.querySelectorAll("#picture svg rect").length
	END
	is '"native code kernel code made at run time inlined"' '"native code kernel code made at run time inlined"' 0 7
}

@test "flame: what is higher than the window opens where stacks begin, as a picture and without scripts" {
	{
		printf 'main'
		printf ';f%d' {1..120}
		echo ' 3'
	} >in
	# stacks begin at the bottom of the picture, 2091 pixels below its top
	pp-flame --svg --diff in -o page.svg in
	drive page.svg <<-END
		eval scrollY > 1000
	END
	is true
	pp-flame -o page.html in
	drive page.html <<-END
		noscript
		eval (r => r.top < 0 && r.bottom <= innerHeight)(document.querySelector("#picture svg").getBoundingClientRect())
	END
	is true
	pp-flame --icicle --svg -o page.svg in
	drive page.svg <<-END
		eval scrollY
	END
	is 0
	pp-flame --icicle -o page.html in
	drive page.html <<-END
		noscript
		eval (r => r.top > 0 && r.bottom > innerHeight)(document.querySelector("#picture svg").getBoundingClientRect())
	END
	is true
}
