#!/usr/bin/perl
# memcheck.pl - what is read before anything was written there: runs the command lines of lines.txt
# in a build with MemorySanitizer and in one whose stacks are filled with a pattern, and compares with
# the plain build: exit status, output and messages are the same, and MemorySanitizer says nothing.
#
#   memcheck.pl [--jobs N] [--line REGEX] [--whole FILE] [--seconds N]
#
# Needs $PLAIN, $MEMORY, $PATTERN: folders of tools; $SHIM
#
# So with the inputs as they are, with each of them damaged, and where calls fail: calls of memory in
# the build with the pattern, all others in that with MemorySanitizer, which has a malloc of its own.
# With --whole FILE so for the lines that stand in it, and for a tenth of the others; with --seconds for a
# tenth, and for others while there is time.
# The last line is `N passed, N failed`: a command line is one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Commands;
use Getopt::Long;

use constant { DAMAGED => 6 };

my %o = (jobs => 1, line => '.', seconds => 0);
GetOptions(\%o, 'jobs=i', 'line=s', 'whole=s', 'seconds=i') or exit 2;
$| = 1;
my $shim = $ENV{SHIM} // die "memcheck.pl: \$SHIM is not set\n";
my $path = $ENV{PATH};
my %build = map { $_ => $ENV{$_} // die "memcheck.pl: \$$_ is not set\n" } qw(PLAIN MEMORY PATTERN);

# Runs a line with the tools of a build.
sub built
{
	my ($build, $line, $fault) = @_;
	local $ENV{PATH} = "$build{$build}:$path";
	local $ENV{SHIM} = $build eq 'MEMORY' && !$fault ? '' : $shim;
	return run($line, $fault);
}

# What is measured, and where the tool lies, is not the same in two runs.
sub unmeasured
{
	my ($said) = @_;
	$said =~ s/ in [0-9.]+ s \([0-9.]+ MB\/s\)//g;
	$said =~ s/seals 0x[0-9a-f]+//g;
	$said =~ s/pp-gen-\w{6}//g; # a temporary
	$said =~ s/^pp-\w+: files are read without a filter of system calls: this kernel has none\n//mg;
	# a sanitizer makes calls of its own, which are not filtered
	$said =~ s/^(pp-\w+: sandbox:) files only: this kernel has no filter of system calls$/$1 system calls, files/mg;
	return $said;
}

# undef, or what is not as in the plain build
sub differs
{
	my ($line, $plain, $r) = @_;
	return "MemorySanitizer: $1" if $r->{stderr} =~ /(MemorySanitizer: .*(?:\n.*){0,9})/;
	return undef if $line->{chance};
	return "exit status $r->{status}, not $plain->{status}" if $r->{status} ne $plain->{status};
	return undef if !$line->{alike};
	return "says: $r->{stderr}and not: $plain->{stderr}"
		if unmeasured($r->{stderr}) ne unmeasured($plain->{stderr});
	return outputs_differ($line, $plain, $r);
}

# The line with its inputs damaged in the Nth way, or undef.
sub damaged
{
	my ($line, $n) = @_;
	my %changed = %$line;
	my $all = 0;
	my $take = sub {
		my ($word) = @_;
		$word =~ s{\bin/(\w[\w.]*)}{-f "damaged/$1.$n" ? do { $all++; "damaged/$1.$n" } : "in/$1"}e;
		return $word;
	};
	$changed{words} = [ map { $take->($_) } @{$line->{words}} ];
	defined $changed{$_} and $changed{$_} = $take->($changed{$_}) for 'input', 'piped';
	return $all ? \%changed : undef;
}

sub make_damaged
{
	mkdir 'damaged' or return;
	local $ENV{PATH} = "$build{PLAIN}:$path";
	for my $file (grep { -f } glob 'in/*') {
		my $size = -s $file;
		next if $size < 200; # where there is nothing to damage
		(my $name = $file) =~ s{^in/}{};
		for my $n (1 .. DAMAGED) {
			my @how = $n % 3 == 0 ? ("--cut=" . int($size * $n / (DAMAGED + 1) + $n)) :
				$n % 3 == 1 ? ('--flip=0.002') :
				('--drop=20@' . int($size * $n / 9), '--insert=9@' . int($size * $n / 12), '--zero=40');
			system('pp-gen', '--damage', "--seed=$n", @how, '-q', '-i', $file, '-o', "damaged/$name.$n") == 0
				or die "pp-gen --damage @how $file failed\n";
		}
	}
}

# All that is wrong with a line, as text; and how many runs it took.
sub look
{
	my ($line) = @_;
	my ($text, $runs) = ('', 0);
	my $compare = sub {
		my ($what, $one, $fault, @builds) = @_;
		my $plain = built('PLAIN', $one, $fault);
		for (@builds) {
			my $r = built($_, $one, $fault);
			my $wrong = differs($one, $plain, $r);
			$runs++;
			$text .= "    $_, $what: $wrong\n" if defined $wrong && length $text < 4000;
		}
	};
	$compare->('as it is', $line, undef, 'MEMORY', 'PATTERN');
	for my $n (1 .. DAMAGED) {
		my $changed = damaged($line, $n) or last;
		$compare->("damaged $n", $changed, undef, $n % 2 ? ('MEMORY', 'PATTERN') : 'MEMORY');
	}
	# a command of --exec may outlive the tool that failed
	return ($text, $runs) if $line->{text} =~ /--exec/;
	# where processes work at once another call fails each time: what comes of it need not be the same
	my %failing = (%$line, chance => $line->{at_once});
	my $good = built('PLAIN', $line);
	for my $class (@CLASSES) {
		my ($build, $most) = $class eq 'memory' ? ('PATTERN', 60) : ('MEMORY', 8);
		my @places = grep { my ($c, $error, $first, $every) = @$_; $error && !$every }
			places($line, $good, $class);
		my $step = @places / $most < 1 ? 1 : @places / $most;
		for (my $i = 0; $i < @places; $i += $step) {
			my ($c, $error, $first) = @{$places[$i]};
			$compare->(told($places[$i]), \%failing, "$CLASS{$c} $error $first 0", $build);
		}
	}
	return ($text, $runs);
}

sub work
{
	my ($number, $next) = @_;
	my ($passed, $failed, $runs) = (0, 0, 0);
	enter("m$number");
	symlink '../damaged', 'damaged';
	while (my $line = $next->()) {
		my ($text, $n) = look($line);
		$runs += $n;
		$text eq '' ? $passed++ : $failed++;
		print "FAILED  $line->{text}\n$text" if $text ne '';
	}
	return ($passed, $failed, $runs);
}

my @lines = lines($o{line});
make_inputs();
make_damaged();
exit in_parallel($o{jobs}, \&work, $o{seconds}, whole($o{whole}, @lines));
