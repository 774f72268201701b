# messages.bats - what every tool says of misuse (exit 2, one line of what, one of where to look),
# of folders that are not there, and of names and numbers of any kind.

setup() {
	load ../../helper
	load cli
}

@test "an unknown option is misuse" {
	for tool in $(tools); do
		misused "$tool" "unknown option '--no-such-option'" --no-such-option
		misused "$tool" "unknown option '--no-such-option'" --no-such-option=3
		misused "$tool" "unknown option '-?'" '-?'
	done
}

@test "an option without its argument is misuse" {
	for tool in $(tools); do
		while IFS=$US read -r letter name arg _; do
			[ -n "$name" ] || continue
			[ -n "$arg" ] || continue
			[[ $arg != \[* ]] || continue
			misused "$tool" "option '$name' needs an argument: $arg" "$name"
			[[ $letter == -? ]] || continue
			misused "$tool" "option '$letter' needs an argument: $arg" "$letter"
		done < <(rows "$tool")
	done
}

@test "an argument to an option that takes none is misuse" {
	for tool in $(tools); do
		misused "$tool" "option '--help' takes no argument" --help=x
		misused "$tool" "option '--quiet' takes no argument" --quiet=x
	done
}

@test "an abbreviation counts while it is unique" {
	for tool in $(tools); do
		echo "$tool"
		run -0 --separate-stderr "$tool" --versi
		[[ $output == "$tool (perfpipe) "* ]]
		has "$tool" --verbose || continue
		run -2 --separate-stderr "$tool" --ver
		[[ ${stderr_lines[0]} == "$tool: option '--ver' is ambiguous: --ver"*", --ver"* ]]
	done
}

@test "operands where none are taken are misuse" {
	for tool in $(tools); do
		[ -z "$(listed "$tool" | tail -n 1 | tr -d '\t')" ] || continue
		misused "$tool" "unexpected operand 'x'" x
		misused "$tool" "unexpected operand 'x'" -- x
	done
}

@test "a number that is too large is called that, and not no number" {
	local huge=99999999999999999999
	misused pp-filter "--limit: '$huge' is too large" -n $huge
	misused pp-filter "--limit: '0x10000000000000000' is too large" -n 0x10000000000000000
	misused pp-filter "--context: '$huge' is too large" --context $huge
	misused pp-sort "--size: '$huge' is too large" -S $huge
	misused pp-compress "--level: '$huge' is not between 1 and 22" --level $huge
	misused pp-filter "--limit: '5x' is not a number" -n 5x
	misused pp-compress "--level: '' is not a number" --level=
	misused pp-record "--mmap-pages: '99999999G' is larger than 1T" -m 99999999G
}

@test "--seal and --no-seal exclude each other" {
	for tool in $(filters); do
		misused "$tool" "--seal and --no-seal exclude each other" --seal --no-seal
	done
}

@test "control characters of an argument do not reach the terminal" {
	for tool in $(tools); do
		misused "$tool" "unknown option '--\\x1b[31m\\xc2\\x9b'" $'--\e[31m\xc2\x9b'
		misused "$tool" "unknown option '--a\\x0a$tool: all sound\\x9b\\x80'" "--a"$'\n'"$tool: all sound"$'\x9b\x80'
	done
}

@test "a folder for --root that is not there, or is none, is reported, and no misuse" {
	local asked=0 tool
	printf 'header\nattr id=1\nsample pid=7 time=1000\nround\n' | build >in
	for tool in $(tools); do
		has "$tool" --root || continue
		asked=$((asked + 1))
		run -0 --separate-stderr reads "$tool" in -o out --root nowhere
		[[ $stderr == "$tool: --root: no file can be read below nowhere: No such file or directory"* ]]
		run -0 --separate-stderr reads "$tool" in -o out --root in
		[[ $stderr == "$tool: --root: no file can be read below in: Not a directory"* ]]
		run -0 --separate-stderr reads "$tool" in -o out -q --root nowhere
		[ -z "$stderr" ]
		run -0 --separate-stderr reads "$tool" in -o out --root .
		[[ $stderr != *--root* ]]
	done
	[ "$asked" -ge 8 ]
}

@test "one sample is no samples" {
	printf 'header\nattr\nsample pid=7 time=1000\n' | build >in
	run -0 --separate-stderr pp-filter --progress -p 7 -i in -o out
	[[ $stderr == *", 1 of 1 sample kept, "* ]]
	run -0 --separate-stderr pp-gen --samples 1 --rounds 0 -v -o out
	[[ $stderr == *", 1 sample, "* ]]
	run -0 --separate-stderr pp-split -v --samples 3 -o p-%u -i in
	[[ $stderr == "pp-split: p-0: 1 sample, "* ]]
}

@test "names of files, also those that a stream tells, are one line of text" {
	local odd=$'no\npp-check: sound\x9b\xc2\x9b\xed\xa0\x80\xc0\x8a-\xc3\xa9' tool
	for tool in $(readers); do
		run -4 --separate-stderr reads "$tool" "$odd" -o out
		[ "$stderr" = "$tool: no\\x0app-check: sound\\x9b\\xc2\\x9b\\xed\\xa0\\x80\\xc0\\x8a-é: cannot open: No such file or directory" ]
	done
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,mmap2
		mmap2 pid=7 start=0x1000 len=0x1000 file="/no/x\npp-inject: all sound\x9b" time=100
		sample pid=7 ip=0x1100 time=200
		round
	END
	run -0 --separate-stderr pp-inject -b -v --no-sandbox -i in
	[ "${stderr_lines[0]}" = "pp-inject: cannot read the build-id of /no/x\\x0app-inject: all sound\\x9b: No such file or directory" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
}
