# options.bats - pp-filter: options in the place of expressions, --invert, -n and --explain.

setup() {
	load ../../helper
	load filter
}

@test "-e -p -t -C and --comm take lists, and all have to hold" {
	small >in.pipe
	[ "$(kept -p 7)" = '1000 2000' ]
	[ "$(kept -p 7,9)" = '1000 2000 3000' ]
	[ "$(kept --pid=8-10)" = 3000 ]
	[ "$(kept -t 8)" = 2000 ]
	[ "$(kept -C 0-1,5)" = '1000 2000' ]
	[ "$(kept -C 0 -C 2)" = '1000 4000' ]
	[ "$(kept -e cycles)" = '1000 2000 4000' ]
	[ "$(kept -e cycles:u,page-faults)" = '1000 2000 3000 4000' ]
	[ "$(kept -e cycles -e page-faults)" = '1000 2000 3000 4000' ]
	[ "$(kept --comm nginx)" = 1000 ]
	[ "$(kept --comm swapper,nginx,:9)" = '1000 3000' ]
	[ "$(kept -p 7 -C 1)" = 2000 ]
	[ "$(kept -p 7 'cpu == 1 || pid == 9')" = 2000 ]
	[ "$(kept -e page-faults -C 0)" = '' ]
}

@test "an event's own commas, between slashes, do not separate" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all type=4
		event_update id=1 name="cpu/event=1,umask=2/u"
		sample pid=7 time=1000
	END
	[ "$(kept -e cpu/event=1,umask=2/u)" = 1000 ]
	[ "$(kept -e x,cpu/event=1,umask=2/,y)" = 1000 ]
	[ "$(kept -e cpu/event=1)" = '' ]
}

@test "--time has both ends in, in seconds, and may leave one open" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		repeat 5 {
		sample pid=7 time=$(i*500000000+10000000000)
		}
		round
	END
	[ "$(kept --time 10.5,11.5)" = '10500000000 11000000000 11500000000' ]
	[ "$(kept --time 10.500000001,11.499999999)" = 11000000000 ]
	[ "$(kept --time 11.5,)" = '11500000000 12000000000' ]
	[ "$(kept --time ,10.5)" = '10000000000 10500000000' ]
	[ "$(kept --time +0.5,+1)" = '10500000000 11000000000' ]
	[ "$(kept --time +1.5,12)" = '11500000000 12000000000' ]
	[ "$(kept --time 11,11)" = 11000000000 ]
}

@test "--time is as perf script's" {
	need_perf
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all
		repeat 9 {
		sample pid=7 time=$(i*250000000+10000000000)
		}
		round
	END
	for span in '10.5,11.25' '11,' ',10.75'; do
		echo "$span"
		perf_quiet script -i in.pipe -F time --ns --time "$span" >expected
		pp-filter --time "$span" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F time --ns >got
		[ -s got ]
		diff expected got
	done
}

@test "wrong arguments of options are misuse" {
	small >in.pipe
	for arguments in '--time 5' '--time ,' '--time 5,4' '--time +5,+4' '--time a,b' '--time 1,2,3' \
		'-p x' '-C 3-1' '-n x' '--comm a,,b' '-e ,'; do
		echo "$arguments"
		# shellcheck disable=SC2086
		run -2 --separate-stderr pp-filter -i in.pipe $arguments
		[ -z "$output" ]
	done
}

@test "--invert keeps the other samples, of options and expression together" {
	small >in.pipe
	[ "$(kept --invert 'pid == 7')" = '3000 4000' ]
	[ "$(kept --invert -p 7 'cpu == 1')" = '1000 3000 4000' ]
	[ "$(kept --invert -C 0)" = '2000 3000 4000' ]
	[ "$(kept --invert --comm nginx)" = '2000 3000 4000' ]
	[ "$(kept --invert --time +1,)" = '1000 2000 3000 4000' ]
	run -2 --separate-stderr pp-filter --invert -i in.pipe
	[ "${stderr_lines[0]}" = 'pp-filter: --invert needs something to invert' ]
}

@test "-v says the expression that the options make" {
	small >in.pipe
	run -0 --separate-stderr pp-filter -v --invert -e 'a"b' -p 1,3-5 --time +1,2 -i in.pipe -o out.pipe 'cpu == 1'
	[ "${stderr_lines[0]}" = 'pp-filter: keeping samples where !(event in {"a\"b"} && pid in {1, 3..5} && time >= +1s && time <= 2s && (cpu == 1))' ]
}

# Rounds of three samples, with a name that comes late: behind the round, before it in time.
rounds() {
	build <<-'END'
		header
		attr id=1 flags=sample_id_all,comm
		repeat 6 {
		sample pid=7 time=$(i*1000+1000)
		sample pid=8 time=$(i*1000+1400)
		sample pid=7 time=$(i*1000+1800)
		comm pid=8 comm=late time=$(i*1000+1300)
		round
		}
	END
}

@test "-n keeps so many samples, and what is older than the last of them" {
	rounds >in.pipe
	[ "$(kept -n 2 'pid == 7')" = '1000 1800' ]
	[ "$(records kept.pipe | awk '{ print $2 }' | xargs)" = \
		'HEADER_ATTR SAMPLE SAMPLE COMM FINISHED_ROUND COMM FINISHED_ROUND' ]
	[ "$(kept -n 3 'pid == 7')" = '1000 1800 2000' ]
	[ "$(kept -n 0)" = '' ]
	[ "$(kept -n 99)" = "$(times in.pipe)" ]
}

@test "-n counts in the order of the times where the filter judges in it" {
	rounds >in.pipe
	[ "$(kept -n 2 'comm == "late"')" = '1400 2400' ]
	[ "$(kept -n 1 'time > +1us')" = 2400 ]
}

@test "-n ends the stream well: sealed as it was" {
	rounds | pp-filter --seal >in.pipe
	run -0 --separate-stderr pp-filter -n 1 -i in.pipe -o out.pipe
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-filter -i out.pipe -o again.pipe
	[ -z "$stderr" ]
	same_bytes out.pipe again.pipe
}

@test "-n does not wait for input that never comes" {
	rounds >in.pipe
	mkfifo slow
	exec 9<>slow
	cat in.pipe >&9
	timeout 60 pp-filter -n 1 <slow 9>&- >out.pipe
	exec 9>&-
	[ "$(times out.pipe)" = 1000 ]
}

@test "--explain shows the comparisons in their order, and reads nothing" {
	run -0 --separate-stderr bash -c "pp-filter --explain 'cpu == 0 && (comm ~ \"ng*\" ||
		any(callchain) in 5..9) && ip & 0xfff < 4 * 2 || time > +1s' </dev/null"
	[ "$output" = 'samples are tested in time order, with names of tasks
1: cpu == 0  [a load]  yes: 2, no: 5
2: comm ~ "ng*"  [names of tasks]  yes: 4, no: 3
3: any(callchain) in 5..9  [a walk over all values]  yes: 4, no: 5
4: ip & 0xfff < 4 * 2  [arithmetic]  yes: keep, no: 5
5: time > +1s (from the first sample)  [a load]  yes: keep, no: drop' ]
	[ "$(pp-filter --explain -p 7 </dev/null)" = 'samples are tested as they arrive
1: pid in {7}  [a load]  yes: keep, no: drop' ]
	[ "$(pp-filter --explain --invert 'dso ~ "x" && !(weight == 5)' </dev/null)" = 'samples are tested in time order, with names and maps of tasks
1: dso ~ "x"  [maps of tasks]  yes: 2, no: keep
2: weight == 5  [a walk through the sample]  yes: keep, no: drop' ]
	run -2 bash -c 'pp-filter --explain </dev/null'
}
