# speedscope.pl - prints what a file of speedscope holds, by a reader of its own: `speedscope.pl FILE`.
#
#	file EXPORTER NAME                 about TEXT
#	frame NAME FILE:LINE
#	profile NAME UNIT START END SAMPLES
#
# With --folded samples as pp-fold --tid has them, but for the name of the thread: PID/TID;FRAME;... WEIGHT, each
# stack once; code without a name is [FILE].  Of several events they are those of the first.
use strict;
use warnings;
use JSON::PP;

my $folded = @ARGV && $ARGV[0] eq '--folded' && shift;
my $text = do { local $/; open my $in, '<', $ARGV[0] or die "speedscope.pl: $ARGV[0]: $!\n"; <$in> };
my $file = JSON::PP->new->utf8->allow_bignum->decode($text);
binmode STDOUT, ':utf8';
die "speedscope.pl: no schema\n" unless $file->{'$schema'} eq 'https://www.speedscope.app/file-format-schema.json';

my @frames = @{$file->{shared}{frames}};
unless ($folded) {
	print "file $file->{exporter} $file->{name}\n", map { "about $_\n" } @{$file->{perfpipe}};
	print map { join(' ', 'frame', $_->{name}, ($_->{file} // '-') . ($_->{line} ? ":$_->{line}" : '')) . "\n" } @frames;
}
my (%weights, $first);
for my $profile (@{$file->{profiles}}) {
	my ($samples, $weights) = @$profile{qw(samples weights)};
	die "speedscope.pl: not as many weights as samples\n" unless @$samples == @$weights;
	my $sum = 0;
	$sum += $_ for @$weights;
	die "speedscope.pl: $sum is not the whole of $profile->{name}\n" unless $sum == $profile->{endValue};
	print "profile $profile->{name} $profile->{unit} $profile->{startValue} $profile->{endValue} ", scalar(@$samples), "\n"
		unless $folded;
	my ($thread, $event) = $profile->{name} =~ m{ (\d+/\d+)( .*)?$} or die "speedscope.pl: whose is $profile->{name}?\n";
	$first //= $event // '';
	next if $first ne ($event // '');
	for my $i (0 .. $#$samples) {
		my @names = map { $frames[$_]{name} } @{$samples->[$i]};
		for (@names) {
			s/^(.+)\+0x[0-9a-f]+$/[$1]/ or s/^0x[0-9a-f]+$/[unknown]/;
		}
		$weights{join ';', $thread, @names} += $weights->[$i];
	}
}
print map { "$_ $weights{$_}\n" } sort grep { $weights{$_} } keys %weights if $folded;
