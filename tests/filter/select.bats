# select.bats - pp-filter beyond the expression: spans of time, places in the input, what is near a
# match, the first of each kind, and which types of records pass.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# Ten samples, a second apart, of threads 1 to 3 on CPUs 0 and 1; the clock is 1700000000 s behind
# that of the wall.
ten() {
	local i
	{
		echo 'header'
		echo 'attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm'
		echo 'feature CLOCK_DATA u32 1 u32 1 u64 1700000001000000000 u64 1000000000'
		echo 'comm pid=1 comm=one time=1 id=1'
		echo 'comm pid=2 comm=two time=2 id=1'
		echo 'mmap pid=1 start=0x1000 len=0x1000 file=/bin/one time=3 id=1'
		for i in 1 2 3 4 5 6 7 8 9 10; do
			echo "sample id=1 pid=$((i % 3 + 1)) cpu=$((i % 2)) time=${i}000000000 ip=0x1000"
			((i % 4)) || echo round
		done
		echo round
	} | build
}

# kept ARGUMENTS...: the seconds of the samples that pp-filter keeps of in.pipe
kept() {
	pp-filter -i in.pipe -o kept.pipe "$@" &&
		records -s kept.pipe | perl -lane 'push @t, int $F[4] / 1e9; END { print "@t" }'
}

# types FILE: how many records of each type
types() { pp-dump --json -i "$1" | jq -r '.type // empty' | sort | uniq -c | awk '{ print $2 "=" $1 }' | xargs; }

# ---- time

@test "a span of time may begin or end nowhere, at a time, or so long after the first sample" {
	ten >in.pipe
	[ "$(kept --time 3,5)" = "3 4 5" ]
	[ "$(kept --time 8,)" = "8 9 10" ]
	[ "$(kept --time ,2)" = "1 2" ]
	[ "$(kept --time +1,+2.5)" = "2 3" ]
	[ "$(kept --time 2,+2)" = "2 3" ]
}

@test "a span of time may count from the last sample" {
	ten >in.pipe
	[ "$(kept --time -2,)" = "8 9 10" ]
	[ "$(kept --time -5,-4)" = "5 6" ]
	[ "$(kept --time +7,-1)" = "8 9" ]
	[ "$(kept 'time > -1.5s')" = "9 10" ]
	[ "$(kept 'time in {-9s..-8s, -1s}')" = "1 2 9" ]
}

@test "a span of time may be a part of the whole, as perf writes it too" {
	ten >in.pipe
	[ "$(kept --time 0%,100%)" = "1 2 3 4 5 6 7 8 9 10" ]
	[ "$(kept --time 50%,)" = "6 7 8 9 10" ]
	[ "$(kept --time ,12.5%)" = "1 2" ]
	[ "$(kept --time 10%-40%)" = "2 3 4" ]
	[ "$(kept 'time in 30%..60% && cpu == 0')" = "4 6" ]
	[ "$(kept 'time < 50% && cpu == 0')" = "2 4" ]
}

@test "a percent sign between two numbers still divides" {
	ten >in.pipe
	[ "$(kept 'tid == 100 % 7')" = "1 4 7 10" ]
	[ "$(kept 'tid == 100%7')" = "1 4 7 10" ]
	[ "$(kept 'time % 2000000000 == 0')" = "2 4 6 8 10" ]
}

@test "a span of time may be of the wall clock, where the stream knows it" {
	ten >in.pipe
	# the clock's second 0 is second 1700000000 since 1970
	[ "$(kept --time @1700000003,@1700000004.5)" = "3 4" ]
	[ "$(kept --time '2023-11-14T22:13:28Z,')" = "8 9 10" ]
	[ "$(kept --time ',2023-11-15 00:13:22+02:00')" = "1 2" ]
	[ "$(TZ=UTC kept 'time >= "2023-11-14 22:13:29.5"')" = "10" ]
	[ "$(TZ=LCL-1 kept 'time in "2023-11-14 23:13:24".."2023-11-14 23:13:25"')" = "4 5" ]
}

@test "the wall clock comes from the stream as it passes, also through a pipe" {
	ten >in.pipe
	pp-filter --time @1700000003,@1700000004 <in.pipe | cat >out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 2 ]
}

@test "a stream that does not know the wall clock is refused where it is asked for" {
	ten | pp-filter --drop header_feature >in.pipe
	run -2 --separate-stderr pp-filter -i in.pipe -o out.pipe --time @1700000003,
	[[ "$stderr" == *"no CLOCK_DATA"* ]]
	[ ! -e out.pipe ]
}

@test "spans of time that are given together are joined by or" {
	ten >in.pipe
	[ "$(kept --time 1,2 --time 9,)" = "1 2 9 10" ]
	[ "$(kept --time 1,2 --time 20%,30% --time -1, -C 0)" = "2 10" ]
	[ "$(kept --invert --time 3,5 --time 7,)" = "1 2 6" ]
}

@test "what counts from the end needs an input that can be read twice" {
	ten >in.pipe
	run -2 --separate-stderr bash -c 'cat in.pipe | pp-filter --time -1,'
	[[ "$stderr" == *"an input that can be read twice: a file"* ]]
	pp-filter --time -1, <in.pipe >out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 2 ]
}

@test "what counts from the end reads twice whatever standard input is a file by" {
	ten >in.pipe
	pp-filter --time 20%,50% -i in.pipe >want
	[ "$(records -s want | wc -l)" -eq 3 ]
	# from where it stands
	echo before >after
	cat in.pipe >>after
	(read -r line && pp-filter --time 20%,50% >out.pipe) <after
	same_bytes want out.pipe
	# out of a container, which is copied
	need zstd
	zstd -q in.pipe
	pp-filter --time 20%,50% <in.pipe.zst >out.pipe
	same_bytes want out.pipe
}

@test "what counts from the end needs no permission to open standard input anew, nor /proc" {
	need setpriv unshare
	need_root
	ten >in.pipe
	pp-filter --time 20%,50% -i in.pipe >want
	chmod 600 in.pipe
	local other=(setpriv --reuid=65534 --regid=65534 --clear-groups "$BIN/pp-filter")
	"${other[@]}" --version >/dev/null || skip "another user cannot run the tools here"
	"${other[@]}" --time 20%,50% <in.pipe >out.pipe
	same_bytes want out.pipe
	once unshare unshare -m true || skip "no mount namespace can be made here"
	# a sanitizer itself needs /proc
	! sanitized || return 0
	unshare -m sh -c 'umount -l /proc && exec pp-filter --time 20%,50%' <in.pipe >out.pipe
	same_bytes want out.pipe
}

@test "where what counts from the end cannot be learned the reason is said, and nothing is written" {
	need_shim
	ten >in.pipe
	# FAULT: the class of calls (1 read, 7 seek), the error, the call that fails
	for fault in "1 5 2 0" "1 12 2 0" "7 5 1 0"; do
		echo "$fault"
		run -4 --separate-stderr env LD_PRELOAD="$SHIM" FAULT="$fault" \
			pp-filter --time 20%,50% -i in.pipe -o out.pipe
		[[ "$stderr" == "pp-filter: in.pipe: cannot read"*": "* ]]
		[ ! -e out.pipe ]
	done
}

# rounded COUNT: rounds of ten samples, from 10 to 19 us, from 20 us and so on; the first of each is late
rounded() {
	cat <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 comm=work exec time=1000
	END
	local round i
	for ((round = 1; round <= $1; round++)); do
		for ((i = 0; i < 10; i++)); do
			echo "sample pid=7 time=$(((round * 10 + (i ? i : -3)) * 1000)) cpu=0"
		done
		echo round
	done
}

@test "the stream is not read on after the last span, once rounds show that nothing older can come" {
	rounded 14 | build >in.pipe
	for options in '--time ,0.000032' '--time 0.000015,0.000032' '--time +0,+0.000025' \
		'--time ,0.000032 --first-per pid,time' '--time ,0.000032 --prune' \
		'--time 0.00001,0.00002 --time 0.00002,0.000032'; do
		echo "$options"
		# shellcheck disable=SC2086
		pp-filter $options -i in.pipe -o expected.pipe
		# what comes after the eleventh round is damaged, and nobody finds out
		at=$(records in.pipe | awk '$2 == "FINISHED_ROUND" { print $1 }' | sed -n 11p)
		head -c "$at" in.pipe >bad.pipe
		head -c 500 /dev/zero >>bad.pipe
		# shellcheck disable=SC2086
		run -0 pp-filter $options -i bad.pipe -o got.pipe
		same_bytes expected.pipe got.pipe
	done
	# all of the span are there, also the late one of the round after
	pp-filter --time ,0.000037 -i in.pipe -o got.pipe
	records -s got.pipe | awk '{ print $NF }' >got
	rounded 14 | grep ^sample | grep -oE 'time=[0-9]+' | tr -d a-z= | awk '$1 <= 37000' | sort -n >expected
	[ "$(wc -l <got)" -eq "$(wc -l <expected)" ]
}

@test "a span without an end, an inverted one and --context are read to the end" {
	rounded 8 | build >in.pipe
	head -c -3 in.pipe >cut.pipe
	for options in '--time 0.00002,' '--time ,0.00002 --invert' '--time ,0.00002 --context 1s' \
		'--time 0.00001,0.00002 --time 0.00003,'; do
		echo "$options"
		# shellcheck disable=SC2086
		run -3 pp-filter $options -i cut.pipe -o got.pipe
	done
	run -0 pp-filter --time ,0.00002 -i cut.pipe -o got.pipe
}

@test "what is not a span of time is refused, with the reason" {
	ten >in.pipe
	local span
	for span in 5 5,3 , 50%,20% 101%, x,5 '2026-13-01,' -1,-2 '1s || cpu == 0,'; do
		echo "$span"
		run -2 --separate-stderr pp-filter -i in.pipe --time "$span"
		[[ "$stderr" == *"--time: '$span' is not a span of time: expected FROM,TO in seconds or 'YYYY-MM-DD HH:MM:SS'"* ]]
	done
}

@test "--explain tells what times count from" {
	run -0 pp-filter --explain 'time > -1s || time < 10% || time > "2023-11-14"'
	[ "${lines[0]}" = "samples are tested as they arrive" ]
	[[ "${lines[1]}" == *"(from the last sample)"* ]]
	[[ "${lines[2]}" == *"(of the time between the first and the last sample)"* ]]
	[[ "${lines[3]}" == *"(by the wall clock)"* ]]
}

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
	pp-check -q out.pipe
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
	pp-check -q out.pipe
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
	pp-check -q out.pipe
	[ "$(records -s out.pipe | wc -l)" -ge 1 ]
	[ "$(records -s out.pipe | wc -l)" -lt 2000 ]
	pp-info out.pipe >info
	grep -q 'seals *sound, to the end' info
}
