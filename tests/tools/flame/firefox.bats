# firefox.bats - the page of pp-flame in Firefox: it loads without complaint, and shows what it shows elsewhere.

setup() {
	load ../../helper
	load ../../browser/browser
	load timed
}

cells() { echo "[...document.querySelectorAll('#table tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|'))"; }

# bats test_tags=nightly
@test "firefox: a page shows the sums of its recording, of a span, of functions and of callers" {
	timed | pp-flame -o page.html
	in_firefox page.html <<-END
		eval $(text facts)
		eval $(text shown)
		drag 300 100 600 100
		eval new Promise(done => setTimeout(() => done(/^Showing .* of 1.70.s:/.test($(text shown))), 300))
		key 0
		key 2
		eval $(cells)
		key 3
		eval $(text beside)
		key 4
		eval $(text shown)
		eval document.getElementById('legend').innerText.replace(/\s+/g, ' ')
	END
	is '"1.70 s of CPU time in 170 samples · over 990 ms · 2 CPUs · 3 threads of 3 programs · nothing lost"' \
		'"Showing all 1.70 s"' true \
		'["900 ms|52.9 %|900 ms|52.9 %|[lib.so]|lib.so","500 ms|29.4 %|1.50 s|88.2 %|[app]|app","200 ms|11.8 %|200 ms|11.8 %|[make]|make","100 ms|5.9 %|100 ms|5.9 %|inner|[kernel.kallsyms]"]' \
		'"[lib.so]library · /nowhere/lib.so; total 900 ms, 52.9 %; self 900 msCalled by900 ms100.0 %[app]Callsnothing that was sampled"' \
		'"Showing all 1.70 s · app 7, the busiest thread: choose another above"' \
		'"Self time by kind: program 41.2 % library 52.9 % kernel 5.9 %"'
}

# bats test_tags=nightly
@test "firefox: an error of a script is reported, so that silence means something" {
	echo '<!DOCTYPE html><script>setTimeout(() => { throw new Error("wrong"); })</script>' >page.html
	need firefox-esr
	run in_firefox page.html <<<'eval new Promise(done => setTimeout(done, 300))'
	grep '^console: .*wrong' did
}
