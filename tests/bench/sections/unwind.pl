# unwind.pl - unwinding a compiler's stacks, with the first sight of every file, beside perf 7.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $folder = $ENV{PERF_NEWER} || ($ENV{XDG_CACHE_HOME} || "$ENV{HOME}/.cache") . '/perfpipe/newer-perf';
my ($newer) = reverse sort glob "$folder/perf-7.*";
if (!$newer || !have('gcc')) {
	not_measured('pp-unwind', 'no perf 7 in $PERF_NEWER, or no gcc');
	return 1;
}
compiled('stacks.pipe', '--call-graph dwarf -F 4000');
row 'pp-unwind', ours => 'pp-unwind', theirs => "$newer script --no-inline -F ip -i -",
	called => 'perf script --no-inline', in => 'stacks.pipe', bytes => size('stacks.pipe'),
	before => \&forget, shows => 'cpu',
	figures => [least(5, faster('user', "times perf 7's user time")),
		least(2.5, faster('cpu', 'times its user and system time'))];
unlink 'stacks.pipe';
