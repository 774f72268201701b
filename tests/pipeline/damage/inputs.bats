# inputs.bats - inputs that are no stream, and outputs that cannot be written.

setup() {
	load ../../helper
	load damage
}

@test "what is no stream is named" {
	: >in
	refused 3 "not a perf stream: the input is empty"
	printf 'hello, world, this is text\n' >in
	refused 3 "not a perf stream: it is text"
	printf 'hello' >in
	refused 3 "not a perf stream: it is text"
	gzip -c "$TESTS/build.pl" >in
	refused 3 "not a perf stream: it is gzip data"
	cp "$(command -v pp-decompress)" in
	refused 3 "not a perf stream: it is an ELF file"
	head -c 100 /dev/zero >in
	refused 3 "not a perf stream: it does not begin with PERFILE2"
	printf 'PERFILE2\x68\0\0\0\0\0\0\0 and so on' >in
	refused 3 "the file ends before its header is whole: need 72 bytes"
	printf '2ELIFREP\0\0\0\0\0\0\0\x68 and so on' >in
	refused 3 "the file ends before its header is whole: need 72 bytes"
	printf 'PERFILE2\x11\0\0\0\0\0\0\0 and so on' >in
	refused 3 "header of 17 bytes"
	printf 'PERFILE2\x10' >in
	refused 3 "need 16 bytes, have 9"
	small | tail -c +17 >in
	refused 3 "its first 16 bytes, the header, are missing"
	[ ! -e out ]
}

@test "a directory and a file that is not there are the system's to refuse" {
	mkdir in
	refused 4 "cannot read: Is a directory"
	rmdir in
	refused 4 "cannot open: No such file or directory"
}

@test "an input that is no stream leaves an older output as it was" {
	echo kept >out
	echo no stream >in
	run -3 pp-decompress -i in -o out
	[ "$(cat out)" = kept ]
}

@test "an output that is full ends the run" {
	[ -c /dev/full ] || skip "no /dev/full here"
	small >in
	run -4 --separate-stderr bash -c 'pp-decompress -i in >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
	pp-decompress --seal -i in -o sealed
	run -4 --separate-stderr bash -c 'pp-compress -i sealed >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
}

@test "a reader that goes away ends the stage quietly" {
	build >in <<-'END'
		header
		attr id=1
		auxtrace bytes=8000000
		sample time=1000
	END
	run -0 --separate-stderr bash -c 'pp-decompress -i in | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}"'
	assert_output 141
	[ -z "$stderr" ]
}
