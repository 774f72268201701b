#!/usr/bin/perl
# truth.pl WHOSE OURS THEIRS NM ADDRESSES - compares frames of addresses, ours as pp-dump --headers --json has
# them, with those of another (WHOSE: eu-addr2line -aif, llvm-symbolizer -ai, perf script -F ip,sym), none
# demangled; a line with each class of addresses and their number, on stderr the first of each that differ.
# NM is what nm prints of the file, ADDRESSES has "address offset" lines.
#
#   equal
#   gap     no function is there, and neither has a name
#   place   without debug information: the other has the name of a file, of all symbols in a row
#   alias   the other shows another symbol of the same address
#   piece   the other leaves out which part or copy of a function it is: .cold, .isra.0
#   repeat  perf gives the name of the function to one that is inlined in it and has no linkage name
#   other   anything else
use strict;
use warnings;
use JSON::PP;

my ($whose, $ours, $theirs, $nm, $addresses) = @ARGV;

sub lines
{
	open my $f, '<', $_[0] or die "$_[0]: $!\n";
	chomp(my @lines = <$f>);
	return @lines;
}

# "FILE:LINE:COLUMN (discriminator 3)" as file and line
sub place
{
	my ($file, $line) = $_[0] =~ /^(.*?):(\d+|\?)(?::\d+)?(?: \(.*\))?$/ or die "no place: $_[0]\n";
	return ($file, $line eq '?' ? 0 : $line);
}

sub read_ours
{
	my %at;
	for my $file (map { @{decode_json($_)->{names} // []} } grep { /"names"/ } lines($ours)) {
		$at{hex $_->{offset}} = $_->{frames} for @{$file->{addresses}};
	}
	return map {
		[ map { [ $_->{symbol} // '??', $_->{file} // '??', $_->{line} // 0 ] } @{$at{$_->[1]} // []} ]
	} @_;
}

# A line with the address, and pairs of lines, name and place
sub read_pairs
{
	my @all;
	my @lines = lines($theirs);
	while (defined(my $line = shift @lines)) {
		next if $line eq '';
		push @all, [] and next if $line =~ /^0x[0-9a-f]+$/;
		push @{$all[-1]}, [ $line =~ s/ inlined at .*//r, place(shift @lines) ];
	}
	return @all;
}

# A line a frame, a blank line after each address
sub read_perf
{
	local $/ = '';
	open my $f, '<', $theirs or die "$theirs: $!\n";
	return map {
		[ map { [ / \[unknown\]/ ? '??' : /^\s*[0-9a-f]+ (.*?)(?: \(inlined\))?$/, '??', 0 ] } grep { /\S/ } split /\n/ ]
	} <$f>;
}

my %places;
for (lines($nm)) {
	my ($address, undef, $name) = split;
	$places{$name}{hex $address} = 1 if defined $name;
}

sub same_place
{
	my ($x, $y) = @_;
	return grep { $places{$y}{$_} } keys %{$places{$x} // {}};
}

sub class
{
	my ($ours, $theirs) = @_;
	return 'gap' if !@$ours && ($theirs->[0][0] // '??') eq '??';
	return 'other' if @$ours != @$theirs;
	my $class = 'equal';
	for my $i (0 .. $#$ours) {
		my ($x, $y) = ($ours->[$i], $theirs->[$i]);
		if ($x->[0] ne $y->[0]) {
			if ($whose eq 'perf' && $y->[0] eq $theirs->[-1][0]) {
				$class = 'repeat';
				next;
			}
			# only the function itself has a symbol
			return 'other' if $i < $#$ours;
			$class = $x->[0] =~ /^\Q$y->[0]\E\./ ? 'piece' : same_place($x->[0], $y->[0]) ? 'alias' :
				return 'other';
		}
		next if $whose eq 'perf';
		# a path may be given from where the compiler ran
		next if $x->[2] == $y->[2] && $y->[1] =~ /(^|\/)\Q$x->[1]\E$/;
		return 'other' if @$ours > 1 || $x->[1] ne '??' || $y->[2];
		$class = 'place' if $class eq 'equal';
	}
	return $class;
}

my @at = map { [ map { hex } split ] } lines($addresses);
my @ours = read_ours(@at);
my @theirs = $whose eq 'perf' ? read_perf() : read_pairs();
@theirs == @at or die "truth.pl: ", scalar(@at), " addresses, and $whose has ", scalar(@theirs), "\n";
my %count;
for my $i (0 .. $#at) {
	my $class = class($ours[$i], $theirs[$i]);
	$count{$class}++;
	next if $class eq 'equal' || $count{$class} > 3;
	printf STDERR "%s: %x\n", $class, $at[$i][0];
	printf STDERR "  %s\n", join ' < ', map { "$_->[0] ($_->[1]:$_->[2])" } @$_ for $ours[$i], $theirs[$i];
}
print "$count{$_} $_\n" for sort keys %count;
