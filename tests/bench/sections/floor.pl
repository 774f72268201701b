# floor.pl - what the tools take beside a bare walk of the same stream, over 20 passes.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

# The kernel tells user from system time by samples, some ms apart: so the stream is longer than elsewhere, the walk,
# which takes least, is walked four times as often, and all passes are added up.
my $bytes = big_stream(5 * $MB)->{bytes};
my $walks = 4;

# against_floor NAME, COMMAND, TIMES, FILE
sub against_floor
{
	my ($name, $command, $times, $file) = @_;
	row $name, ours => $command, called => 'floor',
		theirs => sub { return together(1, map { run($ENV{FLOOR}, in => $file) } 1 .. $walks) },
		in => $file, bytes => size($file), shows => 'user', mean => 4, runs => 5, figures => [
			most($times, of_all(share('user', "times the floor's user time"))),
			of_all(share('cpu', "times the floor's user and system time")),
		];
}

against_floor(@$_, 'big.pipe') for (
	['pp-cat', 'pp-cat', 1.5],
	['pp-info', 'pp-info', 3],
	["pp-filter 'pid > 1'", "pp-filter 'pid > 1'", 2.5],
	['pp-check', 'pp-check', 4],
	['pp-sort', 'pp-sort', 5],
	['pp-inject -b', 'pp-inject -b', 6],
	['pp-filter --comm=dd', 'pp-filter --comm=dd', 8],
	['pp-filter --prune', 'pp-filter --prune', 10],
);

shell('pp-gen --samples 5e6 --rounds 2.5e5 -o rounds.pipe');
against_floor('pp-mend, of small rounds', 'pp-mend', 6, 'rounds.pipe');
unlink 'rounds.pipe';

# a line of five, of a sealed stream
shell('pp-cat --seal -i big.pipe -o sealed.pipe');
sub line { my ($command) = @_; return join ' | ', ($command) x 5 }
row 'a line of 5 pp-cat, sealed', ours => line('pp-cat'), theirs => line('cat'), called => 'a line of 5 cat',
	in => 'sealed.pipe', bytes => $bytes, passes => 4, runs => 5,
	figures => [least(0.6, faster('wall', "of five cats' speed"))];
unlink 'sealed.pipe';
