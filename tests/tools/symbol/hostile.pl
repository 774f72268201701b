#!/usr/bin/perl
# hostile.pl KIND <PROGRAM - an ELF file (of 64 bits, little-endian) in which one thing lies; without KIND a
# list of the kinds.
use strict;
use warnings;

my (%section, $file);

sub put { my ($at, $format, @values) = @_; my $new = pack $format, @values; substr $file, $at, length $new, $new }

# A field of a section's header: type, flags, offset, size, link, entsize
my %FIELD = (type => [ 4, 'L<' ], flags => [ 8, 'Q<' ], offset => [ 24, 'Q<' ], size => [ 32, 'Q<' ],
	link => [ 40, 'L<' ], entsize => [ 56, 'Q<' ]);
sub header
{
	my ($name, $field, $value) = @_;
	my $s = $section{$name} // die "hostile.pl: no $name\n";
	put($s->{header} + $FIELD{$field}[0], $FIELD{$field}[1], $value);
}
sub bytes { my ($name, $from, $format, @values) = @_; put($section{$name}{offset} + $from, $format, @values) }
sub fill
{
	my ($name, $from, $byte) = @_;
	put($section{$name}{offset} + $from, 'a*', chr($byte) x ($section{$name}{size} - $from));
}

my %KIND = (
	'sections without end' => sub { put(60, 'S<', 0xfeff) },
	'sections by the first of them' => sub { put(60, 'S<', 0); put(unpack('Q<', substr $file, 40, 8) + 32, 'Q<', 1 << 60) },
	'segments without end' => sub { put(56, 'S<', 0xfffe) },
	'names of sections nowhere' => sub { put(62, 'S<', 0xfef0) },
	'headers beyond the end' => sub { put(40, 'Q<', 1 << 62) },
	'symbols without end' => sub { header('.symtab', 'size', 1 << 60) },
	'symbols of one byte' => sub { header('.symtab', 'entsize', 1) },
	'symbols of no byte' => sub { header('.symtab', 'entsize', 0) },
	'symbols with no names' => sub { header('.symtab', 'link', 0xffff) },
	'symbols that are their own names' => sub { header('.strtab', 'offset', $section{'.symtab'}{offset}) },
	'names of three bytes' => sub { header('.strtab', 'size', 3) },
	'a note with a long name' => sub { bytes('.note.gnu.build-id', 0, 'L<', 0xffffffff) },
	'a note with much to say' => sub { bytes('.note.gnu.build-id', 4, 'L<', 0xfffffff0) },
	'a note with more than it has' => sub { bytes('.note.gnu.build-id', 4, 'L<', 200) },
	'a note with nothing' => sub { bytes('.note.gnu.build-id', 4, 'L<', 0) },
	'a unit without end' => sub { bytes('.debug_info', 0, 'L<Q<', 0xffffffff, 1 << 62) },
	'a unit beyond the end' => sub { bytes('.debug_info', 0, 'L<', 0x7fffffff) },
	'a unit of nothing' => sub { bytes('.debug_info', 0, 'L<', 0) },
	'abbreviations without end' => sub { fill('.debug_abbrev', 0, 0xff) },
	'abbreviations that are all one' => sub { fill('.debug_abbrev', 0, 1) },
	'entries that are all one' => sub { fill('.debug_info', 12, 1) },
	'lines without end' => sub { fill('.debug_line', 16, 0xff) },
	'lines of zeros' => sub { fill('.debug_line', 12, 0) },
	'a table of lines with huge counts' => sub { fill('.debug_line', 10, 0x7f) },
	'strings without end' => sub { fill('.debug_str', 0, 0x41) },
	'sections that are all in one place' => sub {
		header($_, 'offset', $section{'.symtab'}{offset})
			for qw(.debug_info .debug_abbrev .debug_line .debug_str .eh_frame);
	},
	'sections that lie halfway over each other' => sub {
		header('.debug_abbrev', 'offset', $section{'.debug_info'}{offset} + 8);
		header('.debug_line', 'offset', $section{'.debug_str'}{offset} + 1);
	},
	'segments that lie over each other' => sub {
		my ($at, $n) = (unpack('Q<', substr $file, 32, 8), unpack('S<', substr $file, 56, 2));
		my @loads = grep { unpack('L<', substr $file, $_, 4) == 1 } map { $at + 56 * $_ } 0 .. $n - 1;
		# data as it is, and over the code: by its offset, and by its address
		put($loads[-1] + 8, 'Q<Q<', unpack 'Q<Q<', substr $file, $loads[1] + 8, 16);
	},
	'compressed, and huge' => sub {
		header('.debug_info', 'flags', 0x800);
		bytes('.debug_info', 0, 'L<L<Q<Q<', 1, 0, 1 << 44, 1);
	},
	'compressed, and shorter than that says' => sub {
		header('.debug_info', 'flags', 0x800);
		header('.debug_info', 'size', 7);
	},
);

if (!@ARGV) {
	print "$_\n" for sort keys %KIND;
	exit;
}
binmode STDIN;
binmode STDOUT;
{ local $/; $file = <STDIN> }
my ($at, $n, $names) = (unpack('Q<', substr $file, 40, 8), unpack('S<2', substr $file, 60, 4));
my @headers = map { substr $file, $at + 64 * $_, 64 } 0 .. $n - 1;
my $strings = unpack 'Q<', substr $headers[$names], 24, 8;
for my $i (0 .. $#headers) {
	my ($name) = unpack 'Z*', substr $file, $strings + unpack('L<', $headers[$i]), 64;
	my ($offset, $size) = unpack 'Q<2', substr $headers[$i], 24, 16;
	$section{$name} = { header => $at + 64 * $i, offset => $offset, size => $size };
}
($KIND{$ARGV[0]} // die "hostile.pl: no such kind: $ARGV[0]\n")->();
print $file;
