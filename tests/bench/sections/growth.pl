# growth.pl - time and memory of tools for 1, 2, 4 and 8 times as much of what they keep.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $nothing = '--root /nowhere --no-inline';
my %tools = (
	cat => 'pp-cat', check => 'pp-check -q', info => 'pp-info', sort => 'pp-sort', save => 'pp-save -o out.data',
	fold => "pp-fold -q $nothing", 'fold --tid' => "pp-fold -q --tid $nothing",
	flame => "pp-flame -q $nothing -o out.html", top => "pp-top -q --root /nowhere",
	report => "pp-report -q $nothing", 'report -s comm' => "pp-report -q -s comm $nothing",
	'report -s dso' => "pp-report -q -s dso $nothing", script => "pp-script -q $nothing",
	symbol => 'pp-symbol -q --root /nowhere', inject => 'pp-inject -q -b', prune => 'pp-filter -q --prune',
	'filter comm' => "pp-filter -q 'comm == \"some\"'", 'filter dso' => "pp-filter -q 'dso ~ \"*some*\"'",
	merge => 'pp-merge -q -', split => 'pp-split -q --samples 20000 -o piece-%u',
);

# kind, how many of it at first, tools
my @growth = (
	['stacks', 10000, qw(report fold flame top script sort)],
	['depth', 500, qw(report fold flame top script)],
	['threads', 25000, 'report -s comm', 'fold --tid', qw(flame top script sort info check prune
		merge split inject), 'filter comm'],
	['comms', 25000, 'report -s comm', qw(fold flame top script sort info prune split)],
	['symbols', 25000, qw(report fold flame top script symbol info check)],
	['records', 10000, qw(report fold top script symbol info check cat sort merge)],
	# tools that name functions keep a file in the cache for each that is mapped
	['maps', 2500, qw(report script symbol)],
	['maps', 25000, qw(sort prune merge split inject), 'filter dso'],
	['paths', 500, qw(report script symbol sort prune merge split), 'filter dso'],
	['events', 1000, qw(report script info check sort prune merge split save)],
	['features', 50000, qw(info check sort prune merge split save script)],
);

for (@growth) {
	my ($kind, $count, @names) = @$_;
	shell("$^X $HERE/grown.pl $kind " . $count * $_ . " >grown-$_.pipe") for $BASE ? 8 : (1, 2, 4, 8);
	for my $name (@names) {
		my $before = sub { unlink glob 'piece-*' };
		if ($BASE) {
			row "$kind, 8 times $count: pp-$name", ours => $tools{$name}, in => 'grown-8.pipe', before => $before;
		} else {
			my %code = map { my $times = $_; $times => sub {
				$before->();
				return run($tools{$name}, in => "grown-$times.pipe");
			} } 1, 2, 4, 8;
			grown("$kind, $count: pp-$name", \%code);
		}
	}
	unlink glob('grown-*'), glob('piece-*'), glob('out.*');
}
