# terminal.bats - pp-top on a terminal (of tmux): keys that are typed, its size, and the end.

setup() {
	load ../../helper
	load top
	terminal=pp-top-$$-$BATS_TEST_NUMBER
	servers=()
	export TMUX_TMPDIR=$PWD # its servers have their sockets here
}

# A server is a child of its test, in the group of the run, so that it ends with either.
teardown() {
	[ "${#servers[@]}" -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
	wait
}

# on_terminal COMMAND: begins it there, 80 columns and 12 lines; says its status when it has ended
on_terminal() {
	need tmux
	# one that was told to end may not have done so yet
	terminal=${terminal%+*}+$((++terminals))
	{
		echo "$1"
		# shellcheck disable=SC2016 # for the shell there
		echo 'echo "status $?, $(stty -a | grep -oE " -?(echo|icanon)( |$)" | tr -d "\n ")"; read -r _'
	} >terminal.sh
	tmux -D -L "$terminal" -f /dev/null >tmux.out 2>&1 3>&- 4>&- &
	servers+=($!)
	until tmux -N -L "$terminal" new-session -d -x 80 -y 12 "LC_ALL=C.UTF-8 bash terminal.sh 2>&1" 2>tmux.err; do
		kill -0 $! 2>/dev/null || skip "tmux does not run here"
		sleep 0.05
	done
}

keys() { tmux -L "$terminal" send-keys "$@"; }
screen() { tmux -L "$terminal" capture-pane -p; }

# shows PATTERN...: each is on the screen at the same time, half a minute from now at the latest
shows() {
	local pattern missing
	for ((i = 0; i < 300; i++)); do
		screen >screen
		missing=
		for pattern; do grep -qE -e "$pattern" screen || missing=$pattern; done
		[ "$missing" ] || return 0
		sleep 0.1
	done
	echo "not there: $missing"
	cat screen
	return 1
}

# live: a stream on its way, to which feed adds lines
live() {
	mkfifo pipe
	sent=0
	on_terminal 'pp-top --interval 0.1 --decay 0 <pipe'
	exec 5>pipe
}
# and which returns when they were taken
feed() {
	cat >>lines
	build <lines >whole
	tail -c +$((sent + 1)) whole >more
	perl "$TESTS/trickle.pl" more 65536 >&5
	sent=$(stat -c %s whole)
}

@test "top: on a terminal the table stays after the end of the input, callers open, and q leaves it as it was" {
	small | build >in
	on_terminal "pp-top in"
	shows 'pp-top: 4 samples of cpu-clock in 0.3 s, 0 lost, ended' ' 75.00% +3 \[kernel\] +\+ \[k\] inner$' \
		' 25.00% +1 \[kernel\] +\+ \[k\] outer$' '^q leave'
	keys Enter
	shows '75.00% +3 .* - \[k\] inner' '75.00% +3 .*   \+ \[k\] outer'
	keys Down Right
	shows '50.00% +2 +\+ seven|50.00% +2 +  seven' '25.00% +1 + +eight_up'
	keys Up Left
	shows '75.00% +3 .* \+ \[k\] inner' '25.00% +1 \[kernel\] +\+ \[k\] outer$'
	keys T
	shows '50.00% +2 +\+ seven'
	keys T s s c
	shows 's sort: dso' 'COMM' 'seven .*inner' 'eight_up .*inner'
	keys h
	shows 'page up, page down' 'a span of time'
	keys x q
	shows 'status 0, icanonecho'
}

@test "top: a filter is typed while it runs; what is wrong with it is said, and it counts from then on" {
	live
	feed < <(head_of; hit 7 1000 $inner; echo round; echo round)
	shows 'pp-top: 1 sample of cpu-clock' 'inner'
	keys / 'comm == "eig' Enter
	shows 'filter: comm == "eig_ .*the string has no end'
	keys BSpace BSpace BSpace 'eight up"' Enter
	shows 'pp-top: 0 samples of cpu-clock .* of those where comm == "e'
	feed < <(hit 7 1100 $inner; hit 8 1200 $outer; hit 8 1300 $outer; echo round; echo round)
	shows 'pp-top: 2 samples of cpu-clock' '100.00% +2 \[kernel\] +\+ \[k\] outer'
	keys p
	shows ', paused'
	feed < <(hit 8 1400 $outer; echo round; echo round)
	keys p / C-u Enter
	shows 'pp-top: 0 samples of cpu-clock in 0.0 s, 0 lost$'
	feed < <(hit 7 1500 $inner; echo round; echo round)
	shows 'pp-top: 1 sample of cpu-clock'
	keys z
	shows 'pp-top: 0 samples of cpu-clock'
	exec 5>&-
	shows 'ended'
	keys q
	shows 'status 0, icanonecho'
}

@test "top: on a terminal keys are typed, lines by keys open, and are in the order of each column" {
	live
	feed < <(many; echo round)
	shows 'pp-top: 40 samples' '50.42% +20 .*inner' 'k keys'
	keys k 'comm,nothing' Enter
	shows "^keys: comm,nothing_  \\(no key 'nothing': there are pid, comm"
	keys C-u 'srcline' Enter
	shows "^keys: srcline_  \\(.srcline. has to be among the keys of the command line"
	keys C-u 'trace' Enter
	shows "^keys: trace_  \\(.trace. has to be among the keys of the command line"
	keys C-u 'cpu,sym' Enter
	shows 'pp-top: 0 samples' '^OVERHEAD +SAMPLE CPU SYMBOL' 's sort: as asked'
	feed < <(hit 7 3000 $outer 5; hit 7 3001 $outer 5; echo sample id=1 misc=1 pid=7 cpu=1 time=3002000000 \
		ip=0xffffffff81000110 period=30 callchain=-128,$inner; echo round; echo round)
	shows ' 75.00% +1 +1 \+ \[k\] inner' ' 25.00% +2 +0 \+ \[k\] outer'
	keys Enter
	shows ' 75.00% +1 +1 - \[k\] inner' ' 75.00% +1 +outer'
	keys Left c
	shows 'k has other keys: comm is one' '\+ \[k\] inner'
	keys c s s
	shows 's sort: sample'
	shows ' 25.00% +2 +0 .*outer'
	[ "$(grep -n 'outer' screen | cut -d : -f 1)" = 3 ]
	keys t
	shows 'seven' 't table'
	keys t k C-u Enter
	shows '^OVERHEAD +SAMPLE DSO' 'pp-top: 0 samples'
	exec 5>&-
	shows 'ended'
	keys k
	shows 'the input has ended, and a key is for what comes: --sort is for all of it'
	keys q
	shows 'status 0, icanonecho'
}

@test "top: a file is read again for another filter, another span of time and other keys, and nothing of it fades" {
	{
		head_of
		hit 7 1000 $inner
		hit 8 9000 $outer
		hit 7 9100 $outer
		hit 8 19500 $inner
		echo round
	} | build >in
	on_terminal "pp-top --filter 'pid == 7 || pid == 8' in"
	shows 'pp-top: 4 samples .* ended, of those where pid == 7' ' 50.00% +2 \[kernel\] \+ \[k\] inner$' 'a annotate'
	keys / C-u 'pid == 8 &&' Enter
	shows '^filter: pid == 8 &&_  \(byte 11: '
	keys C-u 'pid == 8' Enter
	shows 'pp-top: 2 samples of cpu-clock in 18.5 s, 0 lost, ended, of those where pid == 8$'
	keys t '8' Enter
	shows '^times FROM,TO: 8_  \(is not a span of time'
	keys C-u '+1,+10' Enter
	shows 'pp-top: 1 sample .* where \(pid == 8' '100.00% +1 .* outer$'
	keys / C-u Enter
	shows 'pp-top: 2 samples .* where time in' '100.00% +2 .* outer$'
	keys t C-u '-0.1,' Enter
	shows 'pp-top: 1 sample .* where time >= -' '100.00% +1 .* inner$'
	keys t C-u Enter
	shows 'pp-top: 4 samples of cpu-clock in 18.5 s, 0 lost, ended$' ' 50.00% +2 '
	keys k comm,sym Enter
	# as wide as what they hold
	shows '^OVERHEAD SAMPLE COMM     SYMBOL$' '^  25.00%      1 eight up \+ \[k\] inner$'
	keys k C-u srcfile,trace Enter
	shows '^OVERHEAD SAMPLE SRCFILE TRACE$'
	keys k C-u Enter z p
	shows '^OVERHEAD SAMPLE DSO      SYMBOL$' 'pp-top: 4 samples .* ended$'
	keys q
	shows 'status 0, icanonecho'
}

@test "top: of a file the lines and the instructions of a function are shown, as pp-annotate has them" {
	need objdump
	small | build >kernel
	load ../annotate/annotate
	source_of_prog
	program prog
	spread prog work | weighed "$PWD/prog" "$(id_of prog)" >in
	pp-annotate in | sed -n '2p;/\./s/ *$//p' | grep -E '^ +[0-9]+\.[0-9]+ +[0-9]+  ' | sort -rn | sed -n 1p >line
	[ -s line ]
	on_terminal "pp-top in"
	shows 'ended' '\[\.\] work$'
	keys a
	shows '^work$' '^q back  a instructions'
	grep -qFf line screen
	keys a
	shows '^q back  a lines' '^ +[0-9]+\.[0-9]+ +>? +[0-9a-f]+'
	keys End
	shows '^q back  a lines'
	keys q
	shows 'ended' '\[\.\] work$' 'a annotate'
	keys k pid Enter
	shows '^OVERHEAD SAMPLE +PID'
	keys a
	shows 'there is no function on this line'
	keys / 'pid == 8' Enter
	shows 'pp-top: 0 samples'
	keys / C-u Enter k C-u Enter
	shows 'pp-top: [1-9][0-9]* samples' '\[\.\] work$'
	keys q
	shows 'status 0, icanonecho'
	on_terminal 'pp-top kernel'
	shows 'inner$'
	keys a
	shows 'in no file is a sample of inner itself' 'inner$'
	keys q
	shows 'status 0, icanonecho'
}

@test "top: a file whose raw stacks were unwound, and one that is a stream on its way, are not read again" {
	live
	feed < <(small; echo round)
	shows 'pp-top: 4 samples'
	keys a
	shows 'only functions of a file are annotated'
	exec 5>&-
	shows 'ended'
	keys /
	shows 'the input has ended, and a filter is for what comes: --filter is for all of it'
	keys q
	shows 'status 0, icanonecho'
	build >stacks <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all sample_regs_user=0x1c0 sample_stack_user=64
		feature ARCH string "x86_64"
		comm pid=7 comm=seven time=500
		sample pid=7 time=1000000000 misc=2 ip=0x1000 callchain= regs_user=2:0x8010,0x8000,0x1000 stack_user=$(printf '%0128d' 0):64
		round
	END
	on_terminal 'pp-top stacks'
	shows 'ended'
	keys /
	shows 'its raw stacks were unwound while it was read'
	keys q
	shows 'status 0'
}

@test "top: it follows the size of the terminal, also a very small one" {
	{
		head_of
		for i in {0..9}; do echo "ksymbol addr=0xffffffff8200${i}000 len=16 ksym_type=1 name=name_$i time=2"; done
		for i in {0..9}; do hit 7 100$i "0xffffffff8200${i}000"; done
		echo round
	} | build >in
	on_terminal "pp-top in"
	shows name_0 name_8
	run grep -c name_9 screen
	assert_output 0
	keys End
	shows name_9
	tmux -L "$terminal" resize-window -x 60 -y 20
	keys Home
	shows name_0 name_9 '^q leave'
	tmux -L "$terminal" resize-window -x 10 -y 2
	shows 'pp-top: 10'
	tmux -L "$terminal" resize-window -x 80 -y 12
	shows name_0 '^q leave'
	keys NPage
	shows name_9
	keys q
	shows 'status 0'
}

@test "top: ^C, a signal, and damage leave the terminal as it was, and say what there is to say" {
	small | build >in
	on_terminal "pp-top in"
	shows 'ended'
	keys C-c
	shows 'status 0, icanonecho'
	tmux -L "$terminal" kill-server
	on_terminal 'sh -c "echo \$\$ >pid; exec pp-top in"'
	shows 'ended'
	kill -TERM "$(cat pid)"
	shows 'status 143, icanonecho'
	tmux -L "$terminal" kill-server
	head -c $(($(stat -c %s in) - 20)) in >cut
	on_terminal "pp-top cut"
	shows 'cut: .*inside' 'inner'
	keys q
	shows 'pp-top: cut: .*inside' 'status 3, icanonecho'
}

# bats test_tags=T3-B13
@test "top: where another job has the terminal, as below timeout, it prints plain text, and a signal ends it" {
	small | build >in
	# shellcheck disable=SC2016 # for perl
	on_terminal "perl -e 'setpgrp; exec @ARGV' pp-top in"
	shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
	tmux -L "$terminal" kill-server
	mkfifo pipe
	on_terminal 'timeout 0.3 pp-top <pipe'
	exec 5>pipe
	shows 'status 124, icanonecho'
	exec 5>&-
	tmux -L "$terminal" kill-server
	mkfifo other
	on_terminal 'timeout 0.3 pp-top <other'
	exec 5>other
	head -c 200 in >&5
	shows 'status 124, icanonecho'
	exec 5>&-
}

@test "top: it leaves when its terminal has gone, also where no signal says so" {
	[ -c /dev/ptmx ] || skip "no /dev/ptmx here"
	small | build >in
	mkfifo pipe
	exec 5<>pipe
	cat in >&5
	for from in 'in ended' 'pipe pp-top:'; do
		# shellcheck disable=SC2016 # for the shell there
		TERM=xterm run -0 perl "$TESTS/tools/top/hangup.pl" "${from#* }" sh -c 'exec pp-top <"$0"' "${from% *}" 3>&- 5>&-
	done
	exec 5>&-
}

@test "top: names cannot move the cursor, and wide ones take the cells that they need" {
	{
		head_of
		printf '%s\n' 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="a\x1b[2Jb\xff|\xe6\xbc\xa2\xe5\xad\x97|\xe2\x80\xaex" time=2'
		hit 7 1000 0xffffffff81000200
		echo round
	} | build >in
	on_terminal "pp-top in"
	shows 'a\\x1b\[2Jb\\xff\|漢字\|\\xe2\\x80\\xae'
	keys q
	shows 'status 0'
	on_terminal "pp-top -s pid,sym in"
	shows 'PID' 'a\\x1b\[2Jb\\xff\|漢字\|\\xe2\\x80\\xae'
	keys q
	shows 'status 0'
}

@test "top: without a screen that will do, it prints plain text" {
	# ncurses keeps what it began for a terminal that it does not know
	echo leak:new_prescr >kept
	export LSAN_OPTIONS=suppressions=$PWD/kept:print_suppressions=0
	small | build >in
	for before in TERM= TERM=dumb TERM=no-such-terminal; do
		on_terminal "$before pp-top in"
		shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
		tmux -L "$terminal" kill-server
	done
	on_terminal "TERM=no-such-terminal pp-top in 2>said"
	shows 'status 0'
	assert_equal "$(cat said)" 'pp-top: the terminal no-such-terminal has no entry in terminfo here: plain text is shown'
	tmux -L "$terminal" kill-server
	on_terminal "pp-top --stdio in"
	shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
	tmux -L "$terminal" kill-server
	on_terminal "pp-top --once in"
	shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
}

# bats test_tags=T3-E2
@test "top: no server of a terminal is left when the test has ended" {
	on_terminal true
	shows 'status 0'
	[ "$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/${servers[0]}/status")" -eq "$BASHPID" ]
	teardown
	run ! kill -0 "${servers[0]}"
	run ! screen
}

# bats test_tags=T3-E4
@test "top: of raw stacks the screen says how they ended, and q ends who unwinds them" {
	local pid
	live
	feed <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all sample_regs_user=0x1c0 sample_stack_user=64
		feature ARCH string "x86_64"
		comm pid=7 comm=seven time=500
		sample pid=7 time=1000000000 misc=2 ip=0x1000 callchain= regs_user=2:0x8010,0x8000,0x1000 stack_user=$(printf '%0128d' 0):64
		round
		sample pid=7 time=2000000000 misc=2 ip=0x1000 callchain= regs_user=2:0x8010,0x8000,0x1000 stack_user=$(printf '%0128d' 0):64
		round
	END
	shows '1 samples? of cpu-clock'
	for pid in $(pgrep -f '^pp-top --interval 0.1'); do
		[ "$(cat "/proc/$pid/comm")" != pp-unwind ] || break
	done
	[ "$(cat "/proc/$pid/comm")" = pp-unwind ]
	keys q
	shows 'status 0'
	# the kernel ends it when pp-top ends, which may not call kill(); init has to look after it then
	for _ in {1..200}; do
		[ -e "/proc/$pid" ] || break
		sleep 0.05
	done
	[ ! -e "/proc/$pid" ]
	exec 5>&-
	on_terminal 'pp-top whole'
	shows 'whole: 2 stacks: 2 complete'
	keys q
	shows 'pp-top: whole: 2 stacks: 2 complete' 'status 0'
}
