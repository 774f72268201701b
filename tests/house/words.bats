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

# clean [-s] NARROW [FILE]...: in no file, or else in no line of standard input, is a bad word, nor, with -s, one of
# SAID; NARROW is Perl that leaves of $_ what counts.  Blanks and line ends do not matter; what is quoted is not
# meant.
clean() {
	local bad=$BAD
	[ "$1" != -s ] || { bad="(?:$BAD|$SAID)" && shift; }
	local narrow=$1
	shift
	run perl -0777 -ne "$narrow"';
		s/^\.\\".*//mg; s/^\.[A-Z][a-z] //mg; s/^ \* ?//mg; s/[ \t\n]+/ /g; s/"(?:behind|in front of|told|is none)"//g;
		while (/'"$bad"'/g) {
			my $from = $-[0] < 40 ? 0 : $-[0] - 40;
			print "$ARGV: ...", substr($_, $from, $+[0] + 40 - $from), "\n";
		}' "$@"
	echo "$output"
	[ -z "$output" ]
}

sources() { find libpipe tools -name '*.[ch]' -o -name '*.def'; }

@test "README, ARCHITECTURE, CONTRIBUTING and the README of the tests" {
	clean '' README.md ARCHITECTURE.md CONTRIBUTING.md tests/README.md
}

@test "manual pages" {
	clean -s '' tools/*.1 man/*.[0-9]*
}

@test "--help" {
	mkdir "$BATS_TEST_TMPDIR/help"
	for tool in $(tools); do
		"$tool" --help >"$BATS_TEST_TMPDIR/help/$tool"
	done
	clean -s '' "$BATS_TEST_TMPDIR"/help/*
}

@test "messages, and every other text in the sources of library and tools" {
	clean -s 's{/\*.*?\*/}{}gs; s/\x27(?:[^\x27\\\n]|\\.)+\x27//g; s/"\s+"//g; $_ = join "\n", /"((?:[^"\\\n]|\\.)*)"/g' $(sources)
}

@test "comments of the sources" {
	clean '$_ = join "\n", m{/\*(.*?)\*/}gs' $(sources)
}

@test "the test finds what it looks for" {
	run clean '' <<<'The header is told
		by its size.'
	[ "$status" -ne 0 ]
	run clean '' <<<'.Pp
	a tail behind it'
	[ "$status" -ne 0 ]
	run clean '' <<<'Behind the head stands nothing, and a record stands there.'
	[ "$status" -ne 0 ]
	run clean '' <<<'/* log.c - lines; where they go is
		left to others. */'
	[ "$status" -ne 0 ]
	run clean -s '' <<<'pp-top: show what is going on while it goes on'
	[ "$status" -ne 0 ]
	clean '' <<<'a tail after it'
}
