# fold.pl - stacks and heat maps: what perf needs two programs for, and a page of very many samples.
use strict;
use warnings;
use Cwd;
use Inputs;
use Measure;
use Rows;

shell(q(pp-record -q -a -g -F 4000 -e cpu-clock -o work.pipe -- )
	. q(perl -e 'my %h; $h{$_ % 999} .= sprintf "%x", $_ for 1 .. 2e6'));
repeat('work.pipe', 'folded.pipe', $MB / 2);
row 'pp-fold', ours => 'pp-fold --no-inline folded.pipe',
	theirs => "perf script --no-inline -i folded.pipe | $^X $HERE/../oracle/collapse.pl",
	called => 'perf script | collapse.pl', bytes => size('folded.pipe'), before => \&forget, shows => 'cpu', runs => 3,
	figures => [least(30, faster('cpu', "times perf's and Perl's processor time"))];
unlink qw(work.pipe folded.pipe);

shell('pp-gen --samples 1e6 --callchain 12 -o many.pipe');
row 'pp-fold, few stacks', ours => 'pp-fold --no-inline --root /nowhere', in => 'many.pipe', bytes => size('many.pipe'),
	shows => 'cpu', figures => [least(300, speed('MB/s', 'cpu'))];
unlink 'many.pipe';

# where builds are compared, a tenth of them
my $samples = $BASE ? 5e6 : 5e7;
row 'pp-flame of ' . $samples / 1e6 . ' million samples', ours => 'pp-flame -q --no-inline --root /nowhere -o page',
	within => "pp-gen --samples $samples --callchain 10 --duration 600 --cpus 64 | %s", shows => 'cpu', runs => 3,
	figures => [most(10, taken('cpu', 's of processor time'))];

# A page in a browser, until it is drawn.
sub opened
{
	write_file('ask', 'eval performance.timing.loadEventEnd - performance.timing.navigationStart');
	shell("$^X $HERE/../browser/drive.pl " . getcwd() . '/opened.html <ask >answer');
	return { wall => slurp('answer') / 1000 };
}

if ($BASE || !have('chromium-headless-shell')) {
	not_measured('a page of 1 million samples', $BASE ? 'a browser, not ours' : 'no chromium-headless-shell');
} else {
	shell('pp-gen --samples 1e6 --callchain 12 --duration 60 |
		pp-flame -q --addrs --no-inline --root /nowhere -o opened.html');
	row 'a page of 1 million samples', ours => \&opened, passes => 1, figures => [most(2, taken('wall', 's until it is there'))];
}
