# select.bats - pp-filter beyond the expression: places in the input, which types of records pass,
# the first of each kind, and what is near a match.

setup() {
	load ../helper
	load ten
}

# types FILE: how many records of each type
types() { pp-dump --json -i "$1" | jq -r '.type // empty' | sort | uniq -c | awk '{ print $2 "=" $1 }' | xargs; }

# ---- places

@test "--samples keeps samples by their places in the input" {
	ten >in.pipe
	[ "$(kept --samples 3-5)" = "3 4 5" ]
	[ "$(kept --samples 7)" = "7" ]
	[ "$(kept --samples -2,9-)" = "1 2 9 10" ]
	[ "$(kept --samples 3- 'cpu == 0')" = "4 6 8 10" ]
	[ "$(kept --samples 2-3 --invert 'cpu == 0')" = "3" ]
	[ "$(kept --samples 100-)" = "" ]
}

@test "--samples counts in the order of the input where samples wait to be judged, too" {
	ten >in.pipe
	[ "$(kept --samples 3-5 'comm == "one"')" = "3" ]
	[ "$(kept --samples 1-9 --time +7,)" = "8 9" ]
}

@test "behind the last place that is asked for the stream ends soon" {
	pp-gen --samples 3000 --rounds 30 >in.pipe
	pp-filter --samples 5-6 -i in.pipe -o out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 2 ]
	[ "$(pp-dump -i out.pipe | wc -l)" -lt 400 ]
	sound out.pipe
}

@test "what is no list of places is refused" {
	local list
	for list in '' 0-3 x 5-3 1-2x 1,, -; do
		echo "$list"
		run -2 --separate-stderr pp-filter --samples="$list" </dev/null
		[[ "$stderr" == *"--samples: '$list' "* ]]
	done
}

# ---- types

@test "--drop drops records of these types, --only keeps of the kernel's only these" {
	ten | pp-sort --no-seal >in.pipe
	[ "$(types in.pipe)" = "COMM=2 FINISHED_ROUND=3 HEADER_ATTR=1 HEADER_FEATURE=1 MMAP=1 SAMPLE=10" ]
	pp-filter --drop comm,SAMPLE -i in.pipe -o out.pipe
	[ "$(types out.pipe)" = "FINISHED_ROUND=3 HEADER_ATTR=1 HEADER_FEATURE=1 MMAP=1" ]
	pp-filter --only sample,mmap -i in.pipe -o out.pipe
	[ "$(types out.pipe)" = "FINISHED_ROUND=3 HEADER_ATTR=1 HEADER_FEATURE=1 MMAP=1 SAMPLE=10" ]
	pp-filter --only mmap --drop header_feature -i in.pipe -o out.pipe
	[ "$(types out.pipe)" = "FINISHED_ROUND=3 HEADER_ATTR=1 MMAP=1" ]
}

@test "names are known to the filter that drops the records which tell them" {
	ten >in.pipe
	pp-filter --drop comm 'comm == "one"' -i in.pipe -o out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 3 ]
	[[ "$(types out.pipe)" != *COMM* ]]
}

@test "what every reader needs cannot be dropped" {
	run -2 --separate-stderr pp-filter --drop header_attr </dev/null
	[[ "$stderr" == *"no reader can do without HEADER_ATTR"* ]]
	run -2 --separate-stderr pp-filter --drop finished_round </dev/null
	[[ "$stderr" == *"no reader can do without FINISHED_ROUND"* ]]
	run -2 --separate-stderr pp-filter --only nonsense </dev/null
	[[ "$stderr" == *"is not a type of record"* ]]
}

# ---- the first of each

@test "--first-per keeps the first sample of each value" {
	ten >in.pipe
	[ "$(kept --first-per tid)" = "1 2 3" ]
	[ "$(kept --first-per cpu)" = "1 2" ]
	[ "$(kept --first-per tid,cpu)" = "1 2 3 4 5 6" ]
	[ "$(kept --first-per comm 'time > 2s')" = "3 4 5" ]
	[ "$(kept --first-per cpu --invert 'time > 2s')" = "1 2" ]
	[ "$(kept --first-per addr)" = "1" ]
	[ "$(kept --first-per tid -n 2)" = "1 2" ]
}

@test "the first is the first in time, not in the stream" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample id=1 pid=1 time=5000000000 ip=1
		sample id=1 pid=1 time=3000000000 ip=1
		sample id=1 pid=2 time=4000000000 ip=1
		round
	END
	[ "$(kept --first-per tid)" = "3 4" ]
}

@test "the first of each of very many values is kept once" {
	pp-gen --samples 4000 --pids 700 >in.pipe
	pp-filter --first-per tid -i in.pipe -o out.pipe
	json out.pipe | jq 'select(.type == "SAMPLE") | .fields.tid' | sort >got
	json in.pipe | jq 'select(.type == "SAMPLE") | .fields.tid' | sort -u >expected
	diff expected got
}

@test "a field of --first-per has one value" {
	run -2 --separate-stderr pp-filter --first-per any_dso </dev/null
	[[ "$stderr" == *"'any_dso' has no single value"* ]]
	ten >in.pipe
	run -2 --separate-stderr pp-filter --first-per tid,tidd -i in.pipe
	[[ "$stderr" == *"tid"* ]]
	run -2 --separate-stderr pp-filter --first-per tid, </dev/null
	run -2 --separate-stderr pp-filter --first-per 'tid) || (cpu' </dev/null
}

# ---- what is near

@test "--context keeps what is near a match on its thread or on its CPU" {
	ten >in.pipe
	# second 5 is thread 3 on CPU 1; thread 3 also at 2 and 8, CPU 1 at every odd one
	[ "$(kept --context 0 'time == 5s')" = "5" ]
	[ "$(kept --context 1.9 'time == 5s')" = "5" ]
	[ "$(kept --context 2 'time == 5s')" = "3 5 7" ]
	[ "$(kept --context 3s 'time == 5s')" = "2 3 5 7 8" ]
	[ "$(kept --context 2000ms 'time == 1s || time == 10s')" = "1 3 8 10" ]
	[ "$(kept --context 100 'time == 1s')" = "1 3 4 5 7 9 10" ]
}

@test "the idle thread of one CPU is not that of another" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all
		sample id=1 pid=0 cpu=0 time=1000000000 ip=1
		sample id=1 pid=0 cpu=1 time=1000000001 ip=1
		sample id=1 pid=0 cpu=0 time=1000000002 ip=2
		round
	END
	[ "$(kept --context 1s 'ip == 2')" = "1 1" ]
}

@test "--context is what a plain reading of its rule gives, on a stream in disorder" {
	pp-gen --samples 3000 --cpus 3 --pids 20 --disorder 2ms --rounds 20 >in.pipe
	pp-filter --context 30ms 'ip % 97 == 0' -i in.pipe -o out.pipe
	json in.pipe | jq -r 'select(.type == "SAMPLE") | .fields | [.time, .tid, .cpu, .ip] | @tsv' |
		sort -n >all
	perl -ane 'push @all, [@F]; END { my @m = grep { hex($_->[3]) % 97 == 0 } @all;
		for my $s (@all) {
			print "$s->[0] $s->[1]\n" if grep { abs($_->[0] - $s->[0]) <= 30e6 &&
				($_->[1] == $s->[1] && $s->[1] || $_->[2] == $s->[2]) } @m;
		} }' all >expected
	json out.pipe | jq -r 'select(.type == "SAMPLE") | .fields | "\(.time) \(.tid)"' >got
	[ "$(wc -l <got)" -gt 50 ]
	[ "$(wc -l <got)" -lt 3000 ]
	diff expected got
	sound out.pipe
	[ "$(types out.pipe | sed 's/SAMPLE=[0-9]*//')" = "$(types in.pipe | sed 's/SAMPLE=[0-9]*//')" ]
}

@test "with --context events are told before the formats of their tracepoints, as they were" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=2 config=5 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all
		tracing bytes=5000
		comm pid=7 comm=a synthesized
		sample pid=7 time=1000000000 ip=1 raw=00
		round
	END
	pp-filter --context 1s 'ip == 1' -i in.pipe -o out.pipe
	same_bytes in.pipe out.pipe
}

@test "--context goes with -n, with names and with seals" {
	pp-gen --samples 2000 --cpus 2 --rounds 20 >in.pipe
	pp-filter --context 10ms -n 1 'comm != ""' -i in.pipe -o out.pipe
	sound out.pipe
	[ "$(records -s out.pipe | wc -l)" -ge 1 ]
	[ "$(records -s out.pipe | wc -l)" -lt 2000 ]
	pp-info out.pipe >info
	grep -q 'seals *sound, to the end' info
}
