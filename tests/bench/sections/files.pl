# files.pl - from a file and into files, beside cat.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $bytes = big_stream()->{bytes};

shell('pp-save -i big.pipe -o big.data');
row 'pp-cat FILE | cat', ours => 'pp-cat big.data', theirs => 'cat big.data', called => 'cat FILE | cat',
	within => '%s | cat', bytes => size('big.data'), figures => [least('0.50', faster('wall', "of cat's speed"))];
unlink 'big.data';

# name, command, what part of cat's speed is wanted
my @writers = (
	['pp-save -o FILE', 'pp-save -o out.data', '0.40'],
	['pp-split --seconds 1', 'pp-split --seconds 1 -o piece-%u', '0.50'],
	['pp-split --seconds 1 --name', 'pp-split --seconds 1 --name piece-%F-%H%M%S-%n', '0.50'],
	['pp-split --seconds 1 --prune', 'pp-split --seconds 1 --prune -o piece-%u', '0.20'],
	['pp-split --by cpu', 'pp-split --by cpu -o piece-{}', '0.50'],
);
for (@writers) {
	my ($name, $command, $part) = @$_;
	# what is written anew is new: a file that was cut to 0 is flushed at its close, by ext4
	row "cat | $name", ours => $command, theirs => 'cat >out.pipe', called => 'cat | cat >FILE',
		before => sub { unlink qw(out.pipe out.data), glob 'piece-*' }, within => 'cat big.pipe | %s',
		bytes => $bytes, figures => [least($part, faster('wall', "of cat's speed"))];
}
unlink qw(out.pipe out.data), glob 'piece-*';
