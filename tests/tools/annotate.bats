# annotate.bats - pp-annotate: lines and instructions of a function, and their shares.

setup() {
	load ../helper
	load annotate/annotate
}

# in: work, in which twice is inlined, is hit nine times, and other once; main is not
worked() {
	source_of_prog
	program prog
	{ spread prog work; spread prog other | head -n 1; } | weighed "$PWD/prog" "$(id_of prog)" >in
}

@test "annotate: shares of lines are those of the samples whose address is theirs" {
	need objdump
	worked
	pp-annotate --json in >out
	[ "$(sed -n 1p out)" = '{"schema":"perfpipe.annotate/1"}' ]
	[ "$(sed -n 2p out | jq -r '.function, .samples, .all_samples')" = \
		"work"$'\n'"$(spread prog work | wc -l)"$'\n'"$(($(spread prog work | wc -l) + 1))" ]
	# beside addr2line, sample by sample
	spread prog work | while read -r offset period; do
		line=$(addr2line -e prog "$(printf '%x' "$offset")")
		printf '%s %s\n' "$(sed 's/.*prog.c://; s/ .*//' <<<"$line")" "$period"
	done | awk '{ sum[$1] += $2 } END { for (line in sum) print line, sum[line] }' | sort -n >due
	jq -r 'select(.line and (.address | not) and .samples > 0) | "\(.line) \(.period)"' out |
		awk '{ sum[$1] += $2 } END { for (line in sum) print line, sum[line] }' | sort -n >got
	[ -s due ]
	diff due got
	# and all of them together are the function's
	[ "$(jq -s 'map(select(.line and (.address | not)) | .period) | add' out)" = \
		"$(sed -n 2p out | jq .period)" ]
	[ "$(jq -s 'map(select(.line and (.address | not)) | .percent) | add | round' out)" = 100 ]
}

@test "annotate: the source is shown with the share of each line, and what is inlined after it" {
	need objdump
	worked
	pp-annotate in >out
	[ "$(sed -n 1p out)" = "# work in $PWD/prog" ]
	[[ $(sed -n 2p out) == "# $(spread prog work | wc -l) of "*" samples of cpu-clock, "*" % of all; "* ]]
	[[ $(sed -n 2p out) == *"; percent: local period" ]]
	grep -qxF "$PWD/prog.c" out
	grep -qxF "$PWD/prog.c: twice, inlined from $PWD/prog.c:5" out
	grep -qE '^ *[0-9.]+ +5  x \+= twice\(i\) \^ x;$' out
	# once, of the function itself it is not
	sed '/inlined from/,$d' out | run -1 grep -E '^ *[0-9.]+ +1  static inline'
	sed '1,/inlined from/d' out | grep -qE '^ *[0-9]+\.[0-9]+ +1  static inline'
	# the same of a pipe, in pieces, and in the other byte order
	pp-annotate <in | cmp - out
	trickle in 100 | pp-annotate | cmp - out
	pp-cat --big-endian in | pp-annotate | cmp - out
}

@test "annotate: where the source is not here, lines have numbers" {
	need objdump
	worked
	rm prog.c
	pp-annotate in >out
	grep -qE '^ *[0-9]+\.[0-9]+  prog.c:5$' out
	run -1 grep 'twice(i)' out
	# nor is it taken if it is no file
	mkfifo prog.c
	pp-annotate in | cmp - out
	# nor where it is too short
	rm prog.c
	echo >prog.c
	pp-annotate in >out
	grep -qE '^ *[0-9]+\.[0-9]+  prog.c:5$' out
}

@test "annotate --asm: instructions with their shares, where jumps lead, and what is called" {
	need objdump
	source_of_prog
	program prog -fno-inline
	spread prog main | weighed "$PWD/prog" "$(id_of prog)" >in
	need_capstone in
	pp-annotate --asm in >out
	[ "$(sed -n 1p out)" = "# main in $PWD/prog" ]
	grep -qE '^ *([0-9.]+)? +>? *[0-9a-f]+:  call[q]? .* -> other' out
	spread prog work | weighed "$PWD/prog" "$(id_of prog)" >in
	pp-annotate --asm in >out
	# each target in the function is the start of a block
	sed -n 's/.*:  j.* -> \([0-9a-f]*\)\( .*\)\?$/\1/p' out | sort -u >targets
	[ -s targets ]
	while read -r target; do
		grep -qE "> +$target: " out
	done <targets
	[ "$(grep -c '>  *[0-9a-f]*: ' out)" -eq "$(wc -l <targets)" ]
	# its own line is behind each instruction that begins one
	grep -qE '; prog.c:5$' out
}

@test "annotate: without libcapstone, or without the file, addresses that were sampled have shares" {
	need objdump
	worked
	need_capstone in
	pp-annotate --asm in >whole
	mkdir hidden
	: >hidden/libcapstone.so.4
	cp hidden/libcapstone.so.4 hidden/libcapstone.so.5
	LD_LIBRARY_PATH=$PWD/hidden run -0 --separate-stderr pp-annotate --asm in
	[[ $stderr == 'pp-annotate: work: no instructions, only addresses that were sampled: libcapstone.so.'* ]]
	[[ $stderr == *' cannot be loaded' ]]
	echo "$output" >out
	[ "$(grep -cE '^ *[0-9]+\.[0-9]+ +[0-9a-f]+$' out)" -eq "$(spread prog work | wc -l)" ]
	# the same shares at the same addresses
	perl -lne 'print "$1 $2" if /^ *([0-9]+\.[0-9]+) [ >] *([0-9a-f]+)/' whole >due
	perl -lne 'print "$1 $2" if /^ *([0-9]+\.[0-9]+) [ >] *([0-9a-f]+)/' out | diff due -
	# lines need no instructions
	pp-annotate in >due
	LD_LIBRARY_PATH=$PWD/hidden run -0 --separate-stderr pp-annotate in
	[ -z "$stderr" ]
	diff due <(echo "$output")
	# names and lines of the stream need no file
	pp-symbol --lines in >named
	rm prog
	run -0 --separate-stderr pp-annotate --asm named
	[[ $stderr == *'work: no instructions, only addresses that were sampled: its file is not here' ]]
	[ "$(grep -cE '^ *[0-9]+\.[0-9]+ +[0-9a-f]+' <<<"$output")" -eq "$(spread_count)" ]
	pp-annotate -q named | grep -E '^ *[0-9]+\.[0-9]+ +5  .*twice'
}
spread_count() { pp-dump --type sample -i in | wc -l | awk '{ print $1 - 1 }'; }

@test "annotate: another file of that name is not taken for it" {
	need objdump
	worked
	program prog -O1 -Wl,--build-id=0x1234
	run -0 --separate-stderr pp-annotate in
	[ "$output" = '# no sample is in a function that has a name' ]
	[[ $stderr == *"$PWD/prog"* ]]
}

@test "annotate: functions are chosen by name, file, number and event" {
	need objdump
	worked
	pp-annotate in other | grep -x "# other in $PWD/prog"
	pp-annotate -s other in | cmp - <(pp-annotate in other)
	[ "$(pp-annotate -n 5 in | grep -c '^# .* in ')" -eq 2 ]
	[ "$(pp-annotate -n 5 in | sed -n 1p)" = "# work in $PWD/prog" ]
	pp-annotate -d prog in | cmp - <(pp-annotate in)
	pp-annotate -d "x,$PWD/prog" in | cmp - <(pp-annotate in)
	for words in '-d libc.so' '-s nothing' '-s wor'; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr pp-annotate $words in
		[ -z "$output" ]
		[ "$stderr" = "pp-annotate: in: no sample is in a function that was asked for" ]
	done
	pp-annotate -e cpu-clock in | cmp - <(pp-annotate in)
	run -0 --separate-stderr pp-annotate -e cycles in
	[ "$stderr" = "pp-annotate: in: there are no samples of cycles in it" ]
	run -2 pp-annotate -s work in other
	run -2 pp-annotate --asm --json in
	run -2 pp-annotate --percent-type half in
	run -2 pp-annotate -n 0 in
}

@test "annotate: of two events the first that has samples is shown, or the one that is asked for" {
	need objdump
	source_of_prog
	program prog
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER
		echo attr id=2 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER
		echo attr id=3 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER
		for n in 1 2 3; do echo "event_update id=$n name=made$n"; done
		echo "mmap2 pid=7 tid=7 start=0x100000000 len=0x1000000 prot=5 file=\"$PWD/prog\"" \
			"build_id=$(id_of prog) time=1"
		echo "sample id=3 pid=7 tid=7 ip=$((0x100000000 + $(at prog other))) misc=2 time=5 period=9"
		echo "sample id=2 pid=7 tid=7 ip=$((0x100000000 + $(at prog work))) misc=2 time=6 period=3"
		echo round
	} | build >in
	[ "$(pp-annotate --json in | sed -n 2p | jq -r '.event, .function')" = made2$'\n'work ]
	pp-annotate --json -e made3 in >out
	[ "$(sed -n 2p out | jq -r '.event, .function, .period')" = made3$'\n'other$'\n'9 ]
}

@test "annotate: shares are of the function or of all, by period or by number" {
	need objdump
	worked
	all=$(pp-annotate --json in | sed -n 2p | jq '.period, .samples, .all_period, .all_samples')
	# shellcheck disable=SC2086 # words
	read -r period samples all_period all_samples <<<"$(echo $all)"
	for type in local-period:period:$period local-hits:samples:$samples global-period:period:$all_period \
		global-hits:samples:$all_samples; do
		IFS=: read -r name of whole <<<"$type"
		pp-annotate --json --percent-type "$name" in >out
		[ "$(sed -n 2p out | jq -r .percent_type)" = "${name/-/ }" ]
		tail -n +3 out | jq -s "map(select((.percent - 100 * .$of / $whole) | fabs > 0.0001)) | length" >wrong
		[ "$(cat wrong)" -eq 0 ]
	done
}

@test "annotate: a damaged stream ends in 3, and what is good is shown" {
	need objdump
	worked
	pp-cat --seal in >sealed
	size=$(stat -c %s sealed)
	head -c $((size - 60)) sealed >cut
	run -3 --separate-stderr pp-annotate --json cut
	[ "$(sed -n 2p <<<"$output" | jq -r .function)" = work ]
	run -3 pp-annotate /dev/null
}

@test "annotate: names and sources that are hostile do not reach a terminal" {
	need objdump
	worked
	pp-symbol --lines in >named
	# a name of the same length
	perl -0pe 's/\bwork\0/\e[1m\0/g' named >hostile
	pp-annotate -q --no-verify hostile >out
	run -1 grep -aP '[\x00-\x08\x0b-\x1f\x7f]' out
	grep -qF '# \x1b[1m in' out
	perl -pe 's/x \+=/\e[2Jx +=/ if $. == 5' -i prog.c
	pp-annotate in >out
	grep -qF '\x1b[2Jx += twice' out
	run -1 grep -aP '[\x00-\x08\x0b-\x1f\x7f]' out
	# code that is none
	source_of_prog
	offset=$(at prog work)
	dd if=/dev/urandom of=prog bs=1 seek="$offset" count=20 conv=notrunc status=none
	pp-annotate -q --asm in >out
	grep -q '^# work in' out
}
