# output.bats - the output of pp-save: it has to be a file, and what is refused or ended by a
# signal leaves no half of one.

setup() {
	load ../../helper
	load save
}

# hidden: files here that do not have their name yet
hidden() { find . -name '.?*'; }

@test "an output that does not allow seeking is misuse" {
	sampled >in
	run -2 --separate-stderr pp-save -i in
	[[ $stderr == "pp-save: name the file to write with --output"* ]]
	run -2 pp-save -i in -o -
	mkfifo fifo
	run -2 --separate-stderr pp-save -i in -o fifo
	[[ $stderr == "pp-save: cannot write fifo: "* ]]
	run -2 bash -c 'pp-save -i in -o /dev/stdout | cat; exit ${PIPESTATUS[0]}'
}

@test "what the system refuses is exit 4 and leaves an older file as it was" {
	sampled >in
	[ -c /dev/full ] || skip "no /dev/full here"
	run -4 --separate-stderr pp-save -i in -o /dev/full
	[ "$stderr" = "pp-save: cannot write /dev/full: No space left on device" ]
	echo old >out
	run -4 bash -c 'ulimit -f 1; trap "" XFSZ; exec pp-save -i in -o out'
	[ "$(cat out)" = old ]
	run -4 pp-save -i missing -o out
	[ "$(cat out)" = old ]
	run -3 pp-save -i out -o none
	[ ! -e none ]
	[ -z "$(hidden)" ]
	pp-save -i in -o /dev/null
}

@test "a signal leaves nothing behind" {
	sampled >in
	mkfifo fifo
	for name in TERM XCPU; do
		echo "$name"
		pp-save -i fifo -o out 3>&- &
		pid=$!
		exec 4<>fifo
		head -c 1000 in >&4
		for ((tries = 0; tries < 600; tries++)); do
			[ -z "$(hidden)" ] || break
			sleep 0.1
		done
		[ "$(hidden)" != "" ]
		while kill -$name $pid 2>/dev/null; do sleep 0.1; done
		status=0
		wait $pid || status=$?
		exec 4>&-
		[ "$status" -eq $((128 + $(kill -l $name))) ]
		[ -z "$(hidden)" ]
		[ ! -e out ]
	done
}

@test "an input that cannot be read, or is no stream, leaves no file" {
	: >empty
	echo 'no stream at all, just some text' >text
	mkdir folder
	run -4 --separate-stderr pp-save -i missing -o out
	[ "$stderr" = "pp-save: missing: cannot open: No such file or directory" ]
	run pp-save -i folder -o out
	[[ $status =~ ^[34]$ ]]
	run -3 pp-save -i empty -o out
	run -3 pp-save -i text -o out
	run -4 bash -c 'pp-save -o out <&-'
	[ ! -e out ]
	[ -z "$(hidden)" ]
	need script
	run -2 script -qec "pp-save -o out" /dev/null </dev/null
	[[ $output == "pp-save: a stream is not read from a terminal: "* ]]
	[ ! -e out ]
}

@test "a new file is its owner's alone, an older one keeps its mode, a link stays" {
	sampled >in
	(umask 0 && pp-save -i in -o out)
	[ "$(stat -c %a out)" = 600 ]
	chmod 640 out
	pp-save -i in -o out
	[ "$(stat -c %a out)" = 640 ]
	ln -s out link
	rm out
	pp-save -i in -o link
	[ -L link ]
	sections out
	# also over what is read
	cp in both
	pp-save -i both -o both
	same_bytes out both
}
