# halfway.bash - a filter that stands before the second half of its input, and the process that it started: for
# the tests of what it may still do then.

# started COMMAND...: with a pipe as its last operand, and the file `one` in it, until has_begun, which the caller
# has; sets tool, and child, the process that it started ("": none)
started() {
	mkfifo pipe 2>/dev/null || true
	"$@" pipe >out 2>err 3>&- &
	tool=$!
	exec 9>pipe
	cat one >&9
	until has_begun; do
		kill -0 "$tool"
		sleep 0.05
	done
	child=$(cat "/proc/$tool/task/$tool/children")
	child=${child% }
}

declare -F has_begun >/dev/null || has_begun() { [ -s out ]; }

# finish [STATUS]: the file `two`, and the end
finish() {
	cat two >&9 || true
	exec 9>&-
	status=0
	wait "$tool" || status=$?
	tool=
	[ "$status" -eq "${1:-0}" ]
}

# ended: what was started is killed at the end of a test
ended() { [ -z "${tool-}" ] || kill -KILL "$tool" 2>/dev/null || true; }
