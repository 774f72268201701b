#!/usr/bin/perl
# matrix.pl - lets the nth call of each class fail in each command line of lines.txt, and judges what
# the tool made of it.
#
#   matrix.pl [--sample N] [--seed N] [--jobs N] [--class NAME,...] [--line REGEX] [--whole FILE]
#             [--seconds N] [-v]
#   matrix.pl --line REGEX --only CLASS:ERROR:FIRST:EVERY     one failure, and all that is said of it
#   matrix.pl --count                                          calls of each class, a line each
#
# Without --sample all places of every class are tried; with --whole of the lines in FILE, and of a tenth of
# what the others have; with --seconds of a tenth, and of others while there is time.  Needs the tools on
# PATH, the shim in $SHIM, and works in the current folder.  The last line is `N passed, N failed`: a command
# line with one class is one.
#
# A failure may be survived: then the exit status and the output are those of the good run.  Else
# the exit status is 4 and the reason is said; standard output may have been cut, unless it ends as
# if it were whole; a file is whole or is not there, or is the old one.  EINTR, EAGAIN and short
# reads and writes have to be survived.
#
# AGAIN=1, as the continuous integration says it: a worker tries two failed rows once more, and what
# passes then is UNSTEADY, aloud.
use strict;
use warnings;
use Errno;
use FindBin;
use lib $FindBin::Bin;
use Commands;
use Getopt::Long;

my %o = (seed => 1, jobs => 1, sample => 0, seconds => 0, class => join(',', @CLASSES), line => '.');
GetOptions(\%o, 'sample=i', 'seed=i', 'jobs=i', 'class=s', 'line=s', 'whole=s', 'seconds=i', 'only=s', 'count', 'v')
	or exit 2;
$ENV{SHIM} or die "matrix.pl: \$SHIM is not set\n";
$| = 1;

# ---- the matrix

# Chance that is the same everywhere: xorshift.
my $random = $o{seed} * 2654435761 % 4294967296 || 1;

sub below
{
	my ($n) = @_;
	$random ^= $random << 13 & 0xffffffff;
	$random ^= $random >> 17;
	$random ^= $random << 5 & 0xffffffff;
	return $random % $n;
}

# One line with one class: a text for what failed.
sub row
{
	my ($line, $good, @places) = @_;
	my ($failed, $text) = (0, '');
	for my $place (@places) {
		my ($wrong, $r) = try($line, $good, $place);
		next unless defined $wrong;
		$failed++;
		$text .= '    ' . told($place) . ": $wrong\n" if $failed <= ($o{v} ? 1e9 : 4);
		chomp(my $said = substr $r->{stderr}, 0, 300);
		$text .= join '', map { "        | $_\n" } split /\n/, $said if $failed <= ($o{v} ? 1e9 : 2);
	}
	return $failed ? "FAILED  $line->{text}  [$places[0][0]]: $failed of " . @places . "\n$text" : '';
}

my @lines = lines($o{line});
make_inputs();

if ($o{count}) {
	enter('w0');
	for (@lines) {
		my $good = eval { measure($_) } or print($@), next;
		print join(' ', map { "$_=$good->{calls}{$_}" } grep { $good->{calls}{$_} } @CLASSES), "  $_->{text}\n";
	}
	exit 0;
}
if ($o{only}) {
	enter('w0');
	for my $line (@lines) {
		my $good = measure($line);
		my ($class, $error, $first, $every) = split /:/, $o{only};
		$error = $error eq 'short' ? 0 : Errno->can($error)->();
		my ($wrong, $r) = try($line, $good, [ $class, $error, $first, $every ]);
		print "$line->{text}\nexit status $r->{status}, ", $wrong // 'as it should be', "\n$r->{stderr}";
	}
	exit 0;
}

# A worker says at its end what it found.
sub work
{
	my ($number, $next, $fits) = @_;
	my ($passed, $failed, $runs, $unsteady, $text) = (0, 0, 0, 0, '');
	enter("w$number");
	my %good;
	while (my $row = $next->()) {
		my ($line, $class, $sample) = @$row;
		my $good = $good{$line->{text}} //= measure($line);
		my @places = places($line, $good, $class) or next;
		@places = map { $places[below(scalar @places)] } 1 .. $sample if $sample;
		# of some rows each place takes a tenth of a second, and there are thousands
		my $share = $fits->(@places * $good->{seconds}) or next;
		@places = @places[grep { int($_ * $share) != int(($_ - 1) * $share) } 0 .. $#places] if $share < 1;
		my $said = row($line, $good, @places);
		if ($said && $ENV{AGAIN} && $unsteady++ < 2 && !row($line, $good, @places)) {
			print $said =~ s/^FAILED/UNSTEADY/r;
			$said = '';
		}
		$runs += @places;
		$said ? $failed++ : $passed++;
		$text .= $said;
		print $said if $said;
	}
	return ($passed, $failed, $runs);
}

my @rows;
for my $class (split /,/, $o{class}) {
	die "matrix.pl: no class is called $class\n" unless exists $CLASS{$class};
	my @of = map { [ $_, $class, 0 ] } @lines;
	if ($o{sample}) {
		@of = map { [ $of[below(scalar @of)][0], $class, 1 ] } 1 .. $o{sample};
	}
	push @rows, @of;
}
exit in_parallel($o{jobs}, \&work, $o{seconds}, whole($o{whole}, @rows));
