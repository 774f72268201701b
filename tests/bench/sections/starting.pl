# starting.pl - how long a stage takes to start and end, which a pipeline pays for each: an installed tool,
# which loads the library, and the static program, beside a program that does nothing.
use strict;
use warnings;
use Measure;
use Rows;

my $ours = $ENV{SPENT} =~ s{/tests/bench/spent$}{}r;
my $stream = "$ENV{BENCH_HERE}/../streams/plain.pipe";

# The quickest of 200 starts of a build's tool as it is installed, or of its static program.
sub starts
{
	my ($program, @words) = @_;
	my $folder = $Measure::side eq 'base' ? $BASE : $ours;
	die "$folder/$program was not made\n" unless -x "$folder/$program";
	local $ENV{LD_LIBRARY_PATH} = $folder;
	return run("$folder/$program @words $stream", starts => 200);
}

my @true = (theirs => sub { run('true', starts => 200) }, called => 'start of true');
my $milliseconds = figure('ms', sub { 1e3 * $_[0]{ours}{wall} });

row 'start of pp-check', ours => sub { starts('shared/pp-check') }, @true, cost => 'wall',
	figures => [most(1.3, $milliseconds)];
if (-x "$ours/perfpipe") {
	row 'start of perfpipe check', ours => sub { starts('perfpipe', 'check') }, cost => 'wall',
		figures => [$milliseconds];
} else {
	not_measured('start of perfpipe check', 'make static makes it');
}
