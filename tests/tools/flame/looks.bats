# looks.bats - how a page of pp-flame looks, by its pixels, in both themes, in a wide window and in a narrow one.

setup() {
	load ../../helper
	load ../../browser/browser
	load timed
}

# everywhere PAGE CHECK: drives it with standard input, in each theme and size, in one browser; the check is called
# after each, with what that one said
everywhere() {
	local theme size rest each at=0
	rest=$(cat)
	for theme in light dark; do
		for size in '1400 900' '720 700'; do
			cat <<-END
				size 1000 700
				open $1
				media prefers-color-scheme $theme
				size $size
				eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done('$theme' === (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')))))
				$rest
			END
		done
	done >lines
	drive "$1" <lines
	mv did said
	each=$(($(wc -l <said) / 4))
	[ $((4 * each)) -eq "$(wc -l <said)" ]
	for theme in light dark; do
		for size in '1400 900' '720 700'; do
			echo "$theme, $size"
			tail -n +$((at + 1)) said | head -n "$each" >did
			assert_equal "$(head -n 1 did)" true
			sed -i 1d did
			"$2"
			at=$((at + each))
		done
	done
	[ "$at" -gt 0 ]
}

# read once: more than that a browser warns of
pixels='const read = new Map(), pixel = (canvas, x, y) => { if (!read.has(canvas)) read.set(canvas, canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data); const at = 4 * (y * canvas.width + x); return [...read.get(canvas).slice(at, at + 4)]; };'

@test "looks: the time line fills the width to the edge of the window, and the rows of threads do" {
	timed | pp-flame -o page.html
	fills() { is 0 '[true,true,true]' true; }
	everywhere page.html fills <<-END
		eval { $pixels window.line = document.getElementById('line'); const from = line.getBoundingClientRect().left; window.ends = canvas => { let left = -1, right = -1; for (let x = 0; x < canvas.width; x++) for (let y = 0; y < canvas.height - (canvas === line ? 16 : 0); y++) if (pixel(canvas, x, y)[3]) { if (left < 0) left = x; right = x; } return [left, canvas.width - 1 - right]; }; innerWidth - line.getBoundingClientRect().right }
		eval [ends(line).every(d => d <= 1), ...[0, 1].map(i => ends(document.querySelectorAll('.thread canvas')[i])[1] <= 1)]
		eval [...document.querySelectorAll('.thread canvas')].every(c => c.getBoundingClientRect().left === line.getBoundingClientRect().left && c.width === line.width)
	END
}

@test "looks: the colours of the legend are those of the boxes, or of one of their tints" {
	timed | pp-flame -o page.html
	colours() { is true '["program","library","kernel"]' '[true,true,true]'; }
	everywhere page.html colours <<-END
		eval { $pixels window.graph = document.getElementById('graph'); const rgb = b => getComputedStyle(b.querySelector('.swatch')).backgroundColor.match(/\d+/g).slice(0, 3).map(Number); window.kinds = Object.fromEntries([...document.querySelectorAll('#legend button')].map(b => [b.textContent.split(' ')[0], rgb(b)])); window.dark = matchMedia('(prefers-color-scheme: dark)').matches; window.near = (a, b) => a.every((v, i) => Math.abs(v - b[i]) <= 1); window.tints = c => [c, c.map(v => v + (255 - v) * (dark ? 0.05 : 0.1)), c.map(v => v * (dark ? 0.92 : 0.96))]; window.at = (x, y) => pixel(graph, Math.round(x * graph.width), y).slice(0, 3); true }
		eval Object.keys(kinds)
		eval [['program', 0.5, 2 * 18 + 14], ['library', 0.4, 3 * 18 + 14], ['kernel', 0.57, 3 * 18 + 14]].map(([kind, x, y]) => tints(kinds[kind]).some(c => near(c, at(x, y))))
	END
}

@test "looks: the legend keeps its kinds where nothing of them is shown, and where nothing is" {
	timed | pp-flame -o page.html
	local legend="[...document.querySelectorAll('#legend button')].map(b => b.innerText)"
	drive page.html <<-END
		eval $legend
		eval location.hash = '#t=0-0.009'; new Promise(done => setTimeout(() => done($legend), 100))
		eval location.hash = '#t=0.002-0.009'; new Promise(done => setTimeout(() => done($legend), 100))
	END
	is '["program 41.2 %","library 52.9 %","kernel 5.9 %"]' '["program 0 %","library 0 %","kernel 100.0 %"]' \
		'["program 0 %","library 0 %","kernel 0 %"]'
}

@test "looks: nothing is wider than the window, and no control lies on another" {
	timed | pp-flame -o page.html
	echo 'main;a 1' | pp-flame -o other.html
	echo "main;b 1" >b
	echo "main;a 1" | pp-flame --diff b -o both.html
	apart() { is true '[]' true '[]' true '[]'; }
	local page
	for page in page other both; do
		everywhere $page.html apart <<-'END'
			eval { window.fits = () => document.documentElement.scrollWidth <= innerWidth; window.overlaps = () => { const all = [...document.querySelectorAll('h1, #facts, button, select, input, summary, #shown')].filter(e => e.offsetParent && getComputedStyle(e).visibility === 'visible').map(e => [e, e.getBoundingClientRect()]); const list = []; for (const [e, r] of all) { if (r.right > innerWidth + 0.5 || r.left < 0) list.push(e.id || e.textContent); for (const [f, s] of all) if (e !== f && !e.contains(f) && !f.contains(e) && r.left < s.right - 0.5 && s.left < r.right - 0.5 && r.top < s.bottom - 0.5 && s.top < r.bottom - 0.5) list.push((e.id || e.textContent) + ' on ' + (f.id || f.textContent)); } return list; }; fits() }
			eval overlaps()
			key 2
			eval fits()
			eval overlaps()
			key 3
			eval fits()
			eval overlaps()
		END
	done
}

@test "looks: the page is as its manual draws it, from top to bottom and from left to right" {
	timed | pp-flame -o page.html
	drawn() {
		# what stands in brackets or before them, line by line, as the manual has it
		is '["Theme: system","Copy link","Keys ?"]' '["About this recording"]' '["All 3 threads","line"]' '["app 7","thread"]' \
			'["Flame graph","Functions","Callers & callees","Time order","Search"]' \
			'["Showing all 1.70 s","Group by","Colour by","Join recursion","Innermost first","Flip i","Reset 0"]' \
			'["graph"]' '["program","library","kernel"]' '["status"]' true
	}
	export WINDOW=1400,900
	drive page.html <<-'END'
		eval { const box = e => e.getBoundingClientRect(), $ = id => document.getElementById(id), words = e => e.innerText.replace(/\s+/g, ' ').trim(); window.rows = [[...document.querySelectorAll('#tools button')].map(e => [words(e), e]), [[words(document.querySelector('summary')), document.querySelector('summary')]], [[words($('all')), $('all')], ['line', $('line')]], [['app 7', document.querySelector('.thread i')], ['thread', document.querySelector('.thread canvas')]], [...[...document.querySelectorAll('#tabs button')].filter(e => e.offsetParent).map(e => [words(e), e]), ['Search', $('search')]], [[words($('shown')), $('shown')], ...[['Group by', 'group'], ['Colour by', 'colour'], ['Join recursion', 'join'], ['Innermost first', 'reverse'], ['Flip i', 'flip'], ['Reset 0', 'reset']].map(([text, id]) => [text, $(id)])], [['graph', $('graph')]], [...document.querySelectorAll('#legend button')].map(e => [words(e).split(' ')[0], e]), [['status', $('status')]]]; window.inOrder = rows.every((row, i) => row.every(([, e], k) => (!k || box(e).left > box(row[k - 1][1]).left) && (!i || box(e).top >= box(rows[i - 1][0][1]).top))); rows[0].map(([text]) => text) }
		eval rows[1].map(([text]) => text)
		eval rows[2].map(([text]) => text)
		eval rows[3].map(([text]) => text)
		eval rows[4].map(([text]) => text)
		eval rows[5].map(([text]) => text)
		eval rows[6].map(([text]) => text)
		eval rows[7].map(([text]) => text)
		eval rows[8].map(([text]) => text)
		eval inOrder
	END
	drawn
	# and the manual does name them
	local word words=0
	sed -n '/^ command that was recorded/,/^\.Ed/p' "$ROOT/tools/pp-flame.1" >wireframe
	for word in Theme 'Copy link' Keys 'About this recording' 'Flame graph' Functions 'Callers & callees' 'Time order' \
		Search Showing 'Group by' 'Colour by' 'Join recursion' 'Innermost first' Flip Reset 'Self time by kind'; do
		echo "$word"
		grep -qF -- "$word" wireframe
		words=$((words + 1))
	done
	[ "$words" -eq 17 ]
}

@test "looks: where colours are forced, boxes have borders of that of text, faded ones too, and the legend its own" {
	timed | pp-flame -o page.html
	local theme ink
	for theme in light dark; do
		# the boxes are two groups, [app], and [lib.so] beside inner; the theme that was chosen is the other one
		drive page.html <<-END
			media prefers-color-scheme $theme forced-colors active
			eval location.hash = '#q=inner&th=7%2F7&m=$([ $theme = dark ] && echo light || echo dark)'; new Promise(done => setTimeout(() => done(getComputedStyle(document.body).color), 100))
			eval { $pixels const graph = document.getElementById('graph'), ink = getComputedStyle(document.body).color.match(/\d+/g).join(), is = (x, y) => pixel(graph, x, y).join() === ink + ',255'; [0, 1, 2, 3].map(k => [is(0, 18 * k + 8), is(400, 18 * k), is(400, 18 * k + 8), is(400, 18 * k + 16), is(graph.width - 2, 18 * k + 8)].map(Number).join('')) }
			eval { $pixels const line = document.getElementById('line'), ink = getComputedStyle(document.body).color.match(/\d+/g).join(), marks = [...Array(line.width).keys()].filter(x => pixel(line, x, 69).join() === ink + ',255'); marks.length > 4 }
			eval new Set([...document.querySelectorAll('.swatch')].map(s => getComputedStyle(s).backgroundColor)).size
			eval [...document.querySelectorAll('[aria-selected]')].map(e => getComputedStyle(e).outlineStyle)
		END
		ink=$([ $theme = dark ] && echo 'rgb(255, 255, 255)' || echo 'rgb(0, 0, 0)')
		is "\"$ink\"" '["11011","11011","11011","11011"]' true 3 '["solid","none","none","solid","none","none","none"]'
	done
}

@test "looks: the pop-up is within the window and clear of the pointer, whichever corner that is in" {
	# as deep as the window, of one long name
	perl -e 'print join(";", map { "a_name_of_many_letters_" x 9 . $_ } 1 .. 60), " 1\n"' | pp-flame -o page.html
	local corner corners=('20 160' '960 160' '20 590' '960 590' '500 300')
	for corner in "${corners[@]}"; do
		cat <<-END
			open page.html
			move $corner
			eval document.getElementById('tip').hidden
			eval { const tip = document.getElementById('tip'), r = tip.getBoundingClientRect(), [x, y] = '$corner'.split(' ').map(Number); [r.left >= 0, r.top >= 0, r.right <= innerWidth, r.bottom <= innerHeight, r.left > x || r.right < x || r.top > y || r.bottom < y, getComputedStyle(tip).pointerEvents, '$corner'] }
		END
	done >lines
	drive page.html <lines
	for corner in "${corners[@]}"; do
		printf '%s\n' false "[true,true,true,true,true,\"none\",\"$corner\"]"
	done | diff - did
}
