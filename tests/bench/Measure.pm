package Measure;
# Measure.pm - runs commands in turns and says what each run took; what is wanted of that is said elsewhere.
#
# A run is a hash: wall, user, system and cpu (user and system together) in seconds, rss in MB.  Of a command
# that is one part of a pipeline, wall is the pipeline's, and the rest its own.
#
# Everything is measured in turns, A B, B A, A B: the machine may be shared, and its speed drifts within seconds
# by more than what is looked for, so that only neighbours compare.  Of five pairs of runs of 0.1 s, beside two
# builds, the median of the ratios differed from one time to the next by 12 %, the ratio of the medians by 15 %
# (standard deviations of 150 runs).  What else runs only adds: where a run is the least of three passes, the median
# of the ratios differs by 3 %.  So that is what a short run is.
use strict;
use warnings;
use Exporter 'import';
use List::Util qw(sum);
use POSIX ();

our @EXPORT = qw($RUNS $BASE run begin end start finish in_turns together shell forget size slurp median half_range certain);

our $RUNS = $ENV{RUNS} || 5;
our $BASE; # where the tools of another build are, if these are compared with them

sub compare_with { ($BASE) = @_ }

# Seconds that the passes of a short run may take; where two builds are compared, those of a row, by which the
# number of its runs is chosen.
use constant { SHORT => 1.2, SECONDS => 3, RUNS_LEAST => 5, RUNS_MOST => 15 };

# Whose turn it is: with `base` other tools come first in PATH.  Each has a cache of its own.
our $side = 'ours';

sub enter_side
{
	$ENV{PATH} = "$BASE:$ENV{PATH}" if $side eq 'base';
	$ENV{XDG_CACHE_HOME} = "$ENV{BENCH_WORK}/cache-$side";
}

# A command line as words, without a shell where none is needed.
sub words { my ($line) = @_; return $line =~ /[^\w\s.,:=+\/-]/ ? ('sh', '-c', $line) : split ' ', $line }

# Starts a command line, in a process group of its own; what it says goes to the file `messages`.
my %running;
sub begin
{
	my ($line, $in, $out, @before) = @_;
	my $pid = fork // die "fork: $!\n";
	if ($pid) {
		$running{$pid} = 1;
		return $pid;
	}
	setpgrp;
	eval {
		enter_side();
		open STDIN, '<', $in or die "$in: $!\n";
		open STDOUT, '>', $out or die "$out: $!\n";
		open STDERR, '>', 'messages' or die "messages: $!\n";
		exec @before, words($line) or die "$line: $!\n";
	};
	print STDERR $@;
	POSIX::_exit(127);
}

sub slurp { my ($path) = @_; local $/; open my $in, '<', $path or return ''; return scalar <$in> // '' }

# What spent.c wrote.
sub spent
{
	my ($path) = @_;
	my ($wall, $user, $system, $rss) = split ' ', slurp($path);
	die "$path: not measured\n" unless defined $rss;
	return { wall => $wall, user => $user, system => $system, cpu => $user + $system,
		rss => $rss / 1024 };
}

# start LINE, in => FILE, out => FILE, within => PIPELINE, starts => N: starts a run.  The pipeline has %s in
# the command's place; with N starts in a row, the run is the quickest of them.
sub start
{
	my ($line, %how) = @_;
	my $all = defined $how{within} ? sprintf $how{within}, "'$ENV{SPENT}' part $line" : $line;
	unlink qw(part whole);
	my $pid = begin($all, $how{in} // '/dev/null', $how{out} // '/dev/null', $ENV{SPENT},
		$how{starts} ? ('-n', $how{starts}) : (), 'whole');
	return { pid => $pid, line => $line, part => defined $how{within} };
}

# Waits for it: its status, as a shell has it.
sub end
{
	my ($pid, $signal) = @_;
	kill "-$signal", $pid if $signal;
	waitpid $pid, 0;
	delete $running{$pid};
	return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# Ends what runs, and all that it started.
sub end_all { end($_, 'TERM') for keys %running }

# What it took.
sub finish
{
	my ($run) = @_;
	my $status = end($run->{pid});
	# perf and the tools say with 3 that the input was odd: still a measurement
	die "$run->{line}: exit $status: " . slurp('messages') . "\n" if $status && $status != 3;
	my $whole = spent('whole');
	return $run->{part} ? { %{spent('part')}, wall => $whole->{wall} } : $whole;
}

sub run { return finish(start(@_)) }

# A command that is not measured and has to work.
sub shell
{
	my ($line) = @_;
	my $status = end(begin($line, '/dev/null', '/dev/null'));
	die "$line: exit $status: " . slurp('messages') . "\n" if $status;
}

# Removes what files said in earlier runs; the kernel's own names stay.
sub forget { unlink glob "$ENV{BENCH_WORK}/cache-$side/perfpipe/names-*" }

sub size { return -s $_[0] // die "$_[0]: $!\n" }

# ---- turns

# One run of several passes: the least of each number, or the mean, and the most memory.
sub together
{
	my ($mean, @passes) = @_;
	my %run;
	for my $key (keys %{$passes[0]}) {
		my @sorted = sort { $a <=> $b } map { $_->{$key} // () } @passes or next;
		$run{$key} = $key eq 'rss' ? $sorted[-1] : $mean ? sum(@sorted) / @sorted : $sorted[0];
	}
	return \%run;
}

# The sides of a row, in the order of the first turn: others, and ours; of two builds, only the tools.
sub sides
{
	my ($code) = @_;
	return $BASE ? qw(base ours) : ((grep { $_ ne 'ours' } sort keys %$code), 'ours');
}

# One turn: each side once, the other way round in each second one.
sub turn
{
	my ($code, $number, @names) = @_;
	my %took;
	for my $name ($number % 2 ? reverse @names : @names) {
		local $side = $name;
		$took{$name} = eval { $code->{$name eq 'base' ? 'ours' : $name}->() }
			// die $name eq 'base' ? "BASE: $@" : $@;
	}
	return \%took;
}

# in_turns { SIDE => CODE, ... }, sides => [...], runs => N, passes => N, mean => N, begin => CODE: the runs of each
# side.  Code runs something and returns what it took; a run is the least of its passes, which are more than one
# where they are short, or the mean of so many.  `begin` is before each run.
sub in_turns
{
	my ($code, %how) = @_;
	my @names = $how{sides} ? @{$how{sides}} : sides($code);
	my ($runs, $passes, $number) = ($how{runs} // $RUNS, $how{mean} // $how{passes}, 0);
	my %runs;
	for (my $i = 0; $i < $runs; $i++) {
		$how{begin}->() if $how{begin};
		my @turns = turn($code, $number++, @names);
		$passes //= fitting(SHORT, $turns[0], 1, 3);
		push @turns, turn($code, $number++, @names) while @turns < $passes;
		for my $name (@names) {
			push @{$runs{$name}}, together($how{mean}, map { $_->{$name} } @turns);
		}
		$runs = fitting(SECONDS / $passes, $turns[0], RUNS_LEAST, RUNS_MOST) if $BASE && !$i && !$how{runs};
	}
	return \%runs;
}

# How many such turns so many seconds have room for.
sub fitting
{
	my ($seconds, $turn, $least, $most) = @_;
	my $number = int $seconds / (sum(map { $_->{wall} } values %$turn) || 1);
	return $number < $least ? $least : $number > $most ? $most : $number;
}

# ---- numbers

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# Between what the median would be, were all measured again: the numbers at these places would have to be
# on the wrong side of it by chance, which happens in one case of thirty.
sub certain
{
	my @sorted = sort { $a <=> $b } @_;
	my $at = int((@sorted - 1.9 * sqrt @sorted) / 2);
	$at = 0 if $at < 0;
	return @sorted[$at, $#sorted - $at];
}

# Half of what lies between the least and the most, as a part of the median.
sub half_range
{
	my @sorted = sort { $a <=> $b } @_;
	my $median = median(@sorted);
	return $median ? ($sorted[-1] - $sorted[0]) / 2 / abs $median : 0;
}

1;
