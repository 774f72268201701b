# made.pl - streams that pp-gen makes: making them, many small rounds, merging.
use strict;
use warnings;
use Measure;
use Rows;

# the rounds of a recording are as large as its buffers: these are not
shell('pp-gen --samples 2e6 --callchain 4 --disorder 1ms --no-seal -o made.pipe');
my @made = (in => 'made.pipe', bytes => size('made.pipe'));
row 'pp-sort, of small rounds', ours => 'pp-sort', @made, figures => [most(16, taken('rss', 'MB of memory'))];
row 'pp-sort --all, of small rounds', ours => 'pp-sort --all', @made, figures => [least(300, speed())];
unlink 'made.pipe';

shell('pp-gen --samples 2e6 --callchain 4 -o made.pipe');
row 'pp-gen --callchain 4', ours => 'pp-gen --samples 2e6 --callchain 4', bytes => size('made.pipe'),
	figures => [least(500, speed())];
unlink 'made.pipe';

my $shape = '--samples 5e5 --callchain 4 --no-seal';
my @four = map { "made-$_.pipe" } 1 .. 4;
shell("pp-gen --seed $_ $shape -o made-$_.pipe") for 1 .. 4;

# merge NAME OPTIONS: of four streams, megabytes of all in a second
sub merge
{
	my ($name, $options) = @_;
	my $bytes = 0;
	$bytes += size($_) for @four;
	row $name, ours => "pp-merge -q $options @four", bytes => $bytes, figures => [least(400, speed())];
}
merge('pp-merge of 4', '');
merge('pp-merge --hosts of 4', '--hosts');
shell("pp-gen --seed 4 $shape --events 2 --sample-type=ip,tid,time,id,cpu,period -o made-4.pipe");
merge('pp-merge of 4, one unlike', '');
unlink @four;
