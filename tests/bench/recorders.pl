#!/usr/bin/perl
# recorders.pl - perf record and pp-record in turns, each with the same load as its command and the
# same consumer.  What is measured is processor time: the machine may be shared.
#
#   recorders.pl RUNS BUFFER_PAGES LOAD_SECONDS OPTIONS...
#
# prints for "none", "perf" and "ours" a line `name cpu rss samples lost load late`: processor
# seconds of the recorder without its command, its peak RSS in MB, samples and how many it lost
# (of all runs), work that the load did in a second of its processor time, and the longest that a
# sample took to reach the consumer, in ms.  Of cpu and load the median of the runs counts.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

if ($ARGV[0] eq '--load') {
	# so much processor time of system calls and of sums; tells how much it did
	my (undef, $seconds, $to) = @ARGV;
	my ($work, $sum) = (0, 0);
	open my $null, '>', '/dev/null' or die "/dev/null: $!\n";
	my $used;
	do {
		for (1 .. 2000) { syswrite $null, 'x'; $sum += $_ for 1 .. 20 }
		$work++;
		$used = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
	} while $used < $seconds;
	open my $out, '>', $to or die "$to: $!\n";
	print $out $work / $used, ' ', clock_gettime(CLOCK_PROCESS_CPUTIME_ID), "\n";
	exit 0;
}

my ($runs, $pages, $seconds, @options) = @ARGV;
die "usage: recorders.pl RUNS BUFFER_PAGES LOAD_SECONDS OPTIONS...\n" unless @options;
my $clock = 'monotonic';
my @load = ($^X, $0, '--load', $seconds, 'load.did');
my %recorders = (
	none => [],
	perf => ['perf', 'record', '-k', $clock, '-m', $pages, @options, '-o', '-', '--'],
	ours => ['pp-record', '-k', $clock, '-m', $pages, @options, '--'],
);

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
sub judge
{
	my ($stream, $came) = @_;
	my ($samples, $overruns, $lost, $late, $i) = (0, 0, 0, 0, 0);
	open my $dump, '-|', "pp-dump -i $stream --type SAMPLE --type LOST --type LOST_SAMPLES 2>/dev/null"
		or die "pp-dump: $!\n";
	while (<$dump>) {
		if (/^0x([0-9a-f]+) +SAMPLE +([0-9.]+) /) {
			my ($at, $time) = (hex $1, $2);
			$samples++;
			$i++ while $i < $#$came && $came->[$i][0] <= $at;
			my $took = $came->[$i][1] - $time;
			$late = $took if $took > $late;
		} elsif (/ LOST_SAMPLES .* lost=(\d+)/) {
			$lost += $1;
		} elsif (/ LOST .* lost=(\d+)/) {
			$overruns += $1;
		}
	}
	return ($samples, $lost > $overruns ? $lost : $overruns, $late * 1000);
}

# Processor time of a command and all that it waits for; perl's own times are in hundredths.
my $timed = "exec 3>&2 2>messages; TIMEFORMAT='%3U %3S'; { time \"\$@\" 2>&4; } 4>&2 2>&3 3>&-";

sub run
{
	my ($command) = @_;
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		close $from;
		open STDOUT, '>&', $to;
		open STDERR, '>', 'times';
		exec 'bash', '-c', $timed, '-', @$command, @load or die "bash: $!\n";
	}
	close $to;
	my $came = consume($from, 'came.pipe');
	waitpid $pid, 0;
	die "recorders.pl: @$command: exit " . ($? >> 8) . "\n" . `cat messages` if $?;
	my ($user, $system) = split ' ', first_line('times');
	my ($work, $used) = split ' ', first_line('load.did');
	return ($user + $system - $used, $work, @$command ? judge('came.pipe', $came) : (0, 0, 0));
}

sub first_line
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	return scalar <$in> // '';
}

# Peak RSS, of a run for this alone.
sub rss
{
	my ($command) = @_;
	open my $said, '-|', "$^X", "$ENV{BENCH_HERE}/measure.pl", 1, '/dev/null', 'came.pipe', @$command, 'sleep', 1
		or die "measure.pl: $!\n";
	my (undef, undef, $mb) = split ' ', <$said> // '0 0 0';
	return $mb;
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[@sorted / 2] }

my (%cpu, %work, %samples, %lost, %late);
for my $run (1 .. $runs) {
	# who comes second finds the machine warmer
	for my $name ('none', $run % 2 ? qw(perf ours) : qw(ours perf)) {
		my ($cpu, $work, $samples, $lost, $late) = run($recorders{$name});
		push @{$cpu{$name}}, $cpu;
		push @{$work{$name}}, $work;
		$samples{$name} += $samples;
		$lost{$name} += $lost;
		$late{$name} = $late if $late > ($late{$name} // 0);
	}
}
for my $name (qw(none perf ours)) {
	printf "%s %.3f %.0f %d %d %.1f %.0f\n", $name, median(@{$cpu{$name}}),
		$name eq 'none' ? 0 : rss($recorders{$name}), $samples{$name}, $lost{$name},
		median(@{$work{$name}}), $late{$name} // 0;
}
unlink qw(came.pipe load.did messages times came.pipe.messages);
