#!/usr/bin/env perl
# plant.pl - makes of planted.txt, on standard input, what build.pl reads, with a word of its own in each
# place that is named there.  With a file's name it writes there the words, each with its place.
use strict;
use warnings;

my (%word, @places);

# Words have capitals, and so are in no pseudonym, and are no words that everybody uses.
sub word
{
	my ($place) = @_;

	unless ($word{$place}) {
		my $n = @places;

		$word{$place} = sprintf 'QZ%s%s', map { substr '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', $_, 1 }
			int $n / 36, $n % 36;
		push @places, $place;
	}
	return $word{$place};
}

# A word of 4 letters, as it is to be written.
sub planted
{
	my ($place, $form) = @_;
	my $word = word($place);

	return $word unless $form;
	return unpack 'L<', $word if $form eq '4';
	return unpack 'Q<', $word x 2 if $form eq '8';
	return unpack 'H*', $word if $form eq 'hex4';
	return unpack 'H*', $word x 2 if $form eq 'hex';
	die "plant.pl: line $.: unknown form $form\n";
}

sub aligned { my ($bytes) = @_; return unpack 'H*', $bytes . "\0" x (-length($bytes) % 8) }

sub note
{
	my ($key, $value) = @_;

	return aligned pack('a8 L<4', 'PPNOTE1', 1, 0, length $key, length $value) . $key . $value;
}

# Names of one address in a file.
sub names
{
	my %file = map { split /=/, $_, 2 } @_;
	my @texts = map { "$_\0" } '', @file{qw(path symbol file)};
	my @at = map { length join '', @texts[0 .. $_ - 1] } 1 .. 3;
	my $id = pack 'H*', $file{id} // '';

	return aligned pack('a8 L<6 a20 L< Q< L<4', 'PPNAMES', 0, 3, 0, $file{maj} // 0, $file{min} // 0,
			    $id ? 20 : 0, $id, $at[0], $file{ino} // 0, 1, 1, length join('', @texts), 0)
		. pack('Q<2 L<2', 0x104, 4, 0, 1) . pack('L<4', $at[1], $at[2], 7, 0) . join '', @texts;
}

while (my $line = <STDIN>) {
	next if $line =~ /^#/;
	$line .= <STDIN> while $line =~ s/ \\\n//;
	$line =~ s/\{([\w.\/]+)(?::(\w+))?\}/planted($1, $2)/ge;
	$line =~ s/^note (\S+) (\S+)$/'round hex=' . note($1, $2)/e;
	$line =~ s/^names (.*)$/'round hex=' . names(split ' ', $1)/e;
	print $line;
}
if (@ARGV) {
	open my $list, '>', $ARGV[0] or die "plant.pl: $ARGV[0]: $!\n";
	print $list "$word{$_} $_\n" for @places;
	close $list or die "plant.pl: $ARGV[0]: $!\n";
}
