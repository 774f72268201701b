# style.bats - what CONTRIBUTING.md asks of the sources' form, as far as a program can see it.

setup() {
	load ../helper
	cd "$ROOT" || return
}

# sources: the C of the library, the tools and the tests
sources() { find libpipe tools tests man -name '*.[ch]' | sort; }

# wrong PERL: each line for which the code is true, of all sources; $_ is the line, $at its width
wrong() {
	sources | xargs perl -ne '
		chomp;
		$at = 0;
		$at = $_ eq "\t" ? $at - $at % 8 + 8 : $at + 1 for split //;
		print "$ARGV:$.: $_\n" if '"$1"';
		close ARGV if eof'
}

none() {
	run "$@"
	echo "$output"
	[ -z "$output" ]
}

@test "lines are indented by tabs and end without blanks" {
	none wrong '/[ \t]$/ || /^ {2,}[^ *]/ || /^ +\t/'
}

# 100 columns are meant; one that reaches a little further is better than one that is torn.  Rows of
# tables and macros that make them are laid out by hand.
@test "lines are no longer than 110 columns" {
	none wrong '$at > 110 && !/^\t\{ "/ && !/^#define RECORD\(/ && !/^ \*\t+printf\(/'
}

@test "a function's brace stands alone, that of a block at the end of its line" {
	none wrong '/^[a-z].*\)\s*\{$/ && !/=|struct|enum|union/ || /\}else/ || /\b(?:if|for|while|switch)\(/'
}

@test "a file begins with its name and one sentence: what it is" {
	none sources_without_head
}
sources_without_head() {
	sources | xargs perl -0777 -ne '
		($name) = $ARGV =~ m{([^/]+)$};
		print "$ARGV\n" unless m{^/\*(?:\n \*)? \Q$name\E - \w[^.]*?[.:;]}'
}

# pp_mend_scan is one switch over what may begin at a place, and reads better whole.
@test "a function has at most 60 lines" {
	none perl -ne '
		chomp;
		$name = $_ if /^[a-z].*\(/;
		$from = $. if $_ eq "{";
		print "$ARGV: $name: ", $. - $from - 1, " lines\n" if $_ eq "}" && $from && $. - $from - 1 > 60 && $name !~ /^bool pp_mend_scan\(/;
		$from = 0 if $_ eq "}";
		close ARGV if eof' $(sources)
}

@test "a source has at most 900 lines" {
	none awk 'FNR == 901 { print FILENAME }' $(sources) tools/*.1 libpipe/format/*.def
}

# What a test file loads in setup() comes after its own functions, and takes the place of one of the same name.
@test "a function of a test file has no name that a file it loads has" {
	none perl -e '
		for my $file (@ARGV) {
			my $text = do { local (@ARGV, $/) = $file; <> };
			my %own = map { $_ => 1 } $text =~ /^(\w+)\(\) *\{/mg;
			for my $name ($text =~ /^\s*load (\S+)$/mg) {
				my $loaded = $file =~ s{[^/]*$}{$name.bash}r;
				my $functions = -f $loaded ? do { local (@ARGV, $/) = $loaded; <> } : "";
				print "$file: $_() is that of $loaded\n" for grep { $own{$_} } $functions =~ /^(\w+)\(\) *\{/mg;
			}
		}' $(find tests -name "*.bats")
}
