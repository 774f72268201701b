# cli.bats - what all tools have in common, asked of each of them: options, messages, exit
# statuses, the output file, completions.

setup() { load ../helper; }

# ---- the tools, by what their option tables say

# listed TOOL: its table, -x, --name, ARG and help a line, and at the end its operands
listed() { "$1" --list-options; }

# rows TOOL: the same for `IFS=$US read`, to which tabs would be white space
US=$'\037'
rows() { listed "$1" | tr '\t' "$US"; }

# has TOOL OPTION
has() { listed "$1" | grep -q -- $'\t'"$2"$'\t'; }

# Those that read a stream, those that also write one, those that make one.
# (pp-save makes a file and pp-split pieces, which have to have names: their own tests ask this.)
readers() {
	for tool in $(tools); do
		[[ $tool != pp-@(save|split) ]] && has "$tool" --no-verify && echo "$tool"
	done
	true
}
filters() { for tool in $(readers); do has "$tool" --seal && echo "$tool"; done; true; }
sources() { for tool in $(tools); do has "$tool" --no-verify || echo "$tool"; done; }

# Without these the tool would have nothing to do.
arguments() {
	case $1 in
	pp-inject) printf '%s\n' '-b' ;;
	pp-record|pp-count) printf '%s\n' '-e cpu-clock -- true' ;;
	esac
}

# stream: a small one with all that a pipeline needs
stream() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 comm=work exec time=1000
		repeat 40 {
		sample pid=7 cpu=0 time=$(i*10+2000) ip=0x1000
		}
		stat id=1 cpu=0 thread=0 val=40 ena=400 run=400
		stat_round type=1 time=400
		round
	END
}

# into_closed_pipe IGNORE|DEFAULT COMMAND...: its reader is gone before it starts
into_closed_pipe() {
	perl -e '$SIG{PIPE} = shift; pipe R, W; close R; open STDOUT, ">&", \*W; close W;
		exec @ARGV; die' "$@"
}

# ---- help, version, the table

@test "every tool has a name that begins with pp- and a table of options" {
	[ "$(tools | wc -l)" -ge 7 ]
	for tool in $(tools); do
		echo "$tool"
		[[ $tool == pp-* ]]
		[ "$(listed "$tool" | wc -l)" -ge 3 ]
	done
}

@test "--help and -h say the same, on standard output, within 80 columns" {
	for tool in $(tools); do
		echo "$tool"
		run -0 --separate-stderr "$tool" --help
		help=$output
		[ -z "$stderr" ]
		[[ $help == "Usage: $tool [OPTIONS]"* ]]
		[[ $help == *"Exit status: 0 "* ]]
		[ "$(awk 'length > 80' <<<"$help")" = "" ]
		run -0 "$tool" -h
		[ "$output" = "$help" ]
	done
}

@test "--help has every option of the table, with its argument" {
	for tool in $(tools); do
		"$tool" --help >help
		while IFS=$US read -r letter name arg _; do
			[ -n "$letter$name" ] || continue
			echo "$tool $letter $name $arg"
			case $arg in
			'') grep -qE -e "^ .*$name( |\$)" help ;;
			\[*) grep -qF -e "$name[=${arg#?}" help ;;
			*) grep -qF -e "$name=$arg" help ;;
			esac
			[ -z "$letter" ] || grep -qE -e "^  $letter(,| |\$)" help
		done < <(rows "$tool")
	done
}

@test "--version and -V name the tool and the version" {
	for tool in $(tools); do
		run -0 --separate-stderr "$tool" --version
		[[ $output =~ ^$tool\ \(perfpipe\)\ [0-9]+\.[0-9] ]]
		[ -z "$stderr" ]
		version=$output
		run -0 "$tool" -V
		[ "$output" = "$version" ]
	done
}

@test "a letter means the same in every tool, and so does a name" {
	for tool in $(tools); do
		listed "$tool" | awk -F'\t' -v OFS='\t' '$1 $2 { print $1, $2 }'
	done | sort -u >pairs
	# -b, -B, -i, -j and -s are of perf record and stat here, and of perf inject there; the others are those of perf stat, report and top
	cat >perfs <<-'END'
		-b	--branch-any
		-b	--bpf-prog
		-b	--branch-stack
		-i	--no-inherit
		-d	--detailed
		-T	--transaction
		-n	--null
		-I	--interval-print
		-I	--show-info
		-r	--repeat
		-S	--sync
		-x	--field-separator
		-j	--json-output
		-j	--branch-filter
		-s	--stat
		-s	--sort
		-F	--fields
		-G	--inverted
		-G	--hide-call-graph
		-t	--field-separator
		-g	--call-graph
		-n	--show-nr-samples
		-p	--parent
		-c	--comms
		-d	--dsos
		-S	--symbols
		-B	--mmap2-buildids
	END
	grep -vxF -f perfs pairs >ours
	[ "$(wc -l <pairs)" -eq $(($(wc -l <ours) + $(wc -l <perfs))) ]
	awk -F'\t' '$1 != "" && $1 in seen { print $1 ": " seen[$1] " " $2 } { seen[$1] = $2 }' \
		ours >letters
	cat letters
	[ ! -s letters ]
	# perf record has --transaction and --call-graph, perf stat -T and perf report -g for them; perf's separators differ; stackcollapse-perf.pl has others as switches; what samples weigh in pp-fold is not in them; perf report's --comms names threads
	grep -vxF -e $'-T\t--transaction' -e $'-t\t--field-separator' -e $'-g\t--call-graph' -e $'-F\t--fields' -e $'\t--pid' -e $'\t--tid' -e $'\t--jit' -e $'\t--weight' -e $'-c\t--comms' pairs | sort -t$'\t' -k2 | awk -F'\t' '$2 != "" && $2 in seen { print $2 ": " seen[$2] " " $1 }
		{ seen[$2] = $1 }' >names
	cat names
	[ ! -s names ]
}

@test "no tool has an option twice" {
	for tool in $(tools); do
		echo "$tool"
		[ "$(listed "$tool" | cut -f1 | sed '/^$/d' | sort | uniq -d)" = "" ]
		[ "$(listed "$tool" | cut -f2 | sed '/^$/d' | sort | uniq -d)" = "" ]
	done
}

@test "helps are phrases: lower case, no full stop, plain ASCII" {
	for tool in $(tools); do
		echo "$tool"
		[ "$(listed "$tool" | sed '$d' | cut -f4- | grep -E '^$|\.$|^[A-Z][a-z]' )" = "" ]
		[ "$("$tool" --help | grep -P '[^\x20-\x7e]')" = "" ]
	done
}

# ---- misuse: exit 2, one line of what, one of where to look

# misused TOOL TEXT ARGUMENTS...
misused() {
	local tool=$1 text=$2
	shift 2
	echo "$tool $*"
	run -2 --separate-stderr "$tool" "$@" </dev/null
	[ -z "$output" ] || return 1
	[ "${stderr_lines[0]}" = "$tool: $text" ] || { echo "$stderr"; return 1; }
	[ "${stderr_lines[1]}" = "Try '$tool --help'." ] || return 1
	[ "${#stderr_lines[@]}" -eq 2 ]
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

@test "a folder for --root that is not there, or is none, is reported, and no misuse" {
	local asked=0 tool
	printf 'header\nattr id=1\nsample pid=7 time=1000\nround\n' | build >in
	for tool in $(tools); do
		has "$tool" --root || continue
		asked=$((asked + 1))
		# shellcheck disable=SC2046 # words
		set -- $(arguments "$tool") -i in -o out
		run -0 --separate-stderr "$tool" --root nowhere "$@"
		[[ $stderr == "$tool: --root: no file can be read below nowhere: No such file or directory"* ]]
		run -0 --separate-stderr "$tool" --root in "$@"
		[[ $stderr == "$tool: --root: no file can be read below in: Not a directory"* ]]
		run -0 --separate-stderr "$tool" -q --root nowhere "$@"
		[ -z "$stderr" ]
		run -0 --separate-stderr "$tool" --root . "$@"
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

@test "an input that has no name but a descriptor's is called by its place" {
	stream >in
	run -3 --separate-stderr bash -c 'pp-merge -o out in <(exit 1)'
	[[ $stderr == "pp-merge: input 2 (/dev/fd/"*"): not a perf stream: the input is empty" ]]
}

@test "every reader takes FILE as its operand, - for standard input, and not twice" {
	stream >in
	for tool in $(tools); do
		[[ $tool != pp-@(record|count|gen) ]] || continue
		echo "$tool"
		case $tool in
		pp-split) more=(--samples 3 -o "$tool-%u") ;;
		*) more=($(arguments "$tool") -o got) ;;
		esac
		file=in
		[ "$tool" != pp-undump ] || { pp-dump --json in >lines && file=lines; }
		"$tool" "${more[@]}" -i "$file"
		[ "$tool" = pp-split ] || mv got want
		"$tool" "${more[@]}" "$file"
		[ "$tool" = pp-split ] || same_bytes want got
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

@test "names of files, also those that a stream tells, are one line of text" {
	local odd=$'no\npp-check: sound\x9b\xc2\x9b\xed\xa0\x80\xc0\x8a-\xc3\xa9' tool
	for tool in $(readers); do
		run -4 --separate-stderr "$tool" $(arguments "$tool") -i "$odd" -o out
		[ "$stderr" = "$tool: no\\x0app-check: sound\\x9b\\xc2\\x9b\\xed\\xa0\\x80\\xc0\\x8a-é: cannot open: No such file or directory" ]
	done
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,mmap2
		mmap2 pid=7 start=0x1000 len=0x1000 file="/no/x\npp-inject: all sound\x9b" time=100
		sample pid=7 ip=0x1100 time=200
		round
	END
	run -0 --separate-stderr pp-inject -b -v -i in
	[ "${stderr_lines[0]}" = "pp-inject: cannot read the build-id of /no/x\\x0app-inject: all sound\\x9b: No such file or directory" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
}

# ---- terminals

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

@test "a stream is never waited for from a terminal" {
	need script
	for tool in $(readers); do
		echo "$tool"
		run -2 script -qec "$tool $(arguments "$tool") >out" /dev/null </dev/null
		[[ $output == "$tool: a stream is not read from a terminal: "* ]]
	done
}

# ---- input that is not there, or no stream

@test "a missing input is exit 4, with the file and the reason" {
	for tool in $(readers); do
		echo "$tool"
		run -4 --separate-stderr "$tool" $(arguments "$tool") -i missing
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
			"$(command -v "$tool")" $(arguments "$tool") -i "$PWD/in"
		[[ $stderr == "$tool: "*": Permission denied" ]] || skip "the folders above are closed to others"
	done
}

@test "a directory is no input" {
	mkdir folder
	for tool in $(readers); do
		echo "$tool"
		run --separate-stderr "$tool" $(arguments "$tool") -i folder
		[[ $status =~ ^[34]$ ]]
		[[ $stderr == "$tool: "*folder* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "standard input that is closed is exit 4" {
	for tool in $(readers); do
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
		run -3 --separate-stderr "$tool" $(arguments "$tool") -i empty
		[[ $stderr == "$tool: empty: "* ]]
		run -3 --separate-stderr "$tool" $(arguments "$tool") -i text
		[[ $stderr == "$tool: text: "* ]]
	done
}

@test "a cut is told with file, record and byte, and what came before is delivered" {
	stream >in
	head -c -3 in >cut
	size=$(stat -c %s in)
	for tool in $(readers); do
		[ "$tool" != pp-mend ] || continue # it tells ranges of bytes: mend.bats
		echo "$tool"
		run -3 --separate-stderr bash -c "$tool $(arguments "$tool") -i cut >part"
		[[ $stderr =~ ^$tool:\ cut:\ record\ [0-9]+\ at\ byte\ $((size - 8)) ]]
		[ -s part ]
	done
}

# ---- output

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

# ---- completions: every option of every tool, in the shells themselves

# offered: `TOOL OPTION` a line for all that a shell should offer
offered() {
	for tool in $(tools); do
		listed "$tool" | awk -F'\t' -v tool="$tool" '
			$1 ~ /^-.$/ && !(long && $2) { print tool, $1 } $2 { print tool, $2 }'
	done | sort
}

@test "bash completes every option of every tool" {
	offered >expected
	bash --norc -c '
		. "$1"
		shift
		for tool; do
			complete -p "$tool" >/dev/null || exit
			COMP_WORDS=("$tool" -) COMP_CWORD=1
			_pp "$tool" - "$tool"
			printf "$tool %s\n" "${COMPREPLY[@]%=}"
		done' - "$ROOT/completions/pp.bash" $(tools) | sort >got
	diff expected got
}

@test "bash completes a file installed under a tool's name, values, files and commands" {
	cp "$ROOT/completions/pp.bash" pp-record
	: >'file one'
	bash --norc -c '
		. ./pp-record
		complete -p pp-record
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -o fil
		try pp-record --output = fil
		try pp-record --outp
		try pp-record whoam
		try pp-record -- -
		try pp-dump -i fil' >got
	[ "$(sed -n 1p got)" = 'complete -F _pp pp-record' ]
	[ "$(sed -n 2p got)" = 'file one' ]
	[ "$(sed -n 3p got)" = 'file one' ]
	[ "$(sed -n 4p got)" = '--output=' ]
	[[ "$(sed -n 5p got)" == whoami* ]]
	[ "$(sed -n 6p got)" = '' ]
	[ "$(sed -n 7p got)" = 'file one' ]
}

@test "fish completes every option of every tool" {
	need fish
	offered >expected
	fish -N -c '
		source $argv[1]
		for tool in $argv[2..]
			for word in - --
				for line in (complete -C "$tool $word")
					echo $tool (string split -f1 \t -- $line)
				end
			end
		end' "$ROOT/completions/pp.fish" $(tools) | sort -u >got
	diff expected got
}

@test "fish completes a file installed under a tool's name, values, files and commands" {
	need fish
	mkdir -p completions
	cp "$ROOT/completions/pp.fish" completions/pp-record.fish
	: >fileone
	fish -N -c '
		set -p fish_complete_path $PWD/completions
		complete -C "pp-record -o fil"
		complete -C "pp-record --output=fil"
		complete -C "pp-record --outp"
		complete -C "pp-record whoam"' | cut -f1 >got
	[ "$(sed -n 1p got)" = fileone ]
	[ "$(sed -n 2p got)" = --output=fileone ]
	[ "$(sed -n 3p got)" = --output ]
	[ "$(sed -n 4p got)" = whoami ]
}

@test "bash and fish complete the names of an expression" {
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-filter phys_
		try pp-filter "'"'"'cpu == 0 && phys_"
		try pp-filter --first-per = pid,phys_
		try pp-filter weight.var1_' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = phys_addr ]
	[ "$(sed -n 2p got)" = 'cpu == 0 && phys_addr' ]
	[ "$(sed -n 3p got)" = pid,phys_addr ]
	[ "$(sed -n 4p got)" = weight.var1_dw ]
	need fish
	fish -N -c 'source $argv[1]; complete -C "pp-filter phys_"' "$ROOT/completions/pp.fish" | cut -f1 >got
	[ "$(cat got)" = phys_addr ]
}

@test "each argument that has a list of values is one that the tools list" {
	for tool in $(tools); do
		rows "$tool" | while IFS=$US read -r _ name arg _; do
			case $arg in
			EVENT | TYPES | READER | CPUS | PIDS | TIDS)
				echo "$tool $name $arg"
				"$tool" --list-values="$arg" >values
				[ -s values ]
				;;
			esac
		done
	done
	[ "$(pp-cat --list-values=READER | tr '\n' ' ')" = '6.1 6.12 7.3 quipper ' ]
	pp-dump --list-values=TYPES | grep -q "^comm$(printf '\t')"
	pp-record --list-values PIDS | cut -f1 | grep -qx 1
	pp-record --list-values EVENT | grep -qx cpu-clock
	[ -z "$(pp-record --list-values=NOTHING)" ]
	# What is listed is taken.
	pp-gen --samples 10 >in
	pp-dump --list-values=TYPES | cut -f1 | while read -r type; do
		pp-dump --type "$type" -i in -o out
	done
}

@test "bash completes events, clocks, readers, types of records and processes" {
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -e cpu-c
		try pp-record --event = page-faults,cpu-c
		try pp-record -k boot
		try pp-cat --for 6
		try pp-dump --type comm,mmap
		try pp-filter --drop = cgr
		try pp-record -p 1' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = cpu-clock ]
	[ "$(sed -n 2p got)" = page-faults,cpu-clock ]
	[ "$(sed -n 3p got)" = boottime ]
	[ "$(sed -n 4p got)" = 6.1,6.12 ]
	[ "$(sed -n 5p got)" = comm,mmap,comm,mmap2 ]
	[ "$(sed -n 6p got)" = cgroup ]
	[[ ",$(sed -n 7p got)," == *,1,* ]]
}

@test "bash completes a tracepoint, of which it makes three words" {
	need_tracepoints
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -e sched : sched_swit
		try pp-record -e sched :
		try pp-record -e sched:sched_swit
		try pp-record --event = cpu-clock,sched : sched_swit' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = sched_switch ]
	[[ ",$(sed -n 2p got)," == *,sched_switch,* ]]
	[ "$(sed -n 3p got)" = sched_switch ]
	[ "$(sed -n 4p got)" = sched_switch ]
}

@test "fish completes events, clocks, readers, types of records and processes" {
	need fish
	fish -N -c '
		source $argv[1]
		complete -C "pp-record -e cpu-c"
		complete -C "pp-record -k boott"
		complete -C "pp-cat --for 6.12"
		complete -C "pp-dump --type comm,mmap2"
		complete -C "pp-filter --drop=cgroup"
		complete -C "pp-record -p 1" | string match -r "^1\t.*"' "$ROOT/completions/pp.fish" | cut -f1 >got
	[ "$(sed -n 1p got)" = cpu-clock ]
	[ "$(sed -n 2p got)" = boottime ]
	[ "$(sed -n 3p got)" = 6.12 ]
	[ "$(sed -n 4p got)" = comm,mmap2 ]
	[ "$(sed -n 5p got)" = --drop=cgroup ]
	[ "$(sed -n 6p got)" = 1 ]
}

# zsh_offers LINE...: what zsh offers at the end of each line, `LINE: WORD` a line.  It shows
# completions on a terminal only, so it gets one; marks in its output tell when it is done.
zsh_offers() {
	mkdir -p functions
	cp "$ROOT/completions/pp.zsh" functions/_pp
	cat >offers.zsh <<-'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1= PS2= PROMPT_EOL_MARK=; stty -echo
		fpath=($PWD/functions \$fpath)
		autoload -Uz compinit; compinit -u -D
		compadd() {
			[[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]] || { builtin compadd \"\$@\"; return }
			typeset -a words
			builtin compadd -A words \"\$@\"
			print -rl -- \${words/#/OFFER:}
		}
		finish() { print -r -- DONE; zle kill-whole-line }
		zle -N finish
		bindkey '^I' complete-word '^X' finish
		print -r -- REA''DY"
		zpty -r z out '*READY*'
		for line; do
			zpty -w -n z "$line"$'\t\x18'
			zpty -r z out '*DONE*'
			print -r -- $out | tr -d '\r' | sed -n "s/^.*OFFER:/$line: /p"
		done
		zpty -d z
	END
	timeout 120 zsh -f offers.zsh "$@" 3>&- | sort -u
}

@test "zsh completes every option of every tool" {
	need zsh
	lines=("pp-sort --")
	for tool in $(tools); do
		lines+=("$tool -") # behind which it offers what begins with two as well
	done
	offered >expected
	# "-" is also the name of a command, which pp-record may be given.
	zsh_offers "${lines[@]}" | sed -E 's/ --?: / /; / -$/d' | sort -u >got
	diff expected got
}

@test "zsh completes values, files and commands" {
	need zsh
	: >fileone
	zsh_offers 'pp-record -o fil' 'pp-record --output=fil' 'pp-record --outp' 'pp-record whoam' >got
	grep -x 'pp-record -o fil: fileone' got
	grep -x 'pp-record --output=fil: fileone' got
	grep -x 'pp-record --outp: --output' got
	grep -x 'pp-record whoam: whoami' got
	zsh_offers 'pp-filter phys_' >got
	grep -x 'pp-filter phys_: phys_addr' got
}

@test "zsh completes events, clocks, readers, types of records and processes" {
	need zsh
	zsh_offers 'pp-record -e cpu-c' 'pp-record --event=page-faults,cpu-c' 'pp-record -k boot' 'pp-cat --for 6' \
		'pp-dump --type comm,mmap2' 'pp-record -p 1' >got
	grep -x 'pp-record -e cpu-c: cpu-clock' got
	grep -x 'pp-record --event=page-faults,cpu-c: cpu-clock' got
	grep -x 'pp-record -k boot: boottime' got
	grep -x 'pp-cat --for 6: 6.12' got
	grep -x 'pp-dump --type comm,mmap2: mmap2' got
	grep -x 'pp-record -p 1: 1' got
}
