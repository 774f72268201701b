# folded.pl - what pprof.pl prints on standard input as folded stacks, as pp-fold has them: `folded.pl [N]`
# takes value N of each sample, from 0 (default: 1).
use strict;
use warnings;

my $value = shift // 1;
my %weights;
while (<STDIN>) {
	/^sample (\S+) (?:.*? )?comm=(.*?)(?: cpu=\d+)?(?: label=\S*)? \| (.*)$/ or next;
	my ($values, $comm, $frames) = ($1, $2, $3);
	my $weight = (split /,/, $values)[$value] or next;
	$comm =~ tr/ /_/;
	my @frames = map { s{^\[.*/([^/]*)\]$}{[$1]}r } grep { $_ ne '' } split /;/, $frames;
	$weights{join ';', $comm, @frames} += $weight;
}
print map { "$_ $weights{$_}\n" } sort keys %weights;
