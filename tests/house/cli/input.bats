# input.bats - the input of every tool: FILE, --input and standard input, and what is not there or
# is no stream.

setup() {
	load ../../helper
	load cli
}

@test "an input that has no name but a descriptor's is called by its place" {
	stream >in
	run -3 --separate-stderr bash -c 'pp-merge -o out in <(exit 1)'
	[[ $stderr == "pp-merge: input 2 (/dev/fd/"*"): not a perf stream: the input is empty" ]]
}

@test "every reader takes FILE as its operand, - for standard input, and not twice" {
	stream >in
	for tool in $(tools); do
		[[ $tool != pp-@(record|count|gen|diff) ]] || continue
		echo "$tool"
		case $tool in
		pp-split) more=(--samples 3 -o "$tool-%u") ;;
		pp-ring) more=(-o got) && rm got ;; # which it would keep
		*) more=($(arguments "$tool") -o got) ;;
		esac
		file=in
		[ "$tool" != pp-undump ] || { pp-dump --json in >lines && file=lines; }
		"$tool" "${more[@]}" -i "$file"
		[ "$tool" = pp-split ] || mv got want
		"$tool" "${more[@]}" "$file"
		[ "$tool" = pp-split ] || same_bytes want got
		[ "$tool" != pp-ring ] || rm got
		"$tool" "${more[@]}" - <"$file"
		# it tells the name of what it read
		[ "$tool" = pp-split ] || [ "$tool" = pp-info ] || same_bytes want got
		[ "$tool" = pp-merge ] || misused "$tool" "FILE and --input name the input twice" "${more[@]}" -i in in
	done
}

@test "pp-filter takes EXPRESSION and FILE; what is no expression and is there is FILE" {
	stream >in.pipe
	pp-filter -i in.pipe 'time > 2100' >want
	pp-filter 'time > 2100' in.pipe >got
	same_bytes want got
	pp-filter 'time > 2100' <in.pipe >got
	same_bytes want got
	pp-filter 'time > 2100' - <in.pipe >got
	same_bytes want got
	pp-filter in.pipe >got
	same_bytes in.pipe got
	pp-filter -p 7 in.pipe >got
	same_bytes in.pipe got
	pp-filter -p 7 - <in.pipe >got
	same_bytes in.pipe got
	pp-filter --fields in.pipe >fields
	pp-filter --fields <in.pipe | cmp - fields
	# an expression is one, also where a file is called so
	cp want 'time > 2100'
	pp-filter 'time > 2100' <in.pipe >got
	same_bytes want got
	run -2 --separate-stderr pp-filter -p 7 no.pipe
	[[ $stderr == "pp-filter: no field is called 'no.pipe'"* ]]
	run -2 --separate-stderr pp-filter --fields 'pid == 7' in.pipe
	run -2 --separate-stderr pp-filter 'pid == 7' in.pipe in.pipe
	run -4 --separate-stderr pp-filter 'pid == 7' no.pipe
	[ "$stderr" = "pp-filter: no.pipe: cannot open: No such file or directory" ]
}

@test "a stream is never waited for from a terminal" {
	need script
	for tool in $(readers); do
		# pp-top records then: tests/tools/top/record.bats; pp-diff reads files
		[[ $tool != pp-@(top|diff) ]] || continue
		echo "$tool"
		run -2 script -qec "$tool $(arguments "$tool") >out" /dev/null </dev/null
		[[ $output == "$tool: a stream is not read from a terminal: "* ]]
	done
}

# ---- input that is not there, or no stream

@test "a missing input is exit 4, with the file and the reason" {
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr reads "$tool" missing
		[ -z "$output" ]
		[[ $stderr == "$tool: "*missing*": No such file or directory" ]]
	done
}

@test "an input that may not be read is exit 4" {
	need setpriv
	need_root
	stream >in
	chmod 600 in
	chmod 755 . # bats makes the folder for its user only
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr setpriv --reuid=65534 --clear-groups -- \
			bash -c "reads $tool '$PWD/in'"
		[[ $stderr == "$tool: "*": Permission denied" ]] || skip "the folders above are closed to others"
	done
}

@test "a directory is no input" {
	mkdir folder
	for tool in $(readers); do
		echo "$tool"
		run --separate-stderr reads "$tool" folder
		[[ $status =~ ^[34]$ ]]
		[[ $stderr == "$tool: "*folder* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "standard input that is closed is exit 4" {
	for tool in $(readers); do
		[ "$tool" != pp-diff ] || continue # it reads files
		echo "$tool"
		run -4 --separate-stderr bash -c "$tool $(arguments "$tool") <&-"
		[[ $stderr == "$tool: "*"Bad file descriptor" ]]
	done
}

@test "an empty input, and one that is no stream, are exit 3" {
	: >empty
	printf 'all kinds of everything, but no stream of perf records\n' >text
	for tool in $(readers); do
		echo "$tool"
		run -3 --separate-stderr reads "$tool" empty
		[[ $stderr == "$tool: empty: "* ]]
		run -3 --separate-stderr reads "$tool" text
		[[ $stderr == "$tool: text: "* ]]
	done
}

@test "a cut is told with file, record and byte, and what came before is delivered" {
	stream >in
	head -c -3 in >cut
	size=$(stat -c %s in)
	for tool in $(readers); do
		[ "$tool" != pp-mend ] || continue # it tells ranges of bytes: mend/losses.bats
		echo "$tool"
		run -3 --separate-stderr bash -c "reads $tool cut >part"
		[[ $stderr =~ ^$tool:\ cut:\ record\ [0-9]+\ at\ byte\ $((size - 8)) ]]
		[ -s part ]
	done
}
