#!/usr/bin/perl
# records.pl - prints a stream's records by Records.pm: `offset type misc size time` a line.
#
#   records.pl [-v] [-s] STREAM    -v adds every field; -s shows samples only
#   records.pl -c LINES STREAM     compares with the lines of pp-dump --json --raw; exit 1 where
#                                  something differs or nothing could be compared
#
# Exit 3 where the walk stops before the end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Records;
use Lines qw(json_records differ compare_field count_record summary);

my ($verbose, $samples, $lines);
while (@ARGV && $ARGV[0] =~ /^-([vsc])$/) {
	shift;
	$verbose = 1 if $1 eq 'v';
	$samples = 1 if $1 eq 's';
	$lines = shift if $1 eq 'c';
}
my $stream = Records->open($ARGV[0] // '-');

sub show
{
	my ($v) = @_;
	return '[' . join(',', map { show($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(',', map { "$_=" . show($v->{$_}) } sort keys %$v) . '}' if ref $v;
	return $v =~ /^[0-9]{16,20}$/ && $v > 1 << 53 ? sprintf '0x%x', $v : $v;
}

sub fields
{
	my ($rec) = @_;
	return $rec->{type} == 9 ? $stream->sample($rec) // [[orphan => 1]] : $stream->body($rec);
}

sub print_records
{
	while (my $rec = $stream->next) {
		next if $samples && $rec->{type} != 9;
		printf '%d %s %d %d %s', @$rec{qw(offset name misc size)}, $stream->time($rec) // '-';
		if ($verbose) {
			my ($trailer) = $stream->trailer($rec);
			print map { " $_->[0]=" . show($_->[1]) } @{fields($rec)};
			print map { " sample_id.$_->[0]=" . show($_->[1]) } @$trailer;
			print ' tail=' . length $rec->{tail} if length $rec->{tail};
		}
		print "\n";
	}
}

# A field of ours; a text whose padding is not zero stands there as hex over its whole width.
sub ours
{
	my ($f, $name) = @_;
	return $f->{$name} unless !defined $f->{$name} && defined $f->{"${name}_hex"};
	return pack('H*', $f->{"${name}_hex"}) =~ s{\0.*}{}sr;
}

# What Records.pm says against the JSON, down to the last value; the JSON may say more.
sub compare
{
	my ($where, $name, $want, $got) = @_;
	if (ref $want eq 'HASH') {
		compare($where, "$name.$_", $want->{$_}, ref $got eq 'HASH' ? $got->{$_} : undef) for sort keys %$want;
	} elsif (ref $want eq 'ARRAY' && ref $want->[0]) {
		compare($where, $name, $want->[$_], ref $got eq 'ARRAY' ? $got->[$_] : undef) for 0 .. $#$want;
	} else {
		# nothing at all is the same as an empty list
		compare_field($where, $name, $want, $got // (ref $want || $want eq '' ? [] : undef)) unless ref $want && !@$want;
	}
}

sub compare_records
{
	my %ours = map { $_->{offset} => $_ } @{json_records($lines)};
	while (my $rec = $stream->next) {
		my $where = "$rec->{name} at $rec->{offset}";
		my $o = delete $ours{$rec->{offset}};
		if (!$o) {
			differ("$where: pp-dump has none");
			next;
		}
		count_record();
		compare($where, 'type', $rec->{name}, $o->{type});
		compare($where, $_, $rec->{$_}, $o->{$_}) for qw(misc size index);
		my ($trailer) = $stream->trailer($rec);
		my $f = $o->{fields} // {};
		for my $field (@{fields($rec)}) {
			my ($name, $value) = @$field;
			next if $name =~ /^(hex|orphan)$/;
			$name = 'weight' if $name eq 'weight_struct';
			compare($where, $name, $value, $name eq 'rest' ? length($o->{rest} // '') / 2 : ours($f, $name));
		}
		compare($where, "sample_id.$_->[0]", $_->[1], $f->{sample_id}{$_->[0]}) for @$trailer;
	}
	differ("$_->{type} at $_->{offset}: not in the stream") for sort { $a->{offset} <=> $b->{offset} } values %ours;
}

if (defined $lines) {
	compare_records();
	my $status = summary();
	exit $status if $status;
} else {
	print_records();
}
if ($stream->{damaged}) {
	print STDERR "records.pl: $stream->{damaged}\n";
	exit 3;
}
