# flame.bats - pp-flame: folded stacks as an SVG, what is left out of it, and what is refused.

setup() {
	load ../helper
	load flame/stacks
	load names
}

# boxes FILE: of an SVG, each frame's name and numbers, without what it weighs itself, its place and width; each
# of its blanks that are narrow as a blank
boxes() {
	sed -nE 's|^<g><title>(.*)</title><rect x="([^"]*)" y="([^"]*)" width="([^"]*)".*|\1 \2 \3 \4|p' "$1" |
		sed -e 's/\xe2\x80\xaf/ /g' -e 's/; self [^%<]* \([0-9.]* [0-9.]* [0-9.]*\)$/ \1/'
}

# draws ARGUMENTS...: pp-flame draws, 1000 pixels wide, the boxes of standard input, which is left in out
draws() {
	pp-flame --svg --width 1000 "$@" >out
	boxes out >got
	diff - got
}

@test "flame: an SVG has a box for each frame, as wide as its share, on what called it" {
	stacks >in
	draws in <<-'END'
		all: 100 samples, 100.0 % 8.00 112.00 1000.00
		kernel: 5 samples, 5.0 % 8.00 95.00 50.00
		entry: 5 samples, 5.0 % 8.00 78.00 50.00
		main: 95 samples, 95.0 % 58.00 95.00 950.00
		idle: 15 samples, 15.0 % 58.00 78.00 150.00
		work: 80 samples, 80.0 % 208.00 78.00 800.00
		inner: 80 samples, 80.0 % 208.00 61.00 800.00
		deep: 30 samples, 30.0 % 208.00 44.00 300.00
	END
}

@test "flame: an SVG says what was recorded and for how long, for readers of screens too" {
	local facts='3 samples · over 2.00 s · nothing lost'
	printf '%s\n' header 'attr id=1' 'comm pid=1 tid=1 comm=a time=1' 'sample pid=1 tid=1 ip=0x1 time=1000000000' \
		'sample pid=1 tid=1 ip=0x1 time=2000000000' 'sample pid=1 tid=1 ip=0x1 time=3000000000' round | build |
		pp-flame -q --weight count --svg | sed 's/\xe2\x80\xaf/ /g' >out
	grep -qF "<desc>$facts</desc>" out
	grep -qF ">$facts</text>" out
	stacks | pp-flame --svg | grep -qF '<desc>100 samples</desc>'
}

# lossy LINE...: what an SVG says was lost of a stream with these records
lossy() {
	printf '%s\n' header 'attr id=1' 'comm pid=1 tid=1 comm=a time=1' 'sample pid=1 tid=1 ip=0x1 time=1000000000' "$@" \
		round | build | pp-flame -q --svg | grep -oE '[0-9]+ samples? lost|nothing lost' | uniq
}

@test "flame: what is lost is counted once, though LOST_SAMPLES at the end say it again, as pp-info says it" {
	assert_equal "$(lossy 'lost id=1 lost=12 time=1000000100' 'lost id=1 lost=3 time=1000000200')" '15 samples lost'
	assert_equal "$(lossy 'lost id=1 lost=12 time=1000000100' 'lost_samples lost=15')" '15 samples lost'
	assert_equal "$(lossy 'lost id=1 lost=12 time=1000000100' 'lost_samples lost=4')" '12 samples lost'
	# what a program of BPF left out, as it was to, is not lost
	assert_equal "$(lossy 'lost_samples lost=4 misc=0x8000')" 'nothing lost'
}

@test "flame: --icicle puts the outermost on top, --reverse begins at the innermost" {
	stacks >in
	draws --icicle --reverse in <<-'END'
		all: 100 samples, 100.0 % 8.00 44.00 1000.00
		deep: 30 samples, 30.0 % 8.00 61.00 300.00
		inner: 30 samples, 30.0 % 8.00 78.00 300.00
		work: 30 samples, 30.0 % 8.00 95.00 300.00
		main: 30 samples, 30.0 % 8.00 112.00 300.00
		entry: 5 samples, 5.0 % 308.00 61.00 50.00
		kernel: 5 samples, 5.0 % 308.00 78.00 50.00
		idle: 15 samples, 15.0 % 358.00 61.00 150.00
		main: 15 samples, 15.0 % 358.00 78.00 150.00
		inner: 50 samples, 50.0 % 508.00 61.00 500.00
		work: 50 samples, 50.0 % 508.00 78.00 500.00
		main: 50 samples, 50.0 % 508.00 95.00 500.00
	END
}

@test "flame: with --diff what was lost is as wide as it was, and what was gained as it is" {
	printf '%s\n' 'a;lost 50' 'a;same 50' >before
	printf '%s\n' 'a;same 100' 'a;new 100' >after
	draws --diff before after <<-'END'
		all: 100 to 200 samples, 100.0 % to 100.0 % 8.00 78.00 1000.00
		a: 100 to 200 samples, 100.0 % to 100.0 % 8.00 61.00 1000.00
		lost: 50 to 0 samples, 50.0 % to 0 % 8.00 44.00 333.33
		new: 0 to 100 samples, 0 % to 50.0 % 341.33 44.00 333.33
		same: 50 to 100 samples, 50.0 % to 50.0 % 674.67 44.00 333.33
	END
	[ "$(grep -c '^<g>.*stroke-dasharray' out)" -eq 1 ]
}

@test "flame: with --chart what comes again later is drawn again, in the order of the lines" {
	printf '%s\n' 'a;f;g 10' 'a;f;h 20' 'b;f 5' 'a;f;h 10' 'a;i 5' 'a;f 45' 'a;f;g 5' >in
	draws --chart --icicle in <<-'END'
		all: 100 samples, 100.0 % 8.00 44.00 1000.00
		a: 95 samples, 95.0 % 8.00 61.00 950.00
		f: 40 samples, 40.0 % 8.00 78.00 400.00
		g: 10 samples, 10.0 % 8.00 95.00 100.00
		h: 30 samples, 30.0 % 108.00 95.00 300.00
		i: 5 samples, 5.0 % 408.00 78.00 50.00
		f: 50 samples, 50.0 % 458.00 78.00 500.00
		g: 5 samples, 5.0 % 908.00 95.00 50.00
		b: 5 samples, 5.0 % 958.00 61.00 50.00
		f: 5 samples, 5.0 % 958.00 78.00 50.00
	END
	run -2 --separate-stderr pp-flame --chart --reverse in
	[[ "$stderr" == 'pp-flame: --chart shows stacks in the order of time: not with --reverse'* ]]
	run -2 pp-flame --chart --diff in in
}

# bats test_tags=T3-A11
@test "flame: folded stacks with two weights a line are a difference" {
	printf '%s\n' 'cksum;main;work 31 56' 'cksum;main;idle 6 2' >pairs
	sed 's/ [0-9]*$//' pairs >older
	sed 's/ [0-9]* \([0-9]*\)$/ \1/' pairs >newer
	pp-flame --diff older -o expected newer
	run -0 --separate-stderr pp-flame -o got pairs
	same_bytes expected got
	pp-flame <pairs >got
	same_bytes expected got
	# one line without makes names of all
	echo 'cksum;main;rest 7' >>pairs
	pp-flame --svg -o got pairs
	grep -q 'work 31' got
}

# bats test_tags=T3-A11
@test "flame, fold: stacks that are too deep, fractions and sums that are too large are reported" {
	perl -e 'print join(";", map { "f$_" } 1 .. 5000), " 1\n", join(";", map { "g$_" } 1 .. 4096), " 1\n"' >deep
	run -0 --separate-stderr pp-flame -q --svg -o page deep
	run -0 --separate-stderr pp-flame --svg -o page deep
	assert_regex "$stderr" 'pp-flame: 1 stack has more than 4096 frames, and ends there'
	printf '%s\n' 'a;b 1.5' 'a;c 2.0' 'a;d 0.25' >parts
	run -0 --separate-stderr pp-flame -o page parts
	[ "$stderr" = 'pp-flame: the fractions of 2 weights are left out: use whole numbers, such as of a smaller unit' ]
	printf '%s\n' 'a;b 18446744073709551000' 'a;c 18446744073709551000' >large
	run -0 --separate-stderr pp-flame -o page large
	[ "$stderr" = 'pp-flame: weights add up to more than 64 bits hold: shares are not right' ]
	{
		head_with CALLCHAIN
		echo "sample id=1 pid=7 tid=7 time=10 period=3 callchain=-128$(printf ',%s' $(seq 5000 | sed 's/^/0xffffffff8100/' | cut -c 1-18))"
		echo round
	} | build >in
	run -0 --separate-stderr pp-fold in
	[ "$stderr" = 'pp-fold: 1 stack has more than 4096 frames, and ends there' ]
}

# bats test_tags=T3-A11
@test "flame: what is neither a recording nor text is refused" {
	local from
	run -3 --separate-stderr pp-flame -o page "$BIN/pp-flame"
	[ "$stderr" = "pp-flame: $BIN/pp-flame: is neither a recording nor text of stacks" ]
	[ ! -e page ]
	run -3 --separate-stderr pp-flame --diff "$BIN/pp-flame" -o page "$BIN/pp-flame"
	[ ! -e page ]
	run -3 bash -c 'pp-flame <"$BIN/pp-flame" >page'
	[ ! -s page ]
}

@test "flame: with --diff of different events both are named, and it is said" {
	of_event() {
		printf '%s\n' header "attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER config=$1" \
			"sample id=1 pid=7 tid=7 time=5 ip=4096 period=$2" round | build
	}
	of_event 0 30 >before
	of_event 2 4 >after
	run -0 --separate-stderr pp-flame --svg --diff before -o out after
	assert_equal "$stderr" 'pp-flame: samples of cpu-clock are compared with samples of page-faults'
	boxes out | grep -qF ': 30 to 4 cpu-clock / page-faults, 100.0 % to 100.0 %'
}

@test "flame: with --diff what may be chance is grey, whatever one sample weighs" {
	printf '%s\n' 'a;b 5000000' 'a;c 5000000' 'a;d 490000000' >before
	printf '%s\n' 'a;b 6000000' 'a;c 94000000' 'a;d 400000000' >after
	pp-flame --svg --diff before -o out after
	run sed -nE 's|^<g><title>([a-z]*): .*fill="(#[^"]*)".*|\1 \2|p' out
	assert_output 'all #d9dbdf
a #d9dbdf
b #d9dbdf
c #e78563
d #acc1df'
}

@test "flame: what is too narrow to be seen is left out, counted, and weighs in its caller" {
	{
		echo 'main;wide 1000000'
		for i in {1..50}; do echo "main;narrow$i;below 1"; done
	} >in
	run -0 --separate-stderr pp-flame --svg -o out in
	[ "$stderr" = 'pp-flame: 100 frames are too light to be seen, and are left out' ]
	run boxes out
	assert_line --partial 'main: 1.00 M samples, 100.0 %'
	refute_output --partial narrow
	printf '%s\n' 'main;wide 1000000' 'main;narrow 1' >in
	run -0 --separate-stderr pp-flame --svg -o out in
	[ "$stderr" = 'pp-flame: 1 frame is too light to be seen, and is left out' ]
	# a page shows all that has a weight, when one zooms
	run -0 --separate-stderr pp-flame -o page in
	[ -z "$stderr" ]
	grep -q '"nodes":4,' page
}

@test "flame: times in a page are as exact as its length allows, and said" {
	apart() {  # SECONDS: two samples, so far apart
		printf '%s\n' header 'attr id=1' 'comm pid=1 tid=1 comm=a time=1' 'sample pid=1 tid=1 ip=0x1 time=1000000000' \
			"sample pid=1 tid=1 ip=0x1 time=$((($1 + 1) * 1000000000))" round | build
	}
	local seconds tick rows=0
	while read -r seconds tick; do
		echo "$seconds s"
		apart "$seconds" >in
		run -0 --separate-stderr pp-flame -o page in
		[ -z "$stderr" ]
		grep -q "\"duration\":$((seconds * 1000000000)),\"tick\":$tick," page
		[ "$(stat -c %s page)" -lt 120000 ]
		rows=$((rows + 1))
	done <<-'END'
		1 10000
		59 10000
		60 100000
		3599 100000
		3600 1000000
		4000000 1000000
		9000000 20000000
	END
	[ "$rows" -eq 7 ]
}

@test "flame: pages and pictures name nothing of a network" {
	stacks >a
	sed 's/50$/70/' a >b
	pp-flame -o a.html a
	pp-flame --svg -o a.svg a
	pp-flame --reverse -o chart.html a
	pp-flame --diff a -o diff.html b
	pp-flame -q -o heat.html "$TESTS/streams/plain.pipe"
	for page in a.html a.svg chart.html diff.html heat.html; do
		echo "$page"
		# what it is written in has the form of an address, and is none that anything opens
		run -1 sh -c "sed 's|http://www.w3.org/2000/svg||' $page |
			grep -E '[a-zA-Z]+://|[(\"'\''= ]//[a-z0-9.-]+|url\(|src=|href=|@import|fetch\(|XMLHttp|WebSocket|import\(|sendBeacon|EventSource'"
		refute_output
	done
}

@test "flame: lines that are no stacks are counted, the others drawn, and it exits 3" {
	printf '%s\n' 'a;b 3' 'no weight' '' '12' 'a;c 4.5' 'a;d -1' >in
	run -3 --separate-stderr pp-flame --svg -o out in
	assert_equal "$stderr" "pp-flame: in: line 2: a stack without its weight
pp-flame: in: 3 of 6 lines are no stacks
pp-flame: the fraction of 1 weight is left out: use whole numbers, such as of a smaller unit"
	boxes out | grep -q '^a: 7 samples'
	echo '# nothing' >empty
	run -3 --separate-stderr pp-flame --svg -o out empty
	[ "$stderr" = 'pp-flame: empty: there are no stacks in it' ]
	run -3 --separate-stderr pp-flame --svg -o out /dev/null
	[ "$stderr" = 'pp-flame: /dev/null: not a perf stream: the input is empty' ]
}

@test "flame: what cannot be read or written is said, and leaves nothing" {
	run -4 --separate-stderr pp-flame -o out nowhere
	assert_equal "$stderr" 'pp-flame: nowhere: cannot open: No such file or directory'
	[ ! -e out ]
	run -2 pp-flame --width 99 -o out /dev/null
	echo 'a 1' >in
	run -4 --separate-stderr bash -c 'pp-flame in >/dev/full'
	[[ "$stderr" == *'No space left on device' ]]
	run -2 pp-flame in in
}
