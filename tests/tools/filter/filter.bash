# filter.bash - what the tests of pp-filter share: a small stream, and which samples it keeps.

# Four samples, of two events: "cycles:u" with CPU and period, "page-faults" with an address.
small() {
	build <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=3 config=2 period=5 sample_type=IP,TID,TIME,ADDR,IDENTIFIER flags=sample_id_all
		event_update id=1 name=cycles:u
		comm pid=7 comm=nginx time=900
		sample id=1 pid=7 cpu=0 time=1000 ip=0x1000 period=10
		sample id=2 pid=7 tid=8 cpu=1 time=2000 ip=0x2000 period=20
		sample id=3 pid=9 time=3000 ip=0x3000 addr=0xdead00
		sample id=1 pid=-1 cpu=2 time=4000 ip=0xffffffff81000000 period=30
		round
	END
}

# times FILE: the times of its samples, in a line
times() { records -s "$1" | awk '{ print $5 }' | xargs; }

# kept ARGUMENTS...: the times of the samples that pp-filter keeps of in.pipe
kept() {
	pp-filter -i in.pipe -o kept.pipe "$@" && times kept.pipe
}

# keeps: lines `EXPRESSION => TIMES` from standard input hold for in.pipe
keeps() {
	local line
	while IFS= read -r line; do
		echo "$line"
		[ "$(kept "${line% =>*}")" = "$(xargs <<<"${line##*=>}")" ]
	done
}
