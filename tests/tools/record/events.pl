#!/usr/bin/perl
# events.pl LOG - what a fake kernel (tests/fake/kernel.c) was asked for, an event a line, each once:
# type, config, config1, config2, the bits that were left out, m where it is a member of a group.
use strict;
use warnings;

my (%seen, @lines);
while (<>) {
	my ($group, $hex) = /^open .* group=(\d+) .*attr=([0-9a-f]+)/ or next;
	my ($type, undef, $config, undef, undef, undef, $flags, undef, undef, $config1, $config2) =
		unpack 'VVQ<5VVQ<2', pack 'H*', $hex;
	my @left = grep { $flags >> { user => 4, kernel => 5, hv => 6, guest => 20, host => 19 }->{$_} & 1 }
		qw(user kernel hv guest host);
	next if $type == 1 && $config == 9; # the dummy
	my $line = sprintf '%d %#x %#x %#x %s%s', $type, $config, $config1, $config2, join(',', @left) || '-',
		$group ? ' m' : '';
	push @lines, $line unless $seen{$line}++;
}
print map { "$_\n" } @lines;
