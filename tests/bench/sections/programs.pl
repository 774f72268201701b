# programs.pl - one program, from a file to /dev/null, beside those of perf and zstd.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $big = big_stream();
my $part = part_stream();
my @big = (in => 'big.pipe', bytes => $big->{bytes});

row 'pp-sort <FILE', ours => 'pp-sort', @big, figures => [least(500, speed())];

# perf prints slowly: it gets the first part of the stream, and rates are compared
for (['pp-dump', 15], ['pp-dump --json', 20]) {
	my ($command, $times) = @$_;
	row $command, ours => "$command -i big.pipe", theirs => 'perf report -D -i part.pipe',
		called => sprintf('perf report -D (%.0f MB)', $part / 1e6), bytes => $big->{bytes}, their_bytes => $part,
		figures => [least($times, figure("times perf report -D's speed",
			sub { $big->{bytes} / $_[0]{ours}{wall} / ($part / $_[0]{theirs}{wall}) }))];
}

# on a tracepoint pipe perf's output is damaged, but it does the whole work
row 'pp-inject -b', ours => 'pp-inject -b -i big.pipe', theirs => 'perf inject -b -i big.pipe -o -',
	called => 'perf inject -b', bytes => $big->{bytes},
	figures => [least('1.00', faster('wall', "times perf inject -b's speed"))];

shell('zstd -q -f -1 big.pipe -o big.zst');
shell('pp-compress -1 -i big.pipe -o small.pipe');
row 'pp-compress -1', ours => 'pp-compress -1', theirs => 'zstd -q -c -1 --single-thread', called => 'zstd -1', @big,
	figures => [faster('wall', "of zstd's speed"),
		figure('of the size it had', sub { size('small.pipe') / $big->{bytes} }),
		figure('of the size it had, with zstd', sub { size('big.zst') / $big->{bytes} })];
row 'pp-decompress', ours => 'pp-decompress', in => 'small.pipe', bytes => $big->{bytes};
unlink qw(small.pipe big.zst);

# MB in a second
my @rates = (
	['pp-sort --all', 'pp-sort --all', 300],
	['pp-sort --all -S 64M', 'pp-sort --all -S 64M', 300],
	['pp-sort --by cpu', 'pp-sort --by cpu', 300],
	['pp-info', 'pp-info', 1000],
	['pp-filter TRACEPOINT.NUMBER', "pp-filter 'raw_syscalls:sys_enter.args[0] == 1'", 300],
	['pp-filter TRACEPOINT.TEXT',
		q(pp-filter 'sched:sched_switch.prev_comm == "dd" && prev_state != 0'), 300],
	['pp-check', 'pp-check -q', 500],
);
for (@rates) {
	my ($name, $command, $rate) = @$_;
	row $name, ours => $command, @big, figures => [least($rate, speed())];
}

shell('pp-dump --json -i part.pipe >part.json');
row 'pp-undump (JSON)', ours => 'pp-undump', in => 'part.json', bytes => size('part.json'),
	figures => [least(50, speed('MB/s of JSON'))];
unlink 'part.json';
