# sinks.bats - signals to what ends a pipeline, and readers of what it prints that take their time.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# One that cannot be written into a pipe before somebody has read most of it.
long_stream() { pp-gen --samples 6000 --callchain 6 --duration 2 --seed 3; }

long_counts() {
	build <<-END
		header
		attr id=1 type=1 config=2 sample_type=0
		stat_config entries=0:1,1:100,2:1
		repeat 4000 {
		stat id=1 cpu=-1 thread=0 val=\$(i*7+3) ena=\$(i*100000000+100000000) run=\$(i*100000000+100000000)
		stat_round type=0 time=\$(i*100000000+100000000)
		round
		}
	END
}

sinks=(script report fold flame top dump stat stat-clear stat-file)

# whole_of NAME: what it is given
whole_of() {
	case $1 in
	stat*) cat counts ;;
	*) cat samples ;;
	esac >whole
}

# shown_of NAME: what it printed, where not to standard output
shown_of() { [ "$1" != stat-file ] || cat shown; }

# sink NAME: reads standard input
sink() {
	case $1 in
	script | report | fold) exec pp-"$1" -q --root /nowhere ;;
	flame) exec pp-flame -q --root /nowhere ;;
	top) exec pp-top -q --stdio --root /nowhere --interval 10s ;;
	dump) exec pp-dump ;;
	stat) exec pp-stat -q ;;
	stat-clear) exec pp-stat -q --interval-clear ;;
	stat-file) exec pp-stat -q -o shown ;;
	esac
}

# begun NAME: it reads the fifo `to`, of which it had so much that it must have begun to
begun() {
	rm -f to
	mkfifo to
	# a shell's background ignores interrupts, and so would what it starts
	export -f sink
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' setsid -w bash -c "echo \$\$ >pid; sink $1" <to >out 2>err 3>&- &
	exec 4>to
	head -c 150000 whole >&4
	pid=$(cat pid)
}

# seen: the signal was
seen() {
	for ((tries = 0; tries < 6000; tries++)); do
		grep -q '^S[ih][gd]*Pnd:.*[1-9a-f]' "/proc/$pid/status" 2>/dev/null || return 0
		sleep 0.01
	done
	return 1
}

# alone: none of what it started is left
alone() {
	for ((tries = 0; tries < 6000; tries++)); do
		pgrep -s "$pid" >/dev/null || return 0
		sleep 0.01
	done
	return 1
}

# bats test_tags=nightly
@test "a sink outlives one interrupt, and shows all that comes after it" {
	long_stream >samples
	long_counts >counts
	for name in "${sinks[@]}"; do
		whole_of "$name"
		for signal in INT TERM HUP; do
			echo "$name, $signal"
			rm -f shown
			(sink "$name") <whole >wanted
			shown_of "$name" >>wanted
			rm -f shown
			begun "$name"
			kill -$signal "$pid"
			seen
			tail -c +150001 whole >&4
			exec 4>&-
			wait $!
			shown_of "$name" >>out
			[ -s out ]
			diff -q wanted out
			[ ! -s err ]
			alone
		done
	done
}

@test "a second interrupt ends a sink, and what it started" {
	long_stream >samples
	long_counts >counts
	for name in "${sinks[@]}"; do
		echo "$name"
		whole_of "$name"
		rm -f shown
		begun "$name"
		kill -INT "$pid"
		seen
		kill -INT "$pid"
		wait $! && status=0 || status=$?
		exec 4>&-
		[ "$status" -eq 130 ]
		alone
		[ -z "$(find . -name '*shown*')" ] # no file that looks whole
	done
}

# bats test_tags=nightly
@test "a reader that takes its time gets all that a sink prints" {
	long_stream >samples
	long_counts >counts
	for name in "${sinks[@]}"; do
		echo "$name"
		whole_of "$name"
		(sink "$name") <whole >wanted
		(sink "$name") <whole | { head -c 1 && sleep 0.2 && cat; } >out
		diff -q wanted out
	done
}

# bats test_tags=T3-B12
@test "characters that change the direction of text, or end a line, reach no terminal, page or table" {
	local all='d89c e2808e e2808f e280a8 e280a9 e280aa e280ae e281a6 e281a9 c285 c29b' name bytes command seen=0
	name=$(sed 's/ //g; s/../\\x&/g' <<<"$all")
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol
		event_update id=1 name="e$name"
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name="f${name}g" time=1
		comm pid=7 comm="c\xe2\x80\xaed\xe2\x80\xa8" time=2
		mmap2 pid=7 start=0x1000 len=0x1000 prot=5 file="/no/${name}x" time=3
		sample id=1 pid=7 tid=7 time=5 period=1 ip=0x1010 callchain=-128,0xffffffff81000010,-512,0x1010
		feature HOSTNAME string "h$name"
		round
	END
	while read -r command; do
		# shellcheck disable=SC2086 # words
		$command -i in >got 2>&1 || true
		[ -s got ]
		for bytes in $all; do
			seen=$((seen + 1))
			if LC_ALL=C grep -qaF "$(printf "$(sed 's/../\\x&/g' <<<$bytes)")" got; then
				echo "$command writes $bytes"
				return 1
			fi
		done
	done <<-'END'
		pp-dump
		pp-dump --json
		pp-dump --headers
		pp-dump --headers --json
		pp-script
		pp-script --csv
		pp-script --json
		pp-report
		pp-report --csv
		pp-report --json
		pp-annotate
		pp-annotate --json
		pp-flame
		pp-flame --svg
		pp-top --once
		pp-info
		pp-info --json
	END
	[ "$seen" -eq 187 ]
	# JSON says the same as before
	pp-dump --json in | pp-undump >back
	same_bytes in back
}

# bats test_tags=T3-B12
@test "no cell of CSV begins a formula, and numbers stay numbers" {
	local name
	for name in '=1+1' '@SUM(1)' '+1+2' '-2+3' '-bash'; do
		{
			cat <<-END
				header
				attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,ksymbol
				event_update id=1 name="$name"
				ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name="$name" time=1
				comm pid=7 comm="$name" time=2
				sample id=1 pid=7 tid=7 time=5 cpu=0 period=1 ip=0xffffffff81000010 callchain=-128,0xffffffff81000010
				round
			END
		} | build >in
		pp-report --csv -s comm,sym in | tail -n +2 | tr -d '\r' >got
		assert_equal "$(tail -n 1 got)" "'$name,100.0000,0.0000,'$name,'$name"
		pp-script --csv -F comm,event,ip,sym in | tail -n +2 | tr -d '\r' >got
		grep -qF "'$name" got
		run -1 grep -E '(^|,|")[-=+@]' got
	done
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME' 'sample pid=-1 tid=-1 time=5 ip=1' round | build >in
	[ "$(pp-report --csv -s tgid in | tr -d '\r' | tail -n 1)" = 'cpu-clock,100.0000,-1' ]
}
