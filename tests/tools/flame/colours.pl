#!/usr/bin/perl
# colours.pl FILE - of each table of colours in frame_colour.c, on white and on black: the least distance of two
# kinds for eyes that see all colours and for those that lack one of three (OKLab x 100, Machado 2009), and the
# least contrast of text on them (WCAG 2).
use strict;
use warnings;

my @sights = (
	[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	[[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	[[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	[[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
);

sub linear { my $c = $_[0] / 255; $c <= 0.04045 ? $c / 12.92 : (($c + 0.055) / 1.055)**2.4 }
sub rgb { my $colour = shift; map { linear($colour >> $_ & 255) } 16, 8, 0 }

sub seen {
	my ($sight, @rgb) = @_;
	my @seen = map { my $row = $_; my $x = 0; $x += $row->[$_] * $rgb[$_] for 0 .. 2; $x < 0 ? 0 : $x > 1 ? 1 : $x } @$sight;
	return @seen;
}

sub oklab {
	my ($r, $g, $b) = @_;
	my @lms = (0.4122214708 * $r + 0.5363325363 * $g + 0.0514459929 * $b,
		0.2119034982 * $r + 0.6806995451 * $g + 0.1073969566 * $b,
		0.0883024619 * $r + 0.2817188376 * $g + 0.6299787005 * $b);
	my ($l, $m, $s) = map { $_ > 0 ? $_**(1 / 3) : 0 } @lms;
	return (0.2104542553 * $l + 0.7936177850 * $m - 0.0040720468 * $s,
		1.9779984951 * $l - 2.4285922050 * $m + 0.4505937099 * $s,
		0.0259040371 * $l + 0.7827717662 * $m - 0.8086757660 * $s);
}

sub brightness { my ($r, $g, $b) = rgb(shift); 0.2126 * $r + 0.7152 * $g + 0.0722 * $b }

sub contrast {
	my ($low, $high) = sort { $a <=> $b } map { brightness($_) } @_;
	return ($high + 0.05) / ($low + 0.05);
}

my $text = do { local $/; <> };
my %table;
push @{ $table{$1} }, [hex $3, hex $4] while $text =~ /\[PP_(FLAME|CHANGE)_(\w+)\] = \{ "[^"]+", 0x(\w+), 0x(\w+)/g;
for my $name (sort keys %table) {
	my @kinds = @{ $table{$name} };
	for my $side (0, 1) {
		my ($distance, $contrast) = (1000, 1000);
		my @told = $name eq 'FLAME' ? @kinds[0 .. $#kinds - 1] : @kinds;     # groups have a line around
		for my $sight (@sights) {
			my @lab = map { [oklab(seen($sight, rgb($_->[$side])))] } @told;
			for my $i (0 .. $#lab) {
				for my $j ($i + 1 .. $#lab) {
					my $d = 100 * sqrt(($lab[$i][0] - $lab[$j][0])**2 + ($lab[$i][1] - $lab[$j][1])**2 +
						($lab[$i][2] - $lab[$j][2])**2);
					$distance = $d if $d < $distance;
				}
			}
		}
		for my $kind (@kinds) {
			my $c = contrast($kind->[$side], $side ? 0xffffff : 0x14171b);
			$contrast = $c if $c < $contrast;
		}
		printf "%s %s: %d kinds, %.1f apart, text %.1f\n", lc $name, $side ? 'dark' : 'light', scalar @kinds, $distance, $contrast;
	}
}
