# help.bats - what --help shows: what the tool is for, examples that work, and options in groups that
# a reader can take in; and what it leaves out.

setup() {
	load ../helper
	load examples
}

# heads TOOL: the lines of --help before the first group of options
heads() { "$1" --help | awk '!before && /^[A-Z].*:$/ && !/^Examples:$/ { exit } { before = $0; print }'; }

# example_lines TOOL: the commands of --help
example_lines() { heads "$1" | awk '/^Examples:$/ { on = 1 } on && /^  [^ ]/' | sed 's/^ *//'; }

# try_examples TOOL...: runs what their --help shows, as far as this machine allows it
try_examples() {
	local tool command
	stand_ins
	stream >stream.in
	for tool; do
		while IFS= read -r command; do
			echo "$tool: $command"
			allowed "$command" || continue
			runs "$command" || return 1
		done < <(example_lines "$tool")
	done
}

# bats test_tags=T3-E5
@test "--help opens with what the tool is for, and two or three examples of it" {
	for tool in $(tools); do
		echo "$tool"
		heads "$tool" >head
		[ "$(sed -n 1p head)" = "$("$tool" --help | grep '^Usage: ')" ]
		# a tool that runs commands has two lines of usage
		sed -i '2{/^       pp-[a-z]* .*-- COMMAND/d}' head
		# a phrase, and at least a sentence of why one would run it
		[[ $(sed -n 2p head) =~ ^[A-Z] && -z $(sed -n 3p head) ]]
		[[ $(sed -n '4,/^$/p' head | tr '\n' ' ') =~ ^[A-Z].{40,}\.\ *$ ]]
		example_lines "$tool" >commands
		[[ $(wc -l <commands) =~ ^[23]$ ]]
		[ "$(grep -vcw "$tool" commands)" -eq 0 ]
		# each with a phrase of what it is for
		[ "$(awk '/^Examples:$/ { on = 1 } on && /^      [^ ]/' head | grep -c .)" -ge "$(wc -l <commands)" ]
	done
}

# bats test_tags=T3-E5
@test "the examples of --help work: of tools that read" {
	try_examples pp-{cat,check,compress,decompress,dump,filter,fold,gen,info,inject,mend,merge}
}

# bats test_tags=T3-E5
@test "the examples of --help work: of tools that show" {
	try_examples pp-{annotate,export,flame,report,save,script}
}

# bats test_tags=T3-E5
@test "the examples of --help work: of tools that sort, cut and name" {
	try_examples pp-{diff,ring,scrub,sort,span,split,symbol,thin,undump}
}

# bats test_tags=T3-E5
@test "the examples of --help work: of tools that count" {
	need_kernel
	try_examples pp-{count,stat}
}

# bats test_tags=T3-E5
@test "the examples of --help work: of tools that record, and what reads that at once" {
	need_kernel
	try_examples pp-{record,top,unwind}
}

@test "the examples of every tool are among those" {
	[ "$(grep -oE 'pp-\{[a-z,]+\}' "$BATS_TEST_FILENAME" | grep -oE '[a-z]{3,}' | sort)" = "$(tools | cut -c4- | sort)" ]
}

# bats test_tags=T3-E5
@test "an example that a tool does not take is found" {
	stand_ins
	stream >stream.in
	run -1 runs 'pp-sort --no-such-option web.pipe'
	run -1 runs 'pp-sort missing.file'
}

# bats test_tags=T3-E5
@test "--help has at most 12 options under a heading" {
	for tool in $(tools); do
		"$tool" --help | awk -v tool="$tool" '
			/^[A-Z].*:$/ { group = $0 }
			/^  (-|    --)/ { of[group]++ }
			END { for (g in of) if (of[g] > 12) { print tool, g, of[g]; bad = 1 } exit bad }'
	done
}

# bats test_tags=T3-E5
@test "what is only accepted, or refused, is neither in --help nor completed, and works as before" {
	local hidden=0
	for tool in $(tools); do
		"$tool" --help >help
		"$tool" --list-options >options
		"$tool" --list-hidden >rows
		while IFS=$'\t' read -r name; do
			echo "$tool $name"
			hidden=$((hidden + 1))
			! grep -qE -e "$name([ =[]|\$)" help
			! grep -q -e "$(printf '\t')$name$(printf '\t')" options
		done < <(cut -f2 rows)
		! grep -E 'accepted|refused' options
		run -1 grep -vE '(accepted|refused): ' rows
	done
	[ "$hidden" -ge 12 ]
	pp-gen --samples 10 >in
	run -2 --separate-stderr pp-inject --strip -i in
	[[ $stderr == "pp-inject: instruction traces are not decoded: "* ]]
}
