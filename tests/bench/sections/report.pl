# report.pl - tables and call trees, beside perf report of this machine.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

# reporting NAME FILE PERF OURS: options of both
sub reporting
{
	my ($name, $file, $perf, $options) = @_;
	my @report = (ours => "pp-report -q $options", in => $file, bytes => size($file), shows => 'cpu', runs => 3);
	my $took = row "pp-report $name", @report, theirs => "perf report --stdio $perf",
		called => "perf report $name", before => \&forget,
		figures => [least(10, faster('cpu', "times perf's user and system time"))];
	row "pp-report $name, again", @report, theirs => $took->{theirs},
		figures => [faster('cpu', "times perf's user and system time")];
}

# of a pipe perf counts no children, whatever it is asked
sub tables
{
	my ($name, $file) = @_;
	reporting("of $name stream", $file, '-i -', '--no-children');
	shell("pp-save -q -o calls.data $file");
	reporting("of $name file, children", 'calls.data', '-i calls.data', 'calls.data');
	unlink 'calls.data';
}

# A short recording, in which names that are read for the first time weigh most, and as long a one as elsewhere.
tables('a short', listed());
repeat(listed(), 'calls.pipe', $MB);
tables('a', 'calls.pipe');
unlink 'calls.pipe';
