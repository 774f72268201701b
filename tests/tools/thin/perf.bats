# perf.bats - what pp-thin writes, as the installed perf, 6.12 and 7.3 show it.

setup() {
	load ../../helper
	need_perf
}

# quietly COMMAND...: of a perf; what it says is shown if it fails or refuses a record
quietly() {
	"$@" 2>perf.err </dev/null || { cat perf.err >&2; return 1; }
	! grep -iE 'failed to process|bad event|unknown events|unexpected end|aligned' perf.err >&2
}

# heads PERF FILE: a line for each sample, without its addresses
heads() {
	quietly "$1" script -i "$2" -F comm,tid,time,event >lines || return 1
	sed -nE '/[0-9]\.[0-9]{6}: / { s/^ +//; s/ +/ /g; s/ $//; p }' lines
}

# chains PERF FILE: times, and the addresses of call chains
chains() { quietly "$1" script -i "$2" -F time,ip --no-inline; }

# totals PERF FILE: of the periods of each event
totals() {
	quietly "$1" report -i "$2" --stdio --no-children -s comm -g none >report
	sed -n 's/^# Event count.*: //p' report | xargs
}

# programs PERF FILE: what share of the samples programs and files have
programs() {
	quietly "$1" report -i "$2" --stdio --no-children -s comm,dso -g none >report
	grep -v '^#' report
}

# two_events: two events on two CPUs, whose periods differ, or are those of the event
two_events() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN flags=sample_id_all,comm name=cpu-clock
		attr id=3 config=3 period=70 sample_type=IP,TID,TIME,CPU,IDENTIFIER,CALLCHAIN flags=sample_id_all
		comm pid=7 comm=work synthesized
		repeat 50 {
		sample id=1 pid=7 cpu=$(i%2) time=$(i*10000000+1000) ip=0x1000 period=$(i+1) callchain=0xfffffffffffffe00,0x1000,0x2000,0x3000
		sample id=3 pid=7 cpu=$(i%2) time=$(i*10000000+2000) ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000,0xfffffffffffffe00,0x2000
		}
		round
	END
}

@test "samples that stay are those that there were, with the totals of all" {
	two_events >in
	pp-thin --every 5 in -o few
	pp-thin --rate 10 in -o rated
	while read -r perf; do
		heads "$perf" in | sort >all
		[ "$(wc -l <all)" -eq 100 ]
		for file in few rated; do
			heads "$perf" $file | sort >some
			[ "$(wc -l <some)" -eq 20 ]
			[ -z "$(comm -13 all some)" ]
		done
		[ "$(totals "$perf" in)" = '1275 3500' ]
		[ "$(totals "$perf" few)" = '1275 3500' ]
	done < <(perfs)
}

@test "the innermost addresses of a chain stay" {
	two_events >in
	pp-thin --max-stack 2 in -o short
	while read -r perf; do
		chains "$perf" in | awk '/:/ { n = 0; print; next } NF && n++ < 2' >wanted
		chains "$perf" short | grep . | diff wanted -
		[ "$(totals "$perf" short)" = '1275 3500' ]
	done < <(perfs)
}

# bats test_tags=nightly
@test "recordings without a part are what they were in all else" {
	while read -r perf; do
		while read -r name parts; do
			cp "$ROOT/tests/streams/$name.pipe" in
			pp-thin -q --drop "$parts" in -o out
			[ "$(wc -c <out)" -lt "$(wc -c <in)" ]
			heads "$perf" in >wanted
			[ -s wanted ]
			heads "$perf" out | diff wanted -
			programs "$perf" in >wanted
			programs "$perf" out | diff wanted -
		done <<-'END'
			dwarf user-stack,regs
			tracepoint raw
			demo callchain
		END
	done < <(perfs)
}

@test "what --live lost is shown, and what it did not" {
	pp-gen --seed 3 --samples 30000 --callchain 40 --events 2 --pids 9 >in
	mkfifo feed
	{ cat in >feed; touch fed; } &
	timeout 60 pp-thin -q --live <feed | {
		for ((n = 0; n < 1200; n++)); do [ ! -e fed ] || break; sleep 0.05; done
		cat
	} >out
	wait
	pp-dump out | awk '{ n[$2]++ } END { print n["SAMPLE"], n["LOST_SAMPLES"] }' >wanted
	[[ "$(cat wanted)" == *' '[1-9]* ]]
	while read -r perf; do
		quietly "$perf" report -i out --stats >stats
		awk '$1 == "SAMPLE" && !s { s = $3 } $1 == "LOST_SAMPLES" && !l { l = $3 } END { print s, l }' stats | diff wanted -
		heads "$perf" out | wc -l | diff - <(cut -d' ' -f1 wanted)
	done < <(perfs)
}
