# marks.bats - what happened in a recording besides samples, below the line of time of its page.

setup() {
	load ../../helper
	load ../../browser/browser
	load ../names
	load ../fold/fold
}

hit() { echo "sample id=1 pid=7 tid=7 time=$1 period=1 callchain=-128,0xffffffff81000110"; }

# marked: 200 ms after the first sample 12 are lost, two events are held back from 300 ms to 500 ms, at 700 ms a note says
# that the rate was lowered, and an event is held back at the end
marked() {
	head_of
	hit 1000000000
	echo 'lost id=1 lost=12 time=1200000000'
	printf 'throttle time=13%d0000000 id=1 stream_id=%d\n' 0 1 1 2
	printf 'unthrottle time=1500000000 id=1 stream_id=%d\n' 1 2
	hit 1700000000
	echo round
	# rate=a<b>
	echo round hex=50504e4f5445310001000000000000000400000004000000"$(printf 'ratea<b>' | od -An -tx1 | tr -d ' \n')"
	hit 1900000000
	echo 'throttle time=1900000000 id=1 stream_id=1'
	hit 2000000000
	echo round
}

marks() { sed -nE 's/.*"marks":(\[.*\]),"every".*/\1/p' "$1"; }

@test "flame: a page has what was lost, held back and noted, and when" {
	marked | build | pp-inject --note commit=4f2a --note 'who=<me>' >in
	pp-flame -q -o page in
	assert_equal "$(marks page)" "$(tr -d '\n' <<-'END'
		[["lost",200000000,200000000,12],["throttled",300000000,500000000,2],
		["throttled",900000000,1000000000,1],["note",700000000,700000000,"rate=a\u003cb>"]]
	END
	)"
	grep -qF '<dt>Notes</dt><dd>commit=4f2a, who=&lt;me&gt;</dd>' page
	pp-flame -q --diff in -o page in
	assert_equal "$(marks page)" '[]'
	pp-fold in >folded
	pp-flame -q -o page folded
	assert_equal "$(marks page)" '[]'
}

@test "flame: of marks there are never many, and none is uncounted" {
	local i
	{
		head_of
		hit 1000000
		for ((i = 1; i <= 3000; i++)); do
			echo "lost id=1 lost=$((i % 7 + 1)) time=$((i * 1700000 + i * i * 100))"
			echo "throttle time=$((i * 1700000 + i * i * 100 + 50)) id=1 stream_id=1"
			echo "unthrottle time=$((i * 1700000 + i * i * 100 + 90)) id=1 stream_id=1"
		done
		hit 9000000000
		echo round
	} | build >in
	pp-flame -q -o page in
	marks page | perl -MJSON::PP -e '
		for (@{ decode_json(<STDIN>) }) {
			$_->[1] >= $end{ $_->[0] } && $_->[2] >= $_->[1] or die "@$_";
			$n{ $_->[0] }++;
			$sum{ $_->[0] } += $_->[3];
			$end{ $_->[0] } = $_->[2];
		}
		print "$_ $sum{$_} ", $n{$_} > 100 && $n{$_} <= 400 ? "few" : $n{$_}, "\n" for sort keys %n' >got
	printf '%s\n' 'lost 11998 few' 'throttled 3000 few' | diff - got
}

@test "flame: notes that are too many are counted, and long ones are cut" {
	local i notes=()
	for ((i = 0; i < 250; i++)); do notes+=(--note "n$i=v"); done
	marked | build | pp-inject --note "long=$(printf 'x%.0s' {1..400})" "${notes[@]}" >in
	pp-flame -q -o page in
	grep -q "<dd>long=x\{300\}, n0=v, .*, n198=v, and 52 more that are not shown</dd>" page
}

@test "page: marks are said at the pointer and by the keys of the line of time" {
	marked | build >in
	pp-flame -q -o page.html in
	# at SHARE: where the line has that share of its time
	drive page.html <<-END
		eval $(text busy)
		eval document.getElementById('line').getAttribute('aria-label')
		eval window.r = document.getElementById('line').getBoundingClientRect(); [0.2, 0.4, 0.7, 0.6].map(x => Math.round(r.left + x * r.width) + ' ' + Math.round(r.top + 80)).join(',')
		eval (c => { const s = c.width / r.width, d = c.getContext('2d').getImageData(0, c.height - 9 * s, c.width, 9 * s); return [[0.19, 0.21], [0.22, 0.29], [0.35, 0.45], [0.51, 0.68], [0.69, 0.71], [0.95, 1]].map(([a, b]) => d.data.some((v, i) => v && i / 4 % d.width / d.width > a && i / 4 % d.width / d.width < b)) })(document.getElementById('line'))
	END
	local lost held note none
	IFS=, read -r lost held note none <<<"$(sed -n 3p did | tr -d '"')"
	assert_equal "$(sed -n 2p did)" '"Time line with 4 marks: arrow keys move, with Shift they choose a span"'
	assert_equal "$(sed -n 4p did)" '[true,false,true,false,true,true]'
	drive page.html <<-END
		move $lost
		eval $(text tip)
		eval /^[0-9.]+.ms after the start; 12 events lost$/.test($(text status))
		move $held
		eval $(text tip)
		move $note
		eval $(text tip)
		move $none
		eval document.getElementById('tip').hidden
		eval document.getElementById('line').focus()
		key PageUp
		key PageUp
		eval $(text status)
		key PageUp
		eval $(text status)
	END
	is '"12 events lost"' true '"throttled 2 times from 300 ms to 500 ms"' '"rate=a<b>"' true null \
		'"200 ms after the start; 12 events lost"' '"300 ms after the start; throttled 2 times from 300 ms to 500 ms"'
}
