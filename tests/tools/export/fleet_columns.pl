# fleet_columns.pl fleet.c fleet.sql - whether the views of tables have the columns of those, and whether every
# word of the queries is such a column, or one that the file gives a meaning itself.
use strict;
use warnings;

# text FILE: all of it
sub text
{
	local (@ARGV, $/) = @_;
	return <>;
}

my ($c, $sql) = map { text($_) } @ARGV;
my %more = (samples => [qw(day host)], frames => ['name']);
my ($wrong, %known) = 0;

sub wrong
{
	print "@_\n";
	$wrong = 1;
}

$sql =~ s/--.*//g;
for my $table (qw(samples stacks frames recordings)) {
	my $one = $table =~ s/s$//r;
	my ($columns) = $c =~ /^static const struct pp_parquet_column ${one}_columns.*?\{\n(.*?)^\};/ms
		or die "no $table in $ARGV[0]\n";
	my @columns = ((sort $columns =~ /\.name = "(\w+)"/g), @{$more{$table} // []});
	my ($list) = $sql =~ /^CREATE OR REPLACE VIEW $table AS\nSELECT (.*?)\s+FROM\b/ms
		or die "no $table in $ARGV[1]\n";
	# what is within brackets is no column of the answer
	1 while $list =~ s/\([^()]*\)//g;
	my @shown = map { /(\w+)"?\s*$/ } split /,/, $list;
	wrong "$table: @columns, not those of fleet.sql"
		if join(' ', sort @shown) ne join(' ', sort @columns);
	$known{$_} = 1 for @columns;
}
$sql =~ s/'[^']*'//g;
$known{$_} = 1 for $sql =~ /\bAS "?([a-z]\w*)/g, $sql =~ /\b(?:VIEW|MACRO|VARIABLE) (\w+)/g,
	$sql =~ /\b(\w+) = (?:true|false|\{)/g;
$known{$_} = 1 for map { /\w+/g } $sql =~ /\bMACRO \w+\((.*?)\)/g;
for my $word ($sql =~ /(?<!\w)([a-z]\w*)(?![\w(])/g) {
	wrong "$word: no column, and nothing else" unless $known{$word} || $word =~ /^(?:true|false)$/;
}
exit $wrong;
