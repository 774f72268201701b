# page_sides.bats - the page of pp-flame in a browser: several events, the two sides of a difference, sources.

setup() {
	load ../../helper
	load ../../browser/browser
	load ../names
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
		eval [...document.querySelectorAll('#about dd')].slice(0, -1).map(d => d.textContent).join('; ')
		noscript
		eval document.querySelector('noscript').textContent.includes('Other events of the recording, which it shows with JavaScript: task-clock.')
	END
	is '{}' '["cpu-clock","task-clock"]' '"10 things in 10 samples"' '"Showing all 10 things"' null '"#v=callers&f=0"' \
		'"#e=task-clock&v=callers&f=0"' '"80 things in 30 samples; Showing all 80 things"' \
		'"outer kernel · [kernel.kallsyms]; total 80 things, 100.0 %; self 0 things Called by, things nothing: stacks begin here Calls, things 80 100.0 % inner"' \
		'"#v=callers&f=0"' '"10 things in 10 samples; cpu-clock"' '"#e=task-clock&v=functions"' '"task-clock; 80 things in 30 samples"' \
		'["80|100.0 %|80|100.0 %|inner|[kernel.kallsyms]","0|0 %|80|100.0 %|outer|[kernel.kallsyms]"]' \
		'"task-clock; 2 frames, 2 functions of 1 file; kept to 10.0 µs"' true
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
		eval location.hash = '#h=1'; new Promise(done => setTimeout(() => done(document.getElementById('heat').textContent), 100))
	END
	assert_equal "$(sed -n 7p did)" '"Heat map"'
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
	is '["50.0 %|100.0 %|+50.0 %|+100|inner","50.0 %|0 %|−50.0 %|gone|outer"]' \
		'"Showing 8.00 ms before, 40.0 ms afterbefore: SPAN ✕"' \
		'["0 %|100.0 %|+100.0 %|new|inner","100.0 %|0 %|−100.0 %|gone|outer"]' \
		'"Showing 8.00 ms before, 16.0 ms afterbefore: SPAN ✕after: SPAN ✕"' true '"Showing 20.0 ms before, 40.0 ms after"'
}

@test "page: of a difference both sides make boxes wide, or one" {
	printf '%s\n' 'main;a 60' 'main;b 40' >before
	printf '%s\n' 'main;a 30' 'main;c 70' | pp-flame --diff before -o page.html
	local at="new Promise(done => setTimeout(() => done([0.1, 0.5, 0.9].map(share => { const g = document.getElementById('graph'), r = g.getBoundingClientRect(); g.dispatchEvent(new MouseEvent('mousemove', { clientX: r.left + share * r.width, clientY: r.top + 44 })); return document.getElementById('status').textContent.split(':')[0]; }).join(' ')), 100))"
	drive page.html <<-END
		eval window.choose = k => { const e = document.getElementById('width'); e.selectedIndex = k; e.dispatchEvent(new Event('change')); return e.value + location.hash; }
		eval $at
		eval choose(1)
		eval $at
		eval choose(2)
		eval $at
		eval location.hash = '#w=before'; $at
		eval document.getElementById('width').value
		eval choose(0)
		eval [1, 2, 3].map(k => { document.getElementById('tabs').children[k - 1].click(); return document.getElementById('width-label').hidden; })
	END
	is '{}' '"c a b"' '"before#w=before"' '"a a b"' '"after#w=after"' '"c c a"' '"a a b"' '"before"' '""' '[false,true,false]'
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

@test "page: where a function is in its sources stands in its pop-up, of debug information and of names in the stream" {
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		static inline __attribute__((always_inline)) void deepest(void) { x++; }
		__attribute__((noinline)) void hot(void) { deepest(); }
		int main(void) { hot(); return 0; }
	END
	"${CC:-cc}" -O1 -g -fno-pie -no-pie -o prog prog.c
	local hot device which
	device=$(stat -c %D prog)
	hot=$((0x$(nm prog | sed -n 's/ T hot$//p') + 6))
	{
		head_with CPU
		printf 'mmap2 pid=7 start=%d len=0x1000 pgoff=%d prot=5 file="%s" maj=%d min=%d ino=%d time=6\n' \
			$((hot & ~4095)) $(((hot & ~4095) - 0x400000)) "$PWD/prog" $((0x$device >> 8)) \
			$((0x$device & 255)) "$(stat -c %i prog)"
		echo "sample id=1 pid=7 tid=7 time=10 period=3 misc=2 callchain=-512,$hot"
		echo round
	} | build >in
	pp-symbol --lines in >named
	# what the stream names is not asked of files for the sake of lines
	pp-symbol in >without
	pp-flame -q -o due.html without
	for which in in named; do
		pp-flame --unit things -o page.html $which
		[ $which = named ] || rm prog
		drive page.html <<-'END'
			eval window.row = k => document.getElementById('graph').getBoundingClientRect().top + 18 * k + 8; [1, 2].map(k => Math.round(row(k)))
		END
		local tops first second
		tops=$(sed -n '1s/[][]//gp' did)
		IFS=, read -r first second <<<"$tops"
		drive page.html <<-END
			move 400 $first
			eval $(text tip)
			move 400 $second
			eval $(text tip)
		END
		sed -i "s|$PWD/||g" did
		is '"hotprogram · prog · prog.c:3Total 3 things, 100.0 %, in 1 sampleSelf 0 things, 0 %"' \
			'"deepestinlined · prog · prog.c:2Total 3 things, 100.0 %, in 1 sampleSelf 3 things, 100.0 %"'
	done
	pp-flame -q -o page.html without
	same_bytes due.html page.html
	pp-flame --no-inline -o page.html named
	grep -q '"texts":\[[0-9]*,[0-9]*,0,' page.html
}
