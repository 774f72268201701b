# counts.pl - reading counts, beside perf stat report.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

# make_counts FILE CPUS EVENTS ROUNDS [MS]
sub make_counts { my ($file, @shape) = @_; shell("$^X $HERE/counts.pl @shape >$file") }

make_counts('counts.pipe', 1000, 50, 100);
make_counts('few.pipe', 1000, 50, 10);
my ($bytes, $few) = (size('counts.pipe'), size('few.pipe'));
row 'pp-stat', ours => 'pp-stat', in => 'counts.pipe', bytes => $bytes,
	theirs => sub { run('perf stat report -i few.pipe') },
	called => sprintf('perf stat report (%.0f MB)', $few / 1e6), their_bytes => $few,
	figures => [least(300, speed()), figure("times perf stat report's speed",
		sub { $bytes / $_[0]{ours}{wall} / ($few / $_[0]{theirs}{wall}) })];

# a day of intervals is 53 GB: some of it, and memory beside that of a tenth
make_counts('counts.pipe', 64, 20, 500, 100);
make_counts('few.pipe', 64, 20, 50, 100);
for my $how ('', ' -A', ' --per-core', ' --json', ' --csv', ' -A --json', ' -A --csv') {
	my $less = run("pp-stat$how", in => 'few.pipe')->{rss};
	# each count as a line of its own is several times what was read
	my $rate = $how =~ /-A --/ ? speed() : least(300, speed());
	row "pp-stat$how (64 CPUs, 20 events)", ours => "pp-stat$how", in => 'counts.pipe', bytes => size('counts.pipe'),
		figures => [$rate, figure('MB of memory, of a tenth', sub { $less })];
}
unlink qw(counts.pipe few.pipe);
