#!/usr/bin/perl
# mapped.pl FAULTS TESTS... - which test shows which fault: for each number in the list of faults, the
# tests with its tag.  A number without a test, and a tag without a number, fail it.
#
# The list is Markdown.  Parts are `## A. Title`; a fault is an item `1. ` of a part (A1), or a row of a
# table whose first column is `case` (C1); a part with neither is one fault (G).  The first lines of the list
# name its own tag of A1, `in tests' tags T3-A1`: so a tag of an earlier list never stands for a fault of this
# one.  A test has its tags in the line above it: `# bats test_tags=T3-A1,T3-C2`.  With --strays only tags are
# checked: those that name no fault, or stand above no test, fail it; faults without a test do not.
use strict;
use warnings;

my $strays_only = @ARGV && $ARGV[0] eq '--strays' && shift;
my ($list, @files) = @ARGV;
die "usage: mapped.pl [--strays] FAULTS TESTS...\n" if !@files;

my (@parts, %faults, $part, $rows, $round);
open my $in, '<', $list or die "mapped.pl: cannot open $list: $!\n";
while (<$in>) {
	$round //= $1 if !$part && /\btags (T\d+)-A1\b/;
	if (/^## ([A-Z])\. /) {
		push @parts, $part = $1;
		$faults{$part} = [];
	}
	next if !$part;
	push @{$faults{$part}}, "$part$1" if /^(\d+)\. /;
	$rows = /^\| case / || $rows && /^\|/;
	push @{$faults{$part}}, $part . (@{$faults{$part}} + 1) if $rows && !/^\| (?:case|---) /;
}
close $in;
my @wanted = map { @{$faults{$_}} ? @{$faults{$_}} : $_ } @parts;
die "mapped.pl: no fault in $list\n" if !@wanted;
die "mapped.pl: $list does not name its tags (tags T1-A1)\n" if !$round;
my %known = map { $_ => 1 } @wanted;

my (%tests, @strays);
for my $file (@files) {
	my $tags = '';
	open $in, '<', $file or die "mapped.pl: cannot open $file: $!\n";
	while (<$in>) {
		if (/^\@test "(.*)" \{/) {
			my $test = "$file: $1";
			for ($tags =~ /\b(T\d+-\w+)/g) {
				my ($fault) = /^$round-(.*)/;
				push @strays, "$test: no fault is called $_" if !defined $fault || !$known{$fault};
				push @{$tests{$fault}}, $test if defined $fault;
			}
		} elsif ($tags =~ /\bT\d+-/) {
			push @strays, "$file: line " . ($. - 1) . ": a tag that stands above no test";
		}
		$tags = /^# bats test_tags=(.*)/ ? $1 : '';
	}
	close $in;
}

for my $fault ($strays_only ? () : @wanted) {
	print "$fault\t$_\n" for @{$tests{$fault} // []};
}
my @missing = $strays_only ? () : grep { !$tests{$_} } @wanted;
print "no test shows $_\n" for @missing;
print "$_\n" for @strays;
exit(@strays ? 1 : 0) if $strays_only;
printf "%d faults, %d without a test\n", scalar @wanted, scalar @missing;
exit(@missing || @strays ? 1 : 0);
