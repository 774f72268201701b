# operators.bats - pp-filter: what the operators of its language mean: for numbers, sets, times,
# texts and patterns.

setup() {
	load ../../helper
	load filter
}

@test "numbers compare by ==, !=, <, <=, > and >=" {
	small >in.pipe
	keeps <<-'END'
		pid == 7 => 1000 2000
		pid != 7 => 3000 4000
		tid == 8 => 2000
		tid < 8 => 1000 4000
		tid <= 8 => 1000 2000 4000
		tid > 8 => 3000
		tid >= 8 => 2000 3000
		ip == 0x1000 => 1000
		ip == 4096 => 1000
		ip >= 0xffffffff80000000 => 4000
		ip > 0xffffffffffffffff =>
		ip < 0 =>
		ip >= 0 => 1000 2000 3000 4000
		ip <= 0xffffffffffffffff => 1000 2000 3000 4000
		id == 2 => 2000
		period > 10 => 2000 4000
	END
}

@test "numbers of tasks may be negative, as perf shows them" {
	small >in.pipe
	keeps <<-'END'
		pid == -1 => 4000
		pid == 4294967295 => 4000
		pid < 0 => 4000
		pid >= 0 => 1000 2000 3000
		pid in {-5..7} => 1000 2000 4000
		tid > -2147483648 => 1000 2000 3000 4000
	END
}

@test "sets hold values and ranges, both ends included" {
	small >in.pipe
	keeps <<-'END'
		cpu in {0} => 1000
		cpu in {0, 2} => 1000 4000
		cpu in {0..1, 5} => 1000 2000
		cpu in {2,0,1,0..2,1} => 1000 2000 4000
		ip in {0x1001..0x1fff, 0x2000..0x3000} => 2000 3000
		ip in {0..0xffffffffffffffff} => 1000 2000 3000 4000
		event in {"x", "page-faults"} => 3000
		comm in {'nginx', "swapper"} => 1000
	END
}

@test "times take units, count from the first sample with a plus, and are ns without" {
	small >in.pipe
	keeps <<-'END'
		time == 2000 => 2000
		time >= 3us => 3000 4000
		time < 0.003ms => 1000 2000
		time <= 0.000002s => 1000 2000
		time in {1.5us..3000ns} => 2000 3000
		time == +0 => 1000
		time > +1us => 3000 4000
		time < +0 =>
		time in {+1us..+2us, 4us} => 2000 3000 4000
		time == 0x7d0 => 2000
	END
}

@test "the first sample is the earliest, wherever it stands" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		sample pid=7 time=5000
		sample pid=7 time=1000
		sample pid=7 time=2000
		round
		sample pid=7 time=6000
		round
	END
	keeps <<-'END'
		time <= +1us => 1000 2000
		time >= +4us => 5000 6000
	END
}

@test "names of events equal with their modifiers and without" {
	small >in.pipe
	keeps <<-'END'
		event == "cycles:u" => 1000 2000 4000
		event == 'cycles' => 1000 2000 4000
		event == "cycles:k" =>
		event == "cycle" =>
		event != "cycles" => 3000
		event =~ "^cycles$" =>
		event =~ "^cycles" => 1000 2000 4000
		event !~ "^cycles" => 3000
	END
}

@test "a tracepoint's name has no modifiers, a PMU's stand behind its slash" {
	for name in sched:sched_switch cpu/event=1,umask=2/ppp; do
		build >in.pipe <<-END
			header
			attr id=1 flags=sample_id_all type=2 config=300
			event_update id=1 name=$name
			sample pid=7 time=1000
		END
		echo "$name"
		[ "$(kept "event == \"$name\"")" = 1000 ]
		[ "$(kept "event == \"${name%%:*}\"")" = "" ] || [[ $name != *:* ]]
		[ "$(kept "event == \"${name%ppp}\"")" = 1000 ]
		[ "$(kept -e "$name")" = 1000 ]
	done
}

# bats test_tags=nightly
@test "a pattern takes time in proportion to the text, whatever it is and whatever the stream says" {
	{
		printf 'header\nattr id=1\n'
		printf 'mmap2 pid=7 start=0x10000 len=0x10000 file=/%s maj=1 ino=2 time=1\n' "$(perl -e 'print "a" x 4000')"
		printf 'sample pid=7 ip=0x10010 time=2\nround\n'
	} | build >in.pipe
	# steps that double with each byte would take years, and those of its square a minute
	ulimit -t 20
	for pattern in '(a|aa)+$x' '(a*)*b' '(a|a)*(a|a)*(a|a)*$x' '^/(((a{1,9}){1,9})*)*b' '(x+x+)+y|a{99}b'; do
		run -0 --separate-stderr pp-filter "dso =~ \"$pattern\"" <in.pipe
		run -0 pp-info --json <(pp-filter "dso =~ \"$pattern\"" <in.pipe)
		[ "$(jq '.records.SAMPLE.count' <<<"$output")" = null ]
		pp-filter "dso =~ \"$pattern|a$\"" <in.pipe | pp-info --json | jq -e '.records.SAMPLE.count == 1'
	done
}

@test "patterns are extended regular expressions, with their own backslashes" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		comm pid=1 comm=a.b time=10
		comm pid=2 comm=axb time=11
		comm pid=3 comm="it's \"q\"" time=12
		comm pid=4 comm="a\\b" time=13
		sample pid=1 time=1000
		sample pid=2 time=2000
		sample pid=3 time=3000
		sample pid=4 time=4000
		round
	END
	keeps <<-'END'
		comm =~ "a.b" => 1000 2000 4000
		comm =~ "^a\.b$" => 1000
		comm =~ "^a\\.b$" => 1000
		comm !~ "^(a.b|z)+$" => 3000
		comm == "it's \"q\"" => 3000
		comm == 'it\'s "q"' => 3000
		comm == "\x61.\x62" => 1000
		comm == "a\\b" => 4000
	END
}

@test "&& binds closer than ||, ! closest, and parentheses bind what they hold" {
	small >in.pipe
	keeps <<-'END'
		pid == 9 || pid == 7 && cpu == 1 => 2000 3000
		(pid == 9 || pid == 7) && cpu == 1 => 2000
		pid == 7 && cpu == 1 || pid == 9 => 2000 3000
		!pid == 7 && cpu == 2 => 4000
		!(pid == 7 && cpu == 1) => 1000 3000 4000
		!(pid == 7 || pid == 9) => 4000
		!!(pid == 7) => 1000 2000
		((((pid == 7)))) && !((cpu == 0)) => 2000
		pid==7&&cpu!=0||time>=3us&&!(pid<0) => 2000 3000
	END
}

@test "a field that a sample does not have makes the comparison false" {
	small >in.pipe
	keeps <<-'END'
		cpu == 0 => 1000
		cpu != 0 => 2000 4000
		!(cpu == 0) => 2000 3000 4000
		addr == 0xdead00 => 3000
		addr != 1 => 3000
		addr in {0..0xffffffffffffffff} => 3000
		period == 5 => 3000
	END
}

@test "types of records are known by name, in any case" {
	small >in.pipe
	keeps <<-'END'
		type == "sample" => 1000 2000 3000 4000
		type != "SAMPLE" =>
		type in {"MMAP2", "SAMPLE"} => 1000 2000 3000 4000
		type == "UNKNOWN_99" =>
		type =~ "^S" => 1000 2000 3000 4000
	END
}

@test "numbers are computed: exactly, and as C binds them" {
	small >in.pipe
	keeps <<-'END'
		ip % 0x2000 == 0 => 2000 4000
		ip & 0xfff == 0 => 1000 2000 3000 4000
		ip & 0x1000 != 0 => 1000 3000
		ip | 0x1000 == 0x3000 => 2000 3000
		(ip & 0x3000) in {0x1000..0x2000} => 1000 2000
		ip / 4K == 2 => 2000
		ip == 4K * 2 => 2000
		period + 10 * 2 == 30 => 1000
		(period + 10) * 2 == 40 => 1000
		period - 10 - 5 < 0 => 1000 3000
		period -10 -5 < 0 => 1000 3000
		period+5 == 25 => 2000
		period * period == 400 => 2000
		time - 1us == 0 => 1000
		time == ip - 0x1000 + 1000 => 1000
		pid + 1 == 0 => 4000
		pid * -1 == 1 => 4000
		tid > pid => 2000
		tid - pid in {1} => 2000
		tid == pid => 1000 3000 4000
		cpu != pid - 7 && cpu >= 0 => 2000 4000
		period == 2 * (3 + 2) => 1000
		((period)) == (10) => 1000
		((period + 1) * 2 == 22) => 1000
		!(period % 20 == 10) && (period > 0) => 2000 3000
		5 + period == 15 => 1000
		ip in 0x1000..0x2000 => 1000 2000
		period in 10..20 => 1000 2000
		ip * 0x10 > 0 => 1000 2000 3000
		ip + 0xffffffffffffffff > 0 =>
		period / 0 == 0 =>
		period % (cpu - cpu) == 0 =>
		!(period / 0 == 0) => 1000 2000 3000 4000
		ip - 0xffffffffffffffff < 0 => 4000
	END
}

@test "sizes have units of 1024" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=TID,TIME,PERIOD
		sample pid=7 time=1000 period=2048
		sample pid=7 time=2000 period=3145728
		sample pid=7 time=3000 period=1073741824
	END
	keeps <<-'END'
		period == 2K => 1000
		period in {3M, 1G} => 2000 3000
		period in 1K..4M => 1000 2000
	END
}

@test "globs match whole texts" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		comm pid=1 comm=nginx time=10
		comm pid=2 comm=nginx-worker time=11
		comm pid=3 comm=a.b time=12
		comm pid=4 comm="a*b" time=13
		comm pid=5 comm="[x]" time=14
		sample pid=1 time=1000
		sample pid=2 time=2000
		sample pid=3 time=3000
		sample pid=4 time=4000
		sample pid=5 time=5000
		round
	END
	keeps <<-'END'
		comm ~ "nginx" => 1000
		comm ~ "ngin*" => 1000 2000
		comm ~ "*" => 1000 2000 3000 4000 5000
		comm ~ "*x" => 1000
		comm ~ "*-*r" => 2000
		comm ~ "n*n*n*w*" => 
		comm ~ "ngin?" => 1000
		comm ~ "a?b" => 3000 4000
		comm ~ "a[.]b" => 3000
		comm ~ "a[!.]b" => 4000
		comm ~ "a\*b" => 4000
		comm ~ "[a-m]*" => 3000 4000
		comm ~ "\[x]" => 5000
		comm ~ "[[]x[]]" => 5000
		comm ~ "?x?" => 5000
		comm ~ "" =>
		!(comm ~ "*n*") => 3000 4000 5000
	END
}
