# spans.bats - pp-filter: spans of time, from the first sample, from the last, in parts of the whole
# and by the wall clock.

setup() {
	load ../helper
	load ten
}

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
