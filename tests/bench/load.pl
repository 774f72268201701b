#!/usr/bin/perl
# load.pl SECONDS FILE - a load for recorders: so much processor time of system calls and of sums; writes into
# FILE how much it did in a second of it, and what it took.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);

my ($seconds, $to) = @ARGV;
my ($work, $sum) = (0, 0);
open my $null, '>', '/dev/null' or die "/dev/null: $!\n";
my $used;
do {
	for (1 .. 2000) { syswrite $null, 'x'; $sum += $_ for 1 .. 20 }
	$work++;
	$used = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
} while $used < $seconds;
open my $out, '>', $to or die "$to: $!\n";
print $out $work / $used, ' ', clock_gettime(CLOCK_PROCESS_CPUTIME_ID), "\n";
