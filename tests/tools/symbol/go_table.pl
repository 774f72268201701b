#!/usr/bin/perl
# go_table.pl VERSION NAME... - assembler's text of a program of x86_64 that has a function of 16 bytes for each name,
# without symbols of them, and the table .gopclntab of that version of Go: 1.2, 1.16, 1.18 or 1.20.
use strict;
use warnings;

my ($version, @names) = @ARGV;
my %MAGIC = ('1.2' => 0xfffffffb, '1.16' => 0xfffffffa, '1.18' => 0xfffffff0, '1.20' => 0xfffffff1);
my $magic = $MAGIC{$version} // die "go_table.pl: no such version: $version\n";
my ($number, $from) = $magic & 8 ? ('.quad', '0') : ('.long', 'text');
my $first = $version eq '1.2' ? 'table' : 'list';

print ".text\n.globl _start\n_start: .rept 32\nnop\n.endr\ntext:\n";
print "code$_: .rept 16\nnop\n.endr\n" for 0 .. $#names;
print "code" . @names . ": .rept 16\nnop\n.endr\n";
printf ".section .gopclntab,\"a\",\@progbits\n.balign 32\ntable: .long %d\n.byte 0, 0, 1, 8\n.quad %d\n", $magic, scalar @names;
print ".quad 0\n" if $magic != $MAGIC{'1.2'};
print ".quad text\n" if $number eq '.long';
print ".quad names - table, 0, 0, 0, list - table\n" if $magic != $MAGIC{'1.2'};
print "list:\n";
print "$number code$_ - $from, about$_ - $first\n" for 0 .. $#names;
print "$number code" . @names . " - $from\n";
# what is said of a function begins with its address and its name
my $base = $version eq '1.2' ? 'table' : 'names';
print "about$_: $number code$_ - $from\n.long name$_ - $base, 0, 0\n" for 0 .. $#names;
print "names: .byte 0\n";
print "name$_: .asciz \"$names[$_]\"\n" for 0 .. $#names;
print ".section .go.buildinfo,\"a\",\@progbits\n.quad 0\n.section .note.GNU-stack,\"\",\@progbits\n";
