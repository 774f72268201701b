# stages.bats - what every stage owes its neighbours: nothing lost, nothing held back, nothing
# changed that need not be, whichever filter it is and however its input comes.

setup() { load ../helper; }

# The filters, each as a stage that has nothing to do: `stage NAME [OPTION...]` reads standard
# input.  judge is pp-filter with a question that has to be asked in the order of times.
STAGES=(filter judge sort inject unwind decompress squeeze)
LETS_THROUGH='comm == "x" || pid >= 0 || pid < 0'
stage() {
	local name=$1
	shift
	case $name in
	filter) pp-filter "$@" ;;
	judge) pp-filter "$@" "$LETS_THROUGH" ;;
	sort) pp-sort "$@" ;;
	inject) pp-inject -q -b "$@" ;;
	unwind) pp-unwind -q "$@" ;;
	decompress) pp-decompress "$@" ;;
	squeeze) pp-compress "$@" | pp-decompress "$@" ;;
	esac
}

# start NAME: the same as the process that it is, with signals as a terminal would have them
start() {
	case $1 in
	filter) set -- pp-filter ;;
	judge) set -- pp-filter "$LETS_THROUGH" ;;
	sort) set -- pp-sort ;;
	inject) set -- pp-inject -q -b ;;
	unwind) set -- pp-unwind -q ;;
	decompress) set -- pp-decompress ;;
	compress) set -- pp-compress ;;
	esac
	exec perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV; die' "$@"
}

# body FROM ROUNDS: the lines of so many rounds in order, with all kinds of records
body() {
	cat <<-END
		repeat $2 {
		sample pid=7 cpu=0 time=\$(($1+i)*1000+100) ip=0x1000
		comm pid=7 comm=work time=\$(($1+i)*1000+200)
		lost id=1 lost=3 time=\$(($1+i)*1000+210)
		record 4000 0 \$(10+i)
		sample pid=8 cpu=1 time=\$(($1+i)*1000+300) ip=0x2000
		auxtrace idx=1 bytes=\$(8+i*24)
		round
		}
	END
}

head_lines() {
	cat <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=3 sample_type=TID,TIME,IDENTIFIER,RAW flags=sample_id_all config=3
		feature HOSTNAME string "a-host"
		event_update id=1 name=cpu-clock
		comm pid=7 comm=first synthesized
		init
	END
}

# sorted_stream ROUNDS: a small one, in order and plain
sorted_stream() { { head_lines; body 1 "$1"; } | build; }

# plain NAME: a stream of tests/streams, in order and plain
plain() {
	if [ -f "$TESTS/streams/$1.txt" ]; then
		build <"$TESTS/streams/$1.txt" | pp-sort -q
	else
		pp-sort -q -i "$TESTS/streams/$1.pipe"
	fi
}

# ---- what passes

@test "every stage passes a plain stream in order as it is" {
	sorted_stream 5 >in
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "every stage passes every record, field and feature that perf knows as it is" {
	for stream in every newer; do
		plain "$stream" >in
		for name in filter judge sort decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >out
			same_bytes in out
		done
	done
}

@test "every stage passes recorded streams as they are" {
	for stream in plain dwarf group stat tracepoint switch demo zstd; do
		plain "$stream" >in
		for name in filter judge sort decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >out
			same_bytes in out
		done
	done
}

@test "stages that do not sort pass a stream that is out of order as it is" {
	for stream in tracepoint switch demo; do
		for name in filter judge decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <"$TESTS/streams/$stream.pipe" >out
			same_bytes "$TESTS/streams/$stream.pipe" out
		done
	done
}

@test "unknown records, features and attribute bits pass every stage" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		attr id=2 type=77 flags=0xf000000000000001 sample_type=0x8000000000010047 branch_sample_type=0x8000000000000000 unknown
		feature 200 hex 0102030405
		feature 35
		record 40 0 000102030405060708090a0b0c0d0e0f
		record 113 65535 01
		sample time=1000 id=1
		record 100000 1 ffffffffffffffff
		record 68 0 5858585858585858
		sample time=1001 id=1
		round
	END
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "a sealed stream passes every stage as it is" {
	sorted_stream 5 | pp-filter --seal >in
	[ "$(records in | grep -c FINISHED_ROUND)" -eq 7 ]
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "every stage seals with --seal, and takes the seals off with --no-seal" {
	sorted_stream 5 >in
	pp-filter --seal <in >sealed
	for name in filter judge sort inject decompress squeeze; do
		echo "$name"
		stage "$name" --seal <in >out
		[ "$(records out | sed -n 1p)" = "$(records sealed | sed -n 1p)" ]
		pp-sort --check -i out
		stage "$name" --no-seal <out >again
		same_bytes in again
	done
}

@test "notes pass every stage, sealed or not" {
	sorted_stream 3 | pp-inject --note commit=1234 >in
	[ "$(grep -c commit in)" -eq 1 ]
	for name in filter judge sort inject decompress squeeze; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
	pp-filter --seal <in >sealed
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <sealed >out
		same_bytes sealed out
	done
}

@test "every stage applied to its own output changes nothing more" {
	for stream in every newer zstd tracepoint; do
		if [ -f "$TESTS/streams/$stream.txt" ]; then
			build <"$TESTS/streams/$stream.txt" >in
		else
			cp "$TESTS/streams/$stream.pipe" in
		fi
		for name in filter judge sort inject decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >once
			stage "$name" <once >twice
			same_bytes once twice
		done
	done
}

@test "a stream of the other byte order leaves every stage as its twin in ours does" {
	{ head_lines | grep -v event_update; body 1 3 | grep -v 'record 4000'; } >text
	build <text >in
	sed 's/^header$/header big/' text | build >big
	run -1 cmp -s in big
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <big >out
		same_bytes in out
	done
}

@test "what cannot be converted from the other byte order is dropped, counted, and exit 3" {
	{ head_lines; body 1 3; } | sed 's/^header$/header big/' | build >big
	{ head_lines; body 1 3 | grep -v 'record 4000'; } | build >want
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <big >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "3 records dropped: cannot be converted from the other byte order" err
		head -c "$(wc -c <want)" out >front
		same_bytes want front
	done
}

# ---- how it comes

@test "it does not matter in what pieces a stream comes" {
	sorted_stream 2 >in
	for size in 1 7 4093; do
		for name in "${STAGES[@]}"; do
			echo "$name, $size bytes at a time"
			trickle in "$size" | stage "$name" >out
			same_bytes in out
		done
	done
}

@test "nor in what pieces a compressed one comes" {
	{ head_lines; echo feature COMPRESSED; echo "compressed split=100 {"; body 1 3 | grep -v auxtrace; echo "}"; } |
		build >in
	pp-filter -i in -o want
	for name in filter judge sort decompress squeeze; do
		stage "$name" <in >whole
		echo "$name"
		trickle in 1 | stage "$name" >out
		same_bytes whole out
	done
}

# Feeds `first`, waits until as many bytes as `want` has come out, feeds `second`.  A stage that
# waits for more input before it lets go of what it has is one that this waits for in vain.
@test "what every stage can let go comes out before its input goes on" {
	sorted_stream 2 >first
	{ head_lines; body 1 4; } | build | tail -c +$(($(wc -c <first) + 1)) >second
	cat first second >whole
	for name in filter judge sort inject decompress; do
		echo "$name"
		case $name in
		filter | decompress) size=$(wc -c <first) ;;
		*) size=$(sorted_stream 1 | wc -c) ;;
		esac
		rm -f to from
		mkfifo to from
		start "$name" <to >from 3>&- &
		exec 4>to 5<from
		cat first >&4
		timeout 100 head -c "$size" <&5 >out
		[ "$(wc -c <out)" -eq "$size" ]
		cat second >&4
		exec 4>&-
		timeout 100 cat <&5 >>out
		exec 5<&-
		wait $!
		same_bytes whole out
	done
}

@test "what pp-compress has comes out before its input goes on" {
	sorted_stream 1 >first
	mkfifo to middle from
	start compress <to >middle 3>&- &
	start decompress <middle >from 3>&- &
	exec 4>to 5<from
	cat first >&4
	timeout 100 head -c "$(wc -c <first)" <&5 >out
	exec 4>&-
	timeout 100 cat <&5 >>out
	wait
	same_bytes first out
}

@test "pp-dump shows a record before its input goes on" {
	sorted_stream 1 >first
	pp-dump -i first >want
	mkfifo to from
	pp-dump <to >from 3>&- &
	exec 4>to 5<from
	cat first >&4
	timeout 100 head -c "$(wc -c <want)" <&5 >out
	exec 4>&-
	timeout 100 cat <&5 >>out
	wait $!
	same_bytes want out
}

# ---- interrupts and questions

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

# ---- damage

@test "every stage delivers what is good of a cut stream and ends it as damaged" {
	sorted_stream 3 >whole
	head -c -3 whole >in
	# the last record is a round of 8 bytes
	head -c -8 whole >want
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "^pp-[a-z]*: standard input: record 26 at byte $(wc -c <want): the stream ends inside a record: need 8 bytes, have 5\$" err
		head -c "$(wc -c <want)" out >front
		same_bytes want front
		run -3 pp-filter -i out -o again
		assert_output --partial "out: damaged before it came here"
		same_bytes out again
	done
}

@test "the last stage of a pipeline is 3, whichever stage met the damage" {
	sorted_stream 3 | head -c -3 >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in 2>/dev/null | pp-sort 2>/dev/null | pp-filter 2>/dev/null | pp-dump >/dev/null 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "damaged before it came here" err
	done
}

@test "a sealed stream without its end is 3 after every stage" {
	sorted_stream 3 | pp-filter --seal >sealed
	head -c -48 sealed >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "its last seal is missing" err
		head -c "$(wc -c <in)" out >front
		same_bytes in front
	done
}

@test "an altered byte is told once, and all is delivered" {
	sorted_stream 3 | pp-filter --seal >sealed
	# the HOSTNAME's text
	sed 's/a-host/a-hosh/' sealed >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		[ "$(grep -c 'the stream was altered' err)" -eq 1 ]
		[ "$(wc -c <out)" -eq "$(wc -c <in)" ]
		stage "$name" --no-verify --no-seal <in >plain
		pp-filter --no-verify --no-seal <in >want
		same_bytes want plain
	done
}

@test "more damage than ten places is counted, not told" {
	{
		head_lines
		# attributes that are too short to be any
		echo "repeat 25 {"
		echo "record 64 0 0000000000000000"
		echo "}"
		body 1 1
	} | build >in
	run -3 --separate-stderr pp-filter -i in -o out
	[ "$(grep -c '(HEADER_ATTR)' <<<"$stderr")" -eq 10 ]
	[[ $stderr == *"in: 25 damaged places in all"* ]]
	run -3 pp-dump --type SAMPLE -i out
	[ "$(grep -c ' SAMPLE ' <<<"$output")" -eq 2 ]
}

@test "a tool that rewrites a sealed stream is told of once, and that is all" {
	sorted_stream 3 | pp-filter --seal >sealed
	# a record more, behind seal 0
	{ head -c 64 sealed; printf '\144\0\0\0\0\0\10\0'; tail -c +65 sealed; } >in
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" -q <in >out 2>err
		[ ! -s err ]
	done
	run -0 --separate-stderr bash -c 'pp-filter <in >out'
	[ "$(grep -c 'rewrote the stream' <<<"$stderr")" -eq 1 ]
}
