# script.pl - samples as text, beside perf script of this machine.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

repeat(listed(), 'calls.pipe', $MB);
my @calls = (ours => 'pp-script -q', in => 'calls.pipe', bytes => size('calls.pipe'), shows => 'cpu', runs => 3);
my $took = row 'pp-script', @calls, theirs => 'perf script -i -', called => 'perf script', before => \&forget,
	figures => [least(10, faster('cpu', "times perf's user and system time"))];
row 'pp-script, again', @calls, theirs => $took->{theirs},
	figures => [faster('cpu', "times perf's user and system time")];
unlink 'calls.pipe';
