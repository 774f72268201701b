# keys.bats - what mouse, keys and fingers do on a page of pp-flame, one after the other, and how one goes back.

setup() {
	load ../../helper
	load ../../browser/browser
	load timed
	timed | pp-flame -o page.html
	export WINDOW=1400,900 # the time line goes from 226 to the edge, and is 990 ms long
}

shown=$(echo "document.getElementById('shown').innerText.replace(/\s+/g, ' ')")
settled="eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById('shown').innerText.replace(/\s+/g, ' '))))) "
focus() { echo "eval document.getElementById('$1').focus()"; }

@test "keys: a span is dragged, moved at its edges, slid, and ended by a click" {
	drive page.html <<-END
		drag 400 100 700 100
		$settled
		eval document.getElementById('line').getAttribute('aria-valuetext')
		drag 702 100 800 100
		$settled
		drag 500 100 600 100
		$settled
		click 600 100
		$settled
		drag 400 100 402 100
		$settled
		drag 900 100 300 100
		$settled
		double 500 100
		$settled
		drag 400 100 700 100
		$settled
		eval history.back()
		$settled
		eval document.getElementById('line').getAttribute('aria-valuetext')
	END
	is '"Showing 350 ms, 20.6 % of 1.70 s: 147 ms to 400 ms ✕"' '"147 ms to 400 ms"' \
		'"Showing 530 ms, 31.2 % of 1.70 s: 147 ms to 484 ms ✕"' '"Showing 600 ms, 35.3 % of 1.70 s: 231 ms to 568 ms ✕"' \
		'"Showing all 1.70 s"' '"Showing all 1.70 s"' '"Showing 770 ms, 45.3 % of 1.70 s: 62.4 ms to 568 ms ✕"' \
		'"Showing all 1.70 s"' '"Showing 350 ms, 20.6 % of 1.70 s: 147 ms to 400 ms ✕"' null '"Showing all 1.70 s"' '"0 s to 990 ms"'
}

@test "keys: a span is dragged on the row of a thread too" {
	drive page.html <<-END
		eval window.y = Math.round(document.querySelector('.thread canvas').getBoundingClientRect().top + 10)
		drag 400 164 700 164
		$settled
		move 900 164
		$settled
		eval [...document.querySelectorAll('.thread span')].map(s => s.textContent)
	END
	sed -i 1d did
	is '"Showing 350 ms, 20.6 % of 1.70 s: 147 ms to 400 ms ✕"' '"Showing 350 ms, 20.6 % of 1.70 s: 147 ms to 400 ms ✕"' \
		'["71.4 %","0 %","28.6 %"]'
}

@test "keys: the time line and the threads listen to keys" {
	drive page.html <<-END
		$(focus line)
		key Shift+End
		key Home
		key Shift+PageUp
		$settled
		key Shift+ArrowRight
		$settled
		key Shift+ArrowLeft
		key Shift+ArrowLeft
		$settled
		eval $(text status)
		$(focus threads)
		key ArrowDown
		$settled
		key ArrowDown
		$settled
		eval document.getElementById(document.getElementById('threads').getAttribute('aria-activedescendant')).getAttribute('aria-selected')
		key ArrowUp
		$settled
		click 60 164
		$settled
		click 60 186 Control
		$settled
		click 60 164 Control
		$settled
		click 60 186
		$settled
		key Escape
		$settled
	END
	is null '"Showing 100 ms, 5.9 % of 1.70 s: 0 s to 99.0 ms ✕"' '"Showing 110 ms, 6.5 % of 1.70 s: 0 s to 109 ms ✕"' \
		'"Showing 90.0 ms, 5.3 % of 1.70 s: 0 s to 89.1 ms ✕"' '"0 s to 89.1 ms"' null \
		'"Showing 90.0 ms, 5.3 % of 1.70 s: 0 s to 89.1 ms ✕ app 7 ✕"' \
		'"Showing 0 s, 0 % of 1.70 s: 0 s to 89.1 ms ✕ worker 7/8 ✕"' '"true"' \
		'"Showing 90.0 ms, 5.3 % of 1.70 s: 0 s to 89.1 ms ✕ app 7 ✕"' \
		'"Showing 90.0 ms, 5.3 % of 1.70 s: 0 s to 89.1 ms ✕"' \
		'"Showing 0 s, 0 % of 1.70 s: 0 s to 89.1 ms ✕ worker 7/8 ✕"' \
		'"Showing 90.0 ms, 5.3 % of 1.70 s: 0 s to 89.1 ms ✕ 2 threads ✕"' \
		'"Showing 0 s, 0 % of 1.70 s: 0 s to 89.1 ms ✕ worker 7/8 ✕"' '"Showing 500 ms, 29.4 % of 1.70 s: worker 7/8 ✕"'
}

@test "keys: Escape goes one step back: menu, search, zoom, highlight, time, threads, filters" {
	drive page.html <<-END
		$(focus graph)
		key ArrowDown
		key ArrowRight
		key ArrowRight
		key ArrowDown
		key x
		$settled
		eval document.querySelector('.thread .label').click()
		drag 400 100 700 100
		$settled
		eval document.querySelector('#legend button').click()
		$(focus graph)
		key Home
		key ArrowDown
		key Enter
		key /
		type make
		$(focus graph)
		key Shift+F10
		eval [document.getElementById('menu').hidden, $(text found), location.hash]
		key Escape
		eval [document.getElementById('menu').hidden, document.activeElement.id]
		key Escape
		eval location.hash
		key Escape
		eval location.hash
		key Escape
		eval [...document.querySelectorAll('#legend button')].map(b => b.ariaPressed)
		key Escape
		eval location.hash
		key Escape
		eval location.hash
		key Escape
		eval location.hash
	END
	is null '"Showing 1.50 s, 88.2 % of 1.70 s: without [make] ✕"' null \
		'"Showing 250 ms, 14.7 % of 1.70 s: 147 ms to 400 ms ✕ app 7 ✕ without [make] ✕"' null null null \
		'[false,"No function matches","#t=0.146731-0.399714&th=7&q=make&z=g0&x=3"]' '[true,"graph"]' \
		'"#t=0.146731-0.399714&th=7&z=g0&x=3"' '"#t=0.146731-0.399714&th=7&x=3"' '["false","false","false"]' \
		'"#th=7&x=3"' '"#x=3"' '""'
}

@test "keys: every row of the menu has a key, which does the same" {
	drive page.html <<-END
		eval navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; window.row = k => Math.round(document.getElementById('graph').getBoundingClientRect().top) + 18 * k + 8; [row(1), row(3)]
		eval document.execCommand = () => { window.copied = document.querySelector('textarea').value; return true; }; 1
		right 500 362
		eval [...document.querySelectorAll('#menu button')].map(b => [b.role, b.innerText.replace(/\s+/g, ' ')].join(' '))
		key ArrowDown
		key ArrowUp
		key ArrowUp
		eval document.activeElement.innerText
		key Enter
		eval [document.getElementById('menu').hidden, window.copied]
		move 500 362
		key c
		eval [window.copied, $(text status)]
		key s
		eval location.hash
		eval history.back()
		$settled
		move 500 362
		key z
		$settled
		key 0
		move 500 362
		key f
		$settled
		key 0
		move 500 362
		key m
		eval [$(text found), document.getElementById('search').value]
		key 0
		right 500 362
		click 900 700
		$settled
		eval document.getElementById('menu').hidden
		touch 500 362 700
		eval document.querySelectorAll('#menu button').length * !document.getElementById('menu').hidden
		$settled
	END
	is '[326,362]' 1 '["menuitem Callers and callees s","menuitem Zoom z","menuitem Only stacks with this f",'\
'"menuitem Without stacks with this x","menuitem Search for this m","menuitem Copy name c","menuitem Copy stack C"]' \
		'"Copy stack\nC"' '[true,"app\n[app]\n[lib.so]"]' '["[lib.so]","The name is copied."]' '"#v=callers&f=1"' null \
		'"Showing all 1.70 s"' '"Showing all 1.70 s zoomed to [lib.so] ✕"' \
		'"Showing 900 ms, 52.9 % of 1.70 s: with [lib.so] ✕"' '["1 function, 52.9 %","[lib.so]"]' '"Showing all 1.70 s"' \
		true 7 '"Showing all 1.70 s"'
}

@test "keys: a name is copied without its parameters, and with Shift in the menu as it is" {
	local name names=0
	while IFS='|' read -r name bare; do
		echo "$name"
		echo "$name 1" | pp-flame -o page.html
		drive page.html <<-END
			eval document.execCommand = () => { window.copied = document.querySelector('textarea').value; return true; }; navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; const r = document.getElementById('graph').getBoundingClientRect(); window.copy = options => { document.getElementById('graph').dispatchEvent(new MouseEvent('contextmenu', { clientX: 400, clientY: r.top + 26 })); [...document.querySelectorAll('#menu button')].find(b => b.innerText.startsWith('Copy name')).dispatchEvent(new MouseEvent('click', options)); return window.copied; }; copy({})
			eval copy({ shiftKey: true })
		END
		is "\"$bare\"" "\"$name\""
		names=$((names + 1))
	done <<-'END'
		shop::load(std::string const&, int)|shop::load
		shop::run(int (*)(char), long) const|shop::run
		shop::run(int) [clone .part.0]|shop::run
		write@@GLIBC_2.2.5(int)|write@@GLIBC_2.2.5
		shop::operator()|shop::operator()
		shop::operator()(int) const|shop::operator()
		shop::(anonymous namespace)|shop::(anonymous namespace)
		shop::run(int)::{lambda(int)#1}::draw|shop::run(int)::{lambda(int)#1}::draw
		(main)|(main)
		main)|main)
	END
	[ "$names" -eq 10 ]
}

@test "keys: one goes through callers and callees, and through time order, and chooses" {
	drive page.html <<-END
		key 3
		$(focus graph)
		eval document.getElementById('status').textContent
		key ArrowUp
		eval $(text status)
		key ArrowUp
		eval $(text status)
		key ArrowDown
		key ArrowDown
		key ArrowDown
		eval $(text status)
		key ArrowUp
		key Enter
		eval location.hash
		key ArrowDown
		eval $(text status)
		key ArrowRight
		eval $(text status)
		key Home
		eval $(text status)
		key 4
		key ArrowDown
		eval $(text status)
		key ArrowRight
		eval $(text status)
		key ArrowUp
		eval $(text status)
		key C
		key Enter
		eval location.hash
	END
	is null '""' '"[app]: total 900 ms, 52.9 %; self 900 ms, 52.9 %"' '"[app]: total 900 ms, 52.9 %; self 900 ms, 52.9 %"' \
		'"[lib.so]: total 900 ms, 52.9 %; self 900 ms, 52.9 %"' '"#v=callers&f=0"' \
		'"[lib.so]: total 900 ms, 52.9 %; self 900 ms, 52.9 %"' '"inner: total 100 ms, 5.9 %; self 100 ms, 5.9 %"' \
		'"[app]: total 1.50 s, 88.2 %; self 500 ms, 29.4 %"' '"[lib.so]: from 10.0 ms for about 90.0 ms"' \
		'"inner: from 100 ms for about 10.0 ms"' '"[app]: from 0 s for about 990 ms"' '"#v=callers&f=0"'
}

@test "keys: n and N, and Enter in the search, go from match to match by width" {
	drive page.html <<-END
		key /
		type a
		key Enter
		eval $(text status)
		key Enter
		eval $(text status)
		key Shift+Enter
		eval $(text status)
		$(focus graph)
		key n
		eval $(text status)
		key N
		eval $(text status)
		key ?
		eval document.getElementById('keys').open
		key Escape
		eval [document.getElementById('keys').open, document.getElementById('search').value]
	END
	is '"[app]: total 1.00 s, 58.8 %; self 0 s, 0 %"' '"[app]: total 500 ms, 29.4 %; self 500 ms, 29.4 %"' \
		'"[app]: total 1.00 s, 58.8 %; self 0 s, 0 %"' null '"[app]: total 500 ms, 29.4 %; self 500 ms, 29.4 %"' \
		'"[app]: total 1.00 s, 58.8 %; self 0 s, 0 %"' true '[false,"a"]'
}

@test "keys: Tab goes through all controls in the order in which they are read, and each has a name" {
	{
		echo "$settled"
		for ((i = 0; i < 18; i++)); do printf '%s\n' 'key Tab' spoken; done
	} >walk
	sed -i '1i eval location.hash = "#t=0.1-0.4"' walk
	drive page.html <walk
	is '"#t=0.1-0.4"' '"Showing 400 ms, 23.5 % of 1.70 s: 100 ms to 400 ms ✕"' '"button: Theme: system"' '"button: Copy link"' \
		'"button: Keys ?"' '"DisclosureTriangle: About this recording"' \
		'"slider: Time line: arrow keys move, with Shift they choose a span"' '"listbox: Threads"' '"tab: Flame graph"' \
		'"searchbox: Search"' '"button: Remove: 100 ms to 400 ms"' '"combobox: Group by"' '"combobox: Colour by"' \
		'"checkbox: Join recursion"' '"checkbox: Innermost first"' '"button: Flip i"' '"button: Reset 0"' \
		'"application: Flame graph. Arrow keys go from frame to frame, Enter zooms, question mark shows all keys; the table in Functions has all numbers."' \
		'"button: program 25.0 %"' '"button: library 67.5 %"'
}
