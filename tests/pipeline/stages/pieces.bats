# pieces.bats - it does not matter in what pieces a stage's input comes, and nothing is held back
# that could go.

setup() {
	load ../../helper
	load stages
}

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
