#!/usr/bin/perl
# classes.pl PERF OURS - compares chains, as perf script prints them, of a recording before and after
# pp-unwind; a line with each class of samples and their number:
#
#   equal
#   resolver  perf ends where the dynamic linker bound a function: the rules have rbx in a place that
#             was popped already, below the stack pointer; we take what the register holds
#   early     perf ends early
#   astray    perf ends early, or leaves frames out, and then in an address that is no code
#   skips     perf leaves frames out
#   other     anything else
use strict;
use warnings;

sub chains
{
	my ($path) = @_;
	local $/ = '';
	open my $f, '<', $path or die "$path: $!\n";
	return [ map { [ split /\n/ ] } <$f> ];
}

# Whether all of the one are in the other, in the same order.
sub within
{
	my ($few, $many) = @_;
	my $at = 0;
	for (@$many) {
		$at++ if $at < @$few && $_ eq $few->[$at];
	}
	return $at == @$few;
}

sub class
{
	my ($perf, $ours) = @_;
	my $n = 0;
	$n++ while $n < @$perf && $n < @$ours && $perf->[$n] eq $ours->[$n];
	return 'other' if !$n;
	return $n == @$ours ? 'equal' : $perf->[-1] =~ / _dl_runtime_resolve/ ? 'resolver' : 'early'
		if $n == @$perf;
	return 'astray' if $perf->[-1] =~ / \[unknown\] \((\[unknown\]|\[heap\]|\[stack\])\)$/ &&
		within([ @$perf[0 .. $#$perf - 1] ], $ours);
	return within($perf, $ours) ? 'skips' : 'other';
}

my ($perf, $ours) = map { chains($_) } @ARGV;
@$perf == @$ours or die "classes.pl: ", scalar(@$perf), " samples, and ", scalar(@$ours), "\n";
my %count;
for my $i (0 .. $#$perf) {
	my $class = class($perf->[$i], $ours->[$i]);
	$count{$class}++;
	print STDERR join("\n", "$class:", @{$perf->[$i]}, '--', @{$ours->[$i]}, '') if $class eq 'other';
}
print "$count{$_} $_\n" for sort keys %count;
