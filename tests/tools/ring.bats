# ring.bats - pp-ring: the last minutes of a stream, let out when something happens.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
}

# long: ten seconds of four processes, some of which begin and end
long() {
	pp-gen --samples 20000 --duration 10 --pids 40 --forks 20 --exits 20 --comms 10 --callchain 6 -o in "$@"
}

# from FILE: the time of its first sample
from() { pp-script -F time "$1" | head -n 1 | tr -d ' :'; }

# same_text FILE: its samples are those of the same span of the whole recording
same_text() {
	pp-sort in | pp-filter --time "$(from "$1")," | pp-script >want
	pp-script "$1" >got
	cmp want got
	[ -s got ]
}

@test "at the end of the input the last seconds are let out as a sound stream with the same text" {
	long
	pp-ring --keep 3s --after 0 -o last.pipe in
	pp-check -q last.pipe
	same_text last.pipe
	# no less than what was asked for, and at most 1/32 more, a record apart
	pp-info last.pipe | grep -q 'ring.kept = {"asked":"3.000s","kept":"3.[01]..s","because":"keep"}'
	pp-report --stdio last.pipe >got
	pp-filter --time "$(from last.pipe)," in | pp-report --stdio >want
	diff <(grep -v '^#' want) <(grep -v '^#' got)
}

@test "all of a short recording is let out, to standard output too" {
	long
	pp-ring in >out
	pp-check -q out
	diff <(pp-sort in | pp-script) <(pp-script out)
	pp-info out | grep -q '"because":"start"'
}

@test "names of programs, maps and forks before what is kept are in the head" {
	long
	pp-ring --keep 1s --after 0 in -o last.pipe
	same_text last.pipe
	pp-dump --json last.pipe | jq -r .type | grep -q COMM
	run -1 bash -c 'pp-script last.pipe | grep unknown-name'
}

@test "--size goes before --keep, which is said once and noted" {
	long --samples 200000
	run -0 --separate-stderr pp-ring --size 200k -o last.pipe in
	[[ $stderr == 'pp-ring: --size is reached before --keep: '*' s are kept' ]]
	pp-check -q last.pipe
	pp-info last.pipe | grep -q '"because":"size"'
	same_text last.pipe
	# what it took is older than what is asked for at the end
	pp-filter 'time <= 30% || time >= 99%' -i in -o gap
	run -0 --separate-stderr pp-ring --keep 3s --after 0 --size 200k -o end.pipe gap
	[ "$stderr" = '' ]
	pp-info end.pipe | grep -q '"because":"keep"'
}

@test "files that have the same name get a number, and none is left incomplete" {
	long
	pp-ring -o x.pipe in
	pp-ring -o x.pipe in
	pp-ring -o 'y-%03u-%%' in
	[ "$(echo [xy]*)" = 'x-1.pipe x.pipe y-000-%' ]
	[ "$(stat -c %a x.pipe)" = 600 ]
	# whatever has the name, or that of the part
	mkdir z-0
	mkfifo z-0-1
	ln -s none z-0-2
	touch z-0-3.part
	pp-ring -o z-%u in
	[ "$(echo z*)" = 'z-0 z-0-1 z-0-2 z-0-3.part z-0-4' ]
}

@test "names have the time of day of the recording, where it has one" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm clockid=1
		feature CLOCK_DATA u32 1 u32 1 u64 1700000000500000000 u64 1000000000
		init
		sample pid=7 cpu=0 time=1100000000
		sample pid=7 cpu=1 time=3100000000
		round
	END
	TZ=UTC pp-ring -o '%Y%m%d-%H%M%S.pipe' in
	[ -s 20231114-221322.pipe ]
	pp-dump --json in | grep -v CLOCK_DATA | pp-undump >plain
	TZ=UTC pp-ring -o 'now-%Y.pipe' plain
	[[ $(echo now-*) == now-20[2-9]?.pipe && ! -e now-2023.pipe ]]
}

# fed: a reader of `fifo`, which stays open until the descriptor 9 is closed
fed() {
	mkfifo fifo
	pp-ring "$@" fifo 2>err &
	ring=$!
	exec 9>fifo
}

# idle: waits until all that was written to the fifo, and each signal before that, was taken
idle() {
	for _ in {1..600}; do
		# FIONREAD: what is left in the fifo
		# shellcheck disable=SC2016 # for perl
		perl -e 'ioctl STDIN, 0x541b, $left = pack "i", 0 or die; exit unpack("i", $left) != 0' <&9 &&
			grep -q '^State:.S' "/proc/$ring/status" && return
		sleep 0.05
	done
	return 1
}

# asked: the signal was sent and taken
asked() { kill -USR2 "$ring" && idle; }

# appear FILE: waits for it
appear() {
	for _ in {1..600}; do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "SIGUSR2 lets out what there is, once it is quiet, and reading goes on" {
	long
	fed --on USR2 --after 0 --apart 0 -o 'got-%u.pipe'
	head -c 300000 in >&9
	idle
	asked
	appear got-0.pipe
	pp-check -q got-0.pipe
	tail -c +300001 in >&9
	exec 9>&-
	wait "$ring"
	[ "$(echo got-*)" = 'got-0.pipe got-1.pipe' ]
	pp-check -q got-1.pipe
	cmp <(pp-sort in | pp-script) <(pp-script got-1.pipe)
}

@test "--times ends after that many, --no-last writes none at the end" {
	long
	fed --on USR2 --after 0 --times 1 -o 'got-%u.pipe'
	head -c 300000 in >&9
	idle
	asked
	appear got-0.pipe
	tail -c +300001 in >&9 || true
	exec 9>&-
	wait "$ring"
	[ "$(echo got-*)" = got-0.pipe ]
	pp-ring --no-last -o none in
	[ ! -e none ]
}

@test "a signal that comes before the stream of the last one is due is merged into it" {
	long
	fed --on USR2 --after 1h -v --no-last -o 'got-%u.pipe'
	head -c 300000 in >&9
	idle
	asked
	asked
	asked
	exec 9>&-
	wait "$ring" || [ $? -eq 3 ]
	[ "$(echo got-*)" = got-0.pipe ]
	grep -q 'triggers merged: 2, passed over: 0' err
}

@test "a signal that comes sooner than --apart after the last one is passed over" {
	long
	fed --on USR2 --after 0 -v --no-last -o 'got-%u.pipe'
	head -c 300000 in >&9
	idle
	asked
	# later than the moment of the signal
	tail -c +300001 in | head -c 600000 >&9
	appear got-0.pipe
	idle
	asked
	exec 9>&-
	wait "$ring" || [ $? -eq 3 ]
	[ "$(echo got-*)" = got-0.pipe ]
	grep -q 'triggers merged: 0, passed over: 1' err
}

# ticks: eight samples a second for ten seconds, of which that after 5 s is of another program
ticks() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		comm pid=7 comm=work
		init
		repeat 80 {
		sample pid=7 cpu=0 time=$(i*125000000+1000000000) ip=$(i)
		}
		round
		comm pid=8 comm=rare time=6000000001
		sample pid=8 cpu=0 time=6000000002 ip=0x1000
		exit pid=8 time=6000000003
		round
	END
}

# spanned FILE FROM TO: it has the samples of this span
spanned() {
	pp-check -q "$1"
	pp-sort in | pp-filter --time "$2,$3" | pp-script -F ip,time >want
	assert_equal "$(pp-script -F ip,time "$1")" "$(cat want)"
}

@test "--when lets out what was before the sample that matches, and --after it" {
	ticks >in
	for expression in 'ip == 0x1000' 'comm == "rare"' 'type == EXIT'; do
		rm -f hit
		pp-ring --keep 2s --after 500ms --when "$expression" --no-last -o hit in
		spanned hit 4 6.51
	done
	for expression in 'ip == 0x1001' 'type == FORK'; do
		pp-ring --when "$expression" --no-last -o none in
		[ ! -e none ]
	done
	# what is only there already is no occurrence
	pp-ring --when 'type == COMM && pid == 7' --no-last -o none in
	[ ! -e none ]
}

@test "--when merges what belongs to one span, and passes over what comes sooner than --apart" {
	ticks >in
	pp-ring --keep 1s --after 500ms --apart 3s --when 'pid == 7' --no-last -o 'of-%u' -v in 2>err
	[ "$(echo of-*)" = 'of-0 of-1 of-2 of-3' ]
	spanned of-0 0 1.51
	spanned of-1 3 4.51
	spanned of-3 9 10.51
	grep -q 'triggers merged: 16, passed over: 60' err
	cat of-? >once
	rm of-?
	# the same, however it is read and written
	pp-ring --keep 1s --after 500ms --apart 3s --when 'pid == 7' --no-last -o 'of-%u' <in
	cmp once <(cat of-?)
}

# times FILE: of its samples
times() { pp-script -q -F time "$1"; }

@test "--when knows functions that the stream names, and times of the wall clock only if it has them" {
	for expression in 'sym == "deflate"' 'any_sym ~ "*gz*" && comm != "sh"'; do
		pp-filter -q "$expression" "$TESTS/streams/demo.pipe" >want
		pp-ring --after 0 --when "$expression" --times 1 -o hit <"$TESTS/streams/demo.pipe"
		assert_equal "$(times hit | tail -n 1)" "$(times want | head -n 1)"
		rm hit
	done
	ticks >in
	run -2 --separate-stderr pp-ring --when 'time >= "2026-11-21 10:00:05"' -o x in
	[[ $stderr == *': the stream has no CLOCK_DATA, which gives the time of the wall clock'* ]]
	run -2 --separate-stderr pp-ring --when 'ip ==' -o x in
	[[ ${stderr_lines[1]} == '  ip ==' ]]
	run -2 --separate-stderr pp-ring --when 'no_such_field == 1' -o x in
	[ "$(echo x*)" = 'x*' ]
}

# answered COMMAND: one line of the answer
answered() {
	local line
	echo "$1" >commands
	IFS= read -r -t 60 line <&8
	echo "$line"
}

@test "--control: dump lets it out, status says what there is, ping is answered" {
	long
	mkfifo commands answers
	exec 8<>answers
	fed --control fifo:commands,answers --after 0 --apart 0 --no-last -o 'got-%u.pipe'
	head -c 300000 in >&9
	idle
	[ "$(answered ping)" = ack ]
	status=$(answered status)
	jq -e '.samples > 100 and .bytes > .compressed and .state == "waiting" and .written == 0' <<<"$status"
	[[ $(answered dump) == *ack ]]
	appear got-0.pipe
	pp-check -q got-0.pipe
	printf 'unheard\n\nstatus\n' >commands
	IFS= read -r -t 60 line <&8
	jq -e '.written == 1' <<<"$line"
	[ "$(cat err)" = "pp-ring: --control: there is no command 'unheard': use dump, status or ping" ]
	exec 9>&-
	wait "$ring" || [ $? -eq 3 ]
	[ "$(echo got-*)" = got-0.pipe ]
}

@test "--control takes a fifo, and says status on standard error without one for answers" {
	long
	mkfifo commands
	fed --control fifo:commands --no-last -o 'got-%u.pipe'
	head -c 100000 in >&9
	idle
	echo status >commands
	for _ in {1..600}; do
		[ ! -s err ] || break
		sleep 0.05
	done
	[[ $(cat err) == 'pp-ring: {"kept":"'* ]]
	exec 9>&-
	wait "$ring" || [ $? -eq 3 ]
	run -4 --separate-stderr pp-ring --control fifo:in in
	[ "$stderr" = 'pp-ring: --control: cannot open in: it is no fifo' ]
	for value in fd:3 fifo: fifo:,x in; do
		run -2 pp-ring --control "$value" in
	done
}

@test "a cut or damaged input is let out as far as it is good, with status 3" {
	long
	head -c 400003 in >cut
	run -3 pp-ring -q -o got cut
	run -3 pp-check -q got
	diff <(pp-sort cut 2>/dev/null | pp-script 2>/dev/null) <(pp-script got 2>/dev/null)
	pp-gen -i in --damage --seed 3 -o bad
	run -3 pp-ring -q -o bad.pipe bad
	[ -s bad.pipe ]
}

@test "a full disk is status 4 and leaves no part, a bad value or folder is refused" {
	long
	run -4 --separate-stderr pp-ring -o /dev/full in
	[[ $stderr == 'pp-ring: cannot write /dev/full: '* ]]
	run -4 --separate-stderr bash -c 'ulimit -f 8; trap "" XFSZ; exec pp-ring -o x in'
	[ "$stderr" = 'pp-ring: cannot write x.part: File too large' ]
	[ "$(echo x*)" = 'x*' ]
	run -4 pp-ring -o none/x in
	run -2 pp-ring -o '%Y/x' in
	run -2 pp-ring --size 1 -o x in
	run -2 pp-ring --keep 0 -o x in
	run -2 pp-ring --keep 213504d -o x in
	pp-ring --keep 213503d --after 213503d -o all in
	run -2 pp-ring --on HUP -o x in
}

@test "memory is bounded by --size, however long the stream is" {
	need_limits
	peak() { command time -f %M pp-ring -q --size 1M -o "$2" "$1" 2>&1 >/dev/null; }
	command -v time >/dev/null || skip 'there is no time(1)'
	pp-gen --samples 2e5 --duration 600 -o a
	pp-gen --samples 2e6 --duration 6000 -o b
	[ "$(peak b b.out)" -lt $(($(peak a a.out) + 8000)) ]
}
