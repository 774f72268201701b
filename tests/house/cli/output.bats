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

# bats test_tags=T3-E5
@test "a page or a picture is never written to a terminal, and a file of it is" {
	need script
	stream >in
	echo 'main;work 5' >folded
	for how in '' --svg; do
		for input in in folded; do
			run -2 script -qec "pp-flame $how $input" /dev/null </dev/null
			[[ $output == "pp-flame: a page is not written to a terminal: name a file with -o, or with >, "* ]]
			run -2 script -qec "pp-flame $how $input -o /dev/tty" /dev/null </dev/null
			[[ $output == "pp-flame: a page is not written to a terminal: "* ]]
			run -0 script -qec "pp-flame $how $input -q -o out && pp-flame -q $how $input >out2" /dev/null </dev/null
			[ -s out ]
			same_bytes out out2
		done
	done
}

@test "a full device is exit 4" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr bash -c "reads $tool in >/dev/full"
		[[ $stderr == "$tool: cannot write standard output: No space left on device" ]]
		run -4 --separate-stderr reads "$tool" in -o /dev/full
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
		run -4 --separate-stderr bash -c "reads $tool in >&-"
		[[ $stderr == "$tool: cannot write standard output: Bad file descriptor" ]]
	done
}

@test "a reader that is gone ends a tool by SIGPIPE, without a word" {
	stream >in
	for tool in $(readers); do
		for how in DEFAULT IGNORE; do
			echo "$tool $how"
			run -141 --separate-stderr into_closed_pipe $how bash -c "reads $tool in"
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
		reads "$tool" in >expected
		reads "$tool" in -o out
		same_bytes expected out
		has "$tool" --input || continue
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
		(umask 0 && reads "$tool" in -o out)
		[ "$(stat -c %a out)" = 600 ]
		rm out
		(umask 0277 && reads "$tool" in -o out)
		[ "$(stat -c %a out)" = 400 ]
		chmod 604 out
		reads "$tool" in -o out
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
		reads "$tool" in -o link
		[ -L link ]
		[ -f folder/there ]
		reads "$tool" in -o link
		[ -L link ]
		[ "$(ls -A folder)" = there ]
	done
}

# ---- what others own

# strangers: as root, in a folder in which anybody may make files; what belongs to 65534 is another user's
strangers() {
	need_root
	mkdir -m 1777 open
	echo precious >victim
	chmod 644 victim
	stream >in
}

# all_tools: those that have an output, also those that write in place
all_tools() { readers; printf '%s\n' pp-save pp-gen pp-record pp-count; }

# write TOOL FILE: with a small input, or a recording
write() {
	case $1 in
	pp-record|pp-count) "$1" -q -o "$2" -e cpu-clock -- true ;;
	pp-gen) pp-gen --samples 1 -o "$2" ;;
	*) reads "$1" in -o "$2" ;;
	esac
}

# bats test_tags=T3-B1
@test "-o goes through no other user's symbolic link, whether the last of the path or on the way" {
	strangers
	mkdir home
	cp victim home/victim
	ln -s "$PWD/victim" open/link
	ln -s "$PWD/missing" open/dangling
	ln -s "$PWD/home" open/folder
	chown -h 65534 open/*
	ln -s open/link mine
	for tool in $(all_tools); do
		for path in link dangling folder/victim mine; do
			[[ $path == link || $tool == pp-@(cat|record) ]] || continue
			echo "$tool $path"
			[ $path = mine ] && named=mine seen=link || named=open/$path seen=${path%/*}
			run -4 --separate-stderr write "$tool" "$named"
			[[ $stderr == "$tool: cannot write $named: the symbolic link open/$seen is another user's" ]]
		done
		[ "$(cat victim home/victim)" = "$(printf 'precious\nprecious')" ]
	done
	[ ! -e missing ]
	[ "$(ls -A open home | sort | tr '\n' ' ')" = ' dangling folder home: link open: victim ' ]
}

# bats test_tags=T3-B1
@test "-o follows a link of the user, and of the owner of the folder that it is in" {
	strangers
	mkdir theirs
	ln -s there theirs/link
	ln -s open/there mine
	chown -h 65534 theirs theirs/link
	for tool in $(all_tools); do
		echo "$tool"
		rm -f theirs/there* open/there*
		write "$tool" theirs/link
		[ -s theirs/there ]
		[ -L theirs/link ]
		write "$tool" mine
		[ -s open/there ]
		[ -L mine ]
	done
}

# bats test_tags=T3-B1
@test "-o writes no other user's fifo, and that of the folder's owner" {
	strangers
	mkfifo open/fifo
	mkdir theirs
	mkfifo theirs/fifo
	chown 65534 open/fifo theirs theirs/fifo
	exec 4<>open/fifo 5<>theirs/fifo
	for tool in $(all_tools); do
		[ "$tool" != pp-save ] || continue # which needs a file
		echo "$tool"
		run -4 --separate-stderr write "$tool" open/fifo
		[[ $stderr == "$tool: cannot write open/fifo: the fifo open/fifo is another user's" ]]
		write "$tool" theirs/fifo
		IFS= read -r -d '' -n 1 -u 5 -t 10
		dd iflag=nonblock bs=64k of=/dev/null <&5 2>/dev/null || true
	done
}

# bats test_tags=T3-B2
@test "a file that another made, or gave another name, gives its mode and its place to no output" {
	strangers
	for tool in $(all_tools); do
		for size in 0 9; do
			[[ $size == 9 || $tool == pp-@(cat|record) ]] || continue
			echo "$tool $size"
			rm -f open/* other
			head -c "$size" victim >open/out
			chmod 666 open/out
			chown 65534 open/out
			exec 4<open/out
			write "$tool" open/out
			[ "$(stat -c '%u %a' open/out)" = '0 600' ]
			[ "$(cat <&4 | wc -c)" -eq "$size" ]
			head -c "$size" victim >other
			ln -f other open/out
			write "$tool" open/out
			[ "$(stat -c '%u %a %h' open/out)" = '0 600 1' ]
			[ "$(stat -c %s other)" -eq "$size" ]
		done
	done
}

# ---- its own input, and places that are no files

@test "-o to its own input replaces it" {
	stream >in
	for tool in $(filters); do
		echo "$tool"
		cp in both
		reads "$tool" in -o expected
		reads "$tool" both -o both
		same_bytes expected both
	done
}

@test "-o to a device or a fifo writes it as it is" {
	stream >in
	mkfifo fifo
	for tool in $(readers); do
		echo "$tool"
		reads "$tool" in -o /dev/null
		[ -c /dev/null ]
		reads "$tool" in >expected
		timeout 60 cat fifo >got 3>&- &
		reads "$tool" in -o fifo
		wait $!
		[ -p fifo ]
		same_bytes expected got
	done
}

@test "-o to /dev/stdout goes on where standard output stands" {
	stream >in
	for tool in $(readers); do
		echo "$tool"
		reads "$tool" in >expected
		{ echo first; reads "$tool" in -o /dev/stdout; } >out
		same_bytes <(echo first; cat expected) out
	done
}

@test "-o to a place that cannot be written is exit 4, whatever the input" {
	mkdir folder
	stream >in
	for tool in $(readers) $(sources); do
		echo "$tool"
		for place in 'missing/out|No such file or directory' 'folder|Is a directory' 'in/out|Not a directory'; do
			out=${place%|*} why=${place#*|}
			if has "$tool" --no-verify; then
				run -4 --separate-stderr reads "$tool" in -o "$out"
			else
				run -4 --separate-stderr "$tool" -o "$out" $(arguments "$tool")
			fi
			[[ $stderr == "$tool: cannot write $out: $why" ]]
		done
	done
}

@test "-o keeps the file of a damaged input, and none where nothing could be read" {
	stream >in
	head -c -3 in >cut
	for tool in $(readers); do
		echo "$tool"
		rm -f out none
		run -3 reads "$tool" cut -o out
		[ -s out ]
		run -4 reads "$tool" missing -o none
		[ ! -e none ]
		[ "$(ls -A | grep -cE '^\.(out|none)')" -eq 0 ]
	done
}

@test "an old output stays when the new one fails" {
	for tool in $(readers); do
		echo "$tool"
		echo old >out
		run -4 reads "$tool" missing -o out
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
			BY=exec reads "$tool" fifo -o out 3>&- &
			pid=$!
			exec 4<>fifo
			head -c 1000 in >&4
			for ((tries = 0; tries < 6000; tries++)); do
				! compgen -G '.out*' >there || break
				sleep 0.01
			done
			[ "$(ls -A | grep -c '^\.out')" -eq 1 ]
			[ ! -e out ]
			while kill -$name $pid 2>/dev/null; do sleep 0.01; done
			status=0
			wait $pid || status=$?
			exec 4>&-
			[ "$status" -eq $((128 + $(kill -l $name))) ]
			[ "$(ls -A | grep -c 'out')" -eq 0 ]
		done
	done
}
