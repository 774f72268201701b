#!/usr/bin/perl
# parquet.pl [--pages] FILE... - prints the rows of Parquet files as parquet.c does: a reader that shares nothing with the
# library's writer but the format (github.com/apache/parquet-format), of what that writes.  Dies of whatever is
# not as the format has it, or not as the statistics say.  zstd expands the pages.  With --pages it prints of each
# chunk, instead of rows, its column, and how many pages of data there are by their encoding.
use strict;
use warnings;
use Compress::Zlib ();
use File::Temp ();

my $only_pages = @ARGV && $ARGV[0] eq '--pages' && shift;
my ($bytes, $at);                             # what is read, and where

sub varint
{
	my ($value, $shift) = (0, 0);
	while (1) {
		my $byte = ord substr $bytes, $at++, 1;
		$value |= ($byte & 0x7f) << $shift;
		return $value if $byte < 0x80;
		$shift += 7;
	}
}

sub zigzag { my $v = varint(); return $v & 1 ? -1 - ($v >> 1) : $v >> 1 }

# ---- Thrift's compact protocol: a struct is { number => value }, a list [ value, ... ]

sub value_of
{
	my ($type) = @_;
	return zigzag() if $type >= 4 && $type <= 6;
	if ($type == 8) {
		my $size = varint();
		return substr $bytes, ($at += $size) - $size, $size;
	}
	return struct() if $type == 12;
	die "byte $at: type $type\n" if $type != 9;
	my $head = ord substr $bytes, $at++, 1;
	my $count = $head >> 4 == 15 ? varint() : $head >> 4;
	return [map { value_of($head & 15) } 1 .. $count];
}

sub struct
{
	my (%fields, $number);
	while (my $head = ord substr $bytes, $at++, 1) {
		$number = $head >> 4 ? ($number // 0) + ($head >> 4) : zigzag();
		my $type = $head & 15;
		die "byte $at: field $number twice\n" if exists $fields{$number};
		$fields{$number} = $type == 1 ? 1 : $type == 2 ? 0 : value_of($type);
	}
	return \%fields;
}

# ---- Encodings, of $bytes from $at

# RLE/bit-packing hybrid: n numbers of some bits
sub runs
{
	my ($n, $bits) = @_;
	my @numbers;
	my $mask = (1 << $bits) - 1;
	while (@numbers < $n) {
		my $head = varint();
		if (!($head & 1)) {
			my $size = ($bits + 7) >> 3;
			my $number = unpack 'V', substr($bytes, $at, $size) . "\0" x 4;
			die "a number of more than $bits bits\n" if $number > $mask;
			$at += $size;
			push @numbers, ($number) x ($head >> 1);
			next;
		}
		my ($left, $have, $from) = (0, 0, scalar @numbers);
		for my $byte (unpack 'C*', substr $bytes, $at, ($head >> 1) * $bits) {
			$left |= $byte << $have;
			for ($have += 8; $have >= $bits; $have -= $bits, $left >>= $bits) {
				push @numbers, $left & $mask;
			}
		}
		$at += ($head >> 1) * $bits;
		die "not whole groups\n" if @numbers - $from != ($head >> 1) * 8;
		die "padding is not zero\n" if grep { $_ } splice @numbers, $n < @numbers ? $n : @numbers;
	}
	die "more numbers than $n\n" if @numbers > $n;
	return \@numbers;
}

sub deltas
{
	my ($n) = @_;
	use integer;
	my ($block, $parts, $count, $last) = (varint(), varint(), varint(), zigzag());
	die "$count numbers of $n\n" if $count != $n;
	my @numbers = $n ? $last : ();
	while (@numbers < $n) {
		my $least = zigzag();
		my @widths = unpack 'C*', substr $bytes, $at, $parts;
		$at += $parts;
		for my $width (@widths) {
			my $size = $block / $parts;
			die "widths of what is not there\n" if @numbers == $n && $width;
			my $packed = $width ? unpack 'b*', substr $bytes, $at, $size / 8 * $width : '';
			for my $i (0 .. $size - 1) {
				last if @numbers == $n;
				my $bits = $width ? substr $packed, $i * $width, $width : '0';
				$last += $least + unpack 'q<', pack 'b64', $bits;
				push @numbers, $last;
			}
			$at += $size / 8 * $width;
		}
	}
	return \@numbers;
}

sub plain
{
	my ($type, $n) = @_;
	if ($type == 6) {
		return [map { my $size = unpack 'V', substr $bytes, $at, 4; substr $bytes, ($at += 4 + $size) - $size, $size } 1 .. $n];
	}
	my $width = $type == 1 ? 4 : 8;
	return [unpack $type == 1 ? 'l<*' : 'q<*', substr $bytes, ($at += $n * $width) - $n * $width, $n * $width];
}

# ---- A file

# Leaves of the schema: { name, type, optional, list }
sub columns_of
{
	my ($root, @elements) = @{ $_[0] };
	my @columns;
	while (my $e = shift @elements) {
		my %column = (name => $e->{4}, type => $e->{1}, optional => $e->{3}, list => 0);
		if ($e->{5}) {
			my ($list, $leaf) = splice @elements, 0, 2;
			die "$e->{4} is no list\n" unless $e->{6} == 3 && $e->{10}{3} && $list->{3} == 2 &&
				$list->{4} eq 'list' && $leaf->{4} eq 'element' && !$leaf->{3};
			@column{qw(list type)} = (1, $leaf->{1});
		}
		die "$e->{4} is no UTF-8\n" if $column{type} == 6 && !(defined $e->{6} && $e->{6} == 0 && $e->{10}{1});
		push @columns, \%column;
	}
	die "the schema has $root->{5} columns\n" if @columns != $root->{5};
	return @columns;
}

# The pages of a chunk, which follow one another: [header, compressed bytes]
sub pages_of
{
	my ($meta) = @_;
	my @pages;
	$at = $meta->{11} // $meta->{9};
	my $end = $at + $meta->{7};
	my $raw = 0;
	while ($at < $end) {
		my $start = $at;
		my $header = struct();
		my $packed = substr $bytes, $at, $header->{3};
		$raw += $at - $start + $header->{2};
		$at += $header->{3};
		my $crc = unpack 'l<', pack 'V', Compress::Zlib::crc32($packed);
		die "page at $start: CRC\n" if $crc != $header->{4};
		die "page at $start: no first data page\n" if !$header->{1} && $start != $meta->{9} && !@pages;
		push @pages, [$header, $packed];
	}
	die "pages end at $at, not $end\n" if $at != $end;
	die "$raw bytes without compression, not $meta->{6}\n" if $raw != $meta->{6};
	return @pages;
}

# Expands the bytes of all pages at once
sub expand
{
	my @pages = @_;
	return unless @pages;
	my $file = File::Temp->new;
	binmode $file;
	print $file map { $_->[1] } @pages;
	close $file;
	my $all = do { local $/; open my $zstd, '-|:raw', 'zstd', '-dcq', $file->filename or die "zstd: $!\n"; <$zstd> };
	my $from = 0;
	for my $page (@pages) {
		$page->[1] = substr $all, $from, $page->[0]{2};
		$from += $page->[0]{2};
	}
	die "pages have $from bytes, not " . length($all) . "\n" if $from != length $all;
}

sub levels
{
	my ($n, $most) = @_;
	return undef unless $most;
	my $size = unpack 'V', substr $bytes, $at, 4;
	my $end = ($at += 4) + $size;
	my $levels = runs($n, $most > 1 ? 2 : 1);
	die "levels end at $at, not $end\n" if $at != $end;
	return $levels;
}

# The values of a chunk, a row each; and all of them, without what is none.  Counts pages by type and encoding.
sub rows_of
{
	my ($column, $count, @pages) = @_;
	my ($dictionary, @rows, @all);
	my $most = $column->{optional} + $column->{list};
	for my $page (@pages) {
		my $header = $page->[0];
		($bytes, $at) = ($page->[1], 0);
		if ($header->{1} == 2) {
			$dictionary = plain($column->{type}, $header->{7}{1});
			$count->{"2 $header->{7}{2}"}++;
			next;
		}
		my ($n, $encoding) = @{ $header->{5} }{ 1, 2 };
		$count->{"0 $encoding"}++;
		my $repetitions = levels($n, $column->{list});
		my $definitions = levels($n, $most);
		my $have = $definitions ? grep { $_ == $most } @$definitions : $n;
		my $values = $encoding == 0 ? plain($column->{type}, $have) : $encoding == 5 ? deltas($have) :
			[map { $dictionary->[$_] // die "no value $_\n" } @{ runs($have, ord substr $bytes, $at++, 1) }];
		die "a page ends at $at\n" if $at != length $bytes;
		push @all, @$values;
		if (!$definitions) {
			push @rows, @$values;
			next;
		}
		for my $i (0 .. $n - 1) {
			my $value = $definitions->[$i] == $most ? shift @$values : undef;
			if (!$column->{list}) {
				push @rows, $value;
			} elsif ($repetitions->[$i]) {
				push @{ $rows[-1] }, $value;
			} else {
				push @rows, defined $value ? [$value] : $definitions->[$i] < $column->{optional} ? undef : [];
			}
		}
	}
	return \@rows, \@all;
}

# The least and the greatest value, how many there are not
sub check_statistics
{
	my ($column, $meta, $all) = @_;
	my $has = $meta->{12};
	die "$has->{3} null\n" if $has->{3} != $meta->{5} - @$all;
	die "bounds of nothing\n" if !@$all && defined $has->{5};
	return if !@$all || !defined $has->{5} && $column->{type} == 6 && grep { length > 128 } @$all;
	my ($least, $most) = @$has{ 6, 5 };
	my @sorted;
	if ($column->{type} == 6) {
		@sorted = (sort @$all)[0, -1];
		die "a bound of " . length($_) . " bytes\n" for grep { length > 128 } $least, $most;
		utf8::decode(my $copy = $_) || die "a bound that is not UTF-8\n" for $least, $most;
		die "bounds of texts\n" if $least gt $sorted[0] || $most lt $sorted[1];
	} else {
		@sorted = (sort { $a <=> $b } @$all)[0, -1];
		$_ = unpack $column->{type} == 1 ? 'l<' : 'q<', $_ for $least, $most;
	}
	die "least $least, not $sorted[0]\n" if $has->{8} != ($least eq $sorted[0]);
	die "most $most, not $sorted[1]\n" if $has->{7} != ($most eq $sorted[1]);
	die "bounds that are not exact\n" if $column->{type} != 6 && !($has->{7} && $has->{8});
}

sub show
{
	my ($column, $value) = @_;
	return '~' unless defined $value;
	return '[' . join(',', @$value) . ']' if $column->{list};
	return $value if $column->{type} != 6;
	utf8::decode(my $copy = $value) or die "a text that is not UTF-8\n";
	return '"' . $value =~ s/([\x00-\x1f\\\x7f])/sprintf '\x%02x', ord $1/ger;
}

sub print_file
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$!\n";
	my $whole = do { local $/; <$in> };
	my $length = unpack 'V', substr $whole, -8, 4;
	die "no magic\n" unless substr($whole, 0, 4) eq 'PAR1' && substr($whole, -4) eq 'PAR1';
	($bytes, $at) = ($whole, length($whole) - 8 - $length);
	my $end = $at;
	my $footer = struct();
	die "the footer ends at $at\n" if $at != length($whole) - 8;
	die "created by $footer->{6}\n" if $footer->{6} !~ /^perfpipe version [0-9.]+$/;
	my @columns = columns_of($footer->{2});
	die "orders of columns\n" if @{ $footer->{7} } != @columns || grep { !$_->{1} } @{ $footer->{7} };
	my ($rows, $next) = (0, 4);
	my @chunks = map { my $group = $_; map { { meta => $_->{3}, group => $group } } @{ $group->{1} } } @{ $footer->{4} };
	$_->{pages} = [pages_of($_->{meta})] for @chunks;
	expand(map { @{ $_->{pages} } } @chunks);
	for my $group (@{ $footer->{4} }) {
		my @of = splice @chunks, 0, scalar @columns;
		my ($raw, @values) = (0);
		die "a group begins at $group->{5}, not $next\n" if $group->{5} != $next;
		for my $i (0 .. $#columns) {
			my ($column, $meta, %count) = ($columns[$i], $of[$i]{meta});
			die "chunk at other place\n" if ($meta->{11} // $meta->{9}) != $next;
			die "path @{ $meta->{3} }\n" if "@{ $meta->{3} }" ne $column->{name} . ($column->{list} ? ' list element' : '');
			($values[$i], my $all) = rows_of($column, \%count, @{ $of[$i]{pages} });
			die "$column->{name}: " . @{ $values[$i] } . " rows, not $group->{3}\n" if @{ $values[$i] } != $group->{3};
			check_statistics($column, $meta, $all);
			my %said = map { ("$_->{1} $_->{2}" => $_->{3}) } @{ $meta->{13} };
			die "$column->{name}: counts of pages\n" if join(';', %said{ sort keys %said }) ne join ';', %count{ sort keys %count };
			my %used = (3 => 1, map { s/.* //r => 1 } keys %count);
			die "$column->{name}: encodings\n" if join(' ', sort @{ $meta->{2} }) ne join ' ', sort keys %used;
			my %names = ('0 0' => 'plain', '0 5' => 'delta', '0 8' => 'dictionary');
			print "$column->{name}: ", join(', ', map { "$count{$_} $names{$_}" } grep { $names{$_} } sort keys %count), "\n"
				if $only_pages;
			$next += $meta->{7};
			$raw += $meta->{6};
		}
		die "sizes of a group\n" if $group->{2} != $raw || $group->{6} != $next - $group->{5};
		$rows += $group->{3};
		for my $row (0 .. ($only_pages ? 0 : $group->{3}) - 1) {
			print join("\t", map { show($columns[$_], $values[$_][$row]) } 0 .. $#columns), "\n";
		}
	}
	die "the footer begins at $end, not $next\n" if $next != $end;
	die "$rows rows, not $footer->{3}\n" if $rows != $footer->{3};
	my %metadata = map { @$_{ 1, 2 } } @{ $footer->{5} };
	die "metadata\n" if ($metadata{test} // $metadata{'perfpipe.schema'} // '') !~ m{^fleet/1$|^\Q${\($file =~ s{.*/|\.parquet$}{}gr)}\E$};
}

for my $file (@ARGV) {
	eval { print_file($file); 1 } or die "$file: $@";
}
