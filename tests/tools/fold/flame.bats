# flame.bats - pp-flame on streams: two of them compared, from the innermost frames, in the order
# of time, and as a page with a heat map.

setup() {
	load ../../helper
	load ../names
	load fold
}

# compared: two streams, and the same as folded stacks
compared() {
	{
		head_of
		for i in {1..8}; do
			echo "sample id=1 pid=7 tid=7 time=1$i period=5 callchain=-128,0xffffffff81000110,0xffffffff81000010"
		done
		echo 'sample id=1 pid=7 tid=7 time=30 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=31 period=5 callchain=-512,0x400000'
	} | build >before.pipe
	{
		head_of
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name=new time=7'
		for i in {1..16}; do
			echo "sample id=1 pid=7 tid=7 time=1$i period=5 callchain=-128,0xffffffff81000200,0xffffffff81000010"
		done
		echo 'sample id=1 pid=7 tid=7 time=300 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=301 period=5 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=302 period=5 callchain=-512,0x400000'
		echo 'sample id=1 pid=7 tid=7 time=303 period=5 callchain=-512,0x400000'
	} | build >after.pipe
	pp-fold before.pipe >before.folded
	pp-fold after.pipe >after.folded
}

# drawn FILE: of each box the name, numbers, place and width
drawn() {
	sed -nE 's|^<g><title>(.*) \(([^)]*)\)</title><rect x="([^"]*)" y="([^"]*)" width="([^"]*)".*|\1: \2; \3 \4 \5|p' "$1"
}

@test "flame: --diff compares two streams, and a stream with folded stacks, as it compares these" {
	compared
	pp-flame --svg --width 1000 --diff before.pipe -o out after.pipe
	drawn out >got
	diff - got <<-'END'
		all: 50 to 100 cpu-clock, 100.00% to 100.00%; 8.00 79.00 1000.00
		seven: 50 to 100 cpu-clock, 100.00% to 100.00%; 8.00 62.00 1000.00
		[unknown]: 5 to 10 cpu-clock, 10.00% to 10.00%; 8.00 45.00 55.56
		outer: 45 to 90 cpu-clock, 90.00% to 90.00%; 63.56 45.00 944.44
		inner: 40 to 0 cpu-clock, 80.00% to 0.00%; 63.56 28.00 444.44
		new: 0 to 80 cpu-clock, 0.00% to 80.00%; 508.00 28.00 444.44
	END
	local one two
	for one in before.pipe before.folded -; do
		for two in after.pipe after.folded; do
			pp-flame --svg --unit cpu-clock --width 1000 --diff "$one" "$two" <before.pipe >again
			diff out again
		done
	done
	cat after.pipe | pp-flame --svg --width 1000 --diff before.folded >again
	diff out again
	pp-flame --diff before.pipe -o page after.pipe
	grep -q '>50 cpu-clock before, 100 after<' page
	run -1 grep -q '"heat":' page
	# the other way round, and from the innermost
	pp-flame --svg --width 1000 --reverse --diff after.pipe before.pipe -o out
	pp-flame --svg --unit cpu-clock --width 1000 --reverse --diff after.folded before.folded -o again
	diff out again
	drawn out | grep -qx 'new: 80 to 0 cpu-clock, 80.00% to 0.00%; .* 444.44'
}

@test "flame: --diff of what is no stream, cut, or of other events says so" {
	compared
	echo old >out
	run -3 --separate-stderr pp-flame --diff /dev/null after.pipe -o out
	assert_equal "$stderr" 'pp-flame: /dev/null: not a perf stream: the input is empty'
	[ "$(cat out)" = old ]
	run -4 pp-flame --diff nowhere after.pipe -o out
	run -2 --separate-stderr pp-flame --diff - <before.pipe
	[[ "$stderr" == 'pp-flame: --diff -: standard input cannot be both sides'* ]]
	head -c -20 before.pipe >cut.pipe
	run -3 --separate-stderr pp-flame --svg --diff cut.pipe after.pipe -o out
	[[ "$stderr" == 'pp-flame: cut.pipe: record '*': the stream ends inside a record'* ]]
	drawn out | grep -q '^all: 45 to 100 cpu-clock'
	{
		head_of
		echo 'sample id=2 pid=7 tid=7 time=30 period=5 callchain=-128,0xffffffff81000010'
	} | build >other.pipe
	run -0 --separate-stderr pp-flame --diff other.pipe after.pipe -o out
	assert_equal "$stderr" 'pp-flame: samples of task-clock are compared with samples of cpu-clock'
	{
		head_of
		echo round
	} | build >none.pipe
	run -0 --separate-stderr pp-flame --diff none.pipe after.pipe -o out
	assert_equal "$stderr" 'pp-flame: none.pipe: there are no samples in it'
}

@test "flame: --reverse of a stream begins at the innermost frames" {
	compared
	pp-flame --svg --icicle --width 1000 --reverse before.pipe -o out
	drawn out >got
	diff - got <<-'END'
		all: 50 cpu-clock, 100.00%; 8.00 28.00 1000.00
		[unknown]: 5 cpu-clock, 10.00%; 8.00 45.00 100.00
		seven: 5 cpu-clock, 10.00%; 8.00 62.00 100.00
		inner: 40 cpu-clock, 80.00%; 108.00 45.00 800.00
		outer: 40 cpu-clock, 80.00%; 108.00 62.00 800.00
		seven: 40 cpu-clock, 80.00%; 108.00 79.00 800.00
		outer: 5 cpu-clock, 10.00%; 908.00 45.00 100.00
		seven: 5 cpu-clock, 10.00%; 908.00 62.00 100.00
	END
	pp-flame --reverse before.pipe -o page
	grep -q '"heat":' page
}

@test "flame: --chart shows each thread's stacks in the order of their times" {
	{
		head_of
		cat <<-END
			sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=9 time=11 period=1 callchain=-128,0xffffffff81000110,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=15 period=2 callchain=-128,0xffffffff81000010
			sample id=1 pid=7 tid=7 time=14 period=3 callchain=-128,0xffffffff81000120,0xffffffff81000020
			sample id=1 pid=7 tid=7 time=16 period=1 callchain=-128,0xffffffff81000110,0xffffffff81000010
			round
		END
	} | build >in
	pp-flame --chart --svg --icicle --width 1000 -o out in
	sed -nE 's|^<g><title>(.*) \(([0-9]+) .*<rect x="([^"]*)" y="([^"]*)".*|\1 \2 \3 \4|p' out >got
	diff - got <<-'END'
		all 10 8.00 28.00
		seven-7/7 9 8.00 45.00
		outer 9 8.00 62.00
		inner 6 8.00 79.00
		inner 1 808.00 79.00
		:9-7/9 1 908.00 45.00
		outer 1 908.00 62.00
		inner 1 908.00 79.00
	END
	pp-flame --chart -o page in
	pp-flame --chart --weight=count --svg -o out in
	grep -q '>seven-7/7 (4 ' out
}

@test "flame: of a stream there is a heat map, and a span of it is what the flame graph shows" {
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	{
		head_of
		for ms in 100 110 1500 1510 1520; do
			echo "sample id=1 pid=7 tid=7 time=${ms}000000 period=1 callchain=-128,0xffffffff81000010"
		done
		echo "sample id=1 pid=7 tid=7 time=1900000000 period=1 callchain=-128,0xffffffff81000110"
	} | build >in
	pp-flame --weight=count --rows 10 -o page.html in
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-'END'
		eval document.getElementById("heat").offsetHeight
		eval document.getElementById("about").textContent
		eval (() => { const r = document.getElementById("heat").getBoundingClientRect(); window.at = (c, k) => [r.left + 24 * c + 5, r.top + (9 - k) * 4 + 2]; return [r.left, Math.round(r.top)]; })()
	END
	read -r top < <(sed -n '3s/.*,\([0-9]*\)]/\1/p' did)
	run sed -n 1,2p did
	assert_output $'54\n"6 samples"'
	# the second column is the second of 1 s: from its start to 1.6 s
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-END
		drag 41 $((top + 38)) 41 $((top + 18))
		eval document.getElementById("status").textContent
		eval document.getElementById("span").hidden
		eval document.getElementById("span").click()
		eval document.getElementById("span").hidden
		move 41 $((top + 2))
		eval document.getElementById("status").textContent
		eval document.getElementById("heat").focus()
		key ArrowRight
		eval document.getElementById("status").textContent
		eval for (let i = 0; i < 5; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", shiftKey: true }))
		eval document.getElementById("status").textContent
		eval for (let i = 0; i < 9; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", shiftKey: true }))
		eval document.getElementById("status").textContent
		key Escape
		eval document.getElementById("status").textContent
		eval document.getElementById("span").hidden
	END
	cat did
	printf '%s\n' '"1.000 s to 1.600 s: 3 samples"' false null true '"1.900 s: 1 samples"' \
		null '"1.000 s: 0 samples"' true '"1.000 s to 1.600 s: 3 samples"' true '"1.000 s to 2.000 s: 4 samples"' \
		'"all: 6 samples, 100.00 %; 0 in itself"' true >expected
	diff expected did
}

@test "flame: a page of a million samples opens, and one zooms, searches and marks a span" {
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	pp-gen --samples 1e6 --callchain 12 --duration 60 |
		pp-flame -q --weight=count --addrs --no-inline --root /nowhere -o page.html
	perl "$TESTS/browser/drive.pl" "$PWD/page.html" >did <<-'END'
		eval document.getElementById("about").textContent
		eval document.querySelectorAll("#heat").length && document.getElementById("heat").offsetHeight > 0
		eval [status, window.S] = [undefined, () => document.getElementById("status").textContent]; true
		eval document.getElementById("flame").focus()
		key ArrowUp
		key ArrowUp
		key Enter
		eval / [0-9,]+ samples, [0-9.]+ %; [0-9,]+ in itself$/.test(S())
		key Escape
		eval S()
		eval document.getElementById("search").focus()
		type unknown
		eval /^[0-9.]+ % matched$/.test(document.getElementById("found").textContent)
		key Escape
		eval document.getElementById("heat").focus()
		key ArrowRight
		eval for (let i = 0; i < 40; i++) document.getElementById("heat").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true }))
		eval S()
		eval performance.timing.loadEventEnd - performance.timing.navigationStart
	END
	run -1 grep '^console:' did
	sed -n '$s/$/ ms until the page was there/p' did >&3
	sed -i '$d' did
	sed -i 's/: [0-9,]* samples"$/: some samples"/' did
	printf '%s\n' '"1000000 samples"' true true null true '"all: 1,000,000 samples, 100.00 %; 0 in itself"' null true \
		null true '"1.000 s to 41.020 s: some samples"' >expected
	diff expected did
}
