#!/usr/bin/perl
# arrived.pl - how many samples of a stream that stand outside damage are in what was mended of it,
# by a reader that is not ours.  It aligns the two record by record, so that a sample counts only
# where it stands in its order, byte for byte.
#
#   arrived.pl WHOLE OUT FROM SIZE [COMPRESSED]     prints `outside arrived added`
#
# WHOLE and OUT are plain streams; the damage began at byte FROM and went over SIZE bytes, of WHOLE, or
# of the COMPRESSED stream that WHOLE was expanded from: there all samples of a zstd frame that the
# damage touches stand inside.  `added` are samples of OUT that are not in WHOLE.
use strict;
use warnings;

use constant { SAMPLE => 9, ROUND => 68, TRACING => 66, AUXTRACE => 71, BLOCK => 1 << 13,
	ZSTD_MAGIC => "\x28\xb5\x2f\xfd" };

my ($whole_path, $out_path, $from, $size, $compressed) = @ARGV;

sub slurp
{
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	local $/;
	my $bytes = <$in> // '';
	return $bytes;
}

# Forms of unpack for the stream's byte order: a header, its size alone, u32, u64.
sub forms { $_[0] =~ /^2ELIFREP/ ? ('Nnn', 'N', 'Q>') : ('Vvv', 'V', 'Q<') }

sub tail
{
	my ($bytes, $at, $type, $u32, $u64) = @_;
	return unpack $u32, substr $$bytes, $at + 8, 4 if $type == TRACING;
	return unpack $u64, substr $$bytes, $at + 8, 8 if $type == AUXTRACE;
	return 0;
}

# Offsets of all records, and of all samples, packed; kept beside the stream.
sub tables
{
	my ($path, $bytes) = @_;
	my @names = ("$path.records", "$path.samples");
	return map { slurp($_) } @names if -e $names[1];
	my ($head, $u32, $u64) = forms($$bytes);
	my ($records, $samples, $at, $end) = ('', '', 16, length $$bytes);
	while ($at < $end) {
		my ($type, undef, $length) = unpack $head, substr $$bytes, $at, 8;
		$records .= pack 'Q', $at;
		$samples .= pack 'Q', $at if $type == SAMPLE;
		$at += $length + ($type > SAMPLE ? tail($bytes, $at, $type, $u32, $u64) : 0);
	}
	$records .= pack 'Q', $end;
	for my $i (0, 1) {
		open my $keep, '>:raw', $names[$i] or die "$names[$i]: $!\n";
		print $keep ($records, $samples)[$i];
		close $keep or die "$names[$i]: $!\n";
	}
	return ($records, $samples);
}

# How many of the packed numbers are less than this one.
sub below
{
	my ($table, $value) = @_;
	my ($low, $high) = (0, length($$table) / 8);
	while ($low < $high) {
		my $middle = int(($low + $high) / 2);
		if (unpack('Q', substr $$table, $middle * 8, 8) < $value) { $low = $middle + 1 }
		else { $high = $middle }
	}
	return $low;
}

sub number { my ($table, $i) = @_; return unpack 'Q', substr $$table, $i * 8, 8 }

# Frames of a compressed stream: begin and end of their carriers, and of the samples in them (by number).
sub frames
{
	my ($path) = @_;
	my $bytes = slurp($path);
	my ($head, $u32, $u64) = forms($bytes);
	my ($at, $end, @frames) = (16, length $bytes);
	while ($at < $end) {
		my ($type, undef, $length) = unpack $head, substr $bytes, $at, 8;
		if ($type == 81 || $type == 83) {
			my $piece = $type == 81 ? substr($bytes, $at + 8, $length - 8) :
				substr $bytes, $at + 16, unpack $u64, substr $bytes, $at + 8, 8;
			push @frames, [$at, 0, ''] if substr($piece, 0, 4) eq ZSTD_MAGIC;
			$frames[-1][2] .= $piece;
			$frames[-1][1] = $at + $length;
		}
		$at += $length + ($type > SAMPLE ? tail(\$bytes, $at, $type, $u32, $u64) : 0);
	}
	my ($left, $count) = ('', 0);
	for my $frame (@frames) {
		open my $piece, '>:raw', "$path.frame" or die "$path.frame: $!\n";
		print $piece $frame->[2];
		close $piece or die "$path.frame: $!\n";
		my $plain = $left . `zstd -q -d -c <'$path.frame' 2>/dev/null`;
		my $first = $count;
		my $p = 0;
		while ($p + 8 <= length $plain) {
			my ($type, undef, $length) = unpack $head, substr $plain, $p, 8;
			last if $p + $length > length $plain;
			$count++ if $type == SAMPLE;
			$p += $length;
		}
		$left = substr $plain, $p;
		$frame->[2] = $first;
		$frame->[3] = $count;
	}
	unlink "$path.frame";
	return @frames;
}

# The samples inside the damage of a compressed stream: first and behind the last.
sub inside
{
	my ($path, $a, $b) = @_;
	my $kept = "$path.frames";
	my @frames;
	if (open my $in, '<', $kept) {
		@frames = map { [split] } <$in>;
	} else {
		@frames = frames($path);
		open my $out, '>', $kept or die "$kept: $!\n";
		print $out "@$_\n" for @frames;
		close $out or die "$kept: $!\n";
	}
	my @hit = grep { $_->[0] < $b && $_->[1] > $a } @frames;
	return @hit ? ($hit[0][2], $hit[-1][3]) : (0, 0);
}

# Length of what two strings have in common, from these places on.
sub common
{
	my ($x, $i, $y, $j) = @_;
	my $from = $i;
	for (;;) {
		my ($a, $b) = (substr($$x, $i, BLOCK), substr $$y, $j, BLOCK);
		if ($a eq $b) {
			return $i - $from if $a eq '';
			$i += length $a;
			$j += length $a;
			next;
		}
		my $n = length $a < length $b ? length $a : length $b;
		my $differ = substr($a, 0, $n) ^ substr $b, 0, $n;
		return $i - $from + ($differ =~ /[^\0]/ ? $-[0] : $n);
	}
}

# before much is in memory: a process for each frame is begun
my @inside = defined $compressed ? inside($compressed, $from, $from + ($size || 1)) : ();
my $whole = slurp($whole_path);
my $out = slurp($out_path);
my ($records, $samples) = tables($whole_path, \$whole);
my ($head, $u32, $u64) = forms($whole);
my $all = length($samples) / 8;
# samples [$first, $behind) are inside
my ($first, $behind);
if (defined $compressed) {
	($first, $behind) = @inside;
} else {
	# one that touches the damage; where bytes were inserted, one that they stand in
	my $i = below(\$records, $from + 1) - 1;
	$first = below(\$samples, number(\$records, $i) < $from ? number(\$records, $i) : $from);
	$behind = below(\$samples, $from + $size);
}

# How far behind $i of WHOLE this record stands; -1: nowhere near.
sub find
{
	my ($i, $record) = @_;
	for my $near (1 << 16, $size * 4 + (32 << 20)) {
		my $window = substr $whole, $i, $near;
		my $at = -1;
		while (($at = index $window, $record, $at + 1) >= 0) {
			return $at if number(\$records, below(\$records, $i + $at)) == $i + $at;
		}
	}
	return -1;
}

my ($i, $j, $arrived, $added) = (16, 16, 0, 0);
while ($j + 8 <= length $out && $i < length $whole) {
	my $length = common(\$whole, $i, \$out, $j);
	if ($length) {
		my $k = below(\$records, $i + $length + 1) - 1;
		my $end = number(\$records, $k);
		if ($end > $i) {
			my ($a, $b) = (below(\$samples, $i), below(\$samples, $end));
			my $in_a = $a > $first ? $a : $first;
			my $in_b = $b < $behind ? $b : $behind;
			$arrived += $b - $a - ($in_b > $in_a ? $in_b - $in_a : 0);
			$j += $end - $i;
			$i = $end;
			next;
		}
	}
	my ($type, undef, $bytes) = unpack $head, substr $out, $j, 8;
	die "$out_path: a record of $bytes bytes at $j\n" if $bytes < 8;
	my ($type_here, undef, $bytes_here) = unpack $head, substr $whole, $i, 8;
	if ($type == ROUND && $type_here == ROUND) {
		# a seal that was made anew
		$i += $bytes_here;
	} elsif ($type == SAMPLE) {
		my $at = find($i, substr $out, $j, $bytes);
		if ($at >= 0) {
			$i += $at;
			next;
		}
		$added++;
	}
	$j += $bytes + ($type > SAMPLE ? tail(\$out, $j, $type, $u32, $u64) : 0);
}
print $all - ($behind - $first), " $arrived $added\n";
