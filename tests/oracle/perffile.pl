#!/usr/bin/env perl
# perffile.pl - a perf.data file out of a stream: HEADER_ATTRs become its table of attributes,
# HEADER_FEATUREs its sections, TRACING_DATA and HEADER_BUILD_IDs sections 1 and 2; the rest is data.
#   perffile.pl [--killed] [--v1] [--late-attrs] [--event-types] [--no-features] <STREAM >FILE
# Written from the description of the format, not from the tool's tables.
use strict;
use warnings;

my %opt = map { s/^--//r => 1 } @ARGV;
binmode STDIN;
binmode STDOUT;
local $/;
my $in = <STDIN>;
my $big = substr($in, 0, 8) eq '2ELIFREP';
my ($s, $l, $q) = $big ? ('n', 'N', 'Q>') : ('v', 'V', 'Q<');
my (@attrs, %section, @types, $data);
$data = '';
for (my $at = 16; $at < length $in;) {
	my ($type, $misc, $size) = unpack "$l$s$s", substr $in, $at, 8;
	my $rec = substr $in, $at, $size;
	$at += $size;
	if ($type == 64) {
		my $n = unpack($l, substr $rec, 12, 4) || 64;
		push @attrs, [substr($rec, 8, $n), substr $rec, 8 + $n];
	} elsif ($type == 65) {
		push @types, substr $rec, 8, 72;
	} elsif ($type == 66) {
		my $n = unpack $l, substr $rec, 8, 4;
		$section{1} = substr $in, $at, $n;
		$at += $n;
	} elsif ($type == 67) {
		$section{2} .= pack("$l$s$s", 0, $misc, $size) . substr $rec, 8;
	} elsif ($type == 80) {
		$section{unpack $q, substr $rec, 8, 8} = substr $rec, 16 if $size > 16;
	} else {
		my $tail = $type == 71 ? unpack $q, substr $rec, 8, 8 : 0;
		$data .= $rec . substr $in, $at, $tail;
		$at += $tail;
	}
}
%section = () if $opt{killed} || $opt{'no-features'};
my $attr_size = 64;
for (@attrs) { $attr_size = length $_->[0] if length $_->[0] > $attr_size }
my $head = $opt{v1} ? 72 : 104;
my $ids = join '', map { $_->[1] } @attrs;
my ($table, $at) = ('', 0);
my $attrs_size = @attrs * ($attr_size + 16);
my $types = $opt{'event-types'} ? join '', @types : '';
my $data_at = $opt{'late-attrs'} ? $head : $head + length($ids) + $attrs_size + length $types;
my $features_at = $data_at + length $data;
my @features = sort { $a <=> $b } keys %section;
my $sections = '';
my $sections_at = $features_at + 16 * @features;
my $ids_at = $opt{'late-attrs'} ? $sections_at + length join '', map { $section{$_} } @features : $head;
for my $a (@attrs) {
	$table .= $a->[0] . "\0" x ($attr_size - length $a->[0]) . pack "$q$q", $ids_at + $at, length $a->[1];
	$at += length $a->[1];
}
my @bits = (0, 0, 0, 0);
my $index = '';
for (@features) {
	$bits[$_ / 64] |= 1 << $_ % 64;
	$index .= pack "$q$q", $sections_at + length $sections, length $section{$_};
	$sections .= $section{$_};
}
my $magic = $opt{v1} ? 'PERFFILE' : $big ? '2ELIFREP' : 'PERFILE2';
my $header = $magic . pack "$q*", $head, $attr_size + 16, $ids_at + length $ids, length $table,
	$data_at, $opt{killed} ? 0 : length $data, $types eq '' ? 0 : $ids_at + length($ids) + length $table,
	length $types;
$header .= pack "$q*", @bits unless $opt{v1};
print $header;
print $ids, $table, $types unless $opt{'late-attrs'};
print $data, $index, $sections;
print $ids, $table if $opt{'late-attrs'};
