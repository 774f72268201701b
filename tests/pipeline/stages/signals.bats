# signals.bats - every stage when it is interrupted, asked how far it is, or left by its reader.

setup() {
	load ../../helper
	load stages
}

@test "a stage that reads from another outlives one interrupt, and not two" {
	sorted_stream 2 >first
	{ head_lines; body 1 4; } | build | tail -c +$(($(wc -c <first) + 1)) >second
	size=$(sorted_stream 1 | wc -c)
	more=$(sorted_stream 3 | wc -c)
	for name in filter judge sort inject decompress; do
		for twice in "" yes; do
			echo "$name, twice: $twice"
			rm -f to from
			mkfifo to from
			start "$name" <to >from 2>err 3>&- &
			exec 4>to 5<from
			cat first >&4
			timeout 100 head -c "$size" <&5 >out
			kill -INT $!
			cat second >&4
			# this much comes only from a stage that has seen the interrupt and lives
			timeout 100 head -c $((more - size)) <&5 >>out
			[ "$(wc -c <out)" -eq "$more" ]
			[ -z "$twice" ] || kill -INT $!
			[ -n "$twice" ] || exec 4>&-
			wait $! && status=0 || status=$?
			exec 4>&-
			exec 5<&-
			[ "$status" -eq "$([ -z "$twice" ] && echo 0 || echo 130)" ]
			[ ! -s err ]
		done
	done
}

@test "a closed terminal, and one request to end, lose nothing of what comes from another stage" {
	sorted_stream 2 >first
	sorted_stream 3 >whole
	tail -c +$(($(wc -c <first) + 1)) whole >second
	size=$(sorted_stream 1 | wc -c)
	for signals in HUP TERM "HUP HUP TERM" "TERM TERM" "TERM INT"; do
		echo "$signals"
		rm -f to from
		mkfifo to from
		# a shell's background ignores interrupts, and so would what it starts
		perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' pp-sort <to >from 2>err 3>&- &
		exec 4>to 5<from
		cat first >&4
		timeout 100 head -c "$size" <&5 >out
		for signal in $signals; do
			kill -$signal $!
			# the next one must not come before this was seen
			for ((tries = 0; tries < 600; tries++)); do
				grep -q '^S[ih][gd]*Pnd:.*[1-9a-f]' /proc/$!/status 2>/dev/null || break
				sleep 0.1
			done
		done
		case $signals in
		*TERM*TERM* | TERM*INT)
			wait $! && status=0 || status=$?
			[ "$status" -eq $((128 + $(kill -l ${signals##* }))) ]
			;;
		*)
			cat second >&4
			exec 4>&-
			timeout 100 cat <&5 >>out
			wait $!
			same_bytes whole out
			[ ! -s err ]
			;;
		esac
		exec 4>&- 5<&-
	done
}

@test "an interrupt ends a stage that reads a file" {
	{ head_lines; echo auxtrace bytes=4000000; } | build >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		rm -f from
		mkfifo from
		start "$name" <in >from 3>&- &
		exec 5<from
		# it has begun to write, and stands before a full pipe
		timeout 100 head -c 100 <&5 >out
		kill -INT $!
		wait $! && status=0 || status=$?
		exec 5<&-
		[ "$status" -eq 130 ]
	done
}

@test "SIGUSR1 asks a stage how far it is, without ending it" {
	sorted_stream 2 >first
	{ head_lines; body 1 4; } | build | tail -c +$(($(wc -c <first) + 1)) >second
	size=$(sorted_stream 1 | wc -c)
	for name in filter judge sort inject decompress; do
		echo "$name"
		rm -f to from
		mkfifo to from
		start "$name" <to >from 2>err 3>&- &
		exec 4>to 5<from
		cat first >&4
		timeout 100 head -c "$size" <&5 >out
		kill -USR1 $!
		cat second >&4
		exec 4>&-
		timeout 100 cat <&5 >>out
		exec 5<&-
		wait $!
		run -0 cat err
		[ "${#lines[@]}" -eq 1 ]
		[[ $output =~ ^pp-[a-z]+:\ [0-9]+\ records,\ [0-9.]+\ MB\ in\ [0-9.]+\ s\ .*\ lost$ ]]
	done
}

@test "--progress closes with a line of records, samples, time and losses" {
	sorted_stream 3 >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" --progress <in >out 2>err
		same_bytes in out
		run -0 cat err
		[ "${#lines[@]}" -eq 1 ]
		[[ $output =~ ^pp-[a-z]+:\ 27\ records,\ .*\ 6\ of\ 6\ samples\ kept,\ 0.000\ s\ covered,\ 9\ lost$ ]]
	done
}

@test "a reader that leaves in mid-stream ends every stage by SIGPIPE, without a word" {
	sorted_stream 2 >first
	{ head_lines; body 1 4; } | build | tail -c +$(($(wc -c <first) + 1)) >second
	for name in filter judge sort inject decompress; do
		echo "$name"
		rm -f to from
		mkfifo to from
		start "$name" <to >from 2>err 3>&- &
		exec 4>to 5<from
		cat first >&4
		timeout 100 head -c 16 <&5 >out
		exec 5<&-
		cat second >&4 || true
		exec 4>&-
		wait $! && status=0 || status=$?
		[ "$status" -eq 141 ]
		[ ! -s err ]
	done
}
