# recorders.pl - perf record and pp-record, each with the same load as its command, the same consumer and equal
# buffers.  What is measured is processor time without the load's: the machine may be shared.
use strict;
use warnings;
use Inputs;
use List::Util qw(max sum);
use Measure;
use Rows;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($PAGES, $SECONDS) = (128, 0.7);

# Takes what comes, as a pipeline's next stage would, and notes what had come when.
sub consume
{
	my ($from, $to) = @_;
	my ($bytes, @came) = (0);
	open my $out, '>:raw', $to or die "$to: $!\n";
	while (my $n = sysread $from, my $data, 1 << 20) {
		$bytes += $n;
		push @came, [$bytes, clock_gettime(CLOCK_MONOTONIC)];
		syswrite $out, $data;
	}
	return \@came;
}

# Samples, lost ones, and the longest way of one, by what pp-dump says of the stream.
sub lateness
{
	my ($stream, $came) = @_;
	my ($samples, $overruns, $lost, $late, $i) = (0, 0, 0, 0, 0);
	open my $dump, '-|', "pp-dump -i $stream --type SAMPLE --type LOST --type LOST_SAMPLES 2>/dev/null"
		or die "pp-dump: $!\n";
	while (my $line = <$dump>) {
		if ($line =~ /^0x([0-9a-f]+) +SAMPLE +([0-9.]+) /) {
			my ($at, $time) = (hex $1, $2);
			$samples++;
			$i++ while $i < $#$came && $came->[$i][0] <= $at;
			$late = max($late, $came->[$i][1] - $time);
		} elsif ($line =~ / LOST_SAMPLES .* lost=(\d+)/) {
			$lost += $1;
		} elsif ($line =~ / LOST .* lost=(\d+)/) {
			$overruns += $1;
		}
	}
	return (samples => $samples, lost => max($lost, $overruns), late => $late * 1000);
}

# One run of the load, recorded by this command or by none.
sub recorded
{
	my ($command) = @_;
	pipe my $from, my $to or die "pipe: $!\n";
	my $started = start("$command $^X $HERE/load.pl $SECONDS load.did", out => '/dev/fd/' . fileno $to);
	close $to;
	my $came = consume($from, 'came.pipe');
	my $run = finish($started);
	my ($work, $used) = split ' ', slurp('load.did');
	return { %$run, cpu => $run->{cpu} - $used, work => $work, $command ? lateness('came.pipe', $came) : () };
}

# A run for the peak of memory alone: the load has more than ours.
sub memory { my ($command) = @_; return run("$command sleep 1", out => 'came.pipe')->{rss} }

# recorders OPTIONS: in many short turns, since the load's speed differs by a fifth from one to the next.  What was
# lost is compared as a number: perf's own writing adds to its samples.
sub recorders
{
	my ($options) = @_;
	my $perf = "perf record -k monotonic -m $PAGES $options -o - --";
	my $ours = "pp-record -k monotonic -m $PAGES $options --";
	my ($their_memory, $memory) = $BASE ? () : (memory($perf), memory($ours));
	row "pp-record $options", called => "perf record $options", shows => 'cpu', passes => 1,
		theirs => sub { return { %{recorded($perf)}, rss => $their_memory } },
		ours => sub { return { %{recorded($ours)}, rss => $memory } },
		without => sub { recorded('') },
		figures => [
			most('0.50', share('cpu', "of perf's processor time")),
			most('1.00', share('rss', "of perf's memory")),
			most(0, figure('samples lost more than perf, in all', sub { $_[0]{ours}{lost} - $_[0]{theirs}{lost} }, \&sum)),
			most(250, figure('ms late at most', sub { $_[0]{ours}{late} }, \&max)),
			least(0.98, figure("of the load's speed under perf", sub { $_[0]{ours}{work} / $_[0]{theirs}{work} })),
			figure("of the load's speed alone", sub { $_[0]{ours}{work} / $_[0]{without}{work} }),
			figure("of the load's speed alone, under perf", sub { $_[0]{theirs}{work} / $_[0]{without}{work} }),
			figure('samples lost', sub { $_[0]{ours}{lost} }, \&sum),
			figure('of samples', sub { $_[0]{ours}{samples} }, \&sum),
		];
}

recorders("-a -g -F $_ -e cpu-clock") for 1000, 10000, 25000;
recorders('-a -e raw_syscalls:sys_enter');
unlink qw(came.pipe load.did);
