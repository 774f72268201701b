# flame.bats - pp-flame on streams: two of them compared, from the innermost frames, in the order
# of time, and as a page of many samples.

setup() {
	load ../../helper
	load ../names
	load ../../browser/browser
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
	sed -nE 's|^<g><title>([^;]*)(;[^<]*)?</title><rect x="([^"]*)" y="([^"]*)" width="([^"]*)".*|\1; \3 \4 \5|p' "$1" |
		sed 's/\xe2\x80\xaf/ /g'
}

@test "flame: --diff compares two streams, and a stream with folded stacks, as it compares these" {
	compared
	pp-flame --svg --unit cpu-clock --width 1000 --diff before.pipe -o out after.pipe
	drawn out >got
	diff - got <<-'END'
		all: 50 to 100 cpu-clock, 100.0 % to 100.0 %; 8.00 95.00 1000.00
		seven: 50 to 100 cpu-clock, 100.0 % to 100.0 %; 8.00 78.00 1000.00
		[unknown]: 5 to 10 cpu-clock, 10.0 % to 10.0 %; 8.00 61.00 55.56
		outer: 45 to 90 cpu-clock, 90.0 % to 90.0 %; 63.56 61.00 944.44
		inner: 40 to 0 cpu-clock, 80.0 % to 0 %; 63.56 44.00 444.44
		new: 0 to 80 cpu-clock, 0 % to 80.0 %; 508.00 44.00 444.44
	END
	local one two
	grep -q "over 20.*ns before, 292.*ns after<" out
	# text has no times
	sed -i 's/ · over [^<]* after</</' out
	for one in before.pipe before.folded -; do
		for two in after.pipe after.folded; do
			pp-flame --svg --unit cpu-clock --width 1000 --diff "$one" "$two" <before.pipe | sed 's/ · over [^<]* after</</' >again
			diff out again
		done
	done
	cat after.pipe | pp-flame --svg --unit cpu-clock --width 1000 --diff before.folded >again
	diff out again
	pp-flame --diff before.pipe -o page after.pipe
	grep -q '<strong>50[^<]*ns</strong> of CPU time before, <strong>100[^<]*ns</strong> after · ' page
	run -1 grep -q '"heat":' page
	# the other way round, and from the innermost
	pp-flame --svg --unit cpu-clock --width 1000 --reverse --diff after.pipe before.pipe |
		sed 's/ · over [^<]* after</</' >out
	pp-flame --svg --unit cpu-clock --width 1000 --reverse --diff after.folded before.folded -o again
	diff out again
	drawn out | grep -qx 'new: 80 to 0 cpu-clock, 80.0 % to 0 %; .* 444.44'
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
	drawn out | grep -q '^all: 45 ns to 100 ns'
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
	pp-flame --svg --unit cpu-clock --icicle --width 1000 --reverse before.pipe -o out
	drawn out >got
	diff - got <<-'END'
		all: 50 cpu-clock, 100.0 %; 8.00 44.00 1000.00
		[unknown]: 5 cpu-clock, 10.0 %; 8.00 61.00 100.00
		seven: 5 cpu-clock, 10.0 %; 8.00 78.00 100.00
		inner: 40 cpu-clock, 80.0 %; 108.00 61.00 800.00
		outer: 40 cpu-clock, 80.0 %; 108.00 78.00 800.00
		seven: 40 cpu-clock, 80.0 %; 108.00 95.00 800.00
		outer: 5 cpu-clock, 10.0 %; 908.00 61.00 100.00
		seven: 5 cpu-clock, 10.0 %; 908.00 78.00 100.00
	END
	pp-flame --reverse before.pipe -o page
	grep -q '"reverse":true' page
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
	drawn out | sed -E 's/, [0-9.]* %; / /; s/ [0-9.]*$//' >got
	diff - got <<-'END'
		all: 10 ns 8.00 44.00
		seven-7/7: 9 ns 8.00 61.00
		outer: 9 ns 8.00 78.00
		inner: 6 ns 8.00 95.00
		inner: 1 ns 808.00 95.00
		:9-7/9: 1 ns 908.00 61.00
		outer: 1 ns 908.00 78.00
		inner: 1 ns 908.00 95.00
	END
	pp-flame --chart -o page in
	grep -q '"chart":true' page
	pp-flame --chart --weight=count --svg -o out in
	grep -q '>seven-7/7: 4 ' out
}

@test "page: a million samples open, and one zooms, searches and marks a span" {
	pp-gen --samples 1e6 --callchain 12 --duration 60 |
		pp-flame -q --weight=count --addrs --no-inline --root /nowhere -o page.html
	drive page.html <<-'END'
		eval document.getElementById('facts').textContent.slice(0, 60)
		eval document.getElementById('graph').focus()
		key ArrowDown
		key ArrowDown
		key Enter
		eval /: total [0-9,k.]+.*samples, [0-9.]+.%; self/.test(document.getElementById('status').textContent)
		key Escape
		eval document.getElementById('shown').textContent
		key /
		type kernel
		eval /^[0-9,]+ functions?, [0-9.]+.%$/.test(document.getElementById('found').textContent)
		key Escape
		drag 400 120 600 120
		eval document.getElementById('shown').textContent.replace(/[0-9.]+/g, 'N')
		eval performance.timing.loadEventEnd - performance.timing.navigationStart
	END
	sed -n '$s/$/ ms until the page was there/p' did >&3
	sed -i '$d' did
	is '"1.00 M samples · over 1 min 00 s · 2 CPUs · 4 threads of 4 p"' null true '"Showing all 1.00 M samples"' true \
		'"Showing N k samples, N % of N M samples:N s to N s ✕"'
}
