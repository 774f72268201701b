# text.bats - pp-fold and pp-flame of what perf script prints, for those who have nothing else.

setup() {
	load ../../helper
	load ../names
	load fold
}

# folded ARGUMENTS: what pp-fold makes of the text on standard input, with "|" for tabs
folded() { tr '|' '\t' | pp-fold "$@"; }

# boxes: those of a picture on standard input, but for what they weigh in words
boxes() { sed -n 's|^<g.*\(<rect [^>]*>\).*<text[^>]*>\([^<]*\)<.*|\1 \2|p'; }

# bats test_tags=T3-C8
@test "fold, flame: what pp-script prints of a stream is folded like the stream" {
	{
		head_of
		cat <<-'END'
			comm pid=9 comm="(sd-pam) 7" time=6
			comm pid=10 comm=kworker/0:1-events time=6
			mmap pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0x400000 file="/nowhere/a (b) +0x5 (c)" time=7
			mmap pid=7 tid=7 start=0x500000 len=0x1000 pgoff=0x500000 file=/tmp/perf-7.map time=7
			sample id=1 pid=7 time=1000 period=3 callchain=-128,0xffffffff81000110,0xffffffff81000010,-512,0x400010,0x500010,0x700000
			sample id=1 pid=8 tid=12 time=1100 period=4 callchain=-512,0x400010
			sample id=1 pid=9 time=1200 period=5 callchain=-512,0x1
			sample id=1 pid=10 time=1300 period=6 callchain=-128,0xffffffff81000010
			sample id=1 pid=7 time=1700 period=8 callchain=-512,0x400010
			sample id=1 pid=7 time=1900 callchain=
			round
		END
	} | build >in
	pp-script --ns -F comm,pid,tid,time,event,period,ip,sym,symoff,dso in >text
	local row
	for row in '' --pid --tid --addrs --weight=count '--weight=time --tid' '--kernel --jit'; do
		echo "row: $row"
		# shellcheck disable=SC2086 # options
		pp-fold -q $row in >expected
		# shellcheck disable=SC2086 # options
		pp-fold $row text >got
		diff expected got
		# shellcheck disable=SC2086 # options
		pp-fold $row - <text | diff expected -
	done
	trickle text 7 | pp-fold --weight=time --tid --kernel --jit | diff - <(pp-fold --weight=time --tid --kernel --jit in)
	# the picture and its colours are the same
	pp-flame -q --svg --reverse in | boxes >expected
	pp-flame --svg --reverse - <text | boxes | diff expected -
	pp-flame -q --chart --svg in | boxes >expected
	pp-flame --chart --svg text | boxes | diff expected -
	pp-flame text | grep -q 'kworker/0:1-events'
	pp-flame -q --svg --diff in in | boxes >expected
	pp-flame -q --svg --diff text in | boxes | diff expected -
	# the heap may be small
	pp-fold --stacks 1 text >least
	[ "$(wc -l <least)" -lt "$(pp-fold text | wc -l)" ]
}

# bats test_tags=T3-C8
@test "fold: what every perf prints of a program is folded like its recording" {
	need_perf_events
	prog_without_libc 'my prog'
	perf record -q -e cpu-clock:u -g -o in -- './my prog' || [ -s in ]
	perf record -q -e cpu-clock:u -o flat -- './my prog' || [ -s flat ]
	local perf options
	while read -r perf; do
		echo "$perf"
		# what a stub of the PLT is called depends on the version: a program without a libc has none
		for options in '' '--ns -F comm,pid,tid,time,event,period,ip,sym,dso' '--header -F +symoff'; do
			# shellcheck disable=SC2086 # options
			"$perf" script --no-inline $options -i in >text 2>err </dev/null || { cat err; return 1; }
			pp-fold --no-inline in >expected
			pp-fold text | diff expected -
			# shellcheck disable=SC2086 # options
			"$perf" script --no-inline $options -i flat >text 2>err </dev/null || { cat err; return 1; }
			pp-fold -q --no-inline flat >expected
			pp-fold -q text | diff expected -
		done
		"$perf" script --no-inline -F comm,tid,ip,sym -i in 2>err </dev/null >text || { cat err; return 1; }
		pp-fold --no-inline --weight=count in >expected
		pp-fold text | diff expected -
	done < <(perfs)
}

# bats test_tags=T3-C8
@test "fold: the text of perf script is read in every form" {
	folded -q >got <<-'END'
		# ========
		# captured on    : Sun Nov 29 01:11:54 2026
		# cmdline : /usr/bin/perf record a b

		a 1/2 [003]     1.000001:     10 cycles:ppp: 
		|    7f12 f(int, char)+0x1f (/bin/a)
		|    7f34 std::g<void (*)()>() const+0x2 (/bin/a (deleted))
		|    7f56 [unknown] (/lib/libx.so+0x1234)

		V8 WorkerThread 7 [001] 1.000002: 20 cycles:ppp: 
		|    7f12 in (inlined)
		  a.c:12
		|    7f12 out+0x5 (/bin/v)

		     swapper     0 [000] U    1.000003: 30 cycles:ppp:  ffffffff81000010 idle+0x1 ([kernel.kallsyms])
		      :77    77 2026-11-29 01:11:54.000001 1.5: cycles:ppp: 
		|ffffffffc0000010 [unknown] ([ext4])

		a 12 34 [000] 1.6: 5 cycles:ppp: 
		|    7f12 x

		a 1 1.7: PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 08:01 5 6]: r-xp /bin/a
		(sd-pam)  5  1.8: 7 cycles:ppp:      7ffe0000 7f123456 y+0x1 (/bin/a)
		a 1 1.9: 9 branches:      7f12 z (/bin/a) => 7f34 t (/bin/b)
		b 1 2.0: 2 cycles:ppp: 
		|    7f12 operator()(int) (/bin/a)
		 ABI:2    AX:0x0    BX:0x1
		 0x7f12/0x7f34/P/-/-/0

		b 1 2.1: 3 cycles:ppp: 

	END
	diff - got <<-'END'
		(sd-pam);y 7
		:77;[[ext4]] 1
		V8_WorkerThread;out;in 20
		a;[libx.so];std::g<void (*)()>;f 10
		a_12;x 5
		b 3
		b;operator() 2
		swapper;idle 30
	END
	# another event, its text, and a frame after it
	folded -q -e sched:sched_switch >got <<-'END'
		perl 9 [001] 1.5: sched:sched_switch: prev_comm=a b prev_pid=1 [120] S ==> next_comm=c (d) next_pid=5
		|ffffffff81000010 __schedule+0x1 ([kernel.kallsyms])

		perl 9 [001] 1.6: sched:sched_switch: prev_comm=a b prev_pid=1 ffffffff81000010 out ([kernel.kallsyms])
		perl 9 [001] 1.7: sched:sched_switch: prev_comm=a b prev_pid=1
		perl 9 [001] 1.8: cycles: 7f12 z (/bin/a)
	END
	diff - got <<-'END'
		perl 1
		perl;__schedule 1
		perl;out 1
	END
	# without times, events, names or numbers
	printf 'a b 12 \n\t7f12 x\n\n' | pp-fold --tid >got
	printf 'a b 12/13 [001] \n\t7f12 x\n\n' | pp-fold --tid >>got
	printf 'a b \n\t7f12 x\n\n' | pp-fold --tid >>got
	printf '12 1.5: cycles: \n\t7f12\n\n' | pp-fold --pid >>got
	printf 'a 12/13 cycles: \n\t7f12 (/bin/x)\n\n' | pp-fold --pid --addrs >>got
	printf 'a b  1.5: \n\t7f12 x\n\n' | pp-fold >>got
	diff - got <<-'END'
		a_b-?/12;x 1
		a_b-12/13;x 1
		a_b-?/?;x 1
		:12-?;[unknown] 1
		a-12;[x <7f12>] 1
		a_b;x 1
	END
	# of two events the first, and the other is said
	run -0 --separate-stderr folded <<-'END'
		a 1 1.5: 5 cycles:u:  7f12 x (/bin/a)
		a 1 1.6: 5 faults:  7f12 y (/bin/a)
	END
	[ "$output" = 'a;x 5' ]
	[[ "$stderr" == *'1 sample of other events than cycles:u is left out: --event chooses'* ]]
	[ "$(printf 'a 1 1.5: 5 cycles:u:  7f12 x (/bin/a)\n' | pp-fold -q -e cycles)" = 'a;x 5' ]
	# and folded stacks are added up
	[ "$(printf 'a;b 1\nc 2\na;b 4\n' | pp-fold)" = $'a;b 5\nc 2' ]
}

# bats test_tags=T3-C8
@test "fold: a line that perf script does not print is named, the others are folded, and it exits 3" {
	text=$'a 1 1.5: 5 cycles: \n\t7f12 x (/bin/a)\n\n'
	faulty() { # TEXT SAID
		run -3 --separate-stderr pp-fold <<<"$1"
		[[ "$output" == *'a;x 5'* ]] || { echo "$1: $output"; return 1; }
		[[ "$stderr" == *"$2"*'are not what perf script prints'* ]] || { echo "$1: $stderr"; return 1; }
	}
	faulty "$text"$'Segmentation fault' 'standard input: line 4: is neither the first line of a sample nor a frame of one'
	faulty "$text"$'\t7f34 lonely (/bin/a)\n' 'line 4: a frame that belongs to no sample'
	faulty "$text"$'a 1 1.6: 5 cycles: \n\t7f12 x (/bin/a)\nWarning:\n\t7f12 y (/bin/a)\n' \
		'line 6: is neither the first line of a sample nor a frame of one'
	faulty "$text"$'a 1 1.6: 5 cycles: \n\t7f34 y (/bin/a)' 'line 5: the text ends within a sample, which was left out'
	printf '%sa 1 1.6: 5 cyc' "$text" >in
	run -3 --separate-stderr pp-fold in
	[ "$output" = 'a;x 5' ]
	[[ "$stderr" == *'in: line 4: the text ends within it'*'in: 1 of 4 lines are'* ]]
	printf '%sa \0 1.6: 5 cycles:\n%s' "$text" "$text" >in
	run -3 --separate-stderr pp-fold in
	[ "$output" = 'a;x 10' ]
	[[ "$stderr" == *'line 4: has bytes that are no text'* ]]
	{ printf %s "$text"; head -c 17M /dev/zero | tr '\0' a; printf '\n%sbad\n' "$text"; } >in
	run -3 --separate-stderr pp-fold in
	[ "$output" = 'a;x 10' ]
	[[ "$stderr" == *'line 4: is longer than 16777216 bytes'*'2 of 8 lines'* ]]
	# every cut ends in 0 or 3, and what is whole is there
	printf '%s' "$text$text" >in
	for ((n = ${#text} + 1; n < 2 * ${#text}; n++)); do
		head -c "$n" in >cut
		status=0 output=$(pp-fold -q cut 2>err) || status=$?
		[ "$status" = 3 ] || { echo "$n: $status"; cat err; return 1; }
		[ "$output" = 'a;x 5' ]
	done
	# a text without threads or times, or of threads that leave their CPU
	run -2 --separate-stderr pp-fold --weight=time <<<$'a 1 cycles: 7f12 x (/bin/a)\n'
	[[ "$stderr" == *'cannot be weighed by time: it has none'* ]]
	run -2 --separate-stderr pp-fold --weight=time <<<$'a 1 1.5: context-switches: 7f12 x (/bin/a)\n'
	[[ "$stderr" == *'it does not say when threads that left their CPU run again'* ]]
	run -3 pp-fold -q <<<'no stacks at all'
	run -3 --separate-stderr pp-fold "$BIN/pp-fold"
	[[ "$stderr" == *'is neither a recording nor text of stacks'* ]]
}
