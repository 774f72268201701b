#!/usr/bin/perl
# property.pl - laws that hold for streams of every shape, tried with a stream for each seed, whose
# shape the seed chooses.
#
#   property.pl FIRST COUNT LAW...     LAW: name of a law below
#
# Prints a line for each law that is broken: the seed, the law, what was wrong and the shape, which
# makes the stream again.  Exit 1 if there was one.  Works in the current folder.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../oracle";
use Records;

# ---- the shape

my $random;

# A number below N.  Perl's own generator is not the same everywhere.
sub below
{
	my ($n) = @_;
	$random = ($random * 1103515245 + 12345) & 0x7fffffff;
	return ($random >> 8) % $n;
}

sub one_of { $_[below(scalar @_)] }
sub chance { below($_[0]) == 0 }    # one in N

my @FIELDS = qw(addr read id stream_id weight data_src transaction regs_user regs_intr phys_addr
	cgroup data_page_size code_page_size aux);

# { options, plain (the same without compression), samples, sealed, big, packed, remarks }
sub shape
{
	my ($seed) = @_;
	$random = $seed * 2654435761 & 0x7fffffff;
	below(2) for 1 .. 4;
	my $samples = one_of(0, 1, 7, 60, 150, 150, 300, 300, 400);
	my $pids = 1 + below(12);
	my @o = ("--seed=$seed --samples=$samples --cpus=" . (1 + below(8)), "--pids=$pids");
	push @o, '--threads=' . (1 + below(3)) if chance(3);
	push @o, '--forks=' . below($pids) if chance(3);
	push @o, '--exits=' . below($pids) if chance(3);
	push @o, '--comms=' . below(6) if chance(3);
	push @o, '--lost=' . below(5) if chance(3);
	push @o, '--mmaps=' . below(6) if chance(3);
	my $tracepoints = chance(3) ? 1 + below(3) : 0;
	push @o, "--tracepoints=$tracepoints" if $tracepoints;
	push @o, '--events=' . ($tracepoints ? below(4) : 1 + below(4)) if chance(2);
	push @o, '--callchain=' . (1 + below(20)) if chance(2);
	push @o, '--raw=' . below(200) if chance(4);
	push @o, '--stack=' . 8 * below(100) if chance(5);
	push @o, '--branches=' . below(20) if chance(5);
	push @o, '--sample-type=+' . join ',', map { one_of(@FIELDS) } 0 .. below(4) if chance(3);
	push @o, '--disorder=' . one_of(qw(100us 5ms 60ms)) if chance(2);
	push @o, '--rounds=' . one_of(0, 1, 3, 30) if chance(2);
	my $sealed = !chance(3);
	push @o, '--no-seal' unless $sealed;
	my $big = chance(6);
	push @o, '--big-endian' if $big;
	my $plain = join ' ', @o;
	my $packed = chance(4);
	push @o, '-z' if $packed;
	return { seed => $seed, options => join(' ', @o), plain => $plain, samples => $samples,
		sealed => $sealed, big => $big, packed => $packed,
		remarks => $packed && !$samples };    # the feature COMPRESSED, and perhaps nothing is
}

# ---- what laws are made of

my ($shape, $law, $broken);

sub wrong
{
	print "seed $shape->{seed}: $law: @_: pp-gen $shape->{options}\n";
	$broken++;
}

sub put
{
	my ($path, $bytes) = @_;
	open my $f, '>:raw', $path or die "$path: $!\n";
	print $f $bytes or die "$path: $!\n";
	close $f or die "$path: $!\n";
}

# What a command writes; its status has to be this one, or one of these.
sub output
{
	my ($command, @status) = @_;
	@status = (0) unless @status;
	my $out = `$command`;
	my $got = $? & 127 ? "signal " . ($? & 127) : $? >> 8;
	wrong("$command ended with $got") unless grep { $_ eq $got } @status;
	return $out;
}

sub equal
{
	my ($what, $a, $b) = @_;
	wrong("$what: not the same") unless $a eq $b;
}

# All samples of a plain stream, whatever their order.
sub samples
{
	my ($bytes) = @_;
	my $stream = Records->new($bytes);
	my @all;
	while (my $r = $stream->next) {
		push @all, $r->{bytes} if $r->{type} == 9;
	}
	return join '', sort @all;
}

sub same_samples
{
	my ($what, $a, $b) = @_;
	equal("the samples of $what", samples($a), samples($b));
}

sub is_sound { output('pp-check -q ' . ($shape->{remarks} ? '' : '--strict ') . $_[0]) }

# ---- the laws: ./in is the stream, $in its bytes, ./plain what it is without compression and in
# this machine's byte order

my ($in, $plain);

my %laws = (
	there_and_back => sub {
		equal('dump --raw | undump', $in, output('pp-dump --raw --json -i in | pp-undump'));
		equal('dump | undump', $plain, output('pp-dump --json -i plain | pp-undump'));
	},

	sound => sub {
		is_sound('in');
		equal('pp-mend', $in, output('pp-mend -i in'));
	},

	unpacked => sub {
		equal('pp-cat', $plain, output('pp-cat -i in'));    # of a plain one, what it is
		return unless $shape->{packed} && !$shape->{big};
		equal('what was not compressed', $plain, output("pp-gen $shape->{plain}"));
	},

	passed => sub {
		equal('pp-filter', $plain, output('pp-filter -i plain'));
		equal('pp-compress | pp-decompress', $plain, output('pp-compress -i plain | pp-decompress'));
	},

	sorted => sub {
		my $sorted = output('pp-sort -q -i in');
		put('sorted', $sorted);
		is_sound('sorted');
		output('pp-sort --check -i sorted');
		same_samples('pp-sort', $plain, $sorted);
		equal('pp-sort of what is sorted', $sorted, output('pp-sort -i sorted'));
	},

	saved => sub {
		output('pp-save -i in -o saved');
		my $again = output('pp-cat -i saved');
		put('again', $again);
		is_sound('again');
		same_samples('pp-save', $plain, $again);
	},

	merged => sub {
		my $merged = output('pp-merge in');
		put('merged', $merged);
		is_sound('merged');
		same_samples('pp-merge of one', $plain, $merged);
	},

	split => sub {
		unlink glob 'part-*';
		output('pp-split --samples=90 -i in -o part-%03u');
		my @parts = glob 'part-*';
		is_sound($_) for @parts;
		my $merged = output("pp-merge @parts");
		put('merged', $merged);
		is_sound('merged');
		same_samples('pp-split and pp-merge', $plain, $merged);
	},

	# Of a stream that is not sealed nobody can tell a changed number from another one.
	damaged => sub {
		my $how = one_of('--damage', '--cut=any', '--flip=0.001', '--insert=64', '--zero=300',
			'--drop=100', '--splice=200', '--zero=40 --drop=9 --insert=17');
		my $damaged = output("pp-gen $how --seed=$shape->{seed} -i in");
		put('damaged', $damaged);
		output('pp-check -q damaged 2>check.err', $damaged eq $in ? 0 : $shape->{sealed} ? 3 : (0, 3));
		put('mended', output('pp-mend -q -i damaged 2>mend.err', 0, 3));
		output('pp-check -q mended');
		print "    $how\n" if $broken;
	},

	perf => sub {
		# perf refuses raw data of the other byte order in a pipe
		return if $shape->{big} && ($shape->{packed} || $shape->{options} =~ /--(raw|tracepoints)=[1-9]/);
		my $lines = output('perf script -G -F tid,event -i in 2>perf.err </dev/null') =~ tr/\n//;
		wrong("perf script prints $lines samples") if $lines != $shape->{samples};
	},
);

# ---- one seed after the other

my ($first, $count, @names) = @ARGV;

for my $seed ($first .. $first + $count - 1) {
	$shape = shape($seed);
	$law = 'make';
	$in = output("pp-gen $shape->{options}");
	put('in', $in);
	$plain = $shape->{packed} || $shape->{big} ? output('pp-decompress -i in') : $in;
	put('plain', $plain);
	for my $name (@names) {
		$law = $name;
		$laws{$law} ? $laws{$law}->() : die "no law $law\n";
	}
}
exit !!$broken;
