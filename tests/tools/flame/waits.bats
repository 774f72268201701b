# waits.bats - pages of pp-flame about waits, which last: how much of each is in a span of time.

setup() {
	load ../../helper
	load ../../browser/browser
	waits | pp-flame -q --weight time -o page.html
	export WINDOW=1400,900
}

# the first thread of app waits in read from 0 s to 0.2 s, and in write from 0.4 s to 0.9 s; the second in poll,
# from 0.1 s to 1 s
waits() {
	build <<-'END'
		header
		attr id=1 type=1 config=3 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,ksymbol,context_switch
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=read time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=write time=1
		ksymbol addr=0xffffffff81000200 len=256 ksym_type=1 name=poll time=1
		comm pid=7 tid=7 comm=app time=1
		comm pid=7 tid=8 comm=second time=1
		sample id=1 pid=7 tid=7 time=1000000000 callchain=-128,0xffffffff81000010
		sample id=1 pid=7 tid=8 time=1100000000 callchain=-128,0xffffffff81000210
		switch pid=7 tid=7 time=1200000000
		sample id=1 pid=7 tid=7 time=1400000000 callchain=-128,0xffffffff81000110
		switch pid=7 tid=7 time=1900000000
		switch pid=7 tid=8 time=2000000000
		round
	END
}

shown="document.getElementById('shown').innerText.replace(/\s+/g, ' ')"
functions='[...document.querySelectorAll("#table tbody tr")].map(r => [r.cells[0].textContent, r.cells[4].textContent].join(" "))'
threads='[...document.querySelectorAll(".thread")].map(r => r.innerText.replace(/\s+/g, " ").trim())'
focus() { echo "eval document.getElementById('$1').focus()"; }

# look HASH: what is looked at, as a link has it
look() { echo "eval location.hash = '#$1'; new Promise(done => setTimeout(() => done($shown), 50))"; }

@test "waits: a span has of each wait what lasts within it, in every view" {
	drive page.html <<-END
		$(look v=functions)
		eval $functions
		$(look 'v=functions&t=0.15-0.6')
		eval $functions
		eval $threads
		$(look 'v=functions&t=0.25-0.35')
		eval $functions
		$(look 'v=callers&f=1&t=0.3-0.5')
		eval document.querySelector('#beside p').textContent
		$(look 't=0.15-0.6&g=thread')
		$(focus graph)
		key ArrowDown
		eval $(text status)
		key ArrowRight
		eval $(text status)
	END
	is '"Showing all 1.60 s"' '["900 ms poll","500 ms write","200 ms read"]' \
		'"Showing 700 ms, 43.8 % of 1.60 s: 150 ms to 600 ms ✕"' '["450 ms poll","200 ms write","50.0 ms read"]' \
		'["second 7/8 64.3 %","app 7 35.7 %"]' \
		'"Showing 100 ms, 6.3 % of 1.60 s: 250 ms to 350 ms ✕"' '["100 ms poll"]' \
		'"Showing 300 ms, 18.8 % of 1.60 s: 300 ms to 500 ms ✕"' \
		'"kernel · [kernel.kallsyms]; total 100 ms, 33.3 %; self 100 ms"' \
		'"Showing 700 ms, 43.8 % of 1.60 s: 150 ms to 600 ms ✕"' null \
		'"second 7/8: total 450 ms, 64.3 %; self 0 s, 0 %"' '"app 7: total 250 ms, 35.7 %; self 0 s, 0 %"'
}

@test "waits: one that began before a span is in the order of its thread, from where the span begins" {
	drive page.html <<-END
		$(look 'v=order&th=8&t=0.25-0.6')
		$(focus graph)
		key Home
		eval $(text status)
		$(look 'v=order&th=7&t=0.25-0.6')
		key Home
		eval $(text status)
	END
	is '"Showing 350 ms, 21.9 % of 1.60 s: · second 7/8 250 ms to 600 ms ✕ second 7/8 ✕"' null \
		'"poll: from 250 ms for about 350 ms"' \
		'"Showing 200 ms, 12.5 % of 1.60 s: · app 7 250 ms to 600 ms ✕ app 7 ✕"' '"write: from 400 ms for about 200 ms"'
}

@test "waits: those that are counted, rather than weighed, are in the span where they begin" {
	waits | pp-flame -q --weight count -o page.html
	drive page.html <<-END
		$(look 'v=functions&t=0.15-0.6')
		eval $functions
	END
	is '"Showing 1 samples, 33.3 % of 3 samples: 150 ms to 400 ms ✕"' '["1 write"]'
}

@test "waits: the time line goes on to where the last one ends" {
	drive page.html <<-END
		eval $(text facts).match(/over .*?s\b/)[0]
		eval $(text busy)
		$(focus line)
		key End
		key Shift+PageDown
		eval $shown
	END
	is '"over 1.00 s"' '"threads waiting, up to 2"' null '"Showing 100 ms, 6.2 % of 1.60 s: 900 ms to 1.00 s ✕"'
}

@test "waits: a heat map has them in every row in which they last" {
	drive page.html <<-END
		$(look h=1)
		eval { const line = document.getElementById('line'), { width, height } = line, high = height - 16, data = line.getContext('2d').getImageData(0, 0, width, high).data, rows = x => Array.from({ length: high }, (_, y) => data[4 * (y * width + x)] < 200); [rows(10).every(Boolean), rows(width - 10).slice(0, high - 3).some(Boolean)] }
	END
	is '"Showing all 1.60 s"' '[true,false]'
}
