#!/usr/bin/perl
# mapped.pl FAULTS TESTS... - which test shows which fault: for each number in the list of faults, the
# tests with its tag.  A number without a test, and a tag without a number, fail it.
#
# The list is Markdown.  Parts are `## A. Title`; a fault is an item `1. ` of a part (A1), or a row of a
# table whose first column is `case` (C1); a part with neither is one fault (G).  A test has the tag in the
# line above it: `# bats test_tags=fault:A1,fault:C2`.
use strict;
use warnings;

my ($list, @files) = @ARGV;
die "usage: mapped.pl FAULTS TESTS...\n" if !@files;

my (@parts, %faults, $part, $rows);
open my $in, '<', $list or die "mapped.pl: cannot open $list: $!\n";
while (<$in>) {
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
my %known = map { $_ => 1 } @wanted;

my (%tests, @strays);
for my $file (@files) {
	my $tags = '';
	open $in, '<', $file or die "mapped.pl: cannot open $file: $!\n";
	while (<$in>) {
		if (/^\@test "(.*)" \{/) {
			my $test = "$file: $1";
			for my $fault ($tags =~ /\bfault:(\w+)/g) {
				push @{$tests{$fault}}, $test;
				push @strays, "$test: no fault is called $fault" if !$known{$fault};
			}
		} elsif ($tags =~ /fault:/) {
			push @strays, "$file: line " . ($. - 1) . ": a tag that stands above no test";
		}
		$tags = /^# bats test_tags=(.*)/ ? $1 : '';
	}
	close $in;
}

for my $fault (@wanted) {
	print "$fault\t$_\n" for @{$tests{$fault} // []};
}
my @missing = grep { !$tests{$_} } @wanted;
print "no test shows $_\n" for @missing;
print "$_\n" for @strays;
printf "%d faults, %d without a test\n", scalar @wanted, scalar @missing;
exit(@missing || @strays ? 1 : 0);
