# top.bats - pp-top: what is going on, as plain text, and on a terminal (of tmux).

setup() {
	load ../helper
	terminal=pp-top-$$-$BATS_TEST_NUMBER
}

teardown() { [ ! -e tmux.used ] || tmux -L "$terminal" kill-server 2>/dev/null || true; }

# The beginning of a stream with names for the kernel's addresses and two tasks.
head_of() {
	cat <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=inner time=1
		comm pid=7 comm=seven time=5
		comm pid=8 comm="eight up" time=6
	END
}

# hit PID MS CHAIN [WEIGHT]: a sample
hit() { echo "sample id=1 pid=$1 tid=$1 time=${2}000000 period=${4:-1} callchain=-128,$3"; }
outer=0xffffffff81000010
inner=0xffffffff81000110,0xffffffff81000010

small() {
	head_of
	hit 7 1000 $inner
	hit 7 1100 $inner
	hit 8 1200 $inner
	hit 8 1300 $outer
	echo round
}

# ---- plain text

@test "top: at the end of the input a table of functions, those first that weigh most" {
	small | build >in
	pp-top in >got
	cat >expected <<-'END'
		# 0.3 s, 4 samples of cpu-clock, 0 lost
		OVERHEAD  SAMPLES OBJECT                   SYMBOL
		  75.00%        3 [kernel]                 [k] inner
		  25.00%        1 [kernel]                 [k] outer
	END
	diff expected got
	pp-top --once <in | diff expected -
	pp-top -o file in
	diff expected file
	pp-top -s symbol --fields symbol,samples in >got
	printf '%s\n' 'SYMBOL                            SAMPLES' '[k] inner                               3' \
		'[k] outer                               1' | diff - <(sed 1d got)
	pp-top --fields samples,comm,symbol in >got
	printf '%s\n' ' SAMPLES COMM             SYMBOL' '       2 seven            [k] inner' \
		'       1 eight_up         [k] inner' '       1 eight_up         [k] outer' | diff - <(sed 1d got)
	pp-top --entries 1 in | tail -n 1 | grep -q inner
}

@test "top: the tree has tasks, what they call, and what each weighs with all that it calls" {
	small | build >in
	pp-top --tree in >got
	cat >expected <<-'END'
		# 0.3 s, 4 samples of cpu-clock, 0 lost
		OVERHEAD  SAMPLES OBJECT                   SYMBOL
		  50.00%        2                          eight_up
		  50.00%        2 [kernel]                   [k] outer
		  25.00%        1 [kernel]                     [k] inner
		  50.00%        2                          seven
		  50.00%        2 [kernel]                   [k] outer
		  50.00%        2 [kernel]                     [k] inner
	END
	diff expected got
}

@test "top: a table each interval of the stream's time; older weights lose an eighth, or what --decay says" {
	{
		head_of
		for ((i = 0; i < 8; i++)); do hit 7 1$i $inner; done
		hit 7 2500 $outer
		hit 7 4800 $outer
		echo round
	} | build >in
	pp-top in | grep -v SYMBOL >got
	cat >expected <<-'END'
		# 0.0 s, 8 samples of cpu-clock, 0 lost
		 100.00%        8 [kernel]                 [k] inner

		# 2.4 s, 9 samples of cpu-clock, 0 lost
		  87.50%        7 [kernel]                 [k] inner
		  12.50%        1 [kernel]                 [k] outer

		# 4.7 s, 10 samples of cpu-clock, 0 lost
		  85.71%        6 [kernel]                 [k] inner
		  14.29%        2 [kernel]                 [k] outer
	END
	diff expected got
	pp-top --decay 0 in | tail -n 2 >got
	printf '%s\n' '  80.00%        8 [kernel]                 [k] inner' \
		'  20.00%        2 [kernel]                 [k] outer' | diff - got
	pp-top --decay 100 in | tail -n 1 >got
	echo ' 100.00%        1 [kernel]                 [k] outer' | diff - got
	pp-top --interval 10 in | grep -c '^#' >got
	[ "$(cat got)" -eq 1 ]
	pp-top --once in | grep -c 'inner\|outer' >got
	[ "$(cat got)" -eq 1 ]
}

@test "top: only samples that match the filter count, and a wrong one is shown where it is wrong" {
	small | build >in
	pp-top --filter 'comm == "seven"' in | sed 1,2d >got
	echo ' 100.00%        2 [kernel]                 [k] inner' | diff - got
	run -0 --separate-stderr pp-top --filter 'pid == 9' in
	[ "$stderr" = 'pp-top: in: no sample matched' ]
	run -2 --separate-stderr pp-top --filter 'comm == ' in
	[[ "$stderr" == *$'\n  comm == \n          ^' ]]
	run -2 --separate-stderr pp-top --filter 'time > -1s' in
	[[ "$stderr" == *'times from the end need a stream that has ended'* ]]
}

@test "top: names are text, whatever is in them" {
	{
		head_of
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="a\x1b[2Jb\x9b\xff" time=2'
		hit 7 1000 0xffffffff81000200
		echo round
	} | build >in
	pp-top in >got
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]' got
	grep -qF 'a\x1b[2Jb\x9b\xff' got
}

@test "top: stacks stay within --memory: the lightest go, and that is said" {
	{
		head_of
		echo 'ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name=often time=2'
		hit 7 1000 0xffffffff81000200 1000
		hit 7 1001 0xffffffff81000200 1000
		perl -e 'for my $i (0 .. 4999) {
			printf "sample id=1 pid=7 tid=7 time=%d period=1 callchain=-128%s\n", 2000000000 + $i,
				join "", map { $i >> $_ & 1 ? ",0xffffffff81000110" : ",0xffffffff81000010" } 0 .. 12
		}'
		hit 7 2500 0xffffffff81000200
		echo round
	} | build >in
	run -0 --separate-stderr pp-top --fields samples,symbol --memory 200k --once --interval 100 in
	[ "$stderr" = 'pp-top: the lightest stacks were dropped, to stay within --memory' ]
	[[ "$output" == *' 3 [k] often'* ]]
	[ "$(awk '{ n += $1 } END { print n }' <<<"$output")" -lt 5003 ]
	run -0 --separate-stderr pp-top --once --interval 100 in
	refute [ "$stderr" ]
}

@test "top: of a cut stream what is good is shown, and it exits 3" {
	small | build >in
	head -c $(($(stat -c %s in) - 20)) in >cut
	run -3 --separate-stderr pp-top cut
	[[ "$output" == *'[k] inner' ]]
	[[ "$stderr" == 'pp-top: cut: '*'ends inside'* ]]
	run -2 pp-top --interval 1ms in
	run -2 pp-top --decay 101 in
	run -2 pp-top --fields nothing in
	run -2 pp-top --sort nothing in
}

# ---- on a terminal


# on_terminal COMMAND: begins it there, 80 columns and 12 lines; says its status when it has ended
on_terminal() {
	need tmux
	touch tmux.used
	# one that was told to end may not have done so yet
	terminal=${terminal%+*}+$((++terminals))
	{
		echo "$1"
		# shellcheck disable=SC2016 # for the shell there
		echo 'echo "status $?, $(stty -a | grep -oE " -?(echo|icanon)( |$)" | tr -d "\n ")"; read -r _'
	} >terminal.sh
	tmux -L "$terminal" -f /dev/null new-session -d -x 80 -y 12 "LC_ALL=C.UTF-8 bash terminal.sh 2>&1" \
		3>&- 4>&- || skip "tmux does not run here"
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
	keys t
	shows '50.00% +2 +\+ seven' 't table'
	keys t s s c
	shows 's sort: object' 'COMM' 'seven .*inner' 'eight_up .*inner'
	keys h
	shows 'page up, page down'
	keys x /
	shows 'the input has ended, and a filter is for what comes'
	keys q
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
	on_terminal "pp-top --stdio in"
	shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
	tmux -L "$terminal" kill-server
	on_terminal "pp-top --once in"
	shows '^# 0.3 s, 4 samples' 'status 0, icanonecho'
}
