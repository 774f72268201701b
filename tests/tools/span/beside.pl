#!/usr/bin/perl
# beside.pl WAITS CALLS - the waits that pp-span made, "event tid begin period" a line, beside calls that wait and
# measured themselves (waits.c): prints for each kind how many there are, how many have no wait, and of how many
# the wall time less the waits is below 0, or above their own CPU time and 50 us.
use strict;
use warnings;

my ($waits, $calls) = @ARGV;
my (@waits, %n, %missing, %outside);
open my $w, '<', $waits or die "$waits: $!\n";
while (<$w>) {
	my ($event, undef, $begin, $period) = split;
	push @waits, [ $begin, $begin + $period, $event ];
}
open my $c, '<', $calls or die "$calls: $!\n";
while (<$c>) {
	my ($kind, $begin, $end, $cpu) = split;
	my @of_call = grep { $$_[0] >= $begin && $$_[1] <= $end } @waits;
	my $left = $end - $begin;
	$left -= $$_[1] - $$_[0] for @of_call;
	$n{$kind}++;
	# a disk may be so fast that nobody waits, and a hog may not be in the way: what lasts longer is outside
	$missing{$kind} += $kind !~ /^(disk|hog)$/ && !grep { $$_[2] eq 'time' } @of_call;
	$outside{$kind} += $left < 0 || $left > $cpu + 50_000;
}
print "$_ $n{$_} $missing{$_} $outside{$_}\n" for sort keys %n;
