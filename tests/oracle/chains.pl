#!/usr/bin/env perl
# chains.pl STREAM... - whether pp-dump, pp-script, pp-report, pp-fold and pp-filter find the same number of
# frames in every sample that has a call chain.
#
# pp-dump shows the words of a chain; how many of them are frames is counted here, by the rule of
# thread__resolve_callchain_sample() of perf: a word from 0xfffffffffffff001 on is a mark, one that is not known
# makes the chain damaged, and after that of a deferred chain comes its cookie alone.  The others say it in their
# own ways, so what is compared is how many samples of an event have how many frames.  Exit 1 with the first
# difference of each stream, 2 where none of them has a chain.
use strict;
use warnings;
use File::Temp qw(tempdir);
use JSON::PP ();

my @AS = ('--root', tempdir(CLEANUP => 1));    # names of this machine's files tell nothing here
my %MODE = ('0xffffffffffffffe0' => 1, '0xffffffffffffff80' => 1, '0xfffffffffffffe00' => 1);
my $DEFERRED = '0xfffffffffffffd80';

sub lines_of
{
	my ($line, @command) = @_;

	open my $from, '-|', @command or die "chains.pl: $command[0]: $!\n";
	while (<$from>) {
		$line->($_);
	}
	close $from;
}

# A word as pp-dump writes it: 16 digits of which the first 13 are f, and the rest is at least 001.
sub is_mark { $_[0] =~ /^0x(f{13}(?!000)...)$/ }

sub frames
{
	my $n = 0;

	for (@_) {
		return $n if $_ eq $DEFERRED;
		return 0 if is_mark($_) && !$MODE{$_};
		$n++ if !is_mark($_);
	}
	return $n;
}

# Each returns {event}{frames} = samples.
sub by_dump
{
	my %found;

	lines_of(sub {
		return if index($_[0], '"type":"SAMPLE"') < 0;
		my $rec = JSON::PP::decode_json($_[0]);
		my $chain = $rec->{fields}{callchain};
		$found{$rec->{event} // ''}{frames(@$chain)}++ if $chain;
	}, 'pp-dump', '--json', $_[0]);
	return \%found;
}

sub by_script
{
	my %found;

	lines_of(sub {
		my $rec = JSON::PP::decode_json($_[0]);
		return if !defined $rec->{event};
		$found{$rec->{event}}{scalar @{$rec->{callchain} // []}}++;
	}, 'pp-script', '--json', '--no-inline', '--max-stack', 65535, '-F', 'event,ip,sym', @AS, $_[0]);
	return \%found;
}

sub by_report
{
	my (%found, $event);

	lines_of(sub {
		$event = $1 if $_[0] =~ /^# Samples: .* event '(.*)'$/;
		$found{$event}{1 + ($2 =~ tr/;//)} += $1 if $_[0] =~ /^(\d+) (.+)$/;
	}, 'pp-report', '--no-children', '--no-branch-stack', '-s', 'comm', '-g', 'folded,0,callee,count', '--percent-limit', 0, '--no-inline',
		'--max-stack', 65535, @AS, $_[0]);
	return \%found;
}

sub by_fold
{
	my ($stream, @events) = @_;
	my %found;

	for my $event (@events) {
		lines_of(sub {
			$found{$event}{$1 =~ tr/;//} += $2 if $_[0] =~ /^(.*) (\d+)$/;
		}, 'pp-fold', '-q', '--weight', 'count', '--no-inline', '-e', $event, @AS, $stream);
	}
	return \%found;
}

# Only of as many frames as most samples have, and of none.
sub by_filter
{
	my ($stream, $dumped) = @_;
	my %found;

	for my $event (keys %$dumped) {
		my $of = $dumped->{$event};
		my ($most) = sort { $of->{$b} <=> $of->{$a} || $a <=> $b } keys %$of;
		$found{$event} = { %$of };
		for my $n (0, $most) {
			$found{$event}{$n} = 0;
			lines_of(sub { $found{$event}{$n}++ if $_[0] =~ /"type":"SAMPLE"/ }, 'sh', '-c',
				'pp-filter -q "$1" "$2" | pp-dump --json', 'sh', qq(event == "$event" && depth == $n), $stream);
		}
	}
	return \%found;
}

# Samples without a frame are shown by pp-dump and pp-filter alone.
sub differ
{
	my ($event, $tool, $one, $other) = @_;
	my %all = (%$one, %$other);

	for my $n (sort { $a <=> $b } keys %all) {
		my ($x, $y) = map { $_->{$n} // 0 } $one, $other;
		next if $x == $y || (!$n && $tool ne 'filter');
		return "$event: $x samples of $n frames, and $y";
	}
	return;
}

my ($failed, $chains) = (0, 0);
for my $stream (@ARGV) {
	my $dumped = by_dump($stream);
	my @events = sort keys %$dumped;
	my %others = (script => by_script($stream), report => by_report($stream), fold => by_fold($stream, @events),
		filter => by_filter($stream, $dumped));

	for my $event (@events) {
		$chains += $_ for values %{$dumped->{$event}};
		for my $tool (sort keys %others) {
			my $difference = differ($event, $tool, $dumped->{$event}, $others{$tool}{$event} // {}) or next;
			print "$stream: pp-dump and pp-$tool: $difference\n";
			$failed = 1;
		}
	}
}
print "$chains samples with a chain\n";
exit($failed ? 1 : $chains ? 0 : 2);
