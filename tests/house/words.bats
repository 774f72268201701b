# words.bats - the words of pages, help, messages and public headers: what is no natural English, and
# was written often, does not come back.

setup() {
	load ../helper
	cd "$ROOT" || return
}

# In place of these: after, before; is there, precedes; reported, named, distinguished; none; it is unknown;
# of what is left to another file, nothing, or what that does.
BAD='\b(?:[Bb]ehind|[Ii]n front of|(?:is|are|was|were|be|been) told|told (?:from|apart|by)|(?<!there )is none|nobody|stands? (?:there|before|first|elsewhere|behind)|others than|holds? up|let go|whoever|the begin|(?:is|are) left to (?!chance))\b'
# The same in what tools and pages say, which is live; of those that match; not the file that was recorded ...
SAID='\b(?:going on while|of the others only|at this path now|nor maybe|alone takes|second word for it|led astray|by the size of the dump|came after what)\b'

# clean NAME: nothing of standard input, which is NAME, has a bad word; blanks and line ends do not matter.
# What is quoted is not meant.
clean() {
	run perl -0777 -ne '
		s/^\.\\".*//mg; s/^\.[A-Z][a-z] //mg; s/^ \* ?//mg; s/[ \t\n]+/ /g; s/"(?:behind|in front of|told|is none)"//g;
		print "'"$1"': ...$1\n" while /(.{0,40}'"$BAD"'.{0,40})/g'
	echo "$output"
	[ -z "$output" ]
}

# clean_said NAME: neither has it one of SAID
clean_said() {
	local BAD="(?:$BAD|$SAID)"
	clean "$1"
}

@test "README, ARCHITECTURE, CONTRIBUTING and the README of the tests" {
	for page in README.md ARCHITECTURE.md CONTRIBUTING.md tests/README.md; do clean $page <$page; done
}

@test "manual pages" {
	for page in tools/*.1 man/*.[0-9]*; do clean_said "$page" <"$page"; done
}

@test "--help" {
	for tool in $(tools); do
		"$tool" --help >"$BATS_TEST_TMPDIR/help"
		clean_said "$tool --help" <"$BATS_TEST_TMPDIR/help"
	done
}

@test "messages, and every other text in the sources of library and tools" {
	find libpipe tools -name '*.[ch]' -o -name '*.def' | while IFS= read -r file; do
		perl -0777 -ne 's{/\*.*?\*/}{}gs; s/'\''(?:[^'\''\\\n]|\\.)+'\''//g; s/"\s+"//g; print "$1\n" while /"((?:[^"\\\n]|\\.)*)"/g' "$file" >"$BATS_TEST_TMPDIR/texts"
		clean_said "$file" <"$BATS_TEST_TMPDIR/texts"
	done
}

@test "comments of the sources" {
	find libpipe tools -name "*.[ch]" -o -name "*.def" | while IFS= read -r file; do
		perl -0777 -ne 'print "$1\n" while m{/\*(.*?)\*/}gs' "$file" >"$BATS_TEST_TMPDIR/texts"
		clean "$file" <"$BATS_TEST_TMPDIR/texts"
	done
}

@test "the test finds what it looks for" {
	run clean x <<<'The header is told
		by its size.'
	[ "$status" -ne 0 ]
	run clean x <<<'.Pp
	a tail behind it'
	[ "$status" -ne 0 ]
	run clean x <<<'Behind the head stands nothing, and a record stands there.'
	[ "$status" -ne 0 ]
	run clean x <<<'/* log.c - lines; where they go is
		left to others. */'
	[ "$status" -ne 0 ]
	run clean_said x <<<'pp-top: show what is going on while it goes on'
	[ "$status" -ne 0 ]
	clean x <<<'a tail after it'
}
