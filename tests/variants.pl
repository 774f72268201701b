#!/usr/bin/perl
# variants.pl - runs a command on many variants of a file, one process for each and no shell.
#
#   variants.pl FILE STEP CODE COMMAND...
#
# Where the tools are built with sanitizers, which start slowly, STEP is five times as large.
# For each N from the length of FILE down to 0, by STEP bytes, CODE makes of $in and $n (and $size)
# what is written to ./changed; undef: nothing is tried.  Prints a line for each: N, the exit status
# of COMMAND ("signal-11" ...), and how many bytes it wrote to standard output and to standard error,
# all of which are collected in ./said and ./errors.
use strict;
use warnings;

my ($file, $step, $code, @command) = @ARGV;
open my $f, '<:raw', $file or die "$file: $!\n";
my $in = do { local $/; <$f> };
my $size = length $in;
$step *= 5 if ($ENV{BIN} // '') =~ /address/;
my $make = eval "sub { my (\$in, \$n) = \@_; $code }" or die $@;
open my $report, '>&', \*STDOUT or die;
open STDOUT, '>', 'said' or die "said: $!\n";
open STDERR, '>', 'errors' or die "errors: $!\n";
select $report;
$| = 1;

for (my $n = $size; $n >= 0; $n -= $step) {
	my $changed = $make->($in, $n);
	next if !defined $changed;
	open my $o, '>:raw', 'changed' or die "changed: $!\n";
	print $o $changed;
	close $o or die "changed: $!\n";
	my ($said, $errors) = (-s STDOUT, -s STDERR);
	my $status = system { $command[0] } @command;
	$status = $status & 127 ? 'signal-' . ($status & 127) : $status >> 8;
	print "$n $status ", (-s STDOUT) - $said, ' ', (-s STDERR) - $errors, "\n";
}
