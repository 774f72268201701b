# output.bats - the output of every tool: devices that are full, readers that leave, the file of
# -o, and terminals.

setup() {
	load ../../helper
	load cli
}

# into_closed_pipe IGNORE|DEFAULT COMMAND...: its reader is gone before it starts
into_closed_pipe() {
	perl -e '$SIG{PIPE} = shift; pipe R, W; close R; open STDOUT, ">&", \*W; close W;
		exec @ARGV; die' "$@"
}

@test "a stream is never written to a terminal" {
	need script
	stream >in
	for tool in $(filters); do
		echo "$tool"
		run -2 script -qec "$tool $(arguments "$tool") -i in" /dev/null </dev/null
		[[ $output == "$tool: a stream is not written to a terminal: "* ]]
		run -2 script -qec "$tool $(arguments "$tool") -i in -o /dev/tty" /dev/null </dev/null
		[[ $output == "$tool: a stream is not written to a terminal: "* ]]
	done
	for tool in $(sources); do
		echo "$tool"
		run -2 script -qec "$tool $(arguments "$tool")" /dev/null </dev/null
		[[ $output == "$tool: a stream is not written to a terminal: "* ]]
	done
}

@test "a full device is exit 4" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr bash -c "$tool $(arguments "$tool") -i in >/dev/full"
		[[ $stderr == "$tool: cannot write standard output: No space left on device" ]]
		run -4 --separate-stderr "$tool" $(arguments "$tool") -i in -o /dev/full
		[[ $stderr == "$tool: cannot write /dev/full: No space left on device" ]]
	done
	for tool in $(tools); do
		echo "$tool"
		run -4 --separate-stderr bash -c "$tool --help >/dev/full"
		[[ $stderr == "$tool: cannot write standard output: No space left on device" ]]
	done
}

@test "standard output that is closed is exit 4" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr bash -c "$tool $(arguments "$tool") -i in >&-"
		[[ $stderr == "$tool: cannot write standard output: Bad file descriptor" ]]
	done
}

@test "a reader that is gone ends a tool by SIGPIPE, without a word" {
	stream >in
	for tool in $(readers); do
		for how in DEFAULT IGNORE; do
			echo "$tool $how"
			run -141 --separate-stderr into_closed_pipe $how "$tool" $(arguments "$tool") -i in
			[ -z "$stderr" ]
		done
	done
	for tool in $(tools); do
		echo "$tool --help"
		run -141 --separate-stderr into_closed_pipe IGNORE "$tool" --help
		[ -z "$stderr" ]
	done
}

@test "a source whose reader is gone ends by SIGPIPE" {
	need_perf_events
	for tool in $(sources); do
		echo "$tool"
		run -141 into_closed_pipe IGNORE "$tool" $(arguments "$tool")
	done
}

@test "-o FILE writes what standard output would get" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		"$tool" $(arguments "$tool") <in >expected
		"$tool" $(arguments "$tool") -o out <in
		same_bytes expected out
		"$tool" $(arguments "$tool") --input=- --output=- <in >out2
		same_bytes expected out2
	done
}

@test "a new file is its owner's alone, or less as the umask says; one that is there keeps its mode" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		rm -f out
		(umask 0 && "$tool" $(arguments "$tool") -i in -o out)
		[ "$(stat -c %a out)" = 600 ]
		rm out
		(umask 0277 && "$tool" $(arguments "$tool") -i in -o out)
		[ "$(stat -c %a out)" = 400 ]
		chmod 604 out
		"$tool" $(arguments "$tool") -i in -o out
		[ "$(stat -c %a out)" = 604 ]
		[ "$(ls -A | grep -c '^\.out')" -eq 0 ]
	done
}

@test "-o follows symbolic links, also to a file that is not there yet" {
	stream >in
	mkdir folder
	ln -s folder/there link
	for tool in $(readers); do
		echo "$tool"
		rm -f folder/there
		"$tool" $(arguments "$tool") -i in -o link
		[ -L link ]
		[ -f folder/there ]
		"$tool" $(arguments "$tool") -i in -o link
		[ -L link ]
		[ "$(ls -A folder)" = there ]
	done
}

@test "-o to its own input replaces it" {
	stream >in
	for tool in $(filters); do
		echo "$tool"
		cp in both
		"$tool" $(arguments "$tool") -i in -o expected
		"$tool" $(arguments "$tool") -i both -o both
		same_bytes expected both
	done
}

@test "-o to a device or a fifo writes it as it is" {
	stream >in
	mkfifo fifo
	for tool in $(readers); do
		echo "$tool"
		"$tool" $(arguments "$tool") -i in -o /dev/null
		[ -c /dev/null ]
		"$tool" $(arguments "$tool") -i in >expected
		timeout 60 cat fifo >got 3>&- &
		"$tool" $(arguments "$tool") -i in -o fifo
		wait $!
		[ -p fifo ]
		same_bytes expected got
	done
}

@test "-o to /dev/stdout goes on where standard output stands" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		"$tool" $(arguments "$tool") -i in >expected
		{ echo first; "$tool" $(arguments "$tool") -i in -o /dev/stdout; } >out
		same_bytes <(echo first; cat expected) out
	done
}

@test "-o to a place that cannot be written is exit 4, whatever the input" {
	mkdir folder
	stream >in
	for tool in $(readers) $(sources); do
		echo "$tool"
		input=
		! has "$tool" --input || input='-i in'
		run -4 --separate-stderr "$tool" $input -o missing/out $(arguments "$tool")
		[[ $stderr == "$tool: cannot write missing/out: No such file or directory" ]]
		run -4 --separate-stderr "$tool" $input -o folder $(arguments "$tool")
		[[ $stderr == "$tool: cannot write folder: Is a directory" ]]
		run -4 --separate-stderr "$tool" $input -o in/out $(arguments "$tool")
		[[ $stderr == "$tool: cannot write in/out: Not a directory" ]]
	done
}

@test "-o keeps the file of a damaged input, and none where nothing could be read" {
	stream >in
	head -c -3 in >cut
	for tool in $(readers); do
		echo "$tool"
		rm -f out none
		run -3 "$tool" $(arguments "$tool") -i cut -o out
		[ -s out ]
		run -4 "$tool" $(arguments "$tool") -i missing -o none
		[ ! -e none ]
		[ "$(ls -A | grep -cE '^\.(out|none)')" -eq 0 ]
	done
}

@test "an old output stays when the new one fails" {
	for tool in $(readers); do
		echo "$tool"
		echo old >out
		run -4 "$tool" $(arguments "$tool") -i missing -o out
		[ "$(cat out)" = old ]
		[ "$(ls -A | grep -c '^\.out')" -eq 0 ]
	done
}

@test "a signal that ends a tool removes its temporary file" {
	stream >in
	mkfifo fifo
	for tool in $(readers); do
		# on TERM a stage that reads a pipe lets one pass; HUP never ends it
		for name in TERM XCPU; do
			echo "$tool $name"
			"$tool" $(arguments "$tool") -i fifo -o out 3>&- &
			pid=$!
			exec 4<>fifo
			head -c 1000 in >&4
			for ((tries = 0; tries < 600; tries++)); do
				[ "$(ls -A | grep -c '^\.out')" -eq 0 ] || break
				sleep 0.1
			done
			[ "$(ls -A | grep -c '^\.out')" -eq 1 ]
			[ ! -e out ]
			while kill -$name $pid 2>/dev/null; do sleep 0.1; done
			status=0
			wait $pid || status=$?
			exec 4>&-
			[ "$status" -eq $((128 + $(kill -l $name))) ]
			[ "$(ls -A | grep -c 'out')" -eq 0 ]
		done
	done
}
