# live.bats - pp-flame --every: a page that is made again while the stream comes, and one that reloads itself.

setup() {
	load ../../helper
	load ../../browser/browser
	load ../../halfway
	load ../names
	load ../fold/fold
}

teardown() { ended; }

# hits FROM TO: samples of two threads at these ms, whose rounds let them go
hits() {
	local i
	for ((i = $1; i < $2; i++)); do
		echo "sample id=1 pid=7 tid=$((7 + i % 2)) time=${i}000000 period=$((i % 3 + 1)) callchain=-128,0xffffffff810001$((i % 4))0,0xffffffff81000010"
	done
	printf 'round\nround\nround\n'
}

# halves: the files one and two, and in, which is both
halves() {
	{ head_of && hits 10 30; } | build >one
	{ head_of && hits 10 30 && hits 30 70; } | build >in
	tail -c +$(($(stat -c %s one) + 1)) in >two
}

has_begun() { [ -s page ] && grep -qE "${begun:-\"samples\":20,}" page; }
data() { perl "$TESTS/browser/page.pl" "$@"; }

@test "flame: --every writes what was read so far, and the last page is that of the whole stream" {
	halves
	local how
	for how in '--weight=period' '--weight=time'; do
		rm -f page
		started pp-flame -q $how --every 10ms -o page
		grep -q '"every":10,' page
		pp-flame -q $how -o first one
		diff <(data page) <(data first)
		[ "$(stat -c %a page)" = 600 ]
		finish
		pp-flame -q $how -o whole in
		cmp whole page
		grep -q '"every":0,' page
		[ "$(ls -A | grep -c '^\.page')" -eq 0 ]
	done
}

@test "flame: --every replaces a picture and a difference alike" {
	halves
	begun='<svg' started pp-flame -q --svg --every 10ms -o page
	finish
	pp-flame -q --svg -o whole in
	cmp whole page
	rm page
	begun='"every":10,' started pp-flame -q --diff one --every 10ms -o page
	finish
	pp-flame -q --diff one -o whole in
	cmp whole page
}

@test "flame: --every leaves the last page whole, whatever signal ends it" {
	halves
	local signal
	for signal in TERM KILL; do
		rm -f page
		started pp-flame -q --every 10ms -o page
		cp page before
		# the first of those that end a stage lets it go on
		kill -$signal "$tool"
		[ $signal = KILL ] || { sleep 0.1 && kill -$signal "$tool"; }
		exec 9>&-
		wait "$tool" || true
		diff <(data page) <(data before)
		[ "$(tail -n 1 page)" = '</html>' ]
	done
	tool=
}

@test "flame: --every is for a stream that goes into a file" {
	halves
	echo 'main;work 5' >folded
	run -2 --separate-stderr pp-flame --every 5s in
	assert_equal "${stderr_lines[0]}" 'pp-flame: --every replaces a file: use -o FILE'
	run -2 --separate-stderr pp-flame --every 5s -o /dev/null in
	assert_equal "${stderr_lines[0]}" 'pp-flame: --every replaces a file: use -o FILE'
	run -2 --separate-stderr pp-flame --every 5s -o page folded
	assert_equal "${stderr_lines[0]}" 'pp-flame: --every is for streams: text of stacks is drawn at its end'
	run -2 --separate-stderr pp-flame --every 9ms -o page in
	assert_equal "${stderr_lines[0]}" "pp-flame: --every: '9ms' is less than 10 ms"
	[ ! -e page ]
}

@test "flame: a page that could not be written ends it, and is said once" {
	halves
	mkdir folder
	has_begun() { [ -s folder/page ]; }
	started pp-flame -q --every 10ms -o folder/page
	mv folder elsewhere
	finish 4
	assert_equal "$(grep -c 'cannot write' err)" 1
}

@test "page: one that is made again reloads itself where that is asked for, and keeps what one looks at" {
	printf '%s\n' 'main;b::x;in.c 50' 'main;a;b::x 30' 'other 5' | pp-flame -o final.html
	printf '%s\n' 'main;a;b::x 30' 'main;b::x;in.c 20' | pp-flame -o page.html
	sed -i 's/"every":0,/"every":100,/' page.html
	drive page.html <<-END
		replace final.html
		eval document.getElementById('reload').parentElement.textContent.trim()
		eval document.getElementById('graph').focus()
		key ArrowDown
		key ArrowDown
		key ArrowRight
		key f
		key Enter
		eval $(text shown)
		eval location.hash
		eval document.getElementById('reload').click()
		reloaded
		eval location.hash
		eval $(text shown)
		eval document.getElementById('reload').parentElement.hidden
	END
	is '"Reload every 100 ms"' null '"Showing 50 samples, 100.0 % of 50 samples:with b::x ✕zoomed to b::x ✕"' '"#z=%3Amain.%3Ab%3A%3Ax&o=%3Ab%3A%3Ax"' null \
		'"#z=%3Amain.%3Ab%3A%3Ax&o=%3Ab%3A%3Ax&l=1"' '"Showing 80 samples, 94.1 % of 85 samples:with b::x ✕zoomed to b::x ✕"' true
}

@test "page: a link of one that is made again has names, and no more of them than a link may be long" {
	local long
	long=$(printf 'x%.0s' {1..400})
	printf '%s\n' "a.b%2E;$long;1$long;2$long;3$long;end 5" 'a.b%2E;other 7' | pp-flame -o page.html
	sed -i 's/"every":0,/"every":3600000,/' page.html
	drive page.html <<-END
		key /
		type end
		key Enter
		key Escape
		eval window.hash = '#z=' + encodeURIComponent(':a%2Eb%252E')
		eval location.hash = hash; new Promise(done => setTimeout(() => done($(text shown)), 50))
		key i
		key i
		eval location.hash === hash
		eval location.hash = '#z=:nothing&f=:nobody&o=~zz.:q'; new Promise(done => setTimeout(() => done($(text shown)), 50))
		eval document.getElementById('graph').focus()
		eval document.documentElement.dataset.ready
	END
	is '"#z=%3Aa%252Eb%25252E"' '"Showing all 12 sampleszoomed to a.b%2E ✕"' true '"Showing all 12 samples"' null '"yes"'
}
