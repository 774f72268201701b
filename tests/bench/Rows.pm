package Rows;
# Rows.pm - measures a row, prints it, and keeps what is wanted of it for the table at the end.
#
#   row 'pp-sort <FILE', ours => 'pp-sort', in => 'big.pipe', bytes => size('big.pipe'),
#           figures => [least(500, speed('MB/s'))];
#
# `ours` and `theirs`, which it is compared with and which is `called` so, are command lines, for which the row
# has in, out, within and starts as run() of Measure.pm does, or code that returns a run.  `before` is run before each.
# `shows` is the time that is printed: that on the clock, if it is not given.
#
# With BASE a row is the processor time that our command takes in both builds, and figures are left out.
use strict;
use warnings;
use utf8;
use Exporter 'import';
use Measure;

our @EXPORT = qw(row grown not_measured heading result figure faster share speed taken of_all least most);

# A row is slower than in another build if it takes more than this, and more than the noise explains.
use constant SLOWER => 1.03;

my $ROW = "%-54s %10s %8s %8s %8s\n";
my $GROWN = "%-36s %7s %7s %7s %7s  %6s %4s %4s %4s  %11s%s\n";
my @TIMES = map { "${_}x" } 1, 2, 4, 8;
my (@table, %count);

# ---- figures: numbers of a turn, which is { SIDE => RUN, ..., bytes => N }

# OVER makes one number of those of all turns: the median, if it is not given.
sub figure { my ($what, $code, $over) = @_; return { what => $what, code => $code, over => $over // \&median } }
sub least { my ($limit, $figure) = @_; return { %$figure, least => $limit } }
sub most { my ($limit, $figure) = @_; return { %$figure, most => $limit } }

# Where single runs are too short to compare: of all of them together, not the median.
sub of_all { my ($figure) = @_; return { %$figure, of_all => 1 } }

sub ratio { my ($a, $b) = @_; return $a / ($b || 1e-6) }

# How many times what ours takes theirs takes; what part of theirs ours takes; MB of input in a second; what ours takes.
sub faster { my ($key, $what) = @_; return figure($what, sub { ratio($_[0]{theirs}{$key}, $_[0]{ours}{$key}) }) }
sub share { my ($key, $what) = @_; return figure($what, sub { ratio($_[0]{ours}{$key}, $_[0]{theirs}{$key}) }) }
sub speed { my ($what, $key) = @_; return figure($what // 'MB/s', sub { ratio($_[0]{bytes} / 1e6, $_[0]{ours}{$key // 'wall'}) }) }
sub taken { my ($key, $what) = @_; return figure($what, sub { $_[0]{ours}{$key} }) }

# ---- rows

sub number
{
	my ($n) = @_;
	my $size = abs $n;
	return sprintf $n == int $n || $size >= 100 ? '%.0f' : $size >= 1 ? '%.2f' : $size >= 0.01 ? '%.3f' : '%.6f', $n;
}
sub spread { my ($part) = @_; return sprintf '± %.0f %%', 100 * $part }

sub heading
{
	my ($section) = @_;
	if ($BASE) { printf $ROW, '', qw(before now ratio noise) }
	elsif ($section eq 'growth') { printf $GROWN, '', 's: 1x', @TIMES[1 .. 3], 'MB: 1x', @TIMES[1 .. 3], 'exponents', '' }
	else { printf $ROW, '', 'median', 'spread', 'MB/s', 'RSS MB' }
}

# A command line, or code, as code.
sub code
{
	my ($row, $what) = @_;
	my $command = $row->{$what};
	my %how = map { $_ => $row->{$_} } grep { defined $row->{$_} } qw(in out within starts);
	return sub {
		$row->{before}->() if $row->{before};
		return ref $command ? $command->() : run($command, %how);
	};
}

sub row
{
	my ($name, %row) = @_;
	# runs of the row before may serve again
	my $known = ref $row{theirs} eq 'ARRAY' ? delete $row{theirs} : undef;
	my %code = map { $_ => code(\%row, $_) } grep { $row{$_} } qw(theirs without ours);
	# a row has few runs where perf takes long, which has none of two builds
	my %how = map { $_ => $row{$_} } grep { $row{$_} } qw(passes mean begin), $BASE ? () : 'runs';
	my $took = eval { in_turns(\%code, %how) };
	return failed($name, $@, $row{figures}) unless $took;
	return compare($name, $took, \%code, \%how, $row{cost} // 'cpu') if $BASE;
	print_runs($row{called}, $took->{theirs}, \%row, $row{their_bytes} // $row{bytes}) if $took->{theirs};
	print_runs($name, $took->{ours}, \%row, $row{bytes});
	$took->{theirs} = $known if $known;
	judge($name, $took, $_, $row{bytes} // 0) for @{$row{figures} // []};
	return $took;
}

sub print_runs
{
	my ($name, $runs, $row, $bytes) = @_;
	my @times = map { $_->{$row->{shows} // 'wall'} } @$runs;
	my $median = median(@times);
	$name .= ', ' . @times . ' runs' if @times != $RUNS;
	printf $ROW, $name, number($median) . ' s', spread(half_range(@times)),
		$bytes ? sprintf('%.0f', ratio($bytes / 1e6, $median)) : '-',
		sprintf '%.0f', median(map { $_->{rss} // 0 } @$runs);
}

sub wanted { my ($figure) = @_; return defined $figure->{least} ? "at least $figure->{least}" : "at most $figure->{most}" }

# What a figure is of the pairs of runs, each and all together.
sub values_of
{
	my ($took, $figure, $bytes) = @_;
	my @sides = keys %$took;
	my $value = sub { my ($pick) = @_; return $figure->{code}->({ bytes => $bytes, map { $_ => $pick->($took->{$_}) } @sides }) };
	my @values = map { my $i = $_; $value->(sub { $_[0][$i] }) } 0 .. $#{$took->{ours}};
	return ($figure->{of_all} ? $value->(sub { together(1, @{$_[0]}) }) : $figure->{over}->(@values), @values);
}

# Prints a figure, and whether it is what is wanted.
sub judge
{
	my ($name, $took, $figure, $bytes) = @_;
	my ($value, @values) = values_of($took, $figure, $bytes);
	my $spread = spread(half_range(@values));
	my $bound = defined($figure->{least} // $figure->{most});
	my $verdict = '';
	if ($bound) {
		my $met = defined $figure->{least} ? $value >= $figure->{least} : $value <= $figure->{most};
		$verdict = $met ? 'met' : 'missed';
		enter("$name: $figure->{what}", number($value), $spread, wanted($figure), $verdict);
	}
	printf "    %9s %-7s %s%s\n", number($value), $spread, $figure->{what},
		$bound ? ' (wanted: ' . wanted($figure) . ": $verdict)" : '';
}

# One line of the table.
sub enter { my (@cells) = @_; push @table, \@cells; $count{$cells[-1]}++ }

# What cannot be measured here, and why.
sub not_measured
{
	my ($name, $why) = @_;
	print "$name: not measured: $why\n";
	enter($name, '-', '', $BASE ? '' : (), $why, 'not measured');
}

sub failed
{
	my ($name, $error, $figures) = @_;
	chomp $error;
	return not_measured($name, $error) if $error =~ s/^BASE: //;
	print "$name: $error\n";
	enter("$name: $_->{what}", '-', '', wanted($_), 'missed') for grep { $_->{least} // $_->{most} } @$figures;
	$count{failed}++;
	return undef;
}

# ---- two builds

sub compare
{
	my ($name, $took, $code, $how, $key) = @_;
	my ($ratio, $noise) = against($took, $key);
	if ($ratio > SLOWER && $ratio - $noise > 1) {
		# by chance, or not: twice as many runs more
		my $more = in_turns($code, %$how, runs => 2 * @{$took->{ours}} + 2);
		push @{$took->{$_}}, @{$more->{$_}} for qw(base ours);
		($ratio, $noise) = against($took, $key);
	}
	my $slower = $ratio > SLOWER && $ratio - $noise > 1;
	my $verdict = $slower ? sprintf('slower by %.0f %%', 100 * ($ratio - 1)) : '';
	my @cells = ((map { my $side = $_; number(median(map { $_->{$key} } @{$took->{$side}})) . ' s' } qw(base ours)),
		sprintf('%.3f', $ratio), spread($noise));
	printf $ROW, $name, @cells;
	print "    $verdict\n" if $slower;
	enter($name, @cells, $verdict);
	$count{slower}++ if $slower;
	return $took;
}

# The median of what ours takes of what the same takes in the other build, and how far that is certain.
sub against
{
	my ($took, $key) = @_;
	my @ratios = map { ratio($took->{ours}[$_]{$key}, $took->{base}[$_]{$key}) } 0 .. $#{$took->{ours}};
	my ($low, $high) = certain(@ratios);
	my $median = median(@ratios);
	return ($median, $median - $low);
}

# ---- growth

my @SIZES = (1, 2, 4, 8);

# Times are to grow as the input does; caches that are too small for the largest one, and noise, are let pass.
use constant EXPONENT => 1.25;

sub exponent { my ($at_4, $at_8) = @_; return log(ratio($at_8 || 1e-6, $at_4)) / log 2 }

# Code for 1, 2, 4 and 8 times as much: seconds and MB of each, and the exponents of the last doubling.
sub grown
{
	my ($name, $code) = @_;
	my $took = eval { in_turns($code, sides => \@SIZES, runs => 3) };
	return failed($name, $@, [most(EXPONENT, figure('exponent of time'))]) unless $took;
	my @exponents = map { exponent($took->{4}[$_]{cpu}, $took->{8}[$_]{cpu}) } 0 .. $#{$took->{8}};
	my %middle;
	for my $key (qw(cpu rss)) { $middle{$key} = [map { my $n = $_; median(map { $_->{$key} } @{$took->{$n}}) } @SIZES] }
	my $time = median(@exponents);
	printf $GROWN, $name, (map { sprintf '%.3f', $_ } @{$middle{cpu}}), (map { sprintf '%.0f', $_ } @{$middle{rss}}),
		sprintf('%.2f, %.2f', $time, exponent(@{$middle{rss}}[2, 3])),
		$time > EXPONENT ? '  grows faster than linear' : '';
	my $spread = sprintf '± %.2f', (sort { $b <=> $a } map { abs($_ - $time) } @exponents)[0];
	enter("$name: exponent of time", sprintf('%.2f', $time), $spread, 'at most ' . EXPONENT, $time > EXPONENT ? 'missed' : 'met');
}

# ---- the end

# The table, and the exit status.
sub result
{
	my ($width) = sort { $b <=> $a } 5, map { length $_->[0] } @table;
	my $form = $BASE ? "%-${width}s  %10s %10s %7s %7s  %s\n" : "%-${width}s  %8s %7s  %-14s %s\n";
	printf $form, $BASE ? ('row', qw(before now ratio noise), '') : ('bound', qw(measured spread wanted), '');
	printf $form, @$_ for @table;
	if ($BASE) {
		printf "%d rows, %d slower\n", scalar @table, $count{slower} // 0;
		return $count{slower} || $count{failed} ? 1 : 0;
	}
	printf "%d met, %d missed%s\n", $count{met} // 0, $count{missed} // 0,
		$count{'not measured'} ? ", $count{'not measured'} not measured" : '';
	return $count{failed} ? 1 : 0;
}

1;
