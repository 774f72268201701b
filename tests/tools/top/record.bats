# record.bats - pp-top that has pp-record record what it shows.

setup() {
	load ../../helper
	load ../record/recorder
	load top
}

teardown() {
	touch stop # for commands that wait for it
	[ -z "${sleeper:-}" ] || kill "$sleeper" 2>/dev/null || true
}

# with_other STATUS: a copy of pp-top in `here`, beside a pp-record that writes its words to `words`, the stream
# `in` and two messages, and ends with this status
with_other() {
	mkdir -p here
	[ -e here/pp-top ] || cat "$(command -v pp-top)" >here/pp-top
	cat >here/pp-record <<-END
		#!/bin/sh
		printf '%s\n' "\$@" >$PWD/words
		echo 'pp-record: it has begun' >&2
		cat $PWD/in
		echo 'pp-record: it has ended' >&2
		exit $1
	END
	chmod 755 here/pp-top here/pp-record
}

# given ARGUMENT...: the words that pp-record is given for these of pp-top, in one line
given() {
	here/pp-top "$@" >out 2>err
	tr '\n' ' ' <words
}

# ---- what pp-record is asked for

# bats test_tags=T3-C6
@test "pp-record is given what is to be recorded, and its stream is shown" {
	small | build >in
	with_other 0
	pp-top in >expected
	[ "$(given -a)" = "--all-cpus -- " ]
	diff expected out
	[ "$(cat err)" = $'pp-record: it has begun\npp-record: it has ended' ]
	[ "$(given -p 7,8 -e page-faults)" = "--pid=7,8 --event=page-faults -- " ]
	diff expected out
	[ "$(given -t 7 -C 0-3 --freq 99 -g)" = "--tid=7 --cpu=0-3 --freq=99 --callchains -- " ]
	[ "$(given -q --call-graph dwarf,512 --all-cpus)" = "--call-graph=dwarf,512 --all-cpus --quiet -- " ]
	[ "$(given --once -- work -a --once)" = "-- work -a --once " ]
	[ "$(given -g --entries 1 -- work)" = "--callchains -- work " ]
	head -n 3 expected | diff - out
	# what pp-top itself is asked for is its own
	[ "$(given --filter 'pid == 7' --tree --cpu 1)" = "--cpu=1 -- " ]
	grep -q seven out
	! grep -q eight out || false
}

# bats test_tags=T3-C6
@test "the exit status of pp-record is given on, also after a stream that was shown" {
	small | build >in
	for status in 1 2 4 77; do
		with_other $status
		run -$status --separate-stderr here/pp-top -a
		[[ $output == *inner* ]]
	done
	: >in
	with_other 2
	run -2 --separate-stderr here/pp-top -a
	[ -z "$output" ]
	[ "$stderr" = $'pp-record: it has begun\npp-record: it has ended' ]
	# what is wrong with a stream is status 3, if pp-record found nothing
	small | build | head -c -20 >in
	with_other 0
	run -3 here/pp-top -a
}

# bats test_tags=T3-C6
@test "pp-record is that of pp-top's own folder, or else of PATH; if there is none, that is said" {
	small | build >in
	with_other 0
	mkdir other
	mv here/pp-record other
	PATH=$PWD/other:$PATH run -0 --separate-stderr here/pp-top -a
	[[ $output == *inner* ]]
	cp other/pp-record here
	rm words
	printf '#!/bin/sh\nexit 9\n' >other/pp-record
	PATH=$PWD/other:$PATH here/pp-top -a >out
	[ -e words ]
	rm here/pp-record
	PATH=/usr/bin:/bin run -4 --separate-stderr here/pp-top -a
	[ "$stderr" = "pp-top: cannot run pp-record: No such file or directory" ]
}

# bats test_tags=T3-C6
@test "a file is shown, and not together with what is to be recorded" {
	small | build >in
	with_other 0
	here/pp-top in >out
	here/pp-top -e cpu-clock <in | diff out -
	for option in -a --pid=7 --tid=7 -C0 --freq=9 -g --call-graph=fp; do
		run -2 --separate-stderr here/pp-top $option in
		[[ $stderr == "pp-top: --"*" is for recording, and in is a recording: "* ]]
	done
	run -2 --separate-stderr here/pp-top in -- work
	[[ $stderr == "pp-top: COMMAND is for recording, and in is a recording: "* ]]
	[ ! -e words ]
}

# bats test_tags=T3-C6
@test "alone on a terminal it records, and shows what it is told meanwhile" {
	need script
	small | build >in
	with_other 0
	pp-top in >expected
	TERM=dumb run -0 script -qec "here/pp-top" /dev/null </dev/null
	[ "$(cat words)" = -- ]
	[[ ${output//$'\r'/} == *"$(cat expected)"* ]]
	[[ $output == *"pp-record: it has begun"* ]]
}

# ---- recordings

# bats test_tags=T3-C6
@test "a command, a process, a thread and the system are recorded and shown" {
	need_events
	pp-top --once -e cpu-clock -- "${WORK[@]}" >out 2>err
	grep -q '^# .* samples\? of cpu-clock, ' out
	grep -q ' perl  *\[' out
	grep -q '^pp-record: .* samples' err
	perl -e "$busy" stop 3>&- &
	for option in -p -t; do
		pp-top -q --once --interval 0.01 -e cpu-clock $option $! >out
		grep -q ' perl  *\[' out
	done
	need_all_cpus
	pp-top -q --once --interval 0.01 -e cpu-clock -a >out
	pp-top -q --once --interval 0.01 -e cpu-clock -C "$(taskset -pc $$ | sed 's/.*[^0-9]//')" >out
	[ -s out ]
}

# bats test_tags=T3-C6
@test "what cannot be recorded is said by pp-record alone" {
	need_events
	run -2 --separate-stderr pp-top -e no-such-event -a
	[ -z "$output" ]
	[[ $stderr == "pp-record: no event is called 'no-such-event'"* ]]
	[[ $stderr != *pp-top* ]]
	run -2 --separate-stderr pp-top -p x
	[[ $stderr == "pp-record: --pid: 'x' is a name, not a number"* ]]
	run -4 --separate-stderr pp-top -e cpu-clock -- ./not-there
	[[ $stderr == *"pp-record: cannot run ./not-there: No such file or directory"* ]]
}

# bats test_tags=T3-C6
@test "a user who may not record all CPUs is told what that needs, as by pp-record" {
	need_nobody
	cat "$(command -v pp-top)" >"$open/pp-top"
	chmod 755 "$open/pp-top"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "everybody may record here"
	cd /
	run -4 --separate-stderr as_nobody "$open/pp-record" -e cpu-clock -a -o /dev/null
	local expected=$stderr
	run -4 --separate-stderr as_nobody "$open/pp-top" -e cpu-clock -a
	rm -r "$open"
	[ "$stderr" = "$expected" ]
	[ -z "$output" ]
}

# bats test_tags=T3-C6
@test "when enough was seen the recorder ends, and a command of its own with it" {
	need_events
	pp-top -q --once --interval 0.01 -e cpu-clock -- \
		perl -e 'open F, ">", "pid"; print F $$; close F; $i++ until !($i % 1000) && -e "stop"' >out
	until_true is_gone "$(cat pid)"
}

# recorder_of PID: the pp-record that it started
recorder_of() { recorder=$(cat "/proc/$1/task/$1/children") && runs ${recorder%% *} pp-record && recorder=${recorder%% *}; }

# bats test_tags=T3-C6
@test "the recorder ends with a pp-top that was killed, also if nothing is sampled" {
	need_events
	[ -e "/proc/$$/task/$$/children" ] || skip "this kernel does not list the children of a process"
	sleep 90 3>&- &
	sleeper=$!
	for n in 1 2; do
		pp-top --stdio -e cpu-clock -p $sleeper >out 2>err 3>&- &
		pid=$!
		until_true recorder_of $pid
		# until it has written its head, which pp-top waits for, its end could be that of a write
		until_true is_waiting "$recorder"
		kill -KILL $pid
		wait $pid || true
		until_true is_gone "$recorder"
	done
}
