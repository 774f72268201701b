#!/usr/bin/perl
# elf.pl - standard input, a line a piece, to an ELF file on standard output: of any processor and byte
# order, code that is all zeros, and call frame information.
#
#   machine aarch64 [big]           (names as in %MACHINE)
#   text address=0x1000 size=0x1000
#   section .eh_frame|.debug_frame [packed]      what follows lies in it; packed: compressed
#   cie ra=30 [code=4] [data=-8] [letters=zRS] INSTRUCTION...
#   fde at=0x1000 size=0x40 INSTRUCTION...
#   raw HEX                         bytes into the section, as they are
#   link FILE                       .gnu_debuglink to that file of the current folder
#
# An instruction is DWARF's name of it without DW_CFA_, and its operands: offset:29:2.  The code is
# the one piece to be loaded; it lies at offset 0x1000 of the file.
use strict;
use warnings;
use Compress::Zlib;

# number of the processor, bytes of an address
my %MACHINE = (i386 => [ 3, 4 ], ppc64 => [ 21, 8 ], s390x => [ 22, 8 ], arm => [ 40, 4 ],
	x86_64 => [ 62, 8 ], aarch64 => [ 183, 8 ], riscv64 => [ 243, 8 ]);

# opcode, and its operands: u uleb, s sleb, 1 2 4 bytes, b a block in hex
my %CFA = (nop => [ 0 ], set_loc => [ 1, 'a' ], advance_loc1 => [ 2, '1' ], advance_loc2 => [ 3, '2' ],
	advance_loc4 => [ 4, '4' ], offset_extended => [ 5, 'uu' ], restore_extended => [ 6, 'u' ],
	undefined => [ 7, 'u' ], same_value => [ 8, 'u' ], register => [ 9, 'uu' ],
	remember_state => [ 0xa ], restore_state => [ 0xb ], def_cfa => [ 0xc, 'uu' ],
	def_cfa_register => [ 0xd, 'u' ], def_cfa_offset => [ 0xe, 'u' ], def_cfa_expression => [ 0xf, 'b' ],
	expression => [ 0x10, 'ub' ], offset_extended_sf => [ 0x11, 'us' ], def_cfa_sf => [ 0x12, 'us' ],
	def_cfa_offset_sf => [ 0x13, 's' ], val_offset => [ 0x14, 'uu' ], val_expression => [ 0x16, 'ub' ],
	negate_ra_state => [ 0x2d ]);
my %SHORT = (advance_loc => 0x40, offset => 0x80, restore => 0xc0);

my ($o, $word, $machine, $text, $length) = ('<', 8, 62, 0x1000, 0x1000);
my ($at, %bytes, %packed, $cie, %cie, $link);

sub uleb
{
	my ($v) = @_;
	my $out = '';
	do {
		my $byte = $v & 0x7f;
		$v >>= 7;
		$out .= chr($byte | ($v ? 0x80 : 0));
	} while $v;
	return $out;
}

sub sleb
{
	my ($v) = @_;
	use integer;
	my $out = '';
	while (1) {
		my $byte = $v & 0x7f;
		$v >>= 7;
		return $out . chr $byte if $v == 0 && !($byte & 0x40) || $v == -1 && $byte & 0x40;
		$out .= chr($byte | 0x80);
	}
}

sub number
{
	my ($v) = @_;
	return $v =~ /^-?0x/ ? ($v =~ s/^-// ? -hex $v : hex $v) : $v;
}

sub address { return pack(($word == 8 ? 'Q' : 'L') . $o, $_[0]) }

sub operand
{
	my ($form, $v) = @_;
	return uleb(length($v) / 2) . pack 'H*', $v if $form eq 'b';
	$v = number($v);
	return $form eq 'u' ? uleb($v) : $form eq 's' ? sleb($v) : $form eq 'a' ? address($v) :
		pack($form == 1 ? 'C' : $form == 2 ? "S$o" : "L$o", $v);
}

sub instruction
{
	my ($name, @operands) = split /:/, $_[0];
	if (my $short = $SHORT{$name}) {
		return chr($short | $operands[0]) . (@operands > 1 ? uleb(number($operands[1])) : '');
	}
	my ($op, $forms) = @{$CFA{$name} // die "elf.pl: $_[0]\n"};
	my $i = 0;
	return chr($op) . join '', map { operand($_, $operands[$i++]) } split //, $forms // '';
}

# An entry, filled up with nops
sub entry
{
	my ($id, $body) = @_;
	my $pad = -(4 + length $body) % $word;
	$bytes{$at} .= pack("L${o}2", 4 + $pad + length $body, $id) . $body . "\0" x $pad;
}

# .eh_frame follows the code in memory, a page further
sub eh_address { return $text + $length }

while (my $line = <STDIN>) {
	my ($verb, @words) = split ' ', $line;
	next if !defined $verb || $verb =~ /^#/;
	my (%a, @rest);
	/^(\w+)=(.*)$/ ? ($a{$1} = $2) : push @rest, $_ for @words;
	if ($verb eq 'machine') {
		($machine, $word) = @{$MACHINE{$rest[0]} // die "elf.pl: $line"};
		$o = '>' if ($rest[1] // '') eq 'big';
	} elsif ($verb eq 'text') {
		($text, $length) = map { number($_) } @a{qw(address size)};
	} elsif ($verb eq 'section') {
		$at = $rest[0];
		$bytes{$at} = '';
		$packed{$at} = @rest > 1;
	} elsif ($verb eq 'cie') {
		my $eh = $at eq '.eh_frame';
		my $letters = $a{letters} // ($eh ? 'zR' : '');
		$cie = length $bytes{$at};
		%cie = (eh => $eh, sized => scalar($letters =~ /z/));
		entry($eh ? 0 : 0xffffffff, "\1$letters\0" . uleb($a{code} // 1) . sleb($a{data} // -8) .
			chr($a{ra}) . ($cie{sized} ? "\1\x1b" : '') . join '', map { instruction($_) } @rest);
	} elsif ($verb eq 'fde') {
		my $here = length $bytes{$at};
		my $where = $cie{sized} ?
			pack("l$o L$o", number($a{at}) - eh_address() - $here - 8, number($a{size})) . "\0" :
			address(number($a{at})) . address(number($a{size}));
		entry($cie{eh} ? $here + 4 - $cie : $cie, $where . join '', map { instruction($_) } @rest);
	} elsif ($verb eq 'raw') {
		$bytes{$at} .= pack 'H*', $rest[0];
	} elsif ($verb eq 'link') {
		open my $file, '<:raw', $rest[0] or die "elf.pl: $rest[0]: $!\n";
		local $/;
		$bytes{'.gnu_debuglink'} = $rest[0] . "\0" x (4 - length($rest[0]) % 4) .
			pack "L$o", crc32(scalar <$file>);
	} else {
		die "elf.pl: $line";
	}
}

# ---- the file

my ($wide, $offset) = ($word == 8, 0x1000);
my $header_size = $wide ? 64 : 52;
my $names = "\0";
my ($data, @sections) = ('');

sub section
{
	my ($name, $type, $flags, $where, $place, $size) = @_;
	my $n = length $names;
	$names .= "$name\0";
	push @sections, $wide ?
		pack("L${o}2 Q${o}4 L${o}2 Q${o}2", $n, $type, $flags, $where, $place, $size, 0, 0, 1, 0) :
		pack("L${o}10", $n, $type, $flags, $where, $place, $size, 0, 0, 1, 0);
}

push @sections, "\0" x ($wide ? 64 : 40);
section('.text', 1, 6, $text, $offset, $length);
for my $name (sort keys %bytes) {
	my ($body, $flags) = ($bytes{$name}, $name eq '.eh_frame' ? 2 : 0);
	$body .= "\0" x 4 if $name eq '.eh_frame';
	if ($packed{$name}) {
		my $size = length $body;
		$body = ($wide ? pack("L${o}2 Q${o}2", 1, 0, $size, 1) : pack("L${o}3", 1, $size, 1)) .
			compress($body);
		$flags |= 0x800;
	}
	section($name, 1, $flags, $name eq '.eh_frame' ? eh_address() : 0,
		$offset + $length + length $data, length $body);
	$data .= $body;
}
my $strings = $offset + $length + length $data;
section('.shstrtab', 3, 0, 0, $strings, length($names) + 11);
$data .= $names;
$data .= "\0" x (-length($data) % 8);

binmode STDOUT;
my @ehdr = ($header_size, $offset + $length + length $data, 0, $header_size, $wide ? 56 : 32, 1,
	$wide ? 64 : 40, scalar @sections, $#sections);
my $address = $wide ? "Q$o" : "L$o";
my $file = "\x7fELF" . chr($wide ? 2 : 1) . chr($o eq '<' ? 1 : 2) . "\1" . "\0" x 9 .
	pack("S${o}2 L$o ${address}3 L$o S${o}6", 3, $machine, 1, 0, @ehdr);
$file .= $wide ? pack("L${o}2 Q${o}6", 1, 5, $offset, $text, $text, $length, $length, 0x1000) :
	pack("L${o}8", 1, $offset, $text, $text, $length, $length, 5, 0x1000);
print $file, "\0" x ($offset - length $file), "\0" x $length, $data, @sections;
