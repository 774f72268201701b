# inputs.bats - pp-merge: inputs that are cut, sealed, live, idle, killed or large.

setup() {
	load ../../helper
	load merge
}

# ---- damage, seals, live inputs

# eventually COMMAND...: it is true sooner or later
eventually() {
	local _
	for _ in {1..6000}; do
		"$@" && return
		sleep 0.01
	done
	return 1
}

@test "of an input that is cut the rest arrives, and it is said which" {
	times a 10 30 R
	times b 20 40 R
	head -c -3 b >cut
	run -3 --separate-stderr pp-merge a cut -o out
	[[ $stderr == "pp-merge: cut: record "* ]]
	run -3 pp-sort -i out -o again
	run order out
	[[ $output == "10 20 30 40 R"* ]]
}

@test "an input that is no stream is told, and the others are merged" {
	times a 10 R
	: >empty
	run -3 --separate-stderr pp-merge a empty -o out
	[[ $stderr == "pp-merge: empty: "* ]]
	run order out
	[[ $output == "10 R"* ]]
	run -3 pp-merge empty empty -o none
	[ ! -e none ]
}

@test "an input that is not there ends it before anything is written" {
	times a 10 R
	run -4 --separate-stderr pp-merge a missing -o out
	[[ $stderr == "pp-merge: missing: "*"No such file or directory" ]]
	[ ! -e out ]
}

@test "the output is sealed where an input is, and remembers who was not" {
	times a 10 20 R
	pp-filter --seal -i a -o b
	pp-merge a b -o out
	sound out
	run -0 pp-filter -i out -o again
	same_bytes out again
	pp-merge --no-seal a b -o out
	[ "$(grep -c PPSEAL out)" -eq 0 ]
}

@test "inputs that grow are merged as far as the slowest has come" {
	mkfifo x y
	times a 10 30 R 50 R 70 R
	times b 20 40 R 60 R 80 R
	timeout 60 pp-merge x y -o out 3>&- &
	pid=$!
	trickle a 64 >x 3>&- &
	trickle b 200 >y 3>&- &
	wait $pid
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 20 30 40 50 60 70 80 " ]
}

@test "standard input twice is misuse" {
	run -2 --separate-stderr pp-merge - - </dev/null
	[[ ${stderr_lines[0]} == *"standard input can be read once only" ]]
}

@test "inputs that come in pieces, cut anywhere, are merged as files are" {
	pp-gen --seed 1 --samples 300 --tracepoints 1 -z -o a
	{
		printf '%s\n' header attr 'sample time=1000000000' 'auxtrace bytes=3000 idx=1'
		printf '%s\n' 'sample time=1000100000000' round 'auxtrace bytes=40 idx=2' round
	} | build >b
	pp-merge -q a b -o want
	[ "$(records want | grep -c AUXTRACE)" -eq 2 ]
	mkfifo x y
	timeout 100 pp-merge -q --patience forever x y -o /dev/stdout >got 3>&- &
	pid=$!
	trickle a 97 >x 3>&- &
	trickle b 61 >y 3>&- &
	wait $pid
	same_bytes want got
}

@test "an input that says nothing for ever holds the others no longer than --patience" {
	times a 10 R 30 R 50 R
	printf '%s\n' header attr | build >b
	mkfifo x y
	timeout 100 pp-merge --patience 0.1 x y -o /dev/stdout >out 3>&- &
	pid=$!
	bash -c 'exec 8>x; cat a >&8; exec 9>y; cat b >&9; exec sleep 100' 3>&- &
	writer=$!
	# all of a comes although neither input ends
	eventually bash -c 'pp-dump -i out 2>&1 | grep -q "SAMPLE *0.000000050"'
	kill $writer
	wait $pid
	run -0 order out
	[[ "$output" == "10"*"30"*"50"* ]]
}

@test "what an idle input says too late is written and counted" {
	times a 10 R 30 R 50 R 70 R
	times late 20 R 80 R
	times empty
	mkfifo x y
	timeout 100 pp-merge --patience 0.1 x y -o /dev/stdout >out 2>err 3>&- &
	pid=$!
	bash -c 'exec 8>x; cat a >&8; exec 9>y; cat empty >&9
		until pp-dump -i out 2>&1 | grep -q "SAMPLE *0.000000070"; do sleep 0.01; done
		tail -c +$(($(stat -c %s empty) + 1)) late >&9' 3>&- &
	wait $pid
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 30 50 70 20 80 " ]
	run -0 cat err
	[[ "$output" == *"y: 1 record came too late for its place"* ]]
}

@test "an input whose recorder is killed is cut, and the rest arrives" {
	pp-gen --seed 1 --samples 3000 -o a
	pp-gen --seed 2 --samples 3000 -o b
	mkfifo x
	timeout 100 pp-merge x b -o out 2>err 3>&- &
	pid=$!
	perl -e 'open A, "<", "a"; open X, ">", "x"; read A, $b, (-s "a") / 2; syswrite X, $b;
		open T, ">", "there"; sleep 100' 3>&- &
	writer=$!
	eventually test -e there
	kill -9 $writer
	status=0
	wait $pid || status=$?
	[ "$status" -eq 3 ]
	[[ "$(cat err)" == "pp-merge: x: "* ]]
	[ "$(pp-dump --json -i b | grep -c '"type":"SAMPLE"')" -eq 3000 ]
	[ "$(pp-dump --json -i out 2>/dev/null | grep -c '"type":"SAMPLE"')" -gt 3000 ]
	run -3 pp-check -q out
}

# ---- memory

# least MB MOST COMMAND...: the address space in MB, up to MOST, with which the command ends with 0;
# most of what a tool takes without any input are its libraries
least() {
	local low=1 high=$1 middle
	shift
	while [ $low -lt $high ]; do
		middle=$(((low + high) / 2))
		if prlimit --as=$((middle << 20)) "$@" >/dev/null 2>&1; then high=$middle; else low=$((middle + 1)); fi
	done
	echo $low
}

need_address_space() {
	times a 10 R
	prlimit --as=$((100 << 20)) pp-merge a >/dev/null 2>&1 || skip "what is built here needs more address space than it uses"
	nothing=$(least 100 pp-merge -q a a)
}

@test "two rounds of 17 MB are merged in their own size and 16 MB, or in what -S allows" {
	need_address_space
	for n in 1 2; do pp-gen --seed $n --samples 300000 --rounds 1 --no-seal -o $n; done
	size=$(($(stat -c %s 1) >> 20))
	# 32 bytes beside each record of some 56
	[ "$(least 500 pp-merge -q 1 2)" -le $((nothing + 16 + 2 * size * 8 / 5)) ]
	[ "$(least 500 pp-merge -q -S 4M 1 2)" -le $((nothing + 16 + 2 * 4)) ]
}

# bats test_tags=nightly
@test "long tracing data wait in a file, and are written once where they are equal" {
	need_address_space
	for n in 1 2; do printf '%s\n' header attr 'tracing bytes=60000000' "sample time=${n}0" round | build >$n; done
	[ "$(least 200 pp-merge -q 1 2)" -le $((nothing + 16)) ]
	pp-merge -q 1 2 -o out
	sound out
	[ "$(stat -c %s out)" -lt 61000000 ]
	run -0 order out
	[ "$output" = "HEADER_TRACING_DATA 10 20 R" ]
}

@test "tracing data that differ, and are longer than --size, are refused with the reason" {
	for n in 1 2; do printf '%s\n' header attr "tracing bytes=${n}000000" "sample time=${n}0" round | build >$n; done
	run -2 --separate-stderr pp-merge -S 2M 1 2 -o out
	[[ $stderr == *"2: cannot be merged with 1: "*"--size"* ]]
	[ ! -e out ]
}
