# Lines.pm - reads the JSON lines of pp-dump, and keeps count of how another reader's fields
# compare with them.
package Lines;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(json_records differ compare_field count_record summary same plain);

my $text;
sub value
{
	$text =~ /\G\s*/gc;
	if ($text =~ /\G\{/gc) {
		my %h;
		until ($text =~ /\G\s*\}/gc) {
			$text =~ /\G[\s,]*"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:/gc or die "bad JSON: $text";
			my $key = $1;
			$h{$key} = value();
		}
		return \%h;
	}
	if ($text =~ /\G\[/gc) {
		my @a;
		until ($text =~ /\G[\s,]*\]/gc) {
			$text =~ /\G[\s,]*/gc;
			push @a, value();
		}
		return \@a;
	}
	if ($text =~ /\G"([^"\\]*+(?:\\.[^"\\]*+)*+)"/gc) {
		my $s = $1;
		my %escape = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
		$s =~ s/\\(u([0-9a-fA-F]{4})|.)/defined $2 ? chr hex $2 : $escape{$1} \/\/ $1/ge if $s =~ /\\/;
		return $s;
	}
	return $1 if $text =~ /\G(-?[0-9][0-9.eE+-]*|true|false|null)/gc;
	die "bad JSON: $text";
}

# The lines that are records, in order.
sub json_records
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	my @records;
	while ($text = <$in>) {
		next if $text =~ /^\{"tail"/; # long, and no record
		my $rec = value();
		push @records, $rec if defined $rec->{offset};
	}
	return \@records;
}

# A number as JSON writes it, in whichever form, or a text as it is.
sub plain
{
	my ($v) = @_;
	return undef if !defined $v || ref $v;
	no warnings 'portable';
	return hex $v if $v =~ /^0x[0-9a-f]{1,16}$/;
	return $v;
}

# Equal as 64-bit numbers, as 32-bit ones (ids are written signed or not), or as texts.
sub same
{
	my ($a, $b) = @_;
	return 0 unless defined $a && defined $b;
	return 1 if $a eq $b;
	return 0 unless $a =~ /^-?\d{1,20}$/ && $b =~ /^-?\d{1,20}$/;
	my ($x, $y) = map { $_ < 0 ? unpack 'Q', pack 'q', $_ : $_ } $a, $b;
	return 1 if $x == $y;
	return ($a < 0 || $b < 0) && ($x & 0xffffffff) == ($y & 0xffffffff);
}

sub flatten { my ($v) = @_; return ref $v eq 'ARRAY' ? map { flatten($_) } @$v : ref $v eq 'HASH' ? map { flatten($v->{$_}) } sort keys %$v : $v }

# Words that the JSON takes apart: where each part lies.
my %PARTS = (
	data_src => { mem_op => 0, mem_lvl => 5, mem_snoop => 19, mem_lock => 24, mem_dtlb => 26, mem_lvl_num => 33,
		mem_remote => 37, mem_snoopx => 38, mem_blk => 40, mem_hops => 43, mem_region => 46, reserved => 51 },
	weight => { var1_dw => 0, var2_w => 32, var3_w => 48 },
	transaction => { elision => 0, transaction => 1, sync => 2, async => 3, retry => 4, conflict => 5,
		capacity_write => 6, capacity_read => 7, abort_code => 32 },
	flags => { mispred => 0, predicted => 1, in_tx => 2, abort => 3, cycles => 4, type => 20, spec => 24,
		new_type => 26, priv => 30, reserved => 33 },
);

# The word that was taken apart under this name (the last one of a path), or the value as it is.
sub whole
{
	my ($name, $v) = @_;
	my $parts = $PARTS{$name =~ s{.*[.]}{}r};
	return $v unless ref $v eq 'HASH' && $parts;
	my $word = 0;
	for my $part (keys %$v) {
		return $v unless defined $parts->{$part};
		$word |= plain($v->{$part}) << $parts->{$part};
	}
	return $word;
}

my ($records, $fields, $differences, %seen) = (0, 0, 0);

sub count_record { $records++ }

sub differ
{
	my ($what) = @_;
	$differences++;
	print "$what\n" if $differences <= 40;
}

# The field `name` of the record at `where`: `want` (a value or a list) against our JSON's.
sub compare_field
{
	my ($where, $name, $want, $got) = @_;
	my @want = ref $want ? @$want : $want;
	my @got = map { plain($_) } flatten(whole($name, $got));
	$fields += @want;
	$seen{$name} += @want;
	return if @want == @got && !grep { !same($want[$_], $got[$_]) } 0 .. $#want;
	differ("$where: $name: expected " . join(',', @want) . ', pp-dump says '
		. join(',', map { $_ // 'nothing' } @got));
}

# Says what was compared; the exit status: 1 where something differs or nothing was compared.
sub summary
{
	print "... and ", $differences - 40, " more\n" if $differences > 40;
	print join(' ', map { "$_:$seen{$_}" } sort keys %seen), "\n";
	print "compared $records records, $fields fields: $differences differences\n";
	return $differences || !$records ? 1 : 0;
}

1;
