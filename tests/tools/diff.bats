#!/usr/bin/env bats
# diff.bats - pp-diff: what became slower between two sides of recordings, and how sure that is.

setup() {
	load ../helper
	load names
}

# recording FILE OUTER INNER [LINE...]: one of two functions, which weigh so many ms, most of it in samples of 10 ms;
# more lines come before them
recording() {
	local file=$1 outer=$2 inner=$3
	shift 3
	{
		head_with CALLCHAIN
		printf '%s\n' "$@"
		samples "$outer" "$K"
		samples "$inner" "0xffffffff81000110,$K"
		echo round
	} | build >"$file"
}

# samples MS CHAIN
samples() {
	[ "$1" -lt 10 ] || printf '%s\n' "repeat $(($1 / 10)) {" \
		"sample id=1 pid=7 tid=7 time=\$(i*20000000+1000) period=10000000 callchain=-128,$2" '}'
	[ $(($1 % 10)) -eq 0 ] ||
		echo "sample id=1 pid=7 tid=7 time=2000 period=$(($1 % 10))000000 callchain=-128,$2"
}

# sides MORE: a folder for each side, of five recordings; on the second `inner` weighs so many ms more
sides() {
	local i
	mkdir -p a b
	for i in 1 2 3 4 5; do
		recording "a/$i" $((400 + i)) $((200 + i % 3))
		recording "b/$i" $((402 - i % 2)) $((200 + $1 + i % 2))
	done
}

# verdicts ARG...: "VERDICT NAME" for each line of the table
verdicts() { pp-diff --csv --all "$@" | tr -d '\r' | awk -F, 'NR > 1 { print $3, $2 ? $2 : $1 }'; }

@test "diff: of five runs of each side a function that takes a tenth more is worse, and the other is the same" {
	sides 20
	run -0 verdicts a/* -- b/*
	assert_output $'worse total\nworse inner\nsame outer'
	run -0 verdicts b/* -- a/*
	assert_output $'better total\nbetter inner\nsame outer'
	run -0 pp-diff a/* -- b/*
	assert_line --index 0 '5 recordings before, 5 after; processor time'
	assert_line --regexp '^worse +\+9\.[0-9] % .* inner$'
	refute_line --partial outer
	assert_line 'the same, within 3 %: 1'
}

@test "diff: the gate fails for what became worse by more than its per cent, and for nothing else" {
	sides 20
	run -1 pp-diff --fail-if-worse 3 a/* -- b/*
	run -0 pp-diff --fail-if-worse 15% a/* -- b/*
	run -0 pp-diff --fail-if-worse 3 b/* -- a/*
	run -0 pp-diff --fail-if-worse 3 a/* -- a/*
	# four runs may be far away by chance
	run -0 --separate-stderr pp-diff --fail-if-worse 3 a/[1-4] -- b/[1-4]
	[ "$stderr" = "pp-diff: fewer than 5 recordings of a side never fail: --fail-if-worse" ]
	run -2 pp-diff --fail-if-worse much a/* -- b/*
	# a change of nothing counts, and so does what takes nothing
	run -0 verdicts --margin 0 --floor 0 a/* -- b/*
	assert_output $'worse total\nworse inner\nsame outer'
	run -0 verdicts --margin 50% a/* -- b/*
	refute_line --partial worse
	run -0 verdicts --floor 50 a/* -- b/*
	assert_line 'light inner'
}

@test "diff: sides and runs are those of the notes, in whatever order files are named" {
	local i
	sides 20
	for i in 1 2 3 4 5; do
		pp-inject --note side=base --note run=$i a/$i -o x$((i * 7 % 5)).pipe
		pp-inject --note side=new --note run=$i b/$i -o y$((i * 3 % 5)).pipe
	done
	pp-diff --csv a/* -- b/* >expected
	pp-diff --csv x* y* | cmp expected -
	pp-diff --csv x[0-2]* y* x[34]* | cmp expected -
	pp-diff --csv --paired a/* -- b/* >expected
	pp-diff --csv --paired x* y* | cmp expected -
	run -2 pp-diff x*
	assert_output 'pp-diff: all recordings are of one side'
	run -2 pp-diff x* a/1
	assert_output -p 'a/1: it has no note side=...'
	pp-inject --note side=third a/1 -o z
	run -2 pp-diff x* y* z
	assert_output -p 'there are more than two sides: base, new and third'
}

@test "diff: one recording of each side is judged by parts of it, and never fails by itself" {
	recording a 3000 1500
	recording b 3000 3000
	run -0 --separate-stderr pp-diff --fail-if-worse 3 a -- b
	assert_line --index 0 'within these two runs alone: another run of either may be as far away'
	assert_line --regexp '^worse +\+9[0-9]\.. % .* inner$'
	[ "$stderr" = "pp-diff: fewer than 5 recordings of a side never fail: --fail-if-worse, but with --one-run" ]
	run -1 pp-diff --fail-if-worse 3 --one-run a -- b
	run -0 pp-diff --fail-if-worse 3 --one-run a -- a
	run -2 pp-diff --one-run a a -- b b
}

@test "diff: what is not comparable is said, with what to do, and is status 2 unless it is forced" {
	sides 20
	recording lossy 4000 2000 'lost id=1 lost=70 pid=7 tid=7 time=50'
	run -2 pp-diff a/* -- b/[1-4] lossy
	assert_line --partial 'pp-diff: lossy: 10.4 % of the events were lost (70 of 670): use larger buffers'
	assert_line 'pp-diff: the recordings are not comparable; --force compares them all the same'
	run -0 pp-diff -q --force a/* -- b/[1-4] lossy
	build >empty <<<$'header\nattr id=1 sample_type=IP,TID,TIME flags=\nround'
	run -2 pp-diff a/* -- b/[1-4] empty
	assert_line 'pp-diff: empty: it has no samples'
	for i in 1 2; do
		recording "k$i" 100 100 "feature HOSTNAME string \"host$i\"" "feature OSRELEASE string \"6.$i\""
	done
	run -2 pp-diff k1 a/1 -- k2 a/2
	assert_line "pp-diff: k2: recorded on host2, host1 of k1: record both on one machine"
}

@test "diff: units are functions, with what they call too, files, stacks and programs" {
	sides 20
	run -0 verdicts --inclusive a/* -- b/*
	assert_output $'worse total\nworse inner\nworse outer'
	run -0 verdicts --by stack a/* -- b/*
	assert_output $'worse total\nworse outer;inner\nsame outer'
	run -0 verdicts --by dso a/* -- b/*
	assert_output $'worse total\nworse [kernel.kallsyms]'
	run -0 verdicts --by comm a/* -- b/*
	assert_output $'worse total\nworse seven'
	run -2 pp-diff --by file a/* -- b/*
}

@test "diff: costs are those of a run, a second, or an operation of a note, or shares" {
	local i
	sides 0
	for i in 1 2 3 4 5; do
		pp-inject --note ops=100 a/$i -o a/$i.ops
		pp-inject --note ops=50 b/$i -o b/$i.ops
		recording "c$i" $((800 + i)) $((450 + i))
	done
	run -0 verdicts --per ops a/*.ops -- b/*.ops
	assert_output $'worse total\nworse outer\nworse inner'
	run -0 pp-diff --per ops a/*.ops -- b/*.ops
	assert_line --index 0 '5 recordings before, 5 after; processor time per ops'
	run -2 pp-diff --per ops a/[1-5] -- b/*.ops
	assert_output -p 'it has no number in a note ops'
	run -2 pp-diff --per ops --per-second a/* -- b/*
	run -0 verdicts --per-second a/[1-5] -- b/[1-5]
	assert_output $'same total\nsame outer\nsame inner'
	# twice as long, of which `inner` is an eighth more: of two functions each is the measure of the other
	run -0 verdicts --share a/[1-5] -- c*
	assert_line 'worse total'
	assert_line 'worse inner'
	assert_line 'better outer'
}

@test "diff: text, Markdown, CSV and JSON say the same" {
	sides 20
	pp-diff --json a/* -- b/* >json
	run -0 jq -se '.[0].schema == "perfpipe.diff/1"' json
	[ "$(jq -r 'select(.kind == "recording") | "\(.side) \(.run) \(.name)"' json | head -n 6 | paste -sd,)" = \
		'before 0 a/1,before 1 a/2,before 2 a/3,before 3 a/4,before 4 a/5,after 0 b/1' ]
	[ "$(jq -r 'select(.kind != "recording" and .kind) | "\(.verdict) \(.name // .kind)"' json)" = \
		"$(verdicts a/* -- b/*)" ]
	run -0 jq -se '.[] | select(.name == "inner") | .low < .change and .change < .high and .change > 0.09' json
	pp-diff --markdown a/* -- b/* >markdown
	grep -q '^| verdict | change | interval | before | after | function |$' markdown
	pp-diff a/* -- b/* --markdown | cmp markdown -
	grep -qE '^\| worse \| \+9\.[0-9] % \| .* \| `inner` \|$' markdown
}

@test "diff: new and vanished functions are said to be that" {
	local i
	for i in 1 2 3 4 5; do
		recording "a$i" $((400 + i)) 0
		recording "b$i" 0 $((800 + i))
	done
	run -0 pp-diff a* -- b*
	assert_line --regexp '^worse +new +0 ns +80[0-9] ms +inner$'
	assert_line --regexp '^better +gone +40[0-9] ms +0 ns +outer$'
}

@test "diff: a folder for --root that is not there, or is none, is said, and recordings are compared" {
	sides 20
	run -0 --separate-stderr pp-diff --root nowhere a/* -- b/*
	assert_line --regexp '^worse .* inner$'
	[[ $stderr == "pp-diff: --root: no file can be read below nowhere: No such file or directory"* ]]
	run -0 --separate-stderr pp-diff --root a/1 a/* -- b/*
	[[ $stderr == "pp-diff: --root: no file can be read below a/1: Not a directory"* ]]
	run -0 --separate-stderr pp-diff -q --root nowhere a/* -- b/*
	[ -z "$stderr" ]
	run -2 pp-diff --json --csv a/* -- b/*
}

@test "diff: a damaged recording is compared as far as it is good, with status 3; one that is none is not" {
	sides 20
	head -c $(($(stat -c %s b/5) - 200)) b/5 >cut
	run -3 pp-diff -q --force a/* -- b/[1-4] cut
	assert_line --partial 'total'
	echo text >text
	run -3 pp-diff a/* -- b/[1-4] text
	refute_line --partial 'VERDICT'
	run -4 pp-diff a/* -- b/[1-4] missing
	run -2 pp-diff
	run -2 pp-diff a/* -- -
}

@test "record: two commands are recorded in turns, and compared in pairs" {
	need_perf_events 2>/dev/null || true
	pp-record -q -e cpu-clock:u -g --compare 'echo a >>log' 'echo b >>log' --repeat 3 -o runs \
		--warmup 1 --pre 'echo -n p >>log' --post 'echo -n q >>log' || skip "nothing can be recorded here"
	# once without a file; then the side that is recorded first is the first one
	[ "$(tr -d '\npq' <log)" = ababbaab ]
	[ "$(tr -dc 'pq' <log)" = pqpqpqpqpqpqpqpq ]
	[ "$(echo runs/*)" = 'runs/A-00.pipe runs/A-01.pipe runs/A-02.pipe runs/B-00.pipe runs/B-01.pipe runs/B-02.pipe' ]
	pp-info runs/B-01.pipe | grep -x '# note : side = B'
	pp-info runs/B-01.pipe | grep -x '# note : run = 1'
	for i in runs/*; do pp-check "$i"; done
	run -2 pp-record --compare true false -o runs
	assert_output -p 'there are recordings of a comparison already'
	run -7 pp-record -q -e cpu-clock:u --compare 'exit 7' true -o other
	run -137 pp-record -q -e cpu-clock:u --compare true 'kill -9 $$' -o third
	run -2 pp-record --compare true -o fourth
	run -2 pp-record --compare true false
	run -2 pp-record --repeat 3 -o x true
}
