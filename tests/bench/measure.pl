#!/usr/bin/perl
# measure.pl - runs a command and prints `seconds cpu-seconds peak-RSS-in-MB`, the least of the
# runs of each: measure.pl RUNS IN OUT COMMAND...
# Its messages go to OUT.messages.
use strict;
use warnings;
use POSIX qw(WNOHANG);
use Time::HiRes qw(time sleep);

my ($runs, $in, $out, @command) = @ARGV;
die "usage: measure.pl RUNS IN OUT COMMAND...\n" unless @command;
my $messages = $out eq '/dev/null' ? '/dev/null' : "$out.messages";

sub children { my (undef, undef, $user, $system) = times; return $user + $system }

sub run
{
	my ($began, $cpu) = (time, children());
	my $pid = fork // die "measure.pl: fork: $!\n";
	if (!$pid) {
		open STDIN, '<', $in or die "$in: $!\n";
		open STDOUT, '>', $out or die "$out: $!\n";
		open STDERR, '>', $messages;
		exec @command or die "$command[0]: $!\n";
	}
	my $rss = 0;
	my $ended;
	until (($ended = waitpid $pid, WNOHANG) == $pid) {
		if (open my $status, '<', "/proc/$pid/status") {
			while (<$status>) { $rss = $1 if /^VmHWM:\s+(\d+)/ && $1 > $rss }
		}
		sleep 0.002;
	}
	my $status = $?;
	return (time - $began, children() - $cpu, $rss / 1024, $status);
}

my @best;
for (1 .. $runs) {
	my @took = run();
	my $status = pop @took;
	# perf and the tools say with 3 that the input was odd: still a measurement
	die "measure.pl: @command: exit " . ($status >> 8) . ", signal " . ($status & 127) . "\n"
		if $status & 127 || $status >> 8 && $status >> 8 != 3;
	for my $i (0 .. 2) {
		$best[$i] = $took[$i] if !defined $best[$i] || $took[$i] < $best[$i];
	}
}
printf "%.3f %.3f %.0f\n", @best;
