# thin.bats - pp-thin: fewer samples, and smaller ones, with the totals that there were.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# two_events FLAGS...: two events on two CPUs, the second of them without a period of its own
two_events() {
	cat <<-END
		header $*
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN flags=sample_id_all
		attr id=3 config=3 period=70 sample_type=IP,TID,TIME,ADDR,CPU,IDENTIFIER,RAW,CALLCHAIN flags=sample_id_all
		comm pid=7 comm=work synthesized
		repeat 50 {
		sample id=1 pid=7 cpu=\$(i%2) time=\$(i*10000000+1000) ip=0x1000 period=\$(i+1) callchain=0xfffffffffffffe00,0x1000,0x2000,0x3000
		sample id=3 pid=7 cpu=\$(i%2) time=\$(i*10000000+2000) ip=0x1000 addr=0x55 raw=0102030405060708090a0b0c callchain=0xffffffffffffff80,0xffffffff81000000,0xfffffffffffffe00,0x2000
		}
		round
	END
}

# samples FILE: event, CPU, time and period of each
samples() { json "$1" | jq -r 'select(.type == "SAMPLE") | "\(.event) \(.fields.cpu) \(.fields.time) \(.fields.period)"'; }

# counts FILE: what perf, and what pp-report, say that there was of each event
counts() {
	perf_quiet report -i "$1" --stdio --no-children -s comm -g none 2>/dev/null | grep '^# Event count' >by.perf
	pp-report -i "$1" --stdio --no-children -s comm -g none | grep '^# Event count' >by.report
	diff by.perf by.report
	sed 's/.*: //' by.perf | xargs
}

@test "every COUNT: one of COUNT samples of each event and CPU stays, with the periods of all of them" {
	two_events | build >in
	pp-thin --every 5 in -o out
	sound out
	samples out | awk '{ print $1, $2, $4 }' | sort -V >got
	{
		for n in 0 1 2 3 4; do
			echo "cpu-clock 0 $((5 * (10 * n + 5)))"
			echo "cpu-clock 1 $((5 * (10 * n + 6)))"
		done
		for n in {1..5}; do
			echo 'context-switches 0 350'
			echo 'context-switches 1 350'
		done
	} | sort -V | diff - got
	# nothing else changed
	diff <(json in | jq -c 'select(.type == "COMM")|.fields') <(json out | jq -c 'select(.type == "COMM")|.fields')
	[ "$(pp-info --json out | grep -c 'every 5')" -ge 1 ]
}

@test "totals stay, but for what comes after the last sample that stays, as perf and pp-report add up" {
	need_perf
	two_events | build >in
	[ "$(counts in)" = '1275 3500' ]
	pp-thin --every 5 in -o out
	[ "$(counts out)" = '1275 3500' ]
	pp-thin --every 4 in -o out
	# of 25 samples of a CPU the last is missing: 49 and 50, twice 70
	[ "$(counts out)" = "$((1275 - 99)) $((3500 - 140))" ]
	run -0 --separate-stderr pp-thin -v --every 4 in -o out
	[[ $stderr == *'whose periods are left out: 4'* ]]
}

@test "rate HZ: the first of each part of a second stays, with the periods of those that were left out before" {
	two_events | build >in
	pp-thin --rate 10 in -o out
	sound out
	[ "$(samples out | awk '$1 == "cpu-clock" && $2 == 0 { print $3, $4 }' | xargs)" = \
		'1000 1 100001000 35 200001000 85 300001000 135 400001000 185' ]
	run -2 --separate-stderr pp-thin --rate 10 --every 2 in -o out
	run -2 --separate-stderr pp-thin in -o out
	run -2 --separate-stderr pp-thin --every 0 in -o out
}

@test "max-stack: so many addresses stay of each chain, and no mark without one" {
	two_events | build >in
	pp-thin --max-stack 1 in -o out
	sound out
	[ "$(json out | jq -c 'select(.type == "SAMPLE").fields.callchain' | LC_ALL=C sort -u | xargs)" = \
		'[0xfffffffffffffe00,0x1000] [0xffffffffffffff80,0xffffffff81000000]' ]
	[ "$(json out | jq -c 'select(.type == "HEADER_ATTR").fields.attr.sample_max_stack' | xargs)" = '1 1' ]
	pp-thin --max-stack 1 out -o again
	diff <(json out | jq -c 'select(.type == "SAMPLE").fields') <(json again | jq -c 'select(.type == "SAMPLE").fields')
}

# fields_of FILE: which fields samples have
fields_of() { json "$1" | jq -r 'select(.type == "SAMPLE").fields | keys[]' | sort -u; }

@test "drop: samples lose each part, and are otherwise what they were; perf reads them" {
	need_perf
	build <"$ROOT/tests/streams/every.txt" >every
	two_events | build >mixed
	for name in dwarf tracepoint group; do
		cp "$ROOT/tests/streams/$name.pipe" $name
	done
	for input in every mixed dwarf tracepoint group; do
		while read -r part fields; do
			pp-thin -q --drop $part $input -o out
			pp-check -q out
			[ "$(fields_of out)" = "$(fields_of $input | grep -vxE "$fields")" ]
			[ $input = every ] || perf_quiet script -i out -F comm,event,period >/dev/null
		done <<-'END'
			user-stack stack_user
			regs regs_user|regs_intr
			raw raw|size
			branches branch_stack
			callchain callchain|nr
			addr addr|phys_addr
			aux aux|aux_size
		END
	done
	[ "$(pp-thin --drop raw,callchain,addr mixed | wc -c)" -lt "$(wc -c <mixed)" ]
	pp-thin --drop raw,callchain mixed -o out
	diff <(json mixed | jq -c 'select(.type == "SAMPLE").fields | del(.raw, .callchain, .nr, .size)') \
		<(json out | jq -c 'select(.type == "SAMPLE").fields | del(.raw, .callchain, .nr, .size)')
	run -2 --separate-stderr pp-thin --drop stack mixed
}

@test "either byte order, compressed or not, and in pieces: the same output" {
	two_events | build >in
	two_events big | build >big
	pp-thin --every 3 --drop raw --max-stack 2 in -o want
	pp-thin --every 3 --drop raw --max-stack 2 big -o got
	diff <(json want | tail -n +2 | jq -c .fields) <(json got | tail -n +2 | jq -c .fields)
	pp-compress in | pp-thin --every 3 --drop raw --max-stack 2 | pp-cat --no-seal -o got
	diff <(samples want) <(samples got)
	trickle in 7 | pp-thin --every 3 --drop raw --max-stack 2 | same_bytes want -
}

@test "an input that is cut ends in 3, with all that is good" {
	two_events | build | pp-cat --seal -o in
	for size in 1000 4000 6001; do
		head -c $size in >cut
		run -3 --separate-stderr pp-thin --every 2 --drop raw cut -o out
		[ "$(pp-thin -q --every 2 --drop raw in | samples - | head -n "$(samples out | wc -l)" | md5sum)" = "$(samples out | md5sum)" ]
	done
	run -4 --separate-stderr pp-thin --every 2 in -o /dev/full
}

@test "a note says how a stream was thinned, each time" {
	two_events | build | pp-thin --every 2 | pp-thin --rate 5 --drop addr,raw -o out
	pp-info --json out | grep -q 'every 2; rate 5, drop raw,addr'
}
