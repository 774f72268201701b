#!/usr/bin/perl
# classes.pl PERF OURS - compares chains, as perf script prints them, of a recording before and after
# pp-unwind; a line with each class of samples and their number, on stderr the first of each that differ:
#
#   equal
#   resolver  perf ends where the dynamic linker bound a function: the rules have rbx in a place that
#             was popped already, below the stack pointer; we take what the register holds
#   early     perf ends early
#   skips     perf leaves frames out
#   nowhere   perf ends early, or leaves frames out, and then in an address that is no code
#   astray    perf goes the same way for a while, and then to an address that is none of ours
#   other     not even the first frames are the same
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
	return 'equal' if "@$perf" eq "@$ours";
	# the task and the time, and the frame that was interrupted
	return 'other' if @$perf < 2 || @$ours < 2 || "@$perf[0, 1]" ne "@$ours[0, 1]";
	return 'nowhere' if $perf->[-1] =~ / \[unknown\] \((\[unknown\]|\[heap\]|\[stack\])\)$/ &&
		within([ @$perf[0 .. $#$perf - 1] ], $ours);
	return 'astray' if !within($perf, $ours);
	return 'skips' if "@$perf" ne "@$ours[0 .. $#$perf]";
	return $perf->[-1] =~ / _dl_runtime_resolve/ ? 'resolver' : 'early';
}

my ($perf, $ours) = map { chains($_) } @ARGV;
@$perf == @$ours or die "classes.pl: ", scalar(@$perf), " samples, and ", scalar(@$ours), "\n";
my %count;
for my $i (0 .. $#$perf) {
	my $class = class($perf->[$i], $ours->[$i]);
	$count{$class}++;
	print STDERR join("\n", "$class:", @{$perf->[$i]}, '--', @{$ours->[$i]}, '')
		if $class ne 'equal' && $count{$class} <= 3;
}
print "$count{$_} $_\n" for sort keys %count;
