#!/usr/bin/perl
# cut.pl PAGE NAME - damages a page of pp-flame in its data, and writes what comes of it as NAME-1.html, NAME-2.html ...:
# each column without its last byte, which its head knows of or not, and with numbers that are too high.
use strict;
use warnings;
use Compress::Raw::Zlib;
use MIME::Base64;

my ($page, $name) = @ARGV;
my $text = do { local (@ARGV, $/) = $page; <> };
my ($data) = $text =~ m{id="data">\n(.*?)\n</script>}s or die "there are no data\n";
my ($sizes) = $text =~ /"columns":\[([\d,]+)\]/ or die "there are no columns\n";
my @sizes = split /,/, $sizes;
my $z = Compress::Raw::Zlib::Inflate->new(-WindowBits => -MAX_WBITS());
my $packed = decode_base64($data);
$z->inflate($packed, my $bytes) == Z_STREAM_END or die "the data are damaged\n";
my $made = 0;

sub damaged {
	my ($bytes, @sizes) = @_;
	my $z = Compress::Raw::Zlib::Deflate->new(-WindowBits => -MAX_WBITS(), -AppendOutput => 1);
	my $packed = '';
	$z->deflate($bytes, $packed);
	$z->flush($packed);
	my ($new, $coded, $columns) = ($text, encode_base64($packed, ''), join ',', @sizes);
	$new =~ s{(id="data">\n).*?(\n</script>)}{$1$coded$2}s;
	$new =~ s/"columns":\[[\d,]+\]/"columns":[$columns]/;
	open my $f, '>', "$name-" . ++$made . '.html' or die;
	print $f $new;
}

my $end = 0;
for my $column (0 .. $#sizes) {
	next unless $sizes[$column];
	my $begin = $end;
	$end += $sizes[$column];
	my $cut = $bytes;
	substr $cut, $end - 1, 1, '';
	damaged($cut, @sizes);
	damaged($cut, map { $_ == $column ? $sizes[$_] - 1 : $sizes[$_] } 0 .. $#sizes);
	# depths, functions of nodes, threads and nodes of cells: no such number is there
	next unless $column =~ /^[2367]$/;
	my $high = $bytes;
	substr $high, $begin, 1, "\xff\x7f";
	damaged($high, map { $_ == $column ? $sizes[$_] + 1 : $sizes[$_] } 0 .. $#sizes);
}
