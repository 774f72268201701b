# waits.bats - pages of pp-flame about waits, which last.

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
focus() { echo "eval document.getElementById('$1').focus()"; }

@test "waits: the time line goes on to where the last one ends" {
	drive page.html <<-END
		eval $(text facts).match(/over .*?s\b/)[0]
		eval $(text busy)
		$(focus line)
		key End
		key Shift+PageDown
		eval $shown
	END
	is '"over 1.00 s"' '"threads waiting, up to 2"' null '"Showing 0 s, 0 % of 1.60 s: 900 ms to 1.00 s ✕"'
}
