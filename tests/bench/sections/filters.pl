# filters.pl - filters in the middle of a pipeline, beside cat.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $big = big_stream();
my $pid = $big->{pid};

# name, command, what part of cat's speed is wanted
my @filters = (
	['pp-filter -p PID', "pp-filter -p $pid", 0.75],
	['pp-filter --invert -p PID', "pp-filter --invert -p $pid", 0.75],
	['pp-filter --time', 'pp-filter --time 0,999999999', 0.75],
	['pp-filter EXPRESSION', "pp-filter 'pid == $pid && cpu == 0'", 0.75],
	["pp-filter 'type != MMAP2'", "pp-filter 'type != MMAP2'", 0.75],
	['pp-filter --comm dd', 'pp-filter --comm dd', 0.50],
	["pp-filter 'dso ~ ...'", q(pp-filter 'dso ~ "*/libc*"'), 0.50],
	['pp-filter --prune -p PID', "pp-filter --prune -p $pid", 0.30],
	['pp-filter --prune (all)', 'pp-filter --prune', 0.20],
	['pp-sort', 'pp-sort', 0.50],
	['pp-inject -b', 'pp-inject -b', 0.60],
	['pp-mend', 'pp-mend', 0.50],
	['pp-thin --every 10', 'pp-thin --every 10', 0.40],
	['pp-thin --rate 97', 'pp-thin --rate 97', 0.50],
	['pp-thin --drop raw', 'pp-thin -q --drop raw', 0.10],
	['pp-thin --live', 'pp-thin -q --live', 0.40],
	['pp-scrub', 'pp-scrub -q', 0.05],
	['pp-cat --index', 'pp-cat --index', 0.50],
);
for (@filters) {
	my ($name, $command, $part) = @$_;
	row "cat | $name | cat", ours => $command, theirs => 'cat', called => 'cat | cat | cat',
		within => 'cat big.pipe | %s | cat', bytes => $big->{bytes},
		figures => [least($part, faster('wall', "of cat's speed"))];
}
